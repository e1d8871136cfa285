/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A provider of an rdma-core release in each layout: see fake_foreign.h. */
#include "libibverbs/foreign/fake_foreign.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "foreign/foreign_context.h"
#include "foreign/foreign_detect.h"
#include "foreign/foreign_register.h"
#include "libibverbs/foreign/node_module.h"
#include "support/fake_discover.h"

/* last: requires the headers above */
#include <cmocka.h>

/* alloc_pd, dealloc_pd, free_context, poll_cq, post_send, query_port */
const struct fake_layout fake_layouts[FAKE_NR_LAYOUTS] = {
	{ "34", 34, 44, NODE_FRONT(320), 76, { 5, 26, 39, 53, 55, 60 } },
	{ "57", 57, 57, NODE_FRONT(320), 76, { 5, 26, 39, 53, 55, 60 } },
	{ "59 of v61", 59, 61, NODE_FRONT(344), 79, { 6, 28, 41, 55, 57, 62 } },
	{ "59 of v62", 59, 62, NODE_FRONT(352), 81, { 6, 28, 42, 56, 58, 63 } },
	{ "64", 64, 64, NODE_FRONT(368), 83, { 7, 29, 44, 58, 60, 65 } },
	{ "65", 65, 65, NODE_FRONT(368), 93, { 7, 30, 46, 62, 64, 71 } },
};

static const struct fake_node nodes[] = {
	{ 34, foreign_register_driver_34, foreign_set_ops_34,
	  foreign_uninit_context_34 },
	{ 57, foreign_register_driver_57, foreign_set_ops_57,
	  foreign_uninit_context_57 },
	{ 59, foreign_register_driver_59, foreign_set_ops_59,
	  foreign_uninit_context_59 },
	{ 64, foreign_register_driver_64, foreign_set_ops_64,
	  foreign_uninit_context_64 },
	{ 65, foreign_register_driver_65, foreign_set_ops_65,
	  foreign_uninit_context_65 },
};

const struct fake_node *fake_node_of(const struct fake_layout *layout)
{
	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
		if (nodes[i].number == layout->node)
			return &nodes[i];
	}
	fail_msg("no node %u", layout->node);
	return NULL;
}

size_t fake_context_size(const struct fake_layout *layout)
{
	return layout->context_at + sizeof(struct ibv_context);
}

unsigned int fake_detect_oldest, fake_detect_newest;

void __wrap_foreign_detect(const void *address, const char *name,
			   unsigned int node, struct foreign_range *range);

void __wrap_foreign_detect(const void *address, const char *name,
			   unsigned int node, struct foreign_range *range)
{
	if (fake_detect_oldest)
		range->oldest = fake_detect_oldest;
	if (fake_detect_newest)
		range->newest = fake_detect_newest;
}

struct fake_foreign fake_foreign;

/* ------------------------------------------------------------------------ */
/* Devices                                                                   */
/* ------------------------------------------------------------------------ */

static struct foreign_device *alloc_device(struct foreign_sysfs_dev *sysfs_dev)
{
	struct foreign_device *device;

	fake_foreign.nr_alloc_device++;
	fake_foreign.sysfs = *sysfs_dev;
	if (fake_foreign.fails_alloc_device)
		return NULL;
	device = calloc(1, sizeof(*device) + 100);
	assert_non_null(device);
	return device;
}

static void uninit_device(struct foreign_device *device)
{
	fake_foreign.nr_uninit_device++;
	fake_foreign.sysfs_was_gone = !device->sysfs;
	free(device);
}

/* ------------------------------------------------------------------------ */
/* Contexts: verbs_context between 48 and 64 bytes of the provider           */
/* ------------------------------------------------------------------------ */

#define BEFORE 48
#define BEHIND 64

static bool all_bytes_are(const char *at, size_t len, char value)
{
	for (size_t i = 0; i < len; i++) {
		if (at[i] != value)
			return false;
	}
	return true;
}

void *fake_foreign_vctx(const struct fake_layout *layout,
			struct ibv_context *ctx)
{
	return (char *)ctx - layout->context_at;
}

bool fake_foreign_untouched(const struct fake_layout *layout,
			    struct ibv_context *ctx)
{
	const char *vctx = fake_foreign_vctx(layout, ctx);

	return all_bytes_are(vctx - BEFORE, BEFORE, 'b') &&
	       all_bytes_are(vctx + fake_context_size(layout), BEHIND, 'e');
}

static struct ibv_pd *alloc_pd(struct ibv_context *ctx)
{
	struct ibv_pd *pd = calloc(1, sizeof(*pd));

	pd->context = ctx;
	return pd;
}

static int dealloc_pd(struct ibv_pd *pd)
{
	free(pd);
	return 0;
}

int fake_foreign_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc)
{
	return 0;
}

