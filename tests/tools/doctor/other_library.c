/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A libibverbs.so.1 that is not AnyVerbs, with the functions that ibv_doctor
 * calls. Its only device, other_0, opens and has a port, but memory
 * registration fails.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <signal.h>
#include <stdlib.h>

#undef ibv_get_device_list
#undef ibv_query_port
#undef ibv_reg_mr

static struct ibv_device device = { .name = "other_0",
				    .node_type = IBV_NODE_CA,
				    .transport_type = IBV_TRANSPORT_IB };
static struct ibv_device *list[] = { &device, NULL };
static struct ibv_context context = { .device = &device, .cmd_fd = -1 };
static struct ibv_pd pd = { .context = &context };
static struct ibv_cq cq = { .context = &context };

struct ibv_device **ibv_get_device_list(int *num_devices)
{
	if (getenv("OTHER_LIBRARY_CRASHES"))
		raise(SIGSEGV);
	return list;
}

void ibv_free_device_list(struct ibv_device **devices)
{
}

const char *ibv_get_device_name(struct ibv_device *dev)
{
	return dev->name;
}

struct ibv_context *ibv_open_device(struct ibv_device *dev)
{
	return &context;
}

int ibv_close_device(struct ibv_context *ctx)
{
	return 0;
}

int ibv_query_device(struct ibv_context *ctx, struct ibv_device_attr *attr)
{
	*attr = (struct ibv_device_attr){ .phys_port_cnt = 1 };
	return 0;
}

int ibv_query_port(struct ibv_context *ctx, uint8_t port_num,
		   struct _compat_ibv_port_attr *port_attr)
{
	struct ibv_port_attr *attr = (struct ibv_port_attr *)port_attr;

	attr->state = IBV_PORT_ACTIVE;
	attr->link_layer = IBV_LINK_LAYER_INFINIBAND;
	return 0;
}

ssize_t _ibv_query_gid_table(struct ibv_context *ctx,
			     struct ibv_gid_entry *entries, size_t max_entries,
			     uint32_t flags, size_t entry_size)
{
	return -EOPNOTSUPP;
}

enum ibv_fork_status ibv_is_fork_initialized(void)
{
	return IBV_FORK_DISABLED;
}

const char *ibv_port_state_str(enum ibv_port_state port_state)
{
	return "state";
}

struct ibv_pd *ibv_alloc_pd(struct ibv_context *ctx)
{
	return &pd;
}

int ibv_dealloc_pd(struct ibv_pd *domain)
{
	return 0;
}

struct ibv_cq *ibv_create_cq(struct ibv_context *ctx, int cqe, void *cq_context,
			     struct ibv_comp_channel *channel, int comp_vector)
{
	return &cq;
}

int ibv_destroy_cq(struct ibv_cq *queue)
{
	return 0;
}

struct ibv_mr *ibv_reg_mr(struct ibv_pd *domain, void *addr, size_t length,
			  int access)
{
	errno = EPERM;
	return NULL;
}

int ibv_dereg_mr(struct ibv_mr *mr)
{
	return 0;
}
