/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The inline functions of the verbs API. They are compiled into applications
 * and call the provider through pointers in the objects, without the library.
 * The members that they read, and their result when the device lacks an
 * operation, are therefore part of the ABI; tests/abi/ asserts both.
 *
 * A function that the device may lack behaves in one of two ways: one that
 * returns a pointer returns NULL with errno EOPNOTSUPP, one that returns int
 * returns EOPNOTSUPP and leaves errno alone. The data path checks nothing.
 *
 * Included by <infiniband/verbs.h>; the sections have the same order. A file
 * that defines one of the exported functions behind a macro (ibv_query_port,
 * ibv_reg_mr, ibv_reg_mr_iova, ibv_get_device_list) undefines the macro first.
 */
#ifndef INFINIBAND_VERBS_INLINE_H
#ifndef INFINIBAND_VERBS_H
#include <infiniband/verbs.h> /* which includes this file in its place */
#else
#define INFINIBAND_VERBS_INLINE_H

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------
 * Access to the second op table
 */

/* Does a struct of sz bytes have this member? */
#define vext_field_avail(type, fld, sz) (offsetof(type, fld) < (sz))

/* The table in front of a context, or NULL if there is none. */
static inline struct verbs_context *verbs_get_ctx(struct ibv_context *ctx)
{
	uintptr_t vctx =
		(uintptr_t)ctx - offsetof(struct verbs_context, context);

	if (ctx->abi_compat != __VERBS_ABI_IS_EXTENDED)
		return NULL;
	return (struct verbs_context *)vctx;
}

/* The same, or NULL if sz does not cover the member at this offset. */
static inline struct verbs_context *_verbs_ctx_from(struct ibv_context *ctx,
						    size_t offset)
{
	struct verbs_context *vctx = verbs_get_ctx(ctx);

	if (vctx && vctx->sz < sizeof(*vctx) - offset)
		return NULL;
	return vctx;
}

/* The same, or NULL if the member op is not covered by sz or is NULL. */
#define verbs_get_ctx_op(ctx, op)                                   \
	__extension__({                                             \
		struct verbs_context *__vctx = _verbs_ctx_from(     \
			(ctx), offsetof(struct verbs_context, op)); \
		__vctx && __vctx->op ? __vctx : NULL;               \
	})

/* For functions that return a pointer: sets errno if vctx is NULL. */
static inline struct verbs_context *
_verbs_ctx_or_errno(struct verbs_context *vctx)
{
	if (!vctx)
		errno = EOPNOTSUPP;
	return vctx;
}

/* ------------------------------------------------------------------------
 * Devices
 */

#ifdef RDMA_STATIC_PROVIDERS
/*
 * A static program names its providers when it is compiled:
 *
 *	-DRDMA_STATIC_PROVIDERS=mlx5,rxe	(or: all, none)
 *
 * Each call of ibv_get_device_list() then passes the op tables of these
 * providers to the library. The references make the linker extract the
 * providers from their archives. ibv_static_providers() exists only in
 * libibverbs.a.
 */
struct verbs_device_ops;
extern const struct verbs_device_ops verbs_provider_all, verbs_provider_none,
	verbs_provider_bnxt_re, verbs_provider_cxgb4, verbs_provider_efa,
	verbs_provider_erdma, verbs_provider_hfi1verbs, verbs_provider_hns,
	verbs_provider_ionic, verbs_provider_ipathverbs, verbs_provider_irdma,
	verbs_provider_mana, verbs_provider_mlx4, verbs_provider_mlx5,
	verbs_provider_mthca, verbs_provider_ocrdma, verbs_provider_qedr,
	verbs_provider_rxe, verbs_provider_siw, verbs_provider_uroce,
	verbs_provider_vmw_pvrdma;

/* Takes op tables up to a null pointer; the first argument is reserved. */
void ibv_static_providers(void *unused, ...);

/*
 * _VERBS_STATIC_REFS(a, b, c) expands to the references
 *
 *	&verbs_provider_a, &verbs_provider_b, &verbs_provider_c
 *
 * It counts the names, 1 to 24, and calls the macro _VERBS_REF_<count>, which
 * handles the first name and leaves the others to the macro of the next smaller
 * count. Each variadic macro gets at least one variable argument, as ISO C
 * requires before C23. A list that is too long does not compile.
 */
#define _VERBS_STATIC_REFS(...) \
	_VERBS_STATIC_CALL(_VERBS_STATIC_COUNT(__VA_ARGS__), __VA_ARGS__)
/* One level in between, so that the count is a number when it is pasted. */
#define _VERBS_STATIC_CALL(count, ...)	_VERBS_STATIC_PASTE(count, __VA_ARGS__)
#define _VERBS_STATIC_PASTE(count, ...) _VERBS_REF_##count(__VA_ARGS__)

/* The names shift the numbers to the right; the 25th argument is the count. */
#define _VERBS_STATIC_COUNT(...)                                              \
	_VERBS_STATIC_25TH(__VA_ARGS__, 24, 23, 22, 21, 20, 19, 18, 17, 16,   \
			   15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, \
			   0)
