/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Accesses to on-demand regions: qp/uroce_odp.c, with pages that are valid and
 * with others, and on a system that does not permit them.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "uroce/qp/uroce_odp.h"

/* Whether the system forbids a direction. */
static bool no_readv, no_writev;

ssize_t __real_process_vm_readv(pid_t pid, const struct iovec *here,
				unsigned long nr_here,
				const struct iovec *there,
				unsigned long nr_there, unsigned long flags);
ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *here,
				unsigned long nr_here,
				const struct iovec *there,
				unsigned long nr_there, unsigned long flags);
ssize_t __real_process_vm_writev(pid_t pid, const struct iovec *here,
				 unsigned long nr_here,
				 const struct iovec *there,
				 unsigned long nr_there, unsigned long flags);
ssize_t __wrap_process_vm_writev(pid_t pid, const struct iovec *here,
				 unsigned long nr_here,
				 const struct iovec *there,
				 unsigned long nr_there, unsigned long flags);

ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *here,
				unsigned long nr_here,
				const struct iovec *there,
				unsigned long nr_there, unsigned long flags)
{
	if (!no_readv)
		return __real_process_vm_readv(pid, here, nr_here, there,
					       nr_there, flags);
	errno = EPERM;
	return -1;
}

ssize_t __wrap_process_vm_writev(pid_t pid, const struct iovec *here,
				 unsigned long nr_here,
				 const struct iovec *there,
				 unsigned long nr_there, unsigned long flags)
{
	if (!no_writev)
		return __real_process_vm_writev(pid, here, nr_here, there,
						nr_there, flags);
	errno = ENOSYS;
	return -1;
}

/* Three pages; the one in the middle is not mapped. */
static uint8_t *pages;
static size_t page;

static int setup(void **state)
{
	no_readv = false;
	no_writev = false;
	if (!uroce_odp_is_possible()) /* in some emulators */
		return 0;
	page = (size_t)sysconf(_SC_PAGESIZE);
	pages = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(pages, MAP_FAILED);
	assert_int_equal(munmap(pages + page, page), 0);
	return 0;
}

static int teardown(void **state)
{
	if (pages) {
		assert_int_equal(munmap(pages, page), 0);
		assert_int_equal(munmap(pages + 2 * page, page), 0);
	}
	pages = NULL;
	return 0;
}

static void skip_unless_possible(void)
{
	if (!pages)
		skip();
}

static void odp_valid_pages_are_read_and_written(void **state)
{
	uint8_t bytes[8] = "12345678", back[8] = "";
	struct iovec iov[3];

	skip_unless_possible();
	iov[0] = (struct iovec){ pages, 3 };
	iov[1] = (struct iovec){ NULL, 2 };
	iov[2] = (struct iovec){ pages + 2 * page, 3 };
	assert_int_equal(uroce_odp_store(iov, 3, bytes), 0);
	assert_memory_equal(pages, "123", 4);
	assert_memory_equal(pages + 2 * page, "678", 4);
	iov[1] = (struct iovec){ back, 2 };
	assert_int_equal(uroce_odp_load(bytes, iov, 3), 0);
	assert_memory_equal(bytes,
			    "123\0\0"
			    "678",
			    8);
	assert_int_equal(uroce_odp_load(bytes, iov, 0), 0);
}

static void assert_invalid(uint8_t *at, size_t len, bool readable)
{
	const struct iovec iov = { at, len };
	uint8_t bytes[64] = "";

	assert_int_equal(uroce_odp_load(bytes, &iov, 1),
			 readable ? 0 : -EFAULT);
	assert_int_equal(uroce_odp_store(&iov, 1, bytes), -EFAULT);
}

static void odp_invalid_page_returns_efault(void **state)
{
	skip_unless_possible();
	assert_invalid(pages + page, 8, false);
	assert_invalid(pages + page - 4, 8, false); /* ends in it */
	assert_invalid(pages + 2 * page - 8, 16, false);
	assert_invalid((uint8_t *)1, 8, false);
	assert_invalid((uint8_t *)(UINTPTR_MAX - 3), 8, false);
	assert_int_equal(mprotect(pages, page, PROT_NONE), 0);
	assert_invalid(pages, 8, false);
	assert_int_equal(mprotect(pages, page, PROT_READ), 0);
	assert_invalid(pages, 8, true);
}

static void odp_atomics_return_original_value(void **state)
{
	uint64_t *value, orig = 0;
	uint8_t *at;

	skip_unless_possible();
	at = pages + 8;
	value = (uint64_t *)(void *)at;
	assert_int_equal(uroce_odp_atomic(at, true, 0, 5, &orig), 0);
	assert_int_equal(orig, 0);
	assert_int_equal(uroce_odp_atomic(at, true, 0, UINT64_MAX, &orig), 0);
	assert_int_equal(orig, 5);
	assert_int_equal(*value, 4);
	assert_int_equal(uroce_odp_atomic(at, false, 5, 9, &orig), 0);
	assert_int_equal(orig, 4);
	assert_int_equal(*value, 4);
	assert_int_equal(uroce_odp_atomic(at, false, 4, 9, &orig), 0);
	assert_int_equal(orig, 4);
	assert_int_equal(*value, 9);
	assert_int_equal(uroce_odp_atomic(pages + page, true, 0, 1, &orig),
			 -EFAULT);
	assert_int_equal(mprotect(pages, page, PROT_READ), 0);
	assert_int_equal(uroce_odp_atomic(at, true, 0, 1, &orig), -EFAULT);
	assert_int_equal(*value, 9);
}

