/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Conversions between the kernel's form of some structs and the public form.
 * Exported for connection managers, which read the kernel's form from
 * /dev/infiniband/rdma_cm. They declare the functions themselves, so no
 * installed header does.
 */
#ifndef API_MARSHALL_H
#define API_MARSHALL_H

#include <infiniband/sa.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_sa.h>
#include <rdma/ib_user_verbs.h>

/** ibv_copy_ah_attr_from_kern() - fill every member of @dst */
void ibv_copy_ah_attr_from_kern(struct ibv_ah_attr *dst,
				struct ib_uverbs_ah_attr *src);

/**
 * ibv_copy_qp_attr_from_kern() - fill all members of @dst except two
 *
 * @dst->qp_state is unchanged: callers store the requested state there.
 *	@dst->rate_limit is unchanged: the kernel's struct has no such member.
 */
void ibv_copy_qp_attr_from_kern(struct ibv_qp_attr *dst,
				struct ib_uverbs_qp_attr *src);

/** ibv_copy_path_rec_from_kern() - fill every member of @dst */
void ibv_copy_path_rec_from_kern(struct ibv_sa_path_rec *dst,
				 struct ib_user_path_rec *src);

/** ibv_copy_path_rec_to_kern() - fill every member of @dst */
void ibv_copy_path_rec_to_kern(struct ib_user_path_rec *dst,
			       struct ibv_sa_path_rec *src);

#endif
