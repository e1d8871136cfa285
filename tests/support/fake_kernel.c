/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The scripted kernel of tests/support/fake_kernel.h: replaces ioctl() and
 * write() in a test, compares each command field by field and writes the
 * scripted response.
 */
#include "support/fake_kernel.h"

#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/* last: cmocka.h needs the headers above */
#include <cmocka.h>

/* Above any limit of open files that a test runs with. */
#define FAKE_FD	 0x7fff0000
#define MAX_CMDS 64

#define EXTENDED IB_USER_VERBS_CMD_FLAG_EXTENDED

struct expected {
	bool is_write;
	struct fake_ioctl ioctl;
	struct fake_write write;
};

static struct expected script[MAX_CMDS];
static size_t nr_expected, nr_seen;
static uint32_t expected_driver_id;
static void (*on_fail)(const char *reason);

int __real_ioctl(int fd, unsigned long request, ...);
ssize_t __real_write(int fd, const void *buf, size_t count);
int __wrap_ioctl(int fd, unsigned long request, ...);
ssize_t __wrap_write(int fd, const void *buf, size_t count);

__attribute__((format(printf, 1, 2))) static bool
report_mismatch(const char *fmt, ...)
{
	char reason[256];
	int used;
	va_list args;

	used = snprintf(reason, sizeof(reason), "command %zu: ", nr_seen);
	va_start(args, fmt);
	(void)vsnprintf(reason + used, sizeof(reason) - (size_t)used, fmt,
			args); /* truncated if too long */
	va_end(args);
	if (on_fail)
		on_fail(reason);
	else
		fail_msg("fake kernel, %s", reason);
	return false;
}

static bool compare_num(const char *what, uint64_t got, uint64_t expected)
{
	if (got == expected)
		return true;
	return report_mismatch("%s is %#llx, expected %#llx", what,
			       (unsigned long long)got,
			       (unsigned long long)expected);
}

static bool compare_bytes(const char *what, const void *got,
			  const void *expected, size_t len)
{
	const unsigned char *g = got, *e = expected;

	for (size_t i = 0; i < len; i++)
		if (g[i] != e[i])
			return report_mismatch("%s: byte %zu of %zu is %02x, "
					       "expected %02x",
					       what, i, len, g[i], e[i]);
	return true;
}

/* ------------------------------------------------------------------------ */
/* The script                                                                */
/* ------------------------------------------------------------------------ */

static void *copy_bytes(const void *from, size_t len)
{
	void *ret;

	if (!from || !len)
		return NULL;
	ret = malloc(len);
	if (!ret)
		abort();
	return memcpy(ret, from, len);
}

static void free_attrs(struct fake_ioctl *cmd)
{
	for (size_t i = 0; i < cmd->nr_attrs; i++)
		free((void *)(uintptr_t)cmd->attrs[i].bytes);
	free((void *)(uintptr_t)cmd->attrs);
}

static void free_write(struct fake_write *cmd)
{
	free((void *)(uintptr_t)cmd->in);
	free((void *)(uintptr_t)cmd->out);
	free((void *)(uintptr_t)cmd->driver_in);
	free((void *)(uintptr_t)cmd->driver_out);
}

void fake_kernel_start(void)
{
	for (size_t i = 0; i < nr_expected; i++) {
		free_attrs(&script[i].ioctl);
		free_write(&script[i].write);
	}
	memset(script, 0, sizeof(script));
	nr_expected = 0;
	nr_seen = 0;
	expected_driver_id = 0;
	on_fail = NULL;
}

int fake_kernel_fd(void)
{
	return FAKE_FD;
}

void fake_kernel_driver_id(uint32_t driver_id)
{
	expected_driver_id = driver_id;
}

void fake_kernel_on_fail(void (*fail)(const char *reason))
{
	on_fail = fail;
}

static struct expected *append_expected(void)
{
	if (nr_expected == MAX_CMDS)
		abort();
	return &script[nr_expected++];
}

