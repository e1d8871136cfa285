/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The server of the handshake, bells, and the death of peers. All sockets are
 * non-blocking, and a client is served when it has sent something, so no client
 * can delay this thread. uroce_pairing.h describes the messages,
 * uroce_local_connect.c which side is the client.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "uroce/ipc/uroce_rendezvous.h"
#include "uroce/shm/uroce_local_state.h"
#include "uroce/shm/uroce_pairing.h"
#include "util/nocancel.h"

#define MAX_EVENTS 32

/* Without room or descriptors for another client no connection is accepted. */
static void set_deaf(struct uroce_local *local, bool deaf)
{
	struct epoll_event event = {
		.events = deaf ? 0 : EPOLLIN,
		.data.u32 = UROCE_SOURCE_LISTENER,
	};

	if (local->deaf == deaf)
		return;
	local->deaf = deaf;
	(void)epoll_ctl(local->epoll, EPOLL_CTL_MOD, local->listener, &event);
}

static void stop_awaiting(struct uroce_local *local, uint32_t slot)
{
	verbs_mutex_lock(&local->mutex);
	local->awaited[slot] = -1;
	uroce_local_tell_locked(local);
	verbs_mutex_unlock(&local->mutex);
}

static void clear_guest(struct uroce_local *local, struct uroce_guest *guest)
{
	*guest = (struct uroce_guest){ .fd = -1 };
	local->nr_guests--;
}

static void drop_guest(struct uroce_local *local, struct uroce_guest *guest)
{
	if (guest->peer)
		stop_awaiting(local, guest->peer->slot);
	(void)close(guest->fd);
	uroce_peer_free(guest->peer);
	clear_guest(local, guest);
}

/*
 * The result for the sender of a hello. While a client with an OK has not
 * confirmed, its confirmation or its end may be unread in the socket: BUSY.
 */
static enum uroce_verdict judge_locked(struct uroce_local *local,
				       const struct uroce_hello *hello,
				       const struct uroce_guest *guest)
{
	uint32_t slot = hello->party.slot;
	struct uroce_peer *old = local->table[slot];

	if (uroce_local_refuses_locked(local, slot, guest->pid))
		return UROCE_VERDICT_REFUSED;
	if (old && old->token == hello->party.token && !uroce_peer_is_gone(old))
		return UROCE_VERDICT_PAIRED;
	if (local->connecting[slot] && local->config.slot < slot)
		return UROCE_VERDICT_BUSY;
	if (local->awaited[slot] >= 0)
		return UROCE_VERDICT_BUSY;
	/*
	 * Two processes cannot have one slot: either the old one is just
	 * ending, or the claim is wrong.
	 */
	if (old && !uroce_peer_is_gone(old))
		return UROCE_VERDICT_BUSY;
	if (old)
		uroce_local_bury_locked(local, old);
	local->awaited[slot] = guest->fd;
	return UROCE_VERDICT_OK;
}

static enum uroce_verdict judge(struct uroce_local *local,
				const struct uroce_hello *hello,
				const struct uroce_guest *guest)
{
	enum uroce_verdict verdict;
	int ret;

	if (hello->party.slot >= UROCE_LOCAL_SLOTS ||
	    hello->party.slot == local->config.slot)
		return UROCE_VERDICT_REFUSED;
	if (!local->config.is_ours(local->config.arg, hello->dgid))
		return UROCE_VERDICT_NOT_MINE;
	ret = uroce_pairing_check_claim(hello->party.slot, guest->pid);
	if (ret)
		return ret == -ETIMEDOUT ? UROCE_VERDICT_BUSY
					 : UROCE_VERDICT_REFUSED;
	verbs_mutex_lock(&local->mutex);
	verdict = judge_locked(local, hello, guest);
	verbs_mutex_unlock(&local->mutex);
	return verdict;
}

