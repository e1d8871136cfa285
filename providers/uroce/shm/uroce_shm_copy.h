/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Copies a payload into memory whose lines are in the caches of another
 * processor. An ordinary store must first fetch its line from there. A string
 * instruction on processors with ERMS takes only the ownership of the line, and
 * memcpy() uses that instruction from 2 to 16 KB on, depending on the processor
 * and on the C library.
 */
#ifndef UROCE_SHM_COPY_H
#define UROCE_SHM_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Below, the string instruction takes longer to start than it saves. */
#define UROCE_SHM_COPY_MIN 2048

/**
 * uroce_shm_copy() - memcpy() to memory that another processor has read
 * @erms: whether the processor has ERMS
 */
static inline void uroce_shm_copy(void *to, const void *from, size_t bytes,
				  bool erms)
{
#if defined(__x86_64__) || defined(__i386__)
	if (erms && bytes >= UROCE_SHM_COPY_MIN) {
		__asm__ volatile("rep movsb"
				 : "+D"(to), "+S"(from), "+c"(bytes)
				 :
				 : "memory");
		return;
	}
#endif
	(void)erms;
	memcpy(to, from, bytes);
}

#endif
