/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Attach and detach of devices. The first attach creates the loop, the last
 * detach frees it. Also other rare operations: changes of addresses and state
 * of interfaces, multicast groups, and the handling of fork().
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "uroce/port/uroce_link.h"
#include "uroce/progress/uroce_loop_datagram.h"
#include "uroce/progress/uroce_loop_local.h"
#include "uroce/progress/uroce_loop_port.h"
#include "uroce/progress/uroce_loop_state.h"
#include "util/nocancel.h"

/* A peer that makes no progress delays exit() by a tenth of a second. */
#define EXIT_NAPS   1000
#define EXIT_NAP_NS 100000

#define ANY_SPORT 0xc000 /* without a port nothing is sent */

struct group {
	struct list_node entry;
	uint8_t gid[UROCE_GID_LEN];
	unsigned int ifindex;
	uint32_t uses;
};

/* plain: verbs_mutex has no trylock, which exit() needs */
static pthread_mutex_t loop_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct uroce_loop *the_loop; /* with loop_mutex */
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

static bool same_gid(const uint8_t *a, const uint8_t *b)
{
	return memcmp(a, b, UROCE_GID_LEN) == 0;
}

/* An interface has changed; check the one of @instance. */
static void refresh(struct uroce_loop *loop, struct uroce_instance *instance)
{
	struct uroce_netdev *dev = &instance->dev;
	struct uroce_netdev fresh = *dev;
	bool was_up = dev->up;
	bool gids;

	if (uroce_netdev_refresh(&fresh))
		fresh.up = false; /* the interface was removed */
	gids = fresh.nr_gids != dev->nr_gids ||
	       memcmp(fresh.gids, dev->gids, sizeof(fresh.gids)) != 0;
	uroce_loop_acquire(loop);
	if (gids) {
		/* on -ENOMEM packets to the new address are dropped */
		(void)uroce_loop_add_gids_locked(loop, &fresh, dev);
		uroce_loop_remove_gids_locked(loop, dev, &fresh);
	}
	*dev = fresh;
	if (gids)
		loop->ops->netdev_event(instance->owner, UROCE_NETDEV_GIDS);
	if (fresh.up != was_up)
		loop->ops->netdev_event(instance->owner,
					fresh.up ? UROCE_NETDEV_UP
						 : UROCE_NETDEV_DOWN);
	uroce_loop_release(loop);
}

void uroce_loop_refresh(struct uroce_loop *loop)
{
	struct list_node *pos;

	uroce_link_drain(loop->link_fd);
	(void)pthread_mutex_lock(&loop->netdev_mutex);
	list_for_each (pos, &loop->instances)
		refresh(loop, list_entry(pos, struct uroce_instance, entry));
	(void)pthread_mutex_unlock(&loop->netdev_mutex);
}

static void fork_prepare(void)
{
	(void)pthread_mutex_lock(&loop_mutex);
	if (!the_loop)
		return;
	(void)pthread_mutex_lock(&the_loop->netdev_mutex);
	uroce_lock_seize(&the_loop->engine_lock);
	if (the_loop->new_port)
		uroce_port_lock_fds(the_loop->new_port);
}

static void fork_done(void)
{
	if (the_loop) {
		if (the_loop->new_port)
			uroce_port_unlock_fds(the_loop->new_port);
		uroce_loop_release(the_loop);
		(void)pthread_mutex_unlock(&the_loop->netdev_mutex);
	}
	(void)pthread_mutex_unlock(&loop_mutex);
}

/* Descriptors in the child would keep the parent's slot in use. */
static void drop_outside(struct uroce_loop *loop)
{
	uroce_loop_close_port(loop);
	if (loop->link_fd >= 0)
		(void)close(loop->link_fd);
	loop->link_fd = -1;
}

static void fork_child(void)
{
	struct uroce_loop *loop = the_loop;

	if (loop) {
		loop->dead = true;
		if (loop->new_port)
			uroce_port_unlock_fds(loop->new_port);
		uroce_helper_abandon(&loop->helper);
		drop_outside(loop);
		if (loop->local)
			uroce_local_abandon(loop->local);
	}
	fork_done();
	the_loop = NULL;
}

/*
 * exit() of a process that has not closed its devices: sends ACKs that are
 * deferred or wait for room, since their messages have arrived. Waits also for
 * the helper thread, which may be preempted with the lock before it sends one.
 */
