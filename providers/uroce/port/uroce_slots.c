/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Slots. Joining, in this order and with nobody else joining meanwhile: take
 * the name of the first free slot; if there is a member, get all sockets from
 * it, else make the first block of them; make another block if the slot is
 * behind the last, and give it to all members; be there for those who come.
 *
 * A message is a struct message, and the descriptors of a block where it says
 * so. The member answers each GIVE with all its blocks, COUNT and TAKE with how
 * many sockets it has.
 */
#include "uroce/port/uroce_slots.h"

#include <errno.h>
#include <linux/filter.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "uroce/port/uroce_rendezvous.h"
#include "uroce/port/uroce_socket.h"
#include "uroce/port/uroce_socket_check.h"
#include "util/nocancel.h"

_Static_assert(UROCE_SLOT_BLOCK == UROCE_MAX_PASSED, "a message has a block");

#define MAGIC		 0x75726f31 /* "uro1": changes with the meaning */
#define ASK_TIMEOUT_MS	 2000	    /* a member has to wake up */
#define SERVE_TIMEOUT_MS 200	    /* who connects has sent already */
#define LOCK_SECONDS	 60	    /* many may want to join at once */
#define LOCK_TIMEOUT_MS	 1000
#define GROUP_SECONDS	 1  /* for processes of ours to end */
#define MEMBER_SECONDS	 10 /* for one that answers, if some have hung up */
#define ASK_TRIES	 3
#define BACKLOG		 256
#define MAX_DRAIN	 65536

enum kind {
	GIVE,  /* -> BLOCK ... */
	COUNT, /* -> COUNT */
	TAKE,  /* with descriptors -> COUNT */
	BLOCK, /* with descriptors */
};

struct message {
	uint32_t magic;
	uint32_t kind;
	uint32_t nr; /* sockets that the sender has; TAKE: will have */
};

struct name {
	char text[32];
};

static struct name slot_name(uint32_t slot)
{
	struct name name;

	(void)snprintf(name.text, sizeof(name.text), "%u", slot);
	return name;
}

static struct name inbox_name(uint32_t slot)
{
	struct name name;

	(void)snprintf(name.text, sizeof(name.text), "%u.in", slot);
	return name;
}

static int ask(int fd, enum kind kind, uint32_t nr, const int *fds,
	       unsigned int nr_fds)
{
	struct message message = { .magic = MAGIC, .kind = kind, .nr = nr };

	return uroce_rendezvous_send(fd, &message, sizeof(message), fds,
				     nr_fds);
}

/* A message of this kind with so many descriptors, and nothing else. */
static int expect(int fd, enum kind kind, int nr_fds, uint32_t *ret_nr,
		  int *ret_fds)
{
	struct message message;
	int fds[UROCE_MAX_PASSED];
	int got;

	got = uroce_rendezvous_receive(fd, &message, sizeof(message), fds);
	if (got < 0)
		return got;
	if (got == nr_fds && message.magic == MAGIC && message.kind == kind &&
	    message.nr <= UROCE_NR_SLOTS &&
	    message.nr % UROCE_SLOT_BLOCK == 0) {
		*ret_nr = message.nr;
		if (nr_fds)
			memcpy(ret_fds, fds, sizeof(fds));
		return 0;
	}
	while (got > 0)
		(void)close(fds[--got]);
	return -EPROTO;
}

