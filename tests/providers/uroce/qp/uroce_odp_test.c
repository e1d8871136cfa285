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

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(odp_valid_pages_are_read_and_written),
		TEST(odp_invalid_page_returns_efault),
		TEST(odp_atomics_return_original_value),
		TEST(odp_forbidden_call_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
