// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: the processes and the memory of both ends.
 *
 * A starter process is forked before any verbs call. It forks one server
 * process after the other: a test may kill its server. The starter reports the
 * exit status of each server through a socket of its own, so the client notices
 * the end of a server while it waits for a reply.
 *
 * Each end has an arena of shared memory. The client process maps both arenas
 * as "views", and its own arena once more; the server process maps its own
 * arena only. All four mappings have different addresses in both processes.
 */
#include "conform_call.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define REPLY_EXTRA_MS 20000 /* for a reply, after the time of the call */
#define NOT_ENDED      -1

/* Places of the arenas; each is CONFORM_ARENA_BYTES long. */
enum place { CLIENT_ARENA, SERVER_ARENA, CLIENT_VIEW, SERVER_VIEW, NR_PLACES };

static struct node nodes[2];
static uint8_t *places;
static uint8_t *spin_copy;
static int arena_fd[2] = { -1, -1 };
static uint64_t server_arena;
static int call_fd = -1;    /* calls and replies */
static int starter_fd = -1; /* "start a server"; exit status of each server */
static pid_t starter_pid, server_pid;
static bool server_is_alive, server_is_stopped;

/* -- memory -- */

static int arena_new(void)
{
	unsigned int flags = MFD_CLOEXEC;
	int fd;

	if (conform_options.mapped)
		flags |= MFD_ALLOW_SEALING;
	fd = memfd_create("conform", flags);
	if (fd < 0 || ftruncate(fd, CONFORM_ARENA_BYTES))
		return -1;
	if (conform_options.mapped &&
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW))
		return -1;
	return fd;
}

static bool arena_map(enum place place, int fd)
{
	return mmap(places + (size_t)place * CONFORM_ARENA_BYTES,
		    CONFORM_ARENA_BYTES, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED;
}

static uint8_t *arena_place(enum place place)
{
	return places + (size_t)place * CONFORM_ARENA_BYTES;
}

/* Address space for all mappings, and the memory of server_spin_byte(). */
static bool arena_reserve(void)
{
	void *map = mmap(NULL, (size_t)NR_PLACES * CONFORM_ARENA_BYTES,
			 PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			 -1, 0);
	void *copy = mmap(NULL, NODE_SPIN_BYTES, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED || copy == MAP_FAILED)
		return false;
	places = map;
	spin_copy = copy;
	nodes[CLIENT].spin_copy = copy;
	nodes[SERVER].spin_copy = copy;
	return true;
}

/* -- messages -- */

struct message {
	struct call call;
	union {
		struct call_work work[CONFORM_MAX_WORK];
		struct ibv_sge sge[CONFORM_MAX_WORK];
	};
};

/* Bytes of the work requests or SGEs that follow a call. */
static size_t call_extra_bytes(const struct call *call)
{
	switch (call->kind) {
	case CALL_POST_SEND:
		return (size_t)call->nr * sizeof(call->work[0]);
	case CALL_POST_RECV:
	case CALL_MR_ADVISE:
		return (size_t)call->nr * sizeof(call->sge[0]);
	default:
		return 0;
	}
}

static bool call_has_valid_number(const struct call *call)
{
	return call_extra_bytes(call) == 0 ||
	       (call->nr > 0 && call->nr <= CONFORM_MAX_WORK);
}

/* 0: the reply is invalid */
static size_t reply_bytes(const struct call *call, const struct reply *reply)
{
	const bool is_ex = call->kind == CALL_CQ_POLL_EX;

	if (call->kind != CALL_CQ_POLL && !is_ex)
		return offsetof(struct reply, wc);
	if (reply->nr < 0 || reply->nr > CALL_MAX_WC)
		return 0;
	return offsetof(struct reply, wc) +
	       (size_t)reply->nr *
		       (is_ex ? sizeof(reply->wc_ex[0]) : sizeof(reply->wc[0]));
}

static bool call_send(const struct call *call)
{
	const void *extra = call->work ? (const void *)call->work : call->sge;
	struct iovec iov[2] = {
		{ .iov_base = (void *)(uintptr_t)call,
		  .iov_len = sizeof(*call) },
		{ .iov_base = (void *)(uintptr_t)extra,
		  .iov_len = call_extra_bytes(call) },
	};
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };

	return sendmsg(call_fd, &msg, MSG_NOSIGNAL) ==
	       (ssize_t)(iov[0].iov_len + iov[1].iov_len);
}