static void odp_forbidden_call_is_reported(void **state)
{
	skip_unless_possible();
	no_readv = true;
	assert_false(uroce_odp_is_possible());
	no_readv = false;
	no_writev = true;
	assert_false(uroce_odp_is_possible());
}

/* The memory that a range stands for, and a result of its copies. */
static uint8_t far[2][64];
static int far_result;

static int copy_far(uint8_t *memory, size_t offset, const struct iovec *here,
		    bool write)
{
	if (write)
		memcpy(memory + offset, here->iov_base, here->iov_len);
	else
		memcpy(here->iov_base, memory + offset, here->iov_len);
	return far_result;
}

static int copy_first(const struct uroce_odp_range *range, size_t offset,
		      const struct iovec *here, bool write)
{
	return copy_far(far[0], offset, here, write);
}

static int copy_second(const struct uroce_odp_range *range, size_t offset,
		       const struct iovec *here, bool write)
{
	return copy_far(far[1], offset, here, write);
}

static struct uroce_odp_range
new_range(int (*copy)(const struct uroce_odp_range *range, size_t offset,
		      const struct iovec *here, bool write))
{
	void *base = mmap(NULL, sizeof(far[0]), PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(base, MAP_FAILED);
	return (struct uroce_odp_range){ base, sizeof(far[0]), copy };
}

static void end_range(const struct uroce_odp_range *range)
{
	uroce_odp_remove_range(range);
	assert_int_equal(munmap(range->base, range->bytes), 0);
}

static void odp_ranges_are_copied_by_their_function(void **state)
{
	const struct uroce_odp_range first = new_range(copy_first);
	const struct uroce_odp_range second = new_range(copy_second);
	uint8_t bytes[8] = "abcdefg", back[8] = "";
	const struct iovec iov[] = { { second.base + 60, 4 },
				     { first.base, 4 } };

	far_result = 0;
	assert_int_equal(uroce_odp_add_range(&first), 0);
	assert_int_equal(uroce_odp_add_range(&second), 0);
	assert_int_equal(uroce_odp_store(iov, 2, bytes), 0);
	assert_memory_equal(far[1] + 60, "abcd", 4);
	assert_memory_equal(far[0], "efg", 4);
	assert_int_equal(uroce_odp_load(back, iov, 2), 0);
	assert_memory_equal(back, bytes, 8);
	far_result = -EACCES;
	assert_int_equal(uroce_odp_load(back, iov, 1), -EFAULT);
	far_result = 0;
	end_range(&first);
	assert_int_equal(uroce_odp_store(iov, 1, bytes), 0);
	end_range(&second);
}

static void odp_memory_beside_ranges_is_of_this_process(void **state)
{
	struct uroce_odp_range range[3];
	uint8_t bytes[8] = "abcdefg", near[8] = "";
	const struct iovec here = { near, 8 };
	struct iovec end = { NULL, 8 };

	skip_unless_possible();
	for (int i = 0; i < 3; i++) {
		range[i] = new_range(copy_first);
		assert_int_equal(uroce_odp_add_range(&range[i]), 0);
	}
	assert_int_equal(uroce_odp_store(&here, 1, bytes), 0);
	assert_memory_equal(near, bytes, 8);
	/* the rest of the page is reserved, and stands for nothing */
	end.iov_base = range[1].base + range[1].bytes;
	assert_int_equal(uroce_odp_store(&end, 1, bytes), -EFAULT);
	end.iov_base = range[1].base + range[1].bytes - 4;
	assert_int_equal(uroce_odp_store(&end, 1, bytes), -EFAULT);
	for (int i = 0; i < 3; i++)
		end_range(&range[i]);
	assert_int_equal(uroce_odp_store(&here, 1, bytes), 0);
}

static void odp_many_ranges_are_found(void **state)
{
	static struct uroce_odp_range range[200];
	uint8_t bytes[8] = "abcdefg";

	far_result = 0;
	for (int i = 0; i < 200; i++) {
		range[i] = new_range(i % 2 ? copy_second : copy_first);
		assert_int_equal(uroce_odp_add_range(&range[i]), 0);
	}
	for (int i = 0; i < 200; i++) {
		const struct iovec iov = { range[i].base + 8, 8 };

		memset(far, 0, sizeof(far));
		assert_int_equal(uroce_odp_store(&iov, 1, bytes), 0);
		assert_memory_equal(far[i % 2] + 8, bytes, 8);
	}
	for (int i = 0; i < 200; i++)
		end_range(&range[i]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(odp_valid_pages_are_read_and_written),
		TEST(odp_invalid_page_returns_efault),
		TEST(odp_atomics_return_original_value),
		TEST(odp_forbidden_call_is_reported),
		TEST(odp_ranges_are_copied_by_their_function),
		TEST(odp_memory_beside_ranges_is_of_this_process),
		TEST(odp_many_ranges_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