#define _VERBS_STATIC_25TH(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, \
			   r, s, t, u, v, w, x, count, ...)                   \
	count

#define _VERBS_REF_1(p)			 &verbs_provider_##p
#define _VERBS_REF_2(p, ...)		 _VERBS_REF_1(p), _VERBS_REF_1(__VA_ARGS__)
#define _VERBS_REF_3(p, ...)		 _VERBS_REF_1(p), _VERBS_REF_2(__VA_ARGS__)
#define _VERBS_REF_4(p, ...)		 _VERBS_REF_1(p), _VERBS_REF_3(__VA_ARGS__)
#define _VERBS_REF_5(p, ...)		 _VERBS_REF_1(p), _VERBS_REF_4(__VA_ARGS__)
#define _VERBS_REF_6(p, ...)		 _VERBS_REF_1(p), _VERBS_REF_5(__VA_ARGS__)
#define _VERBS_REF_7(p, ...)		 _VERBS_REF_1(p), _VERBS_REF_6(__VA_ARGS__)
#define _VERBS_REF_8(p, ...)		 _VERBS_REF_1(p), _VERBS_REF_7(__VA_ARGS__)
#define _VERBS_REF_9(p, ...)		 _VERBS_REF_1(p), _VERBS_REF_8(__VA_ARGS__)
#define _VERBS_REF_10(p, ...)		 _VERBS_REF_1(p), _VERBS_REF_9(__VA_ARGS__)
#define _VERBS_REF_11(p, ...)		 _VERBS_REF_1(p), _VERBS_REF_10(__VA_ARGS__)
#define _VERBS_REF_12(p, ...)		 _VERBS_REF_1(p), _VERBS_REF_11(__VA_ARGS__)
#define _VERBS_REF_13(p, ...)		 _VERBS_REF_1(p), _VERBS_REF_12(__VA_ARGS__)
#define _VERBS_REF_14(p, ...)		 _VERBS_REF_1(p), _VERBS_REF_13(__VA_ARGS__)
#define _VERBS_REF_15(p, ...)		 _VERBS_REF_1(p), _VERBS_REF_14(__VA_ARGS__)
#define _VERBS_REF_16(p, ...)		 _VERBS_REF_1(p), _VERBS_REF_15(__VA_ARGS__)
#define _VERBS_REF_17(p, ...)		 _VERBS_REF_1(p), _VERBS_REF_16(__VA_ARGS__)
#define _VERBS_REF_18(p, ...)		 _VERBS_REF_1(p), _VERBS_REF_17(__VA_ARGS__)
#define _VERBS_REF_19(p, ...)		 _VERBS_REF_1(p), _VERBS_REF_18(__VA_ARGS__)
#define _VERBS_REF_20(p, ...)		 _VERBS_REF_1(p), _VERBS_REF_19(__VA_ARGS__)
#define _VERBS_REF_21(p, ...)		 _VERBS_REF_1(p), _VERBS_REF_20(__VA_ARGS__)
#define _VERBS_REF_22(p, ...)		 _VERBS_REF_1(p), _VERBS_REF_21(__VA_ARGS__)
#define _VERBS_REF_23(p, ...)		 _VERBS_REF_1(p), _VERBS_REF_22(__VA_ARGS__)
#define _VERBS_REF_24(p, ...)		 _VERBS_REF_1(p), _VERBS_REF_23(__VA_ARGS__)

static inline struct ibv_device **__ibv_get_device_list(int *num_devices)
{
	ibv_static_providers(NULL, _VERBS_STATIC_REFS(RDMA_STATIC_PROVIDERS),
			     (void *)NULL);
	return ibv_get_device_list(num_devices);
}
#define ibv_get_device_list(num_devices) __ibv_get_device_list(num_devices)
#endif

/* ------------------------------------------------------------------------
 * Contexts
 */

/* All attributes of a device; unknown ones are 0. */
static inline int
ibv_query_device_ex(struct ibv_context *context,
		    const struct ibv_query_device_ex_input *input,
		    struct ibv_device_attr_ex *attr)
{
	struct verbs_context *vctx;
	int ret = EOPNOTSUPP;

	if (input && input->comp_mask)
		return EINVAL;

	vctx = verbs_get_ctx_op(context, query_device_ex);
	if (vctx)
		ret = vctx->query_device_ex(context, input, attr,
					    sizeof(*attr));
	if (ret != EOPNOTSUPP && ret != ENOSYS)
		return ret;

	/* the basic attributes are always available */
	memset(attr, 0, sizeof(*attr));
	return ibv_query_device(context, &attr->orig_attr);
}

/* Values that change all the time, such as the clock of the device. */
static inline int ibv_query_rt_values_ex(struct ibv_context *context,
					 struct ibv_values_ex *values)
{
	struct verbs_context *vctx = verbs_get_ctx_op(context, query_rt_values);

	return vctx ? vctx->query_rt_values(context, values) : EOPNOTSUPP;
}

