/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Attach and detach of devices. The first attach creates the process and its
 * first worker, the last detach frees them. Also other rare operations: changes
 * of addresses and state of interfaces, and the handling of fork().
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "uroce/progress/uroce_worker_gsi.h"
#include "uroce/progress/uroce_worker_port.h"
#include "uroce/progress/uroce_worker_shm.h"
#include "uroce/progress/uroce_worker_state.h"
#include "uroce/progress/uroce_worker_ud.h"
#include "uroce/udp/uroce_link.h"
#include "uroce/udp/uroce_slots.h"
#include "util/nocancel.h"

/* A peer that makes no progress delays exit() by a tenth of a second. */
#define EXIT_NAPS   1000
#define EXIT_NAP_NS 100000

#define ANY_SPORT 0xc000 /* without a port nothing is sent */

/* plain: verbs_mutex has no trylock, which exit() needs */
static pthread_mutex_t process_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct uroce_process *the_process; /* with process_mutex */
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

/* An interface has changed; check the one of @instance. */
static void refresh(struct uroce_instance *instance)
{
	struct uroce_process *process = instance->process;
	struct uroce_netdev *dev = &instance->dev;
	struct uroce_netdev fresh = *dev;
	bool was_up = dev->up;
	bool gids;

	if (uroce_netdev_refresh(&fresh))
		fresh.up = false; /* the interface was removed */
	gids = fresh.nr_gids != dev->nr_gids ||
	       memcmp(fresh.gids, dev->gids, sizeof(fresh.gids)) != 0;
	uroce_process_lock(process);
	for (uint32_t i = 0; gids && i < process->nr_workers; i++) {
		struct uroce_worker *worker = process->workers[i];

		/* on -ENOMEM packets to the new address are dropped */
		(void)uroce_worker_add_gids_locked(worker, &fresh, dev);
		uroce_worker_remove_gids_locked(worker, dev, &fresh);
	}
	*dev = fresh;
	if (gids)
		process->ops->netdev_event(instance->owner, UROCE_NETDEV_GIDS);
	if (fresh.up != was_up)
		process->ops->netdev_event(instance->owner,
					   fresh.up ? UROCE_NETDEV_UP
						    : UROCE_NETDEV_DOWN);
	uroce_process_unlock(process);
}

static void process_refresh(struct uroce_process *process)
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
	(void)pthread_mutex_lock(&process_mutex);
	if (!the_process)
		return;
	(void)pthread_mutex_lock(&the_process->netdev_mutex);
	for (uint32_t i = 0; i < the_process->nr_workers; i++) {
		struct uroce_worker *worker = the_process->workers[i];

		uroce_lock_seize(&worker->engine_lock);
		if (worker->new_port)
			uroce_port_lock_fds(worker->new_port);
	}
	if (the_process->gsi)
		uroce_gsi_lock(the_process->gsi);
}

static void fork_done(void)
{
	if (the_process) {
		if (the_process->gsi)
			uroce_gsi_unlock(the_process->gsi);
		for (uint32_t i = the_process->nr_workers; i-- > 0;) {
			struct uroce_worker *worker = the_process->workers[i];

			if (worker->new_port)
				uroce_port_unlock_fds(worker->new_port);
			uroce_worker_release(worker);
		}
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
		for (uint32_t i = 0; i < the_process->nr_workers; i++)
			abandon_worker(the_process->workers[i]);
		if (the_process->gsi)
			uroce_gsi_abandon(the_process->gsi);
		uroce_shares_fini(&the_process->shares);
		close_link(the_process);
	}
	fork_done();
	the_process = NULL;
}

/* Returns whether some ACKs may be left. */
static bool flush_acks(struct uroce_process *process)
{
	bool owes = false;

	for (uint32_t i = 0; i < process->nr_workers; i++)
		owes = uroce_worker_flush_acks(process->workers[i]) || owes;
	return owes;
}

/*
 * exit() of a process that has not closed its devices: sends ACKs that are
 * deferred or wait for room, since their messages have arrived, and passes on
 * MADs. Waits also for the helper thread, which may be preempted with the lock
 * before it sends one.
 */
