/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * local_idle ROUNDS - cost of 100 idle queue pairs between two processes of one
 * host: context switches and memory. Prints lines in the format of local_bench.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "local_bench.h"

#define NR_LINKS 100
#define IDLE_S	 2

static struct wire_end end;
static struct wire_device device;
static struct wire_link links[NR_LINKS];

/* Private memory of the process and memory shared with the other one. */
static double resident_kb(void)
{
	return wire_sum_lines("/proc/self/status", "RssAnon:") +
	       wire_sum_lines("/proc/self/status", "RssShmem:");
}

static double context_switches(int pid)
{
	struct dirent *entry;
	char path[96];
	double sum = 0;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	tasks = wire_need(&end, opendir(path), path);
	while ((entry = readdir(tasks))) {
		snprintf(path, sizeof(path), "/proc/%d/task/%d/status", pid,
			 atoi(entry->d_name));
		sum += wire_sum_lines(path, "voluntary_ctxt_switches:");
		sum += wire_sum_lines(path, "nonvoluntary_ctxt_switches:");
	}
	(void)closedir(tasks);
	return sum;
}

static void sleep_ms(unsigned int ms)
{
	const struct timespec time = { .tv_sec = ms / 1000,
				       .tv_nsec = ms % 1000 * 1000000L };

	(void)nanosleep(&time, NULL);
}

static void open_links(void)
{
	for (unsigned int i = 0; i < NR_LINKS; i++)
		wire_link_open(&end, &device, &links[i], i);
	wire_meet(&end);
	for (unsigned int i = 0; i < NR_LINKS; i++)
		wire_link_connect(&end, &device, &links[i], i, IBV_MTU_4096);
	wire_meet(&end);
}

static void measure(int round)
{
	double before_kb = resident_kb(), kb, before;

	open_links();
	(void)wire_verbs_latency(&end, &device, links, NR_LINKS, WIRE_SMALL,
				 4 * NR_LINKS);
	kb = resident_kb() - before_kb;
	if (!end.client) {
		end.shared->server_pid = getpid();
		end.shared->server_value = kb;
	}
	wire_meet(&end);
	if (end.client) {
		sleep_ms(
			500); /* the helper thread stays active after traffic */
		before = context_switches(end.shared->server_pid);
		sleep_ms(IDLE_S * 1000);
		printf("idle_wakes\t%d\t%.3f\n", round,
		       (context_switches(end.shared->server_pid) - before) /
			       IDLE_S);
		printf("idle_kb\t%d\t%.3f\n", round,
		       (kb + end.shared->server_value) / NR_LINKS);
	}
	wire_meet(&end);
	for (unsigned int i = 0; i < NR_LINKS; i++)
		wire_link_close(&end, &links[i]);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1;

	end.interface[0] = end.interface[1] = "lo";
	end.ip[0].s_addr = end.ip[1].s_addr = htonl(INADDR_LOOPBACK);
	wire_start(&end, NULL);
	wire_device_open(&end, &device, NR_LINKS, WIRE_MESSAGE);
	for (int round = 0; round < rounds; round++)
		measure(round);
	wire_meet(&end);
	wire_device_close(&end, &device);
	return wire_finish(&end);
}
