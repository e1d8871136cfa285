/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * litmus ROUNDS GID_INDEX SEED [KIND]... - the order in which a target sees
 * remote operations.
 *
 * KIND is an index into names[]; the default is all kinds.
 *
 * Two processes run with WINDOW rounds in flight, each of 1 byte to 64 KB at
 * any alignment. names[] says which data the target checks at which event: all
 * data that must be visible at that event is compared, in each round. Both
 * processes compute the size, the place and the value of a round; before a
 * round starts, the target overwrites its place. In an "unresponsive target"
 * kind the target makes no verbs calls; in the other kinds a second thread of
 * the target polls, so that another thread writes the checked memory.
 */
#include "peer.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

enum kind {
	LAST_BYTE_DEAF,
	LAST_BYTE,
	FLAG_DEAF,
	FLAG,
	SEND,
	IMMEDIATE,
	FENCE,
	READ_BACK,
	ADD,
	SWAP,
	NR_KINDS,
};

static const char *const names[] = {
	"WRITE, poll of its last byte, unresponsive target",
	"WRITE, poll of its last byte",
	"WRITE, then WRITE of a polled flag, unresponsive target",
	"WRITE, then WRITE of a polled flag",
	"WRITE, then SEND",
	"WRITE with immediate",
	"READ and atomic, then fenced WRITE and SEND of their results",
	"WRITE, then READ of the same bytes",
	"FETCH_ADD, concurrent with the target's additions",
	"CMP_SWAP, concurrent with the target's swaps",
};

#define WINDOW	  16
#define LARGEST	  65536
#define SLOT	  (LARGEST + 64)
#define PER_ROUND 4 /* work requests */
#define DEPTH	  (WINDOW * PER_ROUND)
#define TIMEOUT	  18 /* 1 s: both ends may have to wait for a processor */
#define RETRIES	  7
#define SPINS	  2000 /* before sched_yield() */

/* Offsets in the memory of a process. */
#define DATA	 0		 /* written by WRITE; source of the other end */
#define BROUGHT	 (WINDOW * SLOT) /* written by READ */
#define FLAGS	 (2 * WINDOW * SLOT)
#define MESSAGES (FLAGS + 8 * WINDOW)
#define NUMBER	 (MESSAGES + 8 * WINDOW) /* the number that both ends change */
#define MEMORY	 (NUMBER + 8)

/* Memory that both processes share. */
struct board {
	pthread_barrier_t barrier;
	struct peer_address addresses[2];
	uint64_t checked; /* rounds that the target has checked */
	uint64_t made;	  /* rounds that the initiator has finished */
	uint64_t changed; /* changes by the target's processor */
};

struct round {
	uint64_t number;
	uint32_t slot, offset, bytes;
	unsigned char value;
};

static struct board *board;
static uint64_t rounds, seed;
static bool selected[NR_KINDS];
static unsigned char *memory;
static struct ibv_mr *mr;
static struct ibv_cq *cq;
static struct ibv_qp *qp;
static struct peer_address other;
static uint64_t completed; /* rounds of the initiator */
static uint64_t received;  /* messages at the target */
static uint64_t last_message;

static uint64_t mixed(uint64_t x)
{
	x = (x ^ x >> 31) * UINT64_C(0x7fb5d329728ea185);
	x = (x ^ x >> 27) * UINT64_C(0x81dadef4bc2dd44d);
	return x ^ x >> 33;
}

/* Most rounds are small, some are large. */
static struct round round_of(enum kind kind, uint64_t number)
{
	uint64_t random = mixed(mixed(seed + (uint64_t)kind) + number);
	uint32_t most = 64;

	if (random % 16 > 8)
		most = random % 16 == 15 ? LARGEST : 3000;
	return (struct round){
		.number = number,
		.slot = number % WINDOW,
		.offset = random >> 8 & 63,
		.bytes = 1 + (uint32_t)(random >> 16 & 0xffffff) % most,
		.value = (unsigned char)(1 + (random >> 40) % 255),
	};
}

static unsigned char *at(const struct round *round, size_t area)
{
	return memory + area + round->slot * SLOT + round->offset;
}

static uint64_t *number_at(size_t offset)
{
	return (uint64_t *)(memory + offset);
}

static void wait_for_both(void)
{
	int ret = pthread_barrier_wait(&board->barrier);

	NEED(ret == 0 || ret == PTHREAD_BARRIER_SERIAL_THREAD);
}

static void wait_a_bit(uint32_t *spins)
{
	if (++*spins % SPINS == 0)
		(void)sched_yield();
}

