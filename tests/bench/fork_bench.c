/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * fork_bench LIBRARY [COUNT] - the cost of registering and deregistering memory
 * after ibv_fork_init(3), without the device. Calls ibv_dontfork_range() and
 * ibv_dofork_range() of the named library file, and prints a line of
 * key=nanoseconds of processor time for each call and pattern of registrations.
 * fork_bench.sh compares two libraries with it.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define COUNT 100000

#define FORK_ENABLED	   1 /* enum ibv_fork_status */
#define NOTHING_TO_MEASURE 77

/* Pages of address space, none of which is ever touched. */
#define NR_PAGES ((size_t)1 << 20)

static int (*dontfork_range)(void *base, size_t size);
static int (*dofork_range)(void *base, size_t size);

static char *memory;
static size_t page; /* bytes */

struct range {
	size_t begin; /* bytes from the start of memory */
	size_t size;
};

static struct range *ranges;
static size_t count;

static void fail(const char *what)
{
	fprintf(stderr, "fork_bench: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* The same numbers in each run, for both libraries. */
static uint32_t random_below(uint32_t limit)
{
	static uint64_t x = 12345;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return (uint32_t)(x % limit);
}

static double now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void dontfork(const struct range *range)
{
	if (dontfork_range(memory + range->begin, range->size) != 0)
		fail("ibv_dontfork_range");
}

static void dofork(const struct range *range)
{
	if (dofork_range(memory + range->begin, range->size) != 0)
		fail("ibv_dofork_range");
}

/* ------------------------------------------------------------------------ */
/* Patterns                                                                  */
/* ------------------------------------------------------------------------ */

/* Adjacent buffers of one page. */
static struct range neighbours(size_t i)
{
	return (struct range){ i * page, page };
}

/* Many buffers in a page, as malloc() returns them. */
static struct range many_per_page(size_t i)
{
	return (struct range){ i * 256, 200 };
}

/* Buffers of 4 pages that share one with each neighbour. */
static struct range chain(size_t i)
{
	return (struct range){ i * 3 * page, 4 * page };
}

/* Buffers of all sizes up to 1000 pages, anywhere. */
static struct range anywhere(size_t i)
{
	return (struct range){
		random_below((uint32_t)(NR_PAGES - 1000)) * page,
		(1 + random_below(1000)) * page,
	};
}

/* A buffer around all earlier ones. */
static struct range nested(size_t i)
{
	return (struct range){ (NR_PAGES / 2 - i) * page, (2 * i + 1) * page };
}

static void shuffle(void)
{
	for (size_t i = count; i > 1; i--) {
		size_t other = random_below((uint32_t)i);
		struct range range = ranges[i - 1];

		ranges[i - 1] = ranges[other];
		ranges[other] = range;
	}
}

/* Registers all buffers, then deregisters all, in another order. */
static void all_at_once(const char *name, struct range (*range_of)(size_t))
{
	double start, middle, end;

	for (size_t i = 0; i < count; i++)
		ranges[i] = range_of(i);
	start = now_ns();
	for (size_t i = 0; i < count; i++)
		dontfork(&ranges[i]);
	middle = now_ns();
	shuffle();
	end = now_ns();
	for (size_t i = 0; i < count; i++)
		dofork(&ranges[i]);
	printf("%s.register=%.0f\n%s.free=%.0f\n", name,
	       (middle - start) / (double)count, name,
	       (now_ns() - end) / (double)count);
}

/*
 * Deregisters each buffer before it registers the next one, beside islands that
 * stay.
 */
static void one_by_one(const char *name)
{
	double start;

	for (size_t i = 0; i < 10000; i++) {
		const struct range island = { 2 * i * page, page };

		dontfork(&island);
	}
	for (size_t i = 0; i < count; i++)
		ranges[i] = (struct range){
			(30000 + random_below(500000)) * page,
			(1 + random_below(16)) * page,
		};
	start = now_ns();
	for (size_t i = 0; i < count; i++) {
		dontfork(&ranges[i]);
		dofork(&ranges[i]);
	}
	printf("%s.both=%.0f\n", name, (now_ns() - start) / (double)count);
}

static const struct pattern {
	const char *name;
	struct range (*range_of)(size_t i); /* NULL: one by one */
	size_t parts; /* divisor of COUNT: n steps per call take n^2 time */
} patterns[] = {
	{ "neighbours", neighbours, 1 }, { "small", many_per_page, 1 },
	{ "chain", chain, 1 },		 { "anywhere", anywhere, 1 },
	{ "nested", nested, 10 },	 { "one_by_one", NULL, 1 },
};

static void *load_function(void *library, const char *name, const char *version)
{
	void *address = dlvsym(library, name, version);

	if (!address) {
		fprintf(stderr, "fork_bench: %s\n", dlerror());
		exit(1);
	}
	return address;
}

static void load_library(const char *file)
{
	void *library = dlopen(file, RTLD_NOW);
	int (*fork_init)(void);
	int (*is_initialized)(void);

	if (!library) {
		fprintf(stderr, "fork_bench: %s\n", dlerror());
		exit(1);
	}
	*(void **)&fork_init =
		load_function(library, "ibv_fork_init", "IBVERBS_1.1");
	*(void **)&is_initialized = load_function(
		library, "ibv_is_fork_initialized", "IBVERBS_1.13");
	*(void **)&dontfork_range =
		load_function(library, "ibv_dontfork_range", "IBVERBS_1.1");
	*(void **)&dofork_range =
		load_function(library, "ibv_dofork_range", "IBVERBS_1.1");
	errno = fork_init();
	if (errno)
		fail("ibv_fork_init");
	if (is_initialized() != FORK_ENABLED) {
		fprintf(stderr, "fork_bench: this kernel copies registered "
				"memory for children: nothing to measure\n");
		exit(NOTHING_TO_MEASURE);
	}
}

/* In a process of its own, without state of another pattern. */
static void run_pattern(const struct pattern *pattern, const char *file)
{
	load_library(file);
	count /= pattern->parts;
	ranges = calloc(count, sizeof(*ranges));
	memory = mmap(NULL, NR_PAGES * page, PROT_READ,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!ranges || memory == MAP_FAILED)
		fail("memory");
	if (pattern->range_of)
		all_at_once(pattern->name, pattern->range_of);
	else
		one_by_one(pattern->name);
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: fork_bench LIBRARY [COUNT]\n");
		return 2;
	}
	page = (size_t)sysconf(_SC_PAGESIZE);
	count = argc > 2 ? strtoul(argv[2], NULL, 10) : COUNT;
	if (count < 10 || count > NR_PAGES / 4) {
		fprintf(stderr, "fork_bench: 10 to %zu\n", NR_PAGES / 4);
		return 2;
	}

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		int status;
		pid_t pid = fork();

		if (pid < 0)
			fail("fork");
		if (pid == 0) {
			run_pattern(&patterns[i], argv[1]);
			return fflush(stdout) != 0;
		}
		if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
			return 1;
		if (WEXITSTATUS(status))
			return WEXITSTATUS(status);
	}
	return 0;
}
