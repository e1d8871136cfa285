/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tests of libibverbs/core/page_bounds.c. */
#include "core/page_bounds.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* last: cmocka.h needs the headers above */
#include <cmocka.h>

#define PAGE 4096

/* smaps in the kernel's format, without irrelevant fields. */
static const char usual_text[] =
	"00400000-00452000 r-xp 00000000 08:02 173521      /usr/bin/program\n"
	"Size:                328 kB\n"
	"KernelPageSize:        4 kB\n"
	"MMUPageSize:           4 kB\n"
	"VmFlags: rd ex mr mw me dw sd\n"
	"40000000-40400000 rw-p 00000000 00:0f 16384       /anon_hugepage\n"
	"Size:               4096 kB\n"
	"KernelPageSize:     2048 kB\n"
	"MMUPageSize:        2048 kB\n"
	"VmFlags: rd wr mr mw me de ht sd\n"
	"40400000-40500000 rw-p 00000000 00:00 0\n"
	"KernelPageSize:        4 kB\n"
	"80000000-c0000000 rw-p 00000000 00:0f 16385       /anon_hugepage\n"
	"KernelPageSize:  1048576 kB\n";

static int page_bounds_of(const char *text, uintptr_t base, size_t size,
			  uintptr_t *ret_begin, uintptr_t *ret_end)
{
	FILE *file = NULL;
	int ret;

	if (text) {
		file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
		assert_non_null(file);
	}
	ret = verbs_page_bounds(file, base, size, PAGE, ret_begin, ret_end);
	if (file)
		assert_int_equal(fclose(file), 0);
	return ret;
}

static void assert_page_bounds(const char *text, uintptr_t base, size_t size,
			       uintptr_t expected_begin, uintptr_t expected_end)
{
	uintptr_t begin = 1, end = 1;

	assert_int_equal(page_bounds_of(text, base, size, &begin, &end), 0);
	assert_int_equal(begin, expected_begin);
	assert_int_equal(end, expected_end);
}

static void page_bounds_base_pages_need_no_smaps(void **state)
{
	assert_page_bounds(NULL, 0x1000, 1, 0x1000, 0x2000);
	assert_page_bounds(NULL, 0x1000, 0x1000, 0x1000, 0x2000);
	assert_page_bounds(NULL, 0x1001, 0x1000, 0x1000, 0x3000);
	assert_page_bounds(NULL, 0x1fff, 1, 0x1000, 0x2000);
	assert_page_bounds(NULL, 0x1fff, 2, 0x1000, 0x3000);
}

static void page_bounds_huge_pages_are_rounded(void **state)
{
	assert_page_bounds(usual_text, 0x40000000, 1, 0x40000000, 0x40200000);
	assert_page_bounds(usual_text, 0x401fffff, 2, 0x40000000, 0x40400000);
	assert_page_bounds(usual_text, 0x80001000, 0x1000, 0x80000000,
			   0xc0000000);
}

static void page_bounds_base_pages_beside_huge_pages_are_kept(void **state)
{
	assert_page_bounds(usual_text, 0x400100, 8, 0x400000, 0x401000);
	assert_page_bounds(usual_text, 0x40400000, 0x1001, 0x40400000,
			   0x40402000);
}

/* Each end is rounded to the pages of its own mapping. */
static void page_bounds_range_across_mappings_is_rounded(void **state)
{
	assert_page_bounds(usual_text, 0x40201000, 0x200000, 0x40200000,
			   0x40401000);
	assert_page_bounds(usual_text, 0x404ff001, 0x40000000, 0x404ff000,
			   0xc0000000);
}

static void page_bounds_unmapped_memory_has_base_pages(void **state)
{
	assert_page_bounds(usual_text, 0x100, 8, 0, 0x1000);
	assert_page_bounds(usual_text, 0x40500010, 8, 0x40500000, 0x40501000);
	assert_page_bounds(usual_text, 0xf0000010, 8, 0xf0000000, 0xf0001000);
	assert_page_bounds(" ", 0x1001, 1, 0x1000, 0x2000);
}

static void page_bounds_wrapping_range_is_einval(void **state)
{
	uintptr_t begin = 1, end = 2;

	assert_int_equal(
		page_bounds_of(NULL, UINTPTR_MAX - 10, 12, &begin, &end),
		-EINVAL);
	/* the last page ends at the end of the address space */
	assert_int_equal(
		page_bounds_of(NULL, UINTPTR_MAX - 10, 2, &begin, &end),
		-EINVAL);
	assert_int_equal(page_bounds_of(NULL, 1, SIZE_MAX, &begin, &end),
			 -EINVAL);
	assert_int_equal(begin, 1);
	assert_int_equal(end, 2);
}

