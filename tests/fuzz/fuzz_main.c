/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs a fuzz target on files, without libFuzzer: the corpus as an ordinary
 * test, or a crash in a debugger. Arguments are files, or folders of files; the
 * default is the folders that are compiled in. Fails without any input.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz_target.h"

/* No input of a corpus is that large; a larger file is truncated. */
#define INPUT_BYTES ((size_t)1 << 20)

static unsigned int nr_inputs;

static int run_file(const char *path)
{
	uint8_t *data = malloc(INPUT_BYTES), *exact;
	FILE *file = fopen(path, "rb");
	size_t len;

	if (!file || !data) {
		perror(path);
		free(data);
		return 1;
	}
	len = fread(data, 1, INPUT_BYTES, file);
	(void)fclose(file); /* only read */

	/*
	 * exactly as large as the input, so that the address sanitizer checks
	 * its end
	 */
	exact = realloc(data, len ? len : 1);
	(void)LLVMFuzzerTestOneInput(exact ? exact : data, len);
	free(exact ? exact : data);
	nr_inputs++;
	return 0;
}

static int run_path(const char *path)
{
	struct dirent **entries;
	int failed = 0;
	int nr;

	nr = scandir(path, &entries, NULL, alphasort);
	if (nr < 0 && errno == ENOTDIR)
		return run_file(path);
	if (nr < 0) {
		perror(path);
		return 1;
	}
	for (int i = 0; i < nr; i++) {
		char name[4096];

		if (entries[i]->d_name[0] != '.') {
			snprintf(name, sizeof(name), "%s/%s", path,
				 entries[i]->d_name);
			failed |= run_file(name);
		}
		free(entries[i]);
	}
	free(entries);
	return failed;
}

/* The compiled-in folders, separated by colons, each with files. */
static int run_default_folders(void)
{
	char folders[] = FUZZ_INPUTS;
	char *rest = folders;
	int failed = 0;

	while (rest)
		failed |= run_path(strsep(&rest, ":"));
	return failed;
}

int main(int argc, char **argv)
{
	int failed = 0;

	if (argc < 2)
		failed = run_default_folders();
	for (int i = 1; i < argc; i++)
		failed |= run_path(argv[i]);
	printf("%u inputs\n", nr_inputs);
	return failed || !nr_inputs;
}