static time_t seconds(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

/*
 * Nobody else joins as long as the socket is open. Who finds the name taken
 * connects to it and waits until that breaks.
 */
static int join_lock(void)
{
	static const struct timespec moment = { .tv_nsec = 100000 };
	time_t until = seconds() + LOCK_SECONDS;
	char nothing;
	int fd, ret;

	while (seconds() <= until) {
		fd = uroce_rendezvous_bind(SOCK_SEQPACKET, "join");
		if (fd >= 0 && listen(fd, BACKLOG)) {
			ret = -errno;
			(void)close(fd);
			return ret;
		}
		if (fd != -EADDRINUSE)
			return fd;
		fd = uroce_rendezvous_connect("join", LOCK_TIMEOUT_MS);
		if (fd >= 0) {
			(void)recv(fd, &nothing, 1, 0); /* ends or times out */
			(void)close(fd);
		} else if (fd == -ECONNREFUSED || fd == -EAGAIN) {
			/* does not listen yet, has just gone, or is besieged */
			(void)nanosleep(&moment, NULL);
		} else {
			return fd;
		}
	}
	return -ETIMEDOUT;
}

/*
 * Which member of the group gets a packet: bits 23-16 of the destination QP,
 * which is in the second word of the BTH (IBTA 9.2).
 */
static int attach_filter(int fd)
{
	static struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 4),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, UROCE_QPN_MASK),
		BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, UROCE_SLOT_SHIFT),
		BPF_STMT(BPF_RET | BPF_A, 0),
	};
	/* Static: the kernel also copies the padding, which is then zero. */
	static const struct sock_fprog program = {
		.len = sizeof(code) / sizeof(code[0]),
		.filter = code,
	};

	if (setsockopt(fd, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &program,
		       sizeof(program)))
		return -errno;
	return 0;
}

static void close_all(int *fds, uint32_t nr)
{
	while (nr > 0)
		(void)close(fds[--nr]);
}

static int make_block(int *ret_fds)
{
	int fds[UROCE_SLOT_BLOCK];

	for (uint32_t i = 0; i < UROCE_SLOT_BLOCK; i++) {
		int fd = uroce_socket_receiver();
		int ret = fd < 0 ? fd : uroce_socket_bind(fd, UROCE_UDP_PORT);

		if (!ret && i == 0)
			ret = attach_filter(fd);
		if (ret) {
			if (fd >= 0)
				(void)close(fd);
			close_all(fds, i);
			return ret;
		}
		fds[i] = fd;
	}
	memcpy(ret_fds, fds, sizeof(fds));
	return 0;
}

/* Whether @fds can follow the sockets that there are; 0 or -EPROTO. */
static int check_block(const struct uroce_slots *slots, const int *fds)
{
	return uroce_socket_check_receivers(
		slots->listener, fds, UROCE_SLOT_BLOCK, slots->fds, slots->nr);
}

/* All sockets of the member at @slot. */
static int get_blocks(struct uroce_slots *slots, uint32_t slot)
{
	int fd = uroce_rendezvous_connect(slot_name(slot).text, ASK_TIMEOUT_MS);
	uint32_t nr = UROCE_SLOT_BLOCK;
	int ret;

	if (fd < 0)
		return fd;
	ret = ask(fd, GIVE, 0, NULL, 0);
	while (!ret && slots->nr < nr) {
		ret = expect(fd, BLOCK, UROCE_SLOT_BLOCK, &nr,
			     slots->fds + slots->nr);
		if (ret)
			break;
		ret = check_block(slots, slots->fds + slots->nr);
		slots->nr += UROCE_SLOT_BLOCK;
	}
	(void)close(fd);
	if (!ret)
		return 0;
	close_all(slots->fds, slots->nr);
	slots->nr = 0;
	return ret;
}

/*
 * A question whose answer is a count. A member hangs up on who has connected
 * and does not go on at once; that may have been us, on a busy machine.
 */
static int ask_count(uint32_t slot, enum kind kind, uint32_t nr, const int *fds,
		     unsigned int nr_fds, uint32_t *ret_nr)
{
	int ret = -EPROTO;

	for (int i = 0; i < ASK_TRIES; i++) {
		int fd = uroce_rendezvous_connect(slot_name(slot).text,
						  ASK_TIMEOUT_MS);

		if (fd < 0)
			return fd;
		ret = ask(fd, kind, nr, fds, nr_fds);
		if (!ret)
			ret = expect(fd, COUNT, 0, ret_nr, NULL);
		(void)close(fd);
		if (ret != -EPROTO && ret != -EPIPE && ret != -ECONNRESET)
			break;
	}
	return ret;
}

static int get_count(uint32_t slot, uint32_t *ret_nr)
{
	return ask_count(slot, COUNT, 0, NULL, 0, ret_nr);
}

/* Who does not take it has fewer; see add_block(). */
static void give_block(const struct uroce_slots *slots, uint32_t slot)
{
	const int *fds = slots->fds + slots->nr - UROCE_SLOT_BLOCK;
	uint32_t nr;

	(void)ask_count(slot, TAKE, slots->nr, fds, UROCE_SLOT_BLOCK, &nr);
}

