/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tests of libibverbs/core/op_table.c and op_defaults_*.c. Most ops have no
 * default: api/every_verb_test.c calls them without a provider. Linked with
 * WRAP calloc posix_memalign.
 */
#include "core/op_table.h"

#include <errno.h>
#include <provider/kernel.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* last: cmocka.h needs the headers above */
#include <cmocka.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

typedef void (*any_op)(void);

static struct verbs_context_ops ops;

static int op_table_setup(void **state)
{
	memset(&ops, 0, sizeof(ops));
	verbs_op_table_init(&ops, false);
	errno = 0;
	return 0;
}

/* The ops do not access the objects, so NULL is sufficient. */
static int errno_is_untouched(void **state)
{
	return errno;
}

#define SLOT(op) (offsetof(struct verbs_context_ops, op) / sizeof(any_op))

/* The data path, and ops that do something without a provider. */
static const size_t default_slots[] = {
	SLOT(poll_cq),	       SLOT(req_notify_cq),
	SLOT(post_send),       SLOT(post_recv),
	SLOT(post_srq_recv),   SLOT(post_srq_ops),
	SLOT(bind_mw),	       SLOT(cq_event),
	SLOT(async_event),     SLOT(unimport_pd),
	SLOT(unimport_mr),     SLOT(unimport_dm),
	SLOT(reg_mr_ex),       SLOT(alloc_buf),
	SLOT(free_buf),	       SLOT(get_srq_num),
	SLOT(qp_to_ex),	       SLOT(query_qp_data_in_order),
	SLOT(get_async_event),
};

static const size_t kernel_slots[] = {
	SLOT(query_gid_entry),	   SLOT(query_gid_table), SLOT(query_pkey),
	SLOT(create_comp_channel), SLOT(alloc_async_fd),
};

static bool slots_contain(const size_t *slots, size_t nr_slots, size_t slot)
{
	for (size_t i = 0; i < nr_slots; i++) {
		if (slots[i] == slot)
			return true;
	}
	return false;
}

static void assert_only_known_slots_are_set(bool kernel_backed)
{
	any_op slots[sizeof(ops) / sizeof(any_op)];

	memcpy(slots, &ops, sizeof(slots));
	for (size_t i = 0; i < ARRAY_SIZE(slots); i++) {
		bool expected = slots_contain(default_slots,
					      ARRAY_SIZE(default_slots), i);

		if (kernel_backed)
			expected |= slots_contain(kernel_slots,
						  ARRAY_SIZE(kernel_slots), i);
		if ((slots[i] != NULL) != expected)
			fail_msg("slot %zu", i);
	}
}

static void op_table_init_sets_only_default_ops(void **state)
{
	assert_only_known_slots_are_set(false);
}

static void op_table_kernel_device_adds_only_kernel_ops(void **state)
{
	verbs_op_table_init(&ops, true);
	assert_only_known_slots_are_set(true);
}

static void op_default_events_are_ignored(void **state)
{
	struct ibv_async_event event = { .event_type = IBV_EVENT_PORT_ERR };

	ops.cq_event(NULL);
	ops.async_event(NULL, &event);
	assert_int_equal(event.event_type, IBV_EVENT_PORT_ERR);
}

/* The importer only drops its object, so the op cannot fail. */
static void op_default_unimport_does_nothing(void **state)
{
	struct verbs_mr mr = {}, same_mr = {};
	struct ibv_pd pd = {}, same_pd = {};
	struct ibv_dm dm = {}, same_dm = {};

	ops.unimport_pd(&pd);
	ops.unimport_mr(&mr.ibv_mr);
	ops.unimport_dm(&dm);
	assert_memory_equal(&pd, &same_pd, sizeof(pd));
	assert_memory_equal(&mr, &same_mr, sizeof(mr));
	assert_memory_equal(&dm, &same_dm, sizeof(dm));
}

/* ------------------------------------------------------------------------ */
/* Buffers: memory of the process                                           */
/* ------------------------------------------------------------------------ */

static bool calloc_fails, memalign_fails;
static size_t memalign_size;

void *__real_calloc(size_t count, size_t size);
int __real_posix_memalign(void **memory, size_t alignment, size_t size);
void *__wrap_calloc(size_t count, size_t size);
int __wrap_posix_memalign(void **memory, size_t alignment, size_t size);

void *__wrap_calloc(size_t count, size_t size)
{
	return calloc_fails ? NULL : __real_calloc(count, size);
}

int __wrap_posix_memalign(void **memory, size_t alignment, size_t size)
{
	memalign_size = size;
	return memalign_fails ? ENOMEM
			      : __real_posix_memalign(memory, alignment, size);
}

