/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Enhanced connection establishment (ECE): options of a vendor that travel in
 * requests and replies. The application sets and reads them for a QP of its
 * own. For a QP of the id the library has none, since no device with a GSI has
 * ECE.
 */
#include "api/own_id.h"

#include "api/api_err.h"
#include "api/cm_host.h"

#include <errno.h>

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
