/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Makes a process that has claimed a slot a member of the group.
 *
 * Two mechanisms exclude other processes, and both end with the process. The
 * first socket of a new group is bound before it is shared, so only one process
 * succeeds. A process that adds a block to the group holds a record lock
 * (fcntl(2)) on the socket of slot 0, which is one file in all members.
 */
#include <errno.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "uroce/ipc/uroce_rendezvous.h"
#include "uroce/udp/uroce_slots_message.h"
#include "uroce/udp/uroce_socket.h"
#include "uroce/udp/uroce_socket_check.h"
#include "util/nocancel.h"

#define BACKLOG		256
#define MAX_DRAIN	65536
#define RETRY_MS	5 /* before the second attempt; then doubled */
#define MAX_RETRY_MS	100
#define MORE_MS		50  /* without a response: ask more members */
#define GIVE_TIMEOUT_MS 200 /* between the blocks of one member */
#define TRIES		3

/* State of an attempt to join. */
struct join {
	struct uroce_slots *slots;
	int stop_fd;
	uint64_t until_ms;
	uint32_t members[UROCE_NR_SLOTS]; /* slots */
	uint32_t nr_members;
};

static unsigned int left_ms(const struct join *join)
{
	uint64_t now_ms = uroce_slots_now_ms();

	return now_ms < join->until_ms ? (unsigned int)(join->until_ms - now_ms)
				       : 0;
}

static bool is_name_taken(uint32_t slot)
{
	int fd = uroce_rendezvous_bind(UROCE_NAME_MEMBER, slot);

	if (fd >= 0)
		(void)close(fd);
	return fd == -EADDRINUSE;
}

/* Lists the slots that other processes of this user may have. */
static void list_members(struct join *join)
{
	struct uroce_directory directory;

	uroce_directory_read(&directory);
	join->nr_members = 0;
	for (uint32_t slot = 0; slot < UROCE_NR_SLOTS; slot++) {
		if (slot == join->slots->slot)
			continue;
		if (directory.complete ? directory.slots[slot].nr_claims > 0
				       : is_name_taken(slot))
			join->members[join->nr_members++] = slot;
	}
}

/*
 * A request to many members at once. A member closes a connection without a
 * timely request. On a busy host this process may be late, so it tries again.
 */
struct question {
	struct join *join;
	enum uroce_slots_kind kind;
	uint32_t nr;
	const int *fds;
	uint32_t at_once; /* members to ask before the first pause */
	/* on_response() - return whether further responses are needed */
	bool (*on_response)(struct question *question, uint32_t slot, int fd,
			    const struct uroce_slots_message *message);
	uint32_t most, most_slot; /* for on_count() */
	uint32_t nr_asked, nr_open;
	struct pollfd polled[UROCE_NR_SLOTS];
	uint32_t slots[UROCE_NR_SLOTS];
	uint8_t tries[UROCE_NR_SLOTS];
	int ret; /* the last error */
};

static void question_close(struct question *question, uint32_t entry)
{
	struct uroce_slots *slots = question->join->slots;

	(void)pthread_mutex_lock(&slots->fds_mutex);
	(void)close(question->polled[entry].fd);
	slots->connections[entry] = -1;
	(void)pthread_mutex_unlock(&slots->fds_mutex);
	question->polled[entry].fd = -1;
	question->nr_open--;
}

/* Connects to the member of @entry and sends the request. */
static int question_open(struct question *question, uint32_t entry)
{
	struct uroce_slots *slots = question->join->slots;
	struct pollfd *polled = &question->polled[entry];
	int fd, ret;

	question->tries[entry]++;
	(void)pthread_mutex_lock(&slots->fds_mutex);
	fd = uroce_rendezvous_connect(UROCE_NAME_MEMBER, question->slots[entry],
				      0);
	slots->connections[entry] = fd < 0 ? -1 : fd;
	(void)pthread_mutex_unlock(&slots->fds_mutex);
	*polled = (struct pollfd){ .fd = fd, .events = POLLIN };
	if (fd < 0)
		return fd;
	question->nr_open++;
	ret = uroce_identity_prove(fd, false, UROCE_RENDEZVOUS_PROOF_MS);
	if (!ret)
		ret = uroce_slots_send(fd, question->kind, question->nr,
				       question->fds);
	if (ret)
		question_close(question, entry);
	return ret;
}

static void question_ask_more(struct question *question, uint32_t nr)
{
	const struct join *join = question->join;

	for (; nr > 0 && question->nr_asked < join->nr_members; nr--) {
		uint32_t entry = question->nr_asked++;
		int ret;

		question->slots[entry] = join->members[entry];
		ret = question_open(question, entry);
		if (ret)
			question->ret = ret;
	}
}

