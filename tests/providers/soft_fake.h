/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Common parts of the fake kernels that test the providers of software devices:
 * the library's own functions, the commands that are the same for all drivers,
 * and a memfd that rings are mapped from. The fake of a driver adds the
 * commands with driver-specific data.
 */
#ifndef TESTS_SOFT_FAKE_H
#define TESTS_SOFT_FAKE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct soft_fake {
	int fd;		      /* memfd of the rings */
	uint64_t next_offset; /* of the first free byte */

	/* Results of commands. */
	int err;	  /* of the next create, modify or destroy */
	int doorbell_err; /* of every doorbell */

	/* Calls so far. */
	unsigned int nr_doorbells;
	unsigned int nr_created;   /* objects of all kinds */
	unsigned int nr_destroyed; /* likewise */
	unsigned int nr_inits;	   /* verbs_init_*() without verbs_fini_*() */
	unsigned int nr_waits;	   /* verbs_wait_*_acked() */
};

extern struct soft_fake soft;

/** soft_fake_start() - begin a test with an empty memfd */
void soft_fake_start(void);

/** soft_fake_end() - close the memfd; check that no mapping or object is left
 */
int soft_fake_end(void);

/**
 * soft_fake_map() - map memory for a ring
 * @len: bytes; rounded up to pages
 * @ret_offset: offset in the memfd
 * @ret_len: bytes that are mapped, for munmap()
 */
void *soft_fake_map(size_t len, uint64_t *ret_offset, size_t *ret_len);

/** soft_fake_err() - take the error of this command; the next one has none */
int soft_fake_err(void);

/** soft_fake_created() - likewise, for a command that creates an object */
int soft_fake_created(void);

/** soft_fake_destroyed() - likewise, for a command that destroys one */
int soft_fake_destroyed(void);

#endif
