/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The captured MADs of tests/data/rdmacm/sample_mads.txt. */
#ifndef SAMPLE_MADS_H
#define SAMPLE_MADS_H

#include "cm/cm_mad.h"

#define SAMPLE_TEXT_LEN 1024

struct sample_mad {
	char name[128];
	uint8_t bytes[CM_MAD_LEN];
	char fields[SAMPLE_TEXT_LEN]; /* the annotation, "a 0x1; b 0x2" */
};

/* Returns the array of all samples, and their number. Fails the test on error.
 */
const struct sample_mad *sample_mads_read(size_t *ret_nr);

/* Returns the sample with this name. Fails the test if there is none. */
const struct sample_mad *sample_mads_find(const char *name);

#endif
