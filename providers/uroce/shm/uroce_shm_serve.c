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
static void set_deaf(struct uroce_shm *shm, bool deaf)
{
	struct epoll_event event = {
		.events = deaf ? 0 : EPOLLIN,
		.data.u32 = UROCE_SHM_SOURCE_LISTENER,
	};

	if (shm->deaf == deaf)
		return;
	shm->deaf = deaf;
	(void)epoll_ctl(shm->epoll, EPOLL_CTL_MOD, shm->listener, &event);
}

static void stop_awaiting(struct uroce_shm *shm, uint32_t slot)
{
	verbs_mutex_lock(&shm->mutex);
	shm->awaited[slot] = -1;
	uroce_shm_tell_locked(shm);
	verbs_mutex_unlock(&shm->mutex);
}

static void clear_guest(struct uroce_shm *shm, struct uroce_guest *guest)
{
	*guest = (struct uroce_guest){ .fd = -1 };
	shm->nr_guests--;
}

static void drop_guest(struct uroce_shm *shm, struct uroce_guest *guest)
{
	if (guest->peer)
		stop_awaiting(shm, guest->peer->slot);
	(void)close(guest->fd);
	uroce_peer_free(guest->peer);
	clear_guest(shm, guest);
}

/*
 * The result for the sender of a hello. While a client with an OK has not
 * confirmed, its confirmation or its end may be unread in the socket: BUSY.
 */
static enum uroce_verdict
shm_serve_judge_locked(struct uroce_shm *shm, const struct uroce_hello *hello,
		       const struct uroce_guest *guest)
{
	uint32_t slot = hello->party.slot;
	struct uroce_peer *old = shm->table[slot];

	if (uroce_shm_refuses_locked(shm, slot, guest->pid))
		return UROCE_VERDICT_REFUSED;
	if (old && old->token == hello->party.token && !uroce_peer_is_gone(old))
		return UROCE_VERDICT_PAIRED;
	if (shm->connecting[slot] && shm->config.slot < slot)
		return UROCE_VERDICT_BUSY;
	if (shm->awaited[slot] >= 0)
		return UROCE_VERDICT_BUSY;
	/*
	 * Two processes cannot have one slot: either the old one is just
	 * ending, or the claim is wrong.
	 */
	if (old && !uroce_peer_is_gone(old))
		return UROCE_VERDICT_BUSY;
	if (old)
		uroce_shm_bury_locked(shm, old);
	shm->awaited[slot] = guest->fd;
	return UROCE_VERDICT_OK;
}

static enum uroce_verdict judge(struct uroce_shm *shm,
				const struct uroce_hello *hello,
				const struct uroce_guest *guest)
{
	enum uroce_verdict verdict;
	int ret;

	if (hello->party.slot >= UROCE_SHM_SLOTS ||
	    hello->party.slot == shm->config.slot)
		return UROCE_VERDICT_REFUSED;
	if (!shm->config.is_ours(shm->config.arg, hello->dgid))
		return UROCE_VERDICT_NOT_MINE;
	ret = uroce_pairing_check_claim(hello->party.slot, guest->pid);
	if (ret)
		return ret == -EAGAIN ? UROCE_VERDICT_BUSY
				      : UROCE_VERDICT_REFUSED;
	verbs_mutex_lock(&shm->mutex);
	verdict = shm_serve_judge_locked(shm, hello, guest);
	verbs_mutex_unlock(&shm->mutex);
	return verdict;
}

/* Sends OK. The client is unconfirmed until it confirms or is dropped. */
static int invite(struct uroce_shm *shm, struct uroce_guest *guest,
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
	peer->pid = guest->pid;
	ours.ring = ring;
	ret = uroce_shm_ring_open_sender(theirs->ring, &peer->out);
	if (!ret) {
		uroce_peer_look(peer, theirs->directory, shm->config.cma_kinds);
		ret = uroce_pairing_answer(guest->fd, shm->config.slot,
					   shm->token, UROCE_VERDICT_OK, &ours);
	}
	(void)close(ring);
	if (ret) {
		uroce_peer_free(peer);
		return ret;
	}
	guest->peer = peer;
	return 0;
}

static void refuse(struct uroce_shm *shm, struct uroce_guest *guest,
		   enum uroce_verdict verdict)
{
	/* if the message cannot be sent, the client is rejected all the same */
	(void)uroce_pairing_answer(guest->fd, shm->config.slot, shm->token,
				   verdict, NULL);
	drop_guest(shm, guest);
}

static void hear_hello(struct uroce_shm *shm, struct uroce_guest *guest)
{
	enum uroce_verdict verdict;
	struct uroce_passed theirs;
	struct uroce_hello hello;
	int ret = uroce_pairing_hear(guest->fd, &hello, &theirs);

	if (ret == -EAGAIN)
		return;
	if (ret) {
		refuse(shm, guest, UROCE_VERDICT_REFUSED);
		return;
	}
	verdict = judge(shm, &hello, guest);
	if (verdict == UROCE_VERDICT_OK) {
		ret = invite(shm, guest, &hello, &theirs);
		if (ret) {
			stop_awaiting(shm, hello.party.slot);
			verdict = UROCE_VERDICT_REFUSED;
		}
	}
	uroce_pairing_close(&theirs);
	if (verdict != UROCE_VERDICT_OK)
		refuse(shm, guest, verdict);
}

