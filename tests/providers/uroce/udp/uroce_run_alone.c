/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * uroce_run_alone PROGRAM [ARG]... - runs a program in a network namespace of
 * its own, where the loopback interface is up. The exit code is 77 if there can
 * be none.
 */
#include <stdio.h>
#include <unistd.h>

#include "uroce_netns.h"

#define SKIPPED 77

int main(int argc, char **argv)
{
	if (argc < 2 || !uroce_netns_enter())
		return SKIPPED;
	(void)execv(argv[1], argv + 1);
	perror(argv[1]);
	return 1;
}
