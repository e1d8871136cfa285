/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tests of libibverbs/api/abi_tables.c, which fills the two public function
 * tables of a context: all existing slots are set, and nothing in front of a
 * shorter table is written.
 */
#include <stdlib.h>
#include <string.h>

#include "api/abi_tables.h"
#include "core/core_context.h"
#include "libibverbs/api/api_fixture.h"

#define NR_FRONT_SLOTS 6 /* member in front of query_port */

typedef void (*slot_t)(void);

static struct verbs_context *vctx(void)
{
	return verbs_get_ctx(api.ctx);
}

static void abi_tables_context_is_marked_extended(void **state)
{
	assert_non_null(vctx());
	assert_ptr_equal(&vctx()->context, api.ctx);
	assert_int_equal(vctx()->sz, sizeof(struct verbs_context));
}

static void abi_tables_context_ops_slots_are_set(void **state)
{
	slot_t slots[sizeof(api.ctx->ops) / sizeof(slot_t)];

	memcpy(slots, &api.ctx->ops, sizeof(slots));
	for (size_t i = 0; i < sizeof(slots) / sizeof(slots[0]); i++) {
		if (!slots[i])
			fail_msg("slot %zu is NULL", i);
	}
}

/* All members except the last ones, which are not functions. */
static void abi_tables_verbs_context_slots_are_set(void **state)
{
	slot_t slots[offsetof(struct verbs_context, _ABI_placeholder3) /
		     sizeof(slot_t)];

	memcpy(slots, vctx(), sizeof(slots));
	for (size_t i = 0; i < sizeof(slots) / sizeof(slots[0]); i++) {
		if (!slots[i])
			fail_msg("slot %zu is NULL", i);
	}
}

static void abi_tables_placeholders_are_flow_functions(void **state)
{
	assert_ptr_equal(vctx()->ABI_placeholder1, vctx()->ibv_create_flow);
	assert_ptr_equal(vctx()->ABI_placeholder2, vctx()->ibv_destroy_flow);
	assert_ptr_not_equal(vctx()->ABI_placeholder1,
			     vctx()->ABI_placeholder2);
}

/* ------------------------------------------------------------------------ */
/* Contexts of older providers                                              */
/* ------------------------------------------------------------------------ */

/* A context of a provider that was compiled when the table had @sz bytes. */
struct older {
	unsigned char guard[64];
	struct verbs_context vctx;
};

static void fill(struct older *older, size_t sz)
{
	memset(older, 0xa5, sizeof(*older));
	older->vctx.sz = sz;
	verbs_fill_abi_tables(&older->vctx.context);
}

static void assert_untouched(const struct older *older, size_t sz)
{
	const unsigned char *bytes = (const unsigned char *)older;
	size_t begin = offsetof(struct older, vctx) +
		       sizeof(struct verbs_context) - sz;

	for (size_t i = 0; i < begin; i++) {
		if (bytes[i] != 0xa5)
			fail_msg("%zu bytes in front are written", begin - i);
	}
	/* The first slot that exists. */
	assert_int_not_equal(bytes[begin], 0xa5);
}

static void abi_tables_shorter_table_is_not_overrun(void **state)
{
	const size_t whole = sizeof(struct verbs_context);
	static struct older older;

	for (size_t slots = 0; slots <= NR_FRONT_SLOTS; slots++) {
		size_t sz = whole - slots * sizeof(slot_t);

		fill(&older, sz);
		assert_untouched(&older, sz);
	}
}

static void abi_tables_shortest_table_begins_with_query_port(void **state)
{
	assert_int_equal(offsetof(struct verbs_context, query_port),
			 NR_FRONT_SLOTS * sizeof(slot_t));
}

static void abi_tables_longer_table_is_filled_partially(void **state)
{
	static struct older older;

	fill(&older, sizeof(struct verbs_context) + 16);
	assert_untouched(&older, sizeof(struct verbs_context));
}

