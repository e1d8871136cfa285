/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The small functions of the private nodes:
 * libibverbs/foreign/foreign_helpers.c.
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

/* last: it needs those above */
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

static void gid_type_is_one_of_two(void **state)
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

static void empty_slot_is_of_version_1(void **state)
{
	enum foreign_gid_type type = FOREIGN_GID_ROCE_V2;

	gid_ret = -ENODATA;
	assert_int_equal(query_type(&type), 0);
	assert_int_equal(type, 0);
}

static void gid_type_that_cannot_be_had_is_an_error(void **state)
{
	enum foreign_gid_type type = FOREIGN_GID_ROCE_V2;

	gid_ret = -EINVAL;
	errno = 0;
	assert_int_equal(query_type(&type), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(type, FOREIGN_GID_ROCE_V2);
}

/* ------------------------------------------------------------------------ */
/* Files of a device                                                         */
/* ------------------------------------------------------------------------ */

static struct fake_sysfs tree;
static struct foreign_sysfs_dev sysfs;
static char buf[8];

static int make_tree(void **state)
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

static int read_file(const char *content)
{
	fake_sysfs_write(&tree, "ports/7/state", content);
	return foreign_read_ibdev_sysfs_file(buf, sizeof(buf), &sysfs,
					     "ports/%d/%s", 7, "state");
}

static void file_is_read_without_its_newline(void **state)
{
	assert_int_equal(read_file("4: AC\n"), 5);
	assert_string_equal(buf, "4: AC");
	assert_int_equal(read_file("two\n\n"), 4);
	assert_string_equal(buf, "two\n");
	assert_int_equal(read_file("none"), 4);
	assert_string_equal(buf, "none");
}

static void newline_makes_room_for_the_end(void **state)
{
	assert_int_equal(read_file("1234567\n"), 7);
	assert_string_equal(buf, "1234567");
	assert_int_equal(read_file("1234567"), 7);
	assert_string_equal(buf, "1234567");
}

static void file_that_does_not_fit_is_an_error(void **state)
{
	assert_int_equal(read_file("12345678"), -1);
	assert_int_equal(read_file("123456789\n"), -1);
}

static void empty_file_leaves_the_buffer(void **state)
{
	assert_int_equal(read_file(""), 0);
	assert_string_equal(buf, "before");
}

static void missing_file_is_an_error(void **state)
{
	errno = 0;
	assert_int_equal(foreign_read_ibdev_sysfs_file(buf, sizeof(buf), &sysfs,
						       "missing"),
			 -1);
	assert_int_equal(errno, ENOENT);
	assert_string_equal(buf, "before");
}

static void device_without_a_record_has_no_files(void **state)
{
	errno = 0;
	assert_int_equal(
		foreign_read_ibdev_sysfs_file(buf, sizeof(buf), NULL, "ports"),
		-1);
	assert_int_equal(errno, EINVAL);
}

static void over_long_name_is_an_error(void **state)
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
/* CQs, opcodes, the log                                                     */
/* ------------------------------------------------------------------------ */

static void cq_of_a_vendor_library_counts_on_its_channel(void **state)
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

static void cq_needs_no_channel(void **state)
{
	struct ibv_context ctx = { .mutex = PTHREAD_MUTEX_INITIALIZER };
	struct ibv_cq cq = {};

	foreign_init_cq(&cq, &ctx, NULL, NULL);
	assert_null(cq.channel);
	verbs_fini_cq(&cq);
}

static void opcode_has_the_text_of_the_public_function(void **state)
{
	assert_string_equal(foreign_wr_opcode_str(IBV_WR_SEND), "send");
	assert_string_equal(foreign_wr_opcode_str(IBV_WR_RDMA_READ), "another");
}

static char logged[64];
static uint32_t logged_level;

void __wrap_verbs_vlog(const char *who, enum verbs_log_level level,
		       const char *fmt, va_list args)
	__attribute__((format(printf, 3, 0)));

void __wrap_verbs_vlog(const char *who, enum verbs_log_level level,
		       const char *fmt, va_list args)
{
	assert_null(who);
	logged_level = level;
	(void)vsnprintf(logged, sizeof(logged), fmt, args);
}

static void provider_s_line_is_logged_as_it_is(void **state)
{
	foreign_log(NULL, 3, "%s: %s:%d: full\n", "mlx5_0", "post", 12);
	assert_string_equal(logged, "mlx5_0: post:12: full\n");
	assert_int_equal(logged_level, VERBS_LOG_INFO);
}

#define FILE_TEST(name) \
	cmocka_unit_test_setup_teardown(name, make_tree, remove_tree)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gid_type_is_one_of_two),
		cmocka_unit_test(empty_slot_is_of_version_1),
		cmocka_unit_test(gid_type_that_cannot_be_had_is_an_error),
		FILE_TEST(file_is_read_without_its_newline),
		FILE_TEST(newline_makes_room_for_the_end),
		FILE_TEST(file_that_does_not_fit_is_an_error),
		FILE_TEST(empty_file_leaves_the_buffer),
		FILE_TEST(missing_file_is_an_error),
		FILE_TEST(device_without_a_record_has_no_files),
		FILE_TEST(over_long_name_is_an_error),
		cmocka_unit_test(cq_of_a_vendor_library_counts_on_its_channel),
		cmocka_unit_test(cq_needs_no_channel),
		cmocka_unit_test(opcode_has_the_text_of_the_public_function),
		cmocka_unit_test(provider_s_line_is_logged_as_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