/* Sends OK. The client is unconfirmed until it confirms or is dropped. */
static int invite(struct uroce_local *local, struct uroce_guest *guest,
		  const struct uroce_hello *hello,
		  const struct uroce_passed *theirs)
{
	struct uroce_passed ours = { .tables = local->tables.fd };
	struct uroce_peer *peer;
	int inbox, ret;

	ret = uroce_peer_new(local, hello->party.slot, &inbox, &peer);
	if (ret)
		return ret;
	peer->token = hello->party.token;
	peer->pid = guest->pid;
	ours.inbox = inbox;
	ret = uroce_inbox_open_sender(theirs->inbox, &peer->out);
	if (!ret) {
		uroce_peer_look(peer, theirs->tables, local->config.reach_ways);
		ret = uroce_pairing_answer(guest->fd, local->config.slot,
					   local->token, UROCE_VERDICT_OK,
					   &ours);
	}
	(void)close(inbox);
	if (ret) {
		uroce_peer_free(peer);
		return ret;
	}
	guest->peer = peer;
	return 0;
}

static void refuse(struct uroce_local *local, struct uroce_guest *guest,
		   enum uroce_verdict verdict)
{
	/* if the message cannot be sent, the client is rejected all the same */
	(void)uroce_pairing_answer(guest->fd, local->config.slot, local->token,
				   verdict, NULL);
	drop_guest(local, guest);
}

static void hear_hello(struct uroce_local *local, struct uroce_guest *guest)
{
	enum uroce_verdict verdict;
	struct uroce_passed theirs;
	struct uroce_hello hello;
	int ret = uroce_pairing_hear(guest->fd, &hello, &theirs);

	if (ret == -EAGAIN)
		return;
	if (ret) {
		refuse(local, guest, UROCE_VERDICT_REFUSED);
		return;
	}
	verdict = judge(local, &hello, guest);
	if (verdict == UROCE_VERDICT_OK) {
		ret = invite(local, guest, &hello, &theirs);
		if (ret) {
			stop_awaiting(local, hello.party.slot);
			verdict = UROCE_VERDICT_REFUSED;
		}
	}
	uroce_pairing_close(&theirs);
	if (verdict != UROCE_VERDICT_OK)
		refuse(local, guest, verdict);
}

/* Fails if this process has given up since its OK. */
static int enter_locked(struct uroce_local *local, struct uroce_guest *guest)
{
	struct uroce_peer *peer = guest->peer;
	int ret;

	if (uroce_local_refuses_locked(local, peer->slot, guest->pid))
		return -EPERM;
	peer->fd = guest->fd;
	ret = uroce_local_enter_locked(local, peer, EPOLL_CTL_MOD);
	/* the peer owns the socket from now on */
	if (!ret)
		local->awaited[peer->slot] = -1;
	return ret;
}

static void hear_confirmation(struct uroce_local *local,
			      struct uroce_guest *guest)
{
	struct uroce_note note = { .fd = -1 };
	int ret = uroce_pairing_receive(guest->fd, &note);

	if (ret == -EAGAIN)
		return;
	if (note.fd >= 0)
		(void)close(note.fd);
	if (ret || note.what != UROCE_PAIRING_CONFIRM) {
		drop_guest(local, guest);
		return;
	}
	verbs_mutex_lock(&local->mutex);
	ret = enter_locked(local, guest);
	verbs_mutex_unlock(&local->mutex);
	if (ret) {
		guest->peer->fd = -1;
		drop_guest(local, guest);
		return;
	}
	clear_guest(local, guest);
}

static void hear_guest(struct uroce_local *local, struct uroce_guest *guest)
{
	if (guest->fd >= 0 && !guest->peer)
		hear_hello(local, guest);
	if (guest->fd >= 0 && guest->peer)
		hear_confirmation(local, guest);
}

static struct uroce_guest *free_guest(struct uroce_local *local)
{
	for (uint32_t i = 0; i < UROCE_LOCAL_GUESTS; i++)
		if (local->guests[i].fd < 0)
			return &local->guests[i];
	return NULL;
}