/* Who has taken which names. */
struct census {
	bool member[UROCE_NR_SLOTS];
	uint32_t nr_members;
};

/* Whose name is taken, but for ours. That wakes nobody. */
static void count_members(struct census *census, uint32_t self)
{
	for (uint32_t slot = 0; slot < UROCE_NR_SLOTS; slot++) {
		int fd;

		if (slot == self)
			continue;
		fd = uroce_rendezvous_bind(SOCK_SEQPACKET,
					   slot_name(slot).text);
		if (fd >= 0)
			(void)close(fd);
		if (fd != -EADDRINUSE)
			continue;
		census->member[slot] = true;
		census->nr_members++;
	}
}

static int take_name(struct uroce_slots *slots)
{
	for (uint32_t slot = 0; slot < UROCE_NR_SLOTS; slot++) {
		int fd = uroce_rendezvous_bind(SOCK_SEQPACKET,
					       slot_name(slot).text);
		int inbox;

		if (fd == -EADDRINUSE)
			continue;
		if (fd < 0)
			return fd;
		inbox = uroce_rendezvous_bind(SOCK_DGRAM,
					      inbox_name(slot).text);
		if (inbox < 0) {
			(void)close(fd);
			if (inbox == -EADDRINUSE)
				continue;
			return inbox;
		}
		slots->slot = slot;
		slots->listener = fd;
		slots->inbox = inbox;
		return 0;
	}
	return -EUSERS;
}

/*
 * A member that was stopped may have missed a block. If we got ours from it,
 * another block of the group would get wrong places: so first ask all.
 */
static int add_block(struct uroce_slots *slots, const struct census *census)
{
	uint32_t most = slots->nr, from = 0, nr;
	int ret;

	for (uint32_t i = 0; i < UROCE_NR_SLOTS; i++)
		if (census->member[i] && get_count(i, &nr) == 0 && nr > most) {
			most = nr;
			from = i;
		}
	if (most > slots->nr) {
		close_all(slots->fds, slots->nr);
		slots->nr = 0;
		ret = get_blocks(slots, from);
		if (ret)
			return ret;
	}
	while (slots->slot >= slots->nr) {
		ret = make_block(slots->fds + slots->nr);
		if (ret)
			return ret;
		slots->nr += UROCE_SLOT_BLOCK;
		for (uint32_t i = 0; i < UROCE_NR_SLOTS; i++)
			if (census->member[i])
				give_block(slots, i);
	}
	return 0;
}

static int ask_members(struct uroce_slots *slots, const struct census *census)
{
	int ret = -ECONNREFUSED;

	for (uint32_t i = 0; i < UROCE_NR_SLOTS && ret; i++)
		if (census->member[i])
			ret = get_blocks(slots, i);
	return ret == -EAGAIN ? -ETIMEDOUT : ret;
}

/*
 * A new group must not become part of an old one, whose places would move when
 * its last process is gone; who binds without sharing finds that out.
 */
static int make_group(struct uroce_slots *slots)
{
	int fd = uroce_socket_sender();
	int ret;

	if (fd < 0)
		return fd;
	ret = uroce_socket_bind(fd, UROCE_UDP_PORT);
	(void)close(fd);
	if (!ret)
		ret = make_block(slots->fds);
	if (!ret)
		slots->nr = UROCE_SLOT_BLOCK;
	return ret;
}

/* Whether the port is shared by processes of our user, and only by those. */
static bool is_port_ours(void)
{
	int fd = uroce_socket_receiver();
	bool ours;

	if (fd < 0)
		return false;
	ours = uroce_socket_bind(fd, UROCE_UDP_PORT) == 0;
	(void)close(fd);
	return ours;
}

/* Whether the reason may be that a process was just ending. */
static bool may_pass(int ret)
{
	if (ret == -EADDRINUSE)
		return is_port_ours();
	return ret == -ECONNREFUSED || ret == -ECONNRESET || ret == -EPIPE ||
	       ret == -EPROTO;
}

/* On a busy machine a member may hang up several times, see ask_count(). */
static time_t patience(int ret)
{
	return ret == -EADDRINUSE ? GROUP_SECONDS : MEMBER_SECONDS;
}

