/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A fake provider module of an rdma-core release. It lays out its structs by
 * the numbers of its release and calls the functions of its private node. The
 * numbers are those of tests/abi/private-slots.tsv; code of the library that
 * computes them is not used.
 *
 * Linked with WRAP foreign_detect: the test sets the range of possible
 * releases.
 */
#ifndef FOREIGN_TEST_FAKE_FOREIGN_H
#define FOREIGN_TEST_FAKE_FOREIGN_H

#include <infiniband/verbs.h>
#include <stddef.h>

#include "core/device_object.h"
#include "foreign/foreign_abi.h"

enum fake_slot {
	FAKE_ALLOC_PD,
	FAKE_DEALLOC_PD,
	FAKE_FREE_CONTEXT,
	FAKE_POLL_CQ,
	FAKE_POST_SEND,
	FAKE_QUERY_PORT,
	FAKE_NR_SLOTS,
};

struct fake_layout {
	const char *name;
	unsigned int node;
	unsigned int release; /* result of foreign_detect() */
	size_t context_at;    /* offset of ibv_context in verbs_context */
	size_t nr_slots;
	size_t slot[FAKE_NR_SLOTS];
};

/* Functions that modules of a node call. */
struct fake_node {
	unsigned int number;
	void (*register_driver)(const struct foreign_device_ops *ops);
	void (*set_ops)(void *vctx, const void *ops);
	void (*uninit_context)(void *vctx);
};

const struct fake_node *fake_node_of(const struct fake_layout *layout);

/* Returns the bytes of verbs_context. */
size_t fake_context_size(const struct fake_layout *layout);

#define FAKE_NR_LAYOUTS 6
extern const struct fake_layout fake_layouts[FAKE_NR_LAYOUTS];

/* Result of foreign_detect(); 0: the limit is not changed. */
extern unsigned int fake_detect_oldest, fake_detect_newest;

/* State of the provider; fake_foreign_start() resets it. */
struct fake_foreign {
	const struct fake_layout *layout;

	/* Behaviour, set by the test. */
	bool fails_alloc_device; /* alloc_device() returns NULL */
	int open_errno; /* errno of a failing alloc_context(); 0: it succeeds */
	bool fails_late;   /* fails after it has allocated the context */
	bool keeps_errno;  /* fails without setting errno */
	bool sets_nothing; /* alloc_context() does not set ops */
	/* called by alloc_context() before it sets ops */
	void (*before_set_ops)(struct ibv_context *ctx);

	/* Recorded calls. */
	unsigned int nr_alloc_device, nr_uninit_device;
	struct foreign_sysfs_dev sysfs; /* argument of alloc_device() */
	bool sysfs_was_gone; /* device->sysfs was NULL in uninit_device() */
	unsigned int nr_alloc_context, nr_import_context, nr_free_context;
	struct ibv_device *device;
	int cmd_fd;
	void *private_data;
};

extern struct fake_foreign fake_foreign;

/* ABI versions of the kernel driver that the provider supports. */
#define FAKE_FOREIGN_MIN_ABI 2
#define FAKE_FOREIGN_MAX_ABI 3

/*
 * The registered table. Matches the devices of support/fake_discover.h by their
 * driver.
 */
extern struct foreign_device_ops fake_foreign_ops;

/*
 * Remove all devices, reset all state, and register the provider with this
 * layout.
 */
void fake_foreign_start(const struct fake_layout *layout);

/* Fill a table in the given layout with the ops of this file. */
#define FAKE_MAX_SLOTS 93
void fake_foreign_table(const struct fake_layout *layout, void **table);

/* Returns the start of the verbs_context that contains the context. */
void *fake_foreign_vctx(const struct fake_layout *layout,
			struct ibv_context *ctx);

/*
 * Returns whether the memory of the provider around verbs_context is unchanged.
 */
bool fake_foreign_untouched(const struct fake_layout *layout,
			    struct ibv_context *ctx);

/* Ops, for comparisons. */
int fake_foreign_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc);
int fake_foreign_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
			   struct ibv_send_wr **bad_wr);

#endif