static bool is_hang_up(int ret)
{
	return ret == -EPROTO || ret == -EPIPE || ret == -ECONNRESET;
}

/* Handles one response. Return: whether further responses are needed. */
static bool question_take(struct question *question, uint32_t entry)
{
	struct uroce_slots_message message;
	int fd = question->polled[entry].fd;
	bool more = true;
	int ret = uroce_slots_receive(question->join->slots, fd, &message);

	if (!ret)
		more = question->on_response(question, question->slots[entry],
					     fd, &message);
	question_close(question, entry);
	if (is_hang_up(ret) && question->tries[entry] < TRIES)
		ret = question_open(question, entry);
	if (ret)
		question->ret = ret;
	return more;
}

/*
 * Waits until the connection to a member is readable. Return: 0, -EAGAIN or
 * -ECANCELED.
 */
static int question_wait(struct question *question, unsigned int timeout_ms)
{
	struct pollfd fds[UROCE_NR_SLOTS + 1];
	int nr;

	memcpy(fds, question->polled, question->nr_asked * sizeof(*fds));
	fds[question->nr_asked] = (struct pollfd){
		.fd = question->join->stop_fd,
		.events = POLLIN,
	};
	nr = poll(fds, question->nr_asked + 1, (int)timeout_ms);
	if (nr <= 0)
		return -EAGAIN;
	if (fds[question->nr_asked].revents)
		return -ECANCELED;
	memcpy(question->polled, fds, question->nr_asked * sizeof(*fds));
	return 0;
}

/* Handles responses that have arrived. Return: whether more are needed. */
static bool question_take_all(struct question *question)
{
	bool more = true;

	for (uint32_t i = 0; i < question->nr_asked && more; i++)
		if (question->polled[i].fd >= 0 && question->polled[i].revents)
			more = question_take(question, i);
	return more;
}

/*
 * Return: 0 when enough members have responded; -ECONNREFUSED if no request
 * could be sent; -ETIMEDOUT; -ECANCELED; or another error of a member.
 */
static int question_run(struct question *question)
{
	const struct join *join = question->join;
	uint32_t nr = question->at_once;
	bool more = true;
	int ret = 0;

	question->ret = -ECONNREFUSED;
	question_ask_more(question, nr);
	while (more) {
		unsigned int timeout_ms = left_ms(join);

		if (!question->nr_open &&
		    question->nr_asked == join->nr_members) {
			ret = question->ret;
			break;
		}
		if (!timeout_ms) {
			ret = -ETIMEDOUT;
			break;
		}
		if (question->nr_asked < join->nr_members &&
		    timeout_ms > MORE_MS)
			timeout_ms = question->nr_open ? MORE_MS : 0;
		ret = question_wait(question, timeout_ms);
		if (ret == -ECANCELED)
			break;
		if (ret == -EAGAIN)
			question_ask_more(question, nr *= 2);
		else
			more = question_take_all(question);
		ret = 0;
	}
	for (uint32_t i = 0; i < question->nr_asked; i++)
		if (question->polled[i].fd >= 0)
			question_close(question, i);
	return ret;
}

/* After the first block of a member, receives the blocks that follow it. */
static bool on_block(struct question *question, uint32_t slot, int fd,
		     const struct uroce_slots_message *message)
{
	struct uroce_slots *slots = question->join->slots;
	struct uroce_slots_message next = *message;
	int ret = 0;

	while (!ret && next.kind == UROCE_SLOTS_BLOCK && slots->nr < next.nr) {
		uint32_t before = slots->nr;

		ret = uroce_slots_await(fd, question->join->stop_fd,
					GIVE_TIMEOUT_MS);
		if (!ret)
			ret = uroce_slots_receive(slots, fd, &next);
		if (!ret && slots->nr == before)
			ret = -EPROTO;
	}
	if (!ret && next.kind == UROCE_SLOTS_BLOCK && slots->nr == next.nr)
		return false;
	question->ret = ret ? ret : -EPROTO;
	return true;
}

/* Gets the sockets that members have and this process lacks. */
static int get_blocks(struct join *join)
{
	struct question question = {
		.join = join,
		.kind = UROCE_SLOTS_GIVE,
		.nr = join->slots->nr,
		.at_once = 1,
		.on_response = on_block,
	};

	return question_run(&question);
}

static bool on_count(struct question *question, uint32_t slot, int fd,
		     const struct uroce_slots_message *message)
{
	if (message->kind == UROCE_SLOTS_COUNT &&
	    message->nr > question->most) {
		question->most = message->nr;
		question->most_slot = slot;
	}
	return true;
}