static int get_sockets(struct uroce_slots *slots)
{
	static const struct timespec moment = { .tv_nsec = 5000000 };
	time_t start = seconds();
	struct census census;
	int ret;

	for (;;) {
		census = (struct census){};
		count_members(&census, slots->slot);
		if (census.nr_members)
			ret = ask_members(slots, &census);
		else
			ret = make_group(slots);
		if (!may_pass(ret) || seconds() > start + patience(ret))
			break;
		(void)nanosleep(&moment, NULL);
	}
	if (!ret && slots->slot >= slots->nr)
		ret = add_block(slots, &census);
	return ret;
}

/* What came for the process that had the slot before. */
static void drain(int fd)
{
	char byte;

	for (int i = 0; i < MAX_DRAIN; i++)
		if (recv(fd, &byte, 1, MSG_DONTWAIT | MSG_TRUNC) < 0)
			return;
}

static int join_locked(struct uroce_slots *slots)
{
	int ret;

	ret = take_name(slots);
	if (ret)
		return ret;
	ret = get_sockets(slots);
	if (!ret) {
		drain(slots->fds[slots->slot]);
		if (listen(slots->listener, BACKLOG))
			ret = -errno;
	}
	if (ret)
		uroce_slots_leave(slots);
	return ret;
}

int uroce_slots_join(struct uroce_slots *ret_slots)
{
	struct uroce_slots slots = { .listener = -1, .inbox = -1 };
	int lock, ret;

	lock = join_lock();
	if (lock < 0)
		return lock;
	ret = join_locked(&slots);
	(void)close(lock);
	if (!ret)
		*ret_slots = slots;
	return ret;
}

void uroce_slots_leave(struct uroce_slots *slots)
{
	/* first the names, so that nobody asks any more */
	(void)close(slots->listener);
	(void)close(slots->inbox);
	close_all(slots->fds, slots->nr);
	slots->nr = 0;
	slots->inbox = -1;
	slots->listener = -1;
}

static void serve_one(struct uroce_slots *slots, int fd)
{
	struct message message;
	int fds[UROCE_MAX_PASSED];
	int nr_fds, ret = 0;

	nr_fds = uroce_rendezvous_receive(fd, &message, sizeof(message), fds);
	if (nr_fds < 0)
		return; /* only wanted to know whether we are there */
	if (message.magic == MAGIC && message.kind == TAKE &&
	    nr_fds == UROCE_SLOT_BLOCK &&
	    message.nr == slots->nr + UROCE_SLOT_BLOCK &&
	    message.nr <= UROCE_NR_SLOTS && !check_block(slots, fds)) {
		memcpy(slots->fds + slots->nr, fds, sizeof(fds));
		slots->nr = message.nr;
		nr_fds = 0;
	}
	while (nr_fds > 0)
		(void)close(fds[--nr_fds]);
	if (message.magic != MAGIC)
		return;
	if (message.kind == GIVE)
		for (uint32_t at = 0; at < slots->nr && !ret;
		     at += UROCE_SLOT_BLOCK)
			ret = ask(fd, BLOCK, slots->nr, slots->fds + at,
				  UROCE_SLOT_BLOCK);
	else
		(void)ask(fd, COUNT, slots->nr, NULL, 0);
}

bool uroce_slots_serve(struct uroce_slots *slots)
{
	bool rejected = false;
	int fd = -EPERM;

	for (int i = 0; i < UROCE_RENDEZVOUS_BATCH && fd == -EPERM; i++) {
		fd = uroce_rendezvous_accept(slots->listener, SERVE_TIMEOUT_MS);
		rejected = rejected || fd == -EPERM;
	}
	if (fd >= 0) {
		serve_one(slots, fd);
		(void)close(fd);
	}
	return rejected;
}

int uroce_slots_forward(const struct uroce_slots *slots, uint32_t slot,
			const void *data, size_t len)
{
	return uroce_rendezvous_sendto(slots->inbox, inbox_name(slot).text,
				       data, len);
}

int uroce_slots_inbox(const struct uroce_slots *slots, void *buf, size_t size)
{
	return uroce_rendezvous_recvfrom(slots->inbox, buf, size);
}
