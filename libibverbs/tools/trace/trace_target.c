/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The process or file that "ibv_trace top" and "ibv_trace metrics" read. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tools/trace/trace_tool.h"

static bool target_is_number(const char *text)
{
	return *text && text[strspn(text, "0123456789")] == '\0';
}

static int target_open_file(struct trace_target *target)
{
	/* A FIFO must not block. */
	target->fd = open(target->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (target->fd < 0) {
		fprintf(stderr, "ibv_trace: %s: %s\n", target->name,
			strerror(errno));
		return -errno;
	}
	target->pid = trace_process_find_writer(target->fd);
	return 0;
}

int trace_target_open(const char *name, struct trace_target *target)
{
	long pid = target_is_number(name) ? strtol(name, NULL, 10) : 0;
	int ret = 0;

	*target = (struct trace_target){ .name = name, .pidfd = -1 };
	if (pid > 0 && pid == (pid_t)pid) {
		target->pid = (pid_t)pid;
		target->fd = trace_process_open(target->pid);
		ret = target->fd < 0 ? target->fd : 0;
	} else {
		ret = target_open_file(target);
	}
	/* Without it, the end of the process is noticed later. */
	if (ret == 0 && target->pid)
		target->pidfd = (int)syscall(SYS_pidfd_open, target->pid, 0);
	return ret;
}

void trace_target_close(const struct trace_target *target)
{
	(void)close(target->fd);
	if (target->pidfd >= 0)
		(void)close(target->pidfd);
}

int trace_target_read(const struct trace_target *target,
		      struct trace_data *data)
{
	const char *problem;
	int ret = trace_file_read_state(target->fd, data, &problem);

	if (ret)
		fprintf(stderr, "ibv_trace: %s %s\n", target->name, problem);
	return ret;
}

/* The descriptor of a process becomes readable when it ends. */
bool trace_target_has_ended(const struct trace_target *target, int wait_ms)
{
	struct pollfd event = { target->pidfd, POLLIN, 0 };

	if (target->pid == 0 || poll(&event, 1, wait_ms) > 0)
		return true;
	return kill(target->pid, 0) != 0 && errno == ESRCH;
}
