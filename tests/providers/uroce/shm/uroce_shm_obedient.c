/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Orders in shared memory, and steps that the tests have in common. */
#include "uroce_shm_obedient.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>

#include <cmocka.h>

#include "uroce/shm/uroce_shm_directory_layout.h"
#include "uroce/shm/uroce_shm_state.h"

uint8_t memory[BYTES];
uint8_t part[PART];

const struct uroce_qpn_pair qpns = { LEFT << 16 | 2, RIGHT << 16 | 2 };
const struct uroce_sink nowhere;

/* Orders to the right process, in shared memory. */
static struct order {
	enum {
		SHOW_QP,
		PUBLISH_SINK,
		FILL, /* fill all of its memory with a byte */
		FIND, /* check that byte, and the pattern from @at on */
		COPY, /* publish that it copies from or to the memory of a slot
		       */
		COPIED, /* publish that the copy has ended */
		LEAVE,
	} what;
	struct uroce_published_qp qp;
	enum uroce_sink_kind kind;
	struct uroce_sink sink;
	uint8_t byte;
	uint32_t at, bytes;
	uint32_t slot;
} * order;

struct side left;
struct node right;
struct uroce_channel *channel; /* of the left process, to the right one */

/* -- system calls --------------------------------------------------------- */

int denied;		    /* errno; 0: the real result */
uint32_t nr_copies;	    /* attempted copies */
bool said_so;		    /* the copy was published before the call */
static uint64_t clock_ms;   /* atomic; 0: the real clock */
void (*while_asleep)(void); /* NULL: really sleeps */
uint32_t nr_sleeps;

ssize_t __real_process_vm_readv(pid_t pid, const struct iovec *here,
				unsigned long nr_here,
				const struct iovec *there,
				unsigned long nr_there, unsigned long flags);
ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *here,
				unsigned long nr_here,
				const struct iovec *there,
				unsigned long nr_there, unsigned long flags);
ssize_t __real_process_vm_writev(pid_t pid, const struct iovec *here,
				 unsigned long nr_here,
				 const struct iovec *there,
				 unsigned long nr_there, unsigned long flags);
ssize_t __wrap_process_vm_writev(pid_t pid, const struct iovec *here,
				 unsigned long nr_here,
				 const struct iovec *there,
				 unsigned long nr_there, unsigned long flags);
int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __real_nocancel_nanosleep(const struct timespec *nap);
int __wrap_nocancel_nanosleep(const struct timespec *nap);

static bool says_that_she_copies(void)
{
	return left.shm->directory.memory->copying[RIGHT].count % 2;
}

static bool is_allowed(void)
{
	/* not while the pair is created */
	if (channel) {
		nr_copies++;
		said_so = says_that_she_copies();
	}
	errno = denied;
	return !denied;
}

ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *here,
				unsigned long nr_here,
				const struct iovec *there,
				unsigned long nr_there, unsigned long flags)
{
	if (!is_allowed())
		return -1;
	return __real_process_vm_readv(pid, here, nr_here, there, nr_there,
				       flags);
}

ssize_t __wrap_process_vm_writev(pid_t pid, const struct iovec *here,
				 unsigned long nr_here,
				 const struct iovec *there,
				 unsigned long nr_there, unsigned long flags)
{
	if (!is_allowed())
		return -1;
	return __real_process_vm_writev(pid, here, nr_here, there, nr_there,
					flags);
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	uint64_t ms = __atomic_load_n(&clock_ms, __ATOMIC_RELAXED);

	if (!ms)
		return __real_clock_gettime(clock, now);
	now->tv_sec = (time_t)(ms / 1000);
	now->tv_nsec = (long)(ms % 1000) * 1000000;
	return 0;
}

void set_clock(uint64_t ms)
{
	__atomic_store_n(&clock_ms, ms, __ATOMIC_RELAXED);
}

uint64_t get_clock(void)
{
	return __atomic_load_n(&clock_ms, __ATOMIC_RELAXED);
}

int __wrap_nocancel_nanosleep(const struct timespec *nap)
{
	nr_sleeps++;
	if (!while_asleep)
		return __real_nocancel_nanosleep(nap);
	while_asleep();
	return 0;
}

/* -- right process -------------------------------------------------------- */

static uint8_t pattern(uint32_t i)
{
	return (uint8_t)(i * 7 + i / 251);
}

static void find_pattern(void)
{
	for (uint32_t i = 0; i < BYTES; i++) {
		bool inside = i >= order->at && i - order->at < order->bytes;

		CHECK(memory[i] ==
		      (inside ? pattern(i - order->at) : order->byte));
	}
}

/* Return: whether there is more to do. */
static bool obey(struct side *side, struct uroce_channel *to_left)
{
	switch (order->what) {
	case SHOW_QP:
		uroce_shm_publish_qp(side->shm, &order->qp, to_left);
		break;
	case PUBLISH_SINK:
		/* the right process need not have the channel */
		uroce_shm_directory_publish_sink(&side->shm->directory,
						 qpns.dest_qpn, order->kind,
						 &order->sink);
		break;
	case FILL:
		memset(memory, order->byte, BYTES);
		break;
	case FIND:
		find_pattern();
		break;
	case COPY:
		uroce_shm_directory_begin(&side->shm->directory, order->slot);
		break;
	case COPIED:
		uroce_shm_directory_end(&side->shm->directory, order->slot);
		break;
	default:
		return false;
	}
	return true;
}

