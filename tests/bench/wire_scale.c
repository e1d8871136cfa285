/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * wire_scale CLIENT_IF CLIENT_IP SERVER_IF SERVER_IP [NETNS [ROUNDS]] - cost of
 * the user-space device when idle and at scale: an idle process with 100 queue
 * pairs, the helper thread beside a polling application, 10000 queue pairs in a
 * process, 200 processes on an address.
 *
 * Prints lines in the format of wire_bench.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "wire_verbs.h"

#define NR_IDLE 100
#define NR_MANY 10000
#define IDLE_S	3
#define POLL_NS 1000000000
#define TRIPS	2000
#define ROUNDS	3
/* The helper thread stays active for a while after traffic. */
#define SETTLE_NS 200000000

static struct wire_end end;
static struct wire_device device;
static struct wire_link links[NR_MANY];

static void print(const char *name, int round, double value)
{
	if (end.client)
		printf("%s\t%d\t%.4f\n", name, round, value);
	(void)fflush(stdout);
}

/* ------------------------------------------------------------------------ */
/* Statistics of the kernel on a process                                     */
/* ------------------------------------------------------------------------ */

static double anonymous_kb(void)
{
	return wire_sum_lines("/proc/self/status", "RssAnon:");
}

/*
 * For all threads of a process, or for those of one name: the number of context
 * switches, or the CPU time in ns.
 */
static double sum_threads(int pid, const char *name, bool switches)
{
	char path[96], comm[32] = "";
	struct dirent *entry;
	double sum = 0;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	tasks = wire_need(&end, opendir(path), path);
	while ((entry = readdir(tasks))) {
		int tid = atoi(entry->d_name);
		FILE *file;

		snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", pid, tid);
		file = tid ? fopen(path, "re") : NULL;
		if (!file)
			continue;
		if (!fgets(comm, sizeof(comm), file))
			comm[0] = 0;
		(void)fclose(file);
		if (name && strncmp(comm, name, strlen(name)) != 0)
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", pid, tid,
			 switches ? "status" : "schedstat");
		if (switches) {
			sum += wire_sum_lines(path, "voluntary_ctxt_switches:");
			sum += wire_sum_lines(path,
					      "nonvoluntary_ctxt_switches:");
		} else {
			sum += wire_sum_lines(path, "");
		}
	}
	(void)closedir(tasks);
	return sum;
}

/* ------------------------------------------------------------------------ */
/* Queue pairs                                                               */
/* ------------------------------------------------------------------------ */

static void open_links(unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		wire_link_open(&end, &device, &links[i], i);
	wire_meet(&end);
	for (unsigned int i = 0; i < nr; i++)
		wire_link_connect(&end, &device, &links[i], i, IBV_MTU_4096);
	wire_meet(&end);
}

static void close_links(unsigned int nr)
{
	wire_meet(&end);
	for (unsigned int i = 0; i < nr; i++)
		wire_link_close(&end, &links[i]);
}

static void sleep_ns(uint64_t ns)
{
	struct timespec left = {
		.tv_sec = (time_t)(ns / 1000000000),
		.tv_nsec = (long)(ns % 1000000000),
	};

	(void)nanosleep(&left, NULL);
}

/* The server waits at the barrier, and there is no traffic. */
static void measure_idle(int round)
{
	double before, after;

	open_links(NR_IDLE);
	(void)wire_verbs_latency(&end, &device, links, NR_IDLE, WIRE_SMALL,
				 4 * NR_IDLE);
	if (!end.client)
		end.shared->server_pid = getpid();
	wire_meet(&end);
	if (end.client) {
		sleep_ns(SETTLE_NS);
		before = sum_threads(end.shared->server_pid, NULL, true);
		sleep_ns((uint64_t)IDLE_S * 1000000000);
		after = sum_threads(end.shared->server_pid, NULL, true);
		print("idle_wakes", round, (after - before) / IDLE_S);
	}
	close_links(NR_IDLE);
}

/*
 * Percent of a core that the helper thread uses while its application is
 * active.
 */
static void measure_helper(int round)
{
	double before, share;
	uint64_t start_ns;
	struct ibv_wc wc;

	open_links(1);
	sleep_ns(SETTLE_NS);
	before = sum_threads(getpid(), "uroce", false);
	start_ns = wire_now_ns();
	while (wire_now_ns() - start_ns < POLL_NS)
		(void)ibv_poll_cq(device.cq, 1, &wc);
	share = sum_threads(getpid(), "uroce", false) - before;
	print("helper_poll", round,
	      100 * share / (double)(wire_now_ns() - start_ns));

	wire_meet(&end);
	before = sum_threads(getpid(), "uroce", false);
	start_ns = wire_now_ns();
	(void)wire_verbs_latency(&end, &device, links, 1, WIRE_SMALL,
				 WIRE_MAX_TRIPS);
	share = sum_threads(getpid(), "uroce", false) - before;
	print("helper_trips", round,
	      100 * share / (double)(wire_now_ns() - start_ns));
	close_links(1);
}