/* -- the server process -- */

/* The next call; with --poll the server polls its CQs meanwhile. */
static bool server_receive(struct node *node, struct message *message)
{
	struct call *call = &message->call;
	ssize_t size;

	for (;;) {
		size = recv(call_fd, message, sizeof(*message),
			    conform_options.poll ? MSG_DONTWAIT : 0);
		if (size >= 0)
			break;
		if (errno == EAGAIN) {
			node_keep(node);
			sched_yield();
		} else if (errno != EINTR) {
			return false;
		}
	}
	if (size == 0) /* the client has ended */
		return false;
	if ((size_t)size < sizeof(*call) || !call_has_valid_number(call) ||
	    (size_t)size != sizeof(*call) + call_extra_bytes(call)) {
		fprintf(stderr, "conform: server: call of %zd bytes\n", size);
		return false;
	}
	call->work = message->work;
	call->sge = message->sge;
	return true;
}

static bool server_reply(const struct call *call, const struct reply *reply)
{
	size_t size = reply_bytes(call, reply);

	return size &&
	       send(call_fd, reply, size, MSG_NOSIGNAL) == (ssize_t)size;
}

static int server_run(void)
{
	static struct message message;
	static struct reply reply;
	const struct call *call = &message.call;
	struct node *node = &nodes[SERVER];

	if (!arena_map(SERVER_ARENA, arena_fd[SERVER]))
		return 1;
	node->arena = arena_place(SERVER_ARENA);
	node->arena_fd = arena_fd[SERVER];
	if (!node_open(node))
		return 1;
	while (server_receive(node, &message)) {
		if (call->kind == CALL_EXIT)
			return node_close(node) ? 1 : 0;
		node_execute(node, call, &reply);
		if (!server_reply(call, &reply))
			return 1;
		if (call->kind == CALL_SPIN && !reply.error)
			node_spin_now(node);
	}
	return 1;
}

/* Forks a server for each byte that it receives; ends with its socket. */
static void starter_run(void)
{
	pid_t client = getppid();
	char byte;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != client)
		_exit(1);
	while (recv(starter_fd, &byte, 1, 0) == 1) {
		int status = 0;
		pid_t pid;

		/* Calls that the last server did not receive. */
		while (recv(call_fd, &byte, 1, MSG_DONTWAIT) > 0)
			;
		pid = fork();
		if (pid == 0) {
			(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
			close(starter_fd);
			exit(server_run());
		}
		if (pid < 0 || send(starter_fd, &pid, sizeof(pid), 0) < 0)
			break;
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		if (send(starter_fd, &status, sizeof(status), MSG_NOSIGNAL) < 0)
			break;
	}
	_exit(0);
}

static bool starter_new(void)
{
	int calls[2], starts[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, calls) ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, starts))
		return false;
	(void)fflush(NULL);
	starter_pid = fork();
	if (starter_pid == 0) {
		close(calls[0]);
		close(starts[0]);
		call_fd = calls[1];
		starter_fd = starts[1];
		starter_run();
	}
	close(calls[1]);
	close(starts[1]);
	call_fd = calls[0];
	starter_fd = starts[0];
	return starter_pid > 0;
}

/* -- the client's side of the server process -- */

static const char *server_status_text(int status)
{
	static char text[80];

	if (WIFSIGNALED(status))
		snprintf(text, sizeof(text),
			 "the server process was ended by signal %d",
			 WTERMSIG(status));
	else
		snprintf(text, sizeof(text),
			 "the server process ended with exit code %d",
			 WEXITSTATUS(status));
	return text;
}

/* Exit status of the server, or NOT_ENDED after @ms. */
static int server_wait_end(int ms)
{
	struct pollfd pollfd = { .fd = starter_fd, .events = POLLIN };
	int status = 0;

	if (!server_is_alive)
		return 0;
	if (poll(&pollfd, 1, ms) <= 0)
		return NOT_ENDED;
	server_is_alive = false;
	server_is_stopped = false;
	if (recv(starter_fd, &status, sizeof(status), 0) != sizeof(status))
		status = SIGKILL; /* the starter has ended, too */
	return status;
}