/* Is this QP type in the mask caps (supported_qpts)? 0 or 1. */
static inline int ibv_is_qpt_supported(uint32_t caps, enum ibv_qp_type qpt)
{
	unsigned int bit = (unsigned int)qpt;

	return bit < 32 && (caps >> bit & 1);
}

/* ------------------------------------------------------------------------
 * Ports
 */

/* State of a port. Passes the size of the caller's struct to the library. */
static inline int ___ibv_query_port(struct ibv_context *context,
				    uint8_t port_num,
				    struct ibv_port_attr *port_attr)
{
	struct verbs_context *vctx = verbs_get_ctx_op(context, query_port);

	if (vctx)
		return vctx->query_port(context, port_num, port_attr,
					sizeof(*port_attr));

	memset(port_attr, 0, sizeof(*port_attr));
	return ibv_query_port(context, port_num,
			      (struct _compat_ibv_port_attr *)port_attr);
}
#define ibv_query_port(context, port_num, port_attr) \
	___ibv_query_port(context, port_num, port_attr)

/* ------------------------------------------------------------------------
 * GIDs
 */

/* One entry of the GID table of a port. flags is 0. */
static inline int ibv_query_gid_ex(struct ibv_context *context,
				   uint32_t port_num, uint32_t gid_index,
				   struct ibv_gid_entry *entry, uint32_t flags)
{
	return _ibv_query_gid_ex(context, port_num, gid_index, entry, flags,
				 sizeof(*entry));
}

/* The valid entries of all ports: their number, or -errno. flags is 0. */
static inline ssize_t ibv_query_gid_table(struct ibv_context *context,
					  struct ibv_gid_entry *entries,
					  size_t max_entries, uint32_t flags)
{
	return _ibv_query_gid_table(context, entries, max_entries, flags,
				    sizeof(*entries));
}

/* ------------------------------------------------------------------------
 * Protection domains, thread domains, parent domains
 */

static inline struct ibv_td *ibv_alloc_td(struct ibv_context *context,
					  struct ibv_td_init_attr *init_attr)
{
	struct verbs_context *vctx =
		_verbs_ctx_or_errno(verbs_get_ctx_op(context, alloc_td));

	return vctx ? vctx->alloc_td(context, init_attr) : NULL;
}

static inline int ibv_dealloc_td(struct ibv_td *td)
{
	struct verbs_context *vctx = verbs_get_ctx_op(td->context, dealloc_td);

	return vctx ? vctx->dealloc_td(td) : EOPNOTSUPP;
}

/* Freed by ibv_dealloc_pd(). */
static inline struct ibv_pd *
ibv_alloc_parent_domain(struct ibv_context *context,
			struct ibv_parent_domain_init_attr *attr)
{
	struct verbs_context *vctx = _verbs_ctx_or_errno(
		verbs_get_ctx_op(context, alloc_parent_domain));

	return vctx ? vctx->alloc_parent_domain(context, attr) : NULL;
}

/* ------------------------------------------------------------------------
 * Memory regions
 *
 * The exported functions ibv_reg_mr() and ibv_reg_mr_iova() do not support
 * optional access flags; ibv_reg_mr_iova2() does. If the flags are constant and
 * none is optional, the macro calls the old function, so that the program also
 * runs with old libraries.
 */

/* access_known: whether any optional flag is set is a constant. */
__attribute__((__always_inline__)) static inline struct ibv_mr *
__ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, unsigned int access,
	     int access_known)
{
	if (!access_known || (access & IBV_ACCESS_OPTIONAL_RANGE))
		return ibv_reg_mr_iova2(pd, addr, length, (uintptr_t)addr,
					access);
	return ibv_reg_mr(pd, addr, length, (int)access);
}
#define ibv_reg_mr(pd, addr, length, access)                           \
	__ibv_reg_mr(pd, addr, length, (unsigned int)(access),         \
		     __builtin_constant_p((IBV_ACCESS_OPTIONAL_RANGE & \
					   (int)(access)) == 0))

__attribute__((__always_inline__)) static inline struct ibv_mr *
__ibv_reg_mr_iova(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
		  unsigned int access, int access_known)
{
	if (!access_known || (access & IBV_ACCESS_OPTIONAL_RANGE))
		return ibv_reg_mr_iova2(pd, addr, length, iova, access);
	return ibv_reg_mr_iova(pd, addr, length, iova, (int)access);
}
#define ibv_reg_mr_iova(pd, addr, length, iova, access)                     \
	__ibv_reg_mr_iova(pd, addr, length, iova, (unsigned int)(access),   \
			  __builtin_constant_p((IBV_ACCESS_OPTIONAL_RANGE & \
						(access)) == 0))

/* Advise the device of the intended use of memory. */
static inline int ibv_advise_mr(struct ibv_pd *pd,
				enum ibv_advise_mr_advice advice,
				uint32_t flags, struct ibv_sge *sg_list,
				uint32_t num_sge)
{
	struct verbs_context *vctx = verbs_get_ctx_op(pd->context, advise_mr);

	return vctx ? vctx->advise_mr(pd, advice, flags, sg_list, num_sge)
		    : EOPNOTSUPP;
}

