/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The workers of a process. The first one is created with the process, the
 * others when queues are created that share nothing with those of a worker. To
 * peers each worker is like a process: it has a slot with UDP socket, shared
 * memory and helper thread.
 *
 * All workers use one MR table. Threads change it with all engine locks
 * (uroce_process_lock()), so a pass needs only the lock of its worker.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include "uroce/ipc/uroce_identity.h"
#include "uroce/progress/uroce_worker_gsi.h"
#include "uroce/progress/uroce_worker_port.h"
#include "uroce/progress/uroce_worker_shm.h"
#include "uroce/progress/uroce_worker_state.h"
#include "uroce/progress/uroce_worker_ud.h"
#include "uroce/qp/uroce_chaos.h"
#include "uroce/udp/uroce_link.h"
#include "uroce/udp/uroce_slots.h"
#include "uroce/uroce_config.h"
#include "util/nocancel.h"

/* Only the first worker of a process gets one of the other slots. */
#define MAX_SLOT (UROCE_NR_SLOTS / 2)

/* The first worker is locked first: then nr_workers does not change. */
void uroce_process_lock(struct uroce_process *process)
{
	uroce_lock_take(&process->workers[0]->engine_lock);
	for (uint32_t i = 1; i < process->nr_workers; i++)
		uroce_lock_take(&process->workers[i]->engine_lock);
}

void uroce_process_unlock(struct uroce_process *process)
{
	process->exclusive =
		process->memory.nr_dmabufs ||
		(process->nr_workers > 1 &&
		 (process->memory.nr_windows || process->nr_shared_cqs));
	for (uint32_t i = process->nr_workers; i-- > 0;)
		uroce_worker_release(process->workers[i]);
}

