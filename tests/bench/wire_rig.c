/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The two processes of a benchmark: their start, barriers and end. */
#include "wire_rig.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Iterations before other processes get the core. */
#define MAX_SPINS 100

static pid_t child;
static volatile sig_atomic_t finishing;

void wire_die(const struct wire_end *end, const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", end->client ? "client" : "server", what,
		strerror(errno));
	if (end->shared)
		__atomic_store_n(&end->shared->failed, true, __ATOMIC_RELAXED);
	if (end->client && child > 0)
		(void)kill(child, SIGKILL);
	_exit(1);
}

int wire_must(const struct wire_end *end, int status, const char *what)
{
	if (status < 0)
		wire_die(end, what);
	return status;
}

void *wire_need(const struct wire_end *end, void *object, const char *what)
{
	if (!object)
		wire_die(end, what);
	return object;
}

void wire_meet(const struct wire_end *end)
{
	(void)pthread_barrier_wait(&end->shared->barrier);
}

uint64_t wire_now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void wire_spin(unsigned int *spins)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#endif
	if (++*spins > MAX_SPINS)
		(void)sched_yield(); /* cannot fail */
}

void wire_check_time(const struct wire_end *end, uint64_t since_ns,
		     const char *what)
{
	if (__atomic_load_n(&end->shared->failed, __ATOMIC_RELAXED))
		_exit(1);
	if (wire_now_ns() - since_ns > WIRE_TIMEOUT_NS) {
		errno = ETIMEDOUT;
		wire_die(end, what);
	}
}

static int compare_values(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double wire_median(double *values, unsigned int nr)
{
	if (!nr)
		return 0;
	qsort(values, nr, sizeof(*values), compare_values);
	return nr % 2 ? values[nr / 2]
		      : (values[nr / 2 - 1] + values[nr / 2]) / 2;
}

/* The first or the last of the permitted cores. */
static void pin_to_core(const struct wire_end *end)
{
	cpu_set_t cores, one;
	int chosen = -1;

	wire_must(end, sched_getaffinity(0, sizeof(cores), &cores), "affinity");
	for (int i = 0; i < CPU_SETSIZE; i++) {
		if (!CPU_ISSET(i, &cores))
			continue;
		chosen = i;
		if (end->client)
			break;
	}
	CPU_ZERO(&one);
	CPU_SET(chosen, &one);
	wire_must(end, sched_setaffinity(0, sizeof(one), &one), "affinity");
}

static void enter_namespace(const struct wire_end *end, const char *netns)
{
	int fd;

	if (!netns)
		return;
	fd = wire_must(end, open(netns, O_RDONLY | O_CLOEXEC), netns);
	wire_must(end, setns(fd, CLONE_NEWNET), "setns");
	(void)close(fd);
}

/* The child cannot reach the barrier any more. */
static void on_child(int signal)
{
	(void)signal;
	if (!finishing)
		_exit(1);
}

void wire_start(struct wire_end *end, const char *netns)
{
	pthread_barrierattr_t attr;
	pid_t parent = getpid();
	struct wire_shared *shared;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		wire_die(end, "mmap");
	(void)pthread_barrierattr_init(&attr);
	(void)pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	(void)pthread_barrier_init(&shared->barrier, &attr, 2);
	for (unsigned int i = 0; i < WIRE_NR_PROCESSES; i++)
		(void)sem_init(&shared->turn[i], 1, 0);
	(void)sem_init(&shared->ready, 1, 0);
	end->shared = shared;

	(void)signal(SIGCHLD, on_child);
	child = wire_must(end, fork(), "fork");
	end->client = child;
	if (!child) {
		(void)signal(SIGCHLD, SIG_DFL);
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		enter_namespace(end, netns);
	}
	pin_to_core(end);
}

int wire_finish(const struct wire_end *end)
{
	int status;

	finishing = true;
	wire_meet(end);
	if (!end->client)
		return 0;
	if (waitpid(child, &status, 0) != child)
		return 1;
	return !WIFEXITED(status) || WEXITSTATUS(status);
}

double wire_sum_lines(const char *file, const char *key)
{
	FILE *status = fopen(file, "re");
	char line[256];
	double sum = 0;

	if (!status)
		return 0; /* a thread that has ended */
	while (fgets(line, sizeof(line), status))
		if (strncmp(line, key, strlen(key)) == 0)
			sum += strtod(line + strlen(key), NULL);
	(void)fclose(status);
	return sum;
}
