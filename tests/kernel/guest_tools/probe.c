/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * probe [-w] [DEVICE] - lists the devices, opens one, and prints for each step
 * one line with the result and the time:
 *
 * 	list: 2
 * 	open rxe0: EACCES 3 ms
 *
 * With -w it waits between the two steps for a line on standard input, so that
 * a script can remove the device. Exit code 0 if both steps have a result.
 */
#define _GNU_SOURCE
#include <infiniband/verbs.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static struct ibv_device *find(struct ibv_device **list, const char *name)
{
	for (; *list; list++)
		if (!strcmp(ibv_get_device_name(*list), name))
			return *list;
	return NULL;
}

static void probe_open(struct ibv_device *device)
{
	struct ibv_context *context;
	long start = now_ms();
	int error;

	errno = 0;
	context = ibv_open_device(device);
	error = errno;
	printf("open %s: %s %ld ms\n", ibv_get_device_name(device),
	       context ? "ok" : strerrorname_np(error), now_ms() - start);
	if (context && ibv_close_device(context))
		printf("close: %s\n", strerrorname_np(errno));
}

int main(int argc, char **argv)
{
	int wait = argc > 1 && !strcmp(argv[1], "-w");
	const char *name = argc > 1 + wait ? argv[1 + wait] : NULL;
	struct ibv_device **list, *device;
	char line[8];
	int nr;

	list = ibv_get_device_list(&nr);
	if (!list) {
		printf("list: %s\n", strerrorname_np(errno));
		return 0;
	}
	printf("list: %d\n", nr);
	fflush(stdout);
	if (wait && !fgets(line, sizeof(line), stdin))
		return 1;
	if (name) {
		device = find(list, name);
		if (device)
			probe_open(device);
		else
			printf("open %s: not listed\n", name);
	}
	ibv_free_device_list(list);
	return 0;
}
