/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * We want a channel to another process. If there is none we ask it to pair up,
 * as its guest; unless it is just asking us, then that is waited for.
 *
 * Two that ask each other at the same time: the one with the lower slot goes
 * on, the other one is told that it is BUSY and waits to be asked.
 *
 * If they cannot pair up the process is remembered as one that is no pair with
 * us, and is refused when it asks: its QPs must not be bound to a channel when
 * ours use the network. Not so where it has told us that the QP is not its.
 *
 * That is not decided while somebody else is at it: a guest from there that has
 * our OK may be a pair for itself already, and another thread that asks may be
 * about to say so. They are waited for, after our patience as well; in the end
 * they are cut off, and know.
 */
#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "uroce/local/uroce_local_state.h"
#include "uroce/local/uroce_pairing.h"
#include "util/nocancel.h"

/* So long after a BUSY it is asked again, should it not ask us. */
#define BUSY_MS 20

/*
 * When ours is over: one for who has just begun, and one for our own threads to
 * hear what he has said.
 */
#define MORE_PATIENCES 2

/* What one question has led to; negative values are errors. */
enum outcome {
	PAIRED, /* the peer is in the table */
	AGAIN,	/* wait until something changes, and look again */
};

static void wait_until_locked(struct uroce_local *local, uint64_t until_ms)
	REQUIRES(local->mutex)
{
	struct timespec until = {
		.tv_sec = (time_t)(until_ms / 1000),
		.tv_nsec = (long)(until_ms % 1000 * 1000000),
	};

	verbs_mutex_timedwait(&local->mutex, &local->changed, &until);
}

static int use_locked(struct uroce_peer *peer,
		      struct uroce_channel **ret_channel)
{
	__atomic_fetch_add(&peer->uses, 1, __ATOMIC_RELAXED);
	*ret_channel = &peer->channel;
	return 0;
}

/* We are at both ends of the inbox. */
static int pair_with_self_locked(struct uroce_local *local)
{
	struct uroce_peer *peer;
	int inbox, ret;

	ret = uroce_peer_new(local, local->config.slot, &inbox, &peer);
	if (ret)
		return ret;
	ret = uroce_inbox_open_sender(inbox, &peer->out);
	(void)close(inbox);
	peer->self = true;
	peer->token = local->token;
	peer->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!ret && peer->fd < 0)
		ret = -errno;
	if (!ret)
		ret = uroce_local_enter_locked(local, peer, EPOLL_CTL_ADD);
	if (ret)
		uroce_peer_free(peer);
	return ret;
}

static int connect_to_self(struct uroce_local *local, const uint8_t *dgid,
			   struct uroce_channel **ret_channel)
{
	uint32_t slot = local->config.slot;
	int ret = 0;

	if (!local->config.is_ours(local->config.arg, dgid))
		return -ENOENT;
	verbs_mutex_lock(&local->mutex);
	if (uroce_local_refuses_locked(local, slot, UROCE_REFUSE_ALL))
		ret = -ENOENT;
	else if (!local->table[slot])
		ret = pair_with_self_locked(local);
	/* both QPs of a connection use the network, or neither */
	if (ret && local->has_network) {
		uroce_local_refuse_locked(local, slot, UROCE_REFUSE_ALL);
		ret = -ENOENT;
	}
	if (!ret)
		ret = use_locked(local->table[slot], ret_channel);
	verbs_mutex_unlock(&local->mutex);
	return ret;
}

static void set_call(struct uroce_local *local, uint32_t slot, int fd)
{
	verbs_mutex_lock(&local->mutex);
	local->calls[slot] = fd;
	verbs_mutex_unlock(&local->mutex);
}

/* For good, but not while it has our OK: then it may still become a pair. */
static int refuse_locked(struct uroce_local *local, uint32_t slot, int pid)
{
	if (local->awaited[slot] >= 0)
		return AGAIN;
	uroce_local_refuse_locked(local, slot, pid);
	return -ENOENT;
}

/*
 * The last word is ours: when the other side gets it, it is a pair for both. It
 * cannot have lost patience unless its end is closed. As soon as it knows it
 * may ask us something, and must find the peer in the table.
 */
static int confirm_locked(struct uroce_local *local, struct uroce_peer *peer)
{
	int ret = uroce_local_enter_locked(local, peer, EPOLL_CTL_ADD);

	if (ret)
		return ret;
	ret = uroce_pairing_send(peer->fd, UROCE_PAIRING_CONFIRM);
	if (ret) {
		uroce_local_bury_locked(local, peer);
		/* who is not in the table is looked for again */
		(void)refuse_locked(local, peer->slot, peer->pid);
	}
	/* from now on it is the peer's, and closed with it */
	local->calls[peer->slot] = -1;
	return 0;
}