static __attribute__((destructor)) void pay_debts(void)
{
	const struct timespec nap = { .tv_nsec = EXIT_NAP_NS };

	if (pthread_mutex_trylock(&loop_mutex))
		return; /* a device is being opened or closed */
	for (int left = EXIT_NAPS; the_loop && left > 0; left--) {
		if (!uroce_loop_call_in(the_loop))
			break;
		(void)nanosleep(&nap, NULL);
	}
	(void)pthread_mutex_unlock(&loop_mutex);
}

static void watch_forks(void)
{
	/* fails without memory; then a child must not use the device */
	(void)pthread_atfork(fork_prepare, fork_done, fork_child);
}

static int start_helper(struct uroce_loop *loop)
{
	struct uroce_helper_config config = {
		.fds = { -1, -1, -1, loop->link_fd, -1 },
		.arg = loop,
		.work = uroce_loop_work,
	};

	if (loop->local)
		config.fds[4] = uroce_local_fd(loop->local);
	return uroce_helper_start(&loop->helper, &config);
}

static uint32_t make_seed(void)
{
	uint32_t seed;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		seed = (uint32_t)(uroce_loop_now() ^ (uint64_t)getpid() << 16);
	return seed;
}

static void free_loop(struct uroce_loop *loop)
{
	struct list_node *pos, *tmp;

	drop_outside(loop);
	list_for_each_safe (pos, tmp, &loop->groups)
		free(list_entry(pos, struct group, entry));
	if (loop->local) {
		uroce_loop_part(loop);
		uroce_local_close(loop->local);
	}
	uroce_engine_fini(&loop->engine);
	uroce_lock_fini(&loop->engine_lock);
	(void)pthread_mutex_destroy(&loop->netdev_mutex);
	free(loop);
}

static int new_loop(const struct uroce_loop_ops *ops,
		    struct uroce_loop **ret_loop)
{
	struct uroce_loop *loop = aligned_alloc(
		UROCE_CACHE_LINE, (sizeof(*loop) + UROCE_CACHE_LINE - 1) /
					  UROCE_CACHE_LINE * UROCE_CACHE_LINE);
	struct uroce_engine_config config = { .seed = make_seed() };
	int ret;

	if (!loop)
		return -ENOMEM;
	*loop = (struct uroce_loop){ .ops = ops, .next_pd = 1 };
	list_init(&loop->instances);
	list_init(&loop->groups);
	list_init(&loop->full);
	list_init(&loop->moderated);
	(void)pthread_mutex_init(&loop->netdev_mutex, NULL);
	uroce_lock_prepare();
	uroce_lock_init(&loop->engine_lock);
	config.slot = uroce_loop_claim_slot(loop);
	loop->link_fd = uroce_link_open();
	ret = uroce_engine_init(&loop->engine, &config);
	if (ret) {
		drop_outside(loop);
		if (loop->local)
			uroce_local_close(loop->local);
		free(loop);
		return ret;
	}
	uroce_loop_show_local(loop);
	(void)pthread_once(&fork_once, watch_forks);
	ret = start_helper(loop);
	if (ret) {
		free_loop(loop);
		return ret;
	}
	*ret_loop = loop;
	return 0;
}

/* With loop_mutex. */
static int get_loop(const struct uroce_loop_ops *ops)
{
	int ret = the_loop ? 0 : new_loop(ops, &the_loop);

	if (!ret)
		the_loop->uses++;
	return ret;
}

/* With loop_mutex. */
static void put_loop(struct uroce_loop *loop)
{
	if (--loop->uses)
		return;
	if (loop == the_loop)
		the_loop = NULL;
	if (!loop->dead) {
		uroce_loop_stop_joining(loop);
		uroce_helper_stop(&loop->helper);
	}
	free_loop(loop);
}

int uroce_loop_attach(const struct uroce_netdev *dev,
		      const struct uroce_loop_ops *ops, void *owner,
		      struct uroce_instance **ret_instance)
{
	struct uroce_instance *instance = calloc(1, sizeof(*instance));
	struct uroce_loop *loop;
	bool is_first;
	int ret;

	if (!instance)
		return -ENOMEM;
	(void)pthread_mutex_lock(&loop_mutex);
	is_first = !the_loop;
	ret = get_loop(ops);
	loop = the_loop;
	if (ret)
		goto err_free;
	instance->loop = loop;
	instance->owner = owner;
	instance->dev = *dev;
	uroce_loop_acquire(loop);
	ret = uroce_loop_add_gids_locked(loop, dev, NULL);
	if (ret)
		uroce_loop_remove_gids_locked(loop, dev, NULL);
	uroce_loop_release(loop);
	if (ret)
		goto err_put;
	(void)pthread_mutex_lock(&loop->netdev_mutex);
	uroce_loop_acquire(loop);
	list_add_tail(&loop->instances, &instance->entry);
	uroce_loop_release(loop);
	(void)pthread_mutex_unlock(&loop->netdev_mutex);
	(void)pthread_mutex_unlock(&loop_mutex);
	uroce_loop_await_port(loop, is_first);
	*ret_instance = instance;
	return 0;

err_put:
	put_loop(loop);
err_free:
	(void)pthread_mutex_unlock(&loop_mutex);
	free(instance);
	return ret;
}

