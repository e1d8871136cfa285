/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Attach and detach of devices. The first attach creates the worker, the last
 * detach frees it. Also other rare operations: changes of addresses and state
 * of interfaces, multicast groups, and the handling of fork().
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "uroce/progress/uroce_worker_port.h"
#include "uroce/progress/uroce_worker_shm.h"
#include "uroce/progress/uroce_worker_state.h"
#include "uroce/progress/uroce_worker_ud.h"
#include "uroce/udp/uroce_link.h"
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
static pthread_mutex_t process_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct uroce_process *the_process; /* with process_mutex */
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

static bool same_gid(const uint8_t *a, const uint8_t *b)
{
	return memcmp(a, b, UROCE_GID_LEN) == 0;
}

/* An interface has changed; check the one of @instance. */
static void refresh(struct uroce_instance *instance)
{
	struct uroce_worker *worker = instance->worker;
	struct uroce_netdev *dev = &instance->dev;
	struct uroce_netdev fresh = *dev;
	bool was_up = dev->up;
	bool gids;

	if (uroce_netdev_refresh(&fresh))
		fresh.up = false; /* the interface was removed */
	gids = fresh.nr_gids != dev->nr_gids ||
	       memcmp(fresh.gids, dev->gids, sizeof(fresh.gids)) != 0;
	uroce_worker_acquire(worker);
	if (gids) {
		/* on -ENOMEM packets to the new address are dropped */
		(void)uroce_worker_add_gids_locked(worker, &fresh, dev);
		uroce_worker_remove_gids_locked(worker, dev, &fresh);
	}
	*dev = fresh;
	if (gids)
		worker->ops->netdev_event(instance->owner, UROCE_NETDEV_GIDS);
	if (fresh.up != was_up)
		worker->ops->netdev_event(instance->owner,
					  fresh.up ? UROCE_NETDEV_UP
						   : UROCE_NETDEV_DOWN);
	uroce_worker_release(worker);
}

void uroce_process_refresh(struct uroce_process *process)
{
	struct list_node *pos;

	uroce_link_drain(process->link_fd);
	(void)pthread_mutex_lock(&process->netdev_mutex);
	list_for_each (pos, &process->instances)
		refresh(list_entry(pos, struct uroce_instance, entry));
	(void)pthread_mutex_unlock(&process->netdev_mutex);
}

static void fork_prepare(void)
{
	struct uroce_worker *worker;

	(void)pthread_mutex_lock(&process_mutex);
	if (!the_process)
		return;
	worker = the_process->worker;
	(void)pthread_mutex_lock(&the_process->netdev_mutex);
	uroce_lock_seize(&worker->engine_lock);
	if (worker->new_port)
		uroce_port_lock_fds(worker->new_port);
}

static void fork_done(void)
{
	if (the_process) {
		struct uroce_worker *worker = the_process->worker;

		if (worker->new_port)
			uroce_port_unlock_fds(worker->new_port);
		uroce_worker_release(worker);
		(void)pthread_mutex_unlock(&the_process->netdev_mutex);
	}
	(void)pthread_mutex_unlock(&process_mutex);
}

static void close_link(struct uroce_process *process)
{
	if (process->link_fd >= 0)
		(void)close(process->link_fd);
	process->link_fd = -1;
}

/* Descriptors in the child would keep the parent's slot in use. */
static void abandon_worker(struct uroce_worker *worker)
{
	worker->dead = true;
	if (worker->new_port)
		uroce_port_unlock_fds(worker->new_port);
	uroce_helper_abandon(&worker->helper);
	uroce_worker_close_port(worker);
	if (worker->shm)
		uroce_shm_abandon(worker->shm);
}

static void fork_child(void)
{
	if (the_process) {
		abandon_worker(the_process->worker);
		close_link(the_process);
	}
	fork_done();
	the_process = NULL;
}

/*
 * exit() of a process that has not closed its devices: sends ACKs that are
 * deferred or wait for room, since their messages have arrived. Waits also for
 * the helper thread, which may be preempted with the lock before it sends one.
 */
static __attribute__((destructor)) void flush_at_exit(void)
{
	const struct timespec nap = { .tv_nsec = EXIT_NAP_NS };

	if (pthread_mutex_trylock(&process_mutex))
		return; /* a device is being opened or closed */
	for (int left = EXIT_NAPS; the_process && left > 0; left--) {
		if (!uroce_worker_flush_acks(the_process->worker))
			break;
		(void)nanosleep(&nap, NULL);
	}
	(void)pthread_mutex_unlock(&process_mutex);
}

