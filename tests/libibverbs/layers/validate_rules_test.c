/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Each rule of the layer validate on the user-space device: a step with the
 * mistake has exactly one message, which is of this rule, and the step without
 * it has none. Hints are enabled; those of other rules are ignored. The texts
 * of the rules are those of the manual page, whose path is the argument.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layers/validate/validate_rules.h"
#include "libibverbs/layers/explain_fixture.h"
#include "libibverbs/layers/validate_steps.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))

static const struct validate_step *const tables[] = {
	validate_steps_modify, validate_steps_objects,
	validate_steps_posts,  validate_steps_requests,
	validate_steps_built,  validate_steps_windows,
	validate_steps_flight, validate_steps_statuses,
	validate_steps_peers,  validate_steps_arming,
};

static const char *page_path;

static bool rule_has_step(int rule)
{
	for (size_t i = 0; i < NR(tables); i++)
		for (const struct validate_step *step = tables[i];
		     step->rule != LAYERS_RULE_NONE; step++)
			if ((int)step->rule == rule)
				return true;
	return false;
}

/* ------------------------------------------------------------------------ */
/* Steps                                                                     */
/* ------------------------------------------------------------------------ */

static int step_setup(void **state)
{
	const struct validate_step *step = *state;
	const char *settings = step->settings ? step->settings : "hints=on";
	void *unused;

	assert_int_equal(setenv("VERBS_LAYERS", "validate", 1), 0);
	assert_int_equal(setenv("VERBS_VALIDATE", settings, 1), 0);
	if (step->uses_packets)
		assert_int_equal(setenv("UROCE_LOCAL", "none", 1), 0);
	explain_capture_start();
	(void)fixture_setup(&unused);
	(void)explain_capture_take(); /* hints about the fixture */
	return 0;
}

/* The messages of a step; its text is not changed. */
static void messages_expect(const char *text, const char *id, unsigned int nr)
{
	static const char prefix[] = "verbs-validate: ";
	unsigned int nr_found = 0;

	for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
		bool is_of_rule;

		assert_non_null(strchr(line, '\n'));
		if (strncmp(line, prefix, strlen(prefix)) != 0)
			fail_msg("an unknown line in \"%s\"", text);
		is_of_rule = strncmp(line + strlen(prefix), id, strlen(id)) ==
			     0;
		nr_found += is_of_rule;
		if (!is_of_rule && strncmp(line + strlen(prefix) + strlen(id),
					   " hint: ", strlen(" hint: ")) != 0)
			fail_msg("a message that is not of %s: \"%s\"", id,
				 text);
	}
	if (nr_found != nr)
		fail_msg("%u messages of %s instead of %u: \"%s\"", nr_found,
			 id, nr, text);
}

static void step_run(const struct validate_step *step, bool mistake)
{
	void *unused;

	step->run(mistake);
	(void)fixture_teardown(&unused);
	messages_expect(explain_capture_take(), validate_rules[step->rule].id,
			mistake ? 1 : 0);
}

static void rule_mistake_is_reported(void **state)
{
	step_run(*state, true);
}

static void rule_control_is_silent(void **state)
{
	step_run(*state, false);
}

/* ------------------------------------------------------------------------ */
/* The table                                                                 */
/* ------------------------------------------------------------------------ */

/* The page without macros, escapes and line breaks. */
static char *page_read(void)
{
	static char text[1 << 17];
	FILE *file = fopen(page_path, "re");
	char line[512];
	size_t len = 0;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		const char *from = line;

		if (strncmp(line, ".BR ", 4) == 0)
			from = line + 4;
		else if (*line == '.')
			continue;
		for (; *from; from++) {
			char c = *from == '\n' ? ' ' : *from;

			if (c == '\\' || c == '"' ||
			    (c == ' ' && len && text[len - 1] == ' '))
				continue;
			assert_true(len + 2 < sizeof(text));
			text[len++] = c;
		}
	}
	assert_int_equal(fclose(file), 0);
	text[len] = '\0';
	return text;
}

static void rules_are_those_of_page(void **state)
{
	const char *page = page_read();

	for (int i = LAYERS_RULE_UNNAMED + 1; i < LAYERS_NR_RULES; i++) {
		const struct validate_rule *rule = &validate_rules[i];
		char entry[1024];

		(void)snprintf(entry, sizeof(entry), "%s (%s%s) %s (%s)",
			       rule->id, validate_severity_name(rule->severity),
			       rule->needs == VALIDATE_HISTORY ? ", history"
							       : "",
			       rule->text, rule->source);
		if (!strstr(page, entry))
			fail_msg("the page has no entry \"%s\"", entry);
	}
}

static void rules_have_identifier_and_step(void **state)
{
	for (int i = LAYERS_RULE_UNNAMED + 1; i < LAYERS_NR_RULES; i++) {
		assert_non_null(validate_rules[i].id);
		if (!rule_has_step(i))
			fail_msg("%s has no step", validate_rules[i].id);
	}
}

static void print_page(void)
{
	for (int i = LAYERS_RULE_UNNAMED + 1; i < LAYERS_NR_RULES; i++) {
		const struct validate_rule *rule = &validate_rules[i];

		printf(".TP\n.BR %s \" (%s%s)\"\n%s\n(%s)\n", rule->id,
		       validate_severity_name(rule->severity),
		       rule->needs == VALIDATE_HISTORY ? ", history" : "",
		       rule->text, rule->source);
	}
}

#define MAX_STEPS 256

static struct CMUnitTest step_test(const struct validate_step *step,
				   bool mistake)
{
	static char names[2 * MAX_STEPS][64];
	static size_t next;
	char *name = names[next++];

	(void)snprintf(name, sizeof(names[0]), "%s%s_%s",
		       validate_rules[step->rule].id, step->variant,
		       mistake ? "mistake_is_reported" : "control_is_silent");
	return (struct CMUnitTest){
		.name = name,
		.test_func = mistake ? rule_mistake_is_reported
				     : rule_control_is_silent,
		.setup_func = step_setup,
		.initial_state = (void *)(uintptr_t)step,
	};
}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[2 + 2 * MAX_STEPS] = {
		cmocka_unit_test(rules_are_those_of_page),
		cmocka_unit_test(rules_have_identifier_and_step),
	};
	size_t nr = 2;

	if (argc == 2 && strcmp(argv[1], "--page") == 0) {
		print_page();
		return 0;
	}
	page_path = argc > 1 ? argv[1] : "";
	for (size_t i = 0; i < NR(tables); i++) {
		for (const struct validate_step *step = tables[i];
		     step->rule != LAYERS_RULE_NONE; step++) {
			assert_true(nr + 2 <= NR(tests));
			tests[nr++] = step_test(step, true);
			tests[nr++] = step_test(step, false);
		}
	}
	return own_process_group(tests, nr);
}
