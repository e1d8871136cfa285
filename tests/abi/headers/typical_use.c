/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The forms in which programs write calls and structs that are macros, inline
 * functions or unnamed members here.
 */
#include <infiniband/verbs.h>

typedef struct ibv_mr *(*reg_mr_t)(struct ibv_pd *pd, void *addr, size_t length,
				   int access);
typedef int (*query_port_t)(struct ibv_context *context, uint8_t port_num,
			    struct _compat_ibv_port_attr *attr);
typedef int (*poll_cq_t)(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc);

struct typical {
	reg_mr_t reg_mr;
	query_port_t query_port;
	poll_cq_t poll_cq;
	struct ibv_mr *mr;
};

int typical_use(struct typical *t, struct ibv_pd *pd, struct ibv_qp *qp,
		void *buf, int flags);

int typical_use(struct typical *t, struct ibv_pd *pd, struct ibv_qp *qp,
		void *buf, int flags)
{
	struct ibv_send_wr wr, *bad_wr;
	struct ibv_flow_spec spec;
	struct ibv_wc wc;
	union ibv_gid gid;

	/* a macro's name is still the function's when no call follows */
	t->reg_mr = ibv_reg_mr;
	t->query_port = ibv_query_port;
	t->poll_cq = ibv_poll_cq;

	t->mr = ibv_reg_mr(pd, buf, 1,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	if (!t->mr)
		t->mr = ibv_reg_mr(pd, buf, 1, flags);
	if (!t->mr)
		t->mr = ibv_reg_mr_iova(pd, buf, 1, 0, (unsigned int)flags);

	memset(&wr, 0, sizeof(wr));
	wr.imm_data = 0;
	wr.invalidate_rkey = 0;
	wr.wr.rdma.rkey = 1;
	wr.wr.atomic.compare_add = 1;
	wr.wr.ud.remote_qpn = 1;
	wr.qp_type.xrc.remote_srqn = 1;
	wr.bind_mw.bind_info.mr = t->mr;
	wr.tso.mss = 1;

	memset(&wc, 0, sizeof(wc));
	wc.imm_data = 0;
	memset(&spec, 0, sizeof(spec));
	spec.hdr.type = IBV_FLOW_SPEC_ETH;
	spec.eth.val.ether_type = 0;
	gid.global.subnet_prefix = 0;
	gid.raw[0] = 0;

	if (gid.raw[1])
		return EINVAL;
	if (verbs_get_ctx_op(qp->context, modify_qp_rate_limit))
		return ibv_modify_qp_rate_limit(qp, NULL);
	return ibv_post_send(qp, &wr, &bad_wr);
}