/* Only a power of two is a valid size. */
static void page_bounds_invalid_lines_are_skipped(void **state)
{
	static const char *const lines[] = {
		"KernelPageSize: 0 kB\n",
		"KernelPageSize: 3 kB\n",
		"KernelPageSize: -4 kB\n",
		"KernelPageSize: 2048\n",
		"KernelPageSize: 2048 MB\n",
		"KernelPageSize: kB\n",
		"KernelPageSize:\n",
		"KernelPageSize: 18446744073709551616 kB\n",
		"KernelPageSize: 9223372036854775808 kB\n",
		"KernelPageSize: 4294967296 kB\n",
		" KernelPageSize: 2048 kB\n",
		"MMUPageSize: 2048 kB\n",
		"40000000-40400000\nKernelPageSize: 2048 kB\n",
		"\n\n\n",
	};
	char text[512];

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		(void)snprintf(text, sizeof(text), "%s%s",
			       "40000000-40400000 rw-p 0 0:0 0\n", lines[i]);
		if (strstr(lines[i], "400000\n"))
			assert_page_bounds(text, 0x40001001, 1, 0x40000000,
					   0x40200000);
		else
			assert_page_bounds(text, 0x40001001, 1, 0x40001000,
					   0x40002000);
	}
}

static void page_bounds_invalid_mappings_are_skipped(void **state)
{
	static const char *const lines[] = {
		"40000000 rw-p\n",
		"40000000-\n",
		"-40400000 rw-p\n",
		"40400000-40000000 rw-p\n",
		"40000000-40000000 rw-p\n",
		"40000000-40400000rw-p\n",
		"40000000- 40400000 rw-p\n",
		"40000000--40400000 rw-p\n",
		"ffffffffffffffffffff-0 rw-p\n",
	};
	char text[512];

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		(void)snprintf(text, sizeof(text), "%s%s", lines[i],
			       "KernelPageSize: 2048 kB\n");
		assert_page_bounds(text, 0x40001001, 1, 0x40001000, 0x40002000);
	}
}

/* A file name can have any content and length. */
static void page_bounds_file_names_are_not_parsed(void **state)
{
	char text[1024] = "40000000-40400000 rw-p 00000000 00:0f 1 /";
	size_t len = strlen(text);

	memset(text + len, 'x', 300);
	(void)snprintf(text + len + 300, sizeof(text) - len - 300,
		       "50000000-50400000 rw-p KernelPageSize: 64 kB\n"
		       "KernelPageSize: 2048 kB\n");
	for (size_t cut = 0; cut < 200; cut++) {
		assert_page_bounds(text, 0x40001001, 1, 0x40000000, 0x40200000);
		memmove(text + len, text + len + 1, strlen(text + len));
	}
}

static void page_bounds_truncated_smaps_is_accepted(void **state)
{
	char text[sizeof(usual_text)];

	for (size_t len = 1; len < sizeof(usual_text); len++) {
		uintptr_t begin, end;

		memcpy(text, usual_text, len);
		text[len] = '\0';
		assert_int_equal(
			page_bounds_of(text, 0x80001000, 1, &begin, &end), 0);
		assert_in_range(begin, 0x80000000, 0x80001000);
	}
}

/* A fixed seed. */
static unsigned int random_below(unsigned int limit)
{
	static uint32_t x = 4711;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return x % limit;
}

/* For any text, the pages contain the range. */
static void page_bounds_corrupt_smaps_is_harmless(void **state)
{
	static const char bytes[] = "0123456789abcdefKkBSize: -\n\t\xff";
	char text[sizeof(usual_text)];

	for (int round = 0; round < 20000; round++) {
		uintptr_t base = 0x40000000 + random_below(0x500000);
		uintptr_t begin, end;

		memcpy(text, usual_text, sizeof(text));
		for (int i = 0; i < 8; i++)
			text[random_below(sizeof(text) - 1)] =
				bytes[random_below(sizeof(bytes) - 1)];
		assert_int_equal(page_bounds_of(text, base, 100, &begin, &end),
				 0);
		assert_true(begin <= base && end >= base + 100);
		assert_int_equal(begin % PAGE, 0);
		assert_int_equal(end % PAGE, 0);
	}
}

static void page_bounds_smaps_of_running_kernel_is_parsed(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uintptr_t begin, end;
	FILE *smaps;
	char *memory;

	memory = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(memory, MAP_FAILED);
	smaps = fopen("/proc/self/smaps", "re");
	assert_non_null(smaps);
	/* only smaps shows that the base page size is wrong */
	assert_int_equal(verbs_page_bounds(smaps, (uintptr_t)memory + page + 1,
					   1, page / 4, &begin, &end),
			 0);
	assert_int_equal(begin, (uintptr_t)memory + page);
	assert_int_equal(end, (uintptr_t)memory + 2 * page);
	assert_int_equal(fclose(smaps), 0);
	assert_int_equal(munmap(memory, 4 * page), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(page_bounds_base_pages_need_no_smaps),
		cmocka_unit_test(page_bounds_huge_pages_are_rounded),
		cmocka_unit_test(
			page_bounds_base_pages_beside_huge_pages_are_kept),
		cmocka_unit_test(page_bounds_range_across_mappings_is_rounded),
		cmocka_unit_test(page_bounds_unmapped_memory_has_base_pages),
		cmocka_unit_test(page_bounds_wrapping_range_is_einval),
		cmocka_unit_test(page_bounds_invalid_lines_are_skipped),
		cmocka_unit_test(page_bounds_invalid_mappings_are_skipped),
		cmocka_unit_test(page_bounds_file_names_are_not_parsed),
		cmocka_unit_test(page_bounds_truncated_smaps_is_accepted),
		cmocka_unit_test(page_bounds_corrupt_smaps_is_harmless),
		cmocka_unit_test(page_bounds_smaps_of_running_kernel_is_parsed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
