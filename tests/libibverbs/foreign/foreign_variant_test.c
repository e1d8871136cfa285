/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The private ABIs: libibverbs/foreign/foreign_variant.c, compared with the
 * slot table tests/abi/private-slots.tsv.
 */
#include "foreign/foreign_variant.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* last: requires the headers above */
#include <cmocka.h>

#include "foreign_op_names.h" /* generated from the slot table */

#define MAX_SLOTS 128

/* ------------------------------------------------------------------------ */
/* Names of the members                                                      */
/* ------------------------------------------------------------------------ */

static const struct {
	const char *name;
	size_t offset;
} members[] = {
#define ROW(name) { #name, offsetof(struct foreign_ops, name) },
	FOREIGN_OP_NAMES(ROW)
#undef ROW
};

static size_t member_offset(const char *name)
{
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		if (strcmp(members[i].name, name) == 0)
			return members[i].offset;
	}
	fail_msg("%s is in the slot table, but not in members[]", name);
	return 0;
}

/* ------------------------------------------------------------------------ */
/* The slot table                                                            */
/* ------------------------------------------------------------------------ */

/* One line: the name, then a column for each variant. */
struct row {
	char name[64];
	long slot[FOREIGN_NR_VARIANTS]; /* -1: member does not exist */
};

static bool read_row(FILE *file, struct row *row)
{
	char line[512], *save, *word;

	do {
		if (!fgets(line, sizeof(line), file))
			return false;
	} while (*line == '#');
	word = strtok_r(line, "\t\n", &save);
	assert_non_null(word);
	(void)snprintf(row->name, sizeof(row->name), "%s", word);
	for (size_t i = 0; i < FOREIGN_NR_VARIANTS; i++) {
		word = strtok_r(NULL, "\t\n", &save);
		assert_non_null(word);
		row->slot[i] = strcmp(word, "-") == 0 ? -1 : atol(word);
	}
	return true;
}

static FILE *open_table(void)
{
	FILE *file = fopen(PRIVATE_SLOTS_TSV, "re");

	assert_non_null(file);
	return file;
}

/* Slot n has the value n + 1. Memory behind the table must not be read. */
static void fill_table(uintptr_t *slots, size_t nr_slots)
{
	for (size_t i = 0; i < MAX_SLOTS; i++)
		slots[i] = i < nr_slots ? i + 1 : 0xbad;
}

static uintptr_t member_value(const struct foreign_ops *ops, const char *name)
{
	uintptr_t value;

	memcpy(&value, (const char *)ops + member_offset(name), sizeof(value));
	return value;
}

static void foreign_variant_read_ops_slot_sets_member_of_same_name(void **state)
{
	struct foreign_ops ops[FOREIGN_NR_VARIANTS] = {};
	uintptr_t slots[MAX_SLOTS];
	size_t nr_rows = 0;
	FILE *file = open_table();
	struct row row;

	for (size_t i = 0; i < FOREIGN_NR_VARIANTS; i++) {
		fill_table(slots, foreign_variants[i].nr_slots);
		foreign_variant_read_ops(&foreign_variants[i], slots, &ops[i]);
	}
	while (read_row(file, &row)) {
		if (strcmp(row.name, "<count>") == 0)
			continue;
		nr_rows++;
		for (size_t i = 0; i < FOREIGN_NR_VARIANTS; i++)
			assert_int_equal(member_value(&ops[i], row.name),
					 row.slot[i] + 1);
	}
	(void)fclose(file);
	assert_int_equal(nr_rows, sizeof(struct foreign_ops) / sizeof(void *));
}

static void foreign_variant_nr_slots_matches_slot_table(void **state)
{
	FILE *file = open_table();
	bool found = false;
	struct row row;

	while (read_row(file, &row)) {
		if (strcmp(row.name, "<count>") != 0)
			continue;
		found = true;
		for (size_t i = 0; i < FOREIGN_NR_VARIANTS; i++)
			assert_int_equal(foreign_variants[i].nr_slots,
					 row.slot[i]);
	}
	(void)fclose(file);
	assert_true(found);
}

static void foreign_variant_read_ops_null_slot_keeps_member(void **state)
{
	uintptr_t slots[MAX_SLOTS] = {}, all[MAX_SLOTS];
	struct foreign_ops ops = {};

	for (size_t i = 0; i < FOREIGN_NR_VARIANTS; i++) {
		const struct foreign_variant *variant = &foreign_variants[i];
		struct foreign_ops before;

		fill_table(all, variant->nr_slots);
		foreign_variant_read_ops(variant, all, &ops);
		before = ops;
		foreign_variant_read_ops(variant, slots, &ops);
		assert_memory_equal(&ops, &before, sizeof(ops));
	}
}

static void foreign_variant_context_size_matches_release(void **state)
{
	static const struct {
		unsigned int node, oldest, newest;
		size_t context_offset, sz;
	} known[FOREIGN_NR_VARIANTS] = {
		{ 34, 36, 56, 320, 648 }, { 57, 57, 58, 320, 648 },
		{ 59, 59, 61, 344, 672 }, { 59, 62, 63, 352, 680 },
		{ 64, 64, 64, 368, 696 }, { 65, 65, 65, 368, 696 },
	};

	for (size_t i = 0; i < FOREIGN_NR_VARIANTS; i++) {
		const struct foreign_variant *variant = &foreign_variants[i];

		assert_int_equal(variant->id, i);
		assert_int_equal(variant->node, known[i].node);
		assert_int_equal(variant->oldest, known[i].oldest);
		assert_int_equal(variant->newest, known[i].newest);
		assert_int_equal(variant->qp_mask_moved, known[i].node == 34);
#if defined(__x86_64__) && defined(__LP64__)
		assert_int_equal(variant->context_offset,
				 known[i].context_offset);
		assert_int_equal(foreign_variant_sz(variant), known[i].sz);
#endif
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			foreign_variant_read_ops_slot_sets_member_of_same_name),
		cmocka_unit_test(foreign_variant_nr_slots_matches_slot_table),
		cmocka_unit_test(
			foreign_variant_read_ops_null_slot_keeps_member),
		cmocka_unit_test(foreign_variant_context_size_matches_release),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
