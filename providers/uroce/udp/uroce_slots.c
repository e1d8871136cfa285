/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Claims the names of slots, and serves other processes as a member.
 * uroce_slots_join.c joins the group.
 */
#include "uroce/udp/uroce_slots.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "uroce/ipc/uroce_rendezvous.h"
#include "uroce/udp/uroce_slots_message.h"
#include "uroce/udp/uroce_socket_check.h"
#include "util/clock.h"
#include "util/nocancel.h"

_Static_assert(UROCE_SLOT_BLOCK == UROCE_MAX_PASSED, "a message has a block");
_Static_assert(UROCE_NR_SLOTS == UROCE_DIRECTORY_SLOTS, "an entry for each");

#define MAGIC		 0x75726f32 /* "uro2": changes with the protocol */
#define SERVE_TIMEOUT_MS 200	    /* the client sends at once */
#define DIRECTORY_MS	 1000	    /* age limit of the directory */

uint64_t uroce_slots_now_ms(void)
{
	return verbs_now_ns() / VERBS_NS_PER_MS;
}

int uroce_slots_await(int fd, int stop_fd, unsigned int timeout_ms)
{
	struct pollfd fds[] = {
		{ .fd = fd, .events = POLLIN },
		{ .fd = stop_fd, .events = POLLIN },
	};
	int nr = poll(fds, 2, (int)timeout_ms);

	if (nr < 0 && errno != EINTR)
		return -errno;
	if (nr > 0 && fds[1].revents)
		return -ECANCELED;
	return nr > 0 ? 0 : -EAGAIN;
}

int uroce_slots_send(int fd, enum uroce_slots_kind kind, uint32_t nr,
		     const int *fds)
{
	const struct uroce_slots_message message = {
		.magic = MAGIC,
		.kind = kind,
		.nr = nr,
	};

	return uroce_message_try_send(fd, &message, sizeof(message), fds,
				      fds ? UROCE_SLOT_BLOCK : 0);
}

/* Whether @fds is the block that follows the sockets of @slots. */
static bool is_next_block(const struct uroce_slots *slots,
			  const struct uroce_slots_message *message,
			  const int *fds, int nr_fds)
{
	if (nr_fds != UROCE_SLOT_BLOCK ||
	    slots->nr + UROCE_SLOT_BLOCK > UROCE_NR_SLOTS)
		return false;
	if (message->kind == UROCE_SLOTS_TAKE &&
	    message->nr != slots->nr + UROCE_SLOT_BLOCK)
		return false;
	if (message->kind != UROCE_SLOTS_TAKE &&
	    message->kind != UROCE_SLOTS_BLOCK)
		return false;
	return !uroce_socket_check_receivers(
		slots->listener, fds, UROCE_SLOT_BLOCK, slots->fds, slots->nr);
}

static bool is_message(const struct uroce_slots_message *message)
{
	return message->magic == MAGIC && message->nr <= UROCE_NR_SLOTS &&
	       message->nr % UROCE_SLOT_BLOCK == 0;
}

int uroce_slots_receive(struct uroce_slots *slots, int fd,
			struct uroce_slots_message *ret_message)
{
	int fds[UROCE_MAX_PASSED];
	int nr_fds, ret = 0;

	(void)pthread_mutex_lock(&slots->fds_mutex);
	nr_fds = uroce_message_receive(fd, ret_message, sizeof(*ret_message),
				       fds);
	if (nr_fds < 0)
		ret = nr_fds;
	else if (!is_message(ret_message))
		ret = -EPROTO;
	if (!ret && is_next_block(slots, ret_message, fds, nr_fds)) {
		memcpy(slots->fds + slots->nr, fds, sizeof(fds));
		slots->nr += UROCE_SLOT_BLOCK;
		nr_fds = 0;
	}
	while (nr_fds > 0)
		(void)close(fds[--nr_fds]);
	(void)pthread_mutex_unlock(&slots->fds_mutex);
	return ret;
}

void uroce_slots_init(struct uroce_slots *slots)
{
	*slots = (struct uroce_slots){
		.listener = -1,
		.inbox = -1,
		.fds_mutex = PTHREAD_MUTEX_INITIALIZER,
	};
	for (uint32_t i = 0; i < UROCE_NR_SLOTS; i++) {
		slots->fds[i] = -1;
		slots->connections[i] = -1;
	}
}

static int claim_names(struct uroce_slots *slots, uint32_t slot)
{
	int listener, inbox;

	/*
	 * The listener is bound last: a process that has the member name of a
	 * slot also has its inbox name.
	 */
	inbox = uroce_rendezvous_bind(UROCE_NAME_INBOX, slot);
	if (inbox < 0)
		return inbox;
	listener = uroce_rendezvous_bind(UROCE_NAME_MEMBER, slot);
	if (listener < 0) {
		(void)close(inbox);
		return listener;
	}
	slots->slot = slot;
	slots->listener = listener;
	slots->inbox = inbox;
	return 0;
}

