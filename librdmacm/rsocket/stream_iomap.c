/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * riomap() and riounmap(). The entry goes to the peer at once, or with the next
 * data if too many control messages are outstanding.
 */
#include "rsocket/stream_iomap.h"

#include "rsocket/stream_qp.h"

#include <errno.h>
#include <sys/mman.h>

static int iomap_open_locked(struct rsocket *socket, void *address, size_t len,
			     int prot, off_t offset)
{
	int access = prot & PROT_WRITE
			     ? IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE
			     : IBV_ACCESS_LOCAL_WRITE;
	struct ibv_mr *mr;
	int ret;

	if (socket->state != RSOCKET_CONNECTED)
		return -ENOTCONN;
	mr = ibv_reg_mr(socket->id->pd, address, len, access);
	if (!mr)
		return -errno;
	ret = iomap_table_add(&socket->iomaps, address, (uint32_t)len,
			      (uint64_t)offset, mr);
	if (ret) {
		(void)ibv_dereg_mr(mr);
		return ret;
	}
	stream_qp_flush_locked(socket);
	return 0;
}

int stream_iomap(struct rsocket *socket, void *address, size_t len, int prot,
		 off_t *offset)
{
	off_t at = *offset == -1 ? (off_t)(uintptr_t)address : *offset;
	int ret;

	if (!address || !len || len > UINT32_MAX || (prot & ~PROT_WRITE))
		return -EINVAL;
	verbs_mutex_lock(&socket->lock);
	ret = iomap_open_locked(socket, address, len, prot, at);
	verbs_mutex_unlock(&socket->lock);
	if (!ret)
		*offset = at;
	return ret;
}

int stream_iounmap(struct rsocket *socket, const void *address, size_t len)
{
	int ret;

	verbs_mutex_lock(&socket->lock);
	ret = iomap_table_remove(&socket->iomaps, address, len);
	if (!ret)
		stream_qp_flush_locked(socket);
	verbs_mutex_unlock(&socket->lock);
	return ret;
}
