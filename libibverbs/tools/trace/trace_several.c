/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The commands that take several files. */
#include "tools/trace/trace_match.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void sources_free(struct trace_source *sources, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		trace_file_free(&sources[i].data);
	free(sources);
}

/* Return: the files, or NULL after a message on standard error. */
static struct trace_source *sources_load(char **paths, size_t nr)
{
	struct trace_source *sources = calloc(nr, sizeof(*sources));

	if (!sources)
		fprintf(stderr, "ibv_trace: %s\n", strerror(ENOMEM));
	for (size_t i = 0; sources && i < nr; i++) {
		sources[i].path = paths[i];
		if (trace_load(paths[i], &sources[i].data) == 0)
			continue;
		sources_free(sources, i);
		return NULL;
	}
	return sources;
}

static int several_warn(const char *name, int ret)
{
	if (ret)
		fprintf(stderr, "ibv_trace: %s: %s\n", name, strerror(-ret));
	return ret;
}

static int perfetto_create(const char *path, const struct trace_match *match)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	int ret;

	if (!out) {
		ret = -errno;
		if (fd >= 0)
			(void)close(fd);
		return ret;
	}
	ret = trace_perfetto_write(out, match->sources, match->nr_sources);
	if (fclose(out) != 0 && ret == 0)
		ret = -errno;
	return ret;
}

static int several_run(char **paths, size_t nr, const char *output, bool json)
{
	struct trace_source *sources = sources_load(paths, nr);
	struct trace_match match;
	int ret;

	if (!sources)
		return -EINVAL;
	ret = several_warn(paths[0], trace_match_files(sources, nr, &match));
	if (ret == 0 && output)
		ret = several_warn(output, perfetto_create(output, &match));
	else if (ret == 0)
		ret = several_warn("standard output",
				   trace_match_print(stdout, &match, json));
	if (ret == 0)
		trace_match_free(&match);
	sources_free(sources, nr);
	return ret;
}

int trace_match_run(char **paths, size_t nr, bool json)
{
	return several_run(paths, nr, NULL, json);
}

int trace_perfetto_run(char **paths, size_t nr, const char *output)
{
	return several_run(paths, nr, output, false);
}
