/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * startup_bench - the time from execve() to main() of a program that lists
 * devices, with several libraries:
 *
 *	startup_bench ROUNDS DIR...
 *
 * Each DIR has one libibverbs.so.1. In each round the program executes itself
 * once per DIR, as LD_LIBRARY_PATH, in an order that rotates. Prints the median
 * of each DIR in microseconds, one per line. Run by startup_bench.sh.
 */
#include <infiniband/verbs.h>

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_DIRS   8
#define MAX_ROUNDS 10000

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static int compare_values(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The measured program: reports the time since @start, then lists devices. */
static int run_measured(int64_t now, const char *start)
{
	int64_t elapsed = now - strtoll(start, NULL, 10);
	struct ibv_device **list;

	if (write(STDOUT_FILENO, &elapsed, sizeof(elapsed)) != sizeof(elapsed))
		return 1;
	list = ibv_get_device_list(NULL);
	if (list)
		ibv_free_device_list(list);
	return 0;
}

static void exec_self(const char *dir, int out_fd)
{
	char variable[4096], start[32];
	char name[] = "startup_bench", mode[] = "--measured";
	char *argv[] = { name, mode, start, NULL };
	char *envp[] = { variable, NULL };

	if (snprintf(variable, sizeof(variable), "LD_LIBRARY_PATH=%s", dir) >=
		    (int)sizeof(variable) ||
	    dup2(out_fd, STDOUT_FILENO) < 0)
		_exit(1);
	snprintf(start, sizeof(start), "%lld", (long long)now_ns());
	execve("/proc/self/exe", argv, envp);
	_exit(1);
}

static int64_t measure_once(const char *dir)
{
	int64_t elapsed = 0;
	int fds[2], status;
	pid_t pid;

	if (pipe(fds))
		die("pipe");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0)
		exec_self(dir, fds[1]);
	close(fds[1]);
	if (read(fds[0], &elapsed, sizeof(elapsed)) != sizeof(elapsed))
		die("read");
	close(fds[0]);
	if (waitpid(pid, &status, 0) != pid || status != 0)
		die("waitpid");
	return elapsed;
}

int main(int argc, char **argv)
{
	static int64_t values[MAX_DIRS][MAX_ROUNDS];
	int64_t now = now_ns(); /* before anything else */
	int nr_rounds, nr_dirs;

	if (argc == 3 && strcmp(argv[1], "--measured") == 0)
		return run_measured(now, argv[2]);
	nr_rounds = argc > 1 ? atoi(argv[1]) : 0;
	nr_dirs = argc - 2;
	if (nr_rounds < 1 || nr_rounds > MAX_ROUNDS || nr_dirs < 1 ||
	    nr_dirs > MAX_DIRS) {
		fprintf(stderr, "usage: %s ROUNDS DIR...\n", argv[0]);
		return 2;
	}

	for (int i = 0; i < nr_dirs; i++) /* fills the page cache */
		measure_once(argv[2 + i]);
	for (int round = 0; round < nr_rounds; round++)
		for (int i = 0; i < nr_dirs; i++) {
			int dir = (round + i) % nr_dirs;

			values[dir][round] = measure_once(argv[2 + dir]);
		}
	for (int i = 0; i < nr_dirs; i++) {
		qsort(values[i], nr_rounds, sizeof(values[i][0]),
		      compare_values);
		printf("%.1f\n", values[i][nr_rounds / 2] / 1e3);
	}
	return 0;
}