/* A region for local use: writes are discarded, reads return 0. */
static inline struct ibv_mr *ibv_alloc_null_mr(struct ibv_pd *pd)
{
	struct verbs_context *vctx = _verbs_ctx_or_errno(
		verbs_get_ctx_op(pd->context, alloc_null_mr));

	return vctx ? vctx->alloc_null_mr(pd) : NULL;
}

/* ------------------------------------------------------------------------
 * Device memory
 */

static inline struct ibv_dm *ibv_alloc_dm(struct ibv_context *context,
					  struct ibv_alloc_dm_attr *attr)
{
	struct verbs_context *vctx =
		_verbs_ctx_or_errno(verbs_get_ctx_op(context, alloc_dm));

	return vctx ? vctx->alloc_dm(context, attr) : NULL;
}

static inline int ibv_free_dm(struct ibv_dm *dm)
{
	struct verbs_context *vctx = verbs_get_ctx_op(dm->context, free_dm);

	return vctx ? vctx->free_dm(dm) : EOPNOTSUPP;
}

static inline int ibv_memcpy_to_dm(struct ibv_dm *dm, uint64_t dm_offset,
				   const void *host_addr, size_t length)
{
	return dm->memcpy_to_dm(dm, dm_offset, host_addr, length);
}

static inline int ibv_memcpy_from_dm(void *host_addr, struct ibv_dm *dm,
				     uint64_t dm_offset, size_t length)
{
	return dm->memcpy_from_dm(host_addr, dm, dm_offset, length);
}

/* Register a part of it; access includes IBV_ACCESS_ZERO_BASED. */
static inline struct ibv_mr *ibv_reg_dm_mr(struct ibv_pd *pd, struct ibv_dm *dm,
					   uint64_t dm_offset, size_t length,
					   unsigned int access)
{
	struct verbs_context *vctx =
		_verbs_ctx_or_errno(verbs_get_ctx_op(pd->context, reg_dm_mr));

	return vctx ? vctx->reg_dm_mr(pd, dm, dm_offset, length, access) : NULL;
}

/* ------------------------------------------------------------------------
 * Memory windows
 */

static inline struct ibv_mw *ibv_alloc_mw(struct ibv_pd *pd,
					  enum ibv_mw_type type)
{
	if (!pd->context->ops.alloc_mw) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	return pd->context->ops.alloc_mw(pd, type);
}

static inline int ibv_dealloc_mw(struct ibv_mw *mw)
{
	return mw->context->ops.dealloc_mw(mw);
}

/* The next key of a window: the application increments the low byte. */
static inline uint32_t ibv_inc_rkey(uint32_t rkey)
{
	return (rkey & 0xffffff00) | ((rkey + 1) & 0xff);
}

/* Bind a type 1 window. */
static inline int ibv_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw,
			      struct ibv_mw_bind *mw_bind)
{
	const struct ibv_mw_bind_info *info = &mw_bind->bind_info;

	if (mw->type != IBV_MW_TYPE_1)
		return EINVAL;
	if (!info->mr && (info->addr || info->length))
		return EINVAL;
	if (info->mr && info->mr->pd != mw->pd)
		return EPERM;
	return mw->context->ops.bind_mw(qp, mw, mw_bind);
}

/* ------------------------------------------------------------------------
 * Address handles
 */

/* The UDP source port of RoCE v2 packets that have this flow label. */
static inline uint16_t ibv_flow_label_to_udp_sport(uint32_t fl)
{
	uint32_t folded = (fl & 0x3fff) ^ ((fl & 0xfc000) >> 14);

	return (uint16_t)(folded | IB_ROCE_UDP_ENCAP_VALID_PORT_MIN);
}

/* ------------------------------------------------------------------------
 * Completion queues
 */

/* Poll up to num_entries completions; their number, or a negative error. */
static inline int ibv_poll_cq(struct ibv_cq *cq, int num_entries,
			      struct ibv_wc *wc)
{
	return cq->context->ops.poll_cq(cq, num_entries, wc);
}

/* Request an event for the next (or the next solicited) completion. */
static inline int ibv_req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
	return cq->context->ops.req_notify_cq(cq, solicited_only);
}

static inline int ibv_modify_cq(struct ibv_cq *cq,
				struct ibv_modify_cq_attr *attr)
{
	struct verbs_context *vctx = verbs_get_ctx_op(cq->context, modify_cq);

	return vctx ? vctx->modify_cq(cq, attr) : EOPNOTSUPP;
}

/* A CQ with a read function per field. Freed by ibv_destroy_cq(). */
static inline struct ibv_cq_ex *
ibv_create_cq_ex(struct ibv_context *context,
		 struct ibv_cq_init_attr_ex *cq_attr)
{
	struct verbs_context *vctx =
		_verbs_ctx_or_errno(verbs_get_ctx_op(context, create_cq_ex));

	return vctx ? vctx->create_cq_ex(context, cq_attr) : NULL;
}

