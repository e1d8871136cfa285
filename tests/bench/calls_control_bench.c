/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls that create, query and destroy objects: calls_control_bench DEVICE
 * GID_INDEX, started by calls_bench.sh, makes each of them several times while
 * callgrind counts its instructions (calls_rig.h). The table at the end
 * contains the order of the calls, and the functions before and after a call
 * that are not counted with it.
 */
#include <infiniband/verbs.h>

#include "calls_rig.h"

/* Objects of measured calls. */
static struct ibv_device **list;
static struct ibv_device *device;
static struct ibv_context *made_ctx;
static struct ibv_pd *made_pd;
static struct ibv_mr *made_mr;
static struct ibv_mw *made_mw;
static struct ibv_ah *made_ah;
static struct ibv_comp_channel *made_channel;
static struct ibv_cq *made_cq;
static struct ibv_srq *made_srq;
static struct ibv_qp *made_qp;

/* ------------------------------------------------------------------------ */
/* Devices                                                                   */
/* ------------------------------------------------------------------------ */

static int get_list(void)
{
	list = ibv_get_device_list(NULL);
	return !list;
}

static int free_list(void)
{
	ibv_free_device_list(list);
	return 0;
}

static void do_get_list(void)
{
	require_success(get_list(), "list");
}

static void do_free_list(void)
{
	ibv_free_device_list(list);
}

static int open_device(void)
{
	made_ctx = ibv_open_device(device);
	return !made_ctx;
}

static int close_device(void)
{
	return ibv_close_device(made_ctx);
}

static void do_open(void)
{
	require_success(open_device(), "open");
}

static void do_close(void)
{
	require_success(close_device(), "close");
}

static int query_device(void)
{
	struct ibv_device_attr attr;

	return ibv_query_device(ctx, &attr);
}

static int query_device_ex(void)
{
	struct ibv_device_attr_ex attr;

	return ibv_query_device_ex(ctx, NULL, &attr);
}

static int query_port(void)
{
	struct ibv_port_attr attr;

	return ibv_query_port(ctx, PORT, &attr);
}

static int query_gid(void)
{
	union ibv_gid found;

	return ibv_query_gid(ctx, PORT, gid_index, &found);
}

static int query_gid_ex(void)
{
	struct ibv_gid_entry found;

	return ibv_query_gid_ex(ctx, PORT, (uint32_t)gid_index, &found, 0);
}

static int query_gid_table(void)
{
	struct ibv_gid_entry found[16];

	return ibv_query_gid_table(ctx, found, 16, 0) <= 0;
}

static int query_pkey(void)
{
	__be16 found;

	return ibv_query_pkey(ctx, PORT, 0, &found);
}

/* ------------------------------------------------------------------------ */
/* Objects                                                                   */
/* ------------------------------------------------------------------------ */

static int alloc_pd(void)
{
	made_pd = ibv_alloc_pd(ctx);
	return !made_pd;
}

static int dealloc_pd(void)
{
	return ibv_dealloc_pd(made_pd);
}

static void do_alloc_pd(void)
{
	require_success(alloc_pd(), "alloc_pd");
}

static void do_dealloc_pd(void)
{
	require_success(dealloc_pd(), "dealloc_pd");
}

static int reg_mr(void)
{
	made_mr = ibv_reg_mr(pd, memory, sizeof(memory), ACCESS);
	return !made_mr;
}

static int dereg_mr(void)
{
	return ibv_dereg_mr(made_mr);
}

static void do_reg_mr(void)
{
	require_success(reg_mr(), "reg_mr");
}

static void do_dereg_mr(void)
{
	require_success(dereg_mr(), "dereg_mr");
}

static int alloc_mw(void)
{
	made_mw = ibv_alloc_mw(pd, IBV_MW_TYPE_2);
	return !made_mw;
}

static int dealloc_mw(void)
{
	return ibv_dealloc_mw(made_mw);
}

