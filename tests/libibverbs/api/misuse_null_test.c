/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Missing objects: the result is EINVAL in the convention of the function.
 * Functions without a result do nothing. misuse_attr_test.c tests the other
 * arguments. (An inline function reads its first argument in the application,
 * before the library is called.)
 */
#include <fcntl.h>
#include <infiniband/verbs.h>

#include "api/marshall.h"
#include "api/sysfs.h"
#include "libibverbs/api/api_fixture.h"

#define NOTHING NULL

/* Exported, but not declared in a header. */
int ibv_dontfork_range(void *base, size_t size);
int ibv_dofork_range(void *base, size_t size);

static void misuse_null_device_is_rejected(void **state)
{
	assert_null(ibv_get_device_name(NOTHING));
	assert_int_equal(ibv_get_device_guid(NOTHING), 0);
	assert_int_equal(ibv_get_device_index(NOTHING), -1);
	ASSERT_NULL(ibv_open_device(NOTHING), EINVAL);
	ASSERT_MINUS1(ibv_close_device(NOTHING), EINVAL);
}

static void misuse_null_context_is_rejected(void **state)
{
	struct ibv_comp_cntr_init_attr cntr = {};
	struct ibv_device_attr device_attr;
	struct _compat_ibv_port_attr *port_attr = (void *)&device_attr;
	struct ibv_comp_cntr_caps caps;
	struct ibv_gid_entry entry;
	struct ibv_ah_attr ah = {};
	struct ibv_wc wc = {};
	union ibv_gid gid;
	uint64_t speed;
	uint8_t mac[ETHERNET_LL_SIZE];
	__be16 pkey;

	ASSERT_MINUS1(ibv_init_ah_from_wc(NOTHING, 1, &wc, NOTHING, &ah),
		      EINVAL);
	ASSERT_MINUS1(ibv_resolve_eth_l2_from_gid(NOTHING, &ah, mac, NOTHING),
		      EINVAL);
	ASSERT_ERRNO(ibv_query_device(NOTHING, &device_attr), EINVAL);
	ASSERT_ERRNO((ibv_query_port)(NOTHING, 1, port_attr), EINVAL);
	ASSERT_ERRNO(ibv_query_port_speed(NOTHING, 1, &speed), EINVAL);
	ASSERT_MINUS1(ibv_query_pkey(NOTHING, 1, 0, &pkey), EINVAL);
	ASSERT_MINUS1(ibv_get_pkey_index(NOTHING, 1, 0), EINVAL);
	ASSERT_MINUS1(ibv_query_gid(NOTHING, 1, 0, &gid), EINVAL);
	ASSERT_ERRNO(ibv_query_gid_ex(NOTHING, 1, 0, &entry, 0), EINVAL);
	assert_int_equal(ibv_query_gid_table(NOTHING, &entry, 1, 0), -EINVAL);
	ASSERT_NULL(ibv_create_comp_channel(NOTHING), EINVAL);
	ASSERT_NULL(ibv_create_cq(NOTHING, 1, NULL, NULL, 0), EINVAL);
	ASSERT_NULL(ibv_alloc_pd(NOTHING), EINVAL);
	ASSERT_NULL(ibv_import_pd(NOTHING, 1), EINVAL);
	ASSERT_NULL(ibv_import_dm(NOTHING, 1), EINVAL);
	ASSERT_NULL(ibv_create_comp_cntr(NOTHING, &cntr), EINVAL);
	ASSERT_ERRNO(ibv_query_comp_cntr_caps(NOTHING, &caps), EINVAL);
}

static void misuse_null_pd_is_rejected(void **state)
{
	struct ibv_mr_init_attr mr_attr = {};
	struct ibv_srq_init_attr srq = {};
	struct ibv_qp_init_attr qp = {};
	struct ibv_ah_attr ah = {};
	struct ibv_wc wc = {};
	struct ibv_buf *buf;

	ASSERT_ERRNO(ibv_dealloc_pd(NOTHING), EINVAL);
	ASSERT_NULL(ibv_reg_mr(NOTHING, &qp, 1, 0), EINVAL);
	ASSERT_NULL((ibv_reg_mr_iova)(NOTHING, &qp, 1, 0, 0), EINVAL);
	ASSERT_NULL(ibv_reg_mr_iova2(NOTHING, &qp, 1, 0, 0), EINVAL);
	ASSERT_NULL(ibv_reg_dmabuf_mr(NOTHING, 0, 1, 0, 3, 0), EINVAL);
	ASSERT_NULL(ibv_reg_mr_ex(NOTHING, &mr_attr), EINVAL);
	ASSERT_NULL(ibv_import_mr(NOTHING, 1), EINVAL);
	ASSERT_NULL(ibv_alloc_buf(NOTHING, 1, &buf), EINVAL);
	ASSERT_NULL(ibv_create_ah(NOTHING, &ah), EINVAL);
	ASSERT_NULL(ibv_create_ah_from_wc(NOTHING, &wc, NOTHING, 1), EINVAL);
	ASSERT_NULL(ibv_reg_buf_mr(NOTHING, NOTHING, &qp, 1, 0), EINVAL);
	ASSERT_NULL(ibv_create_srq(NOTHING, &srq), EINVAL);
	ASSERT_NULL(ibv_create_qp(NOTHING, &qp), EINVAL);
	ibv_unimport_pd(NOTHING);
}