/* Fails if this process has given up since its OK. */
static int enter_locked(struct uroce_shm *shm, struct uroce_guest *guest)
{
	struct uroce_peer *peer = guest->peer;
	int ret;

	if (uroce_shm_refuses_locked(shm, peer->slot, guest->pid))
		return -EPERM;
	peer->fd = guest->fd;
	ret = uroce_shm_enter_locked(shm, peer, EPOLL_CTL_MOD);
	/* the peer owns the socket from now on */
	if (!ret)
		shm->awaited[peer->slot] = -1;
	return ret;
}

static void hear_confirmation(struct uroce_shm *shm, struct uroce_guest *guest)
{
	struct uroce_note note = { .fd = -1 };
	int ret = uroce_pairing_receive(guest->fd, &note);

	if (ret == -EAGAIN)
		return;
	if (note.fd >= 0)
		(void)close(note.fd);
	if (ret || note.what != UROCE_PAIRING_CONFIRM) {
		drop_guest(shm, guest);
		return;
	}
	verbs_mutex_lock(&shm->mutex);
	ret = enter_locked(shm, guest);
	verbs_mutex_unlock(&shm->mutex);
	if (ret) {
		guest->peer->fd = -1;
		drop_guest(shm, guest);
		return;
	}
	clear_guest(shm, guest);
}

static void hear_guest(struct uroce_shm *shm, struct uroce_guest *guest)
{
	if (guest->fd >= 0 && !guest->peer)
		hear_hello(shm, guest);
	if (guest->fd >= 0 && guest->peer)
		hear_confirmation(shm, guest);
}

static struct uroce_guest *free_guest(struct uroce_shm *shm)
{
	for (uint32_t i = 0; i < UROCE_SHM_GUESTS; i++)
		if (shm->guests[i].fd < 0)
			return &shm->guests[i];
	return NULL;
}

static void let_in(struct uroce_shm *shm, struct uroce_guest *guest, int fd)
{
	*guest = (struct uroce_guest){
		.fd = fd,
		.until_ms = uroce_pairing_now_ms() + shm->config.patience_ms,
		.pid = uroce_pairing_peer_pid(fd),
	};
	shm->nr_guests++;
	if (fcntl(fd, F_SETFL, O_NONBLOCK) ||
	    uroce_shm_watch_fd(shm, EPOLL_CTL_ADD, fd, UROCE_SHM_SOURCE_GUEST,
			       (uint32_t)(guest - shm->guests)))
		drop_guest(shm, guest);
	else
		hear_guest(shm, guest);
}

static void open_door(struct uroce_shm *shm)
{
	struct uroce_guest *guest;
	int fd;

	for (int i = 0; i < UROCE_RENDEZVOUS_BATCH; i++) {
		guest = free_guest(shm);
		if (!guest) {
			set_deaf(shm, true);
			return;
		}
		fd = uroce_rendezvous_accept(shm->listener,
					     shm->config.patience_ms);
		if (fd >= 0)
			let_in(shm, guest, fd);
		if (fd == -EPERM)
			shm->rejected = true;
		if (fd == -EMFILE || fd == -ENFILE || fd == -ENOMEM) {
			shm->starved = true;
			set_deaf(shm, true);
		}
		if (fd < 0 && fd != -EPERM && fd != -ECONNABORTED &&
		    fd != -EINTR)
			return;
	}
}

static void listen_again(struct uroce_shm *shm)
{
	if (!shm->starved && !shm->rejected &&
	    shm->nr_guests < UROCE_SHM_GUESTS)
		set_deaf(shm, false);
}

static void hear_peer(struct uroce_shm *shm, uint32_t slot)
{
	struct uroce_peer *peer;

	verbs_mutex_lock(&shm->mutex);
	peer = shm->table[slot];
	if (peer && uroce_peer_hear(peer, &shm->shares))
		uroce_shm_bury_locked(shm, peer);
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
		open_door(shm);
		break;
	case UROCE_SHM_SOURCE_GUEST:
		hear_guest(shm, &shm->guests[index]);
		break;
	case UROCE_SHM_SOURCE_PAIR:
		hear_peer(shm, index);
		break;
	}
}

/* A confirmation that a client with an OK has sent counts: it is a pair. */
static void drop_late_guest(struct uroce_shm *shm, struct uroce_guest *guest)
{
	if (guest->peer)
		hear_confirmation(shm, guest);
	if (guest->fd >= 0)
		drop_guest(shm, guest);
}

static void drop_late_guests(struct uroce_shm *shm)
{
	uint64_t now_ms;

	if (!shm->nr_guests)
		return;
	now_ms = uroce_pairing_now_ms();
	for (uint32_t i = 0; i < UROCE_SHM_GUESTS; i++)
		if (shm->guests[i].fd >= 0 && shm->guests[i].until_ms <= now_ms)
			drop_late_guest(shm, &shm->guests[i]);
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
	shm->starved = false;
	listen_again(shm);
	do {
		nr = epoll_wait(shm->epoll, events, MAX_EVENTS, 0);
		for (int i = 0; i < nr; i++)
			handle(shm, events[i].data.u32);
		if (shm->rejected)
			set_deaf(shm, true);
	} while (nr == MAX_EVENTS);
	drop_late_guests(shm);
	listen_again(shm);
	return shm->rejected;
}
