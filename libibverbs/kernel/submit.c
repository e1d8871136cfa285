/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sends commands to the kernel. All ioctl() and write() calls on uverbs
 * descriptors are in this file. Called by the cmd_*.c files; kernel_caps.c
 * decides which form is tried.
 */
#include "kernel/submit.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kernel/kernel_caps.h"
#include "kernel/kernel_state.h"

/*
 * Stack buffer for request and response of write(2), each of which has core and
 * driver part in one block. Nearly all commands fit: the response of
 * QUERY_DEVICE has 304 bytes, the driver parts in the kernel's headers are
 * below 200.
 */
#define WRITE_BUF_LEN 2048

/* Limit of request and of response: that of an ioctl attribute. */
#define WRITE_MAX_LEN 65536

static int submit_sys_ioctl(const struct ibv_context *ctx, void *msg)
{
	int saved_errno = errno;
	int ret;

	if (ioctl(ctx->cmd_fd, RDMA_VERBS_IOCTL, msg) >= 0)
		return 0;
	ret = -errno;
	errno = saved_errno;
	return ret;
}

static int submit_sys_write(int fd, const void *request, size_t len)
{
	int saved_errno = errno;
	ssize_t done;
	int ret;

	done = write(fd, request, len);
	if (done >= 0)
		return (size_t)done == len ? 0 : -EPROTO;
	ret = -errno;
	errno = saved_errno;
	return ret;
}

/* Records a refusal for later commands; returns the result of this one. */
static SUBMIT_SLOW_PATH int submit_ioctl_failed(struct ibv_context *ctx,
						const struct cmd *cmd, int ret)
{
	/* The unsupported attribute may be one of the driver. */
	if (ret == SUBMIT_NOT_OFFERED && cmd_needs_ioctl(cmd->driver))
		return ret;
	if (kernel_cap_learn(verbs_kernel_state(ctx), cmd->cap, -ret))
		return SUBMIT_NOT_OFFERED;
	return ret;
}

int submit_ioctl(struct ibv_context *ctx, struct cmd *cmd)
{
	const struct verbs_kernel_state *state = verbs_kernel_state(ctx);
	int ret;

	if (!kernel_cap_method_offered(state, cmd->cap))
		return SUBMIT_NOT_OFFERED;
	if (cmd->error)
		return cmd->error;

	cmd->msg.length =
		(uint16_t)(offsetof(struct cmd_message, attrs) +
			   cmd->msg.num_attrs * sizeof(cmd->msg.attrs[0]));
	cmd->msg.driver_id = state->driver_id;

	ret = submit_sys_ioctl(ctx, &cmd->msg);
	if (ret)
		return submit_ioctl_failed(ctx, cmd, ret);
	return cmd->has_results ? cmd_read_results(cmd) : 0;
}

int submit_ioctl_only(struct ibv_context *ctx, struct cmd *cmd)
{
	int ret = submit_ioctl(ctx, cmd);

	return ret == SUBMIT_NOT_OFFERED ? -EOPNOTSUPP : ret;
}

int submit_ioctl_raw(const struct ibv_context *ctx,
		     struct ib_uverbs_ioctl_hdr *hdr)
{
	hdr->driver_id = verbs_kernel_state(ctx)->driver_id;
	return submit_sys_ioctl(ctx, hdr);
}

/*
 * Inline, because submit_write() is the most frequent caller; without the
 * attribute the compiler regards it as too large.
 */
static inline __attribute__((always_inline)) int
submit_send_invoke_write(struct ibv_context *ctx, const struct write_cmd *req)
{
	struct cmd cmd;

	if (cmd_needs_ioctl(req->udata))
		return -EOPNOTSUPP;
	cmd_init(&cmd, KERNEL_CAP_INVOKE_WRITE);
	cmd_in_u64(&cmd, UVERBS_ATTR_WRITE_CMD, req->command);
	cmd_in_ptr(&cmd, UVERBS_ATTR_CORE_IN, req->in, req->in_len);
	if (req->out_len)
		cmd_out_ptr(&cmd, UVERBS_ATTR_CORE_OUT, req->out, req->out_len);
	cmd_uhw(&cmd, req->udata);
	return submit_ioctl(ctx, &cmd);
}

int submit_invoke_write(struct ibv_context *ctx, const struct write_cmd *req)
{
	return submit_send_invoke_write(ctx, req);
}

/* Buffers for write(2); aligned to 8. */
struct write_buf {
	char *request, *response;
	size_t request_len, response_len; /* bytes */
};

/* Layout of the request. */
struct write_layout {
	size_t header_len;
	size_t unit; /* lengths are multiples of this */
};

static const struct verbs_udata no_udata;

static size_t submit_round_up(size_t len, size_t unit)
{
	return (len + unit - 1) / unit * unit;
}

static struct write_layout submit_write_layout(const struct write_cmd *req)
{
	struct write_layout basic = {
		.header_len = sizeof(struct ib_uverbs_cmd_hdr),
		.unit = sizeof(uint32_t),
	};
	struct write_layout extended = {
		.header_len = sizeof(struct ib_uverbs_cmd_hdr) +
			      sizeof(struct ib_uverbs_ex_cmd_hdr),
		.unit = sizeof(uint64_t),
	};

	return req->command & IB_USER_VERBS_CMD_FLAG_EXTENDED ? extended
							      : basic;
}

