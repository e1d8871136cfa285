/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * unresponsive GID_INDEX SEED - unresponsive targets.
 *
 * One process is the requester. The others (this program, with a descriptor as
 * its only argument) are targets and make no verbs calls meanwhile: they spin
 * on their memory, sleep, or compute while they hold a lock that the library
 * could need. WRITE, READ, atomics and SEND must complete all the same. If a
 * target is stopped (SIGSTOP), every operation that needs its response fails
 * when the retries are exhausted, and operations on other targets continue,
 * even while the requester connects to the stopped target.
 */
#include "peer.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

enum kind {
	SPINS, /* polls its memory */
	SLEEPS,
	MALLOC,	 /* computes and holds the lock of malloc() */
	STDIO,	 /* computes and holds the lock of stderr */
	POLLING, /* between ibv_start_poll() and ibv_end_poll() */
	NR_KINDS,
};

static const char *const kind_names[] = { "spins", "sleeps", "holds malloc",
					  "holds stderr", "holds its CQ" };

#define BIG	 (1 << 20)
#define AREA	 (2 * BIG) /* the target of WRITEs, then the source */
#define DEPTH	 16
#define LIMIT_US 60000000
#define GOES_ON	 300 /* rounds with a responsive target */
#define NUMBER	 (BIG - 8)

/* State of the malloc() below. */
static pthread_mutex_t memory_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t memory_holder;
static bool memory_held;

static void memory_enter(void)
{
	bool own = __atomic_load_n(&memory_held, __ATOMIC_ACQUIRE) &&
		   pthread_equal(memory_holder, pthread_self());

	if (own)
		return;
	(void)pthread_mutex_lock(&memory_lock);
	(void)pthread_mutex_unlock(&memory_lock);
}

/* glibc's own functions, of which malloc() and the others are aliases. */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t nr, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void *__libc_memalign(size_t align, size_t bytes);
void __libc_free(void *old);

void *malloc(size_t bytes)
{
	memory_enter();
	return __libc_malloc(bytes);
}

void *calloc(size_t nr, size_t bytes)
{
	memory_enter();
	return __libc_calloc(nr, bytes);
}

void *realloc(void *old, size_t bytes)
{
	memory_enter();
	return __libc_realloc(old, bytes);
}

void *aligned_alloc(size_t align, size_t bytes)
{
	memory_enter();
	return __libc_memalign(align, bytes);
}

void free(void *old)
{
	memory_enter();
	__libc_free(old);
}

/* Timeouts of a connection. */
struct timeouts {
	uint8_t timeout, retries;
};

/* With a running target, which may have to wait for a processor. */
static const struct timeouts long_timeouts = { .timeout = 18 /* 1 s */,
					       .retries = 7 };
/* With a target that will be stopped. */
static const struct timeouts short_timeouts = { .timeout = 16 /* 0.27 s */,
						.retries = 2 };

struct end {
	struct ibv_cq_ex *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	unsigned char *memory;
	struct peer_address own, other;
	pid_t pid;
	int fd;
};

static void end_init(struct end *end)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = 4 * DEPTH };

	*end = (struct end){ .fd = -1 };
	end->memory = aligned_alloc(4096, AREA);
	NEED(end->memory);
	memset(end->memory, 0, AREA);
	end->mr = ibv_reg_mr(peer_pd, end->memory, AREA, PEER_ACCESS);
	end->cq = ibv_create_cq_ex(peer_ctx, &attr);
	NEED(end->mr && end->cq);
	end->qp = peer_qp(ibv_cq_ex_to_cq(end->cq), DEPTH);
	end->own = peer_address(end->qp, end->mr);
}

static void end_fini(struct end *end)
{
	NEED(ibv_destroy_qp(end->qp) == 0);
	NEED(ibv_destroy_cq(ibv_cq_ex_to_cq(end->cq)) == 0);
	NEED(ibv_dereg_mr(end->mr) == 0);
	free(end->memory);
}

/* Return: whether the requester has signalled the end. */
static bool end_signalled(int fd)
{
	char byte;

	return recv(fd, &byte, 1, MSG_DONTWAIT) == 1;
}

static void compute(int fd)
{
	for (volatile unsigned int i = 0; !end_signalled(fd); i++)
		continue;
}

/* Polls memory until the last write arrives, and does nothing else. */
static void spin(struct end *end)
{
	volatile const uint64_t *number =
		(volatile uint64_t *)(end->memory + NUMBER);

	while (!__atomic_load_n(number, __ATOMIC_ACQUIRE))
		continue;
}

