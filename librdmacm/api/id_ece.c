/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Enhanced connection establishment (ECE): options of a vendor that travel in
 * requests and replies. The application sets and reads them for a QP of its
 * own; id_ece.h describes those of a QP that the library has created.
 */
#include "api/id_ece.h"

#include "api/api_err.h"
#include "api/cm_host.h"

#include <errno.h>

static struct ibv_ece ece_of_peer(const struct own_id *own)
{
	struct ibv_ece ece;

	verbs_mutex_lock(&host_mutex);
	ece = own->values.remote_ece;
	verbs_mutex_unlock(&host_mutex);
	return ece;
}

/* Most providers have no ECE. */
static int ece_result(int error)
{
	return error == EOPNOTSUPP ? 0 : -error;
}

/* Sets the options of the peer; none, if they are of another vendor. */
static int ece_set(const struct own_id *own, struct ibv_qp *qp,
		   struct ibv_ece ece)
{
	uint32_t vendor_id = own->local_ece.vendor_id;

	if (ece.vendor_id != vendor_id)
		ece.options = 0;
	ece.vendor_id = vendor_id;
	ece.comp_mask = 0;
	return ece_result(ibv_set_ece(qp, &ece));
}

int id_ece_begin(struct own_id *own, struct ibv_qp *qp)
{
	struct ibv_ece ece = { 0 };
	int ret = ece_result(ibv_query_ece(qp, &ece));

	own->local_ece = ece;
	if (ret || !own->is_passive || !ece.vendor_id)
		return ret;
	return ece_set(own, qp, ece_of_peer(own));
}

int id_ece_reply(const struct own_id *own, struct ibv_ece *ret_ece)
{
	struct ibv_ece ece = { 0 };
	int ret = 0;

	*ret_ece = ece_of_peer(own);
	ret_ece->options = 0;
	if (!ret_ece->vendor_id ||
	    ret_ece->vendor_id != own->local_ece.vendor_id)
		return 0;
	ret = ece_result(ibv_query_ece(own->id.qp, &ece));
	ret_ece->options = ece.options;
	return ret;
}

int id_ece_finish(const struct own_id *own)
{
	struct ibv_ece ece = ece_of_peer(own);

	if (!own->local_ece.vendor_id)
		return 0;
	if (ece.vendor_id && ece.vendor_id != own->local_ece.vendor_id)
		return -EINVAL;
	return ece_set(own, own->id.qp, ece);
}

int rdma_set_local_ece(struct rdma_cm_id *id, struct ibv_ece *ece)
{
	if (!id || id->qp || !ece || !ece->vendor_id || ece->comp_mask)
		return api_ret_minus1(-EINVAL);
	own_id_of(id)->local_ece = *ece;
	return 0;
}

int rdma_get_remote_ece(struct rdma_cm_id *id, struct ibv_ece *ece)
{
	if (id->qp || !ece)
		return api_ret_minus1(-EINVAL);
	*ece = ece_of_peer(own_id_of(id));
	return 0;
}
