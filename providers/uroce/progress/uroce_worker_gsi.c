/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Connects the GSI with the engines and the port. A MAD goes from an engine to
 * the queue of the GSI with the engine lock, and from there to its owner
 * without a lock.
 */
#include "uroce/progress/uroce_worker_gsi.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "uroce/gsi/uroce_gsi.h"
#include "uroce/progress/uroce_worker_lock.h"
#include "uroce/udp/uroce_netdev.h"
#include "util/clock.h"

/* Sends a MAD from QP 1. With the engine lock. */
static int send_mad_locked(struct uroce_worker *worker,
			   const struct uroce_gsi_mad *mad)
{
	struct uroce_path path = {
		.flow_label = mad->flow_label & UROCE_FLOW_LABEL_MASK,
		.tclass = mad->traffic_class,
		.hop_limit = mad->hop_limit,
	};
	struct uroce_packet packet = {
		.path = &path,
		.opcode = UROCE_UD | UROCE_SEND_ONLY,
		.pkey = UROCE_PKEY_DEFAULT,
		.dest_qpn = UROCE_QPN_GSI,
		.src_qpn = UROCE_QPN_GSI,
		.qkey = UROCE_GSI_QKEY,
		.psn = worker->process->mad_psn++ & UROCE_PSN_MASK,
		.payload_len = UROCE_MAD_BYTES,
	};
	struct iovec iov = { (void *)mad->bytes, UROCE_MAD_BYTES };

	if (worker->dead)
		return -EIO;
	if (!worker->port)
		return -ENETDOWN;
	memcpy(path.sgid, mad->local_gid, UROCE_GID_LEN);
	memcpy(path.dgid, mad->remote_gid, UROCE_GID_LEN);
	path.sport = uroce_port_sport(worker->port, UROCE_QPN_GSI);
	uroce_port_put(worker->port, &packet, &iov, 1, NULL);
	uroce_port_flush(worker->port);
	/* a MAD that exceeds the path MTU is lost, and has no QP to report */
	(void)uroce_port_take_refused(worker->port);
	return 0;
}

/* As for packets of queue pairs, UROCE_LOCAL=none demands the network. */
static bool mad_is_local_locked(const struct uroce_instance *instance,
				const struct uroce_worker *worker,
				const struct uroce_gsi_mad *mad)
{
	return worker->shm && worker->port && !worker->dead &&
	       uroce_netdev_has_gid(&instance->dev, mad->remote_gid);
}

int uroce_instance_send_mad(struct uroce_instance *instance,
			    const struct uroce_gsi_mad *mad)
{
	struct uroce_worker *worker = instance->process->workers[0];
	bool is_local = false;
	int ret = -EADDRNOTAVAIL;

	uroce_worker_acquire(worker);
	if (uroce_netdev_has_gid(&instance->dev, mad->local_gid)) {
		is_local = mad_is_local_locked(instance, worker, mad);
		ret = is_local ? 0 : send_mad_locked(worker, mad);
	}
	uroce_worker_release(worker);
	if (is_local)
		uroce_gsi_send_local(instance->process->gsi, mad);
	return ret;
}

struct uroce_gsi *uroce_instance_gsi(const struct uroce_instance *instance)
{
	return instance->process->gsi;
}

/* Sends a reply of the GSI. @arg: the process. */
static int gsi_send_reply(void *arg, const struct uroce_gsi_mad *mad)
{
	struct uroce_process *process = arg;
	struct uroce_worker *worker = process->workers[0];
	int ret;

	uroce_worker_acquire(worker);
	ret = send_mad_locked(worker, mad);
	uroce_worker_release(worker);
	return ret;
}

static unsigned int find_own_interface(struct uroce_process *process,
				       const uint8_t *gid)
{
	unsigned int ifindex = 0;
	struct list_node *pos;

	(void)pthread_mutex_lock(&process->netdev_mutex);
	list_for_each (pos, &process->instances) {
		const struct uroce_instance *instance =
			list_entry(pos, struct uroce_instance, entry);

		if (!ifindex && uroce_netdev_has_gid(&instance->dev, gid))
			ifindex = instance->dev.ifindex;
	}
	(void)pthread_mutex_unlock(&process->netdev_mutex);
	return ifindex;
}

bool uroce_instance_is_own_address(const struct uroce_instance *instance,
				   const uint8_t *gid)
{
	return find_own_interface(instance->process, gid) != 0;
}

/* An interface that is the device of other processes only. */
static unsigned int find_any_interface(const uint8_t *gid)
{
	struct uroce_netdev *devs = NULL;
	int nr = uroce_netdev_list(&devs);
	unsigned int ifindex = 0;

	for (int i = 0; i < nr && !ifindex; i++)
		if (uroce_netdev_has_gid(&devs[i], gid))
			ifindex = devs[i].ifindex;
	if (nr >= 0)
		free(devs);
	return ifindex;
}

