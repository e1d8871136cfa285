/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Waits of the threads that continue what those of the program cannot. */
#ifndef LAYERS_FAULT_HELPER_H
#define LAYERS_FAULT_HELPER_H

#include <stdint.h>

/** fault_helper_sleep() - wait for one period of a helper */
void fault_helper_sleep(void);

/** fault_helper_sleep_until() - wait; @time_ns: as verbs_now_ns() */
void fault_helper_sleep_until(uint64_t time_ns);

#endif
