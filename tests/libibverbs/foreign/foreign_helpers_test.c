/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Small functions of the private nodes: libibverbs/foreign/foreign_helpers.c.
 *
 * Linked with WRAP verbs_vlog, foreign_detect (unused).
 */
#include "foreign/foreign_helpers.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/core_context.h"
#include "core/log.h"
#include "support/fake_sysfs.h"

/* last: requires the headers above */
#include <cmocka.h>

/* ------------------------------------------------------------------------ */
/* GID types                                                                 */
/* ------------------------------------------------------------------------ */

static int gid_ret;
static uint32_t gid_type;

static int query_gid_entry(struct ibv_context *ctx, uint32_t port_num,
			   uint32_t gid_index, struct ibv_gid_entry *ret_entry)
{
	assert_int_equal(port_num, 3);
	assert_int_equal(gid_index, 70000);
	if (gid_ret == 0)
		ret_entry->gid_type = gid_type;
	return gid_ret;
}

static int query_type(enum foreign_gid_type *type)
{
	struct verbs_ex_private priv = {
		.ops.query_gid_entry = query_gid_entry,
	};
	struct verbs_context vctx = { .priv = &priv };

	return foreign_query_gid_type(&vctx.context, 3, 70000, type);
}

static void foreign_query_gid_type_maps_to_two_types(void **state)
{
	enum foreign_gid_type type = FOREIGN_GID_IB_ROCE_V1;

	gid_ret = 0;
	gid_type = IBV_GID_TYPE_ROCE_V2;
	assert_int_equal(query_type(&type), 0);
	assert_int_equal(type, 1);
	gid_type = IBV_GID_TYPE_ROCE_V1;
	assert_int_equal(query_type(&type), 0);
	assert_int_equal(type, 0);
	type = FOREIGN_GID_ROCE_V2;
	gid_type = IBV_GID_TYPE_IB;
	assert_int_equal(query_type(&type), 0);
	assert_int_equal(type, 0);
}

static void foreign_query_gid_type_empty_entry_returns_v1(void **state)
{
	enum foreign_gid_type type = FOREIGN_GID_ROCE_V2;

	gid_ret = -ENODATA;
	assert_int_equal(query_type(&type), 0);
	assert_int_equal(type, 0);
}