/* Forgets the calls and replies of the last server. */
static void server_drain(void)
{
	static struct reply reply;

	while (recv(call_fd, &reply, sizeof(reply), MSG_DONTWAIT) >= 0)
		;
}

static void server_end_hard(void)
{
	if (!server_is_alive)
		return;
	(void)kill(server_pid, SIGKILL);
	(void)server_wait_end(CONFORM_WAIT_MS);
	server_is_alive = false;
}

/* False: no reply came; the server process is not alive any more. */
static bool server_call(const struct call *call, struct reply *reply,
			const char **why)
{
	struct pollfd fds[2] = { { .fd = call_fd, .events = POLLIN },
				 { .fd = starter_fd, .events = POLLIN } };
	ssize_t got;

	*why = "too many requests in one call";
	if (!call_has_valid_number(call))
		return false;
	*why = server_is_stopped ? "the server process is stopped"
				 : "the server process does not run";
	if (!server_is_alive || server_is_stopped)
		return false;
	if (!call_send(call)) {
		*why = "cannot send to the server process";
		server_end_hard();
		return false;
	}
	if (poll(fds, 2, call->ms + REPLY_EXTRA_MS) <= 0) {
		*why = "the server process does not respond";
		server_end_hard();
		return false;
	}
	if (!(fds[0].revents & POLLIN)) {
		*why = server_status_text(server_wait_end(0));
		return false;
	}
	got = recv(call_fd, reply, sizeof(*reply), 0);
	if (got < (ssize_t)offsetof(struct reply, wc) ||
	    (size_t)got != reply_bytes(call, reply)) {
		*why = "reply of a wrong size";
		server_end_hard();
		return false;
	}
	return true;
}

static bool server_start(void)
{
	static const struct call hello = { .kind = CALL_HELLO };
	static struct reply reply;
	const char *why = "cannot start";

	if (send(starter_fd, "s", 1, MSG_NOSIGNAL) != 1 ||
	    recv(starter_fd, &server_pid, sizeof(server_pid), 0) !=
		    sizeof(server_pid)) {
		fprintf(stderr, "conform: cannot start a server process\n");
		return false;
	}
	server_is_alive = true;
	server_is_stopped = false;
	if (!server_call(&hello, &reply, &why)) {
		fprintf(stderr, "conform: %s\n", why);
		return false;
	}
	server_arena = reply.addr;
	return true;
}

/* -- both ends -- */

static bool ends_start_self(void)
{
	if (!arena_map(SERVER_ARENA, arena_fd[SERVER]))
		return false;
	nodes[SERVER].arena = arena_place(SERVER_ARENA);
	nodes[SERVER].arena_fd = arena_fd[SERVER];
	server_arena = (uintptr_t)nodes[SERVER].arena;
	return node_open(&nodes[SERVER]);
}

bool ends_start(void)
{
	arena_fd[SERVER] = arena_new();
	if (arena_fd[SERVER] < 0 || !arena_reserve()) {
		perror("conform: memory");
		return false;
	}
	if (!conform_options.self && !starter_new()) {
		perror("conform: fork");
		return false;
	}
	/* The server process must not have the memory of the client. */
	arena_fd[CLIENT] = arena_new();
	if (arena_fd[CLIENT] < 0 ||
	    !arena_map(CLIENT_ARENA, arena_fd[CLIENT]) ||
	    !arena_map(CLIENT_VIEW, arena_fd[CLIENT]) ||
	    !arena_map(SERVER_VIEW, arena_fd[SERVER])) {
		perror("conform: memory");
		return false;
	}
	nodes[CLIENT].arena = arena_place(CLIENT_ARENA);
	nodes[CLIENT].arena_fd = arena_fd[CLIENT];
	if (!node_open(&nodes[CLIENT]))
		return false;
	return conform_options.self ? ends_start_self() : server_start();
}