static __attribute__((destructor)) void flush_at_exit(void)
{
	const struct timespec nap = { .tv_nsec = EXIT_NAP_NS };

	if (pthread_mutex_trylock(&process_mutex))
		return; /* a device is being opened or closed */
	for (int left = EXIT_NAPS; the_process && left > 0; left--) {
		bool owes = flush_acks(the_process);

		if (!uroce_worker_end_gsi(the_process->workers[0]) && !owes)
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

/* With process_mutex. */
static int get_process(const struct uroce_worker_ops *ops)
{
	int ret = 0;

	(void)pthread_once(&fork_once, watch_forks);
	if (!the_process)
		ret = uroce_process_open(ops, process_refresh, &the_process);
	if (!ret)
		the_process->uses++;
	return ret;
}

/* With process_mutex. */
static void put_process(struct uroce_process *process)
{
	if (--process->uses)
		return;
	if (process == the_process)
		the_process = NULL;
	uroce_process_close(process);
}

static void remove_gids_locked(struct uroce_instance *instance)
{
	struct uroce_process *process = instance->process;

	for (uint32_t i = 0; i < process->nr_workers; i++)
		uroce_worker_remove_gids_locked(process->workers[i],
						&instance->dev, NULL);
}

static int add_gids_locked(struct uroce_instance *instance)
{
	struct uroce_process *process = instance->process;
	int ret = 0;

	for (uint32_t i = 0; !ret && i < process->nr_workers; i++)
		ret = uroce_worker_add_gids_locked(process->workers[i],
						   &instance->dev, NULL);
	if (ret)
		remove_gids_locked(instance);
	return ret;
}

/* Enters the instance into the list of the process. */
static int enter_instance(struct uroce_instance *instance)
{
	struct uroce_process *process = instance->process;
	int ret;

	(void)pthread_mutex_lock(&process->netdev_mutex);
	uroce_process_lock(process);
	ret = add_gids_locked(instance);
	if (!ret)
		list_add_tail(&process->instances, &instance->entry);
	uroce_process_unlock(process);
	(void)pthread_mutex_unlock(&process->netdev_mutex);
	return ret;
}

int uroce_instance_attach(const struct uroce_netdev *dev,
			  const struct uroce_worker_ops *ops, void *owner,
			  struct uroce_instance **ret_instance)
{
	struct uroce_instance *instance = calloc(1, sizeof(*instance));
	bool is_first;
	int ret;

	if (!instance)
		return -ENOMEM;
	(void)pthread_mutex_lock(&process_mutex);
	is_first = !the_process;
	ret = get_process(ops);
	if (ret)
		goto err_free;
	instance->process = the_process;
	instance->owner = owner;
	instance->dev = *dev;
	ret = enter_instance(instance);
	if (ret)
		goto err_put;
	(void)pthread_mutex_unlock(&process_mutex);
	uroce_worker_await_port(instance->process->workers[0], is_first);
	*ret_instance = instance;
	return 0;

err_put:
	put_process(the_process);
err_free:
	(void)pthread_mutex_unlock(&process_mutex);
	free(instance);
	return ret;
}

void uroce_instance_detach(struct uroce_instance *instance)
{
	struct uroce_process *process = instance->process;

	(void)pthread_mutex_lock(&process_mutex);
	(void)pthread_mutex_lock(&process->netdev_mutex);
	uroce_process_lock(process);
	list_del(&instance->entry);
	remove_gids_locked(instance);
	uroce_process_unlock(process);
	(void)pthread_mutex_unlock(&process->netdev_mutex);
	put_process(process);
	(void)pthread_mutex_unlock(&process_mutex);
	free(instance);
}

struct uroce_memory *uroce_instance_memory(struct uroce_instance *instance)
{
	return &instance->process->memory;
}

struct uroce_worker *
uroce_instance_first_worker(struct uroce_instance *instance)
{
	return instance->process->workers[0];
}

struct uroce_worker *uroce_instance_next_worker(struct uroce_instance *instance)
{
	struct uroce_worker *worker;
	bool is_new;

	(void)pthread_mutex_lock(&process_mutex);
	worker = uroce_process_next_worker(instance->process, &is_new);
	(void)pthread_mutex_unlock(&process_mutex);
	if (is_new)
		uroce_worker_await_port(worker, true);
	return worker;
}

void uroce_instance_lock(struct uroce_instance *instance)
{
	struct uroce_process *process = instance->process;

	uroce_process_lock(process);
	for (uint32_t i = 0; i < process->nr_workers; i++)
		uroce_worker_flush(process->workers[i]);
}

void uroce_instance_unlock(struct uroce_instance *instance)
{
	struct uroce_process *process = instance->process;

	for (uint32_t i = 0; i < process->nr_workers; i++)
		uroce_worker_finish(process->workers[i]);
	uroce_process_unlock(process);
}

void uroce_instance_share_cq(struct uroce_instance *instance,
			     struct uroce_worker *worker, struct uroce_cq *cq)
{
	uroce_worker_unbind_cq(worker, cq);
	cq->shared = true;
	instance->process->nr_shared_cqs++;
}

enum uroce_pass uroce_instance_poll(struct uroce_instance *instance)
{
	struct uroce_process *process = instance->process;
	enum uroce_pass pass = UROCE_PASS_QUICK;

	for (uint32_t i = 0; i < uroce_process_nr(process); i++) {
		enum uroce_pass of_worker =
			uroce_worker_poll(process->workers[i]);

		if (of_worker > pass)
			pass = of_worker;
	}
	return pass;
}

int uroce_instance_arm_cq(struct uroce_instance *instance, struct uroce_cq *cq,
			  bool solicited_only)
{
	struct uroce_process *process = instance->process;

	for (uint32_t i = 0; i < uroce_process_nr(process); i++)
		if (uroce_lock_is_own(&process->workers[i]->engine_lock))
			return -EBUSY;
	uroce_instance_lock(instance);
	uroce_cq_arm(cq, solicited_only);
	for (uint32_t i = 0; i < process->nr_workers; i++)
		uroce_worker_watch(process->workers[i]);
	uroce_instance_unlock(instance);
	return 0;
}

void uroce_instance_forget_cq(struct uroce_instance *instance,
			      struct uroce_worker *worker, struct uroce_cq *cq)
{
	struct uroce_process *process = instance->process;

	if (worker)
		uroce_worker_unbind_cq(worker, cq);
	process->nr_shared_cqs -= cq->shared;
	list_del(&cq->moderate.entry);
	for (uint32_t i = 0; i < process->nr_workers; i++)
		uroce_core_forget_cq(&process->workers[i]->engine.core, cq);
}

void uroce_instance_forget_rq(struct uroce_instance *instance,
			      struct uroce_rq *rq)
{
	struct uroce_process *process = instance->process;

	for (uint32_t i = 0; i < process->nr_workers; i++)
		uroce_core_forget_rq(&process->workers[i]->engine.core, rq);
}

bool uroce_instance_find_owner(const struct uroce_instance *instance,
			       bool (*is_wanted)(void *owner, void *arg),
			       void *arg)
{
	const struct list_node *pos;

	list_for_each (pos, &instance->process->instances)
		if (is_wanted(list_entry(pos, struct uroce_instance, entry)
				      ->owner,
			      arg))
			return true;
	return false;
}

bool uroce_instance_dead(const struct uroce_instance *instance)
{
	return instance->process->workers[0]->dead;
}

int uroce_instance_port_error(const struct uroce_instance *instance)
{
	return __atomic_load_n(&instance->process->workers[0]->port_error,
			       __ATOMIC_RELAXED);
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
	const struct uroce_process *process = instance->process;
	const struct uroce_worker *worker = process->workers[0];
	const struct uroce_port *port;

	for (uint32_t i = 1; i < uroce_process_nr(process); i++)
		if (process->workers[i]->engine.slot == qpn >> UROCE_SLOT_SHIFT)
			worker = process->workers[i];
	/* pairs with the store in publish_port_locked() */
	port = __atomic_load_n(&worker->port, __ATOMIC_ACQUIRE);
	return port ? uroce_port_sport(port, dest_qpn) : ANY_SPORT;
}

/* That for the next process of the peer. */
uint16_t uroce_instance_other_sport(const struct uroce_instance *instance,
				    uint32_t qpn, uint32_t dest_qpn)
{
	return uroce_instance_sport(instance, qpn,
				    dest_qpn + (1u << UROCE_SLOT_SHIFT));
}

uint64_t uroce_instance_count(struct uroce_instance *instance,
			      enum uroce_counter counter)
{
	struct uroce_process *process = instance->process;
	uint64_t sum = 0;

	uroce_process_lock(process);
	for (uint32_t i = 0; i < process->nr_workers; i++)
		sum += process->workers[i]->engine.core.counters.count[counter];
	uroce_process_unlock(process);
	return sum;
}

/* All members of the structure are uint64_t. */
static void add_counters(struct uroce_instance_counters *sum,
			 const struct uroce_instance_counters *counters)
{
	uint64_t to[sizeof(*sum) / sizeof(uint64_t)];
	uint64_t from[sizeof(*sum) / sizeof(uint64_t)];

	memcpy(to, sum, sizeof(*sum));
	memcpy(from, counters, sizeof(*counters));
	for (size_t i = 0; i < sizeof(to) / sizeof(to[0]); i++)
		to[i] += from[i];
	memcpy(sum, to, sizeof(*sum));
}

void uroce_instance_counters(struct uroce_instance *instance,
			     struct uroce_instance_counters *ret_counters)
{
	struct uroce_process *process = instance->process;

	*ret_counters = (struct uroce_instance_counters){};
	if (process->gsi)
		uroce_gsi_counters(process->gsi, &ret_counters->gsi);
	uroce_process_lock(process);
	for (uint32_t i = 0; i < process->nr_workers; i++) {
		const struct uroce_worker *worker = process->workers[i];
		struct uroce_instance_counters counters = {
			.helper_wakes = uroce_helper_wakes(&worker->helper),
		};

		if (worker->port)
			uroce_port_counters(worker->port, &counters.port);
		if (worker->shm)
			uroce_shm_counters(worker->shm, &counters.shm);
		add_counters(ret_counters, &counters);
	}
	uroce_process_unlock(process);
}
