/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The log has a line for every command and every mapping. Lines contain no data
 * that differs from run to run: objects have names, and addresses are replaced.
 * So the logs of two libraries under the same provider can be compared line by
 * line, from the second word on; the first word names the protocol that carried
 * the command.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim.h"

/*
 * The range in which the kernel places mappings, and heaps of
 * position-independent programs. No length, key or flag in use is as large.
 */
#define LOWEST_ADDRESS	0x10000000000ull
#define HIGHEST_ADDRESS 0x7fffffffffffull

static const char *const type_names[SHIM_NR_TYPES] = {
	[SHIM_NONE] = "NONE",	  [SHIM_PD] = "PD",
	[SHIM_MR] = "MR",	  [SHIM_MW] = "MW",
	[SHIM_CQ] = "CQ",	  [SHIM_QP] = "QP",
	[SHIM_SRQ] = "SRQ",	  [SHIM_AH] = "AH",
	[SHIM_XRCD] = "XRCD",	  [SHIM_WQ] = "WQ",
	[SHIM_IND_TABLE] = "IND", [SHIM_FLOW] = "FLOW",
	[SHIM_DM] = "DM",	  [SHIM_COUNTERS] = "COUNTERS",
};

void shim_log(const char *fmt, ...)
{
	char line[4096];
	va_list args;
	int len, fd;

	if (!shim_config()->log[0])
		return;
	va_start(args, fmt);
	len = vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	if (len < 0)
		return;
	if ((size_t)len >= sizeof(line)) /* truncated */
		len = sizeof(line) - 1;
	line[len] = '\n';

	/* By number, since libc's names lead to the shim. */
	fd = (int)syscall(SYS_openat, AT_FDCWD, shim_config()->log,
			  O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return;
	if (syscall(SYS_write, fd, line, (size_t)len + 1) < 0)
		(void)fputs("uverbs_shim: cannot write the log\n", stderr);
	(void)syscall(SYS_close, fd); /* the only write was checked */
}

void shim_note(struct shim_call *call, const char *fmt, ...)
{
	size_t room = sizeof(call->notes) - call->notes_len;
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(call->notes + call->notes_len, room, fmt, args);
	va_end(args);
	if (len < 0)
		return;
	call->notes_len += (size_t)len < room ? (size_t)len : room - 1;
}

void shim_note_object(struct shim_call *call, const char *key, uint32_t handle)
{
	uint32_t type = handle / 1000;

	if (handle == 0)
		return;
	if (type < SHIM_NR_TYPES)
		shim_note(call, " %s=%s%u", key, type_names[type],
			  handle % 1000);
	else
		shim_note(call, " %s=%u?", key, handle);
}

static bool is_address(const unsigned char *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return word >= LOWEST_ADDRESS && word <= HIGHEST_ADDRESS;
}

void shim_note_bytes(struct shim_call *call, const char *key, const void *bytes,
		     size_t len)
{
	const unsigned char *b = bytes;

	shim_note(call, " %s=", key);
	for (size_t i = 0; i < len; i++)
		shim_note(call, "%02x", b[i]);
}

/* Return: whether these bytes of driver data have no meaning. */
static bool is_noise(const struct shim_call *call, size_t from, size_t to)
{
	const struct shim_noise *noise =
		&shim_file_device(call->file)->driver->noise;

	return noise->name && !strcmp(noise->name, call->name) &&
	       from < noise->offset + noise->len && to > noise->offset;
}

/* Drivers receive addresses, which are always aligned. */
static void note_driver_data(struct shim_call *call)
{
	const unsigned char *b = (const unsigned char *)call->uhw_in;

	shim_note(call, " driver_in=");
	for (size_t i = 0; i < call->uhw_in_len;) {
		if (is_noise(call, i, i + 1)) {
			shim_note(call, "..");
			i++;
		} else if (i % 8 == 0 && call->uhw_in_len - i >= 8 &&
			   !is_noise(call, i, i + 8) && is_address(b + i)) {
			shim_note(call, "<address>");
			i += 8;
		} else {
			shim_note(call, "%02x", b[i++]);
		}
	}
}

int shim_call_end(struct shim_call *call, int ret)
{
	if (call->uhw_in_len)
		note_driver_data(call);
	if (call->uhw_out_len)
		shim_note(call, " driver_out=%zu", call->uhw_out_len);
	shim_log("%s %s%s = %s", call->transport, call->name, call->notes,
		 ret ? strerrorname_np(-ret) : "0");
	return ret;
}
