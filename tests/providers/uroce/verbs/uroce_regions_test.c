/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Protection domains, regions, windows, address handles:
 * verbs/uroce_{pd,mr,mw,ah}.c.
 */
#include "providers/uroce/verbs/fake_worker.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Whether the kernel permits on-demand paging. */
static bool no_odp;

bool __wrap_uroce_odp_is_possible(void);

bool __wrap_uroce_odp_is_possible(void)
{
	return !no_odp;
}

static struct uroce_context *ctx;
static struct ibv_pd *pd;
static uint8_t memory[4096];

static int setup(void **state)
{
	ctx = fake_worker_context();
	pd = new_pd(ctx);
	return 0;
}

static int teardown(void **state)
{
	assert_int_equal(uroce_dealloc_pd(pd), 0);
	fake_worker_close(ctx);
	return 0;
}

/* -- domains -- */

static void uroce_alloc_pd_numbers_are_unique(void **state)
{
	struct ibv_pd *other = new_pd(ctx);

	assert_int_not_equal(to_uroce_pd(pd)->number,
			     to_uroce_pd(other)->number);
	assert_ptr_equal(other->context, &ctx->vctx.context);
	assert_int_equal(uroce_dealloc_pd(other), 0);
}

static void uroce_dealloc_pd_with_region_returns_ebusy(void **state)
{
	struct ibv_mr *mr = new_mr(pd, memory, sizeof(memory), 0);

	assert_int_equal(uroce_dealloc_pd(pd), -EBUSY);
	assert_int_equal(
		uroce_dereg_mr(verbs_container_of(mr, struct verbs_mr, ibv_mr)),
		0);
}

static void uroce_alloc_parent_domain_has_number_of_parent(void **state)
{
	struct ibv_td_init_attr td_attr = {};
	struct ibv_parent_domain_init_attr attr = { .pd = pd };
	struct ibv_pd *parent = NULL, *nested = NULL;
	struct ibv_td *td = NULL;

	assert_int_equal(uroce_alloc_td(&ctx->vctx.context, &td_attr, &td), 0);
	attr.td = td;
	assert_int_equal(
		uroce_alloc_parent_domain(&ctx->vctx.context, &attr, &parent),
		0);
	assert_int_equal(to_uroce_pd(parent)->number, to_uroce_pd(pd)->number);
	assert_int_equal(uroce_dealloc_pd(pd), -EBUSY);
	assert_int_equal(uroce_dealloc_td(td), -EBUSY);
	attr.pd = parent;
	assert_int_equal(
		uroce_alloc_parent_domain(&ctx->vctx.context, &attr, &nested),
		-EINVAL);
	assert_int_equal(uroce_dealloc_pd(parent), 0);
	assert_int_equal(uroce_dealloc_td(td), 0);
}

/* -- regions -- */

static struct uroce_region *region_of(const struct ibv_mr *mr)
{
	return uroce_memory_find(fake_worker.engine.core.memory, mr->lkey);
}

static void dereg(struct ibv_mr *mr)
{
	assert_int_equal(
		uroce_dereg_mr(verbs_container_of(mr, struct verbs_mr, ibv_mr)),
		0);
}

static void uroce_reg_mr_stores_requested_region(void **state)
{
	struct ibv_mr *mr = NULL;
	const struct uroce_region *region;

	assert_int_equal(uroce_reg_mr(pd, memory, 100, 0x5000,
				      IBV_ACCESS_REMOTE_READ, &mr),
			 0);
	assert_int_not_equal(mr->lkey, 0);
	assert_int_equal(mr->lkey, mr->rkey);
	region = region_of(mr);
	assert_ptr_equal(region->base, memory);
	assert_int_equal(region->iova, 0x5000);
	assert_int_equal(region->bytes, 100);
	assert_int_equal(region->access, IBV_ACCESS_REMOTE_READ);
	assert_int_equal(region->pd, to_uroce_pd(pd)->number);
	dereg(mr);
}

