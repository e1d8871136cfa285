/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How ibv_doctor prints what it found, and its exit status. */
#ifndef TOOLS_DOCTOR_REPORT_H
#define TOOLS_DOCTOR_REPORT_H

#include <stdio.h>

#include "tools/doctor/doctor.h"

/* Exit status, as the manual page promises. Usage errors are EX_USAGE. */
enum doctor_status {
	DOCTOR_USABLE = 0,   /* a device can be used */
	DOCTOR_UNUSABLE = 1, /* no device can be used */
	DOCTOR_DEGRADED = 2, /* one can, but there are errors or warnings */
};

enum doctor_status doctor_status(const struct doctor *doctor);

/** doctor_print_text() - for people, within 79 columns */
void doctor_print_text(const struct doctor *doctor, FILE *file);

/**
 * doctor_print_json() - for programs
 *
 * Return: 0, or -EIO when not all could be written.
 */
int doctor_print_json(const struct doctor *doctor, FILE *file);

#endif
