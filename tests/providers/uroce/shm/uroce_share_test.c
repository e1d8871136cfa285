/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which memory can be shared. Each test runs with the kernel's PROCMAP_QUERY,
 * if available, and without it.
 */
#include "uroce/shm/uroce_share.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "uroce/shm/uroce_memfd.h"

#define PAGE  4096
#define BYTES (8 * PAGE)

static int maps;
static bool no_query;

int __real_ioctl(int fd, unsigned long request, void *arg);
int __wrap_ioctl(int fd, unsigned long request, void *arg);

int __wrap_ioctl(int fd, unsigned long request, void *arg)
{
	if (no_query) {
		errno = ENOTTY;
		return -1;
	}
	return __real_ioctl(fd, request, arg);
}

static int make_memfd(int seals)
{
	int fd = memfd_create("of an application", MFD_ALLOW_SEALING);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, BYTES), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

static uint8_t *map_at(void *where, int fd, size_t bytes, int prot, int flags,
		       off_t offset)
{
	void *memory = mmap(where, bytes, prot, flags | (where ? MAP_FIXED : 0),
			    fd, offset);

	assert_ptr_not_equal(memory, MAP_FAILED);
	return memory;
}

static uint8_t *map(int fd)
{
	return map_at(NULL, fd, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, 0);
}

static int find(const uint8_t *memory, size_t bytes, struct uroce_span *span)
{
	return uroce_vma_find(maps, (uintptr_t)memory, bytes, span);
}

static void assert_none(const uint8_t *memory, size_t bytes)
{
	struct uroce_span span;

	assert_int_equal(find(memory, bytes, &span), -ENOENT);
}

static void share_memfd_is_found(void **state)
{
	int fd = make_memfd(F_SEAL_SHRINK);
	uint8_t *memory = map(fd);
	struct uroce_span span;
	uint64_t bytes = 0;
	int own;

	assert_int_equal(find(memory + 5, BYTES - 5, &span), 0);
	assert_int_equal(span.offset, 5);
	own = uroce_share_open(&span, &bytes);
	assert_true(own >= 0);
	assert_int_not_equal(own, fd);
	assert_int_equal(bytes, BYTES);
	assert_true(fcntl(own, F_GETFD) & FD_CLOEXEC);
	/* the same file */
	assert_int_equal(pwrite(own, "here", 4, 100), 4);
	assert_memory_equal(memory + 100, "here", 4);
	(void)close(own);
	(void)close(fd);
	assert_int_equal(uroce_share_open(&span, &bytes), -ENOENT);
	(void)munmap(memory, BYTES);
}

static void share_adjacent_mappings_of_file_are_joined(void **state)
{
	int fd = make_memfd(F_SEAL_SHRINK);
	uint8_t *memory = map(fd);
	struct uroce_span span;

	/* the same pages, but another mapping */
	(void)map_at(memory + 2 * PAGE, fd, PAGE, PROT_READ | PROT_WRITE,
		     MAP_SHARED, 2 * PAGE);
	assert_int_equal(madvise(memory + 4 * PAGE, PAGE, MADV_DONTFORK), 0);
	assert_int_equal(find(memory + PAGE, 5 * PAGE, &span), 0);
	assert_int_equal(span.offset, PAGE);
	/* the same pages in another order */
	(void)map_at(memory + 2 * PAGE, fd, PAGE, PROT_READ | PROT_WRITE,
		     MAP_SHARED, 3 * PAGE);
	assert_none(memory + PAGE, 5 * PAGE);
	assert_int_equal(find(memory + 2 * PAGE, 100, &span), 0);
	assert_int_equal(span.offset, 3 * PAGE);
	(void)munmap(memory, BYTES);
	(void)close(fd);
}

