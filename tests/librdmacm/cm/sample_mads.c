/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads the captured MADs once per program. */
#include "librdmacm/cm/sample_mads.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MAX_SAMPLES 32

static struct sample_mad samples[MAX_SAMPLES];
static size_t nr_samples;

/* Is this a line of that kind? Returns its text without the newline. */
static char *line_text(char *line, const char *kind)
{
	size_t len = strlen(kind);

	if (strncmp(line, kind, len) != 0 || line[len] != ' ')
		return NULL;
	line[strcspn(line, "\n")] = 0;
	return line + len + 1;
}

static void parse_hex(const char *text, uint8_t *bytes)
{
	assert_int_equal(strlen(text), 2 * CM_MAD_LEN);
	for (int i = 0; i < CM_MAD_LEN; i++) {
		char digits[3] = { text[2 * i], text[2 * i + 1], 0 };
		char *end;

		bytes[i] = (uint8_t)strtoul(digits, &end, 16);
		assert_ptr_equal(end, digits + 2);
	}
}

const struct sample_mad *sample_mads_read(size_t *ret_nr)
{
	char line[2 * SAMPLE_TEXT_LEN];
	FILE *file;

	*ret_nr = nr_samples;
	if (nr_samples)
		return samples;
	file = fopen(SAMPLE_MADS, "re");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		struct sample_mad *sample = &samples[nr_samples];
		const char *text = line_text(line, "name");

		assert_true(nr_samples < MAX_SAMPLES);
		if (text)
			(void)snprintf(sample->name, sizeof(sample->name), "%s",
				       text);
		text = line_text(line, "mad");
		if (text)
			parse_hex(text, sample->bytes);
		text = line_text(line, "fields");
		if (text) {
			(void)snprintf(sample->fields, sizeof(sample->fields),
				       "%s", text);
			nr_samples++;
		}
	}
	(void)fclose(file);
	*ret_nr = nr_samples;
	return samples;
}

const struct sample_mad *sample_mads_find(const char *name)
{
	size_t nr;

	(void)sample_mads_read(&nr);
	for (size_t i = 0; i < nr; i++)
		if (strcmp(samples[i].name, name) == 0)
			return &samples[i];
	fail_msg("no sample %s", name);
	return NULL;
}