static void uroce_reg_mr_zero_based_begins_at_zero(void **state)
{
	struct ibv_mr *mr =
		new_mr(pd, memory, sizeof(memory), IBV_ACCESS_ZERO_BASED);

	assert_int_equal(region_of(mr)->iova, 0);
	dereg(mr);
}

static void assert_refused(const void *addr, size_t len, int access, int err)
{
	struct ibv_mr *mr = NULL;

	assert_int_equal(uroce_reg_mr(pd, (void *)addr, len, 0, access, &mr),
			 err);
	assert_null(mr);
}

static void uroce_reg_mr_bad_access_returns_einval(void **state)
{
	assert_refused(memory, 8, IBV_ACCESS_REMOTE_WRITE, -EINVAL);
	assert_refused(memory, 8, IBV_ACCESS_REMOTE_ATOMIC, -EINVAL);
	assert_refused(memory, 8, 1 << 12, -EINVAL);
	assert_refused(memory, 8, IBV_ACCESS_FLUSH_PERSISTENT, -EINVAL);
	assert_refused(memory, 8,
		       IBV_ACCESS_ON_DEMAND | IBV_ACCESS_REMOTE_WRITE, -EINVAL);
	dereg(new_mr(pd, memory, 8, IBV_ACCESS_RELAXED_ORDERING));
}

static void uroce_reg_mr_unmapped_memory_is_rejected(void **state)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *pages = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(pages, MAP_FAILED);
	assert_int_equal(munmap(pages + 2 * page, page), 0);
	assert_refused(pages, 3 * page, 0, -EFAULT);
	assert_refused(pages + 2 * page - 1, 2, 0, -EFAULT);
	assert_refused(NULL, 1, 0, -EFAULT);
	assert_refused(memory, SIZE_MAX, 0, -EINVAL);
	dereg(new_mr(pd, pages, 2 * page, 0));
	assert_int_equal(munmap(pages, 2 * page), 0);
}

