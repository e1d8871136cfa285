/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The jump of each inline function of the public headers: the slot, the
 * arguments and their order, and the result. Each slot of the op tables and
 * each function pointer of the objects has a recorder of its own, so a jump to
 * the wrong slot is detected.
 */
#include <infiniband/verbs.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define RESULT	 0x5a
#define MAX_ARGS 6

/* The most recent jump. */
static struct {
	const char *slot;
	uintptr_t args[MAX_ARGS];
	size_t nr_args;
} seen;

static void record(const char *slot, const uintptr_t *args, size_t nr_args)
{
	seen.slot = slot;
	seen.nr_args = nr_args;
	memcpy(seen.args, args, nr_args * sizeof(*args));
}

#define NR_ARGS(...) (sizeof((uintptr_t[]){ __VA_ARGS__ }) / sizeof(uintptr_t))
#define RECORD(slot, ...) \
	record(slot, (uintptr_t[]){ __VA_ARGS__ }, NR_ARGS(__VA_ARGS__))
#define U(x) ((uintptr_t)(x))

/* A recorder for a slot with 1 to 6 arguments of these types. */
#define REC1(ret, slot, A)           \
	static ret rec_##slot(A a)   \
	{                            \
		RECORD(#slot, U(a)); \
		return (ret)RESULT;  \
	}
#define REC2(ret, slot, A, B)              \
	static ret rec_##slot(A a, B b)    \
	{                                  \
		RECORD(#slot, U(a), U(b)); \
		return (ret)RESULT;        \
	}
#define REC3(ret, slot, A, B, C)                 \
	static ret rec_##slot(A a, B b, C c)     \
	{                                        \
		RECORD(#slot, U(a), U(b), U(c)); \
		return (ret)RESULT;              \
	}
#define REC4(ret, slot, A, B, C, D)                    \
	static ret rec_##slot(A a, B b, C c, D d)      \
	{                                              \
		RECORD(#slot, U(a), U(b), U(c), U(d)); \
		return (ret)RESULT;                    \
	}
#define REC5(ret, slot, A, B, C, D, E)                       \
	static ret rec_##slot(A a, B b, C c, D d, E e)       \
	{                                                    \
		RECORD(#slot, U(a), U(b), U(c), U(d), U(e)); \
		return (ret)RESULT;                          \
	}
#define REC6(ret, slot, A, B, C, D, E, F)                          \
	static ret rec_##slot(A a, B b, C c, D d, E e, F f)        \
	{                                                          \
		RECORD(#slot, U(a), U(b), U(c), U(d), U(e), U(f)); \
		return (ret)RESULT;                                \
	}

typedef struct ibv_context *ctx_t;
typedef struct ibv_qp_ex *qpx_t;
typedef struct ibv_cq_ex *cqx_t;

/* struct verbs_context */
REC4(int, query_port, ctx_t, uint8_t, struct ibv_port_attr *, size_t)
REC5(int, advise_mr, struct ibv_pd *, enum ibv_advise_mr_advice, uint32_t,
     struct ibv_sge *, uint32_t)
REC1(struct ibv_mr *, alloc_null_mr, struct ibv_pd *)
REC4(int, read_counters, struct ibv_counters *, uint64_t *, uint32_t, uint32_t)
REC3(int, attach_counters_point_flow, struct ibv_counters *,
     struct ibv_counter_attach_attr *, struct ibv_flow *)
REC2(struct ibv_counters *, create_counters, ctx_t,
     struct ibv_counters_init_attr *)
REC1(int, destroy_counters, struct ibv_counters *)
REC5(struct ibv_mr *, reg_dm_mr, struct ibv_pd *, struct ibv_dm *, uint64_t,
     size_t, unsigned int)
REC2(struct ibv_dm *, alloc_dm, ctx_t, struct ibv_alloc_dm_attr *)
REC1(int, free_dm, struct ibv_dm *)
REC2(int, modify_flow_action_esp, struct ibv_flow_action *,
     struct ibv_flow_action_esp_attr *)
REC1(int, destroy_flow_action, struct ibv_flow_action *)
REC2(struct ibv_flow_action *, create_flow_action_esp, ctx_t,
     struct ibv_flow_action_esp_attr *)
REC2(int, modify_qp_rate_limit, struct ibv_qp *,
     struct ibv_qp_rate_limit_attr *)
REC2(struct ibv_pd *, alloc_parent_domain, ctx_t,
     struct ibv_parent_domain_init_attr *)
REC1(int, dealloc_td, struct ibv_td *)
REC2(struct ibv_td *, alloc_td, ctx_t, struct ibv_td_init_attr *)
REC2(int, modify_cq, struct ibv_cq *, struct ibv_modify_cq_attr *)
REC3(int, post_srq_ops, struct ibv_srq *, struct ibv_ops_wr *,
     struct ibv_ops_wr **)
REC1(int, destroy_rwq_ind_table, struct ibv_rwq_ind_table *)
REC2(struct ibv_rwq_ind_table *, create_rwq_ind_table, ctx_t,
     struct ibv_rwq_ind_table_init_attr *)
REC1(int, destroy_wq, struct ibv_wq *)
REC2(int, modify_wq, struct ibv_wq *, struct ibv_wq_attr *)
REC2(int, query_rt_values, ctx_t, struct ibv_values_ex *)
REC2(struct ibv_cq_ex *, create_cq_ex, ctx_t, struct ibv_cq_init_attr_ex *)
REC4(int, query_device_ex, ctx_t, const struct ibv_query_device_ex_input *,
     struct ibv_device_attr_ex *, size_t)
REC1(int, ibv_destroy_flow, struct ibv_flow *)
REC2(struct ibv_flow *, ibv_create_flow, struct ibv_qp *,
     struct ibv_flow_attr *)
REC2(struct ibv_qp *, open_qp, ctx_t, struct ibv_qp_open_attr *)
REC2(struct ibv_qp *, create_qp_ex, ctx_t, struct ibv_qp_init_attr_ex *)
REC2(int, get_srq_num, struct ibv_srq *, uint32_t *)
REC2(struct ibv_srq *, create_srq_ex, ctx_t, struct ibv_srq_init_attr_ex *)
REC2(struct ibv_xrcd *, open_xrcd, ctx_t, struct ibv_xrcd_init_attr *)
REC1(int, close_xrcd, struct ibv_xrcd *)

/* struct ibv_context_ops */
REC2(struct ibv_mw *, alloc_mw, struct ibv_pd *, enum ibv_mw_type)
REC3(int, bind_mw, struct ibv_qp *, struct ibv_mw *, struct ibv_mw_bind *)
REC1(int, dealloc_mw, struct ibv_mw *)
REC3(int, poll_cq, struct ibv_cq *, int, struct ibv_wc *)
REC2(int, req_notify_cq, struct ibv_cq *, int)
REC3(int, post_srq_recv, struct ibv_srq *, struct ibv_recv_wr *,
     struct ibv_recv_wr **)
REC3(int, post_send, struct ibv_qp *, struct ibv_send_wr *,
     struct ibv_send_wr **)
REC3(int, post_recv, struct ibv_qp *, struct ibv_recv_wr *,
     struct ibv_recv_wr **)

/* struct ibv_dm, struct ibv_wq */
REC4(int, memcpy_to_dm, struct ibv_dm *, uint64_t, const void *, size_t)
REC4(int, memcpy_from_dm, void *, struct ibv_dm *, uint64_t, size_t)
REC3(int, wq_post_recv, struct ibv_wq *, struct ibv_recv_wr *,
     struct ibv_recv_wr **)

/* struct ibv_cq_ex */
REC2(int, start_poll, cqx_t, struct ibv_poll_cq_attr *)
REC1(int, next_poll, cqx_t)
REC1(void, end_poll, cqx_t)
REC1(enum ibv_wc_opcode, read_opcode, cqx_t)
REC1(uint32_t, read_vendor_err, cqx_t)
REC1(uint32_t, read_byte_len, cqx_t)
REC1(__be32, read_imm_data, cqx_t)
REC1(uint32_t, read_qp_num, cqx_t)
REC1(uint32_t, read_src_qp, cqx_t)
REC1(unsigned int, read_wc_flags, cqx_t)
REC1(uint32_t, read_slid, cqx_t)
REC1(uint8_t, read_sl, cqx_t)
REC1(uint8_t, read_dlid_path_bits, cqx_t)
REC1(uint64_t, read_completion_ts, cqx_t)
REC1(uint16_t, read_cvlan, cqx_t)
REC1(uint32_t, read_flow_tag, cqx_t)
REC2(void, read_tm_info, cqx_t, struct ibv_wc_tm_info *)
REC1(uint64_t, read_completion_wallclock_ns, cqx_t)

/* struct ibv_qp_ex */
REC5(void, wr_atomic_cmp_swp, qpx_t, uint32_t, uint64_t, uint64_t, uint64_t)
REC4(void, wr_atomic_fetch_add, qpx_t, uint32_t, uint64_t, uint64_t)
REC4(void, wr_bind_mw, qpx_t, struct ibv_mw *, uint32_t,
     const struct ibv_mw_bind_info *)
REC2(void, wr_local_inv, qpx_t, uint32_t)
REC3(void, wr_rdma_read, qpx_t, uint32_t, uint64_t)
REC3(void, wr_rdma_write, qpx_t, uint32_t, uint64_t)
REC4(void, wr_rdma_write_imm, qpx_t, uint32_t, uint64_t, __be32)
REC1(void, wr_send, qpx_t)
REC2(void, wr_send_imm, qpx_t, __be32)
REC2(void, wr_send_inv, qpx_t, uint32_t)
REC4(void, wr_send_tso, qpx_t, void *, uint16_t, uint16_t)
REC4(void, wr_set_ud_addr, qpx_t, struct ibv_ah *, uint32_t, uint32_t)
REC2(void, wr_set_xrc_srqn, qpx_t, uint32_t)
REC3(void, wr_set_inline_data, qpx_t, void *, size_t)
REC3(void, wr_set_inline_data_list, qpx_t, size_t, const struct ibv_data_buf *)
REC4(void, wr_set_sge, qpx_t, uint32_t, uint64_t, uint32_t)
REC3(void, wr_set_sge_list, qpx_t, size_t, const struct ibv_sge *)
REC1(void, wr_start, qpx_t)
REC1(int, wr_complete, qpx_t)
REC1(void, wr_abort, qpx_t)
REC4(void, wr_atomic_write, qpx_t, uint32_t, uint64_t, const void *)
REC6(void, wr_flush, qpx_t, uint32_t, uint64_t, size_t, uint8_t, uint8_t)

static struct verbs_context vctx = {
	.query_port = rec_query_port,
	.advise_mr = rec_advise_mr,
	.alloc_null_mr = rec_alloc_null_mr,
	.read_counters = rec_read_counters,
	.attach_counters_point_flow = rec_attach_counters_point_flow,
	.create_counters = rec_create_counters,
	.destroy_counters = rec_destroy_counters,
	.reg_dm_mr = rec_reg_dm_mr,
	.alloc_dm = rec_alloc_dm,
	.free_dm = rec_free_dm,
	.modify_flow_action_esp = rec_modify_flow_action_esp,
	.destroy_flow_action = rec_destroy_flow_action,
	.create_flow_action_esp = rec_create_flow_action_esp,
	.modify_qp_rate_limit = rec_modify_qp_rate_limit,
	.alloc_parent_domain = rec_alloc_parent_domain,
	.dealloc_td = rec_dealloc_td,
	.alloc_td = rec_alloc_td,
	.modify_cq = rec_modify_cq,
	.post_srq_ops = rec_post_srq_ops,
	.destroy_rwq_ind_table = rec_destroy_rwq_ind_table,
	.create_rwq_ind_table = rec_create_rwq_ind_table,
	.destroy_wq = rec_destroy_wq,
	.modify_wq = rec_modify_wq,
	.query_rt_values = rec_query_rt_values,
	.create_cq_ex = rec_create_cq_ex,
	.query_device_ex = rec_query_device_ex,
	.ibv_destroy_flow = rec_ibv_destroy_flow,
	.ibv_create_flow = rec_ibv_create_flow,
	.open_qp = rec_open_qp,
	.create_qp_ex = rec_create_qp_ex,
	.get_srq_num = rec_get_srq_num,
	.create_srq_ex = rec_create_srq_ex,
	.open_xrcd = rec_open_xrcd,
	.close_xrcd = rec_close_xrcd,
	.sz = sizeof(vctx),
	.context = {
		.ops = {
			.alloc_mw = rec_alloc_mw,
			.bind_mw = rec_bind_mw,
			.dealloc_mw = rec_dealloc_mw,
			.poll_cq = rec_poll_cq,
			.req_notify_cq = rec_req_notify_cq,
			.post_srq_recv = rec_post_srq_recv,
			.post_send = rec_post_send,
			.post_recv = rec_post_recv,
		},
	},
};

static struct ibv_context *const ctx = &vctx.context;

static struct ibv_dm dm = {
	.context = &vctx.context,
	.memcpy_to_dm = rec_memcpy_to_dm,
	.memcpy_from_dm = rec_memcpy_from_dm,
};

static struct ibv_wq wq = {
	.context = &vctx.context,
	.post_recv = rec_wq_post_recv,
};

static struct ibv_cq_ex cqx = {
	.context = &vctx.context,
	.start_poll = rec_start_poll,
	.next_poll = rec_next_poll,
	.end_poll = rec_end_poll,
	.read_opcode = rec_read_opcode,
	.read_vendor_err = rec_read_vendor_err,
	.read_byte_len = rec_read_byte_len,
	.read_imm_data = rec_read_imm_data,
	.read_qp_num = rec_read_qp_num,
	.read_src_qp = rec_read_src_qp,
	.read_wc_flags = rec_read_wc_flags,
	.read_slid = rec_read_slid,
	.read_sl = rec_read_sl,
	.read_dlid_path_bits = rec_read_dlid_path_bits,
	.read_completion_ts = rec_read_completion_ts,
	.read_cvlan = rec_read_cvlan,
	.read_flow_tag = rec_read_flow_tag,
	.read_tm_info = rec_read_tm_info,
	.read_completion_wallclock_ns = rec_read_completion_wallclock_ns,
};

static struct ibv_qp_ex qpx = {
	.qp_base = { .context = &vctx.context },
	.wr_atomic_cmp_swp = rec_wr_atomic_cmp_swp,
	.wr_atomic_fetch_add = rec_wr_atomic_fetch_add,
	.wr_bind_mw = rec_wr_bind_mw,
	.wr_local_inv = rec_wr_local_inv,
	.wr_rdma_read = rec_wr_rdma_read,
	.wr_rdma_write = rec_wr_rdma_write,
	.wr_rdma_write_imm = rec_wr_rdma_write_imm,
	.wr_send = rec_wr_send,
	.wr_send_imm = rec_wr_send_imm,
	.wr_send_inv = rec_wr_send_inv,
	.wr_send_tso = rec_wr_send_tso,
	.wr_set_ud_addr = rec_wr_set_ud_addr,
	.wr_set_xrc_srqn = rec_wr_set_xrc_srqn,
	.wr_set_inline_data = rec_wr_set_inline_data,
	.wr_set_inline_data_list = rec_wr_set_inline_data_list,
	.wr_set_sge = rec_wr_set_sge,
	.wr_set_sge_list = rec_wr_set_sge_list,
	.wr_start = rec_wr_start,
	.wr_complete = rec_wr_complete,
	.wr_abort = rec_wr_abort,
	.wr_atomic_write = rec_wr_atomic_write,
	.wr_flush = rec_wr_flush,
};

static struct ibv_pd pd = { .context = &vctx.context };
static struct ibv_td td = { .context = &vctx.context };
static struct ibv_mw mw = { .context = &vctx.context, .type = IBV_MW_TYPE_1 };
static struct ibv_cq cq = { .context = &vctx.context };
static struct ibv_srq srq = { .context = &vctx.context };
static struct ibv_xrcd xrcd = { .context = &vctx.context };
static struct ibv_rwq_ind_table table = { .context = &vctx.context };
static struct ibv_qp qp = { .context = &vctx.context };
static struct ibv_flow flow = { .context = &vctx.context };
static struct ibv_flow_action action = { .context = &vctx.context };
static struct ibv_counters counters = { .context = &vctx.context };

static void expect(const char *slot, const uintptr_t *args, size_t nr_args)
{
	size_t i;

	assert_non_null(seen.slot);
	assert_string_equal(seen.slot, slot);
	assert_int_equal(seen.nr_args, nr_args);
	for (i = 0; i < nr_args; i++)
		assert_int_equal(seen.args[i], args[i]);
}

/* Checks that the call jumps to this slot with these arguments. */
#define JUMPS(call, slot, ...)                              \
	do {                                                \
		memset(&seen, 0, sizeof(seen));             \
		call;                                       \
		expect(#slot, (uintptr_t[]){ __VA_ARGS__ }, \
		       NR_ARGS(__VA_ARGS__));               \
	} while (0)

/* The same, and checks that the call returns the result of the slot. */
#define RETURNS(call, slot, ...) \
	JUMPS(assert_int_equal(U(call), RESULT), slot, __VA_ARGS__)

/* Arguments to pass through; all of them differ. */
#define P(n) ((void *)(uintptr_t)(0x1000 + (n)))

static void dispatch_ports_and_devices_jumps_to_slots(void **state)
{
	struct ibv_device_attr_ex device;
	struct ibv_port_attr port;

	(void)state;
	RETURNS(ibv_query_port(ctx, 1, &port), query_port, U(ctx), 1, U(&port),
		sizeof(port));
	RETURNS(ibv_query_device_ex(ctx, NULL, &device), query_device_ex,
		U(ctx), 0, U(&device), sizeof(device));
	RETURNS(ibv_query_rt_values_ex(ctx, P(1)), query_rt_values, U(ctx),
		U(P(1)));
}

static void dispatch_domains_jumps_to_slots(void **state)
{
	(void)state;
	RETURNS(ibv_alloc_td(ctx, P(1)), alloc_td, U(ctx), U(P(1)));
	RETURNS(ibv_dealloc_td(&td), dealloc_td, U(&td));
	RETURNS(ibv_alloc_parent_domain(ctx, P(1)), alloc_parent_domain, U(ctx),
		U(P(1)));
	RETURNS(ibv_open_xrcd(ctx, P(1)), open_xrcd, U(ctx), U(P(1)));
	RETURNS(ibv_close_xrcd(&xrcd), close_xrcd, U(&xrcd));
}

static void dispatch_memory_jumps_to_slots(void **state)
{
	struct ibv_mw_bind bind = { .wr_id = 1 };

	(void)state;
	RETURNS(ibv_advise_mr(&pd, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE, 2, P(3),
			      4),
		advise_mr, U(&pd), IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE, 2,
		U(P(3)), 4);
	RETURNS(ibv_alloc_null_mr(&pd), alloc_null_mr, U(&pd));
	RETURNS(ibv_alloc_dm(ctx, P(1)), alloc_dm, U(ctx), U(P(1)));
	RETURNS(ibv_free_dm(&dm), free_dm, U(&dm));
	RETURNS(ibv_memcpy_to_dm(&dm, 2, P(3), 4), memcpy_to_dm, U(&dm), 2,
		U(P(3)), 4);
	RETURNS(ibv_memcpy_from_dm(P(1), &dm, 3, 4), memcpy_from_dm, U(P(1)),
		U(&dm), 3, 4);
	RETURNS(ibv_reg_dm_mr(&pd, &dm, 3, 4, 5), reg_dm_mr, U(&pd), U(&dm), 3,
		4, 5);
	RETURNS(ibv_alloc_mw(&pd, IBV_MW_TYPE_2), alloc_mw, U(&pd),
		IBV_MW_TYPE_2);
	RETURNS(ibv_dealloc_mw(&mw), dealloc_mw, U(&mw));
	RETURNS(ibv_bind_mw(P(1), &mw, &bind), bind_mw, U(P(1)), U(&mw),
		U(&bind));
}

static void dispatch_completion_queues_jumps_to_slots(void **state)
{
	(void)state;
	RETURNS(ibv_create_cq_ex(ctx, P(1)), create_cq_ex, U(ctx), U(P(1)));
	RETURNS(ibv_modify_cq(&cq, P(1)), modify_cq, U(&cq), U(P(1)));
	RETURNS(ibv_poll_cq(&cq, 2, P(3)), poll_cq, U(&cq), 2, U(P(3)));
	RETURNS(ibv_req_notify_cq(&cq, 1), req_notify_cq, U(&cq), 1);
}

static void dispatch_completion_fields_jumps_to_slots(void **state)
{
	const uintptr_t c = U(&cqx);

	(void)state;
	RETURNS(ibv_start_poll(&cqx, P(1)), start_poll, c, U(P(1)));
	RETURNS(ibv_next_poll(&cqx), next_poll, c);
	JUMPS(ibv_end_poll(&cqx), end_poll, c);
	RETURNS(ibv_wc_read_opcode(&cqx), read_opcode, c);
	RETURNS(ibv_wc_read_vendor_err(&cqx), read_vendor_err, c);
	RETURNS(ibv_wc_read_byte_len(&cqx), read_byte_len, c);
	RETURNS(ibv_wc_read_imm_data(&cqx), read_imm_data, c);
	RETURNS(ibv_wc_read_invalidated_rkey(&cqx), read_imm_data, c);
	RETURNS(ibv_wc_read_qp_num(&cqx), read_qp_num, c);
	RETURNS(ibv_wc_read_src_qp(&cqx), read_src_qp, c);
	RETURNS(ibv_wc_read_wc_flags(&cqx), read_wc_flags, c);
	RETURNS(ibv_wc_read_slid(&cqx), read_slid, c);
	RETURNS(ibv_wc_read_sl(&cqx), read_sl, c);
	RETURNS(ibv_wc_read_dlid_path_bits(&cqx), read_dlid_path_bits, c);
	RETURNS(ibv_wc_read_completion_ts(&cqx), read_completion_ts, c);
	RETURNS(ibv_wc_read_cvlan(&cqx), read_cvlan, c);
	RETURNS(ibv_wc_read_flow_tag(&cqx), read_flow_tag, c);
	JUMPS(ibv_wc_read_tm_info(&cqx, P(1)), read_tm_info, c, U(P(1)));
	RETURNS(ibv_wc_read_completion_wallclock_ns(&cqx),
		read_completion_wallclock_ns, c);
}

static void dispatch_shared_receive_queues_jumps_to_slots(void **state)
{
	struct ibv_srq_init_attr_ex attr = { .comp_mask = 0 };

	(void)state;
	RETURNS(ibv_create_srq_ex(ctx, &attr), create_srq_ex, U(ctx), U(&attr));
	RETURNS(ibv_get_srq_num(&srq, P(1)), get_srq_num, U(&srq), U(P(1)));
	RETURNS(ibv_post_srq_recv(&srq, P(1), P(2)), post_srq_recv, U(&srq),
		U(P(1)), U(P(2)));
	RETURNS(ibv_post_srq_ops(&srq, P(1), P(2)), post_srq_ops, U(&srq),
		U(P(1)), U(P(2)));
}

/* ibv_create_wq() reads the result; see inline_test.c */
static void dispatch_work_queues_jumps_to_slots(void **state)
{
	(void)state;
	RETURNS(ibv_modify_wq(&wq, P(1)), modify_wq, U(&wq), U(P(1)));
	RETURNS(ibv_destroy_wq(&wq), destroy_wq, U(&wq));
	RETURNS(ibv_post_wq_recv(&wq, P(1), P(2)), wq_post_recv, U(&wq),
		U(P(1)), U(P(2)));
	RETURNS(ibv_create_rwq_ind_table(ctx, P(1)), create_rwq_ind_table,
		U(ctx), U(P(1)));
	RETURNS(ibv_destroy_rwq_ind_table(&table), destroy_rwq_ind_table,
		U(&table));
}

static void dispatch_queue_pairs_jumps_to_slots(void **state)
{
	struct ibv_qp_init_attr_ex attr = { .comp_mask = 0 };

	(void)state;
	RETURNS(ibv_create_qp_ex(ctx, &attr), create_qp_ex, U(ctx), U(&attr));
	RETURNS(ibv_open_qp(ctx, P(1)), open_qp, U(ctx), U(P(1)));
	RETURNS(ibv_modify_qp_rate_limit(&qp, P(1)), modify_qp_rate_limit,
		U(&qp), U(P(1)));
	RETURNS(ibv_post_send(&qp, P(1), P(2)), post_send, U(&qp), U(P(1)),
		U(P(2)));
	RETURNS(ibv_post_recv(&qp, P(1), P(2)), post_recv, U(&qp), U(P(1)),
		U(P(2)));
}

static void dispatch_work_requests_jumps_to_slots(void **state)
{
	const uintptr_t q = U(&qpx);

	(void)state;
	JUMPS(ibv_wr_start(&qpx), wr_start, q);
	RETURNS(ibv_wr_complete(&qpx), wr_complete, q);
	JUMPS(ibv_wr_abort(&qpx), wr_abort, q);
	JUMPS(ibv_wr_atomic_cmp_swp(&qpx, 2, 3, 4, 5), wr_atomic_cmp_swp, q, 2,
	      3, 4, 5);
	JUMPS(ibv_wr_atomic_fetch_add(&qpx, 2, 3, 4), wr_atomic_fetch_add, q, 2,
	      3, 4);
	JUMPS(ibv_wr_atomic_write(&qpx, 2, 3, P(4)), wr_atomic_write, q, 2, 3,
	      U(P(4)));
	JUMPS(ibv_wr_bind_mw(&qpx, &mw, 3, P(4)), wr_bind_mw, q, U(&mw), 3,
	      U(P(4)));
	JUMPS(ibv_wr_flush(&qpx, 2, 3, 4, 5, 6), wr_flush, q, 2, 3, 4, 5, 6);
	JUMPS(ibv_wr_local_inv(&qpx, 2), wr_local_inv, q, 2);
	JUMPS(ibv_wr_rdma_read(&qpx, 2, 3), wr_rdma_read, q, 2, 3);
	JUMPS(ibv_wr_rdma_write(&qpx, 2, 3), wr_rdma_write, q, 2, 3);
	JUMPS(ibv_wr_rdma_write_imm(&qpx, 2, 3, 4), wr_rdma_write_imm, q, 2, 3,
	      4);
	JUMPS(ibv_wr_send(&qpx), wr_send, q);
	JUMPS(ibv_wr_send_imm(&qpx, 2), wr_send_imm, q, 2);
	JUMPS(ibv_wr_send_inv(&qpx, 2), wr_send_inv, q, 2);
	JUMPS(ibv_wr_send_tso(&qpx, P(2), 3, 4), wr_send_tso, q, U(P(2)), 3, 4);
	JUMPS(ibv_wr_set_ud_addr(&qpx, P(2), 3, 4), wr_set_ud_addr, q, U(P(2)),
	      3, 4);
	JUMPS(ibv_wr_set_xrc_srqn(&qpx, 2), wr_set_xrc_srqn, q, 2);
	JUMPS(ibv_wr_set_inline_data(&qpx, P(2), 3), wr_set_inline_data, q,
	      U(P(2)), 3);
	JUMPS(ibv_wr_set_inline_data_list(&qpx, 2, P(3)),
	      wr_set_inline_data_list, q, 2, U(P(3)));
	JUMPS(ibv_wr_set_sge(&qpx, 2, 3, 4), wr_set_sge, q, 2, 3, 4);
	JUMPS(ibv_wr_set_sge_list(&qpx, 2, P(3)), wr_set_sge_list, q, 2,
	      U(P(3)));
}

static void dispatch_flows_jumps_to_slots(void **state)
{
	(void)state;
	RETURNS(ibv_create_flow(&qp, P(1)), ibv_create_flow, U(&qp), U(P(1)));
	RETURNS(ibv_destroy_flow(&flow), ibv_destroy_flow, U(&flow));
	RETURNS(ibv_create_flow_action_esp(ctx, P(1)), create_flow_action_esp,
		U(ctx), U(P(1)));
	RETURNS(ibv_modify_flow_action_esp(&action, P(1)),
		modify_flow_action_esp, U(&action), U(P(1)));
	RETURNS(ibv_destroy_flow_action(&action), destroy_flow_action,
		U(&action));
	RETURNS(ibv_create_counters(ctx, P(1)), create_counters, U(ctx),
		U(P(1)));
	RETURNS(ibv_destroy_counters(&counters), destroy_counters,
		U(&counters));
	RETURNS(ibv_attach_counters_point_flow(&counters, P(1), &flow),
		attach_counters_point_flow, U(&counters), U(P(1)), U(&flow));
	RETURNS(ibv_read_counters(&counters, P(1), 2, 3), read_counters,
		U(&counters), U(P(1)), 2, 3);
}

/* Needed to link the fallbacks of a few functions; not called here. */
int ibv_query_device(struct ibv_context *context,
		     struct ibv_device_attr *device_attr)
{
	(void)context;
	(void)device_attr;
	abort();
}

int(ibv_query_port)(struct ibv_context *context, uint8_t port_num,
		    struct _compat_ibv_port_attr *port_attr)
{
	(void)context;
	(void)port_num;
	(void)port_attr;
	abort();
}

struct ibv_srq *ibv_create_srq(struct ibv_pd *unused_pd,
			       struct ibv_srq_init_attr *srq_init_attr)
{
	(void)unused_pd;
	(void)srq_init_attr;
	abort();
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *unused_pd,
			     struct ibv_qp_init_attr *qp_init_attr)
{
	(void)unused_pd;
	(void)qp_init_attr;
	abort();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dispatch_ports_and_devices_jumps_to_slots),
		cmocka_unit_test(dispatch_domains_jumps_to_slots),
		cmocka_unit_test(dispatch_memory_jumps_to_slots),
		cmocka_unit_test(dispatch_completion_queues_jumps_to_slots),
		cmocka_unit_test(dispatch_completion_fields_jumps_to_slots),
		cmocka_unit_test(dispatch_shared_receive_queues_jumps_to_slots),
		cmocka_unit_test(dispatch_work_queues_jumps_to_slots),
		cmocka_unit_test(dispatch_queue_pairs_jumps_to_slots),
		cmocka_unit_test(dispatch_work_requests_jumps_to_slots),
		cmocka_unit_test(dispatch_flows_jumps_to_slots),
	};

	ctx->abi_compat = __VERBS_ABI_IS_EXTENDED;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
