/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The UDP port of a worker, and its multicast groups. */
#include "uroce/progress/uroce_worker_port.h"

#include <errno.h>
#include <provider/log.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "uroce/progress/uroce_worker_gsi.h"
#include "uroce/progress/uroce_worker_shm.h"
#include "uroce/udp/uroce_slots.h"
#include "util/nocancel.h"
#include "util/thread.h"

#define RETRY_MS 1000

struct group {
	struct list_node entry;
	uint8_t gid[UROCE_GID_LEN];
	unsigned int ifindex;
	uint32_t uses;
};

/* A port without sockets has addresses, too. */
static struct uroce_port *any_port_locked(const struct uroce_worker *worker)
{
	return worker->new_port ? worker->new_port : worker->port;
}

int uroce_worker_add_gids_locked(struct uroce_worker *worker,
				 const struct uroce_netdev *dev,
				 const struct uroce_netdev *other)
{
	struct uroce_port *port = any_port_locked(worker);
	int ret = 0;

	for (uint32_t i = 0; i < dev->nr_gids && port; i++) {
		int err = 0;

		if (!uroce_gid_is_zero(dev->gids[i]) &&
		    !(other && uroce_netdev_has_gid(other, dev->gids[i])))
			err = uroce_port_add_address(port, dev->gids[i],
						     dev->ifindex);
		if (err)
			ret = err;
	}
	return ret;
}

void uroce_worker_remove_gids_locked(struct uroce_worker *worker,
				     const struct uroce_netdev *dev,
				     const struct uroce_netdev *other)
{
	struct uroce_port *port = any_port_locked(worker);

	for (uint32_t i = 0; i < dev->nr_gids && port; i++)
		if (!uroce_gid_is_zero(dev->gids[i]) &&
		    !(other && uroce_netdev_has_gid(other, dev->gids[i])))
			uroce_port_remove_address(port, dev->gids[i],
						  dev->ifindex);
}

static void report_capture(const struct uroce_port *port)
{
	int ret = uroce_port_capture_error(port);

	if (ret)
		verbs_log(NULL, VERBS_LOG_WARN,
			  "uroce: UROCE_PCAP: no capture: %s", strerror(-ret));
}

/* Claims a slot whose bootstrap socket for shm peers has a free name, too. */
static int claim_all_names(struct uroce_worker *worker, struct uroce_port *port)
{
	int ret = uroce_port_claim(port, UROCE_FIRST_SLOT);

	while (!ret) {
		uint32_t slot = uroce_port_slot(port);

		if (uroce_worker_open_shm(worker, slot) != -EADDRINUSE)
			break;
		ret = uroce_port_claim(port, slot + 1);
	}
	return ret;
}

/* A device without a slot is valid, but cannot reach other processes. */
uint32_t uroce_worker_claim_slot(struct uroce_worker *worker)
{
	struct uroce_port *port;
	int ret;

	worker->stop_joining = -1;
	worker->first_attempt = true;
	(void)pthread_mutex_init(&worker->join_mutex.mutex, NULL);
	(void)pthread_cond_init(&worker->joined, NULL);
	worker->port_error = uroce_port_open(&port);
	if (worker->port_error)
		return 0;
	report_capture(port);
	ret = claim_all_names(worker, port);
	if (ret) {
		uroce_port_close(port);
		worker->port_error = ret;
		return 0;
	}
	worker->port_error = -EINPROGRESS;
	worker->new_port = port;
	return uroce_port_slot(port);
}

static void set_port_error(struct uroce_worker *worker, int error)
{
	__atomic_store_n(&worker->port_error, error, __ATOMIC_RELAXED);
}

/* The port has its sockets: send and receive packets from now on. */
static void publish_port_locked(struct uroce_worker *worker, bool announce)
{
	struct uroce_port *port = worker->new_port;
	struct list_node *pos;

	worker->new_port = NULL;
	worker->engine.room_bytes = uroce_port_room_bytes(port);
	uroce_port_report_header(port, worker->reports_header);
	if (worker->shm)
		uroce_shm_set_network(worker->shm);
	/* pairs with the loads of functions without the engine lock */
	__atomic_store_n(&worker->port, port, __ATOMIC_RELEASE);
	set_port_error(worker, 0);
	list_for_each (pos, &worker->process->instances) {
		const struct uroce_instance *instance =
			list_entry(pos, struct uroce_instance, entry);

		if (announce && instance->dev.up)
			worker->process->ops->netdev_event(instance->owner,
							   UROCE_NETDEV_UP);
	}
}

