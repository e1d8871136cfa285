/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names as addresses, with an event of an id. The name is resolved in the
 * thread of the caller. RoCE has no subnet administrator that knows services.
 */

#include "api/api_err.h"
#include "api/id_event.h"
#include "api/own_id.h"

#include <errno.h>
#include <netdb.h>

/* An error of rdma_getaddrinfo(), which is -1 with errno, or an EAI_ code */
static int getaddrinfo_errno(int ret)
{
	switch (ret) {
	case -1:
	case EAI_SYSTEM:
		return errno ? -errno : -EINVAL;
	case EAI_MEMORY:
		return -ENOMEM;
	case EAI_AGAIN:
		return -EAGAIN;
	case EAI_NONAME:
	case EAI_SERVICE:
		return -ENOENT;
	default:
		return -EINVAL;
	}
}

static int service_check(const struct own_id *own, const char *node,
			 const struct rdma_addrinfo *hints)
{
	if (!hints || !(hints->ai_flags & RAI_SA))
		return 0;
	if (!(hints->ai_flags & RAI_DNS) && !node && !own->device)
		return -EINVAL;
	return -EOPNOTSUPP;
}

static int id_resolve_addrinfo(struct own_id *own, const char *node,
			       const char *service,
			       const struct rdma_addrinfo *hints)
{
	int ret;

	if (own->addrinfo)
		return -EBUSY;
	ret = service_check(own, node, hints);
	if (ret)
		return ret;
	ret = rdma_getaddrinfo(node, service, hints, &own->addrinfo);
	if (ret)
		return getaddrinfo_errno(ret);
	ret = own_id_post(own, RDMA_CM_EVENT_ADDRINFO_RESOLVED, 0, 0);
	if (ret) {
		rdma_freeaddrinfo(own->addrinfo);
		own->addrinfo = NULL;
		return ret;
	}
	return id_event_complete(own);
}

int rdma_resolve_addrinfo(struct rdma_cm_id *id, const char *node,
			  const char *service,
			  const struct rdma_addrinfo *hints)
{
	return api_ret_minus1(
		id_resolve_addrinfo(own_id_of(id), node, service, hints));
}

int rdma_query_addrinfo(struct rdma_cm_id *id, struct rdma_addrinfo **info)
{
	struct own_id *own = own_id_of(id);

	if (!own->addrinfo)
		return api_ret_minus1(-ENOENT);
	*info = own->addrinfo;
	own->addrinfo = NULL;
	return 0;
}
