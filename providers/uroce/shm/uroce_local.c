/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Start and end of struct uroce_local, and what its three parts share:
 * uroce_local_connect.c is the client of handshakes, uroce_local_serve.c the
 * server, and uroce_local_path.c moves packets.
 */
#include "uroce/shm/uroce_local.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "uroce/shm/uroce_local_state.h"
#include "uroce/shm/uroce_pairing.h"
#include "util/nocancel.h"

void uroce_local_tell_locked(struct uroce_local *local)
{
	(void)pthread_cond_broadcast(&local->changed);
}

int uroce_local_watch_fd(struct uroce_local *local, int op, int fd,
			 uint32_t source, uint32_t index)
{
	struct epoll_event event = {
		.events = EPOLLIN | EPOLLRDHUP,
		.data.u32 = source | index,
	};

	return epoll_ctl(local->epoll, op, fd, &event) ? -errno : 0;
}

static void push_arrived(struct uroce_local *local, struct uroce_peer *peer)
{
	peer->next = __atomic_load_n(&local->arrived, __ATOMIC_RELAXED);
	/* pairs with the exchange in uroce_local_path.c */
	while (!__atomic_compare_exchange_n(&local->arrived, &peer->next, peer,
					    true, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		continue;
	__atomic_fetch_add(&local->news, 1, __ATOMIC_RELEASE);
}

int uroce_local_enter_locked(struct uroce_local *local, struct uroce_peer *peer,
			     int op)
{
	struct uroce_peer *old = local->table[peer->slot];
	int ret;

	ret = uroce_local_watch_fd(local, op, peer->fd, UROCE_SOURCE_PAIR,
				   peer->slot);
	if (ret)
		return ret;
	/* a slot belongs to one process */
	if (old)
		uroce_local_bury_locked(local, old);
	local->table[peer->slot] = peer;
	push_arrived(local, peer);
	uroce_local_tell_locked(local);
	return 0;
}

void uroce_local_bury_locked(struct uroce_local *local, struct uroce_peer *peer)
{
	local->table[peer->slot] = NULL;
	(void)epoll_ctl(local->epoll, EPOLL_CTL_DEL, peer->fd, NULL);
	__atomic_store_n(&peer->dead, true, __ATOMIC_RELAXED);
	/* pairs with the load in see_news() */
	__atomic_fetch_add(&local->news, 1, __ATOMIC_RELEASE);
	uroce_local_tell_locked(local);
}

void uroce_local_refuse_locked(struct uroce_local *local, uint32_t slot,
			       int pid)
{
	local->refused[slot] = pid;
}

bool uroce_local_refuses_locked(const struct uroce_local *local, uint32_t slot,
				int pid)
{
	return local->refused[slot] == pid ||
	       local->refused[slot] == UROCE_REFUSE_ALL;
}

static int init_changed(struct uroce_local *local)
{
	pthread_condattr_t attr;
	int ret;

	(void)pthread_mutex_init(&local->mutex.mutex, NULL);
	ret = pthread_condattr_init(&attr);
	if (ret)
		return -ret;
	(void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	ret = pthread_cond_init(&local->changed, &attr);
	(void)pthread_condattr_destroy(&attr);
	return -ret;
}

static void init_state(struct uroce_local *local,
		       const struct uroce_local_config *config)
{
	local->config = *config;
	local->token = uroce_pairing_token();
	local->epoll = -1;
	local->listener = -1;
	uroce_tables_init(&local->tables);
	uroce_shares_init(&local->shares);
	list_init(&local->active);
	list_init(&local->lost);
	list_init(&local->told);
	list_init(&local->sent);
	for (uint32_t i = 0; i < UROCE_LOCAL_SLOTS; i++) {
		local->refused[i] = UROCE_REFUSE_NOBODY;
		local->calls[i] = -1;
		local->awaited[i] = -1;
	}
	for (uint32_t i = 0; i < UROCE_LOCAL_GUESTS; i++)
		local->guests[i].fd = -1;
}

int uroce_local_open(const struct uroce_local_config *config,
		     struct uroce_local **ret_local)
{
	struct uroce_local *local;
	int ret;

	if (config->slot >= UROCE_LOCAL_SLOTS)
		return -EINVAL;
	local = calloc(1, sizeof(*local));
	if (!local)
		return -ENOMEM;
	init_state(local, config);
	ret = init_changed(local);
	if (ret)
		goto err_free;
	ret = local->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (ret < 0) {
		ret = -errno;
		goto err_cond;
	}
	ret = local->listener = uroce_pairing_bind(config->slot);
	if (ret < 0)
		goto err_epoll;
	ret = uroce_local_watch_fd(local, EPOLL_CTL_ADD, local->listener,
				   UROCE_SOURCE_LISTENER, 0);
	if (ret)
		goto err_listener;
	/* without a directory or files the responder executes all operations */
	(void)uroce_tables_open(&local->tables,
				config->reach_ways ? uroce_pairing_token() : 0);
	local->shares.maps = uroce_vma_open();
	*ret_local = local;
	return 0;

err_listener:
	(void)close(local->listener);
err_epoll:
	(void)close(local->epoll);
err_cond:
	(void)pthread_cond_destroy(&local->changed);
err_free:
	free(local);
	return ret;
}

void uroce_local_set_network(struct uroce_local *local)
{
	verbs_mutex_lock(&local->mutex);
	local->has_network = true;
	verbs_mutex_unlock(&local->mutex);
}

/* Each peer that is not freed is in one of four lists. */
static void for_all_peers(struct uroce_local *local,
			  void (*fn)(struct uroce_peer *peer))
{
	struct list_node *lists[] = { &local->active, &local->lost,
				      &local->told };
	struct uroce_peer *peer, *next;
	struct list_node *pos, *tmp;

	for (peer = local->arrived; peer; peer = next) {
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

void uroce_local_close(struct uroce_local *local)
{
	for (uint32_t i = 0; i < UROCE_LOCAL_GUESTS; i++) {
		uroce_peer_free(local->guests[i].peer);
		close_fd(&local->guests[i].fd);
	}
	for_all_peers(local, uroce_peer_free);
	uroce_tables_close(&local->tables);
	uroce_shares_fini(&local->shares);
	close_fd(&local->listener);
	close_fd(&local->epoll);
	/* in a child of fork() it seems that threads wait for it */
	if (!local->abandoned)
		(void)pthread_cond_destroy(&local->changed);
	free(local);
}

/*
 * Does not take the mutex, because another thread of the parent may hold it. Of
 * what that thread was about to do, only the sockets matter here.
 */
void uroce_local_abandon(struct uroce_local *local)
{
	local->abandoned = true;
	uroce_tables_forget(&local->tables);
	uroce_shares_fini(&local->shares);
	close_fd(&local->listener);
	close_fd(&local->epoll);
	for (uint32_t i = 0; i < UROCE_LOCAL_SLOTS; i++)
		close_fd(&local->calls[i]);
	for (uint32_t i = 0; i < UROCE_LOCAL_GUESTS; i++) {
		close_fd(&local->guests[i].fd);
		if (local->guests[i].peer)
			uroce_peer_forget(local->guests[i].peer);
	}
	for_all_peers(local, uroce_peer_forget);
	/* no packet arrives any more */
	local->seen_news = local->news;
	while (!list_empty(&local->active)) {
		struct list_node *node = local->active.next;

		list_del(node);
		list_add_tail(&local->told, node);
	}
	while (local->arrived) {
		struct uroce_peer *peer = local->arrived;

		local->arrived = peer->next;
		list_add_tail(&local->told, &peer->node);
	}
}

/* Another thread may have added the file meanwhile. Takes ownership of @fd. */
static uint64_t add_share(struct uroce_local *local,
			  const struct uroce_span *span, uint64_t bytes, int fd,
			  uint64_t file_bytes)
{
	uint64_t share;

	verbs_mutex_lock(&local->mutex);
	share = uroce_shares_use(&local->shares, span, bytes);
	if (!share) {
		share = uroce_shares_add(&local->shares, span, fd, file_bytes);
		if (share)
			fd = -1;
	}
	verbs_mutex_unlock(&local->mutex);
	close_fd(&fd);
	return share;
}

void uroce_local_get_share(struct uroce_local *local, const void *memory,
			   uint64_t bytes, uint64_t *ret_share,
			   uint64_t *ret_offset)
{
	struct uroce_span span;
	uint64_t share, file_bytes;
	int fd;

	if (local->abandoned || local->shares.maps < 0 ||
	    !local->tables.memory ||
	    uroce_vma_find(local->shares.maps, (uintptr_t)memory, bytes, &span))
		return;
	verbs_mutex_lock(&local->mutex);
	share = uroce_shares_use(&local->shares, &span, bytes);
	verbs_mutex_unlock(&local->mutex);
	if (!share) {
		fd = uroce_share_open(&span, &file_bytes);
		if (fd < 0)
			return;
		if (span.offset > file_bytes ||
		    bytes > file_bytes - span.offset)
			close_fd(&fd);
		else
			share = add_share(local, &span, bytes, fd, file_bytes);
	}
	*ret_share = share;
	*ret_offset = share ? span.offset : 0;
}

void uroce_local_put_share(struct uroce_local *local, uint64_t share)
{
	if (!share || local->abandoned)
		return;
	verbs_mutex_lock(&local->mutex);
	if (uroce_shares_put(&local->shares, share))
		for (uint32_t i = 0; i < UROCE_LOCAL_SLOTS; i++)
			if (local->table[i])
				uroce_peer_share_gone(local->table[i], share);
	verbs_mutex_unlock(&local->mutex);
}

int uroce_local_fd(const struct uroce_local *local)
{
	return local->epoll;
}