/* The same CQ for functions that take a struct ibv_cq. */
static inline struct ibv_cq *ibv_cq_ex_to_cq(struct ibv_cq_ex *cq)
{
	return (struct ibv_cq *)cq;
}

/* Move to the first completion: 0, ENOENT if there is none, or an error. */
static inline int ibv_start_poll(struct ibv_cq_ex *cq,
				 struct ibv_poll_cq_attr *attr)
{
	return cq->start_poll(cq, attr);
}

/* Move to the next completion; ENOENT if there is none. */
static inline int ibv_next_poll(struct ibv_cq_ex *cq)
{
	return cq->next_poll(cq);
}

/* Finish polling after a successful ibv_start_poll(). */
static inline void ibv_end_poll(struct ibv_cq_ex *cq)
{
	cq->end_poll(cq);
}

/* Fields of the current completion that wc_flags requested. */

static inline enum ibv_wc_opcode ibv_wc_read_opcode(struct ibv_cq_ex *cq)
{
	return cq->read_opcode(cq);
}

static inline uint32_t ibv_wc_read_vendor_err(struct ibv_cq_ex *cq)
{
	return cq->read_vendor_err(cq);
}

static inline uint32_t ibv_wc_read_byte_len(struct ibv_cq_ex *cq)
{
	return cq->read_byte_len(cq);
}

static inline __be32 ibv_wc_read_imm_data(struct ibv_cq_ex *cq)
{
	return cq->read_imm_data(cq);
}

/* Shares its place with the immediate data; in host order. */
static inline uint32_t ibv_wc_read_invalidated_rkey(struct ibv_cq_ex *cq)
{
#ifdef __CHECKER__
	return (__attribute__((force)) uint32_t)cq->read_imm_data(cq);
#else
	return cq->read_imm_data(cq);
#endif
}

static inline uint32_t ibv_wc_read_qp_num(struct ibv_cq_ex *cq)
{
	return cq->read_qp_num(cq);
}

static inline uint32_t ibv_wc_read_src_qp(struct ibv_cq_ex *cq)
{
	return cq->read_src_qp(cq);
}

static inline unsigned int ibv_wc_read_wc_flags(struct ibv_cq_ex *cq)
{
	return cq->read_wc_flags(cq);
}

static inline uint32_t ibv_wc_read_slid(struct ibv_cq_ex *cq)
{
	return cq->read_slid(cq);
}

static inline uint8_t ibv_wc_read_sl(struct ibv_cq_ex *cq)
{
	return cq->read_sl(cq);
}

static inline uint8_t ibv_wc_read_dlid_path_bits(struct ibv_cq_ex *cq)
{
	return cq->read_dlid_path_bits(cq);
}

/* In cycles of the device's clock. */
static inline uint64_t ibv_wc_read_completion_ts(struct ibv_cq_ex *cq)
{
	return cq->read_completion_ts(cq);
}

/* In nanoseconds since 1970. */
static inline uint64_t ibv_wc_read_completion_wallclock_ns(struct ibv_cq_ex *cq)
{
	return cq->read_completion_wallclock_ns(cq);
}

static inline uint16_t ibv_wc_read_cvlan(struct ibv_cq_ex *cq)
{
	return cq->read_cvlan(cq);
}

static inline uint32_t ibv_wc_read_flow_tag(struct ibv_cq_ex *cq)
{
	return cq->read_flow_tag(cq);
}

static inline void ibv_wc_read_tm_info(struct ibv_cq_ex *cq,
				       struct ibv_wc_tm_info *tm_info)
{
	cq->read_tm_info(cq, tm_info);
}

/* ------------------------------------------------------------------------
 * Shared receive queues
 */

/* An SRQ of any type; a basic one through ibv_create_srq(). */
static inline struct ibv_srq *
ibv_create_srq_ex(struct ibv_context *context,
		  struct ibv_srq_init_attr_ex *srq_init_attr_ex)
{
	const uint32_t basic = IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_TYPE;
	uint32_t mask = srq_init_attr_ex->comp_mask;
	struct verbs_context *vctx;

	if ((mask & IBV_SRQ_INIT_ATTR_PD) && !(mask & ~basic) &&
	    (!(mask & IBV_SRQ_INIT_ATTR_TYPE) ||
	     srq_init_attr_ex->srq_type == IBV_SRQT_BASIC))
		return ibv_create_srq(
			srq_init_attr_ex->pd,
			(struct ibv_srq_init_attr *)srq_init_attr_ex);

	vctx = _verbs_ctx_or_errno(verbs_get_ctx_op(context, create_srq_ex));
	return vctx ? vctx->create_srq_ex(context, srq_init_attr_ex) : NULL;
}

/* Number of an XRC SRQ, for the sender. */
static inline int ibv_get_srq_num(struct ibv_srq *srq, uint32_t *srq_num)
{
	struct verbs_context *vctx =
		verbs_get_ctx_op(srq->context, get_srq_num);

	return vctx ? vctx->get_srq_num(srq, srq_num) : EOPNOTSUPP;
}