static bool on_first_count(struct question *question, uint32_t slot, int fd,
			   const struct uroce_slots_message *message)
{
	(void)on_count(question, slot, fd, message);
	return false;
}

/*
 * Sends COUNT or TAKE and waits for the responses. @all: of all members; else
 * asks one after the other until one responds.
 */
static void ask(struct join *join, enum uroce_slots_kind kind, const int *fds,
		bool all, struct question *ret_question)
{
	*ret_question = (struct question){
		.join = join,
		.kind = kind,
		.nr = join->slots->nr,
		.fds = fds,
		.at_once = all ? UROCE_NR_SLOTS : 1,
		.on_response = all ? on_count : on_first_count,
	};
	(void)question_run(ret_question);
}

/*
 * Selects the socket that gets a packet by bits 23-16 of the destination QPN,
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

/* The first socket of a group: no other process can bind until it is shared. */
static int open_first(void)
{
	int fd = uroce_socket_receiver();
	int ret;

	if (fd < 0)
		return fd;
	ret = uroce_socket_unshare(fd);
	if (!ret)
		ret = uroce_socket_bind(fd, UROCE_UDP_PORT);
	if (!ret)
		ret = uroce_socket_share(fd);
	if (!ret)
		return fd;
	(void)close(fd);
	return ret;
}

static int open_next(void)
{
	int fd = uroce_socket_receiver();
	int ret = fd < 0 ? fd : uroce_socket_bind(fd, UROCE_UDP_PORT);

	if (ret && fd >= 0) {
		(void)close(fd);
		return ret;
	}
	return fd;
}

/* Creates the next block of the group; the first one creates the group. */
static int make_block(struct uroce_slots *slots)
{
	int *fds = slots->fds + slots->nr;
	int ret = 0;

	(void)pthread_mutex_lock(&slots->fds_mutex);
	for (uint32_t i = 0; i < UROCE_SLOT_BLOCK && !ret; i++) {
		fds[i] = slots->nr + i ? open_next() : open_first();
		ret = fds[i] < 0 ? fds[i] : 0;
	}
	/* a socket gets a group only when a second socket is bound */
	if (!ret && !slots->nr)
		ret = attach_filter(fds[0]);
	for (uint32_t i = UROCE_SLOT_BLOCK; i-- > 0 && ret;) {
		if (fds[i] >= 0)
			(void)close(fds[i]);
		fds[i] = -1;
	}
	if (!ret)
		slots->nr += UROCE_SLOT_BLOCK;
	(void)pthread_mutex_unlock(&slots->fds_mutex);
	return ret;
}

/* Sets a record lock on the socket of slot 0; it ends with the process. */
static int lock_group(const struct uroce_slots *slots, short type)
{
	struct flock lock = { .l_type = type,
			      .l_whence = SEEK_SET,
			      .l_len = 1 };

	return fcntl(slots->fds[0], F_SETLK, &lock) ? -errno : 0;
}

/*
 * Gets the blocks that this process lacks and another member has, @all: any
 * member. Of the members that are asked, the one with the most blocks may exit
 * before it has sent them.
 */
static int get_missing_blocks(struct join *join, bool all)
{
	struct question count;
	int ret;

	for (;;) {
		ask(join, UROCE_SLOTS_COUNT, NULL, all, &count);
		if (count.most <= join->slots->nr)
			return 0;
		join->members[0] = count.most_slot;
		join->nr_members = 1;
		ret = get_blocks(join);
		list_members(join);
		if (!ret)
			return 0;
		if (!left_ms(join))
			return -ETIMEDOUT;
		if (uroce_slots_await(-1, join->stop_fd, RETRY_MS) ==
		    -ECANCELED)
			return -ECANCELED;
	}
}

/*
 * Gets the blocks up to that of the slot, or all that exist. Of processes that
 * start together, an earlier one may have created them, and any member has
 * them. A member that was stopped or is slow may have missed a block, and the
 * members that have it may not respond in time. The sockets of a new block
 * would then have wrong indexes, and no packet of the slot would arrive. So the
 * kernel says how many sockets there are; where it does not, all members are
 * asked.
 */
static int get_existing_blocks(struct join *join)
{
	struct uroce_slots *slots = join->slots;
	bool all = false;

	for (;;) {
		int nr, ret = get_missing_blocks(join, all);

		if (ret || slots->slot < slots->nr)
			return ret;
		nr = uroce_socket_count();
		if (nr < 0 ? all : (uint32_t)nr <= slots->nr)
			return 0;
		if (!left_ms(join))
			return -ETIMEDOUT;
		if (all && uroce_slots_await(-1, join->stop_fd, RETRY_MS) ==
				   -ECANCELED)
			return -ECANCELED;
		all = true;
	}
}

