/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * trace_fork open|inherit: opens the first device, creates a CQ, and forks. The
 * child opens the device, too, or uses none. Both print their number and wait
 * until standard input ends; then the parent creates another CQ.
 */
#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct ibv_context *open_first_device(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = list && list[0] ? ibv_open_device(list[0])
						  : NULL;

	if (list)
		ibv_free_device_list(list);
	return ctx;
}

static bool create_cq(struct ibv_context *ctx)
{
	struct ibv_cq *cq = ctx ? ibv_create_cq(ctx, 1, NULL, NULL, 0) : NULL;

	return cq && ibv_destroy_cq(cq) == 0;
}

static void print_and_wait(const char *who)
{
	char byte;

	printf("%s %ld\n", who, (long)getpid());
	(void)fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
}

static int run_child(bool opens)
{
	struct ibv_context *ctx = NULL;

	if (opens) {
		ctx = open_first_device();
		if (!create_cq(ctx))
			return 1;
	}
	print_and_wait("child");
	return ctx ? ibv_close_device(ctx) != 0 : 0;
}

int main(int argc, char **argv)
{
	struct ibv_context *ctx = open_first_device();
	int status;
	pid_t pid;

	if (argc != 2 || !create_cq(ctx))
		return 1;
	pid = fork();
	if (pid == 0)
		return run_child(strcmp(argv[1], "open") == 0);
	print_and_wait("parent");
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
		return 1;
	return !create_cq(ctx) || ibv_close_device(ctx) != 0;
}