static void watch_forks(void)
{
	/* fails without memory; then a child must not use the device */
	(void)pthread_atfork(fork_prepare, fork_done, fork_child);
}

static int start_helper(struct uroce_worker *worker)
{
	struct uroce_helper_config config = {
		.fds = { -1, -1, -1, worker->process->link_fd, -1 },
		.arg = worker,
		.work = uroce_worker_work,
	};

	if (worker->shm)
		config.fds[4] = uroce_shm_fd(worker->shm);
	return uroce_helper_start(&worker->helper, &config);
}

static uint32_t make_seed(void)
{
	uint32_t seed;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		seed = (uint32_t)(uroce_worker_now() ^ (uint64_t)getpid()
							       << 16);
	return seed;
}

static void free_worker(struct uroce_worker *worker)
{
	struct list_node *pos, *tmp;

	uroce_worker_close_port(worker);
	list_for_each_safe (pos, tmp, &worker->groups)
		free(list_entry(pos, struct group, entry));
	if (worker->shm) {
		uroce_worker_release_ud_peers(worker);
		uroce_shm_close(worker->shm);
	}
	uroce_engine_fini(&worker->engine);
	uroce_lock_fini(&worker->engine_lock);
	free(worker);
}

static int new_worker(struct uroce_process *process,
		      const struct uroce_worker_ops *ops, uint32_t seed,
		      struct uroce_worker **ret_worker)
{
	struct uroce_worker *worker = aligned_alloc(
		UROCE_CACHE_LINE, (sizeof(*worker) + UROCE_CACHE_LINE - 1) /
					  UROCE_CACHE_LINE * UROCE_CACHE_LINE);
	struct uroce_engine_config config = { .memory = &process->memory,
					      .seed = seed };
	int ret;

	if (!worker)
		return -ENOMEM;
	*worker = (struct uroce_worker){ .process = process, .ops = ops };
	list_init(&worker->groups);
	list_init(&worker->full);
	list_init(&worker->moderated);
	uroce_lock_prepare();
	uroce_lock_init(&worker->engine_lock);
	config.slot = uroce_worker_claim_slot(worker);
	ret = uroce_engine_init(&worker->engine, &config);
	if (ret) {
		uroce_worker_close_port(worker);
		if (worker->shm)
			uroce_shm_close(worker->shm);
		free(worker);
		return ret;
	}
	uroce_worker_publish_shm(worker);
	ret = start_helper(worker);
	if (ret) {
		free_worker(worker);
		return ret;
	}
	*ret_worker = worker;
	return 0;
}

static void free_process(struct uroce_process *process)
{
	close_link(process);
	uroce_memory_fini(&process->memory);
	(void)pthread_mutex_destroy(&process->netdev_mutex);
	free(process);
}

static int new_process(const struct uroce_worker_ops *ops,
		       struct uroce_process **ret_process)
{
	struct uroce_process *process = calloc(1, sizeof(*process));
	uint32_t seed = make_seed();
	int ret;

	if (!process)
		return -ENOMEM;
	process->next_pd = 1;
	list_init(&process->instances);
	(void)pthread_mutex_init(&process->netdev_mutex, NULL);
	uroce_memory_init(&process->memory, seed);
	process->link_fd = uroce_link_open();
	(void)pthread_once(&fork_once, watch_forks);
	ret = new_worker(process, ops, seed, &process->worker);
	if (ret) {
		free_process(process);
		return ret;
	}
	*ret_process = process;
	return 0;
}

/* With process_mutex. */
static int get_process(const struct uroce_worker_ops *ops)
{
	int ret = the_process ? 0 : new_process(ops, &the_process);

	if (!ret)
		the_process->uses++;
	return ret;
}

/* With process_mutex. */
static void put_process(struct uroce_process *process)
{
	struct uroce_worker *worker = process->worker;

	if (--process->uses)
		return;
	if (process == the_process)
		the_process = NULL;
	if (!worker->dead) {
		uroce_worker_stop_joining(worker);
		uroce_helper_stop(&worker->helper);
	}
	free_worker(worker);
	free_process(process);
}

int uroce_instance_attach(const struct uroce_netdev *dev,
			  const struct uroce_worker_ops *ops, void *owner,
			  struct uroce_instance **ret_instance)
{
	struct uroce_instance *instance = calloc(1, sizeof(*instance));
	struct uroce_process *process;
	struct uroce_worker *worker;
	bool is_first;
	int ret;

