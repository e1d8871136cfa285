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

#define MAX_SLOTS 128

/* ------------------------------------------------------------------------ */
/* Names of the members                                                      */
/* ------------------------------------------------------------------------ */

#define OP(name)                                          \
	{                                                 \
#name, offsetof(struct foreign_ops, name) \
	}

static const struct {
	const char *name;
	size_t offset;
} members[] = {
	OP(advise_mr),
	OP(alloc_buf),
	OP(alloc_dm),
	OP(alloc_dmah),
	OP(alloc_mw),
	OP(alloc_null_mr),
	OP(alloc_parent_domain),
	OP(alloc_pd),
	OP(alloc_td),
	OP(async_event),
	OP(attach_counters_point_flow),
	OP(attach_mcast),
	OP(bind_mw),
	OP(close_xrcd),
	OP(cq_event),
	OP(create_ah),
	OP(create_comp_cntr),
	OP(create_counters),
	OP(create_cq),
	OP(create_cq_ex),
	OP(create_flow),
	OP(create_flow_action_esp),
	OP(create_qp),
	OP(create_qp_ex),
	OP(create_rwq_ind_table),
	OP(create_srq),
	OP(create_srq_ex),
	OP(create_wq),
	OP(dealloc_dmah),
	OP(dealloc_mw),
	OP(dealloc_pd),
	OP(dealloc_td),
	OP(dereg_mr),
	OP(destroy_ah),
	OP(destroy_comp_cntr),
	OP(destroy_counters),
	OP(destroy_cq),
	OP(destroy_flow),
	OP(destroy_flow_action),
	OP(destroy_qp),
	OP(destroy_rwq_ind_table),
	OP(destroy_srq),
	OP(destroy_wq),
	OP(detach_mcast),
	OP(dm_export_dmabuf_fd),
	OP(free_buf),
	OP(free_context),
	OP(free_dm),
	OP(get_srq_num),
	OP(import_dm),
	OP(import_mr),
	OP(import_pd),
	OP(inc_comp_cntr),
	OP(inc_err_comp_cntr),
	OP(modify_cq),
	OP(modify_flow_action_esp),
	OP(modify_qp),
	OP(modify_qp_rate_limit),
	OP(modify_srq),
	OP(modify_wq),
	OP(open_qp),
	OP(open_xrcd),
	OP(poll_cq),
	OP(post_recv),
	OP(post_send),
	OP(post_srq_ops),
	OP(post_srq_recv),
	OP(qp_attach_comp_cntr),
	OP(query_comp_cntr_caps),
	OP(query_device_ex),
	OP(query_ece),
	OP(query_port),
	OP(query_port_speed),
	OP(query_qp),
	OP(query_qp_data_in_order),
	OP(query_rt_values),
	OP(query_srq),
	OP(read_comp_cntr),
	OP(read_counters),
	OP(read_err_comp_cntr),
	OP(reg_dm_mr),
	OP(reg_dmabuf_mr),
	OP(reg_mr),
	OP(reg_mr_ex),
	OP(req_notify_cq),
	OP(rereg_mr),
	OP(resize_cq),
	OP(set_comp_cntr),
	OP(set_ece),
	OP(set_err_comp_cntr),
	OP(unimport_dm),
	OP(unimport_mr),
	OP(unimport_pd),
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
