/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A program linked with libmana.so.1: see vendor_mlx5.c. The mana provider
 * makes queues only in memory that the application allocates.
 */
#include <errno.h>
#include <infiniband/manadv.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "step_lines.h"

static void *allocate_memory(size_t size, void *data)
{
	(void)data;
	return aligned_alloc(4096, (size + 4095) / 4096 * 4096);
}

static void release_memory(void *ptr, void *data)
{
	(void)data;
	free(ptr);
}

static void look_into_objects(struct ibv_cq *cq, struct ibv_wq *wq)
{
	struct manadv_cq out_cq = {};
	struct manadv_rwq out_wq = {};
	struct manadv_obj obj = {
		.cq = { .in = cq, .out = &out_cq },
		.rwq = { .in = wq, .out = &out_wq },
	};
	uint64_t types = MANADV_OBJ_CQ | (wq ? MANADV_OBJ_RWQ : 0);

	errno = 0;
	if (walk_done("init_obj", manadv_init_obj(&obj, types)))
		walk_say("objects", "%d %u %d %u", out_cq.buf != NULL,
			 out_cq.count, out_wq.buf != NULL, out_wq.count);
}

static struct ibv_wq *create_wq(struct ibv_pd *pd, struct ibv_cq *cq)
{
	struct ibv_wq_init_attr attr = {
		.wq_type = IBV_WQT_RQ,
		.max_wr = 16,
		.max_sge = 1,
		.pd = pd,
		.cq = cq,
	};
	struct ibv_wq *wq;

	errno = 0;
	wq = ibv_create_wq(pd->context, &attr);
	(void)walk_made("create_wq", wq);
	return wq;
}

static void use_device(struct ibv_context *context)
{
	struct manadv_ctx_allocators allocators = { .alloc = allocate_memory,
						    .free = release_memory };
	struct ibv_wq *wq;
	struct ibv_cq *cq;
	struct ibv_pd *pd;

	errno = 0;
	(void)walk_done("set_context_attr",
			manadv_set_context_attr(context,
						MANADV_CTX_ATTR_BUF_ALLOCATORS,
						&allocators));
	errno = 0;
	pd = ibv_alloc_pd(context);
	(void)walk_made("alloc_pd", pd);
	errno = 0;
	cq = ibv_create_cq(context, 64, NULL, NULL, 0);
	if (!walk_made("create_cq", cq) || !pd)
		return;
	wq = create_wq(pd, cq);
	look_into_objects(cq, wq);
	if (wq)
		(void)walk_done("destroy_wq", ibv_destroy_wq(wq));
	(void)walk_done("destroy_cq", ibv_destroy_cq(cq));
	(void)walk_done("dealloc_pd", ibv_dealloc_pd(pd));
}

static void try_device(struct ibv_device *device)
{
	struct ibv_context *context;

	walk_set_device(ibv_get_device_name(device));
	errno = 0;
	context = ibv_open_device(device);
	if (walk_made("open", context)) {
		if (!strncmp(ibv_get_device_name(device), "mana", 4))
			use_device(context);
		(void)walk_done("close", ibv_close_device(context));
	}
	walk_set_device("-");
}

int main(void)
{
	struct ibv_device **list;
	int nr = -1;

	errno = 0;
	list = ibv_get_device_list(&nr);
	if (!walk_made("list", list))
		return 0;
	walk_say("devices", "%d", nr);
	for (int i = 0; i < nr; i++)
		try_device(list[i]);
	ibv_free_device_list(list);
	return 0;
}
