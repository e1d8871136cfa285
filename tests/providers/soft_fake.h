/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the fakes of the kernel have in common that the providers of software
 * devices are tested with: the library's own part, the commands that are the
 * same for all drivers, and a memfd that rings are mapped from. A fake of a
 * driver adds the commands in which it has a share.
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
	uint64_t next_offset; /* first free byte of it */

	/* What commands answer. */
	int err;	  /* the next create, modify or destroy */
	int doorbell_err; /* every doorbell */

	/* What was asked. */
	unsigned int nr_doorbells;
	unsigned int nr_created;   /* objects of all kinds */
	unsigned int nr_destroyed; /* likewise */
	unsigned int nr_inits;	   /* verbs_init_*() without verbs_fini_*() */
	unsigned int nr_waits;	   /* verbs_wait_*_acked() */
};

extern struct soft_fake soft;

/** soft_fake_start() - begin a test with an empty memfd */
void soft_fake_start(void);

/** soft_fake_end() - close it; nothing may be mapped, nothing be left over */
int soft_fake_end(void);

/**
 * soft_fake_map() - memory for a ring
 * @len: bytes; rounded up to pages
 * @ret_offset: where it is in the memfd
 * @ret_len: bytes that are mapped, for munmap()
 */
void *soft_fake_map(size_t len, uint64_t *ret_offset, size_t *ret_len);

/** soft_fake_err() - the error of a command; the next one has none */
int soft_fake_err(void);

/** soft_fake_created() - the same for one that makes an object */
int soft_fake_created(void);

/** soft_fake_destroyed() - the same for one that ends an object */
int soft_fake_destroyed(void);

#endif
