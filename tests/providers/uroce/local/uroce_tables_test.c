/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tables and the view of them, both in this process: what may be done, what may
 * not, and tables that are none.
 */
#include "uroce/local/uroce_tables.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "uroce/local/uroce_tables_layout.h"

#define NONCE 77

enum { READ_RIGHT = 4, WRITE_RIGHT = 2 };

static const struct uroce_shown_region a_region = {
	.key = 5 << 8 | 9,
	.pd = 3,
	.access = READ_RIGHT | WRITE_RIGHT,
	.base = 0x10000,
	.iova = 0x7000,
	.bytes = 1000,
};

static const struct uroce_shown_qp a_qp = {
	.qpn = 0x10abc,
	.ready = true,
	.dest_qpn = 0x20def,
	.pd = 3,
	.access = READ_RIGHT | WRITE_RIGHT,
	.token = 4711,
};

static const struct uroce_wanted an_access = {
	.qpn = 0x20def,
	.token = 4711,
	.dest_qpn = 0x10abc,
	.rkey = 5 << 8 | 9,
	.va = 0x7000,
	.bytes = 1000,
	.access = WRITE_RIGHT,
};

static struct uroce_tables tables;
static struct uroce_view view;

static int open_both(void **state)
{
	uroce_tables_init(&tables);
	assert_int_equal(uroce_tables_open(&tables, NONCE), 0);
	assert_int_equal(uroce_view_open(tables.fd, &view), 0);
	uroce_tables_show_region(&tables, &a_region);
	uroce_tables_show_qp(&tables, &a_qp);
	return 0;
}

static int close_both(void **state)
{
	uroce_view_close(&view);
	uroce_tables_close(&tables);
	assert_null(view.memory);
	assert_int_equal(tables.fd, -1);
	return 0;
}

static int find(const struct uroce_wanted *wanted, uint64_t *ret_address)
{
	struct uroce_found found;
	int ret = uroce_view_find(&view, wanted, &found);

	if (!ret)
		*ret_address = found.address;
	return ret;
}

static void assert_refused(const struct uroce_wanted *wanted)
{
	uint64_t address = 1;

	assert_int_equal(find(wanted, &address), -EACCES);
	assert_int_equal(address, 1);
}

static void what_is_shown_is_found(void **state)
{
	struct uroce_wanted wanted = an_access;
	uint64_t address, nonce;

	assert_int_equal(find(&wanted, &address), 0);
	assert_int_equal(address, 0x10000);
	wanted.va += 999;
	wanted.bytes = 1;
	assert_int_equal(find(&wanted, &address), 0);
	assert_int_equal(address, 0x10000 + 999);
	uroce_view_nonce(&view, &nonce, &address);
	assert_int_equal(nonce, NONCE);
	assert_int_equal(*(const uint64_t *)(uintptr_t)address, NONCE);
}

static void what_is_out_of_range_is_refused(void **state)
{
	struct uroce_wanted wanted = an_access;

	wanted.bytes++;
	assert_refused(&wanted);
	wanted = an_access;
	wanted.va--;
	assert_refused(&wanted);
	wanted = an_access;
	wanted.va += 1001;
	wanted.bytes = 0;
	assert_refused(&wanted);
	wanted = an_access;
	wanted.va++;
	wanted.bytes = UINT64_MAX;
	assert_refused(&wanted);
}

static void what_is_of_others_is_refused(void **state)
{
	struct uroce_wanted wanted = an_access;

	wanted.qpn++;
	assert_refused(&wanted);
	wanted = an_access;
	wanted.dest_qpn++;
	assert_refused(&wanted);
	wanted = an_access;
	wanted.dest_qpn += 0x10000; /* another process's, in the same row */
	assert_refused(&wanted);
	wanted = an_access;
	wanted.token++;
	assert_refused(&wanted);
	wanted = an_access;
	wanted.rkey++;
	assert_refused(&wanted);
	wanted = an_access;
	wanted.rkey += 1 << 8;
	assert_refused(&wanted);
	wanted.rkey = UINT32_MAX;
	assert_refused(&wanted);
	wanted.rkey = 0;
	assert_refused(&wanted);
}

static void rights_of_both_are_needed(void **state)
{
	struct uroce_shown_region region = a_region;
	struct uroce_shown_qp qp = a_qp;
	struct uroce_wanted wanted = an_access;
	uint64_t address;

	region.access = READ_RIGHT;
	uroce_tables_show_region(&tables, &region);
	assert_refused(&wanted);
	wanted.access = READ_RIGHT;
	assert_int_equal(find(&wanted, &address), 0);
	qp.access = WRITE_RIGHT;
	uroce_tables_show_qp(&tables, &qp);
	assert_refused(&wanted);
	uroce_tables_show_qp(&tables, &a_qp);
	region.pd = 4;
	uroce_tables_show_region(&tables, &region);
	assert_refused(&wanted);
}