static void do_alloc_mw(void)
{
	require_success(alloc_mw(), "alloc_mw");
}

static void do_dealloc_mw(void)
{
	require_success(dealloc_mw(), "dealloc_mw");
}

static int create_ah(void)
{
	struct ibv_ah_attr attr = own_address();

	made_ah = ibv_create_ah(pd, &attr);
	return !made_ah;
}

static int destroy_ah(void)
{
	return ibv_destroy_ah(made_ah);
}

static void do_create_ah(void)
{
	require_success(create_ah(), "create_ah");
}

static void do_destroy_ah(void)
{
	require_success(destroy_ah(), "destroy_ah");
}

static int create_channel(void)
{
	made_channel = ibv_create_comp_channel(ctx);
	return !made_channel;
}

static int destroy_channel(void)
{
	return ibv_destroy_comp_channel(made_channel);
}

static void do_create_channel(void)
{
	require_success(create_channel(), "create_comp_channel");
}

static void do_destroy_channel(void)
{
	require_success(destroy_channel(), "destroy_comp_channel");
}

static int create_cq(void)
{
	made_cq = ibv_create_cq(ctx, DEPTH, NULL, NULL, 0);
	return !made_cq;
}

static int destroy_cq(void)
{
	return ibv_destroy_cq(made_cq);
}

static void do_create_cq(void)
{
	require_success(create_cq(), "create_cq");
}

static void do_destroy_cq(void)
{
	require_success(destroy_cq(), "destroy_cq");
}

static int resize_cq(void)
{
	return ibv_resize_cq(made_cq, 2 * DEPTH);
}

static int create_cq_ex(void)
{
	struct ibv_cq_ex *cq = new_cq_ex(NULL);

	made_cq = cq ? ibv_cq_ex_to_cq(cq) : NULL;
	return !cq;
}

static int create_srq(void)
{
	made_srq = new_srq();
	return !made_srq;
}

static int modify_srq(void)
{
	struct ibv_srq_attr attr = { .srq_limit = 1 };

	return ibv_modify_srq(made_srq, &attr, IBV_SRQ_LIMIT);
}

static int query_srq(void)
{
	struct ibv_srq_attr attr;

	return ibv_query_srq(made_srq, &attr);
}

static int destroy_srq(void)
{
	return ibv_destroy_srq(made_srq);
}

static void do_create_srq(void)
{
	require_success(create_srq(), "create_srq");
}

static void do_destroy_srq(void)
{
	require_success(destroy_srq(), "destroy_srq");
}

static int create_qp(void)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.send_cq = rc.send_cq,
		.recv_cq = rc.recv_cq,
		.cap = {
			.max_send_wr = DEPTH,
			.max_recv_wr = DEPTH,
			.max_send_sge = 4,
			.max_recv_sge = 4,
			.max_inline_data = LEN,
		},
	};

	made_qp = ibv_create_qp(pd, &attr);
	return !made_qp;
}

static int create_qp_ex(void)
{
	struct ibv_qp_init_attr_ex attr = qp_attr(&rc, IBV_QPT_RC);

	made_qp = ibv_create_qp_ex(ctx, &attr);
	return !made_qp;
}

static int destroy_qp(void)
{
	return ibv_destroy_qp(made_qp);
}

static int modify_to_init(void)
{
	return to_init(made_qp);
}

static int modify_to_rtr(void)
{
	return to_rtr(made_qp);
}

static int modify_to_rts(void)
{
	return to_rts(made_qp);
}

static int query_qp(void)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	return ibv_query_qp(made_qp, &attr, IBV_QP_STATE, &init);
}

static void do_create_qp(void)
{
	require_success(create_qp(), "create_qp");
}

static void do_init_qp(void)
{
	do_create_qp();
	require_success(modify_to_init(), "INIT");
}

static void do_rtr_qp(void)
{
	do_init_qp();
	require_success(modify_to_rtr(), "RTR");
}

