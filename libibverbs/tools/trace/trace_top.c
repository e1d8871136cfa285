/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * "ibv_trace top": prints the state of a running program at intervals. It reads
 * the trace file, so the program does not notice it.
 */
#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "layers/trace/trace_clock.h"
#include "tools/trace/trace_top.h"

/* Return: the time of the last request or completion of a QP. */
static uint64_t top_last_time(const struct trace_data *data)
{
	uint64_t last = 0;

	for (size_t i = 0; i < data->nr_qps; i++)
		if (data->qps[i].last_ns > last)
			last = data->qps[i].last_ns;
	return last;
}

static int top_print(const struct top_sample *sample, bool json)
{
	struct winsize window = {};
	bool is_terminal = ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0;

	if (json)
		return top_print_json(stdout, sample);
	if (is_terminal)
		printf("\033[H\033[J"); /* ECMA-48: home, erase below */
	else if (sample->before)
		printf("\n");
	top_print_text(stdout, sample, window.ws_row);
	return fflush(stdout) == 0 ? 0 : -EIO;
}

/*
 * Prints samples until the process ends or there are enough.
 *
 * The trace of a process that has ended is complete, so its last sample is read
 * after the end was noticed.
 */
static int top_run(const struct trace_top_options *options,
		   const struct trace_target *target)
{
	struct trace_data data[2] = {};
	struct top_sample sample = { .has_ended = trace_target_has_ended(target,
									 0) };
	unsigned int nr = 0;
	int ret;

	while (true) {
		struct trace_data *now = &data[nr % 2];

		trace_file_free(now);
		ret = trace_target_read(target, now);
		if (ret)
			break;
		sample.now = now;
		sample.before = nr ? &data[(nr + 1) % 2] : NULL;
		sample.before_ns = sample.now_ns;
		sample.now_ns = sample.has_ended
					? top_last_time(now)
					: trace_clock_read(&now->header.clock);
		ret = top_print(&sample, options->json);
		nr++;
		if (ret || sample.has_ended || nr == options->count)
			break;
		sample.has_ended =
			trace_target_has_ended(target, options->delay_ms);
	}
	trace_file_free(&data[0]);
	trace_file_free(&data[1]);
	return ret;
}

int trace_top(const char *name, const struct trace_top_options *options)
{
	struct trace_target target;
	int ret = trace_target_open(name, &target);

	if (ret)
		return ret;
	ret = top_run(options, &target);
	trace_target_close(&target);
	return ret;
}