/* ------------------------------------------------------------------------ */
/* Slots that programs of the first releases use                            */
/* ------------------------------------------------------------------------ */

typedef struct ibv_pd *(*alloc_pd_t)(struct ibv_context *ctx);
typedef int (*dealloc_pd_t)(struct ibv_pd *pd);
typedef struct ibv_cq *(*create_cq_t)(struct ibv_context *ctx, int cqe,
				      struct ibv_comp_channel *channel,
				      int comp_vector);
typedef void (*cq_event_t)(struct ibv_cq *cq);
typedef void (*async_event_t)(struct ibv_context *ctx,
			      struct ibv_async_event *event);

/* Casts the slot to its real type; C requires the intermediate type. */
#define OLD(name, type) ((type)(slot_t)api.ctx->ops._compat_##name)

static void abi_tables_compat_slots_are_exported_functions(void **state)
{
	struct ibv_device_attr attr;
	struct ibv_pd *pd;

	fake_provider.device_attr.orig_attr.max_qp = 9;
	ASSERT_OK(api.ctx->ops._compat_query_device(api.ctx, &attr));
	assert_int_equal(attr.max_qp, 9);

	pd = OLD(alloc_pd, alloc_pd_t)(api.ctx);
	assert_non_null(pd);
	ASSERT_OP("alloc_pd");
	ASSERT_OK(OLD(dealloc_pd, dealloc_pd_t)(pd));
}

/* Its arguments differ from those of ibv_create_cq(3). */
static void abi_tables_compat_create_cq_has_no_cq_context(void **state)
{
	struct ibv_comp_channel *channel = ibv_create_comp_channel(api.ctx);
	struct ibv_cq *cq =
		OLD(create_cq, create_cq_t)(api.ctx, 10, channel, 2);

	assert_non_null(cq);
	assert_ptr_equal(cq->channel, channel);
	assert_null(cq->cq_context);
	assert_int_equal(fake_provider.args.cq_attr.comp_vector, 2);
	ASSERT_OK(ibv_destroy_cq(cq));
	ASSERT_OK(ibv_destroy_comp_channel(channel));
}

static void abi_tables_compat_event_slots_call_provider(void **state)
{
	struct ibv_async_event event = { .event_type = IBV_EVENT_PORT_ERR };
	struct ibv_cq *cq = ibv_create_cq(api.ctx, 10, NULL, NULL, 0);

	OLD(cq_event, cq_event_t)(cq);
	assert_ptr_equal(fake_provider.event_cq, cq);
	OLD(async_event, async_event_t)(api.ctx, &event);
	assert_int_equal(fake_provider.event.event_type, IBV_EVENT_PORT_ERR);
	ASSERT_OK(ibv_destroy_cq(cq));
}

static void abi_tables_later_set_ops_keeps_library_slots(void **state)
{
	struct ibv_context_ops before = api.ctx->ops;
	struct verbs_context second = *vctx();

	verbs_context_set_ops(vctx(), &fake_provider_ops);
	verbs_context_set_ops(vctx(), &fake_provider_flow_ops);
	assert_memory_equal(&api.ctx->ops, &before, sizeof(before));
	assert_memory_equal(vctx(), &second, sizeof(second));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_TEST(abi_tables_context_is_marked_extended),
		API_TEST(abi_tables_context_ops_slots_are_set),
		API_TEST(abi_tables_verbs_context_slots_are_set),
		API_TEST(abi_tables_placeholders_are_flow_functions),
		API_TEST(abi_tables_shorter_table_is_not_overrun),
		API_TEST(abi_tables_shortest_table_begins_with_query_port),
		API_TEST(abi_tables_longer_table_is_filled_partially),
		API_TEST(abi_tables_compat_slots_are_exported_functions),
		API_TEST(abi_tables_compat_create_cq_has_no_cq_context),
		API_TEST(abi_tables_compat_event_slots_call_provider),
		API_TEST(abi_tables_later_set_ops_keeps_library_slots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