/* On failure *bad_recv_wr is the first request that was not posted. */
static inline int ibv_post_srq_recv(struct ibv_srq *srq,
				    struct ibv_recv_wr *recv_wr,
				    struct ibv_recv_wr **bad_recv_wr)
{
	return srq->context->ops.post_srq_recv(srq, recv_wr, bad_recv_wr);
}

/* Change the tag list. On failure *bad_op is the first not posted. */
static inline int ibv_post_srq_ops(struct ibv_srq *srq, struct ibv_ops_wr *op,
				   struct ibv_ops_wr **bad_op)
{
	struct verbs_context *vctx =
		verbs_get_ctx_op(srq->context, post_srq_ops);

	if (!vctx) {
		*bad_op = op;
		return EOPNOTSUPP;
	}
	return vctx->post_srq_ops(srq, op, bad_op);
}

/* ------------------------------------------------------------------------
 * XRC domains
 */

static inline struct ibv_xrcd *
ibv_open_xrcd(struct ibv_context *context,
	      struct ibv_xrcd_init_attr *xrcd_init_attr)
{
	struct verbs_context *vctx =
		_verbs_ctx_or_errno(verbs_get_ctx_op(context, open_xrcd));

	return vctx ? vctx->open_xrcd(context, xrcd_init_attr) : NULL;
}

static inline int ibv_close_xrcd(struct ibv_xrcd *xrcd)
{
	struct verbs_context *vctx =
		verbs_get_ctx_op(xrcd->context, close_xrcd);

	return vctx ? vctx->close_xrcd(xrcd) : EOPNOTSUPP;
}

/* ------------------------------------------------------------------------
 * Work queues and indirection tables
 */

/* Initialises members whose size depends on the application's C library. */
static inline struct ibv_wq *
ibv_create_wq(struct ibv_context *context,
	      struct ibv_wq_init_attr *wq_init_attr)
{
	struct verbs_context *vctx =
		_verbs_ctx_or_errno(verbs_get_ctx_op(context, create_wq));
	struct ibv_wq *wq = vctx ? vctx->create_wq(context, wq_init_attr)
				 : NULL;

	if (!wq)
		return NULL;

	wq->wq_context = wq_init_attr->wq_context;
	wq->events_completed = 0;
	pthread_mutex_init(&wq->mutex, NULL);
	pthread_cond_init(&wq->cond, NULL);
	return wq;
}

static inline int ibv_modify_wq(struct ibv_wq *wq, struct ibv_wq_attr *wq_attr)
{
	struct verbs_context *vctx = verbs_get_ctx_op(wq->context, modify_wq);

	return vctx ? vctx->modify_wq(wq, wq_attr) : EOPNOTSUPP;
}

/* Free it, once all its events are acknowledged. EBUSY while a table uses it.
 */
static inline int ibv_destroy_wq(struct ibv_wq *wq)
{
	struct verbs_context *vctx = verbs_get_ctx_op(wq->context, destroy_wq);

	return vctx ? vctx->destroy_wq(wq) : EOPNOTSUPP;
}

static inline int ibv_post_wq_recv(struct ibv_wq *wq,
				   struct ibv_recv_wr *recv_wr,
				   struct ibv_recv_wr **bad_recv_wr)
{
	return wq->post_recv(wq, recv_wr, bad_recv_wr);
}

static inline struct ibv_rwq_ind_table *
ibv_create_rwq_ind_table(struct ibv_context *context,
			 struct ibv_rwq_ind_table_init_attr *init_attr)
{
	struct verbs_context *vctx = _verbs_ctx_or_errno(
		verbs_get_ctx_op(context, create_rwq_ind_table));

	return vctx ? vctx->create_rwq_ind_table(context, init_attr) : NULL;
}

static inline int
ibv_destroy_rwq_ind_table(struct ibv_rwq_ind_table *rwq_ind_table)
{
	struct verbs_context *vctx =
		verbs_get_ctx_op(rwq_ind_table->context, destroy_rwq_ind_table);

	return vctx ? vctx->destroy_rwq_ind_table(rwq_ind_table) : EOPNOTSUPP;
}

/* ------------------------------------------------------------------------
 * Queue pairs
 */

/* A QP of any kind; if only a PD is given, through ibv_create_qp(). */
static inline struct ibv_qp *
ibv_create_qp_ex(struct ibv_context *context,
		 struct ibv_qp_init_attr_ex *qp_init_attr_ex)
{
	struct verbs_context *vctx;

	if (qp_init_attr_ex->comp_mask == IBV_QP_INIT_ATTR_PD)
		return ibv_create_qp(
			qp_init_attr_ex->pd,
			(struct ibv_qp_init_attr *)qp_init_attr_ex);

	vctx = _verbs_ctx_or_errno(verbs_get_ctx_op(context, create_qp_ex));
	return vctx ? vctx->create_qp_ex(context, qp_init_attr_ex) : NULL;
}

