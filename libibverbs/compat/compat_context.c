/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Contexts of libibverbs 1.0 and their queries.
 *
 * ibv_create_comp_channel() has one version for all programs, so it is also
 * called with such a context. Therefore the shadow is a context of the
 * library's own, and its first bytes, where the public tables would be, have
 * the layout of 1.0. The library finds the op table in front of the shadow and
 * the mutex behind it. The op table contains this one operation.
 */
#include "api/api_err.h"
#include "compat/compat_shadow.h"
#include "core/core_context.h"

/* The macro of this name passes the size of the current struct. */
#undef ibv_query_port

_Static_assert(sizeof(struct ibv_context_1_0) <=
		       offsetof(struct ibv_context, cmd_fd),
	       "the library uses only members behind the shadow");

static int compat_create_comp_channel(struct ibv_context *ctx, int *ret_fd)
{
	const struct ibv_context_1_0 *shadow = (const void *)ctx;
	struct ibv_context *real = shadow->real_context;

	return VERBS_CALL_OP(real, create_comp_channel, real, ret_fd);
}

static const struct verbs_context_ops shadow_ops = {
	.create_comp_channel = compat_create_comp_channel,
};

static struct ibv_context_1_0 *compat_context_new(struct ibv_context *real,
						  struct ibv_device_1_0 *device)
{
	const struct verbs_cmd_file no_cmd_file = { .fd = -1 };
	struct ibv_context_1_0 *shadow;
	struct verbs_context *vctx;

	vctx = verbs_context_new(verbs_priv(real)->dev, no_cmd_file,
				 sizeof(*vctx));
	if (!vctx)
		return NULL;
	verbs_context_set_ops(vctx, &shadow_ops);
	shadow = (void *)&vctx->context;
	*shadow = (struct ibv_context_1_0){
		.device = device,
		.ops = {
			.poll_cq = compat_poll_cq,
			.req_notify_cq = compat_req_notify_cq,
			.post_srq_recv = compat_post_srq_recv,
			.post_send = compat_post_send,
			.post_recv = compat_post_recv,
		},
		.cmd_fd = real->cmd_fd,
		.async_fd = real->async_fd,
		.num_comp_vectors = real->num_comp_vectors,
		.real_context = real,
	};
	compat_device_get(device);
	return shadow;
}

struct ibv_context_1_0 *compat_ibv_open_device(struct ibv_device_1_0 *device)
{
	struct ibv_context_1_0 *shadow;
	struct ibv_context *real;

	real = ibv_open_device(device ? device->real_device : NULL);
	if (!real)
		return NULL;
	shadow = compat_context_new(real, device);
	if (!shadow) {
		(void)ibv_close_device(real); /* cannot fail */
		return api_ret_null(-ENOMEM);
	}
	return shadow;
}

int compat_ibv_close_device(struct ibv_context_1_0 *context)
{
	int ret = ibv_close_device(compat_real_context(context));

	if (ret)
		return ret;
	compat_device_put(context->device);
	verbs_context_free(verbs_container_of(compat_context_of(context),
					      struct verbs_context, context));
	return 0;
}

int compat_ibv_query_device(struct ibv_context_1_0 *context,
			    struct ibv_device_attr *device_attr)
{
	return ibv_query_device(compat_real_context(context), device_attr);
}

/*
 * The program's struct has the size at which the exported function was frozen.
 */
int compat_ibv_query_port(struct ibv_context_1_0 *context, uint8_t port_num,
			  struct ibv_port_attr *port_attr)
{
	return ibv_query_port(compat_real_context(context), port_num,
			      (struct _compat_ibv_port_attr *)port_attr);
}

int compat_ibv_query_gid(struct ibv_context_1_0 *context, uint8_t port_num,
			 int index, union ibv_gid *gid)
{
	return ibv_query_gid(compat_real_context(context), port_num, index,
			     gid);
}

int compat_ibv_query_pkey(struct ibv_context_1_0 *context, uint8_t port_num,
			  int index, __be16 *pkey)
{
	return ibv_query_pkey(compat_real_context(context), port_num, index,
			      pkey);
}

COMPAT_EXPORT(ibv_open_device)
COMPAT_EXPORT(ibv_close_device)
COMPAT_EXPORT(ibv_query_device)
COMPAT_EXPORT(ibv_query_port)
COMPAT_EXPORT(ibv_query_gid)
COMPAT_EXPORT(ibv_query_pkey)
