/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory from the heap that a confidential guest shares: a heap of the test. */
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

/* last: it needs the four above */
#include <cmocka.h>

#include "foreign/foreign_cmd.h"
#include "support/alloc_fail.h"

#define HEAP_FD	   1000001
#define DMABUF_FD  1000002
#define MEMORY_LEN 8192

static char memory[MEMORY_LEN];

/* What fails, with which errno; and what is open and mapped. */
static struct {
	int open_err, ioctl_err, mmap_err;
	int heaps, dmabufs, mappings;
	uint64_t asked_len;
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
	fake.asked_len = data->len;
	data->fd = DMABUF_FD;
	fake.dmabufs++;
	return 0;
}

void *__wrap_mmap(void *addr, size_t len, int prot, int flags, int fd,
		  off_t offset)
{
	assert_int_equal(fd, DMABUF_FD);
	assert_int_equal(len, fake.asked_len);
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
	errno = 0; /* as a careless one might */
	return 0;
}

static int setup(void **state)
{
	memset(&fake, 0, sizeof(fake));
	return 0;
}

static int teardown(void **state)
{
	return fake.heaps || fake.dmabufs || fake.mappings ||
			       alloc_fail_nr_blocks()
		       ? -1
		       : 0;
}

static void memory_is_mapped_and_given_back(void **state)
{
	struct foreign_heap *heap = foreign_heap_cc_shared_init();
	int fd = -1;
	void *buf;

	assert_non_null(heap);
	buf = foreign_heap_alloc(heap, MEMORY_LEN, &fd);
	assert_ptr_equal(buf, memory);
	assert_int_equal(fd, DMABUF_FD);
	assert_int_equal(fake.asked_len, MEMORY_LEN);
	/* Memory outlives the heap that it came from. */
	foreign_heap_destroy(heap);
	assert_int_equal(fake.heaps, 0);
	assert_int_equal(fake.mappings, 1);
	foreign_heap_free(buf, MEMORY_LEN, fd);
}

static void a_heap_needs_memory(void **state)
{
	alloc_fail_at(1);
	assert_null(foreign_heap_cc_shared_init());
	assert_true(alloc_fail_done());
	assert_int_equal(errno, ENOMEM);
}

static void kernels_without_the_heap(void **state)
{
	fake.open_err = ENOENT;
	errno = 0;
	assert_null(foreign_heap_cc_shared_init());
	assert_int_equal(errno, ENOENT);
	foreign_heap_destroy(NULL);
}

static void memory_that_is_not_there(void **state)
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
		cmocka_unit_test_setup_teardown(memory_is_mapped_and_given_back,
						setup, teardown),
		cmocka_unit_test_setup_teardown(a_heap_needs_memory, setup,
						teardown),
		cmocka_unit_test_setup_teardown(kernels_without_the_heap, setup,
						teardown),
		cmocka_unit_test_setup_teardown(memory_that_is_not_there, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