/* Our inbox was made for the question, theirs comes with the answer. */
static int accept_inbox(struct uroce_local *local, const uint8_t *dgid,
			struct uroce_peer *peer, struct uroce_passed *theirs)
{
	int ret = uroce_inbox_open_sender(theirs->inbox, &peer->out);

	if (!ret)
		uroce_peer_look(peer, theirs->tables, local->config.reach_ways);
	uroce_pairing_close(theirs);
	if (ret)
		return ret;
	uroce_peer_learn_gid(peer, dgid);
	verbs_mutex_lock(&local->mutex);
	ret = confirm_locked(local, peer);
	verbs_mutex_unlock(&local->mutex);
	return ret ? ret : PAIRED;
}

static void learn_gid(struct uroce_local *local, const struct uroce_peer *told,
		      const uint8_t *dgid)
{
	struct uroce_peer *known;

	verbs_mutex_lock(&local->mutex);
	known = local->table[told->slot];
	if (known && known->token == told->token)
		uroce_peer_learn_gid(known, dgid);
	verbs_mutex_unlock(&local->mutex);
}

/* Asks over the socket of @peer, which is the table's if it is PAIRED. */
static int ask(struct uroce_local *local, struct uroce_peer *peer, int inbox,
	       const uint8_t *dgid, uint64_t until_ms)
{
	const struct uroce_passed ours = { inbox, local->tables.fd };
	struct uroce_passed theirs;
	enum uroce_verdict verdict;
	int ret;

	ret = uroce_pairing_ask(peer->fd, local->config.slot, local->token,
				dgid, &ours, until_ms, &verdict, &peer->token,
				&theirs);
	if (ret)
		return ret;
	switch (verdict) {
	case UROCE_VERDICT_OK:
		return accept_inbox(local, dgid, peer, &theirs);
	case UROCE_VERDICT_PAIRED:
		learn_gid(local, peer, dgid);
		return AGAIN;
	case UROCE_VERDICT_BUSY:
		return AGAIN;
	case UROCE_VERDICT_NOT_MINE:
		return -EADDRNOTAVAIL;
	default:
		return -EPROTO;
	}
}

/* With the connection, which is closed unless it is PAIRED. */
static int talk(struct uroce_local *local, uint32_t slot, const uint8_t *dgid,
		int fd, uint64_t until_ms)
{
	struct uroce_peer *peer;
	int inbox, ret;

	ret = uroce_peer_new(local, slot, &inbox, &peer);
	if (ret) {
		set_call(local, slot, -1);
		(void)close(fd);
		return ret;
	}
	peer->fd = fd;
	peer->pid = uroce_pairing_peer_pid(fd);
	ret = ask(local, peer, inbox, dgid, until_ms);
	(void)close(inbox);
	if (ret != PAIRED) {
		set_call(local, slot, -1);
		uroce_peer_free(peer);
	}
	return ret;
}

/*
 * A pair stays one, whatever went wrong, but a QP that is not its own is not.
 * Not to have a pair, with the other side not knowing, must not be forgotten.
 * Of our own shortages the application is told, and may try again.
 */
static int judge_locked(struct uroce_local *local, uint32_t slot, int pid,
			int ret)
{
	if (ret == -EADDRNOTAVAIL)
		return -ENOENT;
	if (local->table[slot])
		return PAIRED;
	switch (ret) {
	case -ECONNREFUSED: /* there is nobody */
		return -ENOENT;
	case -ENOMEM:
	case -EMFILE:
	case -ENFILE:
		return ret;
	default:
		return refuse_locked(local, slot, pid);
	}
}

static int attempt(struct uroce_local *local, uint32_t slot,
		   const uint8_t *dgid, uint64_t until_ms, int *ret_pid)
{
	int fd = uroce_pairing_call(slot, until_ms);
	bool refused;

	if (fd == -EPERM) /* it is another user's: nobody of ours */
		return -ECONNREFUSED;
	if (fd < 0)
		return fd;
	*ret_pid = uroce_pairing_peer_pid(fd);
	verbs_mutex_lock(&local->mutex);
	local->calls[slot] = fd;
	refused = uroce_local_refuses_locked(local, slot, *ret_pid);
	verbs_mutex_unlock(&local->mutex);
	if (!refused)
		return talk(local, slot, dgid, fd, until_ms);
	set_call(local, slot, -1);
	(void)close(fd);
	return -ECONNREFUSED;
}

