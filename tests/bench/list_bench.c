/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * list_bench - cost of ibv_get_device_list(): system calls and time, for the
 * first call of a process and for repeated ones, with the existing devices.
 * Prints one line of key=value pairs. Each measurement runs in a child that has
 * not called the library before. System calls are counted by tracing the child
 * between two marks; time is measured in untraced children. list_bench.sh makes
 * the table.
 */
#include <infiniband/verbs.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Not an option of prctl(2): the kernel refuses it and changes nothing. */
#define MARK 0x6c697374
/* Repeated calls in one traced child, and in one timed child. */
#define NR_TRACED 4
#define NR_TIMED  20
/* Timed children: the figure of the first call is their median. */
#define NR_CHILDREN 7

struct times {
	int nr_devices;
	double first_us;
	double repeat_us;
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static double now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e6 + ts.tv_nsec / 1e3;
}

static int compare_values(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double median(double *values, int nr)
{
	qsort(values, nr, sizeof(*values), compare_values);
	return values[nr / 2];
}

/*
 * Lists are kept until the end: freeing a list is not part of the measured
 * call.
 */
static struct ibv_device **get_list(int *ret_nr)
{
	struct ibv_device **devices = ibv_get_device_list(ret_nr);

	if (!devices)
		die("ibv_get_device_list");
	return devices;
}

static void mark_section(int section)
{
	syscall(SYS_prctl, MARK, section, 0, 0, 0);
}

/* Section 0 is the first call, the others are repeated calls. */
static void traced_child(void)
{
	int i, nr;

	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		die("PTRACE_TRACEME");
	raise(SIGSTOP);
	for (i = 0; i <= NR_TRACED; i++) {
		mark_section(i);
		get_list(&nr);
	}
	mark_section(NR_TRACED + 1);
	_exit(0);
}

/*
 * Counts the calls from here on; the section is -1 if the stop is no system
 * call entry.
 */
static int entered_section(pid_t pid, int *section)
{
	struct __ptrace_syscall_info info;
	const size_t size = sizeof(info);

	if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, size, &info) <= 0)
		die("PTRACE_GET_SYSCALL_INFO");
	if (info.op != PTRACE_SYSCALL_INFO_ENTRY)
		return -1;
	if (info.entry.nr == SYS_prctl && info.entry.args[0] == MARK) {
		*section = (int)info.entry.args[1];
		return -1;
	}
	return *section;
}

/*
 * Threads and processes that the library starts are traced too, so that all
 * their calls are counted.
 */
static void trace_child(pid_t child, unsigned int *calls)
{
	const unsigned long options = PTRACE_O_TRACESYSGOOD |
				      PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
				      PTRACE_O_TRACEVFORK | PTRACE_O_EXITKILL;
	int section = -1, status, signal, in;
	pid_t pid;

	if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
		die("waitpid");
	if (ptrace(PTRACE_SETOPTIONS, child, NULL, options))
		die("PTRACE_SETOPTIONS");
	for (pid = child;;) {
		signal = 0;
		if (WIFSTOPPED(status)) {
			signal = WSTOPSIG(status);
			if (signal == (SIGTRAP | 0x80)) {
				in = entered_section(pid, &section);
				if (in >= 0 && in <= NR_TRACED)
					calls[in]++;
				signal = 0;
			} else if (signal == SIGTRAP || signal == SIGSTOP) {
				signal = 0;
			}
			ptrace(PTRACE_SYSCALL, pid, NULL, (long)signal);
		} else if (pid == child) {
			if (!WIFEXITED(status) || WEXITSTATUS(status)) {
				fprintf(stderr, "traced child failed\n");
				exit(1);
			}
			return;
		}
		pid = waitpid(-1, &status, __WALL);
		if (pid < 0)
			die("waitpid");
	}
}

static void count_calls(unsigned int *ret_first, unsigned int *ret_repeat)
{
	unsigned int calls[NR_TRACED + 1] = {};
	pid_t child;
	int i;

	child = fork();
	if (child < 0)
		die("fork");
	if (!child)
		traced_child();
	trace_child(child, calls);
	*ret_first = calls[0];
	/* The maximum: one cheap call proves nothing. */
	*ret_repeat = 0;
	for (i = 1; i <= NR_TRACED; i++)
		if (calls[i] > *ret_repeat)
			*ret_repeat = calls[i];
}

static void timed_child(int fd)
{
	double repeats[NR_TIMED], start;
	struct times times = {};
	int i;

	start = now_us();
	get_list(&times.nr_devices);
	times.first_us = now_us() - start;
	for (i = 0; i < NR_TIMED; i++) {
		start = now_us();
		get_list(&times.nr_devices);
		repeats[i] = now_us() - start;
	}
	times.repeat_us = median(repeats, NR_TIMED);
	if (write(fd, &times, sizeof(times)) != sizeof(times))
		die("write");
	_exit(0);
}

static struct times time_once(void)
{
	struct times times = {};
	int fds[2], status;
	pid_t child;

	if (pipe(fds))
		die("pipe");
	child = fork();
	if (child < 0)
		die("fork");
	if (!child)
		timed_child(fds[1]);
	close(fds[1]);
	if (read(fds[0], &times, sizeof(times)) != sizeof(times))
		die("a timed child failed: read");
	close(fds[0]);
	if (waitpid(child, &status, 0) != child)
		die("waitpid");
	return times;
}

int main(void)
{
	double first[NR_CHILDREN], repeat[NR_CHILDREN];
	unsigned int first_calls, repeat_calls;
	struct times times = {};
	int i;

	/* The first child warms the kernel's caches for all. */
	time_once();
	for (i = 0; i < NR_CHILDREN; i++) {
		times = time_once();
		first[i] = times.first_us;
		repeat[i] = times.repeat_us;
	}
	count_calls(&first_calls, &repeat_calls);
	printf("devices=%d first_calls=%u repeat_calls=%u first_us=%.0f "
	       "repeat_us=%.0f\n",
	       times.nr_devices, first_calls, repeat_calls,
	       median(first, NR_CHILDREN), median(repeat, NR_CHILDREN));
	return 0;
}