static void assert_bytes(enum kind kind, const struct round *round,
			 const unsigned char *there)
{
	for (uint32_t i = 0; i < round->bytes; i++) {
		if (there[i] == round->value)
			continue;
		fprintf(stderr,
			"%s: round %" PRIu64 ", byte %u of %u at %u: %#x, "
			"expected %#x\n",
			names[kind], round->number, i, round->bytes,
			round->offset, there[i], round->value);
		exit(1);
	}
}

/* -- the initiator -- */

static void post(enum ibv_wr_opcode opcode, const void *local, uint32_t bytes,
		 size_t theirs, uint32_t flags, uint64_t value)
{
	struct ibv_sge sge = { .addr = (uintptr_t)local,
			       .length = bytes,
			       .lkey = mr->lkey };
	struct ibv_send_wr wr = { .opcode = opcode,
				  .sg_list = &sge,
				  .num_sge = 1,
				  .imm_data = (uint32_t)value,
				  .send_flags = flags };
	struct ibv_send_wr *bad;

	if (opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
	    opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = other.addr + theirs;
		wr.wr.atomic.rkey = other.rkey;
		wr.wr.atomic.compare_add =
			opcode == IBV_WR_ATOMIC_CMP_AND_SWP ? value : 1;
		wr.wr.atomic.swap = value + 1;
	} else {
		wr.wr.rdma.remote_addr = other.addr + theirs;
		wr.wr.rdma.rkey = other.rkey;
	}
	NEED(ibv_post_send(qp, &wr, &bad) == 0);
}

static void post_fenced(const struct round *round)
{
	uint64_t *message = number_at(MESSAGES) + round->slot;
	size_t theirs = round->slot * SLOT + round->offset;

	post(IBV_WR_RDMA_READ, at(round, BROUGHT), round->bytes,
	     BROUGHT + theirs, 0, 0);
	post(IBV_WR_RDMA_WRITE, at(round, BROUGHT), round->bytes, theirs,
	     IBV_SEND_FENCE, 0);
	post(IBV_WR_ATOMIC_FETCH_AND_ADD, message, 8, NUMBER, 0, 0);
	post(IBV_WR_SEND, message, 8, 0, IBV_SEND_FENCE | IBV_SEND_SIGNALED, 0);
}

static void post_round(enum kind kind, const struct round *round)
{
	uint64_t *message = number_at(MESSAGES) + round->slot;
	size_t theirs = round->slot * SLOT + round->offset;
	bool only = kind == LAST_BYTE || kind == LAST_BYTE_DEAF;

	*message = round->number;
	if (kind == FENCE) {
		post_fenced(round);
		return;
	}
	memset(at(round, DATA), round->value, round->bytes);
	post(kind == IMMEDIATE ? IBV_WR_RDMA_WRITE_WITH_IMM : IBV_WR_RDMA_WRITE,
	     at(round, DATA), round->bytes, theirs,
	     only || kind == IMMEDIATE ? IBV_SEND_SIGNALED : 0, round->number);
	if (kind == FLAG || kind == FLAG_DEAF) {
		++*message; /* 0 is no message */
		post(IBV_WR_RDMA_WRITE, message, 8, FLAGS + 8 * round->slot,
		     IBV_SEND_SIGNALED, 0);
	} else if (kind == SEND) {
		post(IBV_WR_SEND, message, 8, 0, IBV_SEND_SIGNALED, 0);
	} else if (kind == READ_BACK) {
		memset(at(round, BROUGHT), 0, round->bytes);
		post(IBV_WR_RDMA_READ, at(round, BROUGHT), round->bytes, theirs,
		     IBV_SEND_SIGNALED, 0);
	}
}

static bool poll_one(void)
{
	struct ibv_wc wc;
	int nr = ibv_poll_cq(cq, 1, &wc);

	NEED(nr >= 0);
	if (nr && wc.status != IBV_WC_SUCCESS) {
		fprintf(stderr, "completion %s\n",
			ibv_wc_status_str(wc.status));
		exit(1);
	}
	completed += (uint64_t)nr;
	return nr;
}

/* Waits until both ends have finished @number rounds. */
static void wait_for(uint64_t number)
{
	uint32_t spins = 0;

	while (completed < number ||
	       __atomic_load_n(&board->checked, __ATOMIC_ACQUIRE) < number)
		if (!poll_one())
			wait_a_bit(&spins);
}

static void check_read(uint64_t number)
{
	struct round round = round_of(READ_BACK, number);

	assert_bytes(READ_BACK, &round, at(&round, BROUGHT));
}

static void initiate(enum kind kind)
{
	for (uint64_t number = 0; number < rounds; number++) {
		struct round round = round_of(kind, number);

		if (number >= WINDOW) {
			wait_for(number - WINDOW + 1);
			if (kind == READ_BACK)
				check_read(number - WINDOW);
		}
		/* with an empty send queue, the library may use another path */
		if (mixed(seed ^ number) % 4 == 0)
			wait_for(number);
		post_round(kind, &round);
	}
	wait_for(rounds);
}

