/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Threads that continue what the threads of the program cannot. */
#ifndef LAYERS_FAULT_HELPER_H
#define LAYERS_FAULT_HELPER_H

#include <stdbool.h>
#include <stdint.h>

/**
 * fault_helper_start() - start a detached thread, with all signals blocked
 * @run: its function
 *
 * Return: whether it was started.
 */
bool fault_helper_start(void *(*run)(void *unused));

/** fault_helper_sleep() - wait for one period of a helper */
void fault_helper_sleep(void);

/** fault_helper_sleep_until() - wait; @time_ns: as fault_now_ns() */
void fault_helper_sleep_until(uint64_t time_ns);

#endif