static void release_names(struct uroce_slots *slots)
{
	if (slots->listener >= 0)
		(void)close(slots->listener);
	if (slots->inbox >= 0)
		(void)close(slots->inbox);
	slots->listener = -1;
	slots->inbox = -1;
}

/*
 * Names with different suffixes do not exclude each other, so the directory is
 * read after each claim. Of two processes that claim one slot at the same time,
 * at least one sees the other and claims another slot.
 */
static bool is_only_claim(const struct uroce_slots *slots)
{
	struct uroce_directory directory;

	uroce_directory_read(&directory);
	return directory.slots[slots->slot].nr_claims <= 1;
}

static int claim_slot(struct uroce_slots *slots, uint32_t slot)
{
	int ret = claim_names(slots, slot);

	if (ret || is_only_claim(slots))
		return ret;
	release_names(slots);
	return -EADDRINUSE;
}

/* Claims a slot with a new suffix, since other users have taken all names. */
static int claim_with_suffix(struct uroce_slots *slots, uint32_t from)
{
	struct uroce_directory directory;
	int ret = -EADDRINUSE;

	uroce_directory_read(&directory);
	if (!directory.complete)
		return -EUSERS;
	uroce_identity_new_suffix();
	for (uint32_t slot = from; slot < UROCE_NR_SLOTS && ret == -EADDRINUSE;
	     slot++)
		if (!directory.slots[slot].nr_claims)
			ret = claim_slot(slots, slot);
	return ret == -EADDRINUSE ? -EUSERS : ret;
}

int uroce_slots_claim(struct uroce_slots *slots, uint32_t from)
{
	int ret = -EADDRINUSE;

	if (*uroce_identity_suffix())
		return claim_with_suffix(slots, from);
	for (uint32_t slot = from; slot < UROCE_NR_SLOTS && ret == -EADDRINUSE;
	     slot++)
		ret = claim_slot(slots, slot);
	/* names with a new suffix are free also below @from */
	if (ret == -EADDRINUSE && from > UROCE_FIRST_SLOT)
		from = UROCE_FIRST_SLOT;
	return ret == -EADDRINUSE ? claim_with_suffix(slots, from) : ret;
}

void uroce_slots_close_fds(struct uroce_slots *slots)
{
	/* highest slot first: the last socket of a group fills a gap */
	for (uint32_t i = UROCE_NR_SLOTS; i-- > 0;) {
		if (slots->fds[i] >= 0)
			(void)close(slots->fds[i]);
		slots->fds[i] = -1;
	}
	slots->nr = 0;
}

void uroce_slots_leave(struct uroce_slots *slots)
{
	/* names first, so that no further process connects */
	release_names(slots);
	uroce_slots_close_fds(slots);
	for (uint32_t i = 0; i < UROCE_NR_SLOTS; i++) {
		/* open in a child of fork() whose parent was joining */
		if (slots->connections[i] >= 0)
			(void)close(slots->connections[i]);
		slots->connections[i] = -1;
	}
}

static void serve_one(struct uroce_slots *slots, int fd)
{
	struct uroce_slots_message message;
	int ret;

	ret = uroce_slots_await(fd, -1, SERVE_TIMEOUT_MS);
	if (!ret)
		ret = uroce_slots_receive(slots, fd, &message);
	if (ret)
		return;
	if (message.kind != UROCE_SLOTS_GIVE) {
		(void)uroce_slots_send(fd, UROCE_SLOTS_COUNT, slots->nr, NULL);
		return;
	}
	for (uint32_t at = message.nr; at < slots->nr && !ret;
	     at += UROCE_SLOT_BLOCK)
		ret = uroce_slots_send(fd, UROCE_SLOTS_BLOCK, slots->nr,
				       slots->fds + at);
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

int uroce_slots_forward(struct uroce_slots *slots, uint32_t slot,
			const void *data, size_t len)
{
	uint64_t now_ms = uroce_slots_now_ms();
	const char *suffix;

	if (!slots->directory_ms ||
	    now_ms > slots->directory_ms + DIRECTORY_MS) {
		uroce_directory_read(&slots->directory);
		slots->directory_ms = now_ms;
	}
	suffix = uroce_directory_suffix(&slots->directory, slot);
	if (!suffix || uroce_identity_ambiguous())
		return -ECONNREFUSED;
	return uroce_rendezvous_sendto(slots->inbox, slot, suffix, data, len);
}

int uroce_slots_inbox(const struct uroce_slots *slots, void *buf, size_t size)
{
	return uroce_rendezvous_recvfrom(slots->inbox, buf, size);
}
