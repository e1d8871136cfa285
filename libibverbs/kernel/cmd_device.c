/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Attributes of a device. Called by kernel-backed providers through
 * <provider/kernel.h>, calls submit.c.
 */
#include <errno.h>
#include <provider/kernel.h>
#include <rdma/ib_user_verbs.h>
#include <stdbool.h>

#include "kernel/kernel_state.h"
#include "kernel/submit.h"

_Static_assert(sizeof(struct ib_uverbs_ex_query_device_resp) % 8 == 0,
	       "extended commands count in words of 8 bytes");

static int cmd_device_query_ex(struct ibv_context *ctx,
			       const struct verbs_udata *udata,
			       struct ib_uverbs_ex_query_device_resp *ret_resp)
{
	const struct ib_uverbs_ex_query_device in = {};
	const struct write_cmd req = {
		.command = IB_USER_VERBS_EX_CMD_QUERY_DEVICE |
			   IB_USER_VERBS_CMD_FLAG_EXTENDED,
		WRITE_IN(in),
		WRITE_OUT(*ret_resp),
		.udata = udata,
	};
	struct verbs_kernel_state *state = verbs_kernel_state(ctx);
	int ret;

	if (!kernel_cap_offered(state, KERNEL_CAP_EX_QUERY_DEVICE))
		return SUBMIT_NOT_OFFERED;
	*ret_resp = (struct ib_uverbs_ex_query_device_resp){};
	ret = submit_write(ctx, &req);
	if (ret && kernel_cap_learn(state, KERNEL_CAP_EX_QUERY_DEVICE, -ret))
		return SUBMIT_NOT_OFFERED;
	/* A newer kernel reports the length of its longer response. */
	if (ret_resp->response_length > sizeof(*ret_resp))
		ret_resp->response_length = sizeof(*ret_resp);
	return ret;
}

static int
cmd_device_query_basic(struct ibv_context *ctx,
		       struct ib_uverbs_ex_query_device_resp *ret_resp)
{
	const struct ib_uverbs_query_device in = {};
	const struct write_cmd req = {
		.command = IB_USER_VERBS_CMD_QUERY_DEVICE,
		WRITE_IN(in),
		WRITE_OUT(ret_resp->base),
	};

	ret_resp->base = (struct ib_uverbs_query_device_resp){};
	ret_resp->response_length = sizeof(ret_resp->base);
	return submit_write(ctx, &req);
}

static void
cmd_device_fill_limits(struct ibv_device_attr *attr,
		       const struct ib_uverbs_query_device_resp *resp)
{
	attr->max_mr_size = resp->max_mr_size;
	attr->max_qp = (int)resp->max_qp;
	attr->max_qp_wr = (int)resp->max_qp_wr;
	attr->max_sge = (int)resp->max_sge;
	attr->max_sge_rd = (int)resp->max_sge_rd;
	attr->max_cq = (int)resp->max_cq;
	attr->max_cqe = (int)resp->max_cqe;
	attr->max_mr = (int)resp->max_mr;
	attr->max_pd = (int)resp->max_pd;
	attr->max_qp_rd_atom = (int)resp->max_qp_rd_atom;
	attr->max_ee_rd_atom = (int)resp->max_ee_rd_atom;
	attr->max_res_rd_atom = (int)resp->max_res_rd_atom;
	attr->max_qp_init_rd_atom = (int)resp->max_qp_init_rd_atom;
	attr->max_ee_init_rd_atom = (int)resp->max_ee_init_rd_atom;
	attr->max_ee = (int)resp->max_ee;
	attr->max_rdd = (int)resp->max_rdd;
	attr->max_mw = (int)resp->max_mw;
	attr->max_raw_ipv6_qp = (int)resp->max_raw_ipv6_qp;
	attr->max_raw_ethy_qp = (int)resp->max_raw_ethy_qp;
	attr->max_mcast_grp = (int)resp->max_mcast_grp;
	attr->max_mcast_qp_attach = (int)resp->max_mcast_qp_attach;
	attr->max_total_mcast_qp_attach = (int)resp->max_total_mcast_qp_attach;
	attr->max_ah = (int)resp->max_ah;
	attr->max_fmr = (int)resp->max_fmr;
	attr->max_map_per_fmr = (int)resp->max_map_per_fmr;
	attr->max_srq = (int)resp->max_srq;
	attr->max_srq_wr = (int)resp->max_srq_wr;
	attr->max_srq_sge = (int)resp->max_srq_sge;
	attr->max_pkeys = resp->max_pkeys;
}

