/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Replaces the kernel's connection manager in unit tests. A test lists the
 * commands that the code must send, in order, byte by byte, and the response of
 * each. A command that differs, an unexpected command and a missing command
 * fail the test.
 *
 * Link with WRAP write. Only the descriptor UCM_FAKE_FD is scripted.
 *
 * A command that fails still writes its response, so that a test detects a
 * caller that uses output of a failed command.
 */
#ifndef KERNEL_UCM_FAKE_H
#define KERNEL_UCM_FAKE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* Must follow the four headers above. */
#include <cmocka.h>

/* Above any limit of open files that a test runs with. */
#define UCM_FAKE_FD 0x7ffd0000

/* The largest command and the largest response of a test, in bytes */
#define UCM_FAKE_LEN 4096

/* errno before each test; commands do not change it. */
#define UCM_FAKE_ERRNO 77

/* Memory in the byte order of the machine, as the kernel defines it. */
struct ucm_bytes {
	uint8_t bytes[UCM_FAKE_LEN];
	size_t len;
};

void ucm_put_u8(struct ucm_bytes *to, size_t offset, uint8_t value);
void ucm_put_u16(struct ucm_bytes *to, size_t offset, uint16_t value);
void ucm_put_u32(struct ucm_bytes *to, size_t offset, uint32_t value);
void ucm_put_u64(struct ucm_bytes *to, size_t offset, uint64_t value);
void ucm_put_bytes(struct ucm_bytes *to, size_t offset, const void *from,
		   size_t len);

struct ucm_fake_command {
	uint32_t number;
	/* The command after its header; 0 at the address of the response */
	struct ucm_bytes payload;
	size_t response_at;  /* offset of that address in the payload */
	size_t response_len; /* room for the response; 0: none */
	/* The kernel writes these bytes of the response. */
	struct ucm_bytes response;
	int err;	 /* errno of the command; 0: success */
	size_t short_by; /* bytes of the command that are not taken */
};

/* Appends a command to the script. */
void ucm_fake_expect(const struct ucm_fake_command *command);

/* Setup and teardown; the teardown checks errno and the end of the script. */
int ucm_fake_setup(void **state);
int ucm_fake_teardown(void **state);

#define UCM_TEST(name) \
	cmocka_unit_test_setup_teardown(name, ucm_fake_setup, ucm_fake_teardown)

/*
 * Sends the command once for each error of the kernel, and once so that the
 * kernel takes a part of it. @run() sends the command, checks that its outputs
 * are unchanged, and returns the result.
 */
void ucm_check_errors(const struct ucm_fake_command *command, int (*run)(void));

#endif
