/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * "ibv_trace top": prints the state of a running program at intervals. It reads
 * the trace file, so the program does not notice it.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "layers/trace/trace_clock.h"
#include "tools/trace/trace_top.h"

struct top_target {
	int fd;	   /* of the trace */
	pid_t pid; /* 0: it has ended */
	int pidfd; /* or -1 */
};

static bool top_is_number(const char *text)
{
	return *text && text[strspn(text, "0123456789")] == '\0';
}

static int top_open_file(const char *path, struct top_target *target)
{
	target->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (target->fd < 0) {
		fprintf(stderr, "ibv_trace: %s: %s\n", path, strerror(errno));
		return -errno;
	}
	target->pid = trace_process_find_writer(target->fd);
	return 0;
}

/* The descriptor of the process becomes readable when it ends. */
static int top_open(const char *name, struct top_target *target)
{
	long pid = top_is_number(name) ? strtol(name, NULL, 10) : 0;
	int ret = 0;

	*target = (struct top_target){ .pidfd = -1 };
	if (pid > 0 && pid == (pid_t)pid) {
		target->pid = (pid_t)pid;
		target->fd = trace_process_open(target->pid);
		ret = target->fd < 0 ? target->fd : 0;
	} else {
		ret = top_open_file(name, target);
	}
	if (ret == 0 && target->pid)
		target->pidfd = (int)syscall(SYS_pidfd_open, target->pid, 0);
	return ret;
}

static void top_close(const struct top_target *target)
{
	(void)close(target->fd);
	if (target->pidfd >= 0)
		(void)close(target->pidfd);
}

/* Waits for the next sample. Return: whether the process has ended. */
static bool top_wait(const struct top_target *target, int delay_ms)
{
	struct pollfd event = { target->pidfd, POLLIN, 0 };

	if (target->pid == 0)
		return true;
	if (poll(&event, 1, delay_ms) > 0)
		return true;
	return kill(target->pid, 0) != 0 && errno == ESRCH;
}

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

static int top_read(const char *name, int fd, struct trace_data *data)
{
	const char *problem;
	int ret = trace_file_read_state(fd, data, &problem);

	if (ret)
		fprintf(stderr, "ibv_trace: %s %s\n", name, problem);
	return ret;
}

/*
 * Prints samples until the process ends or there are enough.
 *
 * The trace of a process that has ended is complete, so its last sample is read
 * after the end was noticed.
 */
static int top_run(const struct trace_top_options *options, const char *name,
		   const struct top_target *target)
{
	struct trace_data data[2] = {};
	struct top_sample sample = { .has_ended = top_wait(target, 0) };
	unsigned int nr = 0;
	int ret;

	while (true) {
		struct trace_data *now = &data[nr % 2];

		trace_file_free(now);
		ret = top_read(name, target->fd, now);
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
		sample.has_ended = top_wait(target, options->delay_ms);
	}
	trace_file_free(&data[0]);
	trace_file_free(&data[1]);
	return ret;
}

int trace_top(const char *name, const struct trace_top_options *options)
{
	struct top_target target;
	int ret = top_open(name, &target);

	if (ret)
		return ret;
	ret = top_run(options, name, &target);
	top_close(&target);
	return ret;
}
