/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The client of the handshake: get the channel to a process, and become a pair
 * with it if there is none. If that process is connecting to this one, wait for
 * its handshake instead.
 *
 * If two processes connect to each other at the same time, the one with the
 * lower slot continues. The other gets BUSY and waits to be connected to.
 *
 * If they cannot become a pair, the process is remembered as rejected, and is
 * rejected as a client: its QPs must not use a channel while QPs of this
 * process use the network. The exception is a process that has replied that the
 * QP is not its own.
 *
 * The decision is delayed while another thread may change it: a client from
 * there that has received OK may regard the two as a pair, and another thread
 * that connects may be about to confirm. The caller waits for them, even after
 * its own timeout; finally both are cut off, and notice it.
 */
#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "uroce/shm/uroce_pairing.h"
#include "uroce/shm/uroce_shm_state.h"
#include "util/nocancel.h"

/* After a BUSY, connect again after this time if the peer has not. */
#define BUSY_MS 20

/*
 * Timeouts to wait for after the own one: one for a handshake that has just
 * begun, and one for threads of this process to notice its result.
 */
#define MORE_PATIENCES 2

/* Results of one attempt; negative values are errors. */
enum outcome {
	PAIRED, /* the peer is in the table */
	AGAIN,	/* wait until something changes, and look again */
};

static void wait_until_locked(struct uroce_shm *shm, uint64_t until_ms)
	REQUIRES(shm->mutex)
{
	struct timespec until = {
		.tv_sec = (time_t)(until_ms / 1000),
		.tv_nsec = (long)(until_ms % 1000 * 1000000),
	};

	verbs_mutex_timedwait(&shm->mutex, &shm->changed, &until);
}

static int use_locked(struct uroce_peer *peer,
		      struct uroce_channel **ret_channel)
{
	__atomic_fetch_add(&peer->uses, 1, __ATOMIC_RELAXED);
	*ret_channel = &peer->channel;
	return 0;
}

/* This process is at both ends of the ring. */
static int pair_with_self_locked(struct uroce_shm *shm)
{
	struct uroce_peer *peer;
	int ring, ret;

	ret = uroce_peer_new(shm, shm->config.slot, &ring, &peer);
	if (ret)
		return ret;
	ret = uroce_shm_ring_open_sender(ring, &peer->out);
	(void)close(ring);
	peer->self = true;
	peer->token = shm->token;
	peer->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!ret && peer->fd < 0)
		ret = -errno;
	if (!ret)
		ret = uroce_shm_enter_locked(shm, peer, EPOLL_CTL_ADD);
	if (ret)
		uroce_peer_free(peer);
	return ret;
}

static int connect_to_self(struct uroce_shm *shm, const uint8_t *dgid,
			   struct uroce_channel **ret_channel)
{
	uint32_t slot = shm->config.slot;
	int ret = 0;

	if (!shm->config.is_ours(shm->config.arg, dgid))
		return -ENOENT;
	verbs_mutex_lock(&shm->mutex);
	if (uroce_shm_rejects_locked(shm, slot, UROCE_SHM_REJECT_ALL))
		ret = -ENOENT;
	else if (!shm->table[slot])
		ret = pair_with_self_locked(shm);
	/* both QPs of a connection use the network, or neither */
	if (ret && shm->has_network) {
		uroce_shm_reject_locked(shm, slot, UROCE_SHM_REJECT_ALL);
		ret = -ENOENT;
	}
	if (!ret)
		ret = use_locked(shm->table[slot], ret_channel);
	verbs_mutex_unlock(&shm->mutex);
	return ret;
}

static void set_connection(struct uroce_shm *shm, uint32_t slot, int fd)
{
	verbs_mutex_lock(&shm->mutex);
	shm->connections[slot] = fd;
	verbs_mutex_unlock(&shm->mutex);
}

/* Rejects permanently, unless the process has an OK: it may still be a pair. */
static int reject_locked(struct uroce_shm *shm, uint32_t slot, int pid)
{
	if (shm->pending_confirm[slot] >= 0)
		return AGAIN;
	uroce_shm_reject_locked(shm, slot, pid);
	return -ENOENT;
}

/*
 * The client commits last: when the server receives the confirmation, both are
 * a pair. It cannot have given up unless its end is closed. As soon as it
 * knows, it may send messages, and must find the peer in the table.
 */
static int confirm_locked(struct uroce_shm *shm, struct uroce_peer *peer)
{
	int ret = uroce_shm_enter_locked(shm, peer, EPOLL_CTL_ADD);

	if (ret)
		return ret;
	ret = uroce_pairing_send(peer->fd, UROCE_PAIRING_CONFIRM);
	if (ret) {
		uroce_shm_remove_locked(shm, peer);
		/* a peer that is not in the table is looked up again */
		(void)reject_locked(shm, peer->slot, peer->pid);
	}
	/* the peer owns the socket from now on */
	shm->connections[peer->slot] = -1;
	return 0;
}