void right_obey_orders(struct node *node, uint32_t kinds)
{
	struct uroce_channel *to_left;
	struct side side;

	cma_try_open(&side, RIGHT, kinds);
	to_left = right_meet(&side, node);
	node_go(node);
	do {
		node_go(node);
		node_wait(node);
	} while (obey(&side, to_left));
	uroce_shm_put_channel(side.shm, to_left);
	side_close(&side);
}

static void tell_right(const struct order *what)
{
	*order = *what;
	node_go(&right);
	node_wait(&right);
}

void right_publishes_qp(bool ready, bool pulls)
{
	struct order what = { .what = SHOW_QP, .qp = right_qp(0) };

	what.qp.ready = ready;
	what.qp.pulls = pulls;
	tell_right(&what);
}

struct uroce_sink a_sink(void)
{
	return (struct uroce_sink){
		.psn = PSN,
		.bytes = BYTES - 100,
		.address = (uintptr_t)memory + 100,
	};
}

void right_publishes(enum uroce_sink_kind kind, struct uroce_sink sink)
{
	const struct order what = {
		.what = PUBLISH_SINK,
		.kind = kind,
		.sink = sink,
	};

	tell_right(&what);
}

void right_fills(uint8_t byte)
{
	const struct order what = { .what = FILL, .byte = byte };

	tell_right(&what);
}

void right_finds(uint32_t at, uint32_t bytes)
{
	const struct order what = {
		.what = FIND,
		.byte = 1,
		.at = at,
		.bytes = bytes,
	};

	tell_right(&what);
}

void right_copies(uint32_t slot, bool begins)
{
	const struct order what = {
		.what = begins ? COPY : COPIED,
		.slot = slot,
	};

	tell_right(&what);
}

/* -- both processes ------------------------------------------------------- */

void meet_as(void (*fn)(struct node *, uint32_t), enum uroce_shm_rndv rndv,
	     unsigned int kinds)
{
	struct uroce_channel *met;

	cma_rig_rndv = rndv;
	nr_copies = 0;
	nr_sleeps = 0;
	met = cma_rig_connect(&left, &right, fn, 3, kinds);
	assert_non_null(met->direct_copy);
	channel = met;
}

int meet(void **state)
{
	meet_as(right_obey_orders, UROCE_SHM_RNDV_ALWAYS, 3);
	node_wait(&right);
	assert_ptr_equal(channel->rndv, &uroce_shm_rndv_ops);
	right_publishes_qp(true, true);
	right_publishes(UROCE_SINK_RECEIVE, a_sink());
	right_fills(1);
	for (uint32_t i = 0; i < PART; i++)
		part[i] = pattern(i);
	memset(memory, 0, BYTES);
	return 0;
}

void end_left(void)
{
	denied = 0;
	while_asleep = NULL;
	set_clock(0);
	channel = NULL;
	cma_rig_rndv = UROCE_SHM_RNDV_TRY;
	side_close(&left);
}

int leave(void **state)
{
	*order = (struct order){ .what = LEAVE };
	if (right.pid) {
		node_go(&right);
		node_end(&right);
	}
	end_left();
	return 0;
}

void kill_right(void)
{
	node_kill(&right);
	right.pid = 0;
}

int push(enum uroce_sink_kind kind, const struct uroce_sink *sink,
	 uint32_t from, uint32_t bytes)
{
	const struct iovec iov = { part, bytes };
	int ret = channel->rndv->push(channel, &qpns, kind, sink, from, &iov);

	assert_false(says_that_she_copies());
	return ret;
}

int pull_from(const struct uroce_qpn_pair *from, const uint8_t *address,
	      uint32_t bytes)
{
	const struct iovec iov = { memory, bytes };
	int ret = channel->rndv->pull(channel, from, (uintptr_t)address, &iov);

	assert_false(says_that_she_copies());
	return ret;
}

int pull(void)
{
	return pull_from(&qpns, memory, PART);
}

static void be_there(struct node *node, uint32_t arg)
{
	(void)pause();
}

/*
 * The system must permit access to a child, and have addresses for the nonce;
 * the tests need no more.
 */
static bool system_permits_access(void)
{
	const struct iovec here = { part, 1 }, there = { memory, 1 };
	bool reads, writes;

	if (UINTPTR_MAX <= UINT32_MAX)
		return false;
	node_start(&right, be_there, 0);
	reads = process_vm_readv(right.pid, &here, 1, &there, 1, 0) == 1;
	writes = process_vm_writev(right.pid, &here, 1, &there, 1, 0) == 1;
	node_kill(&right);
	return reads && writes;
}

int obedient_open(void)
{
	order = mmap(NULL, sizeof(*order), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (order == MAP_FAILED || !board_open())
		return 1;
	if (system_permits_access())
		return 0;
	(void)fprintf(stderr, "process_vm_readv and process_vm_writev are not "
			      "allowed: skipped\n");
	return SKIPPED;
}