/* All members except fw_ver, which the provider formats. */
static void cmd_device_fill_base(struct ibv_device_attr *attr,
				 const struct ib_uverbs_query_device_resp *resp)
{
	cmd_device_fill_limits(attr, resp);
	attr->node_guid = resp->node_guid;
	attr->sys_image_guid = resp->sys_image_guid;
	attr->page_size_cap = resp->page_size_cap;
	attr->vendor_id = resp->vendor_id;
	attr->vendor_part_id = resp->vendor_part_id;
	attr->hw_ver = resp->hw_ver;
	attr->device_cap_flags = resp->device_cap_flags;
	attr->atomic_cap = resp->atomic_cap;
	attr->local_ca_ack_delay = resp->local_ca_ack_delay;
	attr->phys_port_cnt = resp->phys_port_cnt;
}

static void cmd_device_fill_odp_caps(struct ibv_odp_caps *caps,
				     const struct ib_uverbs_odp_caps *from)
{
	caps->general_caps = from->general_caps;
	caps->per_transport_caps.rc_odp_caps =
		from->per_transport_caps.rc_odp_caps;
	caps->per_transport_caps.uc_odp_caps =
		from->per_transport_caps.uc_odp_caps;
	caps->per_transport_caps.ud_odp_caps =
		from->per_transport_caps.ud_odp_caps;
}

static void cmd_device_fill_rss_caps(struct ibv_rss_caps *caps,
				     const struct ib_uverbs_rss_caps *from)
{
	caps->supported_qpts = from->supported_qpts;
	caps->max_rwq_indirection_tables = from->max_rwq_indirection_tables;
	caps->max_rwq_indirection_table_size =
		from->max_rwq_indirection_table_size;
}

static void cmd_device_fill_tm_caps(struct ibv_tm_caps *caps,
				    const struct ib_uverbs_tm_caps *from)
{
	caps->max_rndv_hdr_size = from->max_rndv_hdr_size;
	caps->max_num_tags = from->max_num_tags;
	caps->flags = from->flags;
	caps->max_ops = from->max_ops;
	caps->max_sge = from->max_sge;
}

/* The kernel's response has the field; the caller's struct has the field. */
#define RESP_HAS(resp, field)                                     \
	((resp)->response_length >=                               \
	 offsetof(struct ib_uverbs_ex_query_device_resp, field) + \
		 sizeof((resp)->field))
#define ATTR_HAS(size, field)                                   \
	((size) >= offsetof(struct ibv_device_attr_ex, field) + \
			   sizeof(((struct ibv_device_attr_ex *)0)->field))