static void misuse_null_memory_is_rejected(void **state)
{
	ASSERT_ERRNO(ibv_dereg_mr(NOTHING), EINVAL);
	errno = SOME_ERRNO;
	assert_int_equal(ibv_rereg_mr(NOTHING, 0, NULL, NULL, 0, 0),
			 IBV_REREG_MR_ERR_INPUT);
	assert_int_equal(errno, EINVAL);
	ASSERT_MINUS1(ibv_dm_export_dmabuf_fd(NOTHING), EINVAL);
	ASSERT_MINUS1(ibv_export_buf_dmabuf_fd(NOTHING), EINVAL);
	ibv_unimport_mr(NOTHING);
	ibv_unimport_dm(NOTHING);
	ibv_free_buf(NOTHING);
}

static void misuse_null_queue_is_rejected(void **state)
{
	struct ibv_srq_attr srq_attr = {};
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr = {};
	struct ibv_ece ece = { .vendor_id = 1 };
	union ibv_gid gid = {};

	ASSERT_ERRNO(ibv_destroy_comp_channel(NOTHING), EINVAL);
	ASSERT_ERRNO(ibv_resize_cq(NOTHING, 1), EINVAL);
	ASSERT_ERRNO(ibv_destroy_cq(NOTHING), EINVAL);
	ASSERT_ERRNO(ibv_destroy_ah(NOTHING), EINVAL);
	ASSERT_ERRNO(ibv_modify_srq(NOTHING, &srq_attr, 0), EINVAL);
	ASSERT_ERRNO(ibv_query_srq(NOTHING, &srq_attr), EINVAL);
	ASSERT_ERRNO(ibv_destroy_srq(NOTHING), EINVAL);
	ASSERT_ERRNO(ibv_modify_qp(NOTHING, &attr, 0), EINVAL);
	ASSERT_ERRNO(ibv_query_qp(NOTHING, &attr, 0, &init), EINVAL);
	ASSERT_ERRNO(ibv_destroy_qp(NOTHING), EINVAL);
	ASSERT_ERRNO(ibv_set_ece(NOTHING, &ece), EINVAL);
	ASSERT_ERRNO(ibv_query_ece(NOTHING, &ece), EINVAL);
	ASSERT_ERRNO(ibv_attach_mcast(NOTHING, &gid, 0), EINVAL);
	ASSERT_ERRNO(ibv_detach_mcast(NOTHING, &gid, 0), EINVAL);
	assert_null(ibv_qp_to_qp_ex(NOTHING));
	assert_int_equal(ibv_query_qp_data_in_order(NOTHING, IBV_WR_SEND, 0),
			 0);
}

static void misuse_null_counter_is_rejected(void **state)
{
	struct ibv_qp_attach_comp_cntr_attr attach = {};
	struct ibv_comp_cntr cntr = { .context = api.ctx };
	struct ibv_qp qp = { .context = api.ctx };
	uint64_t value;

	ASSERT_ERRNO(ibv_qp_attach_comp_cntr(NOTHING, &cntr, &attach), EINVAL);
	ASSERT_ERRNO(ibv_qp_attach_comp_cntr(&qp, NOTHING, &attach), EINVAL);
	ASSERT_ERRNO(ibv_destroy_comp_cntr(NOTHING), EINVAL);
	ASSERT_ERRNO(ibv_read_comp_cntr(NOTHING, &value), EINVAL);
	ASSERT_ERRNO(ibv_read_err_comp_cntr(NOTHING, &value), EINVAL);
	ASSERT_ERRNO(ibv_set_comp_cntr(NOTHING, 1), EINVAL);
	ASSERT_ERRNO(ibv_set_err_comp_cntr(NOTHING, 1), EINVAL);
	ASSERT_ERRNO(ibv_inc_comp_cntr(NOTHING, 1), EINVAL);
	ASSERT_ERRNO(ibv_inc_err_comp_cntr(NOTHING, 1), EINVAL);
}