static void share_adjacent_mappings_above_limit_are_rejected(void **state)
{
	int fd = memfd_create("of iovecs", MFD_ALLOW_SEALING);
	uint8_t *memory;

	assert_int_equal(ftruncate(fd, 40 * PAGE), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	memory = map_at(NULL, fd, 40 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
			0);
	for (size_t i = 0; i < 40; i += 2)
		assert_int_equal(
			madvise(memory + i * PAGE, PAGE, MADV_DONTFORK), 0);
	assert_none(memory, 40 * PAGE);
	(void)munmap(memory, 40 * PAGE);
	(void)close(fd);
}

static void share_range_in_two_files_is_rejected(void **state)
{
	int fd = make_memfd(F_SEAL_SHRINK), other = make_memfd(F_SEAL_SHRINK);
	uint8_t *memory = map(fd);

	(void)map_at(memory + 4 * PAGE, other, 4 * PAGE, PROT_READ | PROT_WRITE,
		     MAP_SHARED, 4 * PAGE);
	assert_none(memory, BYTES);
	assert_none(memory + 4 * PAGE - 1, 2);
	(void)munmap(memory, BYTES);
	(void)close(fd);
	(void)close(other);
}

static void share_range_with_hole_is_rejected(void **state)
{
	int fd = make_memfd(F_SEAL_SHRINK);
	uint8_t *memory = map(fd);
	struct uroce_span span;

	assert_int_equal(munmap(memory + 3 * PAGE, PAGE), 0);
	assert_none(memory, BYTES);
	assert_none(memory + 3 * PAGE, 1);
	assert_int_equal(find(memory, 3 * PAGE, &span), 0);
	assert_none(memory, 3 * PAGE + 1);
	(void)munmap(memory, BYTES);
	(void)close(fd);
	assert_none((uint8_t *)UINTPTR_MAX - 10, 100);
	assert_none(memory, 0);
}

/* Private, read-only, anonymous, or of a file of another kind. */
static void share_unsuitable_mapping_is_rejected(void **state)
{
	int fd = make_memfd(F_SEAL_SHRINK);
	FILE *file = tmpfile();
	uint8_t *memory;

	memory =
		map_at(NULL, fd, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE, 0);
	assert_none(memory, BYTES);
	(void)map_at(memory, fd, BYTES, PROT_READ, MAP_SHARED, 0);
	assert_none(memory, BYTES);
	(void)map_at(memory, -1, BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, 0);
	assert_none(memory, BYTES);
	(void)map_at(memory, -1, BYTES, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, 0);
	assert_none(memory, BYTES);
	assert_non_null(file);
	assert_int_equal(ftruncate(fileno(file), BYTES), 0);
	(void)map_at(memory, fileno(file), BYTES, PROT_READ | PROT_WRITE,
		     MAP_SHARED, 0);
	assert_none(memory, BYTES);
	(void)fclose(file);
	(void)munmap(memory, BYTES);
	(void)close(fd);
	assert_none((const uint8_t *)&maps, sizeof(maps));
}

static void refuse_to_open(int fd)
{
	uint8_t *memory = map(fd);
	struct uroce_span span;
	uint64_t bytes;

	assert_int_equal(find(memory, BYTES, &span), 0);
	assert_int_equal(uroce_share_open(&span, &bytes), -ENOENT);
	(void)munmap(memory, BYTES);
	(void)close(fd);
}

/* The file could be truncated, or be read-only for others. */
static void share_wrong_seals_are_rejected(void **state)
{
	refuse_to_open(make_memfd(0));
	refuse_to_open(make_memfd(F_SEAL_GROW));
	refuse_to_open(make_memfd(F_SEAL_SEAL));
}

static void share_sealed_against_writing_is_rejected(void **state)
{
	int fd = make_memfd(F_SEAL_SHRINK);
	uint8_t *memory = map(fd);
	struct uroce_span span;
	uint64_t bytes;

	assert_int_equal(find(memory, BYTES, &span), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE), 0);
	assert_int_equal(uroce_share_open(&span, &bytes), -ENOENT);
	(void)munmap(memory, BYTES);
	(void)close(fd);
}

