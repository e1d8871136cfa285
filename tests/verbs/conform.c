// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * conform DEVICE GID_INDEX [OPTION]... [GROUP|GROUP.TEST]...
 *
 * Conformance tests of verbs: runs all tests, or those named, between two
 * processes. README.md describes the options and the output.
 */
#include "conform_call.h"

#include <errno.h>
#include <getopt.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CAP_FLUSH_GLOBAL (UINT64_C(1) << 38)
#define CAP_ATOMIC_WRITE (UINT64_C(1) << 40)
#define ODP_CAPS                                                               \
	(IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV | IBV_ODP_SUPPORT_WRITE | \
	 IBV_ODP_SUPPORT_READ | IBV_ODP_SUPPORT_ATOMIC)
#define CAP_MW_2     (IBV_DEVICE_MEM_WINDOW_TYPE_2A | IBV_DEVICE_MEM_WINDOW_TYPE_2B)
#define MAX_EXPECTED 256

/* Groups whose sources the program does not contain have no address. */
#pragma weak conform_framework
#pragma weak conform_framework_api
#pragma weak conform_data
#pragma weak conform_data_lists
#pragma weak conform_odp
#pragma weak conform_odp_more
#pragma weak conform_odp_pages
#pragma weak conform_order
#pragma weak conform_completion
#pragma weak conform_atomic
#pragma weak conform_dm
#pragma weak conform_ext
#pragma weak conform_error
#pragma weak conform_flush
#pragma weak conform_mw
#pragma weak conform_state
#pragma weak conform_state_posts
#pragma weak conform_state_reset
#pragma weak conform_quiesce
#pragma weak conform_rnr
#pragma weak conform_srq
#pragma weak conform_event
#pragma weak conform_cq
#pragma weak conform_queues
#pragma weak conform_uc
#pragma weak conform_ud
#pragma weak conform_timeout
#pragma weak conform_xrc
#pragma weak conform_rate
#pragma weak conform_migration

static const struct conform_test *const groups[] = {
	conform_framework,   conform_framework_api,
	conform_data,	     conform_data_lists,
	conform_order,	     conform_completion,
	conform_atomic,	     conform_dm,
	conform_odp,	     conform_odp_more,
	conform_ext,	     conform_error,
	conform_flush,	     conform_mw,
	conform_state,	     conform_state_posts,
	conform_state_reset, conform_quiesce,
	conform_rnr,	     conform_srq,
	conform_event,	     conform_cq,
	conform_queues,	     conform_uc,
	conform_ud,	     conform_timeout,
	conform_xrc,	     conform_rate,
	conform_odp_pages,   conform_migration,
};
#define NR_GROUPS (sizeof(groups) / sizeof(groups[0]))

/* A test that is expected to fail. */
struct expected {
	bool may_pass; /* fails at times */
	char *name, *reason;
};

enum outcome { PASSED, FAILED, SKIPPED, DEVIATES, NR_OUTCOMES };

struct conform_options conform_options = { .limit_s = 60 };
static struct expected expected[MAX_EXPECTED];
static int nr_expected;
static const char *current_name = "start";
static sigjmp_buf test_end;
static char failure[700], context[200], skip_reason[200];
static const char *place_file;
static int place_line;
static unsigned int device_lacks; /* enum conform_need */

uint64_t conform_now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) +
	       (uint64_t)now.tv_nsec;
}

/* -- the end of a test -- */

/* Keeps the first failure of a test. */
static void __attribute__((noreturn))
conform_end_failed(const char *file, int line, const char *text)
{
	const char *base = file ? strrchr(file, '/') : NULL;

	if (!failure[0])
		snprintf(failure, sizeof(failure), "%s:%d: %s%s%s%s",
			 base ? base + 1 : (file ? file : "conform.c"), line,
			 text, context[0] ? " (" : "", context,
			 context[0] ? ")" : "");
	siglongjmp(test_end, FAILED);
}

void conform_fail(const char *format, ...)
{
	char text[400];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	conform_end_failed(place_file, place_line, text);
}

void conform_require(bool ok, const char *file, int line, const char *text)
{
	if (!ok)
		conform_end_failed(file, line, text);
}

void conform_require_equal(uint64_t a, uint64_t b, const char *file, int line,
			   const char *a_text, const char *b_text)
{
	char text[400];

	if (a == b)
		return;
	snprintf(text, sizeof(text), "%s is %llu, %s is %llu", a_text,
		 (unsigned long long)a, b_text, (unsigned long long)b);
	conform_end_failed(file, line, text);
}

void conform_place(const char *file, int line)
{
	place_file = file;
	place_line = line;
}

void conform_context(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(context, sizeof(context), format, args);
	va_end(args);
}