void fake_kernel_expect_ioctl(const struct fake_ioctl *cmd)
{
	struct expected *new = append_expected();
	struct fake_attr *attrs;

	attrs = copy_bytes(cmd->attrs, cmd->nr_attrs * sizeof(*attrs));
	for (size_t i = 0; i < cmd->nr_attrs; i++) {
		bool out = attrs[i].kind == FAKE_OUT_BYTES;

		attrs[i].bytes =
			copy_bytes(attrs[i].bytes,
				   out ? attrs[i].response_len : attrs[i].len);
	}
	new->ioctl = *cmd;
	new->ioctl.attrs = attrs;
}

void fake_kernel_expect_write(const struct fake_write *cmd)
{
	struct expected *new = append_expected();

	new->is_write = true;
	new->write = *cmd;
	new->write.in = copy_bytes(cmd->in, cmd->in_len);
	new->write.out = copy_bytes(cmd->out, cmd->out_len);
	new->write.driver_in = copy_bytes(cmd->driver_in, cmd->driver_in_len);
	new->write.driver_out =
		copy_bytes(cmd->driver_out, cmd->driver_out_len);
}

static struct fake_attr out_attr(uint16_t id, size_t len, const void *response)
{
	return (struct fake_attr){
		.id = id,
		.kind = FAKE_OUT_BYTES,
		.len = len,
		.response_len = response ? len : 0,
		.bytes = response,
	};
}

void fake_kernel_expect_invoke_write(const struct fake_write *cmd)
{
	const uint64_t command = cmd->command;
	struct fake_attr attrs[5] = {
		FAKE_BYTES_IN(UVERBS_ATTR_WRITE_CMD, sizeof(command), &command),
		FAKE_BYTES_IN(UVERBS_ATTR_CORE_IN, cmd->in_len, cmd->in),
	};
	struct fake_ioctl wrapped = {
		.object = UVERBS_OBJECT_DEVICE,
		.method = UVERBS_METHOD_INVOKE_WRITE,
		.attrs = attrs,
		.nr_attrs = 2,
		.err = cmd->err,
	};

	if (cmd->out_len)
		attrs[wrapped.nr_attrs++] =
			out_attr(UVERBS_ATTR_CORE_OUT, cmd->out_len, cmd->out);
	if (cmd->driver_in_len)
		attrs[wrapped.nr_attrs++] = (struct fake_attr)FAKE_BYTES_IN(
			UVERBS_ATTR_UHW_IN, cmd->driver_in_len, cmd->driver_in);
	if (cmd->driver_out_len)
		attrs[wrapped.nr_attrs++] = out_attr(UVERBS_ATTR_UHW_OUT,
						     cmd->driver_out_len,
						     cmd->driver_out);
	fake_kernel_expect_ioctl(&wrapped);
}

void fake_kernel_finish(void)
{
	size_t missing = nr_expected - nr_seen;

	if (missing) {
		nr_seen++; /* the message names the missing command */
		(void)report_mismatch("was not sent, and %zu after it",
				      missing - 1);
	}
	fake_kernel_start();
}

static struct expected *take_expected(const char *what)
{
	if (nr_seen == nr_expected) {
		nr_seen++;
		(void)report_mismatch("unexpected %s", what);
		nr_seen--;
		return NULL;
	}
	return &script[nr_seen++];
}

/* ------------------------------------------------------------------------ */
/* ioctl                                                                     */
/* ------------------------------------------------------------------------ */

static struct ib_uverbs_attr *find_attr(struct ib_uverbs_ioctl_hdr *hdr,
					uint16_t id)
{
	struct ib_uverbs_attr *found = NULL;

	for (int i = 0; i < hdr->num_attrs; i++) {
		if (hdr->attrs[i].attr_id != id)
			continue;
		if (found) {
			(void)report_mismatch("attribute %#x comes twice", id);
			return NULL;
		}
		found = &hdr->attrs[i];
	}
	if (!found)
		(void)report_mismatch("attribute %#x is missing", id);
	return found;
}

static void *pointer_of(uint64_t addr)
{
	return (void *)(uintptr_t)addr;
}

