/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared memory of confidential virtual machines:
 * libibverbs/foreign/foreign_heap.c with a fake heap.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-heap.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* last: requires the four headers above */
#include <cmocka.h>

#include "foreign/foreign_cmd.h"
#include "support/alloc_fail.h"

#define HEAP_FD	   1000001
#define DMABUF_FD  1000002
#define MEMORY_LEN 8192

static char memory[MEMORY_LEN];

/* Errors to return, and the numbers of open descriptors and mappings. */
static struct {
	int open_err, ioctl_err, mmap_err;
	int heaps, dmabufs, mappings;
	uint64_t requested_len;
} fake;

int __wrap_open(const char *path, int flags, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);
void *__wrap_mmap(void *addr, size_t len, int prot, int flags, int fd,
		  off_t offset);
int __wrap_munmap(void *addr, size_t len);
int __wrap_close(int fd);
int __real_close(int fd);

int __wrap_open(const char *path, int flags, ...)
{
	assert_string_equal(path, "/dev/dma_heap/system_cc_shared");
	assert_int_equal(flags & O_ACCMODE, O_RDWR);
	if (fake.open_err) {
		errno = fake.open_err;
		return -1;
	}
	fake.heaps++;
	return HEAP_FD;
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	struct dma_heap_allocation_data *data;
	va_list args;

	va_start(args, request);
	data = va_arg(args, struct dma_heap_allocation_data *);
	va_end(args);
	assert_int_equal(fd, HEAP_FD);
	assert_int_equal(request, DMA_HEAP_IOCTL_ALLOC);
	assert_int_equal(data->fd, 0);
	assert_int_equal(data->fd_flags, O_RDWR | O_CLOEXEC);
	assert_int_equal(data->heap_flags, 0);
	if (fake.ioctl_err) {
		errno = fake.ioctl_err;
		return -1;
	}
	fake.requested_len = data->len;
	data->fd = DMABUF_FD;
	fake.dmabufs++;
	return 0;
}

void *__wrap_mmap(void *addr, size_t len, int prot, int flags, int fd,
		  off_t offset)
{
	assert_int_equal(fd, DMABUF_FD);
	assert_int_equal(len, fake.requested_len);
	assert_int_equal(prot, PROT_READ | PROT_WRITE);
	assert_int_equal(flags, MAP_SHARED);
	assert_int_equal(offset, 0);
	if (fake.mmap_err) {
		errno = fake.mmap_err;
		return MAP_FAILED;
	}
	fake.mappings++;
	return memory;
}

int __wrap_munmap(void *addr, size_t len)
{
	assert_ptr_equal(addr, memory);
	assert_int_equal(len, MEMORY_LEN);
	fake.mappings--;
	return 0;
}

int __wrap_close(int fd)
{
	if (fd == HEAP_FD)
		fake.heaps--;
	else if (fd == DMABUF_FD)
		fake.dmabufs--;
	else
		return __real_close(fd);
	errno = 0; /* a libc function may change errno */
	return 0;
}

static int reset_fake_heap(void **state)
{
	memset(&fake, 0, sizeof(fake));
	return 0;
}

static int check_heap_leaks(void **state)
{
	return fake.heaps || fake.dmabufs || fake.mappings ||
			       alloc_fail_nr_blocks()
		       ? -1
		       : 0;
}

static void foreign_heap_alloc_maps_memory_until_free(void **state)
{
	struct foreign_heap *heap = foreign_heap_cc_shared_init();
	int fd = -1;
	void *buf;

	assert_non_null(heap);
	buf = foreign_heap_alloc(heap, MEMORY_LEN, &fd);
	assert_ptr_equal(buf, memory);
	assert_int_equal(fd, DMABUF_FD);
	assert_int_equal(fake.requested_len, MEMORY_LEN);
	/* The memory stays mapped after the heap is closed. */
	foreign_heap_destroy(heap);
	assert_int_equal(fake.heaps, 0);
	assert_int_equal(fake.mappings, 1);
	foreign_heap_free(buf, MEMORY_LEN, fd);
}

static void foreign_heap_init_without_memory_returns_enomem(void **state)
{
	alloc_fail_at(1);
	assert_null(foreign_heap_cc_shared_init());
	assert_true(alloc_fail_done());
	assert_int_equal(errno, ENOMEM);
}

static void foreign_heap_init_without_kernel_heap_returns_enoent(void **state)
{
	fake.open_err = ENOENT;
	errno = 0;
	assert_null(foreign_heap_cc_shared_init());
	assert_int_equal(errno, ENOENT);
	foreign_heap_destroy(NULL);
}

static void foreign_heap_alloc_failure_closes_dmabuf(void **state)
{
	struct foreign_heap *heap = foreign_heap_cc_shared_init();
	int fd = -1;

	assert_non_null(heap);
	fake.ioctl_err = ENOMEM;
	assert_null(foreign_heap_alloc(heap, MEMORY_LEN, &fd));
	assert_int_equal(errno, ENOMEM);
	fake.ioctl_err = 0;
	fake.mmap_err = EAGAIN;
	assert_null(foreign_heap_alloc(heap, MEMORY_LEN, &fd));
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(fake.dmabufs, 0);
	assert_int_equal(fd, -1);
	foreign_heap_destroy(heap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			foreign_heap_alloc_maps_memory_until_free,
			reset_fake_heap, check_heap_leaks),
		cmocka_unit_test_setup_teardown(
			foreign_heap_init_without_memory_returns_enomem,
			reset_fake_heap, check_heap_leaks),
		cmocka_unit_test_setup_teardown(
			foreign_heap_init_without_kernel_heap_returns_enoent,
			reset_fake_heap, check_heap_leaks),
		cmocka_unit_test_setup_teardown(
			foreign_heap_alloc_failure_closes_dmabuf,
			reset_fake_heap, check_heap_leaks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