void conform_skip(const char *reason)
{
	snprintf(skip_reason, sizeof(skip_reason), "%s", reason);
	siglongjmp(test_end, SKIPPED);
}

/* -- the device -- */

const struct ibv_device_attr_ex *conform_device(void)
{
	return &end_client()->device;
}

const struct ibv_port_attr *conform_port(void)
{
	return &end_client()->port;
}

uint32_t conform_mtu(void)
{
	return UINT32_C(128) << conform_port()->active_mtu;
}

const union ibv_gid *conform_gid(void)
{
	return &end_client()->gid;
}

bool conform_is_self(void)
{
	return conform_options.self;
}

bool conform_is_wr(void)
{
	return conform_options.wr;
}

static unsigned int lacks_unless(bool has, unsigned int need)
{
	return has ? 0 : need;
}

static bool is_unsupported(int err)
{
	return err == EOPNOTSUPP || err == ENOSYS;
}

/* No attribute of a device describes these. */
static unsigned int probe_lacks(void)
{
	struct mem *mem = mem_new(CLIENT, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct cq *cq = cq_new(CLIENT, 16, NULL);
	unsigned int lacks = 0;
	int err;

	if (is_unsupported(cq_resize(cq, 32)))
		lacks |= NEED_RESIZE_CQ;
	errno = 0;
	err = mem_rereg(mem, IBV_REREG_MR_CHANGE_ACCESS, -1,
			IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	if (err && (is_unsupported(err) || is_unsupported(errno)))
		lacks |= NEED_REREG;
	return lacks;
}

#define RATE_LIMIT_TYPES \
	(1U << IBV_QPT_RC | 1U << IBV_QPT_UC | 1U << IBV_QPT_UD)

static unsigned int find_lacks(void)
{
	const struct ibv_device_attr_ex *ex = conform_device();
	const struct ibv_device_attr *attr = &ex->orig_attr;
	const struct node *node = end_client();
	bool iwarp = node->ctx->device->transport_type == IBV_TRANSPORT_IWARP;
	uint32_t caps = attr->device_cap_flags;
	uint64_t caps_ex = ex->device_cap_flags_ex;

	return lacks_unless(!iwarp, NEED_UC | NEED_UD | NEED_IMM) |
	       lacks_unless(attr->max_srq > 0, NEED_SRQ) |
	       lacks_unless(attr->atomic_cap != IBV_ATOMIC_NONE, NEED_ATOMIC) |
	       lacks_unless(caps & CAP_MW_2, NEED_MW) |
	       lacks_unless(caps & IBV_DEVICE_MEM_WINDOW, NEED_MW_1) |
	       lacks_unless(!conform_options.self, NEED_TWO_PROCESSES) |
	       lacks_unless(!conform_options.self && !conform_options.kernel,
			    NEED_STOPPED_RESPONDER) |
	       lacks_unless(caps_ex & CAP_ATOMIC_WRITE, NEED_ATOMIC_WRITE) |
	       lacks_unless(caps_ex & CAP_FLUSH_GLOBAL, NEED_FLUSH) |
	       lacks_unless(caps & IBV_DEVICE_MEM_MGT_EXTENSIONS,
			    NEED_SEND_WITH_INV) |
	       lacks_unless(conform_device()->max_dm_size > 0, NEED_DM) |
	       lacks_unless(caps & IBV_DEVICE_XRC, NEED_XRC) |
	       lacks_unless((ex->packet_pacing_caps.supported_qpts &
			     RATE_LIMIT_TYPES) == RATE_LIMIT_TYPES,
			    NEED_RATE_LIMIT) |
	       lacks_unless((ex->odp_caps.per_transport_caps.rc_odp_caps &
			     ODP_CAPS) == ODP_CAPS,
			    NEED_ODP) |
	       lacks_unless(caps & IBV_DEVICE_AUTO_PATH_MIG, NEED_MIGRATION) |
	       lacks_unless(attr->max_mcast_grp > 0, NEED_MCAST) |
	       probe_lacks();
}

static const char *lack_text(unsigned int lacks)
{
	static const char *const texts[] = {
		"no UC",
		"no UD",
		"no SRQ",
		"no atomics",
		"no type 2 windows",
		"no type 1 windows",
		"one process",
		"no ATOMIC_WRITE",
		"no FLUSH",
		"no SEND_WITH_INV",
		"no multicast",
		"no immediate data",
		"ibv_resize_cq() is not supported",
		"ibv_rereg_mr() is not supported",
		"a stopped process responds, or one process",
		"no device memory",
		"no XRC",
		"no rate limits",
		"no on-demand paging",
		"no alternate paths",
	};

	return texts[__builtin_ctz(lacks)];
}

/* -- one test -- */

/* PASSED if @step returns; else the outcome with which a function ended it. */
static enum outcome run_step(void (*step)(void))
{
	int end = sigsetjmp(test_end, 0);

	if (end)
		return (enum outcome)end;
	step();
	return PASSED;
}

static void step_destroy(void)
{
	const char *text = objects_destroy();

	if (text)
		conform_fail("%s", text);
}

static void step_check_memory(void)
{
	const char *text = memory_check();

	if (text)
		conform_fail("%s", text);
}

/* Destroys all objects of a test. */
static enum outcome run_cleanup(enum outcome outcome)
{
	server_resume();
	do {
		if (run_step(step_destroy) != PASSED)
			outcome = FAILED;
	} while (objects_left());
	if (outcome != FAILED && run_step(step_check_memory) != PASSED)
		outcome = FAILED;
	memory_reset();
	return outcome;
}

static enum outcome run_test(const struct conform_test *test)
{
	unsigned int lacks = test->needs & device_lacks;
	enum outcome outcome;

	if (lacks) {
		snprintf(skip_reason, sizeof(skip_reason), "%s",
			 lack_text(lacks));
		return SKIPPED;
	}
	context[0] = 0;
	failure[0] = 0;
	place_file = NULL;
	place_line = 0;
	(void)alarm(conform_options.limit_s);
	outcome = run_step(test->run);
	outcome = run_cleanup(outcome);
	if (!ends_restart_server()) {
		snprintf(failure, sizeof(failure), "no server process");
		outcome = FAILED;
	}
	(void)alarm(0);
	return outcome;
}

/* -- expected failures -- */

static const struct expected *find_expected(const char *name)
{
	for (int i = 0; i < nr_expected; i++) {
		if (strcmp(expected[i].name, name) == 0)
			return &expected[i];
	}
	return NULL;
}

/* Lines "GROUP.TEST reason"; "#" begins a comment line. */
static bool read_expected(const char *path)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;

	if (!file) {
		fprintf(stderr, "conform: %s: %s\n", path, strerror(errno));
		return false;
	}
	while (getline(&line, &size, file) > 0) {
		char *name = strtok(line, " \t\n"), *reason = NULL;
		bool may_pass = name && name[0] == '?';

		if (!name || name[0] == '#')
			continue;
		reason = strtok(NULL, "\n");
		if (!reason || nr_expected == MAX_EXPECTED) {
			fprintf(stderr, "conform: %s: %s: no reason\n", path,
				name);
			nr_expected = 0;
			free(line);
			(void)fclose(file);
			return false;
		}
		expected[nr_expected].may_pass = may_pass;
		expected[nr_expected].name = strdup(name + may_pass);
		expected[nr_expected++].reason = strdup(reason);
	}
	free(line);
	(void)fclose(file);
	return true;
}

/* -- all tests -- */

/* Without names, or if @test or its group is one of them. */
static bool is_selected(const struct conform_test *test, char **names)
{
	size_t group = strcspn(test->name, ".");

	if (!names[0])
		return true;
	for (; names[0]; names++) {
		if (strcmp(test->name, names[0]) == 0 ||
		    (strlen(names[0]) == group &&
		     strncmp(test->name, names[0], group) == 0))
			return true;
	}
	return false;
}

static enum outcome report_test(const struct conform_test *test,
				enum outcome outcome, uint64_t ns)
{
	const struct expected *expect = find_expected(test->name);
	char took[40] = "";

	if (conform_options.times)
		snprintf(took, sizeof(took), " (%llu ms)",
			 (unsigned long long)ns / 1000000);
	if (outcome == PASSED && expect && !expect->may_pass) {
		outcome = FAILED;
		printf("FAIL %s: passes, but it is expected to fail: %s\n",
		       test->name, expect->reason);
	} else if (outcome == PASSED) {
		printf("ok %s%s\n", test->name, took);
	} else if (outcome == SKIPPED) {
		printf("skip %s: %s\n", test->name, skip_reason);
	} else if (expect) {
		outcome = DEVIATES;
		printf("deviates %s: %s%s\n", test->name, expect->reason, took);
	} else {
		printf("FAIL %s: %s%s\n", test->name, failure, took);
	}
	return outcome;
}

static void run_all(char **names, int counts[NR_OUTCOMES])
{
	for (size_t i = 0; i < NR_GROUPS; i++) {
		const struct conform_test *test = groups[i];

		for (; test && test->name; test++) {
			uint64_t start = conform_now_ns();
			enum outcome outcome;

			if (!is_selected(test, names))
				continue;
			current_name = test->name;
			conform_expect_failure(find_expected(test->name));
			outcome = run_test(test);
			counts[report_test(test, outcome,
					   conform_now_ns() - start)]++;
		}
	}
	current_name = "end";
}

static bool names_exist(char **names)
{
	for (; names[0]; names++) {
		char *one[2] = { names[0], NULL };
		bool found = false;

		for (size_t i = 0; i < NR_GROUPS; i++) {
			const struct conform_test *test = groups[i];

			for (; test && test->name && !found; test++)
				found = is_selected(test, one);
		}
		if (!found) {
			fprintf(stderr, "conform: no test %s\n", names[0]);
			return false;
		}
	}
	return true;
}

static int list_all(void)
{
	for (size_t i = 0; i < NR_GROUPS; i++) {
		for (const struct conform_test *test = groups[i];
		     test && test->name; test++)
			puts(test->name);
	}
	return 0;
}

/* -- signals -- */

static struct sigaction crash_actions[NSIG];

static void write_text(const char *text)
{
	if (write(STDOUT_FILENO, text, strlen(text)) < 0)
		_exit(1);
}

static void on_alarm(int number)
{
	write_text("FAIL ");
	write_text(current_name);
	write_text(": no end within the time limit; ");
	write_text(context[0] ? context : "no context");
	write_text("\n");
	server_signal(SIGKILL);
	_exit(1);
}

/* Prints the name of the test; the instruction then fails once more. */
static void on_crash(int number)
{
	write_text("FAIL ");
	write_text(current_name);
	write_text(": crash\n");
	(void)sigaction(number, &crash_actions[number], NULL);
}

static void catch_signals(void)
{
	const int crashes[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT };
	struct sigaction action = { .sa_handler = on_alarm };

	(void)sigaction(SIGALRM, &action, NULL);
	action.sa_handler = on_crash;
	for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
		(void)sigaction(crashes[i], &action,
				&crash_actions[crashes[i]]);
}

/* -- the program -- */

static int usage(void)
{
	fprintf(stderr, "usage: conform DEVICE GID_INDEX [OPTION]... "
			"[GROUP|GROUP.TEST]...\n"
			"       conform --list\n"
			"options: --self --wr --mapped --poll --kernel --times "
			"--limit=SECONDS --expect=FILE\n");
	return 2;
}

static void step_probe(void)
{
	device_lacks = find_lacks();
}

static int run_program(char **names)
{
	int counts[NR_OUTCOMES] = {};

	if (!ends_start())
		return 2;
	catch_signals(); /* not in the server process */
	if (run_cleanup(run_step(step_probe)) != PASSED) {
		fprintf(stderr, "conform: %s\n", failure);
		counts[FAILED]++;
	} else {
		run_all(names, counts);
	}
	(void)alarm(conform_options.limit_s);
	if (!ends_stop())
		counts[FAILED]++;
	printf("%d passed, %d failed, %d skipped, %d deviate\n", counts[PASSED],
	       counts[FAILED], counts[SKIPPED], counts[DEVIATES]);
	for (int i = 0; i < nr_expected; i++) {
		free(expected[i].name);
		free(expected[i].reason);
	}
	return counts[FAILED] > 0;
}

int main(int argc, char **argv)
{
	enum { LIMIT = 256, EXPECT, LIST };
	int self = 0, wr = 0, mapped = 0, polls = 0, kernel = 0, times = 0;
	int option;
	const struct option options[] = {
		{ "self", no_argument, &self, 1 },
		{ "wr", no_argument, &wr, 1 },
		{ "mapped", no_argument, &mapped, 1 },
		{ "poll", no_argument, &polls, 1 },
		{ "kernel", no_argument, &kernel, 1 },
		{ "times", no_argument, &times, 1 },
		{ "limit", required_argument, NULL, LIMIT },
		{ "expect", required_argument, NULL, EXPECT },
		{ "list", no_argument, NULL, LIST },
		{},
	};

	while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		if (option == LIST)
			return list_all();
		if (option == LIMIT)
			conform_options.limit_s =
				(unsigned int)strtoul(optarg, NULL, 10);
		else if (option == EXPECT && !read_expected(optarg))
			return 2;
		else if (option == '?')
			return usage();
	}
	if (argc - optind < 2 || !names_exist(argv + optind + 2))
		return usage();
	conform_options.device = argv[optind];
	conform_options.gid_index = atoi(argv[optind + 1]);
	conform_options.self = self;
	conform_options.wr = wr;
	conform_options.mapped = mapped;
	conform_options.poll = polls;
	conform_options.kernel = kernel;
	conform_options.times = times;
	(void)setvbuf(stdout, NULL, _IOLBF, 0);
	return run_program(argv + optind + 2);
}
