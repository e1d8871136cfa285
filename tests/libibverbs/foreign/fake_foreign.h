/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A provider as modules of existing releases have it: it lays out its structs
 * by the numbers of its release, and calls the library by the functions of its
 * node. The numbers are those of tests/abi/private-slots.tsv, and nothing here
 * uses the library's own idea of them.
 *
 * Linked with WRAP foreign_detect: the test says which releases a provider may
 * be of.
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
	unsigned int release; /* what foreign_detect() finds */
	size_t context_at;    /* of ibv_context in verbs_context */
	size_t nr_slots;
	size_t slot[FAKE_NR_SLOTS];
};

/* Functions that the modules of a node call. */
struct fake_node {
	unsigned int number;
	void (*register_driver)(const struct foreign_device_ops *ops);
	void (*set_ops)(void *vctx, const void *ops);
	void (*uninit_context)(void *vctx);
};

const struct fake_node *fake_node_of(const struct fake_layout *layout);

/* Bytes of verbs_context. */
size_t fake_size(const struct fake_layout *layout);

#define FAKE_NR_LAYOUTS 6
extern const struct fake_layout fake_layouts[FAKE_NR_LAYOUTS];

/* What foreign_detect() leaves; 0: it changes nothing. */
extern unsigned int fake_oldest, fake_newest;

/* The provider's state; fake_foreign_start() clears it. */
struct fake_foreign {
	const struct fake_layout *layout;

	/* What it is to do. */
	bool refuses_device; /* alloc_device() returns NULL */
	int open_errno;	     /* alloc_context() fails with it */
	bool fails_late;     /* after it has made the context */
	bool keeps_errno;    /* fails without setting errno */
	bool sets_nothing;   /* no verbs_set_ops() while opening */
	void (*half_built)(struct ibv_context *ctx);

	/* What was seen. */
	unsigned int nr_alloc_device, nr_uninit_device;
	struct foreign_sysfs_dev sysfs; /* as alloc_device() got it */
	bool sysfs_was_gone;		/* in uninit_device() */
	unsigned int nr_alloc_context, nr_import_context, nr_free_context;
	struct ibv_device *device;
	int cmd_fd;
	void *private_data;
};

extern struct fake_foreign fake_foreign;

/* Driver that it names, and which versions of its ABI it knows. */
#define FAKE_FOREIGN_MIN_ABI 2
#define FAKE_FOREIGN_MAX_ABI 3

/* Matches the devices of support/fake_discover.h by their driver. */
extern struct foreign_device_ops fake_foreign_ops;

/* No devices, no failures, this layout; the provider is registered. */
void fake_foreign_start(const struct fake_layout *layout);

/* Fills the table of the layout with the ops of this file. */
#define FAKE_MAX_SLOTS 93
void fake_foreign_table(const struct fake_layout *layout, void **table);

/* Start of the verbs_context that a context is in. */
void *fake_foreign_vctx(const struct fake_layout *layout,
			struct ibv_context *ctx);

/* Whether the provider's own memory around the context is as it was left. */
bool fake_foreign_untouched(const struct fake_layout *layout,
			    struct ibv_context *ctx);

/* Ops, to compare with. */
int fake_foreign_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc);
int fake_foreign_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
			   struct ibv_send_wr **bad_wr);

#endif