	if (!instance)
		return -ENOMEM;
	(void)pthread_mutex_lock(&process_mutex);
	is_first = !the_process;
	ret = get_process(ops);
	if (ret)
		goto err_free;
	process = the_process;
	worker = process->worker;
	instance->process = process;
	instance->worker = worker;
	instance->owner = owner;
	instance->dev = *dev;
	uroce_worker_acquire(worker);
	ret = uroce_worker_add_gids_locked(worker, dev, NULL);
	if (ret)
		uroce_worker_remove_gids_locked(worker, dev, NULL);
	uroce_worker_release(worker);
	if (ret)
		goto err_put;
	(void)pthread_mutex_lock(&process->netdev_mutex);
	uroce_worker_acquire(worker);
	list_add_tail(&process->instances, &instance->entry);
	uroce_worker_release(worker);
	(void)pthread_mutex_unlock(&process->netdev_mutex);
	(void)pthread_mutex_unlock(&process_mutex);
	uroce_worker_await_port(worker, is_first);
	*ret_instance = instance;
	return 0;

err_put:
	put_process(process);
err_free:
	(void)pthread_mutex_unlock(&process_mutex);
	free(instance);
	return ret;
}

void uroce_instance_detach(struct uroce_instance *instance)
{
	struct uroce_process *process = instance->process;
	struct uroce_worker *worker = instance->worker;

	(void)pthread_mutex_lock(&process_mutex);
	(void)pthread_mutex_lock(&process->netdev_mutex);
	uroce_worker_acquire(worker);
	list_del(&instance->entry);
	uroce_worker_remove_gids_locked(worker, &instance->dev, NULL);
	uroce_worker_release(worker);
	(void)pthread_mutex_unlock(&process->netdev_mutex);
	put_process(process);
	(void)pthread_mutex_unlock(&process_mutex);
	free(instance);
}

struct uroce_worker *uroce_instance_worker(struct uroce_instance *instance)
{
	return instance->worker;
}

bool uroce_instance_dead(const struct uroce_instance *instance)
{
	return instance->worker->dead;
}

int uroce_instance_port_error(const struct uroce_instance *instance)
{
	return __atomic_load_n(&instance->worker->port_error, __ATOMIC_RELAXED);
}

void uroce_instance_netdev(struct uroce_instance *instance,
			   struct uroce_netdev *ret_dev)
{
	(void)pthread_mutex_lock(&instance->process->netdev_mutex);
	*ret_dev = instance->dev;
	(void)pthread_mutex_unlock(&instance->process->netdev_mutex);
}

uint32_t uroce_instance_new_pd(struct uroce_instance *instance)
{
	return __atomic_fetch_add(&instance->process->next_pd, 1,
				  __ATOMIC_RELAXED);
}

uint16_t uroce_instance_sport(const struct uroce_instance *instance,
			      uint32_t qpn, uint32_t dest_qpn)
{
	/* pairs with the store in publish_port_locked() */
	const struct uroce_port *port =
		__atomic_load_n(&instance->worker->port, __ATOMIC_ACQUIRE);

	return port ? uroce_port_sport(port, dest_qpn) : ANY_SPORT;
}

static struct group *instance_find_group(const struct uroce_worker *worker,
					 const uint8_t *gid,
					 unsigned int ifindex)
{
	struct list_node *pos;

	list_for_each (pos, &worker->groups) {
		struct group *group = list_entry(pos, struct group, entry);

		if (group->ifindex == ifindex && same_gid(group->gid, gid))
			return group;
	}
	return NULL;
}

int uroce_instance_join(struct uroce_instance *instance, const uint8_t *gid)
{
	struct uroce_worker *worker = instance->worker;
	unsigned int ifindex = instance->dev.ifindex;
	struct group *group = instance_find_group(worker, gid, ifindex);
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

void uroce_instance_leave(struct uroce_instance *instance, const uint8_t *gid)
{
	struct uroce_worker *worker = instance->worker;
	unsigned int ifindex = instance->dev.ifindex;
	struct group *group = instance_find_group(worker, gid, ifindex);

	if (!group || --group->uses)
		return;
	/* fails if the interface and its memberships are gone */
	if (worker->port)
		(void)uroce_port_join(worker->port, gid, ifindex, false);
	list_del(&group->entry);
	free(group);
}

void uroce_instance_counters(struct uroce_instance *instance,
			     struct uroce_instance_counters *ret_counters)
{
	struct uroce_worker *worker = instance->worker;
	*ret_counters = (struct uroce_instance_counters){};
	uroce_worker_acquire(worker);
	if (worker->port)
		uroce_port_counters(worker->port, &ret_counters->port);
	if (worker->shm)
		uroce_shm_counters(worker->shm, &ret_counters->shm);
	ret_counters->helper_wakes = uroce_helper_wakes(&worker->helper);
	uroce_worker_release(worker);
}