static void what_is_hidden_is_refused(void **state)
{
	struct uroce_shown_region region = a_region;
	struct uroce_shown_qp qp = a_qp;
	uint64_t address;

	region.access = 0;
	uroce_tables_show_region(&tables, &region);
	assert_refused(&an_access);
	uroce_tables_show_region(&tables, &a_region);
	assert_int_equal(find(&an_access, &address), 0);
	qp.ready = false;
	uroce_tables_show_qp(&tables, &qp);
	assert_refused(&an_access);
	uroce_tables_show_qp(&tables, &a_qp);
	assert_int_equal(find(&an_access, &address), 0);
}

/* A key, or index, that the tables have no room for: others ask. */
static void what_has_no_row_is_refused(void **state)
{
	struct uroce_shown_region region = a_region;
	struct uroce_wanted wanted = an_access;

	region.key = UROCE_TABLES_REGIONS << 8;
	uroce_tables_show_region(&tables, &region);
	wanted.rkey = region.key;
	assert_refused(&wanted);
}

/* Nobody but the owner; and the owner's own memory is what would be hit. */
static void hostile_rows_are_refused(void **state)
{
	struct uroce_tables_region *row = &tables.memory->regions[5];
	struct uroce_wanted wanted = an_access;

	row->base = UINT64_MAX - 10;
	assert_refused(&wanted);
	row->base = a_region.base;
	row->iova = 0;
	row->bytes = UINT64_MAX;
	wanted.va = UINT64_MAX - 500;
	assert_refused(&wanted);
	uroce_tables_show_region(&tables, &a_region);
	tables.memory->qps[0xabc].sequence++; /* for ever being changed */
	assert_refused(&an_access);
}

static void nobody_else_can_write(void **state)
{
	assert_ptr_equal(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED,
			      tables.fd, 0),
			 MAP_FAILED);
	assert_int_equal(errno, EPERM);
	assert_int_equal(pwrite(tables.fd, "x", 1, 0), -1);
	assert_int_equal(ftruncate(tables.fd, 4096), -1);
	assert_int_equal(
		mprotect((void *)view.memory, 4096, PROT_READ | PROT_WRITE),
		-1);
	assert_int_equal(fcntl(tables.fd, F_ADD_SEALS, F_SEAL_WRITE), -1);
}

static void refuse_fd(int fd)
{
	struct uroce_view other = {};

	assert_int_equal(uroce_view_open(fd, &other), -EPROTO);
	assert_null(other.memory);
	(void)close(fd);
}

static int make_memfd(off_t size, int seals)
{
	int fd = memfd_create("other", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, size), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

static void what_is_no_table_is_refused(void **state)
{
	const off_t size = sizeof(struct uroce_tables_memory);
	const int seals = F_SEAL_SHRINK | F_SEAL_GROW;

	refuse_fd(make_memfd(size, F_SEAL_GROW));
	refuse_fd(make_memfd(size - 1, seals));
	refuse_fd(make_memfd(size, seals)); /* zeros have not the magic */
	refuse_fd(open("/dev/zero", O_RDONLY | O_CLOEXEC));
}

static void polls_are_told_now_and_then(void **state)
{
	uroce_tables_polled(&tables, 100000);
	assert_int_equal(uroce_view_polled(&view), 100000);
	uroce_tables_polled(&tables, 100255);
	assert_int_equal(uroce_view_polled(&view), 100000);
	uroce_tables_polled(&tables, 100256);
	assert_int_equal(uroce_view_polled(&view), 100256);
}

static void copying_is_told(void **state)
{
	assert_int_equal(uroce_view_copying(&view, 255), 0);
	uroce_tables_begin(&tables, 255);
	assert_int_equal(uroce_view_copying(&view, 255), 1);
	assert_int_equal(uroce_view_copying(&view, 254), 0);
	uroce_tables_end(&tables, 255);
	assert_int_equal(uroce_view_copying(&view, 255), 2);
}

/* In a child of fork(), or where memory cannot be sealed. */
static void without_tables_nothing_is_shown(void **state)
{
	struct uroce_tables none;

	uroce_tables_init(&none);
	uroce_tables_show_region(&none, &a_region);
	uroce_tables_show_qp(&none, &a_qp);
	uroce_tables_polled(&none, 100000);
	uroce_tables_close(&none);
	uroce_tables_forget(&none);
	assert_null(none.memory);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, open_both, close_both)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_shown_is_found),
		TEST(what_is_out_of_range_is_refused),
		TEST(what_is_of_others_is_refused),
		TEST(rights_of_both_are_needed),
		TEST(what_is_hidden_is_refused),
		TEST(what_has_no_row_is_refused),
		TEST(hostile_rows_are_refused),
		TEST(nobody_else_can_write),
		TEST(what_is_no_table_is_refused),
		TEST(polls_are_told_now_and_then),
		TEST(copying_is_told),
		TEST(without_tables_nothing_is_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