void uroce_loop_detach(struct uroce_instance *instance)
{
	struct uroce_loop *loop = instance->loop;

	(void)pthread_mutex_lock(&loop_mutex);
	(void)pthread_mutex_lock(&loop->netdev_mutex);
	uroce_loop_acquire(loop);
	list_del(&instance->entry);
	uroce_loop_remove_gids_locked(loop, &instance->dev, NULL);
	uroce_loop_release(loop);
	(void)pthread_mutex_unlock(&loop->netdev_mutex);
	put_loop(loop);
	(void)pthread_mutex_unlock(&loop_mutex);
	free(instance);
}

struct uroce_engine *uroce_loop_engine(struct uroce_instance *instance)
{
	return &instance->loop->engine;
}

bool uroce_loop_dead(const struct uroce_instance *instance)
{
	return instance->loop->dead;
}

int uroce_loop_port_error(const struct uroce_instance *instance)
{
	return __atomic_load_n(&instance->loop->port_error, __ATOMIC_RELAXED);
}

void uroce_loop_netdev(struct uroce_instance *instance,
		       struct uroce_netdev *ret_dev)
{
	(void)pthread_mutex_lock(&instance->loop->netdev_mutex);
	*ret_dev = instance->dev;
	(void)pthread_mutex_unlock(&instance->loop->netdev_mutex);
}

uint32_t uroce_loop_new_pd(struct uroce_instance *instance)
{
	return __atomic_fetch_add(&instance->loop->next_pd, 1,
				  __ATOMIC_RELAXED);
}

uint16_t uroce_loop_sport(const struct uroce_instance *instance, uint32_t qpn,
			  uint32_t dest_qpn)
{
	/* pairs with the store in publish_port_locked() */
	const struct uroce_port *port =
		__atomic_load_n(&instance->loop->port, __ATOMIC_ACQUIRE);

	return port ? uroce_port_sport(port, dest_qpn) : ANY_SPORT;
}

static struct group *find_group(const struct uroce_loop *loop,
				const uint8_t *gid, unsigned int ifindex)
{
	struct list_node *pos;

	list_for_each (pos, &loop->groups) {
		struct group *group = list_entry(pos, struct group, entry);

		if (group->ifindex == ifindex && same_gid(group->gid, gid))
			return group;
	}
	return NULL;
}

int uroce_loop_join(struct uroce_instance *instance, const uint8_t *gid)
{
	struct uroce_loop *loop = instance->loop;
	unsigned int ifindex = instance->dev.ifindex;
	struct group *group = find_group(loop, gid, ifindex);
	int ret;

	if (group) {
		group->uses++;
		return 0;
	}
	if (!loop->port)
		return loop->dead ? -EIO : loop->port_error;
	group = calloc(1, sizeof(*group));
	if (!group)
		return -ENOMEM;
	ret = uroce_port_join(loop->port, gid, ifindex, true);
	if (ret) {
		free(group);
		return ret;
	}
	memcpy(group->gid, gid, UROCE_GID_LEN);
	group->ifindex = ifindex;
	group->uses = 1;
	list_add_tail(&loop->groups, &group->entry);
	return 0;
}

void uroce_loop_leave(struct uroce_instance *instance, const uint8_t *gid)
{
	struct uroce_loop *loop = instance->loop;
	unsigned int ifindex = instance->dev.ifindex;
	struct group *group = find_group(loop, gid, ifindex);

	if (!group || --group->uses)
		return;
	/* fails if the interface and its memberships are gone */
	if (loop->port)
		(void)uroce_port_join(loop->port, gid, ifindex, false);
	list_del(&group->entry);
	free(group);
}

void uroce_loop_counters(struct uroce_instance *instance,
			 struct uroce_loop_counters *ret_counters)
{
	struct uroce_loop *loop = instance->loop;
	*ret_counters = (struct uroce_loop_counters){};
	uroce_loop_acquire(loop);
	if (loop->port)
		uroce_port_counters(loop->port, &ret_counters->port);
	if (loop->local)
		uroce_local_counters(loop->local, &ret_counters->local);
	ret_counters->helper_wakes = uroce_helper_wakes(&loop->helper);
	uroce_loop_release(loop);
}