static void foreign_query_gid_type_failure_sets_errno(void **state)
{
	enum foreign_gid_type type = FOREIGN_GID_ROCE_V2;

	gid_ret = -EINVAL;
	errno = 0;
	assert_int_equal(query_type(&type), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(type, FOREIGN_GID_ROCE_V2);
}

/* ------------------------------------------------------------------------ */
/* sysfs files                                                               */
/* ------------------------------------------------------------------------ */

static struct fake_sysfs tree;
static struct foreign_sysfs_dev sysfs;
static char buf[8];

static int create_tree(void **state)
{
	fake_sysfs_init(&tree);
	(void)snprintf(sysfs.ibdev_path, sizeof(sysfs.ibdev_path), "%s",
		       tree.root);
	strcpy(buf, "before");
	return 0;
}

static int remove_tree(void **state)
{
	fake_sysfs_fini(&tree);
	return 0;
}

static int read_port_file(const char *content)
{
	fake_sysfs_write(&tree, "ports/7/state", content);
	return foreign_read_ibdev_sysfs_file(buf, sizeof(buf), &sysfs,
					     "ports/%d/%s", 7, "state");
}

static void foreign_read_sysfs_file_removes_newline(void **state)
{
	assert_int_equal(read_port_file("4: AC\n"), 5);
	assert_string_equal(buf, "4: AC");
	assert_int_equal(read_port_file("two\n\n"), 4);
	assert_string_equal(buf, "two\n");
	assert_int_equal(read_port_file("none"), 4);
	assert_string_equal(buf, "none");
}

static void foreign_read_sysfs_file_newline_is_replaced_by_nul(void **state)
{
	assert_int_equal(read_port_file("1234567\n"), 7);
	assert_string_equal(buf, "1234567");
	assert_int_equal(read_port_file("1234567"), 7);
	assert_string_equal(buf, "1234567");
}

static void foreign_read_sysfs_file_too_long_fails(void **state)
{
	assert_int_equal(read_port_file("12345678"), -1);
	assert_int_equal(read_port_file("123456789\n"), -1);
}

static void foreign_read_sysfs_file_empty_leaves_buffer_unchanged(void **state)
{
	assert_int_equal(read_port_file(""), 0);
	assert_string_equal(buf, "before");
}

static void foreign_read_sysfs_file_missing_returns_enoent(void **state)
{
	errno = 0;
	assert_int_equal(foreign_read_ibdev_sysfs_file(buf, sizeof(buf), &sysfs,
						       "missing"),
			 -1);
	assert_int_equal(errno, ENOENT);
	assert_string_equal(buf, "before");
}

static void foreign_read_sysfs_file_without_device_returns_einval(void **state)
{
	errno = 0;
	assert_int_equal(
		foreign_read_ibdev_sysfs_file(buf, sizeof(buf), NULL, "ports"),
		-1);
	assert_int_equal(errno, EINVAL);
}

static void foreign_read_sysfs_file_long_path_returns_enametoolong(void **state)
{
	errno = 0;
	assert_int_equal(foreign_read_ibdev_sysfs_file(buf, sizeof(buf), &sysfs,
						       "%05000d", 1),
			 -1);
	assert_int_equal(errno, ENAMETOOLONG);
	assert_int_equal(foreign_read_ibdev_sysfs_file(buf, sizeof(buf), &sysfs,
						       "%04090d", 1),
			 -1);
	assert_int_equal(errno, ENAMETOOLONG);
}

/* ------------------------------------------------------------------------ */
/* CQs, opcodes, log                                                         */
/* ------------------------------------------------------------------------ */

static void foreign_init_cq_counts_channel_reference(void **state)
{
	struct ibv_context ctx = { .mutex = PTHREAD_MUTEX_INITIALIZER };
	struct ibv_comp_channel channel = { .refcnt = 4 };
	struct ibv_cq cq = { .comp_events_completed = 9 };
	int here;

	foreign_init_cq(&cq, &ctx, &channel, &here);
	assert_ptr_equal(cq.context, &ctx);
	assert_ptr_equal(cq.channel, &channel);
	assert_ptr_equal(cq.cq_context, &here);
	assert_int_equal(cq.comp_events_completed, 0);
	assert_int_equal(channel.refcnt, 5);
	assert_int_equal(pthread_mutex_trylock(&cq.mutex), 0);
	assert_int_equal(pthread_mutex_trylock(&ctx.mutex), 0);
	assert_int_equal(pthread_mutex_unlock(&cq.mutex), 0);
	verbs_fini_cq(&cq);
}

static void foreign_init_cq_without_channel_succeeds(void **state)
{
	struct ibv_context ctx = { .mutex = PTHREAD_MUTEX_INITIALIZER };
	struct ibv_cq cq = {};

	foreign_init_cq(&cq, &ctx, NULL, NULL);
	assert_null(cq.channel);
	verbs_fini_cq(&cq);
}

static void foreign_wr_opcode_str_returns_public_name(void **state)
{
	assert_string_equal(foreign_wr_opcode_str(IBV_WR_SEND), "send");
	assert_string_equal(foreign_wr_opcode_str(IBV_WR_RDMA_READ), "another");
}

static char logged[64];
static uint32_t logged_level;

void __wrap_verbs_vlog(const char *subject, enum verbs_log_level level,
		       const char *fmt, va_list args)
	__attribute__((format(printf, 3, 0)));

void __wrap_verbs_vlog(const char *subject, enum verbs_log_level level,
		       const char *fmt, va_list args)
{
	assert_null(subject);
	logged_level = level;
	(void)vsnprintf(logged, sizeof(logged), fmt, args);
}

static void foreign_log_writes_message_unchanged(void **state)
{
	foreign_log(NULL, 3, "%s: %s:%d: full\n", "mlx5_0", "post", 12);
	assert_string_equal(logged, "mlx5_0: post:12: full\n");
	assert_int_equal(logged_level, VERBS_LOG_INFO);
}

#define FILE_TEST(name) \
	cmocka_unit_test_setup_teardown(name, create_tree, remove_tree)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(foreign_query_gid_type_maps_to_two_types),
		cmocka_unit_test(foreign_query_gid_type_empty_entry_returns_v1),
		cmocka_unit_test(foreign_query_gid_type_failure_sets_errno),
		FILE_TEST(foreign_read_sysfs_file_removes_newline),
		FILE_TEST(foreign_read_sysfs_file_newline_is_replaced_by_nul),
		FILE_TEST(foreign_read_sysfs_file_too_long_fails),
		FILE_TEST(
			foreign_read_sysfs_file_empty_leaves_buffer_unchanged),
		FILE_TEST(foreign_read_sysfs_file_missing_returns_enoent),
		FILE_TEST(
			foreign_read_sysfs_file_without_device_returns_einval),
		FILE_TEST(
			foreign_read_sysfs_file_long_path_returns_enametoolong),
		cmocka_unit_test(foreign_init_cq_counts_channel_reference),
		cmocka_unit_test(foreign_init_cq_without_channel_succeeds),
		cmocka_unit_test(foreign_wr_opcode_str_returns_public_name),
		cmocka_unit_test(foreign_log_writes_message_unchanged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
