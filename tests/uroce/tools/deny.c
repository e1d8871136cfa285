/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * deny RULES COMMAND [ARG]... - runs a command for which system calls fail.
 *
 * RULES is one argument, with blanks between the rules. A rule is
 * CALL[/INDEX=VALUE]...[!ERROR]: the name of a system call, the values of
 * arguments (counted from 0) that make the rule apply, and the errno (a number;
 * EPERM by default), or "kill": the call ends the process. "none" denies
 * nothing. The exit code is 125 if the kernel has no filters, or if a rule is
 * wrong.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LONGEST	  512
#define MAX_ARGS  6
#define OWN_ERROR 125

#if defined(__x86_64__)
#define OWN_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCH AUDIT_ARCH_AARCH64
#else
#error "unknown seccomp architecture"
#endif

static const struct {
	const char *name;
	unsigned int number;
} calls[] = {
	{ "accept4", __NR_accept4 },
	{ "bind", __NR_bind },
	{ "epoll_create1", __NR_epoll_create1 },
	{ "eventfd2", __NR_eventfd2 },
	{ "fcntl", __NR_fcntl },
	{ "ftruncate", __NR_ftruncate },
	{ "getrandom", __NR_getrandom },
	{ "getsockopt", __NR_getsockopt },
	{ "io_uring_setup", __NR_io_uring_setup },
	{ "madvise", __NR_madvise },
	{ "membarrier", __NR_membarrier },
	{ "memfd_create", __NR_memfd_create },
	{ "pidfd_getfd", __NR_pidfd_getfd },
	{ "pidfd_open", __NR_pidfd_open },
	{ "pipe2", __NR_pipe2 },
	{ "prctl", __NR_prctl },
	{ "preadv", __NR_preadv },
	{ "process_vm_readv", __NR_process_vm_readv },
	{ "process_vm_writev", __NR_process_vm_writev },
	{ "pwritev", __NR_pwritev },
	{ "recvmmsg", __NR_recvmmsg },
	{ "sched_getaffinity", __NR_sched_getaffinity },
	{ "sched_yield", __NR_sched_yield },
	{ "sendmmsg", __NR_sendmmsg },
	{ "setsockopt", __NR_setsockopt },
	{ "socket", __NR_socket },
	{ "timerfd_create", __NR_timerfd_create },
	{ "userfaultfd", __NR_userfaultfd },
};

static struct sock_filter program[LONGEST];
static unsigned short length;

static void fail(const char *what)
{
	fprintf(stderr, "deny: %s: %s\n", what, strerror(errno));
	exit(OWN_ERROR);
}

static void add_instruction(struct sock_filter instruction)
{
	if (length == LONGEST)
		fail("too many rules");
	program[length++] = instruction;
}

static void add_load(size_t offset)
{
	add_instruction((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						     (unsigned int)offset));
}

static unsigned int number_of(const char *name)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (strcmp(calls[i].name, name) == 0)
			return calls[i].number;
	errno = EINVAL;
	fail(name);
	return 0;
}

/* Falls through to the next rule if @rule does not apply. */
static void add_rule(char *rule)
{
	unsigned int action = SECCOMP_RET_ERRNO | EPERM, nr_args = 0;
	unsigned int args[MAX_ARGS], values[MAX_ARGS];
	char *text, *save;

	text = strchr(rule, '!');
	if (text) {
		*text = '\0';
		action = strcmp(text + 1, "kill") == 0
				 ? SECCOMP_RET_KILL_PROCESS
				 : SECCOMP_RET_ERRNO |
					   (unsigned int)atoi(text + 1);
	}
	rule = strtok_r(rule, "/", &save);
	while ((text = strtok_r(NULL, "/", &save))) {
		if (nr_args == MAX_ARGS ||
		    sscanf(text, "%u=%u", &args[nr_args], &values[nr_args]) !=
			    2 ||
		    args[nr_args] >= MAX_ARGS)
			fail(rule);
		nr_args++;
	}
	add_load(offsetof(struct seccomp_data, nr));
	add_instruction((struct sock_filter)BPF_JUMP(
		BPF_JMP | BPF_JEQ | BPF_K, number_of(rule), 0,
		(unsigned char)(2 * nr_args + 1)));
	for (unsigned int i = 0; i < nr_args; i++) {
		/* the lower half: the arguments are no pointers */
		add_load(offsetof(struct seccomp_data, args[args[i]]));
		add_instruction((struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, values[i], 0,
			(unsigned char)(2 * (nr_args - i - 1) + 1)));
	}
	add_instruction((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

int main(int argc, char **argv)
{
	struct sock_fprog filter = { .filter = program };
	char *save;

	if (argc < 3) {
		errno = EINVAL;
		fail("usage: deny RULES COMMAND [ARG]...");
	}
	/* a program of another architecture has other call numbers */
	add_load(offsetof(struct seccomp_data, arch));
	add_instruction((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
						     OWN_ARCH, 1, 0));
	add_instruction((struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
						     SECCOMP_RET_ALLOW));
	for (char *rule = strtok_r(argv[1], " ", &save); rule;
	     rule = strtok_r(NULL, " ", &save))
		if (strcmp(rule, "none") != 0)
			add_rule(rule);
	add_instruction((struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
						     SECCOMP_RET_ALLOW));
	filter.len = length;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		fail("seccomp");
	execvp(argv[2], argv + 2);
	fail(argv[2]);
}
