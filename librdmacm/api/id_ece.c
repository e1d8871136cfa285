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

/* The options of the peer for the QP, whose own are @local. */
static struct ibv_ece ece_of_peer(const struct own_id *own,
				  const struct ibv_ece *local)
{
	struct ibv_ece ece;

	verbs_mutex_lock(&host_mutex);
	ece = own->values.remote_ece;
	verbs_mutex_unlock(&host_mutex);
	if (ece.vendor_id != local->vendor_id)
		ece = (struct ibv_ece){ .vendor_id = local->vendor_id };
	ece.comp_mask = 0;
	return ece;
}

/* Most providers have no ECE. */
static int ece_result(int error)
{
	return error == EOPNOTSUPP ? 0 : -error;
}

int id_ece_begin(struct own_id *own, struct ibv_qp *qp)
{
	struct ibv_ece ece = { 0 };
	int ret = ece_result(ibv_query_ece(qp, &ece));

	own->local_ece = ece;
	if (ret || !own->is_passive || !ece.vendor_id)
		return ret;
	ece = ece_of_peer(own, &own->local_ece);
	return ece_result(ibv_set_ece(qp, &ece));
}

int id_ece_reply(const struct own_id *own, struct ibv_ece *ret_ece)
{
	struct ibv_ece ece = { 0 };
	int ret = 0;

	verbs_mutex_lock(&host_mutex);
	*ret_ece = own->values.remote_ece;
	verbs_mutex_unlock(&host_mutex);
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
	const struct ibv_ece *local = &own->local_ece;
	struct ibv_ece ece;
	uint32_t vendor_id;

	if (!local->vendor_id)
		return 0;
	verbs_mutex_lock(&host_mutex);
	vendor_id = own->values.remote_ece.vendor_id;
	verbs_mutex_unlock(&host_mutex);
	if (vendor_id && vendor_id != local->vendor_id)
		return -EINVAL;
	ece = ece_of_peer(own, local);
	return ece_result(ibv_set_ece(own->id.qp, &ece));
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
	struct own_id *own = own_id_of(id);

	if (id->qp || !ece)
		return api_ret_minus1(-EINVAL);
	verbs_mutex_lock(&host_mutex);
	*ece = own->values.remote_ece;
	verbs_mutex_unlock(&host_mutex);
	return 0;
}