static void let_in(struct uroce_local *local, struct uroce_guest *guest, int fd)
{
	*guest = (struct uroce_guest){
		.fd = fd,
		.until_ms = uroce_pairing_now_ms() + local->config.patience_ms,
		.pid = uroce_pairing_peer_pid(fd),
	};
	local->nr_guests++;
	if (fcntl(fd, F_SETFL, O_NONBLOCK) ||
	    uroce_local_watch_fd(local, EPOLL_CTL_ADD, fd, UROCE_SOURCE_GUEST,
				 (uint32_t)(guest - local->guests)))
		drop_guest(local, guest);
	else
		hear_guest(local, guest);
}

static void open_door(struct uroce_local *local)
{
	struct uroce_guest *guest;
	int fd;

	for (int i = 0; i < UROCE_RENDEZVOUS_BATCH; i++) {
		guest = free_guest(local);
		if (!guest) {
			set_deaf(local, true);
			return;
		}
		fd = uroce_rendezvous_accept(local->listener,
					     local->config.patience_ms);
		if (fd >= 0)
			let_in(local, guest, fd);
		if (fd == -EPERM)
			local->rejected = true;
		if (fd == -EMFILE || fd == -ENFILE || fd == -ENOMEM) {
			local->starved = true;
			set_deaf(local, true);
		}
		if (fd < 0 && fd != -EPERM && fd != -ECONNABORTED &&
		    fd != -EINTR)
			return;
	}
}

static void listen_again(struct uroce_local *local)
{
	if (!local->starved && !local->rejected &&
	    local->nr_guests < UROCE_LOCAL_GUESTS)
		set_deaf(local, false);
}

static void hear_peer(struct uroce_local *local, uint32_t slot)
{
	struct uroce_peer *peer;

	verbs_mutex_lock(&local->mutex);
	peer = local->table[slot];
	if (peer && uroce_peer_hear(peer, &local->shares))
		uroce_local_bury_locked(local, peer);
	else if (peer && uroce_mappings_has_news(&peer->mappings))
		/* pairs with the load in see_news() */
		__atomic_fetch_add(&local->news, 1, __ATOMIC_RELEASE);
	verbs_mutex_unlock(&local->mutex);
}

/* The source of an event may be gone; its successor then has no message. */
static void handle(struct uroce_local *local, uint32_t data)
{
	uint32_t index = data & ~(uint32_t)UROCE_SOURCE_MASK;

	switch (data & UROCE_SOURCE_MASK) {
	case UROCE_SOURCE_LISTENER:
		open_door(local);
		break;
	case UROCE_SOURCE_GUEST:
		hear_guest(local, &local->guests[index]);
		break;
	case UROCE_SOURCE_PAIR:
		hear_peer(local, index);
		break;
	}
}

/* A confirmation that a client with an OK has sent counts: it is a pair. */
static void drop_late_guest(struct uroce_local *local,
			    struct uroce_guest *guest)
{
	if (guest->peer)
		hear_confirmation(local, guest);
	if (guest->fd >= 0)
		drop_guest(local, guest);
}

static void drop_late_guests(struct uroce_local *local)
{
	uint64_t now_ms;

	if (!local->nr_guests)
		return;
	now_ms = uroce_pairing_now_ms();
	for (uint32_t i = 0; i < UROCE_LOCAL_GUESTS; i++)
		if (local->guests[i].fd >= 0 &&
		    local->guests[i].until_ms <= now_ms)
			drop_late_guest(local, &local->guests[i]);
}

/* Other users can connect all the time, but only between the pauses. */
void uroce_local_end_pause(struct uroce_local *local)
{
	local->rejected = false;
}

bool uroce_local_serve(struct uroce_local *local)
{
	struct epoll_event events[MAX_EVENTS];
	int nr;

	if (local->abandoned)
		return false;
	/* if there is still no descriptor, the next event tries again */
	local->starved = false;
	listen_again(local);
	do {
		nr = epoll_wait(local->epoll, events, MAX_EVENTS, 0);
		for (int i = 0; i < nr; i++)
			handle(local, events[i].data.u32);
		if (local->rejected)
			set_deaf(local, true);
	} while (nr == MAX_EVENTS);
	drop_late_guests(local);
	listen_again(local);
	return local->rejected;
}
