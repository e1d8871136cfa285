/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The caller's side of commands: see tests/support/foreign_caller.h. */
#include "support/foreign_caller.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

/* last: cmocka.h needs the two headers above, <stddef.h> and <stdint.h> */
#include <cmocka.h>

#if defined(__x86_64__) && defined(__LP64__)
_Static_assert(sizeof(struct caller_attr) == 16, "attribute");
_Static_assert(offsetof(struct caller_buffer, uhw_in_idx) == 24, "buffer");
_Static_assert(offsetof(struct caller_buffer, flags) == 28, "buffer");
_Static_assert(offsetof(struct caller_buffer, length) == 32, "buffer");
_Static_assert(offsetof(struct caller_buffer, attrs) == 56, "buffer");
#endif

#define CORE_FILL  0xc0
#define GUARD_FILL 0xee
#define RESP_FILL  0xab
#define UHW_IN	   0x1000
#define MANDATORY  1

const uint8_t caller_driver_response[CALLER_DRIVER_LEN] = {
	0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7,
	0xa8, 0xa9, 0xaa, 0xab, 0xac, 0xad, 0xae, 0xaf
};

static const uint8_t driver_in[CALLER_DRIVER_LEN] = { 1,  2,  3,  4,  5,  6,
						      7,  8,  9,  10, 11, 12,
						      13, 14, 15, 16 };

void caller_init(struct caller *c, size_t cmd_core, size_t resp_core)
{
	c->cmd_core = cmd_core;
	c->cmd_size = cmd_core + CALLER_DRIVER_LEN;
	c->resp_core = resp_core;
	c->resp_size = resp_core + CALLER_DRIVER_LEN;
	assert_true(c->cmd_size < sizeof(c->cmd));
	assert_true(c->resp_size < sizeof(c->resp));
	memset(c->cmd, CORE_FILL, sizeof(c->cmd));
	memcpy(c->cmd + cmd_core, driver_in, sizeof(driver_in));
	memset(c->resp, GUARD_FILL, sizeof(c->resp));
	memset(c->resp, RESP_FILL, c->resp_size);
}

const void *caller_in(const struct caller *c)
{
	return c->cmd + c->cmd_core;
}

static void assert_fill(const uint8_t *bytes, size_t len, uint8_t fill)
{
	for (size_t i = 0; i < len; i++)
		assert_int_equal(bytes[i], fill);
}

void caller_check_response(const struct caller *c)
{
	assert_memory_equal(c->resp + c->resp_core, caller_driver_response,
			    sizeof(caller_driver_response));
	assert_fill(c->resp + c->resp_size, sizeof(c->resp) - c->resp_size,
		    GUARD_FILL);
	assert_memory_equal(caller_in(c), driver_in, sizeof(driver_in));
}

void caller_check_core_untouched(const struct caller *c)
{
	assert_fill(c->resp, c->resp_core, RESP_FILL);
}

void caller_check_untouched(const struct caller *c)
{
	assert_fill(c->resp, c->resp_size, RESP_FILL);
	assert_fill(c->resp + c->resp_size, sizeof(c->resp) - c->resp_size,
		    GUARD_FILL);
}

void caller_buffer_init(struct caller_buffer *buf, uint16_t object_id,
			uint16_t method_id, unsigned int room,
			struct caller_buffer *link)
{
	assert_true(room <= CALLER_ATTRS);
	/* Members that providers do not initialise contain old stack data. */
	memset(buf, GUARD_FILL, sizeof(*buf));
	buf->next = link;
	buf->next_attr = buf->attrs;
	buf->last_attr = buf->attrs + room;
	buf->uhw_in_idx = 0xff;
	buf->uhw_out_idx = 0xff;
	buf->flags = 0;
	buf->object_id = object_id;
	buf->method_id = method_id;
}

struct caller_attr *caller_attr_num(struct caller_buffer *buf, uint16_t attr_id,
				    uint64_t num)
{
	struct caller_attr *attr = buf->next_attr++;

	assert_true(attr < buf->last_attr);
	*attr = (struct caller_attr){
		.attr_id = attr_id,
		.flags = MANDATORY,
		.data = num,
	};
	return attr;
}

struct caller_attr *caller_attr_out(struct caller_buffer *buf, uint16_t attr_id,
				    void *data, uint16_t len)
{
	struct caller_attr *attr = caller_attr_num(buf, attr_id, 0);

	attr->len = len;
	attr->data = (uintptr_t)data;
	return attr;
}

struct caller_attr *caller_attr_in(struct caller_buffer *buf, uint16_t attr_id,
				   const void *data, uint16_t len)
{
	struct caller_attr *attr = caller_attr_num(buf, attr_id, 0);

	attr->len = len;
	if (len > sizeof(attr->data))
		attr->data = (uintptr_t)data;
	else if (len)
		memcpy(&attr->data, data, len);
	return attr;
}

struct caller_attr *caller_attr_uhw_in(struct caller_buffer *buf,
				       const void *data, uint16_t len)
{
	struct caller_attr *attr = caller_attr_num(buf, UHW_IN, 0);

	attr->len = len;
	attr->data = (uintptr_t)data;
	buf->uhw_in_idx = (uint8_t)(attr - buf->attrs);
	return attr;
}