/* Creates blocks up to the one of the slot, unless they exist. */
static int add_blocks_locked(struct join *join)
{
	struct uroce_slots *slots = join->slots;
	struct question take;
	int ret = get_existing_blocks(join);

	if (ret)
		return ret;
	while (slots->slot >= slots->nr) {
		const int *fds = slots->fds + slots->nr;

		ret = make_block(slots);
		if (ret)
			return ret;
		ask(join, UROCE_SLOTS_TAKE, fds, true, &take);
	}
	return 0;
}

static int add_blocks(struct join *join)
{
	int ret = lock_group(join->slots, F_WRLCK);

	while ((ret == -EAGAIN || ret == -EACCES) && left_ms(join)) {
		ret = uroce_slots_await(-1, join->stop_fd, RETRY_MS);
		if (ret == -EAGAIN)
			ret = lock_group(join->slots, F_WRLCK);
	}
	if (ret)
		return ret == -ECANCELED ? ret : -ETIMEDOUT;
	ret = add_blocks_locked(join);
	(void)lock_group(join->slots, F_UNLCK);
	return ret;
}

/*
 * Whether sockets of this user have the port. A socket with one address can be
 * bound next to sockets of the same user only, and does not join their group.
 * No packets arrive at the address, which is for documentation (RFC 5737).
 */
static bool is_port_ours(void)
{
	static const uint8_t gid[UROCE_GID_LEN] = {
		[10] = 0xff, [11] = 0xff, [12] = 192, [14] = 2, [15] = 1,
	};
	int fd = uroce_socket_receiver();
	bool ours;

	if (fd < 0)
		return false;
	ours = !uroce_socket_free_bind(fd) &&
	       !uroce_socket_bind_to(fd, gid, UROCE_UDP_PORT);
	(void)close(fd);
	return ours;
}

/*
 * A process that has claimed a slot may have bound the first socket of the
 * group and not shared it yet. It may have claimed the slot only after this
 * process has listed the members.
 */
static bool may_get_shared(struct join *join)
{
	list_members(join);
	return join->nr_members > 0;
}

/*
 * Whether @ret may be temporary: a process may be joining, or processes of an
 * old group may be exiting. The first socket is shared soon after it was bound,
 * so a port that stays unshared while the pauses grow belongs to others.
 */
static bool may_pass(struct join *join, int ret, unsigned int pause_ms)
{
	if (ret == -EADDRINUSE)
		return is_port_ours() ||
		       (pause_ms < MAX_RETRY_MS && may_get_shared(join));
	return is_hang_up(ret) || ret == -EAGAIN;
}

static int get_sockets(struct join *join)
{
	unsigned int pause_ms = RETRY_MS;
	int ret;

	for (;;) {
		list_members(join);
		ret = join->nr_members ? get_blocks(join) : -ECONNREFUSED;
		if (ret == -ECONNREFUSED || ret == -EPERM)
			ret = make_block(join->slots);
		if (!ret || !may_pass(join, ret, pause_ms) || !left_ms(join))
			return ret;
		uroce_slots_close_fds(join->slots);
		if (uroce_slots_await(-1, join->stop_fd, pause_ms) ==
		    -ECANCELED)
			return -ECANCELED;
		pause_ms = 2 * pause_ms < MAX_RETRY_MS ? 2 * pause_ms
						       : MAX_RETRY_MS;
	}
}

/* Discards packets for the process that had the slot before. */
static void drain(int fd)
{
	char byte;

	for (int i = 0; i < MAX_DRAIN; i++)
		if (recv(fd, &byte, 1, MSG_DONTWAIT | MSG_TRUNC) < 0)
			return;
}

int uroce_slots_join(struct uroce_slots *slots, int stop_fd)
{
	struct join *join = malloc(sizeof(*join));
	int ret;

	if (!join)
		return -ENOMEM;
	join->slots = slots;
	join->stop_fd = stop_fd;
	join->until_ms = uroce_slots_now_ms() + UROCE_JOIN_MS;
	ret = uroce_identity_changed() ? -EPERM : get_sockets(join);
	if (!ret && slots->slot >= slots->nr)
		ret = add_blocks(join);
	if (!ret) {
		drain(slots->fds[slots->slot]);
		if (listen(slots->listener, BACKLOG))
			ret = -errno;
	}
	if (ret)
		uroce_slots_close_fds(slots);
	free(join);
	return ret;
}