/* Sets the lengths of @buf. The checks come first, so no sum can overflow. */
static int submit_measure_write(struct write_buf *buf,
				const struct write_cmd *req)
{
	const struct verbs_udata *udata = req->udata ? req->udata : &no_udata;
	const struct write_layout layout = submit_write_layout(req);

	if (req->in_len > WRITE_MAX_LEN || udata->in_len > WRITE_MAX_LEN ||
	    req->out_len > WRITE_MAX_LEN || udata->out_len > WRITE_MAX_LEN)
		return -EMSGSIZE;
	buf->request_len = layout.header_len + req->in_len +
			   submit_round_up(udata->in_len, layout.unit);
	buf->response_len =
		req->out_len + submit_round_up(udata->out_len, layout.unit);
	return buf->request_len > WRITE_MAX_LEN ||
			       buf->response_len > WRITE_MAX_LEN
		       ? -EMSGSIZE
		       : 0;
}

/* Copies core and driver part behind the header. */
static void submit_put_payload(struct write_buf *buf,
			       const struct write_cmd *req)
{
	const struct verbs_udata *udata = req->udata ? req->udata : &no_udata;
	size_t header_len = submit_write_layout(req).header_len;
	char *pos = buf->request + header_len;

	memset(pos, 0, buf->request_len - header_len);
	memcpy(pos, req->in, req->in_len);
	if (udata->in_len)
		memcpy(pos + req->in_len, udata->in, udata->in_len);
	memset(buf->response, 0, buf->response_len);
}

/* Basic header: lengths are in words of 4 bytes and include the header. */
static void submit_put_header(struct write_buf *buf,
			      const struct write_cmd *req)
{
	const size_t unit = sizeof(uint32_t);
	const struct ib_uverbs_cmd_hdr hdr = {
		.command = req->command,
		.in_words = (uint16_t)(buf->request_len / unit),
		.out_words = (uint16_t)(buf->response_len / unit),
	};
	const uint64_t response = cmd_addr(buf->response);

	memcpy(buf->request, &hdr, sizeof(hdr));
	/* Requests with a response begin with its address. */
	if (req->out_len)
		memcpy(buf->request + sizeof(hdr), &response, sizeof(response));
}

/*
 * Extended header: lengths are in words of 8 bytes, separate for core and
 * driver, without the header.
 */
static void submit_put_ex_header(struct write_buf *buf,
				 const struct write_cmd *req)
{
	const size_t unit = sizeof(uint64_t);
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_ex_cmd_hdr ex;
	} header = { .hdr.command = req->command };
	size_t driver_in = buf->request_len - sizeof(header) - req->in_len;
	size_t driver_out = buf->response_len - req->out_len;

	header.hdr.in_words = (uint16_t)(req->in_len / unit);
	header.hdr.out_words = (uint16_t)(req->out_len / unit);
	header.ex.provider_in_words = (uint16_t)(driver_in / unit);
	header.ex.provider_out_words = (uint16_t)(driver_out / unit);
	if (buf->response_len)
		header.ex.response = cmd_addr(buf->response);
	memcpy(buf->request, &header, sizeof(header));
}

static void submit_copy_response(const struct write_buf *buf,
				 const struct write_cmd *req)
{
	if (req->out_len)
		memcpy(req->out, buf->response, req->out_len);
	if (req->udata && req->udata->out_len)
		memcpy(req->udata->out, buf->response + req->out_len,
		       req->udata->out_len);
}

static int submit_write_buf(struct ibv_context *ctx,
			    const struct write_cmd *req, struct write_buf *buf)
{
	int ret;

	submit_put_payload(buf, req);
	if (req->command & IB_USER_VERBS_CMD_FLAG_EXTENDED)
		submit_put_ex_header(buf, req);
	else
		submit_put_header(buf, req);

	ret = submit_sys_write(ctx->cmd_fd, buf->request, buf->request_len);
	if (!ret || req->out_on_error)
		submit_copy_response(buf, req);
	return ret;
}

static SUBMIT_SLOW_PATH int submit_write_syscall(struct ibv_context *ctx,
						 const struct write_cmd *req)
{
	uint64_t stack_buf[WRITE_BUF_LEN / sizeof(uint64_t)];
	uint64_t *memory = stack_buf;
	struct write_buf buf;
	size_t response_offset;
	int ret;

	if (!kernel_cap_write_offered(verbs_kernel_state(ctx)))
		return -EOPNOTSUPP;
	ret = submit_measure_write(&buf, req);
	if (ret)
		return ret;

	response_offset = submit_round_up(buf.request_len, sizeof(uint64_t));
	if (response_offset + buf.response_len > sizeof(stack_buf)) {
		memory = malloc(response_offset + buf.response_len);
		if (!memory)
			return -ENOMEM;
	}
	buf.request = (char *)memory;
	buf.response = buf.request + response_offset;
	ret = submit_write_buf(ctx, req, &buf);
	if (memory != stack_buf)
		free(memory);
	return ret;
}

int submit_write(struct ibv_context *ctx, const struct write_cmd *req)
{
	int ret = submit_send_invoke_write(ctx, req);

	return ret == SUBMIT_NOT_OFFERED ? submit_write_syscall(ctx, req) : ret;
}

int submit_write_ex(struct ibv_context *ctx, const struct write_cmd *req)
{
	int ret = submit_write(ctx, req);

	return ret == -ENOSYS ? -EOPNOTSUPP : ret;
}

int submit_write_raw(const struct ibv_context *ctx, const void *request,
		     size_t len)
{
	ssize_t done = write(ctx->cmd_fd, request, len);

	if (done == (ssize_t)len)
		return 0;
	return done < 0 ? -errno : -EPROTO;
}
