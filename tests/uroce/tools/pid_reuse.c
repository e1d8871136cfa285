/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * pid_reuse ROUNDS GID_INDEX ASK TOLD - another program with the pid of a peer.
 *
 * In each round this process writes to and reads from the memory of a peer,
 * which does not poll. Then the peer executes another program, or is killed and
 * a new process gets its pid. That program has memory at the same address. A
 * child of the peer, made without fork handlers, keeps its sockets open, so
 * nothing shows that the peer has gone. All further requests must fail, and
 * the other program's memory must be neither written nor read.
 *
 * ASK and TOLD are FIFOs to a process that may choose the next pid: it gets the
 * pid before that one, and writes a line when it is set.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* _Fork() */
#endif
#include "peer.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#define HOME	    ((void *)UINT64_C(0x200000000000))
#define MESSAGE	    (64 * 1024) /* not all of them fit into a ring */
#define NR_QPS	    8		/* even: write, odd: read */
#define MEMORY	    (NR_QPS * MESSAGE)
#define EXCHANGES   50
#define TIMEOUT	    17 /* 0.5 s: a living peer may wait for a processor */
#define RETRIES	    1
#define TRIES	    100
#define PEER_BYTE   0x11
#define OTHER_BYTE  0x5a
#define WRITER_BYTE 0xbb

enum role { PEER, OTHER_PROGRAM };

struct hello {
	enum role role;
	int gid_index;
};

struct end {
	struct ibv_cq *cq;
	struct ibv_qp *qp[NR_QPS];
	struct ibv_mr *mr;
	unsigned char *memory;
	struct peer_address own[NR_QPS], other[NR_QPS];
};

static unsigned char *map_memory(void *home, int byte)
{
	unsigned char *memory = mmap(home, MEMORY, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS |
					     (home ? MAP_FIXED_NOREPLACE : 0),
				     -1, 0);

	NEED(memory != MAP_FAILED);
	memset(memory, byte, MEMORY);
	return memory;
}

static void end_init(struct end *end, void *home, int byte)
{
	end->memory = map_memory(home, byte);
	end->mr = ibv_reg_mr(peer_pd, end->memory, MEMORY, PEER_ACCESS);
	end->cq = ibv_create_cq(peer_ctx, NR_QPS, NULL, NULL, 0);
	NEED(end->mr && end->cq);
	for (int i = 0; i < NR_QPS; i++) {
		end->qp[i] = peer_qp(end->cq, 1);
		end->own[i] = peer_address(end->qp[i], end->mr);
		end->own[i].addr += (uint64_t)i * MESSAGE;
	}
}

static void end_connect(struct end *end, int fd)
{
	for (int i = 0; i < NR_QPS; i++)
		peer_send_address(fd, &end->own[i]);
	for (int i = 0; i < NR_QPS; i++) {
		peer_receive_address(fd, &end->other[i]);
		peer_connect(end->qp[i], &end->own[i], &end->other[i], TIMEOUT,
			     RETRIES);
	}
}

static void end_fini(struct end *end)
{
	for (int i = 0; i < NR_QPS; i++)
		NEED(ibv_destroy_qp(end->qp[i]) == 0);
	NEED(ibv_destroy_cq(end->cq) == 0);
	NEED(ibv_dereg_mr(end->mr) == 0);
	NEED(munmap(end->memory, MEMORY) == 0);
}

static void post_request(struct end *end, int i)
{
	peer_request(end->qp[i], i % 2 ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE,
		     end->mr, (uint64_t)i, end->memory + i * MESSAGE, MESSAGE,
		     &end->other[i]);
}

static void wait_for_status(struct end *end, enum ibv_wc_status status)
{
	struct ibv_wc wc;
	int nr;

	while (!(nr = ibv_poll_cq(end->cq, 1, &wc)))
		continue;
	NEED(nr == 1);
	if (wc.status == status)
		return;
	fprintf(stderr, "request %d: %s\n", (int)wc.wr_id,
		ibv_wc_status_str(wc.status));
	exit(1);
}

/* -- peer and other program ----------------------------------------------- */

static void run_peer(int fd)
{
	struct end end = {};
	char byte;
	pid_t child;

	end_init(&end, HOME, PEER_BYTE);
	end_connect(&end, fd);
	child = _Fork();
	NEED(child >= 0);
	while (!child)
		pause();
	NEED(write(fd, &child, sizeof(child)) == sizeof(child));
	NEED(read(fd, &byte, 1) == 1);
	execl("/proc/self/exe", "pid_reuse", "0", (char *)NULL);
	NEED(!"execl");
}