static inline struct ibv_qp *ibv_open_qp(struct ibv_context *context,
					 struct ibv_qp_open_attr *qp_open_attr)
{
	struct verbs_context *vctx =
		_verbs_ctx_or_errno(verbs_get_ctx_op(context, open_qp));

	return vctx ? vctx->open_qp(context, qp_open_attr) : NULL;
}

static inline int ibv_modify_qp_rate_limit(struct ibv_qp *qp,
					   struct ibv_qp_rate_limit_attr *attr)
{
	struct verbs_context *vctx =
		verbs_get_ctx_op(qp->context, modify_qp_rate_limit);

	return vctx ? vctx->modify_qp_rate_limit(qp, attr) : EOPNOTSUPP;
}

/* On failure *bad_wr is the first request that was not posted. */
static inline int ibv_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
				struct ibv_send_wr **bad_wr)
{
	return qp->context->ops.post_send(qp, wr, bad_wr);
}

static inline int ibv_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr,
				struct ibv_recv_wr **bad_wr)
{
	return qp->context->ops.post_recv(qp, wr, bad_wr);
}

/*
 * Work requests built by function calls: ibv_wr_start(), then for each request
 * set wr_id and wr_flags, call one function that begins it and one or more that
 * complete it. At the end, ibv_wr_complete() posts all of them or none.
 */

/* Takes a lock until complete or abort. */
static inline void ibv_wr_start(struct ibv_qp_ex *qp)
{
	qp->wr_start(qp);
}

/* Post the requests; 0 or the first error in them. */
static inline int ibv_wr_complete(struct ibv_qp_ex *qp)
{
	return qp->wr_complete(qp);
}

/* Discard the requests. */
static inline void ibv_wr_abort(struct ibv_qp_ex *qp)
{
	qp->wr_abort(qp);
}

static inline void ibv_wr_atomic_cmp_swp(struct ibv_qp_ex *qp, uint32_t rkey,
					 uint64_t remote_addr, uint64_t compare,
					 uint64_t swap)
{
	qp->wr_atomic_cmp_swp(qp, rkey, remote_addr, compare, swap);
}

static inline void ibv_wr_atomic_fetch_add(struct ibv_qp_ex *qp, uint32_t rkey,
					   uint64_t remote_addr, uint64_t add)
{
	qp->wr_atomic_fetch_add(qp, rkey, remote_addr, add);
}

/* atomic_wr: 8 bytes, copied. */
static inline void ibv_wr_atomic_write(struct ibv_qp_ex *qp, uint32_t rkey,
				       uint64_t remote_addr,
				       const void *atomic_wr)
{
	qp->wr_atomic_write(qp, rkey, remote_addr, atomic_wr);
}

static inline void ibv_wr_bind_mw(struct ibv_qp_ex *qp, struct ibv_mw *mw,
				  uint32_t rkey,
				  const struct ibv_mw_bind_info *bind_info)
{
	qp->wr_bind_mw(qp, mw, rkey, bind_info);
}

/* type: enum ibv_placement_type; level: enum ibv_selectivity_level. */
static inline void ibv_wr_flush(struct ibv_qp_ex *qp, uint32_t rkey,
				uint64_t remote_addr, size_t len, uint8_t type,
				uint8_t level)
{
	qp->wr_flush(qp, rkey, remote_addr, len, type, level);
}

static inline void ibv_wr_local_inv(struct ibv_qp_ex *qp,
				    uint32_t invalidate_rkey)
{
	qp->wr_local_inv(qp, invalidate_rkey);
}

static inline void ibv_wr_rdma_read(struct ibv_qp_ex *qp, uint32_t rkey,
				    uint64_t remote_addr)
{
	qp->wr_rdma_read(qp, rkey, remote_addr);
}

static inline void ibv_wr_rdma_write(struct ibv_qp_ex *qp, uint32_t rkey,
				     uint64_t remote_addr)
{
	qp->wr_rdma_write(qp, rkey, remote_addr);
}

static inline void ibv_wr_rdma_write_imm(struct ibv_qp_ex *qp, uint32_t rkey,
					 uint64_t remote_addr, __be32 imm_data)
{
	qp->wr_rdma_write_imm(qp, rkey, remote_addr, imm_data);
}

static inline void ibv_wr_send(struct ibv_qp_ex *qp)
{
	qp->wr_send(qp);
}

static inline void ibv_wr_send_imm(struct ibv_qp_ex *qp, __be32 imm_data)
{
	qp->wr_send_imm(qp, imm_data);
}

static inline void ibv_wr_send_inv(struct ibv_qp_ex *qp,
				   uint32_t invalidate_rkey)
{
	qp->wr_send_inv(qp, invalidate_rkey);
}

static inline void ibv_wr_send_tso(struct ibv_qp_ex *qp, void *hdr,
				   uint16_t hdr_sz, uint16_t mss)
{
	qp->wr_send_tso(qp, hdr, hdr_sz, mss);
}

static inline void ibv_wr_set_ud_addr(struct ibv_qp_ex *qp, struct ibv_ah *ah,
				      uint32_t remote_qpn, uint32_t remote_qkey)
{
	qp->wr_set_ud_addr(qp, ah, remote_qpn, remote_qkey);
}

