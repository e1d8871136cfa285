/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The scripted kernel of ucm_fake.h: replaces write(). */
#include "librdmacm/kernel/ucm_fake.h"

#include <errno.h>
#include <string.h>
#include <sys/types.h>

#define HEADER_LEN   8
#define MAX_COMMANDS 4

static struct ucm_fake_command script[MAX_COMMANDS];
static size_t nr_expected, nr_sent;

ssize_t __real_write(int fd, const void *buf, size_t count);
ssize_t __wrap_write(int fd, const void *buf, size_t count);

void ucm_put_bytes(struct ucm_bytes *to, size_t offset, const void *from,
		   size_t len)
{
	assert_true(offset + len <= sizeof(to->bytes));
	memcpy(to->bytes + offset, from, len);
	if (to->len < offset + len)
		to->len = offset + len;
}

void ucm_put_u8(struct ucm_bytes *to, size_t offset, uint8_t value)
{
	ucm_put_bytes(to, offset, &value, sizeof(value));
}

void ucm_put_u16(struct ucm_bytes *to, size_t offset, uint16_t value)
{
	ucm_put_bytes(to, offset, &value, sizeof(value));
}

void ucm_put_u32(struct ucm_bytes *to, size_t offset, uint32_t value)
{
	ucm_put_bytes(to, offset, &value, sizeof(value));
}

void ucm_put_u64(struct ucm_bytes *to, size_t offset, uint64_t value)
{
	ucm_put_bytes(to, offset, &value, sizeof(value));
}

void ucm_fake_expect(const struct ucm_fake_command *command)
{
	assert_true(nr_expected < MAX_COMMANDS);
	script[nr_expected++] = *command;
}

int ucm_fake_setup(void **state)
{
	(void)state;
	nr_expected = 0;
	nr_sent = 0;
	errno = UCM_FAKE_ERRNO;
	return 0;
}

int ucm_fake_teardown(void **state)
{
	(void)state;
	assert_int_equal(errno, UCM_FAKE_ERRNO);
	assert_int_equal(nr_sent, nr_expected);
	return 0;
}

static void fake_check_command(const struct ucm_fake_command *expected,
			       const uint8_t *buf, size_t count)
{
	uint8_t payload[UCM_FAKE_LEN];
	uint32_t number;
	uint16_t in, out;

	assert_int_equal(count, HEADER_LEN + expected->payload.len);
	memcpy(&number, buf, sizeof(number));
	memcpy(&in, buf + 4, sizeof(in));
	memcpy(&out, buf + 6, sizeof(out));
	assert_int_equal(number, expected->number);
	assert_int_equal(in, expected->payload.len);
	assert_int_equal(out, expected->response_len);
	memcpy(payload, buf + HEADER_LEN, expected->payload.len);
	if (expected->response_len)
		memset(payload + expected->response_at, 0, 8);
	assert_memory_equal(payload, expected->payload.bytes,
			    expected->payload.len);
}

static void fake_respond(const struct ucm_fake_command *expected,
			 const uint8_t *buf)
{
	uint64_t address;

	if (!expected->response_len)
		return;
	assert_true(expected->response.len <= expected->response_len);
	memcpy(&address, buf + HEADER_LEN + expected->response_at,
	       sizeof(address));
	assert_true(address);
	memcpy((void *)(uintptr_t)address, expected->response.bytes,
	       expected->response.len);
}

ssize_t __wrap_write(int fd, const void *buf, size_t count)
{
	const struct ucm_fake_command *expected;

	if (fd != UCM_FAKE_FD)
		return __real_write(fd, buf, count);
	assert_true(nr_sent < nr_expected);
	expected = &script[nr_sent++];
	fake_check_command(expected, buf, count);
	fake_respond(expected, buf);
	if (expected->err) {
		errno = expected->err;
		return -1;
	}
	return (ssize_t)(count - expected->short_by);
}

void ucm_check_errors(const struct ucm_fake_command *command, int (*run)(void))
{
	static const int errors[] = { EINVAL, ENOENT,	 ENXIO,	 EACCES,
				      ENOSYS, ETIMEDOUT, EFAULT, ENOSPC };
	struct ucm_fake_command failing = *command;

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		(void)ucm_fake_setup(NULL);
		failing.err = errors[i];
		ucm_fake_expect(&failing);
		assert_int_equal(run(), -errors[i]);
		(void)ucm_fake_teardown(NULL);
	}
	(void)ucm_fake_setup(NULL);
	failing.err = 0;
	failing.short_by = 1;
	ucm_fake_expect(&failing);
	assert_int_equal(run(), -ENODATA);
}
