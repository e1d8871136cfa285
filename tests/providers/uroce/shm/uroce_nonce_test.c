/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The page of the nonce: its address, also where some addresses or system calls
 * are not available, and which CMA methods need it.
 */
#include "uroce/shm/uroce_nonce.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "uroce/shm/uroce_cma.h"

#define NONCE UINT64_C(0x123456789abcdef)

/* 32-bit machines have too few addresses. */
static const bool can_be_unique = UINTPTR_MAX > UINT32_MAX;

static int nr_busy; /* hints that mmap() does not follow */
static void *last_hint;
static int mmap_errno, madvise_errno;

void *__real_mmap(void *hint, size_t size, int prot, int flags, int fd,
		  off_t offset);
void *__wrap_mmap(void *hint, size_t size, int prot, int flags, int fd,
		  off_t offset);
int __real_madvise(void *memory, size_t size, int advice);
int __wrap_madvise(void *memory, size_t size, int advice);

void *__wrap_mmap(void *hint, size_t size, int prot, int flags, int fd,
		  off_t offset)
{
	if (mmap_errno) {
		errno = mmap_errno;
		return MAP_FAILED;
	}
	if (hint)
		last_hint = hint;
	if (hint && nr_busy) {
		nr_busy--;
		hint = NULL;
	}
	return __real_mmap(hint, size, prot, flags, fd, offset);
}

int __wrap_madvise(void *memory, size_t size, int advice)
{
	if (madvise_errno) {
		errno = madvise_errno;
		return -1;
	}
	return __real_madvise(memory, size, advice);
}

static int reset(void **state)
{
	nr_busy = 0;
	last_hint = NULL;
	mmap_errno = 0;
	madvise_errno = 0;
	return 0;
}

static void assert_nonce(const struct uroce_nonce *nonce)
{
	const uint64_t *page = (const uint64_t *)(uintptr_t)nonce->address;

	assert_int_equal(nonce->value, NONCE);
	assert_int_equal(nonce->address % (uint64_t)sysconf(_SC_PAGESIZE), 0);
	assert_int_equal(*page, NONCE);
}

static void nonce_address_is_random(void **state)
{
	struct uroce_nonce one, two;

	assert_int_equal(uroce_nonce_open(NONCE, &one), 0);
	assert_int_equal(uroce_nonce_open(NONCE, &two), 0);
	assert_nonce(&one);
	assert_nonce(&two);
	assert_int_equal(one.is_unique, can_be_unique);
	assert_int_equal(two.is_unique, can_be_unique);
	/* not side by side, as the system would map them */
	if (can_be_unique)
		assert_true(one.address - two.address + 0x100000 > 0x200000);
	uroce_nonce_close(&one);
	uroce_nonce_close(&two);
	assert_int_equal(one.address, 0);
	assert_false(one.is_unique);
	uroce_nonce_close(&one);
}

static void nonce_second_range_is_used_if_first_is_busy(void **state)
{
	struct uroce_nonce nonce;

	nr_busy = 1;
	assert_int_equal(uroce_nonce_open(NONCE, &nonce), 0);
	assert_nonce(&nonce);
	if (can_be_unique)
		assert_int_equal((uint64_t)(uintptr_t)last_hint >> 38, 1);
	/* AddressSanitizer uses this range */
	assert_int_equal(nonce.is_unique,
			 nonce.address == (uintptr_t)last_hint);
	uroce_nonce_close(&nonce);
}

static void nonce_elsewhere_is_not_unique(void **state)
{
	struct uroce_nonce nonce;

	nr_busy = 2;
	assert_int_equal(uroce_nonce_open(NONCE, &nonce), 0);
	assert_nonce(&nonce);
	assert_false(nonce.is_unique);
	uroce_nonce_close(&nonce);
}

static void nonce_failed_system_call_is_reported(void **state)
{
	struct uroce_nonce nonce = { .address = 1 };

	mmap_errno = ENOMEM;
	assert_int_equal(uroce_nonce_open(NONCE, &nonce), -ENOMEM);
	mmap_errno = 0;
	madvise_errno = EINVAL;
	assert_int_equal(uroce_nonce_open(NONCE, &nonce), -EINVAL);
	assert_int_equal(nonce.address, 1);
}

/* The child of a dead peer may get its pid. */
static void nonce_is_not_inherited_by_fork(void **state)
{
	struct uroce_nonce nonce;
	int pid, status;

	assert_int_equal(uroce_nonce_open(NONCE, &nonce), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		void *page = (void *)(uintptr_t)nonce.address;

		_exit(!(msync(page, 1, MS_ASYNC) < 0 && errno == ENOMEM));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	uroce_nonce_close(&nonce);
}

/* The methods of this system, and the same without VM. */
static void cma_without_unique_nonce_has_no_vm(void **state)
{
	const unsigned int both = UROCE_CMA_VM | UROCE_CMA_MEM;
	struct uroce_cma cma = { .mem = -1 };
	struct uroce_nonce nonce;
	bool has_mem;

	assert_int_equal(uroce_nonce_open(NONCE, &nonce), 0);
	if (uroce_cma_open(getpid(), both, &nonce, &cma)) {
		uroce_nonce_close(&nonce);
		return;
	}
	has_mem = cma.mem >= 0;
	uroce_cma_close(&cma);
	nonce.is_unique = false;
	assert_int_equal(uroce_cma_open(getpid(), both, &nonce, &cma),
			 has_mem ? 0 : -EPERM);
	assert_false(cma.vm);
	assert_int_equal(cma.mem >= 0, has_mem);
	uroce_cma_close(&cma);
	uroce_nonce_close(&nonce);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(nonce_address_is_random, reset),
		cmocka_unit_test_teardown(
			nonce_second_range_is_used_if_first_is_busy, reset),
		cmocka_unit_test_teardown(nonce_elsewhere_is_not_unique, reset),
		cmocka_unit_test_teardown(nonce_failed_system_call_is_reported,
					  reset),
		cmocka_unit_test_teardown(nonce_is_not_inherited_by_fork,
					  reset),
		cmocka_unit_test_teardown(cma_without_unique_nonce_has_no_vm,
					  reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
