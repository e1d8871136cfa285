/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The server of the handshake, bells, and the death of peers. All sockets are
 * non-blocking, and a client is served when it has sent something, so no client
 * can delay this thread. uroce_pairing.h describes the messages,
 * uroce_shm_connect.c which side is the client.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "uroce/ipc/uroce_rendezvous.h"
#include "uroce/shm/uroce_pairing.h"
#include "uroce/shm/uroce_shm_state.h"
#include "util/nocancel.h"

#define MAX_EVENTS 32

/* Without room or descriptors for another client no connection is accepted. */
static void set_paused(struct uroce_shm *shm, bool paused)
{
	struct epoll_event event = {
		.events = paused ? 0 : EPOLLIN,
		.data.u32 = UROCE_SHM_SOURCE_LISTENER,
	};

	if (shm->paused == paused)
		return;
	shm->paused = paused;
	(void)epoll_ctl(shm->epoll, EPOLL_CTL_MOD, shm->listener, &event);
}

static void clear_pending_confirm(struct uroce_shm *shm, uint32_t slot)
{
	verbs_mutex_lock(&shm->mutex);
	shm->pending_confirm[slot] = -1;
	uroce_shm_signal_locked(shm);
	verbs_mutex_unlock(&shm->mutex);
}

static void clear_client(struct uroce_shm *shm, struct uroce_shm_client *client)
{
	*client = (struct uroce_shm_client){ .fd = -1 };
	shm->nr_clients--;
}

static void drop_client(struct uroce_shm *shm, struct uroce_shm_client *client)
{
	if (client->peer)
		clear_pending_confirm(shm, client->peer->slot);
	(void)close(client->fd);
	uroce_peer_free(client->peer);
	clear_client(shm, client);
}

/*
 * The result for the sender of a hello. While a client with an OK has not
 * confirmed, its confirmation or its end may be unread in the socket: BUSY.
 */
static enum uroce_pairing_result
shm_serve_check_hello_locked(struct uroce_shm *shm,
			     const struct uroce_hello *hello,
			     const struct uroce_shm_client *client)
{
	uint32_t slot = hello->party.slot;
	struct uroce_peer *old = shm->table[slot];

	if (uroce_shm_rejects_locked(shm, slot, client->pid))
		return UROCE_PAIRING_REJECTED;
	if (old && old->token == hello->party.token && !uroce_peer_is_gone(old))
		return UROCE_PAIRING_PAIRED;
	if (shm->connecting[slot] && shm->config.slot < slot)
		return UROCE_PAIRING_BUSY;
	if (shm->pending_confirm[slot] >= 0)
		return UROCE_PAIRING_BUSY;
	/*
	 * Two processes cannot have one slot: either the old one is just
	 * ending, or the claim is wrong.
	 */
	if (old && !uroce_peer_is_gone(old))
		return UROCE_PAIRING_BUSY;
	if (old)
		uroce_shm_remove_locked(shm, old);
	shm->pending_confirm[slot] = client->fd;
	return UROCE_PAIRING_OK;
}

static enum uroce_pairing_result
check_hello(struct uroce_shm *shm, const struct uroce_hello *hello,
	    const struct uroce_shm_client *client)
{
	enum uroce_pairing_result result;
	int ret;

	if (hello->party.slot >= UROCE_SHM_SLOTS ||
	    hello->party.slot == shm->config.slot)
		return UROCE_PAIRING_REJECTED;
	if (!shm->config.is_ours(shm->config.arg, hello->dgid))
		return UROCE_PAIRING_NOT_MINE;
	ret = uroce_pairing_check_claim(hello->party.slot, client->pid);
	if (ret)
		return ret == -EAGAIN ? UROCE_PAIRING_BUSY
				      : UROCE_PAIRING_REJECTED;
	verbs_mutex_lock(&shm->mutex);
	result = shm_serve_check_hello_locked(shm, hello, client);
	verbs_mutex_unlock(&shm->mutex);
	return result;
}

