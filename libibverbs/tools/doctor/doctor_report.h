/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reports and exit status of ibv_doctor. */
#ifndef TOOLS_DOCTOR_REPORT_H
#define TOOLS_DOCTOR_REPORT_H

#include <stdio.h>

#include "tools/doctor/doctor.h"

/* Exit status, as documented in the manual page. Usage errors are EX_USAGE. */
enum doctor_status {
	DOCTOR_USABLE = 0,   /* a device is usable; no error, no warning */
	DOCTOR_UNUSABLE = 1, /* no device is usable */
	DOCTOR_DEGRADED = 2, /* a device is usable; errors or warnings */
};

enum doctor_status doctor_status(const struct doctor *doctor);

/** doctor_print_text() - print the report as text, within 79 columns */
void doctor_print_text(const struct doctor *doctor, FILE *file);

/**
 * doctor_print_json() - print the report as JSON
 *
 * Return: 0, or -EIO when writing failed.
 */
int doctor_print_json(const struct doctor *doctor, FILE *file);

#endif
