// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The message buffer of a pingpong: see pingpong.h. Sends and receives use the
 * same buffer, so the server returns the message that it received. With -c, the
 * first byte of each page of the client's message is 0, and all other bytes
 * differ from 0.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/pingpong.h"

#define PP_FILL_BYTE	   0x7b
#define PP_PAGE_START_BYTE 0

static size_t pp_page_size(void)
{
	return sysconf(_SC_PAGESIZE);
}

static int pp_check_odp_caps(struct pp_session *session)
{
	const struct ibv_odp_caps *caps = &session->device.odp_caps;
	uint32_t needed = session->kind->odp_caps;

	if (!(caps->general_caps & IBV_ODP_SUPPORT) ||
	    (caps->per_transport_caps.rc_odp_caps & needed) != needed) {
		fprintf(stderr,
			"The device isn't ODP capable or does not "
			"support RC send%s receive%s with ODP\n",
			session->kind->srq ? "," : " and",
			session->kind->srq ? " and srq" : "");
		return -EOPNOTSUPP;
	}
	if (session->options->implicit_odp &&
	    !(caps->general_caps & IBV_ODP_SUPPORT_IMPLICIT)) {
		fprintf(stderr, "The device doesn't support implicit ODP\n");
		return -EOPNOTSUPP;
	}
	return 0;
}

/* A failed prefetch only costs time later. */
static void pp_prefetch_mr(struct pp_session *session)
{
	struct ibv_sge message = pp_message_sge(session, true);
	int ret = ibv_advise_mr(session->pd,
				IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE,
				IBV_ADVISE_MR_FLAG_FLUSH, &message, 1);

	if (ret)
		fprintf(stderr, "Couldn't prefetch MR(%d). Continue anyway\n",
			ret);
}

static int pp_alloc_device_memory(struct pp_session *session, size_t size)
{
	struct ibv_alloc_dm_attr attr = { .length = size };
	int ret;

	if (!session->device.max_dm_size) {
		fprintf(stderr, "Device doesn't support dm allocation\n");
		return -EOPNOTSUPP;
	}
	if (session->device.max_dm_size < size) {
		fprintf(stderr, "Device memory is insufficient\n");
		return -ENOMEM;
	}
	session->dm = ibv_alloc_dm(session->context, &attr);
	if (!session->dm) {
		ret = -errno;
		fprintf(stderr, "Dev mem allocation failed: %s\n",
			strerror(errno));
		return ret;
	}
	ret = ibv_memcpy_to_dm(session->dm, 0, session->buffer, size);
	if (ret) {
		fprintf(stderr, "Copy to dm buffer failed: %s\n",
			strerror(ret));
		return -EIO;
	}
	session->mr =
		ibv_reg_dm_mr(session->pd, session->dm, 0, size,
			      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ZERO_BASED);
	return session->mr ? 0 : -errno;
}

static int pp_register_memory(struct pp_session *session, size_t size)
{
	const struct pp_options *options = session->options;
	int access = IBV_ACCESS_LOCAL_WRITE;
	int ret = 0;

	if (options->odp) {
		ret = pp_check_odp_caps(session);
		if (ret)
			return ret;
		access |= IBV_ACCESS_ON_DEMAND;
	}
	if (options->device_memory) {
		ret = pp_alloc_device_memory(session, size);
		if (ret)
			return ret;
	} else if (options->implicit_odp) {
		session->mr = ibv_reg_mr(session->pd, NULL, SIZE_MAX, access);
	} else {
		session->mr =
			ibv_reg_mr(session->pd, session->buffer, size, access);
	}
	if (!session->mr) {
		ret = -errno;
		fprintf(stderr, "Couldn't register MR: %s\n", strerror(errno));
		return ret;
	}
	if (options->prefetch)
		pp_prefetch_mr(session);
	return 0;
}

int pp_memory_open(struct pp_session *session)
{
	const struct pp_options *options = session->options;
	size_t page = pp_page_size();
	size_t size = (size_t)options->size + session->header;
	size_t room = (size + page - 1) / page * page;

	/* the fill pattern must not pass the server's check of -c */
	session->buffer = aligned_alloc(page, room);
	if (!session->buffer) {
		fprintf(stderr, "Couldn't allocate work buf.\n");
		return -ENOMEM;
	}
	memset(session->buffer, PP_FILL_BYTE, room);
	if (options->validate && options->host)
		for (size_t at = 0; at < options->size; at += page)
			session->buffer[session->header + at] =
				PP_PAGE_START_BYTE;
	return pp_register_memory(session, size);
}

struct ibv_sge pp_message_sge(const struct pp_session *session,
			      bool with_header)
{
	uint32_t header = with_header ? 0 : session->header;

	/* device memory is registered zero-based */
	return (struct ibv_sge){
		.addr = (session->dm ? 0 : (uintptr_t)session->buffer) + header,
		.length = session->options->size + session->header - header,
		.lkey = session->mr->lkey,
	};
}

int pp_memory_check(struct pp_session *session)
{
	size_t size = session->options->size, page = pp_page_size();
	int ret = 0;

	if (session->dm) {
		ret = ibv_memcpy_from_dm(session->buffer, session->dm, 0, size);
		if (ret) {
			fprintf(stderr, "Copy from DM buffer failed: %s\n",
				strerror(ret));
			return -EIO;
		}
	}
	for (size_t at = 0; at < size; at += page) {
		if (session->buffer[session->header + at] == PP_PAGE_START_BYTE)
			continue;
		printf("invalid data in page %zu\n", at / page);
		ret = -EBADMSG;
	}
	return ret;
}

int pp_memory_close(struct pp_session *session)
{
	int ret = 0;

	if (session->mr && ibv_dereg_mr(session->mr) != 0) {
		fprintf(stderr, "Couldn't deregister MR\n");
		ret = -EIO;
	}
	if (session->dm && ibv_free_dm(session->dm) != 0) {
		fprintf(stderr, "Couldn't free DM\n");
		ret = -EIO;
	}
	free(session->buffer);
	return ret;
}