/* Return: how often the number has changed. */
static uint64_t change(enum kind kind)
{
	uint64_t *answer = number_at(MESSAGES), known = 0, changed = 0;

	for (uint64_t number = 0; number < rounds; number++) {
		if (kind == ADD)
			post(IBV_WR_ATOMIC_FETCH_AND_ADD, answer, 8, NUMBER,
			     IBV_SEND_SIGNALED, 0);
		else
			post(IBV_WR_ATOMIC_CMP_AND_SWP, answer, 8, NUMBER,
			     IBV_SEND_SIGNALED, known);
		wait_for(number + 1);
		NEED(*answer >= known);
		if (kind == ADD || *answer == known) {
			known = *answer + 1;
			changed++;
		} else {
			known = *answer;
		}
	}
	return changed;
}

/* -- the target -- */

static void post_receive(uint64_t number)
{
	peer_receive(qp, mr, 0, number_at(MESSAGES) + number % WINDOW, 8);
}

static bool poll_receive(enum kind kind)
{
	struct ibv_wc wc;
	int nr = ibv_poll_cq(cq, 1, &wc);

	NEED(nr >= 0);
	if (!nr)
		return false;
	NEED(wc.status == IBV_WC_SUCCESS);
	last_message = kind == IMMEDIATE
			       ? wc.imm_data
			       : number_at(MESSAGES)[received % WINDOW];
	received++;
	return true;
}

static bool has_messages(enum kind kind)
{
	return kind == SEND || kind == IMMEDIATE || kind == FENCE;
}

static bool has_arrived(enum kind kind, const struct round *round)
{
	const uint64_t *flag = number_at(FLAGS) + round->slot;
	const unsigned char *last = at(round, DATA) + round->bytes - 1;

	if (has_messages(kind))
		return poll_receive(kind);
	if (kind == FLAG || kind == FLAG_DEAF)
		return __atomic_load_n(flag, __ATOMIC_ACQUIRE) ==
		       round->number + 1;
	return __atomic_load_n(last, __ATOMIC_ACQUIRE) == round->value;
}

/*
 * Makes every byte differ from its later value, except in the source of a READ.
 */
static void prepare(enum kind kind, uint64_t number)
{
	struct round round = round_of(kind, number);

	if (number >= rounds)
		return;
	memset(at(&round, DATA), 0, round.bytes);
	if (kind == FENCE)
		memset(at(&round, BROUGHT), round.value, round.bytes);
}

static void check_rounds(enum kind kind)
{
	for (uint64_t number = 0; number < rounds; number++) {
		struct round round = round_of(kind, number);
		uint32_t spins = 0;

		while (!has_arrived(kind, &round))
			wait_a_bit(&spins);
		assert_bytes(kind, &round, at(&round, DATA));
		if (has_messages(kind)) {
			NEED(kind == IMMEDIATE
				     ? last_message == (uint32_t)number
				     : last_message == number);
			post_receive(number);
		}
		prepare(kind, number + WINDOW);
		__atomic_store_n(&board->checked, number + 1, __ATOMIC_RELEASE);
	}
}

static bool is_made(void)
{
	return __atomic_load_n(&board->made, __ATOMIC_ACQUIRE);
}

