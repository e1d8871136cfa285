/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_query_port(3), ibv_query_port_speed(3), ibv_query_pkey(3),
 * ibv_get_pkey_index(3).
 */
#include <infiniband/verbs.h>

#include "api/abi_tables.h"
#include "api/api_err.h"
#include "api/sized_copy.h"
#include "core/core_context.h"

/* In newer programs, a macro of this name calls verbs_api_query_port(). */
#undef ibv_query_port

/*
 * Size of struct ibv_port_attr when the exported function was frozen: up to
 * and including flags. The struct of programs of that time is not longer.
 */
#define FIRST_PORT_ATTR_SIZE 48

/* The caller's struct may be shorter or longer than the library's. */
int verbs_api_query_port(struct ibv_context *ctx, uint8_t port_num,
			 struct ibv_port_attr *attr, size_t attr_size)
{
	struct ibv_port_attr own = {};
	int ret;

	if (!ctx || !attr)
		return api_ret_errno(-EINVAL);
	ret = VERBS_CALL_OP(ctx, query_port, ctx, port_num, &own);
	if (ret)
		return api_ret_errno(ret);

	api_copy_sized(attr, attr_size, &own, sizeof(own));
	return 0;
}

int ibv_query_port(struct ibv_context *context, uint8_t port_num,
		   struct _compat_ibv_port_attr *port_attr)
{
	return verbs_api_query_port(context, port_num,
				    (struct ibv_port_attr *)port_attr,
				    FIRST_PORT_ATTR_SIZE);
}

/* Returns the speed of all lanes together in units of 100 Mb/s. */
int ibv_query_port_speed(struct ibv_context *context, uint32_t port_num,
			 uint64_t *port_speed)
{
	if (!context || !port_speed)
		return api_ret_errno(-EINVAL);
	return api_ret_errno(VERBS_CALL_OP(context, query_port_speed, context,
					   port_num, port_speed));
}

int ibv_query_pkey(struct ibv_context *context, uint8_t port_num, int index,
		   __be16 *pkey)
{
	if (!context || !pkey)
		return api_ret_minus1(-EINVAL);
	return api_ret_minus1(VERBS_CALL_OP(context, query_pkey, context,
					    port_num, index, pkey));
}

int ibv_get_pkey_index(struct ibv_context *context, uint8_t port_num,
		       __be16 pkey)
{
	__be16 found;

	if (!context)
		return api_ret_minus1(-EINVAL);
	for (int index = 0;; index++) {
		int ret = VERBS_CALL_OP(context, query_pkey, context, port_num,
					index, &found);

		if (ret)
			return api_ret_minus1(ret);
		if (found == pkey)
			return index;
	}
}