bool ends_stop(void)
{
	static const struct call call = { .kind = CALL_EXIT };
	int status = 0;
	bool ok;

	if (conform_options.self) {
		ok = node_close(&nodes[SERVER]) == 0;
	} else {
		if (server_is_alive) {
			(void)call_send(&call);
			status = server_wait_end(REPLY_EXTRA_MS);
		}
		ok = status == 0;
		if (status == NOT_ENDED)
			printf("FAIL end: the server process does not end\n");
		else if (!ok)
			printf("FAIL end: %s\n", server_status_text(status));
		server_end_hard();
		close(starter_fd);
		(void)waitpid(starter_pid, NULL, 0);
		close(call_fd);
	}
	if (node_close(&nodes[CLIENT])) {
		printf("FAIL end: the device does not close\n");
		ok = false;
	}
	return ok;
}

bool ends_restart_server(void)
{
	if (conform_options.self || server_is_alive)
		return true;
	server_drain();
	return server_start();
}

void end_call(enum end end, const struct call *call, struct reply *reply)
{
	const char *why;

	if (end == CLIENT || conform_options.self)
		node_execute(&nodes[end], call, reply);
	else if (!server_call(call, reply, &why))
		conform_fail("%s", why);
}

bool end_is_alive(enum end end)
{
	return end == CLIENT || conform_options.self || server_is_alive;
}

uint8_t *end_view(enum end end)
{
	return arena_place(end == CLIENT ? CLIENT_VIEW : SERVER_VIEW);
}

uint64_t end_address(enum end end)
{
	return end == CLIENT ? (uintptr_t)nodes[CLIENT].arena : server_arena;
}

const struct node *end_client(void)
{
	return &nodes[CLIENT];
}

/* -- signals -- */

/* True if all threads of the server process are stopped. */
static bool server_threads_stopped(void)
{
	char path[300], line[256];
	struct dirent *entry;
	bool stopped = true;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)server_pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		const char *state = NULL;
		FILE *file;

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%s/stat",
			 (int)server_pid, entry->d_name);
		file = fopen(path, "re");
		if (!file)
			continue;
		if (fgets(line, sizeof(line), file))
			state = strrchr(line, ')');
		if (state && !strchr("Tt", state[2]))
			stopped = false;
		(void)fclose(file);
	}
	if (dir)
		(void)closedir(dir);
	return dir && stopped;
}

static void server_require_process(void)
{
	if (conform_options.self)
		conform_fail("the test needs two processes");
	if (!server_is_alive)
		conform_fail("the server process does not run");
}

void server_stop(void)
{
	server_require_process();
	(void)kill(server_pid, SIGSTOP);
	for (int ms = 0; ms < CONFORM_WAIT_MS; ms++) {
		if (server_threads_stopped()) {
			server_is_stopped = true;
			return;
		}
		usleep(1000);
	}
	conform_fail("the server process does not stop");
}

void server_continue(void)
{
	server_require_process();
	(void)kill(server_pid, SIGCONT);
	server_is_stopped = false;
}

void server_resume(void)
{
	if (server_is_alive && server_is_stopped)
		server_continue();
}

void server_signal(int number)
{
	if (server_is_alive)
		(void)kill(server_pid, number);
}

void server_kill(void)
{
	server_require_process();
	server_end_hard();
}

/* -- watching a byte -- */

void server_spin_byte(const struct mem *mem, size_t offset, uint8_t value,
		      size_t copy_offset, size_t length)
{
	struct call call = {
		.kind = CALL_SPIN,
		.addr = mem->addr + offset,
		.flag = value,
		.copy_addr = mem->addr + copy_offset,
		.length = length,
	};
	struct reply reply;

	if (mem->end != SERVER || offset >= mem->length ||
	    copy_offset + length > mem->length)
		conform_fail("not memory of the server");
	object_call(SERVER, &call, &reply, "watch a byte");
}

const uint8_t *server_spin_result(void)
{
	struct call call = { .kind = CALL_SPIN_RESULT, .ms = CONFORM_WAIT_MS };
	struct reply reply;

	object_call(SERVER, &call, &reply, "wait for the value of a byte");
	return spin_copy;
}
