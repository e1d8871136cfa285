/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fixture for one check of ibv_doctor: a fake system made of files. Its root
 * folder is "/" for the check. The library is AnyVerbs at
 * /opt/lib/libibverbs.so.1. Tests set the facts about devices.
 */
#ifndef TOOLS_DOCTOR_FIXTURE_H
#define TOOLS_DOCTOR_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/fake_sysfs.h"
#include "tools/doctor/doctor.h"

struct doctor_fixture {
	struct fake_sysfs fake;
	struct doctor doctor;
};

int doctor_fixture_setup(void **state);
int doctor_fixture_teardown(void **state);

/* Writes a file below the root folder: "proc/sys/kernel/osrelease". */
__attribute__((format(printf, 3, 4))) void
doctor_fixture_write(struct doctor_fixture *fixture, const char *path,
		     const char *fmt, ...);
void doctor_fixture_link(struct doctor_fixture *fixture, const char *path,
			 const char *target);

/*
 * Sets the modules of the running kernel 6.1.0; @names is separated by blanks.
 */
void doctor_fixture_set_modules(struct doctor_fixture *fixture,
				const char *names);

/*
 * Adds the device rxe<n> to sysfs and to the device list. Its device number is
 * that of /dev/null.
 */
struct doctor_device *doctor_fixture_add_device(struct doctor_fixture *fixture,
						unsigned int n);

/* Adds rxe<n> as an open device with one active Ethernet port without a GID. */
struct doctor_device *
doctor_fixture_add_open_device(struct doctor_fixture *fixture, unsigned int n);

/* Adds a GID to the first port. */
void doctor_fixture_add_gid(struct doctor_device *device, uint32_t index,
			    const char *address, uint32_t type);

/*
 * Returns the only finding @id. Fails unless it is about @device (NULL: about
 * no device) and has a readable text and a fix.
 */
const struct doctor_finding *doctor_fixture_find(struct doctor_fixture *fixture,
						 enum doctor_id id,
						 const char *device);

size_t doctor_fixture_count(const struct doctor_fixture *fixture,
			    enum doctor_id id);

void assert_has_text(const struct doctor_finding *finding, const char *text);
void assert_has_fix(const struct doctor_finding *finding, const char *text);
void assert_no_findings(const struct doctor_fixture *fixture);

#define doctor_test(name)                                           \
	cmocka_unit_test_setup_teardown(name, doctor_fixture_setup, \
					doctor_fixture_teardown)

#endif