static void change_concurrently(enum kind kind)
{
	uint64_t *number = number_at(NUMBER), known;
	uint32_t spins = 0;

	while (!is_made()) {
		wait_a_bit(&spins); /* lets the helper thread run */
		known = __atomic_load_n(number, __ATOMIC_RELAXED);
		if (kind == ADD) {
			__atomic_fetch_add(number, 1, __ATOMIC_RELAXED);
			board->changed++;
		} else if (__atomic_compare_exchange_n(
				   number, &known, known + 1, false,
				   __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
			board->changed++;
		}
	}
}

static void *keep_polling(void *arg)
{
	struct ibv_wc wc;
	uint32_t spins = 0;

	while (!is_made()) {
		NEED(ibv_poll_cq(cq, 1, &wc) == 0);
		wait_a_bit(&spins);
	}
	return NULL;
}

static void be_target(enum kind kind)
{
	bool polls = kind == LAST_BYTE || kind == FLAG || kind == ADD;
	pthread_t thread;

	if (polls)
		NEED(pthread_create(&thread, NULL, keep_polling, NULL) == 0);
	if (kind == ADD || kind == SWAP)
		change_concurrently(kind);
	else if (kind != READ_BACK)
		check_rounds(kind);
	if (polls)
		NEED(pthread_join(thread, NULL) == 0);
}

/* -- both ends -- */

static void open_end(bool initiator, int gid_index)
{
	peer_open(gid_index);
	memory = aligned_alloc(4096, (MEMORY + 4095) / 4096 * 4096);
	NEED(memory);
	memset(memory, 0, MEMORY);
	mr = ibv_reg_mr(peer_pd, memory, MEMORY, PEER_ACCESS);
	cq = ibv_create_cq(peer_ctx, 2 * DEPTH, NULL, NULL, 0);
	NEED(mr && cq);
}

/*
 * Each kind has a queue pair of its own, so that it starts with no old state.
 */
static void connect_end(enum kind kind, bool initiator)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq,
		.recv_cq = cq,
		.cap = { .max_send_wr = DEPTH,
			 .max_recv_wr = WINDOW,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.qp_type = IBV_QPT_RC,
	};

	memset(memory + FLAGS, 0, MEMORY - FLAGS);
	completed = 0;
	received = 0;
	qp = peer_qp_of(&init);
	board->addresses[initiator] = peer_address(qp, mr);
	for (uint64_t i = 0; !initiator && i < WINDOW; i++) {
		post_receive(i);
		prepare(kind, i);
	}
	if (initiator) {
		board->made = 0;
		board->changed = 0;
		board->checked = kind >= READ_BACK ? UINT64_MAX : 0;
	}
	wait_for_both();
	other = board->addresses[!initiator];
	peer_connect(qp, &board->addresses[initiator], &other, TIMEOUT,
		     RETRIES);
	wait_for_both();
}

static void one_kind(enum kind kind, bool initiator)
{
	uint64_t begin = peer_now_us(), changed = 0;

	connect_end(kind, initiator);
	if (!initiator) {
		be_target(kind);
	} else {
		if (kind == ADD || kind == SWAP)
			changed = change(kind);
		else
			initiate(kind);
		__atomic_store_n(&board->made, 1, __ATOMIC_RELEASE);
	}
	wait_for_both();
	if (!initiator && (kind == ADD || kind == SWAP))
		board->changed -=
			*number_at(NUMBER); /* without the other end's share */
	wait_for_both();
	NEED(!initiator || board->changed == 0 - changed);
	NEED(ibv_destroy_qp(qp) == 0);
	if (initiator)
		printf("%" PRIu64 " rounds, %" PRIu64 " ms: %s\n", rounds,
		       (peer_now_us() - begin) / 1000, names[kind]);
}

static int run(bool initiator, int gid_index)
{
	open_end(initiator, gid_index);
	for (int kind = 0; kind < NR_KINDS; kind++)
		if (selected[kind])
			one_kind(kind, initiator);
	wait_for_both();
	NEED(ibv_destroy_cq(cq) == 0 && ibv_dereg_mr(mr) == 0);
	peer_close();
	free(memory);
	return 0;
}

static void board_init(void)
{
	pthread_barrierattr_t attr;

	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	NEED(board != MAP_FAILED);
	NEED(pthread_barrierattr_init(&attr) == 0);
	NEED(pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED) ==
	     0);
	NEED(pthread_barrier_init(&board->barrier, &attr, 2) == 0);
}

/* Return: the number of selected kinds. */
static unsigned int select_kinds(char **kinds, int nr)
{
	unsigned int count = 0;

	for (int i = 0; i < nr; i++) {
		int kind = atoi(kinds[i]);

		NEED(kind >= 0 && kind < NR_KINDS && !selected[kind]);
		selected[kind] = true;
	}
	for (int kind = 0; kind < NR_KINDS; kind++) {
		selected[kind] |= nr == 0;
		count += selected[kind];
	}
	return count;
}

/* A failed process has printed the reason; no process waits for it. */
static void on_child(int signal, siginfo_t *info, void *context)
{
	if (info->si_code != CLD_EXITED || info->si_status)
		_exit(1);
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_sigaction = on_child,
				    .sa_flags = SA_SIGINFO | SA_RESTART };
	int status, gid_index;
	unsigned int nr_kinds;
	pid_t pid;

	NEED(argc >= 4);
	nr_kinds = select_kinds(argv + 4, argc - 4);
	rounds = strtoull(argv[1], NULL, 10);
	gid_index = atoi(argv[2]);
	seed = strtoull(argv[3], NULL, 10);
	setvbuf(stdout, NULL, _IOLBF, 0);
	srandom((unsigned int)seed);
	board_init();
	NEED(sigaction(SIGCHLD, &action, NULL) == 0);
	pid = fork();
	NEED(pid >= 0);
	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		return run(false, gid_index);
	}
	run(true, gid_index);
	NEED(waitpid(pid, &status, 0) == pid && status == 0);
	printf("in order: %u kinds, %" PRIu64 " rounds\n", nr_kinds,
	       nr_kinds * rounds);
	return 0;
}
