/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Buffers: ibv_alloc_buf(3), ibv_export_buf_dmabuf_fd(3). mr.c registers them.
 */
#include <fcntl.h>
#include <infiniband/verbs.h>

#include "api/api_check.h"
#include "api/api_err.h"

void *ibv_alloc_buf(struct ibv_pd *pd, size_t size, struct ibv_buf **buf)
{
	struct ibv_buf *found;
	int ret;

	if (!API_EXISTS(pd) || !buf)
		return api_ret_null(-EINVAL);
	ret = verbs_ops(pd->context)->alloc_buf(pd, size, &found);
	if (ret)
		return api_ret_null(ret);
	/*
	 * The application frees and registers the buffer with this PD, which
	 * may be a parent domain.
	 */
	found->pd = pd;
	*buf = found;
	return found->addr;
}

void ibv_free_buf(struct ibv_buf *buf)
{
	if (buf && API_EXISTS(buf->pd))
		verbs_ops(buf->pd->context)->free_buf(buf);
}

/* Returns a new descriptor, or -1; ENODATA: the buffer has no dma-buf. */
int ibv_export_buf_dmabuf_fd(struct ibv_buf *buf)
{
	int fd;

	if (!buf)
		return api_ret_minus1(-EINVAL);
	if (buf->dmabuf_fd < 0)
		return api_ret_minus1(-ENODATA);
	fd = fcntl(buf->dmabuf_fd, F_DUPFD_CLOEXEC, 0);
	return fd < 0 ? api_ret_minus1(-errno) : fd;
}
