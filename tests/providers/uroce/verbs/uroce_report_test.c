/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Log messages about counters and about a port that is not available. */
#include "providers/uroce/verbs/fake_worker.h"

#include <errno.h>
#include <provider/log.h>
#include <stdio.h>
#include <string.h>

#include "uroce/progress/uroce_report.h"

static struct uroce_context *ctx;
static char text[4096]; /* text of the log */
static enum verbs_log_level last_level;

void verbs_log(const struct ibv_context *about, enum verbs_log_level level,
	       const char *fmt, ...)
{
	size_t len = strlen(text);
	va_list args;

	assert_ptr_equal(about, &ctx->vctx.context);
	last_level = level;
	va_start(args, fmt);
	(void)vsnprintf(text + len, sizeof(text) - len - 1, fmt, args);
	va_end(args);
	(void)strcat(text, "\n");
}

static int setup(void **state)
{
	ctx = fake_worker_context();
	text[0] = '\0';
	return 0;
}

static int teardown(void **state)
{
	fake_worker_close(ctx);
	return 0;
}

static void report_logs_nonzero_counters(void **state)
{
	fake_worker.counters.port.rx_bad = 7;
	fake_worker.counters.helper_wakes = UINT64_C(5000000000);
	uroce_core_count(&fake_worker.engine.core, UROCE_C_BAD_ICRC, 3);
	uroce_report_counters(&ctx->vctx.context, NULL);
	assert_string_equal(text, "uroce: rx_bad 7\n"
				  "uroce: helper_wakes 5000000000\n"
				  "uroce: bad_icrc 3\n");
	assert_int_equal(last_level, VERBS_LOG_INFO);
}

/* Bytes of long messages that this side has copied. */
static void report_logs_pushed_and_pulled_bytes(void **state)
{
	fake_worker.counters.shm.pushed_bytes = 131072;
	fake_worker.counters.shm.pulled_bytes = UINT64_C(9000000000);
	uroce_report_counters(&ctx->vctx.context, NULL);
	assert_string_equal(text, "uroce: shm_pushed_bytes 131072\n"
				  "uroce: shm_pulled_bytes 9000000000\n");
}

/* Each counter has a name, and names are unique. */
static void report_counter_names_are_unique(void **state)
{
	for (int i = 0; i < UROCE_NR_COUNTERS; i++) {
		const char *name = uroce_counter_name((enum uroce_counter)i);

		assert_non_null(name);
		for (int k = 0; k < i; k++)
			assert_string_not_equal(
				name,
				uroce_counter_name((enum uroce_counter)k));
	}
}

static void report_logs_port_in_use(void **state)
{
	uroce_report_port(&ctx->vctx.context, NULL);
	assert_string_equal(text, "");
	fake_worker.port_error = -EADDRINUSE;
	uroce_report_port(&ctx->vctx.context, NULL);
	assert_non_null(strstr(text, "4791"));
	assert_int_equal(last_level, VERBS_LOG_WARN);
	text[0] = '\0';
	fake_worker.port_error = -EMFILE;
	uroce_report_port(&ctx->vctx.context, NULL);
	assert_non_null(strstr(text, strerror(EMFILE)));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(report_logs_nonzero_counters),
		TEST(report_logs_pushed_and_pulled_bytes),
		TEST(report_counter_names_are_unique),
		TEST(report_logs_port_in_use),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