/* Sends OK. The client is unconfirmed until it confirms or is dropped. */
static int serve_accept(struct uroce_shm *shm, struct uroce_shm_client *client,
			const struct uroce_hello *hello,
			const struct uroce_passed *theirs)
{
	struct uroce_passed ours = { .directory = shm->directory.fd };
	struct uroce_peer *peer;
	int ring, ret;

	ret = uroce_peer_new(shm, hello->party.slot, &ring, &peer);
	if (ret)
		return ret;
	peer->token = hello->party.token;
	peer->pid = client->pid;
	ours.ring = ring;
	ret = uroce_shm_ring_open_sender(theirs->ring, &peer->out);
	if (!ret) {
		uroce_peer_open_memory(peer, theirs->directory,
				       shm->config.cma_kinds);
		ret = uroce_pairing_respond(client->fd, shm->config.slot,
					    shm->token, UROCE_PAIRING_OK,
					    &ours);
	}
	(void)close(ring);
	if (ret) {
		uroce_peer_free(peer);
		return ret;
	}
	client->peer = peer;
	return 0;
}

static void reject_client(struct uroce_shm *shm,
			  struct uroce_shm_client *client,
			  enum uroce_pairing_result result)
{
	/* if the message cannot be sent, the client is rejected all the same */
	(void)uroce_pairing_respond(client->fd, shm->config.slot, shm->token,
				    result, NULL);
	drop_client(shm, client);
}

static void receive_hello(struct uroce_shm *shm,
			  struct uroce_shm_client *client)
{
	enum uroce_pairing_result result;
	struct uroce_passed theirs;
	struct uroce_hello hello;
	int ret = uroce_pairing_receive_hello(client->fd, &hello, &theirs);

	if (ret == -EAGAIN)
		return;
	if (ret) {
		reject_client(shm, client, UROCE_PAIRING_REJECTED);
		return;
	}
	result = check_hello(shm, &hello, client);
	if (result == UROCE_PAIRING_OK) {
		ret = serve_accept(shm, client, &hello, &theirs);
		if (ret) {
			clear_pending_confirm(shm, hello.party.slot);
			result = UROCE_PAIRING_REJECTED;
		}
	}
	uroce_pairing_close(&theirs);
	if (result != UROCE_PAIRING_OK)
		reject_client(shm, client, result);
}

/* Fails if this process has given up since its OK. */
static int enter_locked(struct uroce_shm *shm, struct uroce_shm_client *client)
{
	struct uroce_peer *peer = client->peer;
	int ret;

	if (uroce_shm_rejects_locked(shm, peer->slot, client->pid))
		return -EPERM;
	peer->fd = client->fd;
	ret = uroce_shm_enter_locked(shm, peer, EPOLL_CTL_MOD);
	/* the peer owns the socket from now on */
	if (!ret)
		shm->pending_confirm[peer->slot] = -1;
	return ret;
}

static void receive_confirmation(struct uroce_shm *shm,
				 struct uroce_shm_client *client)
{
	struct uroce_pair_message note = { .fd = -1 };
	int ret = uroce_pairing_receive(client->fd, &note);

	if (ret == -EAGAIN)
		return;
	if (note.fd >= 0)
		(void)close(note.fd);
	if (ret || note.what != UROCE_PAIRING_CONFIRM) {
		drop_client(shm, client);
		return;
	}
	verbs_mutex_lock(&shm->mutex);
	ret = enter_locked(shm, client);
	verbs_mutex_unlock(&shm->mutex);
	if (ret) {
		client->peer->fd = -1;
		drop_client(shm, client);
		return;
	}
	clear_client(shm, client);
}

static void receive_from_client(struct uroce_shm *shm,
				struct uroce_shm_client *client)
{
	if (client->fd >= 0 && !client->peer)
		receive_hello(shm, client);
	if (client->fd >= 0 && client->peer)
		receive_confirmation(shm, client);
}

static struct uroce_shm_client *free_client(struct uroce_shm *shm)
{
	for (uint32_t i = 0; i < UROCE_SHM_CLIENTS; i++)
		if (shm->clients[i].fd < 0)
			return &shm->clients[i];
	return NULL;
}