static bool compare_attr(const struct ib_uverbs_attr *got,
			 const struct fake_attr *expected)
{
	uint16_t flags = expected->optional ? 0 : UVERBS_ATTR_F_MANDATORY;
	const void *bytes = &got->data;
	char what[40];

	(void)snprintf(what, sizeof(what), "flags of attribute %#x",
		       expected->id); /* fits */
	if (!compare_num(what, got->flags, flags))
		return false;
	(void)snprintf(what, sizeof(what), "length of attribute %#x",
		       expected->id);
	if (!compare_num(what, got->len, expected->len))
		return false;
	(void)snprintf(what, sizeof(what), "choice of attribute %#x",
		       expected->id);
	if (!compare_num(what, got->attr_data.enum_data.elem_id,
			 expected->elem) ||
	    !compare_num(what, got->attr_data.enum_data.reserved, 0))
		return false;

	(void)snprintf(what, sizeof(what), "attribute %#x", expected->id);
	if (expected->kind == FAKE_IN_NUM)
		return compare_num(what, got->data, expected->num);
	if (expected->kind != FAKE_IN_BYTES)
		return true;
	if (got->len > sizeof(got->data))
		bytes = pointer_of(got->data);
	return compare_bytes(what, bytes, expected->bytes, got->len);
}

static bool compare_ioctl(struct ib_uverbs_ioctl_hdr *hdr,
			  const struct fake_ioctl *cmd)
{
	if (!compare_num("object", hdr->object_id, cmd->object) ||
	    !compare_num("method", hdr->method_id, cmd->method) ||
	    !compare_num("driver id", hdr->driver_id, expected_driver_id) ||
	    !compare_num("reserved1", hdr->reserved1, 0) ||
	    !compare_num("reserved2", hdr->reserved2, 0) ||
	    !compare_num("length of the header and all attributes", hdr->length,
			 sizeof(*hdr) + hdr->num_attrs * sizeof(hdr->attrs[0])))
		return false;

	for (size_t i = 0; i < cmd->nr_attrs; i++) {
		struct ib_uverbs_attr *attr = find_attr(hdr, cmd->attrs[i].id);

		if (!attr || !compare_attr(attr, &cmd->attrs[i]))
			return false;
	}
	return compare_num("number of attributes", hdr->num_attrs,
			   cmd->nr_attrs);
}

static void respond_to_ioctl(struct ib_uverbs_ioctl_hdr *hdr,
			     const struct fake_ioctl *cmd)
{
	for (size_t i = 0; i < cmd->nr_attrs; i++) {
		const struct fake_attr *response = &cmd->attrs[i];
		struct ib_uverbs_attr *attr = find_attr(hdr, response->id);

		if (response->kind == FAKE_OUT_NUM)
			attr->data = response->num;
		if (response->kind == FAKE_OUT_BYTES && response->bytes)
			memcpy(pointer_of(attr->data), response->bytes,
			       response->response_len);
	}
}

static int fake_ioctl(unsigned long request, struct ib_uverbs_ioctl_hdr *hdr)
{
	const struct expected *next = take_expected("ioctl");

	if (!next || !compare_num("request", request, RDMA_VERBS_IOCTL) ||
	    (next->is_write &&
	     !report_mismatch("an ioctl, expected write(2)")) ||
	    !compare_ioctl(hdr, &next->ioctl)) {
		errno = EFAULT;
		return -1;
	}
	respond_to_ioctl(hdr, &next->ioctl);
	if (next->ioctl.err) {
		errno = next->ioctl.err;
		return -1;
	}
	return 0;
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (fd != FAKE_FD)
		return __real_ioctl(fd, request, arg);
	return fake_ioctl(request, arg);
}

/* ------------------------------------------------------------------------ */
/* write(2)                                                                  */
/* ------------------------------------------------------------------------ */

struct write_view {
	const char *core, *driver;
	char *response; /* NULL: none */
};

static size_t padded_len(size_t len, size_t unit)
{
	return (len + unit - 1) / unit * unit;
}

static bool compare_plain_header(const char *buf, size_t count,
				 const struct fake_write *cmd,
				 struct write_view *ret)
{
	struct ib_uverbs_cmd_hdr hdr;
	uint64_t response = 0;
	size_t out_len = cmd->out_len + cmd->driver_out_len;