/* Where we are with a slot. */
enum stage {
	FOUND,	 /* there is a peer, which has that GID */
	ASK,	 /* there is none, or we do not know */
	WAIT,	 /* somebody else is at it */
	WAIT_ON, /* likewise, and our patience is over */
	TOO_LATE,
};

static uint64_t last_ms(const struct uroce_local *local, uint64_t until_ms)
{
	return until_ms + MORE_PATIENCES * (uint64_t)local->config.patience_ms;
}

/* The thread that serves sees who is gone, and we hear of that. */
static enum stage stage_locked(struct uroce_local *local, uint32_t slot,
			       const uint8_t *dgid, uint64_t until_ms)
{
	const struct uroce_peer *peer = local->table[slot];
	bool gone = peer && uroce_peer_is_gone(peer);
	bool busy = local->connecting[slot] || local->awaited[slot] >= 0;
	uint64_t now_ms = uroce_pairing_now_ms();

	if (peer && !gone && uroce_peer_knows_gid(peer, dgid))
		return FOUND;
	if (now_ms < until_ms)
		return gone || busy ? WAIT : ASK;
	/* a pair stays one, whether or not it answers */
	if (peer && !gone)
		return FOUND;
	return busy && now_ms < last_ms(local, until_ms) ? WAIT_ON : TOO_LATE;
}

static void cut_off(int fd)
{
	if (fd >= 0)
		(void)shutdown(fd, SHUT_RDWR);
}

/* Nothing can be confirmed any more, by either side. */
static void give_up_locked(struct uroce_local *local, uint32_t slot)
{
	cut_off(local->calls[slot]);
	cut_off(local->awaited[slot]);
	uroce_local_refuse_locked(local, slot, UROCE_REFUSE_ALL);
}

/* After a BUSY: it is about to ask us. */
static void wait_for_guest_locked(struct uroce_local *local, uint32_t slot)
	REQUIRES(local->mutex)
{
	uint64_t until_ms = uroce_pairing_now_ms() + BUSY_MS;
	const struct uroce_peer *before = local->table[slot];

	while (local->table[slot] == before && local->awaited[slot] < 0 &&
	       uroce_pairing_now_ms() < until_ms)
		wait_until_locked(local, until_ms);
}

/* Gives the mutex back while it waits for the other side. */
static int ask_locked(struct uroce_local *local, uint32_t slot,
		      const uint8_t *dgid, uint64_t until_ms)
	LOCK_ATTRIBUTE(no_thread_safety_analysis)
{
	int pid = UROCE_REFUSE_ALL;
	int ret;

	local->connecting[slot] = true;
	verbs_mutex_unlock(&local->mutex);
	ret = attempt(local, slot, dgid, until_ms, &pid);
	verbs_mutex_lock(&local->mutex);
	local->connecting[slot] = false;
	uroce_local_tell_locked(local);
	if (ret < 0)
		return judge_locked(local, slot, pid, ret);
	if (ret == AGAIN)
		wait_for_guest_locked(local, slot);
	return ret;
}

static int find_peer_locked(struct uroce_local *local, uint32_t slot,
			    const uint8_t *dgid) REQUIRES(local->mutex)
{
	uint64_t until_ms = uroce_pairing_now_ms() + local->config.patience_ms;
	int ret = AGAIN;

	while (ret == AGAIN || (ret == PAIRED && !local->table[slot])) {
		switch (stage_locked(local, slot, dgid, until_ms)) {
		case FOUND:
			return 0;
		case ASK:
			ret = ask_locked(local, slot, dgid, until_ms);
			break;
		case WAIT:
			wait_until_locked(local, until_ms);
			break;
		case WAIT_ON:
			wait_until_locked(local, last_ms(local, until_ms));
			break;
		case TOO_LATE:
			give_up_locked(local, slot);
			return -ENOENT;
		}
	}
	return ret;
}

int uroce_local_connect(struct uroce_local *local, uint32_t slot,
			const uint8_t *dgid, struct uroce_channel **ret_channel)
{
	int ret;

	if (local->abandoned || slot >= UROCE_LOCAL_SLOTS)
		return -ENOENT;
	if (slot == local->config.slot)
		return connect_to_self(local, dgid, ret_channel);
	verbs_mutex_lock(&local->mutex);
	ret = find_peer_locked(local, slot, dgid);
	if (!ret)
		ret = use_locked(local->table[slot], ret_channel);
	verbs_mutex_unlock(&local->mutex);
	return ret;
}