static void add_client(struct uroce_shm *shm, struct uroce_shm_client *client,
		       int fd)
{
	*client = (struct uroce_shm_client){
		.fd = fd,
		.until_ms = uroce_pairing_now_ms() + shm->config.patience_ms,
		.pid = uroce_pairing_peer_pid(fd),
	};
	shm->nr_clients++;
	if (fcntl(fd, F_SETFL, O_NONBLOCK) ||
	    uroce_shm_watch_fd(shm, EPOLL_CTL_ADD, fd, UROCE_SHM_SOURCE_CLIENT,
			       (uint32_t)(client - shm->clients)))
		drop_client(shm, client);
	else
		receive_from_client(shm, client);
}

static void accept_clients(struct uroce_shm *shm)
{
	struct uroce_shm_client *client;
	int fd;

	for (int i = 0; i < UROCE_RENDEZVOUS_BATCH; i++) {
		client = free_client(shm);
		if (!client) {
			set_paused(shm, true);
			return;
		}
		fd = uroce_rendezvous_accept(shm->listener,
					     shm->config.patience_ms);
		if (fd >= 0)
			add_client(shm, client, fd);
		if (fd == -EPERM)
			shm->rejected = true;
		if (fd == -EMFILE || fd == -ENFILE || fd == -ENOMEM) {
			shm->out_of_fds = true;
			set_paused(shm, true);
		}
		if (fd < 0 && fd != -EPERM && fd != -ECONNABORTED &&
		    fd != -EINTR)
			return;
	}
}

static void listen_again(struct uroce_shm *shm)
{
	if (!shm->out_of_fds && !shm->rejected &&
	    shm->nr_clients < UROCE_SHM_CLIENTS)
		set_paused(shm, false);
}

static void receive_from_peer(struct uroce_shm *shm, uint32_t slot)
{
	struct uroce_peer *peer;

	verbs_mutex_lock(&shm->mutex);
	peer = shm->table[slot];
	if (peer && uroce_peer_receive(peer, shm->config.shares))
		uroce_shm_remove_locked(shm, peer);
	else if (peer && uroce_mappings_has_news(&peer->mappings))
		/* pairs with the load in see_news() */
		__atomic_fetch_add(&shm->news, 1, __ATOMIC_RELEASE);
	verbs_mutex_unlock(&shm->mutex);
}

/* The source of an event may be gone; its successor then has no message. */
static void handle(struct uroce_shm *shm, uint32_t data)
{
	uint32_t index = data & ~(uint32_t)UROCE_SHM_SOURCE_MASK;

	switch (data & UROCE_SHM_SOURCE_MASK) {
	case UROCE_SHM_SOURCE_LISTENER:
		accept_clients(shm);
		break;
	case UROCE_SHM_SOURCE_CLIENT:
		receive_from_client(shm, &shm->clients[index]);
		break;
	case UROCE_SHM_SOURCE_PAIR:
		receive_from_peer(shm, index);
		break;
	}
}

/* A confirmation that a client with an OK has sent counts: it is a pair. */
static void drop_late_client(struct uroce_shm *shm,
			     struct uroce_shm_client *client)
{
	if (client->peer)
		receive_confirmation(shm, client);
	if (client->fd >= 0)
		drop_client(shm, client);
}

static void drop_late_clients(struct uroce_shm *shm)
{
	uint64_t now_ms;

	if (!shm->nr_clients)
		return;
	now_ms = uroce_pairing_now_ms();
	for (uint32_t i = 0; i < UROCE_SHM_CLIENTS; i++)
		if (shm->clients[i].fd >= 0 &&
		    shm->clients[i].until_ms <= now_ms)
			drop_late_client(shm, &shm->clients[i]);
}

/* Other users can connect all the time, but only between the pauses. */
void uroce_shm_end_pause(struct uroce_shm *shm)
{
	shm->rejected = false;
}

bool uroce_shm_serve(struct uroce_shm *shm)
{
	struct epoll_event events[MAX_EVENTS];
	int nr;

	if (shm->abandoned)
		return false;
	/* if there is still no descriptor, the next event tries again */
	shm->out_of_fds = false;
	listen_again(shm);
	do {
		nr = epoll_wait(shm->epoll, events, MAX_EVENTS, 0);
		for (int i = 0; i < nr; i++)
			handle(shm, events[i].data.u32);
		if (shm->rejected)
			set_paused(shm, true);
	} while (nr == MAX_EVENTS);
	drop_late_clients(shm);
	listen_again(shm);
	return shm->rejected;
}