static int start_helper(struct uroce_worker *worker, int link_fd)
{
	struct uroce_helper_config config = {
		.fds = { -1, -1, -1, link_fd, -1, -1 },
		.arg = worker,
		.work = uroce_worker_work,
	};

	if (worker->shm)
		config.fds[4] = uroce_shm_fd(worker->shm);
	if (!worker->process->nr_workers)
		config.fds[5] = uroce_process_gsi_fd(worker->process);
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

static void stop_threads(struct uroce_worker *worker)
{
	if (worker->dead)
		return;
	uroce_worker_stop_joining(worker);
	uroce_helper_stop(&worker->helper);
}

static void free_worker(struct uroce_worker *worker)
{
	uroce_worker_close_port(worker);
	if (worker->shm) {
		uroce_worker_release_ud_peers(worker);
		uroce_shm_close(worker->shm);
	}
	uroce_engine_fini(&worker->engine);
	uroce_lock_fini(&worker->engine_lock);
	free(worker);
}

/* @link_fd: -1 if the helper thread does not watch the interfaces. */
static int new_worker(struct uroce_process *process, int link_fd,
		      struct uroce_worker **ret_worker)
{
	struct uroce_worker *worker = aligned_alloc(
		UROCE_CACHE_LINE, (sizeof(*worker) + UROCE_CACHE_LINE - 1) /
					  UROCE_CACHE_LINE * UROCE_CACHE_LINE);
	struct uroce_engine_config config = { .memory = &process->memory,
					      .chaos = process->chaos,
					      .seed = make_seed() };
	int ret;

	if (!worker)
		return -ENOMEM;
	*worker = (struct uroce_worker){ .process = process };
	list_init(&worker->groups);
	list_init(&worker->full);
	list_init(&worker->moderated);
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
	worker->index = process->nr_workers;
	process->workers[worker->index] = worker;
	uroce_worker_connect_gsi(worker);
	ret = start_helper(worker, link_fd);
	if (ret) {
		free_worker(worker);
		return ret;
	}
	*ret_worker = worker;
	return 0;
}

static void enter_worker(struct uroce_process *process,
			 struct uroce_worker *worker)
{
	uroce_worker_publish_shm(worker);
	/* pairs with the load in uroce_process_nr() */
	__atomic_store_n(&process->nr_workers, process->nr_workers + 1,
			 __ATOMIC_RELEASE);
}

static void free_process(struct uroce_process *process)
{
	if (process->gsi)
		uroce_gsi_free(process->gsi);
	uroce_shares_fini(&process->shares);
	if (process->link_fd >= 0)
		(void)close(process->link_fd);
	uroce_memory_fini(&process->memory);
	free(process->chaos);
	uroce_lock_fini(&process->pass_lock);
	(void)pthread_mutex_destroy(&process->netdev_mutex);
	free(process);
}

int uroce_process_open(const struct uroce_worker_ops *ops,
		       void (*refresh)(struct uroce_process *process),
		       struct uroce_process **ret_process)
{
	struct uroce_process *process = calloc(1, sizeof(*process));
	uint64_t chaos_seed = uroce_config_chaos();
	struct uroce_worker *worker;
	int ret;

	if (!process)
		return -ENOMEM;
	if (chaos_seed) {
		process->chaos = uroce_chaos_new(chaos_seed);
		if (!process->chaos) {
			free(process);
			return -ENOMEM;
		}
	}
	process->ops = ops;
	process->refresh = refresh;
	process->next_pd = 1;
	process->next_context = 1;
	process->max_workers = uroce_config_workers();
	list_init(&process->instances);
	(void)pthread_mutex_init(&process->netdev_mutex, NULL);
	uroce_lock_prepare();
	uroce_lock_init(&process->pass_lock);
	uroce_memory_init(&process->memory, make_seed());
	process->memory.on_change = uroce_process_publish_region;
	process->memory.arg = process;
	uroce_shares_init(&process->shares);
	uroce_shares_open(&process->shares);
	process->link_fd = uroce_link_open();
	uroce_identity_take();
	process->mad_psn = make_seed();
	uroce_process_open_gsi(process);
	ret = new_worker(process, process->link_fd, &worker);
	if (ret) {
		free_process(process);
		return ret;
	}
	enter_worker(process, worker);
	*ret_process = process;
	return 0;
}

void uroce_process_close(struct uroce_process *process)
{
	for (uint32_t i = 0; i < process->nr_workers; i++)
		stop_threads(process->workers[i]);
	for (uint32_t i = 0; i < process->nr_workers; i++)
		free_worker(process->workers[i]);
	free_process(process);
}

/* Whether all processes that reach the first worker will reach this one. */
static bool worker_is_usable(const struct uroce_worker *worker)
{
	const struct uroce_worker *first = worker->process->workers[0];

	return worker->new_port && worker->engine.slot < MAX_SLOT &&
	       !worker->shm == !first->shm;
}

static int add_gids(struct uroce_worker *worker)
{
	struct list_node *pos;
	int ret = 0;

	list_for_each (pos, &worker->process->instances) {
		const struct uroce_instance *instance =
			list_entry(pos, struct uroce_instance, entry);

		if (!ret)
			ret = uroce_worker_add_gids_locked(
				worker, &instance->dev, NULL);
	}
	return ret;
}

static struct uroce_worker *add_worker(struct uroce_process *process)
{
	struct uroce_worker *worker;

	if (new_worker(process, -1, &worker))
		return NULL;
	(void)pthread_mutex_lock(&process->netdev_mutex);
	uroce_process_lock(process);
	uroce_lock_take(&worker->engine_lock);
	if (!worker_is_usable(worker) || add_gids(worker)) {
		uroce_worker_release(worker);
		uroce_process_unlock(process);
		(void)pthread_mutex_unlock(&process->netdev_mutex);
		stop_threads(worker);
		free_worker(worker);
		return NULL;
	}
	enter_worker(process, worker);
	uroce_process_unlock(process);
	(void)pthread_mutex_unlock(&process->netdev_mutex);
	return worker;
}

/* Whether the worker receives packets of the network. */
static bool is_joined(const struct uroce_worker *worker)
{
	/* pairs with the store in publish_port_locked() */
	return __atomic_load_n(&worker->port, __ATOMIC_ACQUIRE);
}

/* A process without UDP port or with other credentials gets no more slots. */
static bool may_add(const struct uroce_process *process)
{
	const struct uroce_worker *first = process->workers[0];

	return !first->dead && is_joined(first) && !uroce_identity_changed();
}

struct uroce_worker *uroce_process_next_worker(struct uroce_process *process,
					       bool *ret_new)
{
	uint32_t index = process->next_worker++ % process->max_workers;
	struct uroce_worker *worker = process->workers[0];

	*ret_new = false;
	if (index < process->nr_workers)
		worker = process->workers[index];
	else if (may_add(process)) {
		worker = add_worker(process);
		*ret_new = worker;
		/* without descriptors, slots or memory: not again */
		if (!worker)
			process->max_workers = process->nr_workers;
	}
	return worker && (*ret_new || is_joined(worker)) ? worker
							 : process->workers[0];
}
