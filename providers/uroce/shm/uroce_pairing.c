/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Encoding, decoding and checks of handshake messages. Called by
 * uroce_shm_connect.c (client) and uroce_shm_serve.c (server).
 */
#include "uroce/shm/uroce_pairing.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "uroce/ipc/uroce_rendezvous.h"
#include "uroce/roce/uroce_channel.h"
#include "uroce/shm/uroce_shm_ring.h"
#include "util/clock.h"
#include "util/nocancel.h"

/*
 * Changes with the layout of rings or MR directories and with the messages.
 */
#define VERSION 11
#define BACKLOG 256 /* clients: every other process */
#define MAGIC	(UINT64_C(0x75726f63652d6c00) + VERSION)

uint64_t uroce_pairing_token(void)
{
	uint64_t token;

	if (getrandom(&token, sizeof(token), GRND_NONBLOCK) == sizeof(token))
		return token;
	return (uint64_t)getpid() << 32 ^ uroce_pairing_now_ms();
}

int uroce_pairing_peer_pid(int fd)
{
	struct ucred peer = {};
	socklen_t len = sizeof(peer);

	(void)getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len);
	return peer.pid;
}

static struct uroce_pairing_party make_party(uint32_t slot, uint64_t token)
{
	return (struct uroce_pairing_party){
		.magic = MAGIC,
		.nr_slots = UROCE_SHM_RING_ENTRIES,
		.area = UROCE_SHM_RING_AREA,
		.mtu = UROCE_CHANNEL_MTU,
		.slot = slot,
		.token = token,
	};
}

static bool is_like_us(const struct uroce_pairing_party *party)
{
	return party->magic == MAGIC &&
	       party->nr_slots == UROCE_SHM_RING_ENTRIES &&
	       party->area == UROCE_SHM_RING_AREA &&
	       party->mtu == UROCE_CHANNEL_MTU;
}

void uroce_pairing_close(struct uroce_passed *passed)
{
	if (passed->ring >= 0)
		(void)close(passed->ring);
	if (passed->directory >= 0)
		(void)close(passed->directory);
	*passed = (struct uroce_passed){ .ring = -1, .directory = -1 };
}

/*
 * One descriptor is a ring, two are ring and directory; others are closed.
 */
static struct uroce_passed sort_out(const int *fds, int nr)
{
	struct uroce_passed passed = { .ring = -1, .directory = -1 };

	if (nr == 1 || nr == 2) {
		passed.ring = fds[0];
		passed.directory = nr == 2 ? fds[1] : -1;
		return passed;
	}
	while (nr > 0)
		(void)close(fds[--nr]);
	return passed;
}

static int send_with(int fd, const void *message, size_t len,
		     const struct uroce_passed *passed)
{
	const int fds[] = { passed ? passed->ring : -1,
			    passed ? passed->directory : -1 };
	uint32_t nr = passed ? 1 + (passed->directory >= 0) : 0;

	return uroce_message_send(fd, message, len, fds, nr);
}

static int receive_result(int fd, enum uroce_pairing_result *ret_result,
			  uint64_t *ret_token, struct uroce_passed *ret_theirs)
{
	struct uroce_pairing_result_message message;
	int fds[UROCE_MAX_PASSED];
	struct uroce_passed passed;
	int nr;

	nr = uroce_message_receive(fd, &message, sizeof(message), fds);
	if (nr < 0)
		return nr;
	passed = sort_out(fds, nr);
	if (!is_like_us(&message.party) ||
	    message.result > UROCE_PAIRING_REJECTED ||
	    (message.result == UROCE_PAIRING_OK) != (passed.ring >= 0)) {
		uroce_pairing_close(&passed);
		return -EPROTO;
	}
	*ret_result = (enum uroce_pairing_result)message.result;
	*ret_token = message.party.token;
	*ret_theirs = passed;
	return 0;
}

uint64_t uroce_pairing_now_ms(void)
{
	return verbs_now_ns() / VERBS_NS_PER_MS;
}

static unsigned int left_of(uint64_t until_ms)
{
	uint64_t now_ms = uroce_pairing_now_ms();

	return now_ms < until_ms ? (unsigned int)(until_ms - now_ms) : 0;
}

static int wait_for_answer(int fd, uint64_t until_ms)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	int nr;

	do {
		nr = poll(&poll_fd, 1, (int)left_of(until_ms));
	} while (nr < 0 && errno == EINTR);
	if (nr < 0)
		return -errno;
	return nr ? 0 : -ETIMEDOUT;
}

