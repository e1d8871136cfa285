/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What distinguishes the private ABIs: how large their verbs_context is, and
 * which members their op table has. Used at registration
 * (foreign_register.c) and by everything that handles a foreign context.
 *
 * An op table has always been in the order of the alphabet, as is struct
 * foreign_ops, and members were only added; so the slot of a member is the
 * number of members before it that the variant knows.
 */
#include "foreign/foreign_variant.h"

#include <string.h>

/* The member of verbs_context that is the first one in a variant. */
#define CONTEXT_BEHIND(first)                      \
	(offsetof(struct verbs_context, context) - \
	 offsetof(struct verbs_context, first))

const struct foreign_variant foreign_variants[FOREIGN_NR_VARIANTS] = {
	[FOREIGN_34] = {
		.id = FOREIGN_34,
		.node = 34,
		.oldest = 36,
		.newest = 56,
		.context_offset = CONTEXT_BEHIND(query_port),
		.nr_slots = 76,
		.qp_mask_moved = true,
	},
	[FOREIGN_57] = {
		.id = FOREIGN_57,
		.node = 57,
		.oldest = 57,
		.newest = 58,
		.context_offset = CONTEXT_BEHIND(query_port),
		.nr_slots = 76,
	},
	[FOREIGN_59A] = {
		.id = FOREIGN_59A,
		.node = 59,
		.oldest = 59,
		.newest = 61,
		.context_offset = CONTEXT_BEHIND(reg_mr_ex),
		.nr_slots = 79,
	},
	[FOREIGN_59B] = {
		.id = FOREIGN_59B,
		.node = 59,
		.oldest = 62,
		.newest = 63,
		.context_offset = CONTEXT_BEHIND(dm_export_dmabuf_fd),
		.nr_slots = 81,
	},
	[FOREIGN_64] = {
		.id = FOREIGN_64,
		.node = 64,
		.oldest = 64,
		.newest = 64,
		.context_offset = CONTEXT_BEHIND(free_buf),
		.nr_slots = 83,
	},
	[FOREIGN_65] = {
		.id = FOREIGN_65,
		.node = 65,
		.oldest = 65,
		.newest = 65,
		.context_offset = CONTEXT_BEHIND(free_buf),
		.nr_slots = 93,
	},
};

typedef void (*any_op)(void);

#define NR_OPS (sizeof(struct foreign_ops) / sizeof(any_op))

#define OP(member) (offsetof(struct foreign_ops, member) / sizeof(any_op))

/* The variant in which a member came; the others have been there since v36. */
static const unsigned char since[NR_OPS] = {
	[OP(alloc_dmah)] = FOREIGN_59A,
	[OP(dealloc_dmah)] = FOREIGN_59A,
	[OP(reg_mr_ex)] = FOREIGN_59A,
	[OP(dm_export_dmabuf_fd)] = FOREIGN_59B,
	[OP(query_port_speed)] = FOREIGN_59B,
	[OP(alloc_buf)] = FOREIGN_64,
	[OP(free_buf)] = FOREIGN_64,
	[OP(create_comp_cntr)] = FOREIGN_65,
	[OP(destroy_comp_cntr)] = FOREIGN_65,
	[OP(inc_comp_cntr)] = FOREIGN_65,
	[OP(inc_err_comp_cntr)] = FOREIGN_65,
	[OP(qp_attach_comp_cntr)] = FOREIGN_65,
	[OP(query_comp_cntr_caps)] = FOREIGN_65,
	[OP(read_comp_cntr)] = FOREIGN_65,
	[OP(read_err_comp_cntr)] = FOREIGN_65,
	[OP(set_comp_cntr)] = FOREIGN_65,
	[OP(set_err_comp_cntr)] = FOREIGN_65,
};

_Static_assert(NR_OPS == 93, "the ops of v65, and no other member");
_Static_assert(FOREIGN_34 == 0, "what is not named is in every variant");

void foreign_variant_read_ops(const struct foreign_variant *variant,
			      const void *table, struct foreign_ops *ops)
{
	any_op taken[NR_OPS];
	const char *slot = table;

	memcpy(taken, ops, sizeof(taken));
	for (size_t i = 0; i < NR_OPS; i++) {
		any_op op;

		if (since[i] > variant->id)
			continue;
		memcpy(&op, slot, sizeof(op));
		slot += sizeof(op);
		if (op)
			taken[i] = op;
	}
	memcpy(ops, taken, sizeof(taken));
}