static void do_destroy_qp(void)
{
	require_success(destroy_qp(), "destroy_qp");
}

static const struct call calls[] = {
	{ "ibv_get_device_list", NULL, get_list, do_free_list },
	{ "ibv_free_device_list", do_get_list, free_list, NULL },
	{ "ibv_open_device", NULL, open_device, do_close },
	{ "ibv_close_device", do_open, close_device, NULL },
	{ "ibv_query_device", NULL, query_device, NULL },
	{ "ibv_query_device_ex", NULL, query_device_ex, NULL },
	{ "ibv_query_port", NULL, query_port, NULL },
	{ "ibv_query_gid", NULL, query_gid, NULL },
	{ "ibv_query_gid_ex", NULL, query_gid_ex, NULL },
	{ "ibv_query_gid_table", NULL, query_gid_table, NULL },
	{ "ibv_query_pkey", NULL, query_pkey, NULL },
	{ "ibv_alloc_pd", NULL, alloc_pd, do_dealloc_pd },
	{ "ibv_dealloc_pd", do_alloc_pd, dealloc_pd, NULL },
	{ "ibv_reg_mr", NULL, reg_mr, do_dereg_mr },
	{ "ibv_dereg_mr", do_reg_mr, dereg_mr, NULL },
	{ "ibv_alloc_mw", NULL, alloc_mw, do_dealloc_mw },
	{ "ibv_dealloc_mw", do_alloc_mw, dealloc_mw, NULL },
	{ "ibv_create_ah", NULL, create_ah, do_destroy_ah },
	{ "ibv_destroy_ah", do_create_ah, destroy_ah, NULL },
	{ "ibv_create_comp_channel", NULL, create_channel, do_destroy_channel },
	{ "ibv_destroy_comp_channel", do_create_channel, destroy_channel,
	  NULL },
	{ "ibv_create_cq", NULL, create_cq, do_destroy_cq },
	{ "ibv_create_cq_ex", NULL, create_cq_ex, do_destroy_cq },
	{ "ibv_resize_cq", do_create_cq, resize_cq, do_destroy_cq },
	{ "ibv_destroy_cq", do_create_cq, destroy_cq, NULL },
	{ "ibv_create_srq", NULL, create_srq, do_destroy_srq },
	{ "ibv_modify_srq", do_create_srq, modify_srq, do_destroy_srq },
	{ "ibv_query_srq", do_create_srq, query_srq, do_destroy_srq },
	{ "ibv_destroy_srq", do_create_srq, destroy_srq, NULL },
	{ "ibv_create_qp", NULL, create_qp, do_destroy_qp },
	{ "ibv_create_qp_ex", NULL, create_qp_ex, do_destroy_qp },
	{ "ibv_modify_qp, to INIT", do_create_qp, modify_to_init,
	  do_destroy_qp },
	{ "ibv_modify_qp, to RTR", do_init_qp, modify_to_rtr, do_destroy_qp },
	{ "ibv_modify_qp, to RTS", do_rtr_qp, modify_to_rts, do_destroy_qp },
	{ "ibv_query_qp", do_create_qp, query_qp, do_destroy_qp },
	{ "ibv_destroy_qp", do_create_qp, destroy_qp, NULL },
};

int main(int argc, char **argv)
{
	const struct call first_list = { "ibv_get_device_list, the first", NULL,
					 get_list, NULL };
	const struct call first_open = { "ibv_open_device, the first", NULL,
					 open_device, do_close };
	struct ibv_device **devices;

	if (argc != 3) {
		fprintf(stderr,
			"usage: calls_control_bench DEVICE GID_INDEX\n");
		return 2;
	}
	gid_index = atoi(argv[2]);
	measure(&first_list, 0, 1);
	devices = list;
	device = find_device(devices, argv[1]);
	measure(&first_open, 0, 1);

	rig_up(device);
	measure_all(calls, sizeof(calls) / sizeof(calls[0]));
	ibv_free_device_list(devices);
	return 0;
}