static void be_unresponsive(struct end *end, enum kind kind, int fd)
{
	struct ibv_poll_cq_attr attr = {};
	char byte;

	switch (kind) {
	case SPINS:
		spin(end);
		NEED(read(fd, &byte, 1) == 1);
		break;
	case SLEEPS:
		NEED(read(fd, &byte, 1) == 1);
		break;
	case MALLOC:
		(void)pthread_mutex_lock(&memory_lock);
		memory_holder = pthread_self();
		__atomic_store_n(&memory_held, true, __ATOMIC_RELEASE);
		compute(fd);
		__atomic_store_n(&memory_held, false, __ATOMIC_RELEASE);
		(void)pthread_mutex_unlock(&memory_lock);
		break;
	case STDIO:
		flockfile(stderr);
		compute(fd);
		funlockfile(stderr);
		break;
	default: /* the first received message is being polled */
		while (ibv_start_poll(end->cq, &attr) == ENOENT)
			continue;
		NEED(end->cq->status == IBV_WC_SUCCESS);
		compute(fd);
		ibv_end_poll(end->cq);
	}
}

/* The main function of a target. */
static int target(int fd)
{
	uint32_t hello[2];
	struct end end;
	char byte = 'r';

	NEED(read(fd, hello, sizeof(hello)) == sizeof(hello));
	srandom((unsigned int)getpid());
	peer_open((int)hello[1]);
	end_init(&end);
	for (int i = 0; i < DEPTH; i++)
		peer_receive(end.qp, end.mr, 0, end.memory + BIG, BIG);
	peer_send_address(fd, &end.own);
	peer_receive_address(fd, &end.other);
	/* the target may have been stopped before this */
	peer_connect(end.qp, &end.own, &end.other, long_timeouts.timeout,
		     long_timeouts.retries);
	NEED(write(fd, &byte, 1) == 1);
	be_unresponsive(&end, hello[0], fd);
	NEED(write(fd, end.memory + NUMBER, 8) == 8);
	NEED(read(fd, &byte, 1) == 1);
	end_fini(&end);
	peer_close();
	return 0;
}

/* Starts a target without connecting to it. */
static void start(struct end *end, enum kind kind)
{
	const uint32_t hello[2] = { kind, (uint32_t)peer_gid_index };

	end_init(end);
	end->pid = peer_spawn("/proc/self/exe", &end->fd);
	NEED(write(end->fd, hello, sizeof(hello)) == sizeof(hello));
	peer_receive_address(end->fd, &end->other);
}

static void wait_until_ready(struct end *end)
{
	char byte;

	NEED(read(end->fd, &byte, 1) == 1 && byte == 'r');
}

static void connect_both(struct end *end, struct timeouts timeouts)
{
	peer_send_address(end->fd, &end->own);
	peer_connect(end->qp, &end->own, &end->other, timeouts.timeout,
		     timeouts.retries);
	wait_until_ready(end);
}

/* Return: the number that the target has found in its memory. */
static uint64_t stop(struct end *end)
{
	uint64_t number;
	int status;

	NEED(write(end->fd, "e", 1) == 1);
	NEED(read(end->fd, &number, 8) == 8);
	NEED(write(end->fd, "e", 1) == 1);
	NEED(waitpid(end->pid, &status, 0) == end->pid && status == 0);
	close(end->fd);
	end_fini(end);
	return number;
}

static enum ibv_wc_status completion(struct end *end)
{
	uint64_t until = peer_now_us() + LIMIT_US;
	struct ibv_wc wc;
	int nr;

	do {
		nr = ibv_poll_cq(ibv_cq_ex_to_cq(end->cq), 1, &wc);
		NEED(nr >= 0);
	} while (!nr && peer_now_us() < until);
	NEED(nr == 1);
	return wc.status;
}

/* Posts an operation on @bytes between the offsets @own and @theirs. */
static void post_op(struct end *end, enum ibv_wr_opcode opcode, size_t own,
		    size_t theirs, uint32_t bytes)
{
	struct peer_address to = end->other;

	to.addr += theirs;
	peer_request(end->qp, opcode, end->mr, 0, end->memory + own, bytes,
		     &to);
}

static void run_op(struct end *end, enum ibv_wr_opcode opcode, size_t own,
		   size_t theirs, uint32_t bytes)
{
	post_op(end, opcode, own, theirs, bytes);
	NEED(completion(end) == IBV_WC_SUCCESS);
}

static void write_and_read(struct end *end, uint32_t bytes, uint32_t seed)
{
	for (uint32_t i = 0; i < bytes; i++)
		end->memory[BIG + i] = (unsigned char)(seed + i * 7);
	run_op(end, IBV_WR_RDMA_WRITE, BIG, 0, bytes);
	memset(end->memory, 0, bytes);
	run_op(end, IBV_WR_RDMA_READ, 0, 0, bytes);
	NEED(memcmp(end->memory, end->memory + BIG, bytes) == 0);
}

/* Runs every operation on an unresponsive target. */
static void run_all_ops(struct end *end)
{
	static const uint32_t sizes[] = { 1, 8, 3000, 65536, NUMBER };
	uint64_t *answer = (uint64_t *)end->memory;

	run_op(end, IBV_WR_SEND, BIG, 0, 100);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		write_and_read(end, sizes[i], (uint32_t)i);
	for (uint64_t i = 0; i < 10; i++) {
		run_op(end, IBV_WR_ATOMIC_FETCH_AND_ADD, 0, BIG, 8);
		NEED(*answer == i);
	}
	run_op(end, IBV_WR_SEND, BIG, 0, BIG / 2);
	/* this value ends the spinning */
	answer[BIG / 8] = UINT64_C(0x123456789abcdef0);
	run_op(end, IBV_WR_RDMA_WRITE, BIG, NUMBER, 8);
}