static void measure_many(int round)
{
	double before_kb;
	uint64_t start_ns;

	open_links(1);
	print("many_single", round,
	      wire_verbs_latency(&end, &device, links, 1, WIRE_SMALL, TRIPS));
	close_links(1);
	before_kb = anonymous_kb();
	start_ns = wire_now_ns();
	open_links(NR_MANY);
	print("many_setup_us", round,
	      (double)(wire_now_ns() - start_ns) / 1e3 / NR_MANY);
	print("many_udp", round, wire_udp_latency(&end, false, TRIPS));
	print("many_one", round,
	      wire_verbs_latency(&end, &device, links, 1, WIRE_SMALL, TRIPS));
	print("many_two", round,
	      wire_verbs_latency(&end, &device, links, 2, WIRE_SMALL, TRIPS));
	print("many_all", round,
	      wire_verbs_latency(&end, &device, links, NR_MANY, WIRE_SMALL,
				 TRIPS));
	print("many_kb", round, (anonymous_kb() - before_kb) / NR_MANY);
	close_links(NR_MANY);
}

/* ------------------------------------------------------------------------ */
/* Many processes                                                            */
/* ------------------------------------------------------------------------ */

/* One of the processes that share an address. */
static int run_server(unsigned int number)
{
	double before_kb = anonymous_kb();

	wire_device_open(&end, &device, 1, WIRE_MESSAGE);
	wire_link_open(&end, &device, &links[0], number);
	(void)sem_post(&end.shared->ready);
	(void)sem_wait(&end.shared->turn[number]); /* the client is ready */
	wire_link_connect(&end, &device, &links[0], number, IBV_MTU_4096);
	(void)sem_post(&end.shared->ready);
	(void)sem_wait(&end.shared->turn[number]);
	(void)wire_verbs_latency(&end, &device, links, 1, WIRE_SMALL, TRIPS);
	end.shared->server_value = anonymous_kb() - before_kb;
	(void)sem_post(&end.shared->ready);
	/* the process stays, so that all of them exist all the time */
	(void)sem_wait(&end.shared->turn[number]);
	wire_link_close(&end, &links[0]);
	wire_device_close(&end, &device);
	return 0;
}

static void fork_servers(void)
{
	pid_t parent = getpid();

	for (unsigned int i = 0; i < WIRE_NR_PROCESSES; i++) {
		if (wire_must(&end, fork(), "fork") > 0)
			continue;
		/* otherwise it would wait for its turn for ever */
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(getppid() == parent ? run_server(i) : 1);
	}
	while (wait(NULL) > 0)
		;
}

static void wait_servers(void)
{
	for (unsigned int i = 0; i < WIRE_NR_PROCESSES; i++)
		(void)sem_wait(&end.shared->ready);
}

static void call_servers(void)
{
	for (unsigned int i = 0; i < WIRE_NR_PROCESSES; i++)
		(void)sem_post(&end.shared->turn[i]);
}

static void meet_servers(int round)
{
	double us[WIRE_NR_PROCESSES], kb[WIRE_NR_PROCESSES];
	uint64_t start_ns = wire_now_ns();

	wait_servers();
	print("processes_setup_ms", round,
	      (double)(wire_now_ns() - start_ns) / 1e6);
	wire_device_open(&end, &device, WIRE_NR_PROCESSES, WIRE_MESSAGE);
	for (unsigned int i = 0; i < WIRE_NR_PROCESSES; i++) {
		wire_link_open(&end, &device, &links[i], i);
		wire_link_connect(&end, &device, &links[i], i, IBV_MTU_4096);
	}
	call_servers();
	wait_servers();
	for (unsigned int i = 0; i < WIRE_NR_PROCESSES; i++) {
		(void)sem_post(&end.shared->turn[i]);
		us[i] = wire_verbs_latency(&end, &device, &links[i], 1,
					   WIRE_SMALL, TRIPS);
		(void)sem_wait(&end.shared->ready);
		kb[i] = end.shared->server_value;
	}
	print("processes_trip", round, wire_median(us, WIRE_NR_PROCESSES));
	print("processes_kb", round, wire_median(kb, WIRE_NR_PROCESSES));
	call_servers();
	for (unsigned int i = 0; i < WIRE_NR_PROCESSES; i++)
		wire_link_close(&end, &links[i]);
	wire_device_close(&end, &device);
}

static void measure_processes(int round)
{
	print("processes_udp", round, wire_udp_latency(&end, false, TRIPS));
	wire_meet(&end);
	if (end.client)
		meet_servers(round);
	else
		fork_servers();
	wire_meet(&end);
}

/* A process cannot pass an open device on to its children. */
static void run_round(int round)
{
	measure_processes(round);
	wire_device_open(&end, &device, NR_MANY, WIRE_MESSAGE);
	measure_idle(round);
	measure_helper(round);
	measure_many(round);
	wire_device_close(&end, &device);
}

int main(int argc, char **argv)
{
	int rounds = argc > 6 ? atoi(argv[6]) : ROUNDS;

	if (argc < 5 || rounds < 1 ||
	    inet_pton(AF_INET, argv[2], &end.ip[1]) != 1 ||
	    inet_pton(AF_INET, argv[4], &end.ip[0]) != 1) {
		fprintf(stderr, "usage: wire_scale CLIENT_IF CLIENT_IP "
				"SERVER_IF SERVER_IP [NETNS [ROUNDS]]\n");
		return 2;
	}
	end.interface[1] = argv[1];
	end.interface[0] = argv[3];
	wire_start(&end, argc > 5 && *argv[5] ? argv[5] : NULL);
	for (int round = 0; round < rounds; round++)
		run_round(round);
	return wire_finish(&end);
}