/* @arg: the process. */
static struct uroce_gsi_interface gsi_find_interface(void *arg,
						     const uint8_t *gid)
{
	unsigned int ifindex = find_own_interface(arg, gid);

	if (ifindex)
		return (struct uroce_gsi_interface){ ifindex, true };
	return (struct uroce_gsi_interface){ find_any_interface(gid), false };
}

void uroce_process_open_gsi(struct uroce_process *process)
{
	struct uroce_gsi_config config = {
		.find_interface = gsi_find_interface,
		.send_reply = gsi_send_reply,
		.arg = process,
	};

	if (uroce_gsi_new(&config, &process->gsi))
		process->gsi = NULL;
}

int uroce_process_gsi_fd(const struct uroce_process *process)
{
	return process->gsi ? uroce_gsi_fd(process->gsi) : -1;
}

/* A MAD has arrived. With the engine lock. @arg: the worker. */
static void on_mad(void *arg, const struct uroce_packet *packet)
{
	struct uroce_worker *worker = arg;
	const struct uroce_path *path = packet->path;
	struct uroce_gsi_mad mad = {
		.flow_label = path->flow_label,
		.traffic_class = path->tclass,
		.hop_limit = path->hop_limit,
	};

	memcpy(mad.local_gid, path->dgid, UROCE_GID_LEN);
	memcpy(mad.remote_gid, path->sgid, UROCE_GID_LEN);
	memcpy(mad.bytes, packet->payload, UROCE_MAD_BYTES);
	uroce_gsi_push(worker->process->gsi, &mad);
	/* merged with packets of this worker, so the helper does not know */
	if (!worker->receives_gsi)
		uroce_helper_ring(&worker->process->workers[0]->helper);
}

void uroce_worker_connect_gsi(struct uroce_worker *worker)
{
	if (!worker->process->gsi)
		return;
	worker->engine.on_mad = on_mad;
	worker->engine.on_mad_arg = worker;
}

void uroce_worker_watch_gsi(struct uroce_worker *worker)
{
	int fd;

	if (!worker->process->gsi || !uroce_worker_is_first(worker))
		return;
	fd = uroce_port_gsi_fd(worker->port);
	if (fd >= 0)
		uroce_gsi_watch(worker->process->gsi, fd);
}

/* Does not count as traffic, which would shorten leases. @arg: the worker. */
static void on_gsi_packet(void *arg, struct uroce_packet *packet)
{
	struct uroce_worker *worker = arg;

	uroce_engine_receive(&worker->engine, packet, worker->now);
}

bool uroce_worker_receive_gsi(struct uroce_worker *worker)
{
	struct uroce_gsi_budget *budget = &worker->process->gsi_budget;
	uint32_t nr;

	/* the queues of MADs that wait for users are limited */
	if (!worker->port || worker->process->gsi_behind ||
	    worker->process->gsi_ended)
		return false;
	if (uroce_gsi_budget_is_spent(budget, worker->now))
		return true;
	worker->receives_gsi = true;
	nr = uroce_port_receive_gsi(worker->port, on_gsi_packet, worker);
	worker->receives_gsi = false;
	uroce_gsi_budget_spend(budget, nr, worker->now);
	return uroce_gsi_budget_is_spent(budget, worker->now);
}

void uroce_worker_serve_gsi(struct uroce_worker *worker, unsigned int wake)
{
	struct uroce_process *process = worker->process;
	uint32_t nr_unowned = 0;
	uint64_t now_ns;
	int nr;

	if (!process->gsi || !uroce_worker_is_first(worker))
		return;
	nr = uroce_gsi_work(process->gsi, wake & UROCE_WAKE_GSI, &nr_unowned);
	process->gsi_behind = nr == UROCE_GSI_MAX_DELIVERED;
	now_ns = verbs_now_ns();
	uroce_gsi_budget_spend(&process->gsi_budget,
			       nr_unowned * UROCE_GSI_UNOWNED_COST +
				       (nr > 0 ? (uint32_t)nr : 0),
			       now_ns);
	if (nr < 0 || uroce_gsi_budget_is_spent(&process->gsi_budget, now_ns))
		uroce_helper_pause(&worker->helper, UROCE_WAKE_GSI);
}

bool uroce_worker_end_gsi(struct uroce_worker *worker)
{
	if (!worker->process->gsi)
		return false;
	if (!uroce_worker_try_acquire(worker))
		return true;
	worker->process->gsi_ended = true;
	uroce_worker_release(worker);
	return uroce_gsi_drain(worker->process->gsi);
}
