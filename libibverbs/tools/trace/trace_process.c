/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds the trace file of a process by /proc/PID/maps. The process is not
 * stopped, and does nothing for it. Its files are opened by /proc/PID/root, so
 * that it may be in a container.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/trace/trace_tool.h"

/* A shared and writable file that a process maps from its begin. */
struct process_map {
	uint64_t inode;
	char *path; /* with " (deleted)" if it has no name any more */
};

/* The kernel writes a new line in a path as \012. */
static void process_unescape(char *path)
{
	char *to = path;

	for (const char *from = path; *from; to++) {
		bool is_escape = strncmp(from, "\\012", 4) == 0;

		*to = *from;
		if (is_escape)
			*to = '\n';
		from += is_escape ? 4 : 1;
	}
	*to = '\0';
}

/*
 * Reads a line of maps:
 * "7f00-7f10 rw-s 00000000 08:01 1234   /tmp/verbs-trace.1".
 */
static bool process_parse_line(char *line, struct process_map *ret)
{
	char flags[5], begin[17];
	int at = 0;

	if (sscanf(line, "%*s %4s %16s %*s %" SCNu64 " %n", flags, begin,
		   &ret->inode, &at) != 3 ||
	    strcmp(flags, "rw-s") != 0 || strtoull(begin, NULL, 16) != 0 ||
	    line[at] != '/')
		return false;
	ret->path = line + at;
	ret->path[strcspn(ret->path, "\n")] = '\0';
	process_unescape(ret->path);
	return true;
}

static FILE *process_open_file(pid_t pid, const char *name)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%ld/%s", (long)pid, name);
	return fopen(path, "re");
}

/*
 * Return: the number of the process in its own PID namespace, which the trace
 * has, or @pid if the kernel has no such namespaces.
 */
static uint32_t process_own_number(pid_t pid)
{
	FILE *file = process_open_file(pid, "status");
	unsigned long number = (unsigned long)pid;
	char *line = NULL;
	size_t size = 0;

	while (file && getline(&line, &size, file) > 0) {
		const char *last = strrchr(line, '\t');

		if (last && strncmp(line, "NSpid:", 6) == 0)
			number = strtoul(last, NULL, 10);
	}
	free(line);
	if (file)
		(void)fclose(file);
	return (uint32_t)number;
}

/* Opens a regular file; a device is not opened, since that has effects. */
static int process_open_map(pid_t pid, const struct process_map *map)
{
	char path[PATH_MAX + 64];
	struct stat st;
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%ld/root%s", (long)pid,
		       map->path);
	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) ||
	    st.st_ino != map->inode)
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	return fd;
}

/* Return: the process that wrote the header of a trace file, or 0: no trace. */
static uint32_t process_of_file(int fd)
{
	struct trace_header header;

	return pread(fd, &header, sizeof(header), 0) ==
				       (ssize_t)sizeof(header) &&
			       header.magic == TRACE_MAGIC
		       ? header.process
		       : 0;
}

/* What the maps of a process have. */
struct process_search {
	uint32_t number; /* of the process */
	int fd;		 /* of its trace, or -1 */
	uint32_t parent; /* another process whose trace is mapped, or 0 */
	unsigned int nr_lines;
	bool has_deleted;
};

static void process_check_map(pid_t pid, const struct process_map *map,
			      struct process_search *search)
{
	static const char deleted[] = " (deleted)";
	size_t len = strlen(map->path);
	uint32_t number;
	int fd;

	if (len > sizeof(deleted) &&
	    strcmp(map->path + len + 1 - sizeof(deleted), deleted) == 0)
		search->has_deleted = true;
	fd = process_open_map(pid, map);
	if (fd < 0)
		return;
	number = process_of_file(fd);
	if (number == search->number && search->fd < 0) {
		search->fd = fd;
		return;
	}
	if (number)
		search->parent = number;
	(void)close(fd);
}

static int process_read_maps(pid_t pid, struct process_search *search)
{
	FILE *file = process_open_file(pid, "maps");
	struct process_map map;
	char *line = NULL;
	size_t size = 0;

	if (!file)
		return -errno;
	while (getline(&line, &size, file) > 0) {
		search->nr_lines++;
		if (process_parse_line(line, &map))
			process_check_map(pid, &map, search);
	}
	free(line);
	(void)fclose(file);
	return 0;
}

static void process_explain_no_trace(pid_t pid,
				     const struct process_search *search)
{
	if (search->nr_lines == 0) {
		fprintf(stderr, "ibv_trace: process %ld has ended\n",
			(long)pid);
		return;
	}
	fprintf(stderr, "ibv_trace: process %ld has no trace", (long)pid);
	if (search->parent)
		fprintf(stderr,
			" of its own, only that of process %" PRIu32
			", which forked it\n",
			search->parent);
	else
		fprintf(stderr,
			": it was not started with VERBS_LAYERS=trace, or has "
			"opened no device%s\n",
			search->has_deleted ? ", or its file was deleted" : "");
}

static void process_explain_error(pid_t pid, int error)
{
	if (error == -ENOENT || error == -ESRCH)
		fprintf(stderr, "ibv_trace: process %ld does not exist\n",
			(long)pid);
	else
		fprintf(stderr,
			"ibv_trace: process %ld: %s; it belongs to another "
			"user, or has privileges\n",
			(long)pid, strerror(-error));
}

int trace_process_open(pid_t pid)
{
	struct process_search search = { process_own_number(pid), .fd = -1 };
	int ret = process_read_maps(pid, &search);

	if (ret) {
		process_explain_error(pid, ret);
		return ret;
	}
	if (search.fd >= 0)
		return search.fd;
	process_explain_no_trace(pid, &search);
	return -ENOENT;
}

pid_t trace_process_find_writer(int fd)
{
	pid_t pid = (pid_t)process_of_file(fd);
	struct process_search search = { (uint32_t)pid, .fd = -1 };
	struct stat file, mapped;
	bool is_same;

	if (pid <= 0 || process_read_maps(pid, &search) || search.fd < 0)
		return 0;
	is_same = fstat(fd, &file) == 0 && fstat(search.fd, &mapped) == 0 &&
		  file.st_dev == mapped.st_dev && file.st_ino == mapped.st_ino;
	(void)close(search.fd);
	return is_same ? pid : 0;
}