/* Returns whether there is a port now. */
static bool try_to_join(struct uroce_worker *worker, bool announce)
{
	int ret = uroce_port_acquire_sockets(worker->new_port,
					     worker->stop_joining);

	if (ret) {
		set_port_error(worker, ret);
		return false;
	}
	(void)pthread_mutex_lock(&worker->process->netdev_mutex);
	uroce_worker_acquire(worker);
	publish_port_locked(worker, announce && uroce_worker_is_first(worker));
	uroce_worker_release(worker);
	(void)pthread_mutex_unlock(&worker->process->netdev_mutex);
	uroce_helper_watch(&worker->helper, UROCE_WAKE_MEMBER,
			   uroce_port_member_fd(worker->port));
	uroce_helper_watch(&worker->helper, UROCE_WAKE_INBOX,
			   uroce_port_inbox_fd(worker->port));
	uroce_helper_watch(&worker->helper, UROCE_WAKE_PACKET,
			   uroce_port_fd(worker->port));
	uroce_worker_watch_gsi(worker);
	return true;
}

static void *keep_joining(void *arg)
{
	struct uroce_worker *worker = arg;
	struct pollfd stop = { .fd = worker->stop_joining, .events = POLLIN };

	(void)pthread_setname_np(pthread_self(), "uroce-join");
	while (poll(&stop, 1, RETRY_MS) <= 0)
		if (try_to_join(worker, true))
			break;
	return NULL;
}

/* Without the thread the port stays down until the device is opened again. */
static void start_joiner(struct uroce_worker *worker)
{
	worker->stop_joining = eventfd(0, EFD_CLOEXEC);
	if (worker->stop_joining < 0)
		return;
	worker->has_joiner =
		verbs_thread_start(keep_joining, worker, &worker->joiner) == 0;
}

static void make_first_attempt(struct uroce_worker *worker)
{
	if (worker->new_port && !try_to_join(worker, false))
		start_joiner(worker);
	verbs_mutex_lock(&worker->join_mutex);
	worker->first_attempt = false;
	(void)pthread_cond_broadcast(&worker->joined);
	verbs_mutex_unlock(&worker->join_mutex);
}

void uroce_worker_await_port(struct uroce_worker *worker, bool is_first)
{
	if (is_first)
		make_first_attempt(worker);
	verbs_mutex_lock(&worker->join_mutex);
	while (worker->first_attempt)
		verbs_mutex_wait(&worker->join_mutex, &worker->joined);
	verbs_mutex_unlock(&worker->join_mutex);
}

void uroce_worker_stop_joining(struct uroce_worker *worker)
{
	uint64_t one = 1;

	if (!worker->has_joiner)
		return;
	(void)!write(worker->stop_joining, &one, sizeof(one));
	verbs_thread_join(worker->joiner);
	worker->has_joiner = false;
}

static struct group *worker_find_group(const struct uroce_worker *worker,
				       const uint8_t *gid, unsigned int ifindex)
{
	struct list_node *pos;

	list_for_each (pos, &worker->groups) {
		struct group *group = list_entry(pos, struct group, entry);

		if (group->ifindex == ifindex &&
		    memcmp(group->gid, gid, UROCE_GID_LEN) == 0)
			return group;
	}
	return NULL;
}

int uroce_worker_join(struct uroce_worker *worker,
		      const struct uroce_instance *instance, const uint8_t *gid)
{
	unsigned int ifindex = instance->dev.ifindex;
	struct group *group = worker_find_group(worker, gid, ifindex);
	int ret;

	if (group) {
		group->uses++;
		return 0;
	}
	if (!worker->port)
		return worker->dead ? -EIO : worker->port_error;
	group = calloc(1, sizeof(*group));
	if (!group)
		return -ENOMEM;
	ret = uroce_port_join(worker->port, gid, ifindex, true);
	if (ret) {
		free(group);
		return ret;
	}
	memcpy(group->gid, gid, UROCE_GID_LEN);
	group->ifindex = ifindex;
	group->uses = 1;
	list_add_tail(&worker->groups, &group->entry);
	return 0;
}

void uroce_worker_leave(struct uroce_worker *worker,
			const struct uroce_instance *instance,
			const uint8_t *gid)
{
	unsigned int ifindex = instance->dev.ifindex;
	struct group *group = worker_find_group(worker, gid, ifindex);

	if (!group || --group->uses)
		return;
	/* fails if the interface and its memberships are gone */
	if (worker->port)
		(void)uroce_port_join(worker->port, gid, ifindex, false);
	list_del(&group->entry);
	free(group);
}

void uroce_worker_close_port(struct uroce_worker *worker)
{
	struct list_node *pos, *tmp;

	list_for_each_safe (pos, tmp, &worker->groups) {
		list_del(pos);
		free(list_entry(pos, struct group, entry));
	}
	if (worker->stop_joining >= 0)
		(void)close(worker->stop_joining);
	worker->stop_joining = -1;
	if (worker->port)
		uroce_port_close(worker->port);
	worker->port = NULL;
	if (worker->new_port)
		uroce_port_close(worker->new_port);
	worker->new_port = NULL;
}