int uroce_pairing_bind(uint32_t slot)
{
	int fd, ret;

	fd = uroce_rendezvous_bind(UROCE_NAME_LOCAL, slot);
	if (fd >= 0 && listen(fd, BACKLOG)) {
		ret = -errno;
		(void)close(fd);
		return ret;
	}
	return fd;
}

int uroce_pairing_connect(uint32_t server_slot, uint64_t until_ms)
{
	unsigned int timeout_ms = left_of(until_ms);
	int fd;

	/* 0 would be a non-blocking socket */
	fd = uroce_rendezvous_connect(UROCE_NAME_LOCAL, server_slot,
				      timeout_ms ? timeout_ms : 1);
	return fd == -EAGAIN ? -ETIMEDOUT : fd;
}

/*
 * Only the process that has the slot can listen at its name. The connection is
 * closed at once, which that process takes for a client that gave up. It needs
 * no proof of the user, which the sender of the hello has given, and must not
 * wait for one: the other process may be checking the slot of this one.
 */
int uroce_pairing_check_claim(uint32_t slot, int pid)
{
	int fd = uroce_rendezvous_connect(UROCE_NAME_LOCAL, slot, 0);
	int listener_pid;

	if (fd < 0)
		return fd == -EAGAIN ? fd : -EPERM;
	listener_pid = uroce_pairing_peer_pid(fd);
	(void)close(fd);
	return listener_pid == pid ? 0 : -EPERM;
}

int uroce_pairing_request(int fd, uint32_t slot, uint64_t token,
			  const uint8_t *dgid, const struct uroce_passed *ours,
			  uint64_t until_ms,
			  enum uroce_pairing_result *ret_result,
			  uint64_t *ret_token, struct uroce_passed *ret_theirs)
{
	struct uroce_hello hello = { .party = make_party(slot, token) };
	int ret;

	memcpy(hello.dgid, dgid, UROCE_GID_LEN);
	ret = send_with(fd, &hello, sizeof(hello), ours);
	if (!ret)
		ret = wait_for_answer(fd, until_ms);
	if (!ret)
		ret = receive_result(fd, ret_result, ret_token, ret_theirs);
	return ret;
}

int uroce_pairing_receive_hello(int fd, struct uroce_hello *ret_hello,
				struct uroce_passed *ret_theirs)
{
	int fds[UROCE_MAX_PASSED];
	struct uroce_passed passed;
	struct uroce_hello hello;
	int nr;

	nr = uroce_message_receive(fd, &hello, sizeof(hello), fds);
	if (nr < 0)
		return nr;
	passed = sort_out(fds, nr);
	if (passed.ring < 0)
		return -EPROTO;
	if (!is_like_us(&hello.party)) {
		uroce_pairing_close(&passed);
		return -EPROTO;
	}
	*ret_hello = hello;
	*ret_theirs = passed;
	return 0;
}

int uroce_pairing_respond(int fd, uint32_t slot, uint64_t token,
			  enum uroce_pairing_result result,
			  const struct uroce_passed *ours)
{
	struct uroce_pairing_result_message message = {
		.party = make_party(slot, token),
		.result = result,
	};

	return send_with(fd, &message, sizeof(message), ours);
}

int uroce_pairing_send(int fd, uint8_t message)
{
	if (send(fd, &message, 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		return -errno;
	return 0;
}

int uroce_pairing_send_share(int fd, uint8_t what, uint64_t share, int passed)
{
	const struct uroce_share_message message = {
		.what = what,
		.share = share,
	};

	return uroce_message_try_send(fd, &message, sizeof(message), &passed,
				      passed >= 0);
}

/*
 * Checks the length; a descriptor may have been lost at the descriptor limit.
 */
static bool is_note(const struct uroce_share_message *message, size_t len,
		    bool passed)
{
	switch (message->what) {
	case UROCE_PAIRING_CONFIRM:
	case UROCE_PAIRING_DOORBELL:
		return len == 1 && !passed;
	case UROCE_PAIRING_FILE_REQUEST:
	case UROCE_PAIRING_FILE_GONE:
		return len == sizeof(*message) && !passed;
	case UROCE_PAIRING_FILE:
		return len == sizeof(*message);
	default:
		return false;
	}
}

int uroce_pairing_receive(int fd, struct uroce_pair_message *ret_note)
{
	struct uroce_share_message message = {};
	int passed = -1;
	int len = uroce_message_try_receive(fd, &message, sizeof(message),
					    &passed);

	if (len == -EAGAIN)
		return -EAGAIN;
	if (len > 0 && is_note(&message, (size_t)len, passed >= 0)) {
		*ret_note = (struct uroce_pair_message){
			.what = message.what,
			.share = message.share,
			.fd = passed,
		};
		return 0;
	}
	if (passed >= 0)
		(void)close(passed);
	return -EPROTO;
}