/* The own ring was created for the hello; the result brings the other one. */
static int accept_ring(struct uroce_shm *shm, const uint8_t *dgid,
		       struct uroce_peer *peer, struct uroce_passed *theirs)
{
	int ret = uroce_shm_ring_open_sender(theirs->ring, &peer->out);

	if (!ret)
		uroce_peer_open_memory(peer, theirs->directory,
				       shm->config.cma_kinds);
	uroce_pairing_close(theirs);
	if (ret)
		return ret;
	uroce_peer_learn_gid(peer, dgid);
	verbs_mutex_lock(&shm->mutex);
	ret = confirm_locked(shm, peer);
	verbs_mutex_unlock(&shm->mutex);
	return ret ? ret : PAIRED;
}

static void learn_gid(struct uroce_shm *shm, const struct uroce_peer *sent,
		      const uint8_t *dgid)
{
	struct uroce_peer *known;

	verbs_mutex_lock(&shm->mutex);
	known = shm->table[sent->slot];
	if (known && known->token == sent->token)
		uroce_peer_learn_gid(known, dgid);
	verbs_mutex_unlock(&shm->mutex);
}

/* Handshake over the socket of @peer, which the table owns if PAIRED. */
static int shm_connect_handshake(struct uroce_shm *shm, struct uroce_peer *peer,
				 int ring, const uint8_t *dgid,
				 uint64_t until_ms)
{
	const struct uroce_passed ours = { ring, shm->directory.fd };
	struct uroce_passed theirs;
	enum uroce_pairing_result result;
	int ret;

	ret = uroce_pairing_request(peer->fd, shm->config.slot, shm->token,
				    dgid, &ours, until_ms, &result,
				    &peer->token, &theirs);
	if (ret)
		return ret;
	switch (result) {
	case UROCE_PAIRING_OK:
		return accept_ring(shm, dgid, peer, &theirs);
	case UROCE_PAIRING_PAIRED:
		learn_gid(shm, peer, dgid);
		return AGAIN;
	case UROCE_PAIRING_BUSY:
		return AGAIN;
	case UROCE_PAIRING_NOT_MINE:
		return -EADDRNOTAVAIL;
	default:
		return -EPROTO;
	}
}

/* With the connection, which is closed unless the result is PAIRED. */
static int run_handshake(struct uroce_shm *shm, uint32_t slot,
			 const uint8_t *dgid, int fd, uint64_t until_ms)
{
	struct uroce_peer *peer;
	int ring, ret;

	ret = uroce_peer_new(shm, slot, &ring, &peer);
	if (ret) {
		set_connection(shm, slot, -1);
		(void)close(fd);
		return ret;
	}
	peer->fd = fd;
	peer->pid = uroce_pairing_peer_pid(fd);
	ret = shm_connect_handshake(shm, peer, ring, dgid, until_ms);
	(void)close(ring);
	if (ret != PAIRED) {
		set_connection(shm, slot, -1);
		uroce_peer_free(peer);
	}
	return ret;
}

/*
 * A pair stays a pair, whatever failed, but @dgid may belong to another
 * process. A pair of which only the other side knows must not be forgotten.
 * Errors of local resources are returned: the application may try again.
 */
static int shm_connect_fail_locked(struct uroce_shm *shm, uint32_t slot,
				   int pid, int ret)
{
	if (ret == -EADDRNOTAVAIL)
		return -ENOENT;
	if (shm->table[slot])
		return PAIRED;
	switch (ret) {
	case -ECONNREFUSED: /* no such process */
		return -ENOENT;
	case -ENOMEM:
	case -EMFILE:
	case -ENFILE:
		return ret;
	default:
		return reject_locked(shm, slot, pid);
	}
}

static int attempt(struct uroce_shm *shm, uint32_t slot, const uint8_t *dgid,
		   uint64_t until_ms, int *ret_pid)
{
	int fd = uroce_pairing_connect(slot, until_ms);
	bool rejected;

	if (fd == -EPERM) /* only another user listens */
		return -ECONNREFUSED;
	if (fd < 0)
		return fd;
	*ret_pid = uroce_pairing_peer_pid(fd);
	verbs_mutex_lock(&shm->mutex);
	shm->connections[slot] = fd;
	rejected = uroce_shm_rejects_locked(shm, slot, *ret_pid);
	verbs_mutex_unlock(&shm->mutex);
	if (!rejected)
		return run_handshake(shm, slot, dgid, fd, until_ms);
	set_connection(shm, slot, -1);
	(void)close(fd);
	return -ECONNREFUSED;
}

