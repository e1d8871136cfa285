/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Hands commands to the kernel: the only ioctl() and the only write() on a
 * uverbs descriptor are at the top of this file. Called by the cmd_*.c files.
 * Which form is tried is decided with kernel_caps.c.
 */
#include "kernel/submit.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kernel/kernel_caps.h"
#include "kernel/kernel_state.h"

/*
 * Room for a request and for a response of write(2), which takes core and
 * driver part in one piece. The largest core is the response of
 * QUERY_DEVICE (304 bytes); the largest driver part in any kernel header is
 * below 200.
 */
#define WRITE_BUF_LEN 1024

static int sys_ioctl(int fd, struct cmd_message *msg)
{
	int saved_errno = errno;
	int ret;

	if (ioctl(fd, RDMA_VERBS_IOCTL, msg) >= 0)
		return 0;
	ret = -errno;
	errno = saved_errno;
	return ret;
}

static int sys_write(int fd, const void *request, size_t len)
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

int submit_ioctl(struct ibv_context *ctx, struct cmd *cmd)
{
	struct verbs_kernel_state *state = verbs_kernel_state(ctx);
	int ret;

	if (!kernel_cap_offered(state, cmd->cap))
		return SUBMIT_NOT_OFFERED;
	if (cmd->error)
		return cmd->error;

	cmd->msg.length =
		(uint16_t)(offsetof(struct cmd_message, attrs) +
			   cmd->msg.num_attrs * sizeof(cmd->msg.attrs[0]));
	cmd->msg.driver_id = state->driver_id;

	ret = sys_ioctl(ctx->cmd_fd, &cmd->msg);
	if (!ret)
		return cmd_finish(cmd);
	if (kernel_cap_learn(state, cmd->cap, -ret))
		return SUBMIT_NOT_OFFERED;
	return ret;
}

int submit_ioctl_only(struct ibv_context *ctx, struct cmd *cmd)
{
	int ret = submit_ioctl(ctx, cmd);

	return ret == SUBMIT_NOT_OFFERED ? -EOPNOTSUPP : ret;
}

int submit_wrapped(struct ibv_context *ctx, const struct write_cmd *req)
{
	struct cmd cmd;

	cmd_init(&cmd, KERNEL_CAP_INVOKE_WRITE);
	cmd_in_u64(&cmd, UVERBS_ATTR_WRITE_CMD, req->command);
	cmd_in_ptr(&cmd, UVERBS_ATTR_CORE_IN, req->in, req->in_len);
	if (req->out_len)
		cmd_out_ptr(&cmd, UVERBS_ATTR_CORE_OUT, req->out, req->out_len);
	cmd_udata(&cmd, req->udata);
	return submit_ioctl(ctx, &cmd);
}

/* A request and its response as write(2) wants them. */
struct write_buf {
	uint64_t request[WRITE_BUF_LEN / sizeof(uint64_t)];
	uint64_t response[WRITE_BUF_LEN / sizeof(uint64_t)];
	size_t request_len, response_len; /* bytes in use */
};

static size_t round_up(size_t len, size_t unit)
{
	return (len + unit - 1) / unit * unit;
}

/* Copies the core and the driver's part behind @head bytes of header. */
static int put_parts(struct write_buf *buf, const struct write_cmd *req,
		     size_t head, size_t unit)
{
	static const struct verbs_udata none;
	const struct verbs_udata *udata = req->udata ? req->udata : &none;
	/* cppcheck-suppress ctuuninitvar ; the address is used, no value */
	char *pos = (char *)buf->request + head;
	size_t room = sizeof(buf->request) - head;

	if (req->in_len > room || req->out_len > sizeof(buf->response) ||
	    udata->in_len > room - req->in_len ||
	    udata->out_len > sizeof(buf->response) - req->out_len)
		return -EMSGSIZE;

	buf->request_len = head + req->in_len + round_up(udata->in_len, unit);
	buf->response_len = req->out_len + round_up(udata->out_len, unit);
	if (buf->request_len > sizeof(buf->request) ||
	    buf->response_len > sizeof(buf->response))
		return -EMSGSIZE;

	memset(pos, 0, buf->request_len - head);
	memcpy(pos, req->in, req->in_len);
	if (udata->in_len)
		memcpy(pos + req->in_len, udata->in, udata->in_len);
	memset(buf->response, 0, buf->response_len);
	return 0;
}

/* Lengths are in words of 4 bytes and include the header. */
static int put_plain(struct write_buf *buf, const struct write_cmd *req)
{
	const size_t unit = sizeof(uint32_t);
	struct ib_uverbs_cmd_hdr hdr = { .command = req->command };
	uint64_t response = cmd_addr(buf->response);
	int ret;

	ret = put_parts(buf, req, sizeof(hdr), unit);
	if (ret)
		return ret;

	hdr.in_words = (uint16_t)(buf->request_len / unit);
	hdr.out_words = (uint16_t)(buf->response_len / unit);
	memcpy(buf->request, &hdr, sizeof(hdr));
	/* Every request that has a response begins with its address. */
	if (req->out_len)
		memcpy((char *)buf->request + sizeof(hdr), &response,
		       sizeof(response));
	return 0;
}

/* Lengths are in words of 8 bytes, core and driver apart, no header. */
static int put_extended(struct write_buf *buf, const struct write_cmd *req)
{
	const size_t unit = sizeof(uint64_t);
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_ex_cmd_hdr ex;
	} head = { .hdr.command = req->command };
	int ret;

	ret = put_parts(buf, req, sizeof(head), unit);
	if (ret)
		return ret;

	head.hdr.in_words = (uint16_t)(req->in_len / unit);
	head.hdr.out_words = (uint16_t)(req->out_len / unit);
	head.ex.provider_in_words =
		(uint16_t)((buf->request_len - sizeof(head) - req->in_len) /
			   unit);
	head.ex.provider_out_words =
		(uint16_t)((buf->response_len - req->out_len) / unit);
	if (buf->response_len)
		head.ex.response = cmd_addr(buf->response);
	memcpy(buf->request, &head, sizeof(head));
	return 0;
}

static void take_response(const struct write_buf *buf,
			  const struct write_cmd *req)
{
	const char *pos = (const char *)buf->response;

	if (req->out_len)
		memcpy(req->out, pos, req->out_len);
	if (req->udata && req->udata->out_len)
		memcpy(req->udata->out, pos + req->out_len,
		       req->udata->out_len);
}

static int submit_plain(struct ibv_context *ctx, const struct write_cmd *req)
{
	struct write_buf buf;
	int ret;

	if (!kernel_cap_offered(verbs_kernel_state(ctx), KERNEL_CAP_WRITE))
		return -EOPNOTSUPP;

	if (req->command & IB_USER_VERBS_CMD_FLAG_EXTENDED)
		ret = put_extended(&buf, req);
	else
		ret = put_plain(&buf, req);
	if (ret)
		return ret;

	ret = sys_write(ctx->cmd_fd, buf.request, buf.request_len);
	if (!ret)
		take_response(&buf, req);
	return ret;
}

int submit_write(struct ibv_context *ctx, const struct write_cmd *req)
{
	int ret = submit_wrapped(ctx, req);

	return ret == SUBMIT_NOT_OFFERED ? submit_plain(ctx, req) : ret;
}

int submit_raw(const struct ibv_context *ctx, const void *request, size_t len)
{
	return sys_write(ctx->cmd_fd, request, len);
}