int fake_foreign_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
			   struct ibv_send_wr **bad_wr)
{
	return 0;
}

static int query_port(struct ibv_context *ctx, uint8_t port_num,
		      struct ibv_port_attr *attr)
{
	attr->lid = 0x1234;
	return 0;
}

static void free_fake_context(const struct fake_layout *layout, void *vctx)
{
	fake_node_of(layout)->uninit_context(vctx);
	free((char *)vctx - BEFORE);
}

static void free_context(struct ibv_context *ctx)
{
	const struct fake_layout *layout = fake_foreign.layout;

	fake_foreign.nr_free_context++;
	assert_true(fake_foreign_untouched(layout, ctx));
	free_fake_context(layout, fake_foreign_vctx(layout, ctx));
}

typedef void (*any_op)(void);

void fake_foreign_table(const struct fake_layout *layout, void **table)
{
	const any_op ops[FAKE_NR_SLOTS] = {
		[FAKE_ALLOC_PD] = (any_op)alloc_pd,
		[FAKE_DEALLOC_PD] = (any_op)dealloc_pd,
		[FAKE_FREE_CONTEXT] = (any_op)free_context,
		[FAKE_POLL_CQ] = (any_op)fake_foreign_poll_cq,
		[FAKE_POST_SEND] = (any_op)fake_foreign_post_send,
		[FAKE_QUERY_PORT] = (any_op)query_port,
	};

	memset(table, 0, layout->nr_slots * sizeof(*table));
	for (size_t i = 0; i < FAKE_NR_SLOTS; i++)
		memcpy(&table[layout->slot[i]], &ops[i], sizeof(ops[i]));
}

static struct foreign_verbs_context *
alloc_fake_context(struct ibv_device *device, int cmd_fd)
{
	const struct fake_layout *layout = fake_foreign.layout;
	void *table[FAKE_MAX_SLOTS];
	struct ibv_context *ctx;
	char *start, *vctx;

	fake_foreign.device = device;
	fake_foreign.cmd_fd = cmd_fd;
	start = foreign_init_and_alloc_context(
		device, cmd_fd, BEFORE + fake_context_size(layout) + BEHIND,
		(void *)(uintptr_t)BEFORE, RDMA_DRIVER_SIW);
	if (!start)
		return NULL;
	vctx = start + BEFORE;
	ctx = (void *)(vctx + layout->context_at);
	assert_true(all_bytes_are(start, BEFORE, 0));
	assert_true(all_bytes_are(vctx + fake_context_size(layout), BEHIND, 0));
	memset(start, 'b', BEFORE);
	memset(vctx + fake_context_size(layout), 'e', BEHIND);

	if (fake_foreign.before_set_ops)
		fake_foreign.before_set_ops(ctx);
	if (!fake_foreign.sets_nothing) {
		fake_foreign_table(layout, table);
		fake_node_of(layout)->set_ops(vctx, table);
	}
	if (fake_foreign.fails_late) {
		free_fake_context(layout, vctx);
		errno = fake_foreign.open_errno;
		return NULL;
	}
	return (void *)vctx;
}

static struct foreign_verbs_context *
alloc_context(struct ibv_device *device, int cmd_fd, void *private_data)
{
	fake_foreign.nr_alloc_context++;
	fake_foreign.private_data = private_data;
	if (fake_foreign.open_errno && !fake_foreign.fails_late) {
		if (cmd_fd >= 0)
			(void)close(cmd_fd);
		if (!fake_foreign.keeps_errno)
			errno = fake_foreign.open_errno;
		return NULL;
	}
	return alloc_fake_context(device, cmd_fd);
}

static struct foreign_verbs_context *import_context(struct ibv_device *device,
						    int cmd_fd)
{
	fake_foreign.nr_import_context++;
	return alloc_fake_context(device, cmd_fd);
}

static const struct foreign_match_ent match_table[] = {
	{ .kind = FOREIGN_MATCH_DRIVER_ID, .u.driver_id = FAKE_DRIVER_ID },
	{ .kind = FOREIGN_MATCH_SENTINEL },
};

struct foreign_device_ops fake_foreign_ops;

void fake_foreign_start(const struct fake_layout *layout)
{
	fake_discover_reset();
	fake_foreign = (struct fake_foreign){ .layout = layout };
	fake_foreign_ops = (struct foreign_device_ops){
		.name = "foreign",
		.match_min_abi_version = FAKE_FOREIGN_MIN_ABI,
		.match_max_abi_version = FAKE_FOREIGN_MAX_ABI,
		.match_table = match_table,
		.alloc_context = alloc_context,
		.import_context = import_context,
		.alloc_device = alloc_device,
		.uninit_device = uninit_device,
	};
	fake_detect_oldest = fake_detect_newest = layout->release;
	fake_node_of(layout)->register_driver(&fake_foreign_ops);
}