static void
cmd_device_fill_caps(struct ibv_device_attr_ex *attr, size_t size,
		     const struct ib_uverbs_ex_query_device_resp *resp)
{
	if (RESP_HAS(resp, odp_caps) && ATTR_HAS(size, odp_caps))
		cmd_device_fill_odp_caps(&attr->odp_caps, &resp->odp_caps);
	if (RESP_HAS(resp, timestamp_mask) &&
	    ATTR_HAS(size, completion_timestamp_mask))
		attr->completion_timestamp_mask = resp->timestamp_mask;
	if (RESP_HAS(resp, hca_core_clock) && ATTR_HAS(size, hca_core_clock))
		attr->hca_core_clock = resp->hca_core_clock;
	if (RESP_HAS(resp, device_cap_flags_ex) &&
	    ATTR_HAS(size, device_cap_flags_ex))
		attr->device_cap_flags_ex = resp->device_cap_flags_ex;
	if (RESP_HAS(resp, rss_caps) && ATTR_HAS(size, rss_caps))
		cmd_device_fill_rss_caps(&attr->rss_caps, &resp->rss_caps);
	if (RESP_HAS(resp, max_wq_type_rq) && ATTR_HAS(size, max_wq_type_rq))
		attr->max_wq_type_rq = resp->max_wq_type_rq;
	if (RESP_HAS(resp, raw_packet_caps) && ATTR_HAS(size, raw_packet_caps))
		attr->raw_packet_caps = resp->raw_packet_caps;
	if (RESP_HAS(resp, tm_caps) && ATTR_HAS(size, tm_caps))
		cmd_device_fill_tm_caps(&attr->tm_caps, &resp->tm_caps);
	if (RESP_HAS(resp, cq_moderation_caps) && ATTR_HAS(size, cq_mod_caps)) {
		attr->cq_mod_caps.max_cq_count =
			resp->cq_moderation_caps.max_cq_moderation_count;
		attr->cq_mod_caps.max_cq_period =
			resp->cq_moderation_caps.max_cq_moderation_period;
	}
	if (RESP_HAS(resp, max_dm_size) && ATTR_HAS(size, max_dm_size))
		attr->max_dm_size = resp->max_dm_size;
	if (RESP_HAS(resp, xrc_odp_caps) && ATTR_HAS(size, xrc_odp_caps))
		attr->xrc_odp_caps = resp->xrc_odp_caps;
}

/* @resp: the kernel's response, undefined after a failure */
static int cmd_device_query(struct ibv_context *ctx,
			    const struct ibv_query_device_ex_input *input,
			    struct ibv_device_attr_ex *attr, size_t attr_size,
			    struct ib_uverbs_ex_query_device_resp *resp,
			    const struct verbs_udata *udata)
{
	const bool extended = attr_size > sizeof(attr->orig_attr);
	uint32_t nr_ports = verbs_kernel_state(ctx)->nr_ports;
	int ret = SUBMIT_NOT_OFFERED;

	if ((input && input->comp_mask) || attr_size < sizeof(attr->orig_attr))
		return -EINVAL;

	if (extended)
		ret = cmd_device_query_ex(ctx, udata, resp);
	if (ret == SUBMIT_NOT_OFFERED)
		ret = cmd_device_query_basic(ctx, resp);
	if (ret)
		return ret;

	cmd_device_fill_base(&attr->orig_attr, &resp->base);
	cmd_device_fill_caps(attr, attr_size, resp);
	/* The port count of the response has 8 bits; netlink reported all. */
	if (ATTR_HAS(attr_size, phys_port_cnt_ex))
		attr->phys_port_cnt_ex = nr_ports ? nr_ports
						  : resp->base.phys_port_cnt;
	return 0;
}

int verbs_cmd_query_device_resp(struct ibv_context *ctx,
				const struct ibv_query_device_ex_input *input,
				struct ibv_device_attr_ex *attr,
				size_t attr_size,
				struct ib_uverbs_ex_query_device_resp *ret_resp,
				const struct verbs_udata *udata)
{
	struct ib_uverbs_ex_query_device_resp resp = {};
	int ret = cmd_device_query(ctx, input, attr, attr_size, &resp, udata);

	if (!ret)
		*ret_resp = resp;
	return ret;
}

int verbs_cmd_query_device(struct ibv_context *ctx,
			   const struct ibv_query_device_ex_input *input,
			   struct ibv_device_attr_ex *attr, size_t attr_size,
			   uint64_t *ret_fw_ver,
			   const struct verbs_udata *udata)
{
	struct ib_uverbs_ex_query_device_resp resp;
	int ret = cmd_device_query(ctx, input, attr, attr_size, &resp, udata);

	if (!ret)
		*ret_fw_ver = resp.base.fw_ver;
	return ret;
}