	if (!compare_num("length of the write", count,
			 sizeof(hdr) + cmd->in_len + cmd->driver_in_len))
		return false;
	memcpy(&hdr, buf, sizeof(hdr));
	if (!compare_num("command", hdr.command, cmd->command) ||
	    !compare_num("in_words", hdr.in_words, count / 4) ||
	    !compare_num("out_words", hdr.out_words, out_len / 4))
		return false;

	ret->core = buf + sizeof(hdr);
	ret->driver = ret->core + cmd->in_len;
	if (cmd->out_len)
		memcpy(&response, ret->core, sizeof(response));
	ret->response = pointer_of(response);
	return true;
}

static bool compare_extended_header(const char *buf, size_t count,
				    const struct fake_write *cmd,
				    struct write_view *ret)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_ex_cmd_hdr ex;
	} head;
	size_t driver_in = padded_len(cmd->driver_in_len, 8);
	size_t driver_out = padded_len(cmd->driver_out_len, 8);

	if (!compare_num("length of the write", count,
			 sizeof(head) + cmd->in_len + driver_in))
		return false;
	memcpy(&head, buf, sizeof(head));
	if (!compare_num("command", head.hdr.command, cmd->command) ||
	    !compare_num("in_words", head.hdr.in_words, cmd->in_len / 8) ||
	    !compare_num("out_words", head.hdr.out_words, cmd->out_len / 8) ||
	    !compare_num("provider_in_words", head.ex.provider_in_words,
			 driver_in / 8) ||
	    !compare_num("provider_out_words", head.ex.provider_out_words,
			 driver_out / 8) ||
	    !compare_num("cmd_hdr_reserved", head.ex.cmd_hdr_reserved, 0) ||
	    !compare_num("response is given", head.ex.response != 0,
			 cmd->out_len || cmd->driver_out_len))
		return false;

	ret->core = buf + sizeof(head);
	ret->driver = ret->core + cmd->in_len;
	ret->response = pointer_of(head.ex.response);
	return true;
}

static bool compare_write(const char *buf, size_t count,
			  const struct fake_write *cmd, struct write_view *ret)
{
	static const char zeros[8];
	bool extended = cmd->command & EXTENDED;
	size_t skip = !extended && cmd->out_len ? sizeof(uint64_t) : 0;

	if (extended ? !compare_extended_header(buf, count, cmd, ret)
		     : !compare_plain_header(buf, count, cmd, ret))
		return false;
	if (skip && !ret->response)
		return report_mismatch("no response address");
	return compare_bytes("request", ret->core + skip,
			     (const char *)cmd->in + skip,
			     cmd->in_len - skip) &&
	       compare_bytes("driver's input", ret->driver, cmd->driver_in,
			     cmd->driver_in_len) &&
	       compare_bytes("padding", ret->driver + cmd->driver_in_len, zeros,
			     padded_len(cmd->driver_in_len, extended ? 8 : 4) -
				     cmd->driver_in_len);
}

static void respond_to_write(const struct fake_write *cmd, char *response)
{
	if (cmd->out)
		memcpy(response, cmd->out, cmd->out_len);
	if (cmd->driver_out)
		memcpy(response + cmd->out_len, cmd->driver_out,
		       cmd->driver_out_len);
}

static ssize_t fake_write(const void *buf, size_t count)
{
	const struct expected *next = take_expected("write");
	struct write_view view;

	if (!next ||
	    (!next->is_write &&
	     !report_mismatch("write(2), expected an ioctl")) ||
	    !compare_write(buf, count, &next->write, &view)) {
		errno = EFAULT;
		return -1;
	}
	respond_to_write(&next->write, view.response);
	if (next->write.err) {
		errno = next->write.err;
		return -1;
	}
	return (ssize_t)(count - next->write.short_by);
}

ssize_t __wrap_write(int fd, const void *buf, size_t count)
{
	return fd == FAKE_FD ? fake_write(buf, count)
			     : __real_write(fd, buf, count);
}