/* ------------------------------------------------------------------------ */
/* Events                                                                   */
/* ------------------------------------------------------------------------ */

static void misuse_null_event_source_is_rejected(void **state)
{
	struct ibv_async_event event;
	struct ibv_cq *cq;
	void *cq_context;

	ASSERT_MINUS1(ibv_get_cq_event(NOTHING, &cq, &cq_context), EINVAL);
	ASSERT_MINUS1(ibv_get_async_event(NOTHING, &event), EINVAL);
}

/*
 * An event that was not read, after a failed get: no acknowledgment is
 * counted.
 */
static void misuse_null_event_to_ack_is_ignored(void **state)
{
	static const enum ibv_event_type types[] = {
		IBV_EVENT_CQ_ERR,   IBV_EVENT_QP_FATAL, IBV_EVENT_SRQ_ERR,
		IBV_EVENT_WQ_FATAL, IBV_EVENT_PORT_ERR,
	};

	ibv_ack_cq_events(NOTHING, 1);
	ibv_ack_async_event(NOTHING);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		ibv_ack_async_event(
			&(struct ibv_async_event){ .event_type = types[i] });
}

/* ------------------------------------------------------------------------ */
/* Functions without a device                                               */
/* ------------------------------------------------------------------------ */

static void misuse_null_sysfs_file_is_rejected(void **state)
{
	char buf[8];

	ASSERT_MINUS1(ibv_read_sysfs_file(NOTHING, "a", buf, sizeof(buf)),
		      EINVAL);
	ASSERT_MINUS1(ibv_read_sysfs_file("/", NOTHING, buf, sizeof(buf)),
		      EINVAL);
	ASSERT_MINUS1(ibv_read_sysfs_file("/", "a", NOTHING, sizeof(buf)),
		      EINVAL);
	ASSERT_MINUS1(ibv_read_sysfs_file("/", "a", buf, 0), EINVAL);
}

/* A conversion without a source or a destination does nothing. */
static void misuse_null_marshall_struct_is_ignored(void **state)
{
	struct ib_uverbs_ah_attr kernel_ah = { .dlid = 1 };
	struct ib_uverbs_qp_attr kernel_qp = { .qkey = 1 };
	struct ib_user_path_rec kernel_path = { .sl = 1 };
	struct ibv_ah_attr ah = {};
	struct ibv_qp_attr qp = {};
	struct ibv_sa_path_rec path = {};

	ibv_copy_ah_attr_from_kern(NOTHING, &kernel_ah);
	ibv_copy_ah_attr_from_kern(&ah, NOTHING);
	ibv_copy_qp_attr_from_kern(NOTHING, &kernel_qp);
	ibv_copy_qp_attr_from_kern(&qp, NOTHING);
	ibv_copy_path_rec_from_kern(NOTHING, &kernel_path);
	ibv_copy_path_rec_from_kern(&path, NOTHING);
	ibv_copy_path_rec_to_kern(NOTHING, &path);
	ibv_copy_path_rec_to_kern(&kernel_path, NOTHING);
	assert_int_equal(ah.dlid, 0);
	assert_int_equal(qp.qkey, 0);
	assert_int_equal(path.sl, 0);
	assert_int_equal(kernel_path.sl, 1);
}

/* A NULL address and a length of 0 are an empty range. */
static void misuse_null_fork_range_is_ignored(void **state)
{
	ASSERT_OK(ibv_dontfork_range(NOTHING, 0));
	ASSERT_OK(ibv_dofork_range(NOTHING, 0));
	ibv_free_device_list(NOTHING);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_TEST(misuse_null_device_is_rejected),
		API_TEST(misuse_null_context_is_rejected),
		API_TEST(misuse_null_pd_is_rejected),
		API_TEST(misuse_null_memory_is_rejected),
		API_TEST(misuse_null_queue_is_rejected),
		API_TEST(misuse_null_counter_is_rejected),
		API_TEST(misuse_null_event_source_is_rejected),
		API_TEST(misuse_null_event_to_ack_is_ignored),
		API_TEST(misuse_null_sysfs_file_is_rejected),
		API_TEST(misuse_null_marshall_struct_is_ignored),
		API_TEST(misuse_null_fork_range_is_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