static void test_unresponsive(enum kind kind)
{
	uint64_t begin = peer_now_us();
	struct end end;

	start(&end, kind);
	connect_both(&end, long_timeouts);
	run_all_ops(&end);
	NEED(stop(&end) == UINT64_C(0x123456789abcdef0));
	printf("target that %s: %llu ms\n", kind_names[kind],
	       (unsigned long long)(peer_now_us() - begin) / 1000);
}

static void stop_process(const struct end *end)
{
	int status;

	NEED(kill(end->pid, SIGSTOP) == 0);
	NEED(waitpid(end->pid, &status, WUNTRACED) == end->pid);
	NEED(WIFSTOPPED(status));
}

/*
 * Operations on a stopped target fail in the order in which they were posted.
 */
static void need_errors(struct end *end)
{
	NEED(completion(end) == IBV_WC_RETRY_EXC_ERR);
	for (int i = 1; i < DEPTH; i++)
		NEED(completion(end) == IBV_WC_WR_FLUSH_ERR);
}

/*
 * When the target is stopped, more data than any buffer holds is in flight to
 * it.
 */
static void test_stopped(void)
{
	struct end end, other;
	uint64_t begin;

	start(&end, SLEEPS);
	connect_both(&end, short_timeouts);
	start(&other, SLEEPS);
	connect_both(&other, long_timeouts);
	stop_process(&end);
	for (int i = 0; i < DEPTH; i++)
		post_op(&end, IBV_WR_SEND, BIG, 0, BIG);
	for (uint32_t i = 0; i < GOES_ON; i++)
		write_and_read(&other, 5000, i);
	need_errors(&end);
	begin = peer_now_us();
	write_and_read(&other, BIG - 8, 1);
	printf("stopped target: another target responds in %llu ms\n",
	       (unsigned long long)(peer_now_us() - begin) / 1000);
	NEED(ibv_destroy_qp(end.qp) == 0);
	end.qp = peer_qp(ibv_cq_ex_to_cq(end.cq), 1);
	NEED(kill(end.pid, SIGCONT) == 0);
	(void)stop(&end);
	(void)stop(&other);
}

struct busy {
	struct end *end;
	uint32_t rounds, stop;
};

static void *keep_busy(void *arg)
{
	struct busy *busy = arg;

	while (!__atomic_load_n(&busy->stop, __ATOMIC_ACQUIRE)) {
		write_and_read(busy->end, 5000, busy->rounds);
		__atomic_fetch_add(&busy->rounds, 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* A process is stopped that has no connection with us, and is asked for one. */
static void test_stopped_before_connection(void)
{
	struct end end, other;
	struct busy busy = { .end = &other };
	uint32_t before, after;
	uint64_t took;
	pthread_t thread;

	start(&other, SLEEPS);
	connect_both(&other, long_timeouts);
	start(&end, SLEEPS);
	stop_process(&end);
	NEED(pthread_create(&thread, NULL, keep_busy, &busy) == 0);
	while (!(before = __atomic_load_n(&busy.rounds, __ATOMIC_ACQUIRE)))
		continue;
	took = peer_now_us();
	peer_connect(end.qp, &end.own, &end.other, long_timeouts.timeout,
		     long_timeouts.retries);
	took = peer_now_us() - took;
	after = __atomic_load_n(&busy.rounds, __ATOMIC_ACQUIRE);
	/*
	 * Whether or not the process has waited, it serves another target
	 * afterwards.
	 */
	while (__atomic_load_n(&busy.rounds, __ATOMIC_ACQUIRE) == after)
		continue;
	NEED(took < LIMIT_US);
	NEED(took < 1000000 || after > before);
	__atomic_store_n(&busy.stop, 1, __ATOMIC_RELEASE);
	NEED(pthread_join(thread, NULL) == 0);
	printf("connection to a stopped target: %llu ms, %u rounds with "
	       "another target\n",
	       (unsigned long long)took / 1000, after - before);
	/* after SIGCONT the two ends connect, over any transport */
	NEED(kill(end.pid, SIGCONT) == 0);
	peer_send_address(end.fd, &end.own);
	wait_until_ready(&end);
	run_all_ops(&end);
	(void)stop(&end);
	(void)stop(&other);
}

int main(int argc, char **argv)
{
	if (argc == 2)
		return target(atoi(argv[1]));
	NEED(argc == 3);
	srandom((unsigned int)atoi(argv[2]));
	peer_open(atoi(argv[1]));
	for (int kind = 0; kind < NR_KINDS; kind++)
		test_unresponsive(kind);
	test_stopped();
	test_stopped_before_connection();
	peer_close();
	printf("all operations completed\n");
	return 0;
}
