/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Differences between the private ABIs: the size of verbs_context, and the
 * members of the op table. Used at registration (foreign_register.c) and by all
 * code that handles a foreign context.
 *
 * The op tables of all releases are in alphabetical order, as is struct
 * foreign_ops, and no member was ever removed. So the slot of a member is the
 * number of members in front of it that the variant has.
 */
#include "foreign/foreign_variant.h"

#include <string.h>

/* Offset of ibv_context in a verbs_context that begins with @first. */
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

/* First variant that has a member; members without an entry exist since v36. */
static const unsigned char since[NR_OPS] = {
#define ROW(member, variant) [OP(member)] = variant,
	FOREIGN_OPS_SINCE(ROW)
#undef ROW
};

_Static_assert(NR_OPS == 93, "struct foreign_ops has the ops of v65 only");
_Static_assert(FOREIGN_34 == 0,
	       "members without an entry are in every variant");

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
