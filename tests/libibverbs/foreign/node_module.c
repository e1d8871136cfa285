/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A vendor library like those of rdma-core releases: linked to the versioned
 * names of its node, with structs of the size of its release, and with a device
 * that it allocates itself. CMake builds one for each private ABI. NODE is the
 * number of the node; the other definitions are from
 * tests/abi/private-slots.tsv.
 */
#include "libibverbs/foreign/node_module.h"

#include <infiniband/verbs.h>
#include <stdlib.h>
#include <string.h>

#include "foreign/foreign_abi.h"

#define STRING(x)    STRING_(x)
#define STRING_(x)   #x
#define PASTE(a, b)  PASTE_(a, b)
#define PASTE_(a, b) a##b

/* Bind the name to the version of the node. */
#define USE_NODE_VERSION(name) \
	__asm__(".symver " name "," name "@IBVERBS_PRIVATE_" STRING(NODE));

#define REGISTER_DRIVER PASTE(verbs_register_driver_, NODE)

void REGISTER_DRIVER(const struct foreign_device_ops *ops);
void *_verbs_init_and_alloc_context(struct ibv_device *device, int cmd_fd,
				    size_t alloc_size, void *context_offset,
				    uint32_t driver_id);
void verbs_set_ops(void *vctx, const void *ops);
void verbs_uninit_context(void *vctx);
extern bool verbs_allow_disassociate_destroy;

USE_NODE_VERSION(STRING(REGISTER_DRIVER))
USE_NODE_VERSION("_verbs_init_and_alloc_context")
USE_NODE_VERSION("verbs_set_ops")
USE_NODE_VERSION("verbs_uninit_context")
USE_NODE_VERSION("verbs_allow_disassociate_destroy")

/* offset of ibv_context in verbs_context */
#define CONTEXT_AT NODE_FRONT(CONTEXT_AT_LP64)

static struct node_module_calls calls;

struct node_device {
	struct foreign_device device;
	int more;
};

/* verbs_context is the second member of the provider struct. */
struct node_context {
	int before;
	char vctx[CONTEXT_AT + sizeof(struct ibv_context)]
		__attribute__((aligned(16)));
	int behind;
};

static struct ibv_context *node_context_get(struct node_context *node)
{
	return (void *)(node->vctx + CONTEXT_AT);
}

static struct ibv_pd *alloc_pd(struct ibv_context *ctx)
{
	calls.nr_alloc_pd++;
	return calloc(1, sizeof(struct ibv_pd));
}

static int dealloc_pd(struct ibv_pd *pd)
{
	calls.nr_dealloc_pd++;
	free(pd);
	return 0;
}

static int query_port(struct ibv_context *ctx, uint8_t port_num,
		      struct ibv_port_attr *attr)
{
	attr->lid = (uint16_t)(NODE * 10 + port_num);
	return 0;
}

static int poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc)
{
	return NODE;
}

static void free_context(struct ibv_context *ctx)
{
	struct node_context *node =
		(void *)((char *)ctx - CONTEXT_AT -
			 offsetof(struct node_context, vctx));

	calls.nr_free_context++;
	calls.damaged = node->before != NODE || node->behind != NODE;
	verbs_uninit_context(node->vctx);
	free(node);
}

typedef void (*any_op)(void);

static void set_op(void **table, size_t slot, any_op op)
{
	memcpy(&table[slot], &op, sizeof(op));
}

static struct foreign_verbs_context *
alloc_context(struct ibv_device *device, int cmd_fd, void *private_data)
{
	void *table[NR_SLOTS] = {};
	struct node_context *node;

	node = _verbs_init_and_alloc_context(
		device, cmd_fd, sizeof(*node),
		(void *)offsetof(struct node_context, vctx), 0);
	if (!node)
		return NULL;
	node->before = node->behind = NODE;
	node_context_get(node)->num_comp_vectors = NODE;
	calls.allows_disassociate = verbs_allow_disassociate_destroy;
	set_op(table, SLOT_ALLOC_PD, (any_op)alloc_pd);
	set_op(table, SLOT_DEALLOC_PD, (any_op)dealloc_pd);
	set_op(table, SLOT_FREE_CONTEXT, (any_op)free_context);
	set_op(table, SLOT_POLL_CQ, (any_op)poll_cq);
	set_op(table, SLOT_QUERY_PORT, (any_op)query_port);
	verbs_set_ops(node->vctx, table);
	return (void *)node->vctx;
}

static struct foreign_device *alloc_device(struct foreign_sysfs_dev *sysfs_dev)
{
	return NULL;
}

static void uninit_device(struct foreign_device *device)
{
	calls.nr_uninit_device++;
	free(device);
}

static const struct foreign_match_ent match_table[] = {
	{ .kind = FOREIGN_MATCH_SENTINEL },
};

static const struct foreign_device_ops device_ops = {
	.name = MODULE_NAME,
	.match_table = match_table,
	.alloc_context = alloc_context,
	.alloc_device = alloc_device,
	.uninit_device = uninit_device,
};

struct ibv_device **node_module_devices(void)
{
	struct ibv_device **list = calloc(2, sizeof(*list));
	struct node_device *node = calloc(1, sizeof(*node));

	node->device.ops = &device_ops;
	atomic_store(&node->device.refcount, 1);
	list[0] = &node->device.device;
	return list;
}

const struct node_module_calls *node_module_calls(void)
{
	return &calls;
}

__attribute__((constructor)) static void register_module(void)
{
	REGISTER_DRIVER(&device_ops);
}
