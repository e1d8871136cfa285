/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads the *.driver files. Every regular file of the folder is read, whatever
 * its name. A line is empty, a comment, or "driver NAME". Other lines, and
 * files that are too long, are reported and ignored.
 */
#include "core/provider_config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/log.h"
#include "core/provider_name.h"
#include "util/text_file.h"

/* Longest configuration file; a typical file has one line. */
#define CONFIG_LEN 4096

#define BLANKS " \t\r\v\f"

/*
 * The name becomes part of a file name, so only an absolute path may contain a
 * slash.
 */
static bool config_name_is_usable(const char *name)
{
	return *name && (*name == '/' || !strchr(name, '/'));
}

/* The name in a "driver NAME" line, or NULL. Modifies the line. */
static const char *config_parse_line(char *line, const char *file)
{
	char *save, *word;

	word = strtok_r(line, BLANKS, &save);
	if (!word || *word == '#')
		return NULL;
	if (strcmp(word, "driver") == 0) {
		word = strtok_r(NULL, BLANKS, &save);
		if (word && config_name_is_usable(word))
			return word;
	}
	verbs_warn("%s: ignoring a line that is not \"driver NAME\"", file);
	return NULL;
}

static bool config_visit_file(int dirfd, const char *file,
			      bool (*visit)(void *arg, const char *name),
			      void *arg)
{
	char text[CONFIG_LEN], *save;
	ssize_t len;

	len = text_file_read_at(dirfd, file, text, sizeof(text));
	if (len < 0) {
		if (len != -ENOENT && len != -EISDIR)
			verbs_warn("%s: %s", file, strerror((int)-len));
		return true;
	}

	for (char *line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		const char *name = config_parse_line(line, file);

		if (name && !visit(arg, name))
			return false;
	}
	return true;
}

static bool config_entry_is_file(int dirfd, const struct dirent *entry)
{
	struct stat st;

	if (entry->d_type != DT_UNKNOWN && entry->d_type != DT_LNK)
		return entry->d_type == DT_REG;
	return fstatat(dirfd, entry->d_name, &st, 0) == 0 &&
	       S_ISREG(st.st_mode);
}

int verbs_provider_config_each(const char *dir,
			       bool (*visit)(void *arg, const char *name),
			       void *arg)
{
	const struct dirent *entry;
	bool go_on = true;
	DIR *folder;

	folder = opendir(dir);
	if (!folder) {
		int ret = -errno;

		verbs_warn("%s: %s", dir, strerror(-ret));
		return ret;
	}
	while (go_on && (entry = readdir(folder)) != NULL) {
		if (config_entry_is_file(dirfd(folder), entry))
			go_on = config_visit_file(dirfd(folder), entry->d_name,
						  visit, arg);
	}
	(void)closedir(folder); /* was only read */
	return go_on ? 0 : 1;
}

/* The name to find, and the result. */
struct config_search {
	const char *name;
	char *text;
	size_t size;
};

/* Visitor that stops at the name of a struct config_search. */
static bool config_visit_until_name(void *arg, const char *text)
{
	const struct config_search *search = arg;
	struct verbs_provider_name name = verbs_provider_name_split(text);
	size_t len = strlen(text);

	if (!verbs_provider_name_is(&name, search->name) || len >= search->size)
		return true;
	memcpy(search->text, text, len + 1);
	return false;
}

int verbs_provider_config_find(const char *dir, const char *name,
			       char *ret_text, size_t size)
{
	struct config_search search = { name, ret_text, size };
	char path[PATH_MAX];
	int len, ret;

	len = snprintf(path, sizeof(path), "%s/%s.driver", dir, name);
	if (len < 0 || (size_t)len >= sizeof(path))
		return 0;
	if (!config_visit_file(AT_FDCWD, path, config_visit_until_name,
			       &search))
		return 1;
	ret = verbs_provider_config_each(dir, config_visit_until_name, &search);
	return ret < 0 && ret != -ENOENT ? 0 : ret;
}
