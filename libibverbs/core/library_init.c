/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One-time initialization. api/ calls it when the application lists or imports
 * a device. Loading the library has no effect.
 */
#include "core/library_init.h"

#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/fork_guard.h"
#include "core/log.h"
#include "core/op_table.h"
#include "kernel/kernel_state.h"
#include "util/env.h"

/*
 * With less lockable memory, not even the queues of a small program can be
 * registered. (Kernels before 5.16 had a default of 64 kB, containers often
 * set less.)
 */
#define MEMLOCK_TOO_LOW 32768

static void library_warn_low_memlock(void)
{
	struct rlimit limit;

	if (geteuid() == 0 || getrlimit(RLIMIT_MEMLOCK, &limit) != 0)
		return;
	if (limit.rlim_cur <= MEMLOCK_TOO_LOW)
		verbs_warn("RLIMIT_MEMLOCK is %lu bytes: registering memory "
			   "will fail with ENOMEM (see ulimit -l)",
			   (unsigned long)limit.rlim_cur);
}

static void library_init_fork_guard(void)
{
	int ret;

	if (!env_on("RDMAV_FORK_SAFE") && !env_on("IBV_FORK_SAFE"))
		return;
	ret = verbs_fork_init();
	if (ret)
		verbs_warn("memory is not protected against fork(): %s",
			   strerror(-ret));
}

static void library_init_once(void)
{
	verbs_log_init();
	verbs_op_table_prepare();
	library_init_fork_guard();
	verbs_allow_disassociate_destroy =
		env_on("RDMAV_ALLOW_DISASSOC_DESTROY") ||
		env_on("MLX4_DEVICE_FATAL_CLEANUP");
	library_warn_low_memlock();
}

void verbs_library_init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	(void)pthread_once(&once, library_init_once); /* cannot fail */
}