static void op_default_alloc_buf_returns_whole_pages(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t sizes[] = { 0, 1, page - 1, page, page + 1 };
	struct ibv_pd pd = {};
	struct ibv_buf *buf;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		assert_int_equal(ops.alloc_buf(&pd, sizes[i], &buf), 0);
		assert_int_equal((uintptr_t)buf->addr % page, 0);
		assert_int_equal(memalign_size,
				 sizes[i] > page ? 2 * page : page);
		assert_int_equal(buf->size, sizes[i]);
		assert_ptr_equal(buf->pd, &pd);
		assert_int_equal(buf->dmabuf_fd, -1);
		memset(buf->addr, 0x5a, sizes[i]);
		ops.free_buf(buf);
	}
}

static void op_default_alloc_buf_without_memory_is_enomem(void **state)
{
	struct ibv_buf *buf = (void *)&ops;

	calloc_fails = true;
	assert_int_equal(ops.alloc_buf(NULL, 1, &buf), -ENOMEM);
	calloc_fails = false;
	memalign_fails = true;
	assert_int_equal(ops.alloc_buf(NULL, 1, &buf), -ENOMEM);
	memalign_fails = false;
	assert_int_equal(ops.alloc_buf(NULL, SIZE_MAX, &buf), -ENOMEM);
	assert_ptr_equal(buf, &ops);
}

static void op_default_get_srq_num_reads_object(void **state)
{
	struct verbs_srq vsrq = { .srq_num = 7 };
	uint32_t number = 5;

	assert_int_equal(ops.get_srq_num(&vsrq.srq, &number), -EINVAL);
	vsrq.srq_type = IBV_SRQT_TM;
	assert_int_equal(ops.get_srq_num(&vsrq.srq, &number), -EINVAL);
	assert_int_equal(number, 5);
	vsrq.srq_type = IBV_SRQT_XRC;
	assert_int_equal(ops.get_srq_num(&vsrq.srq, &number), 0);
	assert_int_equal(number, 7);
}

static void op_default_data_in_order_is_zero(void **state)
{
	assert_int_equal(ops.query_qp_data_in_order(NULL, IBV_WR_SEND, 0), 0);
}

static void op_default_qp_to_ex_reads_object(void **state)
{
	struct verbs_qp vqp = { .comp_mask = VERBS_QP_MASK_XRCD };

	assert_null(ops.qp_to_ex(&vqp.qp));
	vqp.comp_mask |= VERBS_QP_MASK_EX;
	assert_ptr_equal(ops.qp_to_ex(&vqp.qp), &vqp.qp_ex);
}

/* Applications call these: a positive errno. */
static void op_default_data_path_is_unsupported(void **state)
{
	struct ibv_mw_bind bind = {};

	assert_int_equal(ops.req_notify_cq(NULL, 0), EOPNOTSUPP);
	assert_int_equal(ops.bind_mw(NULL, NULL, &bind), EOPNOTSUPP);
}

/* A positive value would be a count of completions. */
static void op_default_poll_cq_is_negative(void **state)
{
	struct ibv_wc wc;

	assert_true(ops.poll_cq(NULL, 1, &wc) < 0);
}

static void op_default_post_sets_first_bad_wr(void **state)
{
	struct ibv_send_wr next = {}, send = { .next = &next };
	struct ibv_recv_wr recv = {}, srq_recv = {};
	struct ibv_send_wr *bad_send = NULL;
	struct ibv_ops_wr op = {}, *bad_op = NULL;
	struct ibv_recv_wr *bad_recv = NULL;

	assert_int_equal(ops.post_send(NULL, &send, &bad_send), EOPNOTSUPP);
	assert_ptr_equal(bad_send, &send);
	assert_int_equal(ops.post_recv(NULL, &recv, &bad_recv), EOPNOTSUPP);
	assert_ptr_equal(bad_recv, &recv);
	assert_int_equal(ops.post_srq_recv(NULL, &srq_recv, &bad_recv),
			 EOPNOTSUPP);
	assert_ptr_equal(bad_recv, &srq_recv);
	assert_int_equal(ops.post_srq_ops(NULL, &op, &bad_op), EOPNOTSUPP);
	assert_ptr_equal(bad_op, &op);
}

static void op_table_kernel_device_has_kernel_ops(void **state)
{
	verbs_op_table_init(&ops, true);
	assert_ptr_equal(ops.query_gid_entry, verbs_cmd_query_gid_entry);
	assert_ptr_equal(ops.query_gid_table, verbs_cmd_query_gid_table);
	assert_ptr_equal(ops.query_pkey, verbs_cmd_query_pkey);
	assert_ptr_equal(ops.alloc_async_fd, verbs_cmd_alloc_async_fd);
	assert_ptr_equal(ops.create_comp_channel,
			 verbs_cmd_create_comp_channel);
}

