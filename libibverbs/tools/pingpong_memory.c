// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The message of a pingpong: see pingpong.h. It is sent from where it is
 * received, so the server returns what it got. With -c the client's message
 * begins each page with 0, and nothing else in it is 0.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/pingpong.h"

#define FILLER	   0x7b
#define PAGE_START 0

static size_t page_size(void)
{
	return sysconf(_SC_PAGESIZE);
}

static int check_odp(struct pp_world *world)
{
	const struct ibv_odp_caps *caps = &world->device.odp_caps;
	uint32_t needed = world->kind->odp_caps;

	if (!(caps->general_caps & IBV_ODP_SUPPORT) ||
	    (caps->per_transport_caps.rc_odp_caps & needed) != needed) {
		fprintf(stderr,
			"The device isn't ODP capable or does not "
			"support RC send%s receive%s with ODP\n",
			world->kind->srq ? "," : " and",
			world->kind->srq ? " and srq" : "");
		return -EOPNOTSUPP;
	}
	if (world->options->implicit_odp &&
	    !(caps->general_caps & IBV_ODP_SUPPORT_IMPLICIT)) {
		fprintf(stderr, "The device doesn't support implicit ODP\n");
		return -EOPNOTSUPP;
	}
	return 0;
}

/* Failure costs time later, nothing else. */
static void prefetch(struct pp_world *world)
{
	struct ibv_sge message = pp_message(world, true);
	int ret = ibv_advise_mr(world->pd, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE,
				IBV_ADVISE_MR_FLAG_FLUSH, &message, 1);

	if (ret)
		fprintf(stderr, "Couldn't prefetch MR(%d). Continue anyway\n",
			ret);
}

static int open_device_memory(struct pp_world *world, size_t size)
{
	struct ibv_alloc_dm_attr attr = { .length = size };
	int ret;

	if (!world->device.max_dm_size) {
		fprintf(stderr, "Device doesn't support dm allocation\n");
		return -EOPNOTSUPP;
	}
	if (world->device.max_dm_size < size) {
		fprintf(stderr, "Device memory is insufficient\n");
		return -ENOMEM;
	}
	world->dm = ibv_alloc_dm(world->context, &attr);
	if (!world->dm) {
		ret = -errno;
		fprintf(stderr, "Dev mem allocation failed: %s\n",
			strerror(errno));
		return ret;
	}
	ret = ibv_memcpy_to_dm(world->dm, 0, world->buffer, size);
	if (ret) {
		fprintf(stderr, "Copy to dm buffer failed: %s\n",
			strerror(ret));
		return -EIO;
	}
	world->mr =
		ibv_reg_dm_mr(world->pd, world->dm, 0, size,
			      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ZERO_BASED);
	return world->mr ? 0 : -errno;
}

static int register_memory(struct pp_world *world, size_t size)
{
	const struct pp_options *options = world->options;
	int access = IBV_ACCESS_LOCAL_WRITE;
	int ret = 0;

	if (options->odp) {
		ret = check_odp(world);
		if (ret)
			return ret;
		access |= IBV_ACCESS_ON_DEMAND;
	}
	if (options->device_memory) {
		ret = open_device_memory(world, size);
		if (ret)
			return ret;
	} else if (options->implicit_odp) {
		world->mr = ibv_reg_mr(world->pd, NULL, SIZE_MAX, access);
	} else {
		world->mr = ibv_reg_mr(world->pd, world->buffer, size, access);
	}
	if (!world->mr) {
		ret = -errno;
		fprintf(stderr, "Couldn't register MR: %s\n", strerror(errno));
		return ret;
	}
	if (options->prefetch)
		prefetch(world);
	return 0;
}

int pp_memory_open(struct pp_world *world)
{
	const struct pp_options *options = world->options;
	size_t page = page_size();
	size_t size = (size_t)options->size + world->header;
	size_t room = (size + page - 1) / page * page;

	/* a server's check is to find what the client sent, and no leftovers */
	world->buffer = aligned_alloc(page, room);
	if (!world->buffer) {
		fprintf(stderr, "Couldn't allocate work buf.\n");
		return -ENOMEM;
	}
	memset(world->buffer, FILLER, room);
	if (options->validate && options->host)
		for (size_t at = 0; at < options->size; at += page)
			world->buffer[world->header + at] = PAGE_START;
	return register_memory(world, size);
}

struct ibv_sge pp_message(const struct pp_world *world, bool with_header)
{
	uint32_t header = with_header ? 0 : world->header;

	/* addresses in device memory begin at 0 */
	return (struct ibv_sge){
		.addr = (world->dm ? 0 : (uintptr_t)world->buffer) + header,
		.length = world->options->size + world->header - header,
		.lkey = world->mr->lkey,
	};
}

int pp_memory_check(struct pp_world *world)
{
	size_t size = world->options->size, page = page_size();
	int ret = 0;

	if (world->dm) {
		ret = ibv_memcpy_from_dm(world->buffer, world->dm, 0, size);
		if (ret) {
			fprintf(stderr, "Copy from DM buffer failed: %s\n",
				strerror(ret));
			return -EIO;
		}
	}
	for (size_t at = 0; at < size; at += page) {
		if (world->buffer[world->header + at] == PAGE_START)
			continue;
		printf("invalid data in page %zu\n", at / page);
		ret = -EBADMSG;
	}
	return ret;
}

int pp_memory_close(struct pp_world *world)
{
	int ret = 0;

	if (world->mr && ibv_dereg_mr(world->mr) != 0) {
		fprintf(stderr, "Couldn't deregister MR\n");
		ret = -EIO;
	}
	if (world->dm && ibv_free_dm(world->dm) != 0) {
		fprintf(stderr, "Couldn't free DM\n");
		ret = -EIO;
	}
	free(world->buffer);
	return ret;
}
