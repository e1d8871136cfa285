/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Replaces the provider modules of existing releases as callers of the library:
 * requests and responses with the driver's bytes after the core's bytes, and
 * command buffers with attributes. This header defines the layouts again,
 * independently of the library, so that an error in the library's definitions
 * is detected.
 */
#ifndef SUPPORT_FOREIGN_CALLER_H
#define SUPPORT_FOREIGN_CALLER_H

#include <stddef.h>
#include <stdint.h>

#define CALLER_DRIVER_LEN 16
#define CALLER_MAX	  512
#define CALLER_ATTRS	  8

/* -- requests and responses -- */

struct caller {
	/* header and core, then 16 driver bytes 1, 2, 3, ... */
	_Alignas(8) uint8_t cmd[CALLER_MAX];
	size_t cmd_core, cmd_size;
	/* core, then room for 16 driver bytes, then a guard */
	_Alignas(8) uint8_t resp[CALLER_MAX];
	size_t resp_core, resp_size;
};

/**
 * caller_init() - initialise the buffers of one command
 * @cmd_core: bytes of header and core, 0 if the command has no request
 * @resp_core: bytes of the response's core, 0 if it has none
 */
void caller_init(struct caller *c, size_t cmd_core, size_t resp_core);

/**
 * caller_in() - return the driver's bytes in the request
 */
const void *caller_in(const struct caller *c);

/**
 * 16 bytes that a kernel may respond to the driver with.
 */
extern const uint8_t caller_driver_response[CALLER_DRIVER_LEN];

/**
 * caller_check_response() - assert that the driver's response is in its place
 *
 * Also asserts that the guard after the response and the driver's request did
 * not change.
 */
void caller_check_response(const struct caller *c);

/**
 * caller_check_untouched() - assert that the response is unchanged since init
 */
void caller_check_untouched(const struct caller *c);

/**
 * caller_check_core_untouched() - assert that the response's core is unchanged
 */
void caller_check_core_untouched(const struct caller *c);

/* -- command buffers -- */

struct caller_attr {
	uint16_t attr_id;
	uint16_t len;
	uint16_t flags; /* 1: mandatory */
	uint8_t elem_id, reserved;
	uint64_t data;
};

struct caller_buffer {
	struct caller_buffer *next;
	struct caller_attr *next_attr, *last_attr;
	uint8_t uhw_in_idx, uhw_out_idx; /* 0xff: none */
	uint8_t headroom[2];
	uint8_t flags; /* CALLER_* */
	/* the kernel's header, aligned as its widest member */
	_Alignas(8) uint16_t length;
	uint16_t object_id, method_id, num_attrs;
	uint64_t reserved1;
	uint32_t driver_id, reserved2;
	struct caller_attr attrs[CALLER_ATTRS];
};

/*
 * Flags of a command buffer: bit-fields, which start at the low end of the byte
 * on little-endian machines and at the high end on big-endian machines.
 */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define CALLER_BUFFER_ERROR 0x01
#define CALLER_IOCTL_ONLY   0x04
#else
#define CALLER_BUFFER_ERROR 0x80
#define CALLER_IOCTL_ONLY   0x20
#endif

/**
 * caller_buffer_init() - initialise an empty command buffer
 * @room: attributes that it can hold, at most CALLER_ATTRS
 * @link: the next buffer, or NULL
 */
void caller_buffer_init(struct caller_buffer *buf, uint16_t object_id,
			uint16_t method_id, unsigned int room,
			struct caller_buffer *link);

/* Each of these adds one mandatory attribute and returns it. */
struct caller_attr *caller_attr_in(struct caller_buffer *buf, uint16_t attr_id,
				   const void *data, uint16_t len);
struct caller_attr *caller_attr_out(struct caller_buffer *buf, uint16_t attr_id,
				    void *data, uint16_t len);
struct caller_attr *caller_attr_num(struct caller_buffer *buf, uint16_t attr_id,
				    uint64_t num);
/*
 * Adds the driver's input, by address even if it is short, and sets uhw_in_idx.
 */
struct caller_attr *caller_attr_uhw_in(struct caller_buffer *buf,
				       const void *data, uint16_t len);

#endif
