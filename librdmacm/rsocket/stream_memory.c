/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The memory of a connection: the receive buffer and the entries, which the
 * peer writes, and the send buffer, which it cannot reach. Each has pages of
 * its own.
 */
#include "rsocket/stream_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int memory_new(struct ibv_pd *pd, size_t len, unsigned int access,
		      uint8_t **ret_bytes, struct ibv_mr **ret_mr)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *bytes;

	len = (len + page - 1) / page * page;
	if (posix_memalign(&bytes, page, len) != 0)
		return -ENOMEM;
	memset(bytes, 0, len);
	*ret_bytes = bytes;
	*ret_mr = ibv_reg_mr(pd, bytes, len, (int)access);
	return *ret_mr ? 0 : -errno;
}

int stream_memory_open(struct stream_qp *qp, struct ibv_pd *pd,
		       const struct stream_sizes *sizes, uint32_t nr_iomaps)
{
	const unsigned int remote = IBV_ACCESS_LOCAL_WRITE |
				    IBV_ACCESS_REMOTE_WRITE;
	int ret;

	qp->messages = calloc(sizes->nr_recvs, sizeof(*qp->messages));
	if (!qp->messages)
		return -ENOMEM;
	ret = memory_new(pd, (size_t)sizes->half_len * 2, remote, &qp->recv,
			 &qp->recv_mr);
	if (!ret)
		ret = memory_new(pd,
				 (size_t)sizes->send_len +
					 STREAM_MAX_CONTROLS * STREAM_IOMAP_LEN,
				 IBV_ACCESS_LOCAL_WRITE, &qp->send,
				 &qp->send_mr);
	if (!ret)
		ret = memory_new(pd,
				 STREAM_NR_SGES * STREAM_SGE_LEN +
					 (size_t)nr_iomaps * STREAM_IOMAP_LEN,
				 remote, &qp->sgl, &qp->sgl_mr);
	if (!ret && qp->is_iwarp)
		ret = memory_new(
			pd,
			((size_t)sizes->nr_recvs + STREAM_MAX_CONTROLS) *
				STREAM_WORD_LEN,
			IBV_ACCESS_LOCAL_WRITE, &qp->words, &qp->words_mr);
	return ret;
}

static void memory_free(uint8_t **bytes, struct ibv_mr **mr)
{
	if (*mr)
		(void)ibv_dereg_mr(*mr);
	free(*bytes);
	*mr = NULL;
	*bytes = NULL;
}

void stream_memory_close(struct stream_qp *qp)
{
	memory_free(&qp->recv, &qp->recv_mr);
	memory_free(&qp->send, &qp->send_mr);
	memory_free(&qp->sgl, &qp->sgl_mr);
	memory_free(&qp->words, &qp->words_mr);
	free(qp->messages);
	qp->messages = NULL;
}

void stream_memory_setup(const struct stream_qp *qp,
			 const struct stream_sizes *sizes, uint32_t nr_iomaps,
			 struct stream_setup *ret_setup)
{
	*ret_setup = (struct stream_setup){
		.is_big_endian = stream_host_is_big_endian(),
		.credits = sizes->nr_recvs,
		.nr_iomaps = nr_iomaps,
		.sgl_address = (uintptr_t)qp->sgl,
		.sgl_rkey = qp->sgl_mr->rkey,
		.data_address = (uintptr_t)qp->recv,
		.data_rkey = qp->recv_mr->rkey,
		.data_len = sizes->half_len,
	};
}