static void op_table_kernel_device_lacks_driver_ops(void **state)
{
	verbs_op_table_init(&ops, true);
	assert_null(ops.alloc_pd);
}

static int own_dealloc_pd(struct ibv_pd *pd)
{
	return 5;
}

static int own_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw,
		       struct ibv_mw_bind *bind)
{
	return 6;
}

static int own_query_port(struct ibv_context *ctx, uint8_t port_num,
			  struct ibv_port_attr *attr)
{
	return 7;
}

static int other_query_port(struct ibv_context *ctx, uint8_t port_num,
			    struct ibv_port_attr *attr)
{
	return 8;
}

static void op_table_merge_replaces_set_members(void **state)
{
	static const struct verbs_context_ops own = {
		.dealloc_pd = own_dealloc_pd,
	};

	verbs_op_table_merge(&ops, &own);
	assert_ptr_equal(ops.dealloc_pd, own_dealloc_pd);
}

static void op_table_merge_replaces_first_and_last(void **state)
{
	struct verbs_context_ops own = {}, merged = {};
	unsigned char *bytes = (unsigned char *)&own;

	/* Independent of the names of the members. */
	memset(bytes, 0x5a, sizeof(void *));
	memset(bytes + sizeof(own) - sizeof(void *), 0xa5, sizeof(void *));
	verbs_op_table_merge(&merged, &own);
	assert_memory_equal(&merged, &own, sizeof(own));
}

static void op_table_merge_keeps_unset_members(void **state)
{
	static const struct verbs_context_ops own = {
		.dealloc_pd = own_dealloc_pd,
	};
	struct verbs_context_ops before = ops;

	verbs_op_table_merge(&ops, &own);
	ops.dealloc_pd = before.dealloc_pd;
	assert_memory_equal(&ops, &before, sizeof(ops));
}

static void op_table_merge_of_empty_changes_nothing(void **state)
{
	static const struct verbs_context_ops own;
	struct verbs_context_ops before = ops;

	verbs_op_table_merge(&ops, &own);
	assert_memory_equal(&ops, &before, sizeof(ops));
}

static void op_table_later_merge_overrides_earlier(void **state)
{
	static const struct verbs_context_ops first = {
		.dealloc_pd = own_dealloc_pd,
		.query_port = own_query_port,
	};
	static const struct verbs_context_ops second = {
		.query_port = other_query_port,
	};

	verbs_op_table_merge(&ops, &first);
	verbs_op_table_merge(&ops, &second);
	assert_ptr_equal(ops.dealloc_pd, own_dealloc_pd);
	assert_ptr_equal(ops.query_port, other_query_port);
}

static void op_table_mirror_copies_data_path_only(void **state)
{
	struct ibv_context_ops public_ops = {}, expected = {};

	ops.bind_mw = own_bind_mw;
	verbs_op_table_mirror(&ops, &public_ops);
	expected.poll_cq = ops.poll_cq;
	expected.req_notify_cq = ops.req_notify_cq;
	expected.post_send = ops.post_send;
	expected.post_recv = ops.post_recv;
	expected.post_srq_recv = ops.post_srq_recv;
	expected.bind_mw = own_bind_mw;
	assert_memory_equal(&public_ops, &expected, sizeof(expected));
}

#define TEST(name)                                            \
	cmocka_unit_test_setup_teardown(name, op_table_setup, \
					errno_is_untouched)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(op_table_init_sets_only_default_ops),
		TEST(op_table_kernel_device_adds_only_kernel_ops),
		TEST(op_default_events_are_ignored),
		TEST(op_default_unimport_does_nothing),
		TEST(op_default_alloc_buf_returns_whole_pages),
		TEST(op_default_alloc_buf_without_memory_is_enomem),
		TEST(op_default_get_srq_num_reads_object),
		TEST(op_default_data_in_order_is_zero),
		TEST(op_default_qp_to_ex_reads_object),
		TEST(op_default_data_path_is_unsupported),
		TEST(op_default_poll_cq_is_negative),
		TEST(op_default_post_sets_first_bad_wr),
		TEST(op_table_kernel_device_has_kernel_ops),
		TEST(op_table_kernel_device_lacks_driver_ops),
		TEST(op_table_merge_replaces_set_members),
		TEST(op_table_merge_replaces_first_and_last),
		TEST(op_table_merge_keeps_unset_members),
		TEST(op_table_merge_of_empty_changes_nothing),
		TEST(op_table_later_merge_overrides_earlier),
		TEST(op_table_mirror_copies_data_path_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