/* State of the connection to a slot. */
enum stage {
	FOUND,	 /* a peer that has the GID */
	CONNECT, /* no peer, or its GID is unknown */
	WAIT,	 /* another thread is connecting */
	WAIT_ON, /* likewise, after the timeout */
	TOO_LATE,
};

static uint64_t last_ms(const struct uroce_shm *shm, uint64_t until_ms)
{
	return until_ms + MORE_PATIENCES * (uint64_t)shm->config.patience_ms;
}

/* The serving thread notices that a peer died, and changes the table. */
static enum stage stage_locked(struct uroce_shm *shm, uint32_t slot,
			       const uint8_t *dgid, uint64_t until_ms)
{
	const struct uroce_peer *peer = shm->table[slot];
	bool gone = peer && uroce_peer_is_gone(peer);
	bool busy = shm->connecting[slot] || shm->pending_confirm[slot] >= 0;
	uint64_t now_ms = uroce_pairing_now_ms();

	if (peer && !gone && uroce_peer_knows_gid(peer, dgid))
		return FOUND;
	if (now_ms < until_ms)
		return gone || busy ? WAIT : CONNECT;
	/* a pair stays a pair, whether or not the peer responds */
	if (peer && !gone)
		return FOUND;
	return busy && now_ms < last_ms(shm, until_ms) ? WAIT_ON : TOO_LATE;
}

static void cut_off(int fd)
{
	if (fd >= 0)
		(void)shutdown(fd, SHUT_RDWR);
}

/* After this, neither side can confirm. */
static void give_up_locked(struct uroce_shm *shm, uint32_t slot)
{
	cut_off(shm->connections[slot]);
	cut_off(shm->pending_confirm[slot]);
	uroce_shm_reject_locked(shm, slot, UROCE_SHM_REJECT_ALL);
}

/* After a BUSY: the peer is about to connect. */
static void wait_for_client_locked(struct uroce_shm *shm, uint32_t slot)
	REQUIRES(shm->mutex)
{
	uint64_t until_ms = uroce_pairing_now_ms() + BUSY_MS;
	const struct uroce_peer *before = shm->table[slot];

	while (shm->table[slot] == before && shm->pending_confirm[slot] < 0 &&
	       uroce_pairing_now_ms() < until_ms)
		wait_until_locked(shm, until_ms);
}

/* Unlocks the mutex while it waits for the peer. */
static int connect_locked(struct uroce_shm *shm, uint32_t slot,
			  const uint8_t *dgid, uint64_t until_ms)
	LOCK_ATTRIBUTE(no_thread_safety_analysis)
{
	int pid = UROCE_SHM_REJECT_ALL;
	int ret;

	shm->connecting[slot] = true;
	verbs_mutex_unlock(&shm->mutex);
	ret = attempt(shm, slot, dgid, until_ms, &pid);
	verbs_mutex_lock(&shm->mutex);
	shm->connecting[slot] = false;
	uroce_shm_signal_locked(shm);
	if (ret < 0)
		return shm_connect_fail_locked(shm, slot, pid, ret);
	if (ret == AGAIN)
		wait_for_client_locked(shm, slot);
	return ret;
}

static int find_peer_locked(struct uroce_shm *shm, uint32_t slot,
			    const uint8_t *dgid) REQUIRES(shm->mutex)
{
	uint64_t until_ms = uroce_pairing_now_ms() + shm->config.patience_ms;
	int ret = AGAIN;

	while (ret == AGAIN || (ret == PAIRED && !shm->table[slot])) {
		switch (stage_locked(shm, slot, dgid, until_ms)) {
		case FOUND:
			return 0;
		case CONNECT:
			ret = connect_locked(shm, slot, dgid, until_ms);
			break;
		case WAIT:
			wait_until_locked(shm, until_ms);
			break;
		case WAIT_ON:
			wait_until_locked(shm, last_ms(shm, until_ms));
			break;
		case TOO_LATE:
			give_up_locked(shm, slot);
			return -ENOENT;
		}
	}
	return ret;
}

int uroce_shm_connect(struct uroce_shm *shm, uint32_t slot, const uint8_t *dgid,
		      struct uroce_channel **ret_channel)
{
	int ret;

	if (shm->abandoned || slot >= UROCE_SHM_SLOTS)
		return -ENOENT;
	if (slot == shm->config.slot)
		return connect_to_self(shm, dgid, ret_channel);
	verbs_mutex_lock(&shm->mutex);
	ret = find_peer_locked(shm, slot, dgid);
	if (!ret)
		ret = use_locked(shm->table[slot], ret_channel);
	verbs_mutex_unlock(&shm->mutex);
	return ret;
}
