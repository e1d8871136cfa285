/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Start and end of struct uroce_shm, and what its three parts share:
 * uroce_shm_connect.c is the client of handshakes, uroce_shm_serve.c the
 * server, and uroce_shm_path.c moves packets.
 */
#include "uroce/shm/uroce_shm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "uroce/shm/uroce_pairing.h"
#include "uroce/shm/uroce_shm_ring_layout.h"
#include "uroce/shm/uroce_shm_state.h"
#include "util/nocancel.h"

void uroce_shm_signal_locked(struct uroce_shm *shm)
{
	(void)pthread_cond_broadcast(&shm->changed);
}

int uroce_shm_watch_fd(struct uroce_shm *shm, int op, int fd, uint32_t source,
		       uint32_t index)
{
	struct epoll_event event = {
		.events = EPOLLIN | EPOLLRDHUP,
		.data.u32 = source | index,
	};

	return epoll_ctl(shm->epoll, op, fd, &event) ? -errno : 0;
}

static void push_arrived(struct uroce_shm *shm, struct uroce_peer *peer)
{
	peer->next = __atomic_load_n(&shm->arrived, __ATOMIC_RELAXED);
	/* pairs with the exchange in uroce_shm_path.c */
	while (!__atomic_compare_exchange_n(&shm->arrived, &peer->next, peer,
					    true, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		continue;
	__atomic_fetch_add(&shm->news, 1, __ATOMIC_RELEASE);
}

int uroce_shm_enter_locked(struct uroce_shm *shm, struct uroce_peer *peer,
			   int op)
{
	struct uroce_peer *old = shm->table[peer->slot];
	int ret;

	ret = uroce_shm_watch_fd(shm, op, peer->fd, UROCE_SHM_SOURCE_PAIR,
				 peer->slot);
	if (ret)
		return ret;
	/* a slot belongs to one process */
	if (old)
		uroce_shm_remove_locked(shm, old);
	shm->table[peer->slot] = peer;
	if (peer->remote.memory)
		uroce_shm_directory_publish_peer(&shm->directory, peer->slot,
						 peer->token);
	push_arrived(shm, peer);
	uroce_shm_signal_locked(shm);
	return 0;
}

void uroce_shm_remove_locked(struct uroce_shm *shm, struct uroce_peer *peer)
{
	shm->table[peer->slot] = NULL;
	uroce_shm_directory_publish_peer(&shm->directory, peer->slot, 0);
	(void)epoll_ctl(shm->epoll, EPOLL_CTL_DEL, peer->fd, NULL);
	__atomic_store_n(&peer->dead, true, __ATOMIC_RELAXED);
	/* pairs with the load in see_news() */
	__atomic_fetch_add(&shm->news, 1, __ATOMIC_RELEASE);
	uroce_shm_signal_locked(shm);
}

void uroce_shm_reject_locked(struct uroce_shm *shm, uint32_t slot, int pid)
{
	shm->rejected_pids[slot] = pid;
}

bool uroce_shm_rejects_locked(const struct uroce_shm *shm, uint32_t slot,
			      int pid)
{
	return shm->rejected_pids[slot] == pid ||
	       shm->rejected_pids[slot] == UROCE_SHM_REJECT_ALL;
}

static int init_changed(struct uroce_shm *shm)
{
	pthread_condattr_t attr;
	int ret;

	(void)pthread_mutex_init(&shm->mutex.mutex, NULL);
	ret = pthread_condattr_init(&attr);
	if (ret)
		return -ret;
	(void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	ret = pthread_cond_init(&shm->changed, &attr);
	(void)pthread_condattr_destroy(&attr);
	return -ret;
}

static void init_state(struct uroce_shm *shm,
		       const struct uroce_shm_config *config)
{
	shm->config = *config;
	shm->token = uroce_pairing_token();
	shm->epoll = -1;
	shm->listener = -1;
	uroce_shm_directory_init(&shm->directory);
	list_init(&shm->active);
	list_init(&shm->failed);
	list_init(&shm->reported);
	list_init(&shm->sent);
	for (uint32_t i = 0; i < UROCE_SHM_SLOTS; i++) {
		shm->rejected_pids[i] = UROCE_SHM_REJECT_NONE;
		shm->connections[i] = -1;
		shm->pending_confirm[i] = -1;
	}
	for (uint32_t i = 0; i < UROCE_SHM_CLIENTS; i++)
		shm->clients[i].fd = -1;
}

int uroce_shm_open(const struct uroce_shm_config *config,
		   struct uroce_shm **ret_shm)
{
	/* whole cache lines, so that speed does not depend on the heap */
	size_t size = (sizeof(struct uroce_shm) + UROCE_SHM_RING_LINE - 1) /
		      UROCE_SHM_RING_LINE * UROCE_SHM_RING_LINE;
	struct uroce_shm *shm;
	int ret;

	if (config->slot >= UROCE_SHM_SLOTS)
		return -EINVAL;
	shm = aligned_alloc(UROCE_SHM_RING_LINE, size);
	if (!shm)
		return -ENOMEM;
	memset(shm, 0, size);
	init_state(shm, config);
	ret = init_changed(shm);
	if (ret)
		goto err_free;
	ret = shm->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (ret < 0) {
		ret = -errno;
		goto err_cond;
	}
	ret = shm->listener = uroce_pairing_bind(config->slot);
	if (ret < 0)
		goto err_epoll;
	ret = uroce_shm_watch_fd(shm, EPOLL_CTL_ADD, shm->listener,
				 UROCE_SHM_SOURCE_LISTENER, 0);
	if (ret)
		goto err_listener;
	/* without a directory the responder executes all operations */
	(void)uroce_shm_directory_open(
		&shm->directory, config->cma_kinds ? uroce_pairing_token() : 0);
	*ret_shm = shm;
	return 0;

err_listener:
	(void)close(shm->listener);
err_epoll:
	(void)close(shm->epoll);
err_cond:
	(void)pthread_cond_destroy(&shm->changed);
err_free:
	free(shm);
	return ret;
}

void uroce_shm_set_network(struct uroce_shm *shm)
{
	verbs_mutex_lock(&shm->mutex);
	shm->has_network = true;
	verbs_mutex_unlock(&shm->mutex);
}

/* Each peer that is not freed is in one of four lists. */
static void for_all_peers(struct uroce_shm *shm,
			  void (*fn)(struct uroce_peer *peer))
{
	struct list_node *lists[] = { &shm->active, &shm->failed,
				      &shm->reported };
	struct uroce_peer *peer, *next;
	struct list_node *pos, *tmp;

	for (peer = shm->arrived; peer; peer = next) {
		next = peer->next;
		fn(peer);
	}
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		list_for_each_safe (pos, tmp, lists[i])
			fn(list_entry(pos, struct uroce_peer, node));
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

void uroce_shm_close(struct uroce_shm *shm)
{
	for (uint32_t i = 0; i < UROCE_SHM_CLIENTS; i++) {
		uroce_peer_free(shm->clients[i].peer);
		close_fd(&shm->clients[i].fd);
	}
	for_all_peers(shm, uroce_peer_free);
	uroce_shm_directory_close(&shm->directory);
	close_fd(&shm->listener);
	close_fd(&shm->epoll);
	/* in a child of fork() it seems that threads wait for it */
	if (!shm->abandoned)
		(void)pthread_cond_destroy(&shm->changed);
	free(shm);
}

/*
 * Does not take the mutex, because another thread of the parent may hold it. Of
 * what that thread was about to do, only the sockets matter here.
 */
void uroce_shm_abandon(struct uroce_shm *shm)
{
	shm->abandoned = true;
	uroce_shm_directory_forget(&shm->directory);
	close_fd(&shm->listener);
	close_fd(&shm->epoll);
	for (uint32_t i = 0; i < UROCE_SHM_SLOTS; i++)
		close_fd(&shm->connections[i]);
	for (uint32_t i = 0; i < UROCE_SHM_CLIENTS; i++) {
		close_fd(&shm->clients[i].fd);
		if (shm->clients[i].peer)
			uroce_peer_forget(shm->clients[i].peer);
	}
	for_all_peers(shm, uroce_peer_forget);
	/* no packet arrives any more */
	shm->seen_news = shm->news;
	while (!list_empty(&shm->active)) {
		struct list_node *node = shm->active.next;

		list_del(node);
		list_add_tail(&shm->reported, node);
	}
	while (shm->arrived) {
		struct uroce_peer *peer = shm->arrived;

		shm->arrived = peer->next;
		list_add_tail(&shm->reported, &peer->node);
	}
}

void uroce_shm_share_gone(struct uroce_shm *shm, uint64_t share)
{
	if (shm->abandoned)
		return;
	verbs_mutex_lock(&shm->mutex);
	for (uint32_t i = 0; i < UROCE_SHM_SLOTS; i++)
		if (shm->table[i])
			uroce_peer_share_gone(shm->table[i], share);
	verbs_mutex_unlock(&shm->mutex);
}

int uroce_shm_fd(const struct uroce_shm *shm)
{
	return shm->epoll;
}
