/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The UDP port of a loop. Only uroce_instance.c calls these functions. */
#include "uroce/progress/uroce_loop_port.h"

#include <errno.h>
#include <provider/log.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "uroce/progress/uroce_loop_local.h"
#include "util/nocancel.h"

#define RETRY_MS 1000

static bool is_unused(const uint8_t *gid)
{
	static const uint8_t none[UROCE_GID_LEN];

	return memcmp(gid, none, UROCE_GID_LEN) == 0;
}

/* A port without sockets has addresses, too. */
static struct uroce_port *any_port_locked(const struct uroce_loop *loop)
{
	return loop->new_port ? loop->new_port : loop->port;
}

int uroce_loop_add_gids_locked(struct uroce_loop *loop,
			       const struct uroce_netdev *dev,
			       const struct uroce_netdev *other)
{
	struct uroce_port *port = any_port_locked(loop);
	int ret = 0;

	for (uint32_t i = 0; i < dev->nr_gids && port; i++) {
		int err = 0;

		if (!is_unused(dev->gids[i]) &&
		    !(other && uroce_netdev_has_gid(other, dev->gids[i])))
			err = uroce_port_add_address(port, dev->gids[i],
						     dev->ifindex);
		if (err)
			ret = err;
	}
	return ret;
}

void uroce_loop_remove_gids_locked(struct uroce_loop *loop,
				   const struct uroce_netdev *dev,
				   const struct uroce_netdev *other)
{
	struct uroce_port *port = any_port_locked(loop);

	for (uint32_t i = 0; i < dev->nr_gids && port; i++)
		if (!is_unused(dev->gids[i]) &&
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
static int claim_all_names(struct uroce_loop *loop, struct uroce_port *port)
{
	int ret = uroce_port_claim(port, 0);

	while (!ret) {
		uint32_t slot = uroce_port_slot(port);

		if (uroce_loop_open_local(loop, slot) != -EADDRINUSE)
			break;
		ret = uroce_port_claim(port, slot + 1);
	}
	return ret;
}

/* A device without a slot is valid, but cannot reach other processes. */
uint32_t uroce_loop_claim_slot(struct uroce_loop *loop)
{
	struct uroce_port *port;
	int ret;

	loop->stop_joining = -1;
	loop->first_attempt = true;
	(void)pthread_mutex_init(&loop->join_mutex.mutex, NULL);
	(void)pthread_cond_init(&loop->joined, NULL);
	loop->port_error = uroce_port_open(&port);
	if (loop->port_error)
		return 0;
	report_capture(port);
	ret = claim_all_names(loop, port);
	if (ret) {
		uroce_port_close(port);
		loop->port_error = ret;
		return 0;
	}
	loop->port_error = -EINPROGRESS;
	loop->new_port = port;
	return uroce_port_slot(port);
}

static void set_port_error(struct uroce_loop *loop, int error)
{
	__atomic_store_n(&loop->port_error, error, __ATOMIC_RELAXED);
}

/* The port has its sockets: send and receive packets from now on. */
static void publish_port_locked(struct uroce_loop *loop, bool announce)
{
	struct uroce_port *port = loop->new_port;
	struct list_node *pos;

	loop->new_port = NULL;
	loop->engine.room_bytes = uroce_port_room_bytes(port);
	uroce_port_report_header(port, loop->reports_header);
	if (loop->local)
		uroce_local_set_network(loop->local);
	/* pairs with the loads of functions without the engine lock */
	__atomic_store_n(&loop->port, port, __ATOMIC_RELEASE);
	set_port_error(loop, 0);
	list_for_each (pos, &loop->instances) {
		const struct uroce_instance *instance =
			list_entry(pos, struct uroce_instance, entry);

		if (announce && instance->dev.up)
			loop->ops->netdev_event(instance->owner,
						UROCE_NETDEV_UP);
	}
}

/* Returns whether there is a port now. */
static bool try_to_join(struct uroce_loop *loop, bool announce)
{
	int ret =
		uroce_port_acquire_sockets(loop->new_port, loop->stop_joining);

	if (ret) {
		set_port_error(loop, ret);
		return false;
	}
	(void)pthread_mutex_lock(&loop->netdev_mutex);
	uroce_loop_acquire(loop);
	publish_port_locked(loop, announce);
	uroce_loop_release(loop);
	(void)pthread_mutex_unlock(&loop->netdev_mutex);
	uroce_helper_watch(&loop->helper, UROCE_WAKE_MEMBER,
			   uroce_port_member_fd(loop->port));
	uroce_helper_watch(&loop->helper, UROCE_WAKE_INBOX,
			   uroce_port_inbox_fd(loop->port));
	uroce_helper_watch(&loop->helper, UROCE_WAKE_PACKET,
			   uroce_port_fd(loop->port));
	return true;
}

static void *keep_joining(void *arg)
{
	struct uroce_loop *loop = arg;
	struct pollfd stop = { .fd = loop->stop_joining, .events = POLLIN };

	(void)pthread_setname_np(pthread_self(), "uroce-join");
	while (poll(&stop, 1, RETRY_MS) <= 0)
		if (try_to_join(loop, true))
			break;
	return NULL;
}

/* Without the thread the port stays down until the device is opened again. */
static void start_joiner(struct uroce_loop *loop)
{
	loop->stop_joining = eventfd(0, EFD_CLOEXEC);
	if (loop->stop_joining < 0)
		return;
	loop->has_joiner =
		!uroce_helper_start_thread(&loop->joiner, keep_joining, loop);
}

static void make_first_attempt(struct uroce_loop *loop)
{
	if (loop->new_port && !try_to_join(loop, false))
		start_joiner(loop);
	verbs_mutex_lock(&loop->join_mutex);
	loop->first_attempt = false;
	(void)pthread_cond_broadcast(&loop->joined);
	verbs_mutex_unlock(&loop->join_mutex);
}

void uroce_loop_await_port(struct uroce_loop *loop, bool is_first)
{
	if (is_first)
		make_first_attempt(loop);
	verbs_mutex_lock(&loop->join_mutex);
	while (loop->first_attempt)
		verbs_mutex_wait(&loop->join_mutex, &loop->joined);
	verbs_mutex_unlock(&loop->join_mutex);
}

void uroce_loop_stop_joining(struct uroce_loop *loop)
{
	uint64_t one = 1;
	int state;

	if (!loop->has_joiner)
		return;
	(void)!write(loop->stop_joining, &one, sizeof(one));
	state = cancel_disable();
	(void)pthread_join(loop->joiner, NULL);
	cancel_restore(state);
	loop->has_joiner = false;
}

void uroce_loop_close_port(struct uroce_loop *loop)
{
	if (loop->stop_joining >= 0)
		(void)close(loop->stop_joining);
	loop->stop_joining = -1;
	if (loop->port)
		uroce_port_close(loop->port);
	loop->port = NULL;
	if (loop->new_port)
		uroce_port_close(loop->new_port);
	loop->new_port = NULL;
}