static void run_other_program(int fd)
{
	const unsigned char *memory = map_memory(HOME, OTHER_BYTE);
	bool changed = false;
	char byte = 'r';

	NEED(write(fd, &byte, 1) == 1 && read(fd, &byte, 1) == 1);
	for (int i = 0; i < MEMORY; i++)
		changed |= memory[i] != OTHER_BYTE;
	NEED(write(fd, changed ? "c" : "u", 1) == 1);
}

static int run_role(int fd)
{
	struct hello hello;

	NEED(read(fd, &hello, sizeof(hello)) == sizeof(hello));
	srandom((unsigned int)getpid());
	if (hello.role == OTHER_PROGRAM) {
		run_other_program(fd);
		return 0;
	}
	peer_open(hello.gid_index);
	run_peer(fd);
	return 1;
}

/* -- requester ------------------------------------------------------------ */

static int ask_fd, told_fd;

static void send_role(int fd, enum role role)
{
	const struct hello hello = { role, peer_gid_index };

	NEED(write(fd, &hello, sizeof(hello)) == sizeof(hello));
}

static char next_byte(int fd)
{
	char byte;

	NEED(read(fd, &byte, 1) == 1);
	return byte;
}

static void kill_and_reap(pid_t pid)
{
	NEED(kill(pid, SIGKILL) == 0 && waitpid(pid, NULL, 0) == pid);
}

/* A process that starts meanwhile may get the pid; it ends soon. */
static int spawn_with_pid(pid_t pid)
{
	for (int i = 0; i < TRIES; i++) {
		pid_t got;
		int fd;

		NEED(dprintf(ask_fd, "%d\n", pid - 1) > 0);
		NEED(next_byte(told_fd) == '\n');
		got = peer_spawn("/proc/self/exe", &fd);
		if (got == pid)
			return fd;
		close(fd);
		kill_and_reap(got);
	}
	fprintf(stderr, "no process got pid %d\n", pid);
	exit(1);
}

static void assert_not_read(const struct end *end)
{
	for (int i = 0; i < MEMORY; i++)
		NEED(end->memory[i] != OTHER_BYTE);
}

static void one_round(bool killed)
{
	struct end end = {};
	pid_t pid, child;
	int fd, status;

	pid = peer_spawn("/proc/self/exe", &fd);
	send_role(fd, PEER);
	end_init(&end, NULL, WRITER_BYTE);
	end_connect(&end, fd);
	NEED(read(fd, &child, sizeof(child)) == sizeof(child));
	for (int i = 0; i < EXCHANGES; i++) {
		post_request(&end, i % NR_QPS);
		wait_for_status(&end, IBV_WC_SUCCESS);
	}
	if (killed) {
		close(fd);
		kill_and_reap(pid);
		fd = spawn_with_pid(pid);
	} else {
		NEED(write(fd, "x", 1) == 1);
	}
	send_role(fd, OTHER_PROGRAM);
	NEED(next_byte(fd) == 'r');
	for (int i = 0; i < NR_QPS; i++)
		post_request(&end, i);
	for (int i = 0; i < NR_QPS; i++)
		wait_for_status(&end, IBV_WC_RETRY_EXC_ERR);
	assert_not_read(&end);
	NEED(write(fd, "e", 1) == 1);
	NEED(next_byte(fd) == 'u');
	NEED(waitpid(pid, &status, 0) == pid && status == 0);
	NEED(kill(child, SIGKILL) == 0);
	close(fd);
	end_fini(&end);
}

int main(int argc, char **argv)
{
	int rounds;

	if (argc == 2)
		return run_role(atoi(argv[1]));
	NEED(argc == 5);
	rounds = atoi(argv[1]);
	srandom((unsigned int)getpid());
	ask_fd = open(argv[3], O_WRONLY | O_CLOEXEC);
	told_fd = open(argv[4], O_RDONLY | O_CLOEXEC);
	NEED(ask_fd >= 0 && told_fd >= 0);
	peer_open(atoi(argv[2]));
	for (int i = 0; i < rounds; i++) {
		one_round(false);
		one_round(true);
	}
	peer_close();
	printf("%d programs had the pid of a peer\n", 2 * rounds);
	return 0;
}