static void uroce_reg_mr_checks_large_region_in_parts(void **state)
{
	const size_t bytes = (size_t)5000 * (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *pages = mmap(NULL, bytes, PROT_NONE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
			      0);

	assert_ptr_not_equal(pages, MAP_FAILED);
	dereg(new_mr(pd, pages, bytes, 0));
	assert_int_equal(munmap(pages + bytes - 1 - 4095, 4096), 0);
	assert_refused(pages, bytes, 0, -EFAULT);
	assert_int_equal(munmap(pages, bytes), 0);
}

static int rereg(struct ibv_mr *mr, int flags, struct ibv_pd *new_domain,
		 void *addr, size_t len, int access)
{
	return uroce_rereg_mr(verbs_container_of(mr, struct verbs_mr, ibv_mr),
			      flags, new_domain, addr, len, access);
}

static void uroce_rereg_mr_changes_requested_fields(void **state)
{
	struct ibv_mr *mr = new_mr(pd, memory, 100, 0);
	struct ibv_pd *other = new_pd(ctx);
	uint32_t key = mr->lkey;

	assert_int_equal(rereg(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
			       IBV_ACCESS_LOCAL_WRITE),
			 0);
	assert_int_equal(region_of(mr)->access, IBV_ACCESS_LOCAL_WRITE);
	assert_int_equal(region_of(mr)->bytes, 100);

	assert_int_equal(rereg(mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL,
			       memory + 8, 50, 0),
			 0);
	assert_ptr_equal(region_of(mr)->base, memory + 8);
	assert_int_equal(region_of(mr)->iova, (uintptr_t)memory + 8);
	assert_int_equal(region_of(mr)->access, IBV_ACCESS_LOCAL_WRITE);

	assert_int_equal(rereg(mr, IBV_REREG_MR_CHANGE_PD, other, NULL, 0, 0),
			 0);
	assert_int_equal(region_of(mr)->pd, to_uroce_pd(other)->number);
	assert_int_equal(uroce_dealloc_pd(other), -EBUSY);
	mr->pd = other; /* like the library */
	assert_int_equal(mr->lkey, key);
	dereg(mr);
	assert_int_equal(uroce_dealloc_pd(other), 0);
}

static void uroce_rereg_mr_changes_iova(void **state)
{
	struct ibv_mr *mr = new_mr(pd, memory, 100, 0);

	assert_int_equal(rereg(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
			       IBV_ACCESS_ZERO_BASED),
			 0);
	assert_int_equal(region_of(mr)->iova, 0);
	assert_int_equal(
		rereg(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, 0), 0);
	assert_int_equal(region_of(mr)->iova, (uintptr_t)memory);
	dereg(mr);
}

/* A share is for peers, so only regions with remote rights have one. */
static void uroce_reg_mr_share_lasts_as_long_as_region(void **state)
{
	const int write = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
	struct ibv_mr *mr;

	fake_worker.share = 7;
	mr = new_mr(pd, memory, 100, IBV_ACCESS_LOCAL_WRITE);
	assert_int_equal(fake_worker.nr_shares, 0);
	assert_int_equal(region_of(mr)->share, 0);
	/* gets a share, another one, and none again */
	assert_int_equal(
		rereg(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, write), 0);
	assert_int_equal(fake_worker.nr_shares, 1);
	assert_int_equal(region_of(mr)->share, 7);
	fake_worker.share = 8;
	assert_int_equal(rereg(mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL,
			       memory + 16, 50, 0),
			 0);
	assert_int_equal(fake_worker.nr_shares, 1);
	assert_int_equal(region_of(mr)->share, 8);
	assert_int_equal(region_of(mr)->share_offset,
			 (uintptr_t)(memory + 16) % 4096);
	assert_int_equal(rereg(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
			       IBV_ACCESS_LOCAL_WRITE),
			 0);
	assert_int_equal(fake_worker.nr_shares, 0);
	assert_int_equal(region_of(mr)->share, 0);
	dereg(mr);

	mr = new_mr(pd, memory, 100, IBV_ACCESS_REMOTE_READ);
	assert_int_equal(fake_worker.nr_shares, 1);
	fake_worker.copies_error = -EBUSY;
	assert_int_equal(
		uroce_dereg_mr(verbs_container_of(mr, struct verbs_mr, ibv_mr)),
		-EBUSY);
	assert_int_equal(fake_worker.nr_shares, 1);
	fake_worker.copies_error = 0;
	dereg(mr);
	assert_int_equal(fake_worker.nr_shares, 0);
	/* ends behind the last address */
	assert_int_equal(
		uroce_reg_mr(pd, memory, 100, UINT64_MAX - 50, write, &mr),
		-EINVAL);
	assert_int_equal(fake_worker.nr_shares, 0);
}

static void uroce_rereg_mr_failure_changes_nothing(void **state)
{
	struct ibv_mr *mr = new_mr(pd, memory, 100, 0);

	assert_int_equal(rereg(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
			       IBV_ACCESS_REMOTE_WRITE),
			 -EINVAL);
	assert_int_equal(rereg(mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL,
			       (void *)8, 8, 0),
			 -EFAULT);
	assert_ptr_equal(region_of(mr)->base, memory);
	assert_int_equal(region_of(mr)->access, 0);
	dereg(mr);
}

static void uroce_reg_mr_on_demand_needs_kernel(void **state)
{
	struct ibv_device_attr_ex attr = {};
	struct ibv_mr *mr = new_mr(pd, memory, 8, 0);

	no_odp = true;
	assert_refused(memory, 8, IBV_ACCESS_ON_DEMAND, -EOPNOTSUPP);
	assert_int_equal(rereg(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
			       IBV_ACCESS_ON_DEMAND),
			 -EOPNOTSUPP);
	uroce_odp_query(&attr, sizeof(attr));
	assert_int_equal(attr.odp_caps.general_caps, 0);
	assert_int_equal(attr.odp_caps.per_transport_caps.rc_odp_caps, 0);
	assert_int_equal(attr.xrc_odp_caps, 0);
	no_odp = false;
	dereg(mr);
}

static void uroce_query_odp_fills_members_of_old_struct(void **state)
{
	const size_t old_size =
		offsetof(struct ibv_device_attr_ex, xrc_odp_caps);
	struct ibv_device_attr_ex attr = {};

	uroce_odp_query(&attr, old_size);
	assert_int_equal(attr.odp_caps.general_caps,
			 IBV_ODP_SUPPORT | IBV_ODP_SUPPORT_IMPLICIT);
	assert_int_equal(attr.xrc_odp_caps, 0);
	uroce_odp_query(&attr, sizeof(attr));
	assert_int_equal(attr.xrc_odp_caps & IBV_ODP_SUPPORT_ATOMIC,
			 IBV_ODP_SUPPORT_ATOMIC);
}

/* Peers must not map memory that may be replaced at any time. */
static void uroce_reg_mr_on_demand_has_no_share(void **state)
{
	const int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
	struct ibv_mr *mr;

	fake_worker.share = 7;
	mr = new_mr(pd, NULL, SIZE_MAX, access | IBV_ACCESS_ON_DEMAND);
	assert_int_equal(fake_worker.nr_shares, 0);
	assert_int_equal(region_of(mr)->kind, UROCE_REGION_ON_DEMAND);
	dereg(mr);
	mr = new_mr(pd, memory, 8, access | IBV_ACCESS_ON_DEMAND);
	assert_int_equal(
		rereg(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, access),
		0);
	assert_int_equal(region_of(mr)->kind, UROCE_REGION_MEMORY);
	assert_int_equal(fake_worker.nr_shares, 1);
	assert_int_equal(rereg(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
			       access | IBV_ACCESS_ON_DEMAND),
			 0);
	assert_int_equal(fake_worker.nr_shares, 0);
	dereg(mr);
	fake_worker.share = 0;
}

static void uroce_alloc_null_mr_covers_every_address(void **state)
{
	struct ibv_sge sge = { .addr = UINT64_C(1) << 40, .length = 1000 };
	struct ibv_mr *mr = NULL;
	uint8_t *ptr = memory;

	assert_int_equal(uroce_alloc_null_mr(pd, &mr), 0);
	assert_ptr_equal(mr->pd, pd);
	assert_ptr_equal(mr->context, &ctx->vctx.context);
	sge.lkey = mr->lkey;
	assert_int_equal(uroce_memory_local(fake_worker.engine.core.memory,
					    to_uroce_pd(pd)->number, &sge, true,
					    &ptr),
			 0);
	assert_null(ptr);
	dereg(mr);
}

/* -- windows -- */

static void uroce_alloc_mw_has_key_without_memory(void **state)
{
	struct ibv_mw *mw = NULL;

	for (int type = IBV_MW_TYPE_1; type <= IBV_MW_TYPE_2; type++) {
		assert_int_equal(
			uroce_alloc_mw(pd, (enum ibv_mw_type)type, &mw), 0);
		assert_int_equal(mw->type, type);
		assert_ptr_equal(mw->pd, pd);
		assert_int_not_equal(mw->rkey, 0);
		assert_int_equal(to_uroce_mw(mw)->region->bytes, 0);
		assert_int_equal(uroce_dealloc_pd(pd), -EBUSY);
		assert_int_equal(uroce_dealloc_mw(mw), 0);
	}
}

/* -- address handles -- */

static struct ibv_ah_attr address(enum fake_gid from, enum fake_gid to)
{
	struct ibv_ah_attr attr = {
		.is_global = 1,
		.port_num = 1,
		.grh = { .sgid_index = (uint8_t)from },
	};

	memcpy(attr.grh.dgid.raw, fake_worker.dev.gids[to], UROCE_GID_LEN);
	return attr;
}

static void uroce_create_ah_stores_path(void **state)
{
	struct ibv_ah_attr attr = address(FAKE_GID_IPV4, FAKE_GID_IPV4);
	const struct uroce_path *path;
	struct ibv_ah *ah = NULL;

	attr.grh.traffic_class = 0x68;
	attr.grh.flow_label = 0xfff12345;
	attr.grh.hop_limit = 3;
	assert_int_equal(uroce_create_ah(pd, &attr, &ah), 0);
	path = &to_uroce_ah(ah)->path;
	assert_memory_equal(path->sgid, fake_worker.dev.gids[FAKE_GID_IPV4],
			    16);
	assert_memory_equal(path->dgid, fake_worker.dev.gids[FAKE_GID_IPV4],
			    16);
	assert_int_equal(path->tclass, 0x68);
	assert_int_equal(path->flow_label, 0x12345);
	assert_int_equal(path->hop_limit, 3);
	assert_int_equal(path->sport, 0xc000);
	assert_int_equal(uroce_dealloc_pd(pd), -EBUSY);
	assert_int_equal(uroce_destroy_ah(ah), 0);
}

static void uroce_create_ah_default_hop_limit_is_64(void **state)
{
	struct ibv_ah *ah = new_ah(pd);

	assert_int_equal(to_uroce_ah(ah)->path.hop_limit, 64);
	assert_int_equal(uroce_destroy_ah(ah), 0);
}

static void assert_no_path(const struct ibv_ah_attr *wanted)
{
	struct ibv_ah_attr attr = *wanted;
	struct ibv_ah *ah = NULL;

	assert_int_equal(uroce_create_ah(pd, &attr, &ah), -EINVAL);
	assert_null(ah);
}

static void uroce_create_ah_bad_address_is_rejected(void **state)
{
	struct ibv_ah_attr attr = address(FAKE_GID_IPV6, FAKE_GID_IPV6);

	attr.is_global = 0;
	assert_no_path(&attr);
	attr = address(FAKE_GID_IPV6, FAKE_GID_IPV6);
	attr.port_num = 2;
	assert_no_path(&attr);
	attr = address(FAKE_GID_IPV6, FAKE_GID_IPV4);
	assert_no_path(&attr);
	attr = address(FAKE_GID_IPV4, FAKE_GID_IPV6);
	assert_no_path(&attr);
	attr = address(FAKE_GID_IPV4, FAKE_GID_IPV4);
	attr.grh.sgid_index = FAKE_NR_GIDS;
	assert_no_path(&attr);
	attr = address(FAKE_GID_IPV6, FAKE_GID_IPV6);
	memset(&attr.grh.dgid, 0, sizeof(attr.grh.dgid));
	assert_no_path(&attr);
	memset(fake_worker.dev.gids[0], 0, UROCE_GID_LEN);
	attr = address(FAKE_GID_LINK_LOCAL, FAKE_GID_IPV6);
	assert_no_path(&attr);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(uroce_alloc_pd_numbers_are_unique),
		TEST(uroce_dealloc_pd_with_region_returns_ebusy),
		TEST(uroce_alloc_parent_domain_has_number_of_parent),
		TEST(uroce_reg_mr_stores_requested_region),
		TEST(uroce_reg_mr_zero_based_begins_at_zero),
		TEST(uroce_reg_mr_bad_access_returns_einval),
		TEST(uroce_reg_mr_unmapped_memory_is_rejected),
		TEST(uroce_reg_mr_checks_large_region_in_parts),
		TEST(uroce_rereg_mr_changes_requested_fields),
		TEST(uroce_rereg_mr_changes_iova),
		TEST(uroce_reg_mr_share_lasts_as_long_as_region),
		TEST(uroce_rereg_mr_failure_changes_nothing),
		TEST(uroce_reg_mr_on_demand_needs_kernel),
		TEST(uroce_query_odp_fills_members_of_old_struct),
		TEST(uroce_reg_mr_on_demand_has_no_share),
		TEST(uroce_alloc_null_mr_covers_every_address),
		TEST(uroce_alloc_mw_has_key_without_memory),
		TEST(uroce_create_ah_stores_path),
		TEST(uroce_create_ah_default_hop_limit_is_64),
		TEST(uroce_create_ah_bad_address_is_rejected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
