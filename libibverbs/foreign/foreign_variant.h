/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The private ABIs of rdma-core releases. The number in the name of a module
 * does not identify one: 59 stands for two. (34 stands for seven, which
 * foreign_release() distinguishes; v34 and v35 are not supported.)
 */
#ifndef FOREIGN_FOREIGN_VARIANT_H
#define FOREIGN_FOREIGN_VARIANT_H

#include <stdbool.h>
#include <stddef.h>

#include "foreign/foreign_ops.h"

/* In chronological order; each variant has all ops of the previous one. */
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
	size_t context_offset; /* of ibv_context in verbs_context */
	size_t nr_slots;       /* of the op table */
	/*
	 * The offset of comp_mask in verbs_qp depends on the release, see
	 * foreign_release(). In the other variants it is that of
	 * provider/objects.h.
	 */
	bool qp_mask_moved;
};

/* Indexed by enum foreign_variant_id. */
extern const struct foreign_variant foreign_variants[FOREIGN_NR_VARIANTS];

/*
 * Index of the layout of verbs_qp: 0 up to v43, 1 in v44, 2 from v45 on, which
 * is that of provider/objects.h. The layouts differ in the size of ibv_qp_ex.
 */
static inline unsigned int foreign_qp_layout(unsigned int release)
{
	return (release >= 44) + (release >= 45);
}

/* Bytes of verbs_context in this variant: the value of its member sz. */
static inline size_t foreign_variant_sz(const struct foreign_variant *variant)
{
	return variant->context_offset + sizeof(struct ibv_context);
}

/**
 * foreign_variant_read_ops() - add the op table of a provider to @ops
 * @variant: layout of @table
 * @table: variant->nr_slots function pointers
 * @ops: members that are set in @table are set, the others keep their value
 */
void foreign_variant_read_ops(const struct foreign_variant *variant,
			      const void *table, struct foreign_ops *ops);

#endif
