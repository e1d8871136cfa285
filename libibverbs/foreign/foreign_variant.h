/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The private ABIs that modules of existing releases were built for. The number
 * in a module's name does not name one: 59 has two. (34 has seven, which differ
 * in what foreign_release() tells apart; v34 and v35 are not supported.)
 */
#ifndef FOREIGN_FOREIGN_VARIANT_H
#define FOREIGN_FOREIGN_VARIANT_H

#include <stdbool.h>
#include <stddef.h>

#include "foreign/foreign_ops.h"

/* In the order in which they came; each has all ops of the one before it. */
enum foreign_variant_id {
	FOREIGN_34,  /* v36 to v56 */
	FOREIGN_57,  /* v57, v58 */
	FOREIGN_59A, /* v59 to v61 */
	FOREIGN_59B, /* v62, v63 */
	FOREIGN_64,  /* v64 */
	FOREIGN_65,  /* v65 */
	FOREIGN_NR_VARIANTS,
};

struct foreign_variant {
	enum foreign_variant_id id;
	unsigned int node;   /* 59, as in IBVERBS_PRIVATE_59 */
	unsigned int oldest; /* releases: 62 and 63 */
	unsigned int newest;
	size_t context_offset; /* of ibv_context in its verbs_context */
	size_t nr_slots;       /* of its op table */
	/*
	 * Where comp_mask is in verbs_qp depends on the release; see
	 * foreign_release(). In the others it is where ours is.
	 */
	bool qp_mask_moved;
};

/* By enum foreign_variant_id. */
extern const struct foreign_variant foreign_variants[FOREIGN_NR_VARIANTS];

/*
 * Which of the layouts that verbs_qp has had: 0 up to v43, 1 in v44, 2 from v45
 * on, which is ours. It is ibv_qp_ex inside that grew.
 */
static inline unsigned int foreign_qp_layout(unsigned int release)
{
	return (release >= 44) + (release >= 45);
}

/* Bytes of a verbs_context of this variant, as ibv_context's sz tells them. */
static inline size_t foreign_variant_sz(const struct foreign_variant *variant)
{
	return variant->context_offset + sizeof(struct ibv_context);
}

/**
 * foreign_variant_read_ops() - read an op table of a provider
 * @variant: how it is laid out
 * @table: variant->nr_slots pointers
 * @ops: members that are set in @table are set, the others stay
 */
void foreign_variant_read_ops(const struct foreign_variant *variant,
			      const void *table, struct foreign_ops *ops);

#endif