static inline void ibv_wr_set_xrc_srqn(struct ibv_qp_ex *qp,
				       uint32_t remote_srqn)
{
	qp->wr_set_xrc_srqn(qp, remote_srqn);
}

static inline void ibv_wr_set_inline_data(struct ibv_qp_ex *qp, void *addr,
					  size_t length)
{
	qp->wr_set_inline_data(qp, addr, length);
}

static inline void
ibv_wr_set_inline_data_list(struct ibv_qp_ex *qp, size_t num_buf,
			    const struct ibv_data_buf *buf_list)
{
	qp->wr_set_inline_data_list(qp, num_buf, buf_list);
}

static inline void ibv_wr_set_sge(struct ibv_qp_ex *qp, uint32_t lkey,
				  uint64_t addr, uint32_t length)
{
	qp->wr_set_sge(qp, lkey, addr, length);
}

static inline void ibv_wr_set_sge_list(struct ibv_qp_ex *qp, size_t num_sge,
				       const struct ibv_sge *sg_list)
{
	qp->wr_set_sge_list(qp, num_sge, sg_list);
}

/* ------------------------------------------------------------------------
 * Completion counters
 */

static inline int ibv_query_comp_cntr_caps(struct ibv_context *context,
					   struct ibv_comp_cntr_caps *caps)
{
	return _ibv_query_comp_cntr_caps(context, caps, sizeof(*caps));
}

/* ------------------------------------------------------------------------
 * Flow steering
 */

static inline struct ibv_flow *ibv_create_flow(struct ibv_qp *qp,
					       struct ibv_flow_attr *flow)
{
	struct verbs_context *vctx = _verbs_ctx_or_errno(
		verbs_get_ctx_op(qp->context, ibv_create_flow));

	return vctx ? vctx->ibv_create_flow(qp, flow) : NULL;
}

static inline int ibv_destroy_flow(struct ibv_flow *flow_id)
{
	struct verbs_context *vctx =
		verbs_get_ctx_op(flow_id->context, ibv_destroy_flow);

	return vctx ? vctx->ibv_destroy_flow(flow_id) : EOPNOTSUPP;
}

/* ------------------------------------------------------------------------
 * Flow actions
 */

static inline struct ibv_flow_action *
ibv_create_flow_action_esp(struct ibv_context *ctx,
			   struct ibv_flow_action_esp_attr *esp)
{
	struct verbs_context *vctx = _verbs_ctx_or_errno(
		verbs_get_ctx_op(ctx, create_flow_action_esp));

	return vctx ? vctx->create_flow_action_esp(ctx, esp) : NULL;
}

static inline int
ibv_modify_flow_action_esp(struct ibv_flow_action *action,
			   struct ibv_flow_action_esp_attr *esp)
{
	struct verbs_context *vctx =
		verbs_get_ctx_op(action->context, modify_flow_action_esp);

	return vctx ? vctx->modify_flow_action_esp(action, esp) : EOPNOTSUPP;
}

static inline int ibv_destroy_flow_action(struct ibv_flow_action *action)
{
	struct verbs_context *vctx =
		verbs_get_ctx_op(action->context, destroy_flow_action);

	return vctx ? vctx->destroy_flow_action(action) : EOPNOTSUPP;
}

/* ------------------------------------------------------------------------
 * Flow counters
 */

static inline struct ibv_counters *
ibv_create_counters(struct ibv_context *context,
		    struct ibv_counters_init_attr *init_attr)
{
	struct verbs_context *vctx =
		_verbs_ctx_or_errno(verbs_get_ctx_op(context, create_counters));

	return vctx ? vctx->create_counters(context, init_attr) : NULL;
}

static inline int ibv_destroy_counters(struct ibv_counters *counters)
{
	struct verbs_context *vctx =
		verbs_get_ctx_op(counters->context, destroy_counters);

	return vctx ? vctx->destroy_counters(counters) : EOPNOTSUPP;
}

static inline int
ibv_attach_counters_point_flow(struct ibv_counters *counters,
			       struct ibv_counter_attach_attr *attr,
			       struct ibv_flow *flow)
{
	struct verbs_context *vctx =
		verbs_get_ctx_op(counters->context, attach_counters_point_flow);

	return vctx ? vctx->attach_counters_point_flow(counters, attr, flow)
		    : EOPNOTSUPP;
}

/* flags: enum ibv_read_counters_flags. */
static inline int ibv_read_counters(struct ibv_counters *counters,
				    uint64_t *counters_value,
				    uint32_t ncounters, uint32_t flags)
{
	struct verbs_context *vctx =
		verbs_get_ctx_op(counters->context, read_counters);

	return vctx ? vctx->read_counters(counters, counters_value, ncounters,
					  flags)
		    : EOPNOTSUPP;
}

#ifdef __cplusplus
}
#endif

#endif /* INFINIBAND_VERBS_H */
#endif /* INFINIBAND_VERBS_INLINE_H */