static void share_without_descriptor_fails(void **state)
{
	int fd = make_memfd(F_SEAL_SHRINK);
	uint8_t *memory = map(fd);
	struct rlimit limit, few;
	struct uroce_span span;
	uint64_t bytes;

	assert_int_equal(find(memory, BYTES, &span), 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	few = limit;
	/* one for the directory, none for the copy */
	few.rlim_cur = (rlim_t)fd + 2;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	assert_true(uroce_share_open(&span, &bytes) < 0);
	few.rlim_cur = (rlim_t)fd;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	assert_true(uroce_share_open(&span, &bytes) < 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	(void)munmap(memory, BYTES);
	(void)close(fd);
}

static void share_memfd_size_checks_seals_and_type(void **state)
{
	int fds[] = { make_memfd(0), make_memfd(F_SEAL_SHRINK | F_SEAL_WRITE),
		      make_memfd(F_SEAL_SHRINK | F_SEAL_FUTURE_WRITE),
		      open("/dev/zero", O_RDWR | O_CLOEXEC),
		      memfd_create("empty", MFD_ALLOW_SEALING) };
	uint64_t bytes = 1;

	assert_int_equal(fcntl(fds[4], F_ADD_SEALS, F_SEAL_SHRINK), 0);
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
		assert_int_equal(uroce_memfd_size(fds[i], &bytes), -EPROTO);
		(void)close(fds[i]);
	}
	assert_int_equal(uroce_memfd_size(-1, &bytes), -EPROTO);
	assert_int_equal(bytes, 1);
}

/* Pages may be missing at the first access. */
static void share_huge_pages_are_rejected(void **state)
{
	int fd = memfd_create("huge", MFD_ALLOW_SEALING | MFD_HUGETLB);
	uint64_t bytes;

	if (fd < 0) /* the kernel has no huge pages */
		return;
	assert_int_equal(ftruncate(fd, 2 << 20), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	assert_int_equal(uroce_memfd_size(fd, &bytes), -EPROTO);
	(void)close(fd);
}

static void share_maps_line_is_parsed(void **state)
{
	static const char good[] =
		"7f0000000000-7f0000002000 rw-s 00001000 00:01 1025"
		"                       /memfd:name (deleted)";
	static const char *const bad[] = {
		"",
		"7f0000000000",
		"7f0000002000-7f0000000000 rw-s 00001000 00:01 1025 /memfd:x",
		"7f0000000000-7f0000002000 rw-s 00001000 00:01",
		"zz-7f0000002000 rw-s 00001000 00:01 1025 /memfd:x",
	};
	static const char *const unsuited[] = {
		"1000-3000 rw-s 00001000 00:01 1025",
		"1000-3000 rw-p 00001000 00:01 1025 /memfd:x",
		"1000-3000 r--s 00001000 00:01 1025 /memfd:x",
		"1000-3000 rw 00001000 00:01 1025 /memfd:x",
		"1000-3000 rw-s 00001000 00:01 1025 /a/memfd:x",
		"1000-3000 rw-s 00001000 00:01 1025 /SYSV00000000",
	};
	struct uroce_vma vma;

	assert_int_equal(uroce_vma_parse(good, &vma), 0);
	assert_int_equal(vma.begin, 0x7f0000000000);
	assert_int_equal(vma.end, 0x7f0000002000);
	assert_int_equal(vma.span.offset, 0x1000);
	assert_int_equal(vma.span.dev, 1);
	assert_int_equal(vma.span.inode, 1025);
	assert_true(vma.suits);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(uroce_vma_parse(bad[i], &vma), -EINVAL);
	for (size_t i = 0; i < sizeof(unsuited) / sizeof(unsuited[0]); i++) {
		assert_int_equal(uroce_vma_parse(unsuited[i], &vma), 0);
		assert_false(vma.suits);
	}
}

static const struct uroce_span a_span = { .dev = 1, .inode = 7, .offset = 100 };

static void share_is_common_to_regions_of_file(void **state)
{
	struct uroce_span span = a_span;
	struct uroce_shares shares;
	uint64_t id, other;

	uroce_shares_init(&shares);
	assert_int_equal(uroce_shares_use(&shares, &span, 10), 0);
	id = uroce_shares_add(&shares, &span, make_memfd(0), 1000);
	assert_int_not_equal(id, 0);
	assert_int_equal(uroce_shares_use(&shares, &span, 900), id);
	/* the share has grown */
	assert_int_equal(uroce_shares_use(&shares, &span, 901), 0);
	span.offset = UINT64_MAX;
	assert_int_equal(uroce_shares_use(&shares, &span, 2), 0);
	span.inode++;
	assert_int_equal(uroce_shares_use(&shares, &span, 10), 0);
	other = uroce_shares_add(&shares, &span, make_memfd(0), 1000);
	assert_int_not_equal(other, id);
	assert_true(uroce_shares_fd(&shares, id) >= 0);
	assert_false(uroce_shares_put(&shares, id));
	assert_true(uroce_shares_put(&shares, id));
	assert_int_equal(uroce_shares_fd(&shares, id), -ENOENT);
	assert_false(uroce_shares_put(&shares, id));
	assert_int_equal(uroce_shares_fd(&shares, 0), -ENOENT);
	assert_true(uroce_shares_fd(&shares, other) >= 0);
	uroce_shares_fini(&shares);
	assert_int_equal(uroce_shares_fd(&shares, other), -ENOENT);
}

static void share_ids_are_unique_and_limited(void **state)
{
	struct uroce_span span = a_span;
	struct uroce_shares shares;
	uint64_t ids[UROCE_SHARES], again;

	uroce_shares_init(&shares);
	for (uint32_t i = 0; i < UROCE_SHARES; i++) {
		span.inode = 100 + i;
		ids[i] = uroce_shares_add(&shares, &span, make_memfd(0), 1000);
		assert_int_not_equal(ids[i], 0);
		for (uint32_t k = 0; k < i; k++)
			assert_int_not_equal(ids[k] % UROCE_SHARES,
					     ids[i] % UROCE_SHARES);
	}
	span.inode++;
	assert_int_equal(uroce_shares_add(&shares, &span, -1, 1000), 0);
	assert_true(uroce_shares_put(&shares, ids[5]));
	again = uroce_shares_add(&shares, &span, make_memfd(0), 1000);
	assert_int_equal(again % UROCE_SHARES, ids[5] % UROCE_SHARES);
	assert_true(again > ids[UROCE_SHARES - 1]);
	uroce_shares_fini(&shares);
}

static int ask_the_kernel(void **state)
{
	no_query = false;
	maps = uroce_vma_open();
	return maps < 0;
}

static int read_the_text(void **state)
{
	no_query = true;
	maps = uroce_vma_open();
	return maps < 0;
}

static int stop_asking(void **state)
{
	return close(maps);
}

#define BOTH(fn)                                                    \
	{ #fn, fn, ask_the_kernel, stop_asking, NULL },             \
	{                                                           \
#fn " (text)", fn, read_the_text, stop_asking, NULL \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(share_memfd_is_found),
		BOTH(share_adjacent_mappings_of_file_are_joined),
		BOTH(share_adjacent_mappings_above_limit_are_rejected),
		BOTH(share_range_in_two_files_is_rejected),
		BOTH(share_range_with_hole_is_rejected),
		BOTH(share_unsuitable_mapping_is_rejected),
		BOTH(share_wrong_seals_are_rejected),
		BOTH(share_sealed_against_writing_is_rejected),
		BOTH(share_without_descriptor_fails),
		cmocka_unit_test(share_memfd_size_checks_seals_and_type),
		cmocka_unit_test(share_huge_pages_are_rejected),
		cmocka_unit_test(share_maps_line_is_parsed),
		cmocka_unit_test(share_is_common_to_regions_of_file),
		cmocka_unit_test(share_ids_are_unique_and_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
