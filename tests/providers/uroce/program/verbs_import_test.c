/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Contexts of one process that share objects: ibv_import_device(3) with a
 * duplicate of cmd_fd, and ibv_import_pd(3).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "verbs_fixture.h"

static struct ibv_context *imported;

static int duplicate(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	assert_true(copy >= 0);
	return copy;
}

static int setup(void **state)
{
	int ret = fixture_setup(state);

	imported = ibv_import_device(duplicate(fixture.ctx->cmd_fd));
	assert_non_null(imported);
	return ret;
}

static int teardown(void **state)
{
	assert_int_equal(ibv_close_device(imported), 0);
	return fixture_teardown(state);
}

static struct ibv_pd *new_import(void)
{
	struct ibv_pd *pd = ibv_import_pd(imported, fixture.pd->handle);

	assert_non_null(pd);
	assert_ptr_equal(pd->context, imported);
	assert_int_equal(pd->handle, fixture.pd->handle);
	return pd;
}

static struct ibv_mr *new_mr_import(struct ibv_pd *pd)
{
	struct ibv_mr *mr = ibv_import_mr(pd, fixture.mr->handle);

	assert_non_null(mr);
	return mr;
}

/* The QPs of the fixture, created once more: @left with the imported PD. */
struct rig {
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *left;
};

static struct rig rig_new(void)
{
	struct rig rig = {
		.pd = new_import(),
		.cq = ibv_create_cq(imported, 8, NULL, NULL, 0),
	};
	struct ibv_qp_init_attr attr = {
		.cap = { 8, 8, 2, 2, 0 },
		.qp_type = IBV_QPT_RC,
	};

	assert_non_null(rig.cq);
	attr.send_cq = rig.cq;
	attr.recv_cq = rig.cq;
	rig.left = ibv_create_qp(rig.pd, &attr);
	assert_non_null(rig.left);
	fixture_connect(rig.left, fixture.right);
	return rig;
}

static void rig_free(const struct rig *rig)
{
	assert_int_equal(ibv_destroy_qp(rig->left), 0);
	assert_int_equal(ibv_destroy_cq(rig->cq), 0);
	ibv_unimport_pd(rig->pd);
}

static enum ibv_wc_status rig_write(const struct rig *rig, uint32_t lkey,
				    uint32_t rkey)
{
	struct ibv_sge sge = { (uintptr_t)fixture.memory, 8, lkey };
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_RDMA_WRITE,
		.sg_list = &sge,
		.num_sge = 1,
		.send_flags = IBV_SEND_SIGNALED,
	};
	struct ibv_send_wr *bad;

	wr.wr.rdma.remote_addr = (uintptr_t)fixture.memory + 4096;
	wr.wr.rdma.rkey = rkey;
	assert_int_equal(ibv_post_send(rig->left, &wr, &bad), 0);
	return fixture_poll(rig->cq).status;
}

static void import_device_shares_device(void **state)
{
	assert_ptr_equal(imported->device, fixture.ctx->device);
	assert_int_not_equal(imported->cmd_fd, fixture.ctx->cmd_fd);
}

static void import_device_works_repeatedly(void **state)
{
	struct ibv_context *third =
		ibv_import_device(duplicate(imported->cmd_fd));
	struct ibv_pd *pd;

	assert_non_null(third);
	pd = ibv_import_pd(third, fixture.pd->handle);
	assert_non_null(pd);
	ibv_unimport_pd(pd);
	assert_int_equal(ibv_close_device(third), 0);
}

static void import_device_without_origin_fails(void **state)
{
	struct ibv_context *origin = fixture_open();
	int fd = duplicate(origin->cmd_fd);

	assert_int_equal(ibv_close_device(origin), 0);
	assert_null(ibv_import_device(fd));
	assert_int_equal(errno, EOPNOTSUPP);
}

/* A further process of the user with the descriptor. */
static void import_device_in_child_works(void **state)
{
	int status = -1;
	pid_t child = fork();

	assert_true(child >= 0);
	if (!child) {
		struct ibv_context *ctx =
			ibv_import_device(fixture.ctx->cmd_fd);

		_exit(ctx && ibv_import_pd(ctx, fixture.pd->handle) ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void import_device_of_regular_file_fails(void **state)
{
	char name[] = "/tmp/verbs_import_XXXXXX";
	int fd = mkstemp(name);

	assert_true(fd >= 0);
	assert_int_equal(unlink(name), 0);
	assert_null(ibv_import_device(fd));
	assert_int_equal(errno, EINVAL);
	assert_int_equal(close(fd), 0);
}

static void imported_pd_uses_keys_of_original(void **state)
{
	struct rig rig = rig_new();
	struct ibv_mr *mr = new_mr_import(rig.pd);

	assert_null(mr->addr);
	assert_int_equal(mr->length, FIXTURE_BYTES);
	assert_int_equal(mr->lkey, fixture.mr->lkey);
	assert_int_equal(mr->rkey, fixture.mr->rkey);
	assert_int_equal(mr->handle, fixture.mr->handle);
	memset(fixture.memory, 0x5a, 8);
	assert_int_equal(rig_write(&rig, mr->lkey, mr->rkey), IBV_WC_SUCCESS);
	assert_memory_equal(fixture.memory + 4096, fixture.memory, 8);
	ibv_unimport_mr(mr);
	rig_free(&rig);
}

static void region_of_imported_pd_is_in_original(void **state)
{
	struct ibv_pd *pd = new_import();
	static uint8_t memory[64] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct ibv_mr *mr =
		ibv_reg_mr(pd, memory, sizeof(memory),
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);

	assert_non_null(mr);
	memset(fixture.memory, 0x77, 8);
	assert_int_equal(
		fixture_write(fixture.memory, (uintptr_t)memory, mr->rkey),
		IBV_WC_SUCCESS);
	assert_memory_equal(memory, fixture.memory, 8);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	ibv_unimport_pd(pd);
}

static void imported_region_ends_with_original(void **state)
{
	struct rig rig = rig_new();
	uint8_t memory[8];
	struct ibv_mr *original = ibv_reg_mr(fixture.pd, memory, sizeof(memory),
					     IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mr;

	assert_non_null(original);
	mr = ibv_import_mr(rig.pd, original->handle);
	assert_non_null(mr);
	assert_int_equal(ibv_dereg_mr(original), 0);
	assert_int_equal(rig_write(&rig, mr->lkey, fixture.mr->rkey),
			 IBV_WC_LOC_PROT_ERR);
	ibv_unimport_mr(mr);
	rig_free(&rig);
}

static void imported_objects_are_not_freed_as_originals(void **state)
{
	struct ibv_pd *pd = new_import();
	struct ibv_mr *mr = new_mr_import(pd);

	assert_int_equal(ibv_dereg_mr(mr), EINVAL);
	assert_int_equal(ibv_dealloc_pd(pd), EINVAL);
	ibv_unimport_mr(mr);
	ibv_unimport_pd(pd);
	/* a wrong call, which must not free the original */
	ibv_unimport_mr(fixture.mr);
	ibv_unimport_pd(fixture.pd);
}

static void imported_pd_keeps_original_busy(void **state)
{
	struct ibv_pd *original = ibv_alloc_pd(fixture.ctx);
	struct ibv_pd *pd;

	assert_non_null(original);
	pd = ibv_import_pd(imported, original->handle);
	assert_non_null(pd);
	assert_int_equal(ibv_dealloc_pd(original), EBUSY);
	ibv_unimport_pd(pd);
	assert_int_equal(ibv_dealloc_pd(original), 0);
}

/* As pyverbs does it. */
static void unimported_pd_lasts_until_users_end(void **state)
{
	struct rig rig = rig_new();
	struct ibv_mr *mr = new_mr_import(rig.pd);
	uint32_t key = mr->lkey;

	ibv_unimport_mr(mr);
	ibv_unimport_pd(rig.pd);
	assert_int_equal(ibv_dealloc_pd(fixture.pd), EBUSY);
	assert_int_equal(rig_write(&rig, key, key), IBV_WC_SUCCESS);
	assert_int_equal(ibv_destroy_qp(rig.left), 0);
	assert_int_equal(ibv_destroy_cq(rig.cq), 0);
}

static void unknown_handles_are_not_imported(void **state)
{
	struct ibv_context *other = fixture_open();
	struct ibv_pd *pd = new_import(), *second = ibv_alloc_pd(imported);

	assert_non_null(second);
	assert_null(ibv_import_pd(imported, UINT32_MAX));
	assert_int_equal(errno, ENOENT);
	assert_null(ibv_import_mr(pd, UINT32_MAX));
	assert_int_equal(errno, ENOENT);
	assert_null(ibv_import_dm(imported, UINT32_MAX));
	assert_int_equal(errno, ENOENT);
	/* a region of another PD, and a PD of another context */
	assert_null(ibv_import_mr(second, fixture.mr->handle));
	assert_int_equal(errno, ENOENT);
	assert_null(ibv_import_pd(other, fixture.pd->handle));
	assert_int_equal(errno, ENOENT);
	assert_int_equal(ibv_dealloc_pd(second), 0);
	ibv_unimport_pd(pd);
	assert_int_equal(ibv_close_device(other), 0);
}

static void parent_domain_of_imported_pd_works(void **state)
{
	struct ibv_pd *pd = new_import();
	struct ibv_parent_domain_init_attr attr = { .pd = pd };
	struct ibv_pd *parent = ibv_alloc_parent_domain(imported, &attr);

	assert_non_null(parent);
	ibv_unimport_pd(pd);
	assert_int_equal(ibv_dealloc_pd(fixture.pd), EBUSY);
	assert_int_equal(ibv_dealloc_pd(parent), 0);
}

static void imported_device_memory_is_that_of_original(void **state)
{
	struct ibv_alloc_dm_attr attr = { .length = 4096 };
	struct ibv_dm *original = ibv_alloc_dm(fixture.ctx, &attr), *dm;
	struct ibv_pd *pd = new_import();
	char data[8] = "abcdefg", found[8] = "";
	struct ibv_mr *mr;

	assert_non_null(original);
	dm = ibv_import_dm(imported, original->handle);
	assert_non_null(dm);
	assert_int_equal(ibv_memcpy_to_dm(original, 64, data, 8), 0);
	assert_int_equal(ibv_memcpy_from_dm(found, dm, 64, 8), 0);
	assert_memory_equal(found, data, 8);
	assert_int_equal(ibv_memcpy_to_dm(dm, 4092, data, 8), EINVAL);
	mr = ibv_reg_dm_mr(pd, dm, 0, 4096,
			   IBV_ACCESS_ZERO_BASED | IBV_ACCESS_LOCAL_WRITE |
				   IBV_ACCESS_REMOTE_WRITE);
	assert_non_null(mr);
	assert_int_equal(ibv_free_dm(dm), EINVAL);
	assert_int_equal(ibv_free_dm(original), EBUSY);
	ibv_unimport_dm(dm);
	assert_int_equal(ibv_free_dm(original), EBUSY);
	memset(fixture.memory, 0x33, 8);
	assert_int_equal(fixture_write(fixture.memory, 64, mr->rkey),
			 IBV_WC_SUCCESS);
	assert_int_equal(ibv_memcpy_from_dm(found, original, 64, 8), 0);
	assert_memory_equal(found, fixture.memory, 8);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(ibv_free_dm(original), 0);
	ibv_unimport_pd(pd);
}

#define IMPORT_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IMPORT_TEST(import_device_shares_device),
		IMPORT_TEST(import_device_works_repeatedly),
		IMPORT_TEST(import_device_without_origin_fails),
		IMPORT_TEST(import_device_in_child_works),
		IMPORT_TEST(import_device_of_regular_file_fails),
		IMPORT_TEST(imported_pd_uses_keys_of_original),
		IMPORT_TEST(region_of_imported_pd_is_in_original),
		IMPORT_TEST(imported_region_ends_with_original),
		IMPORT_TEST(imported_objects_are_not_freed_as_originals),
		IMPORT_TEST(imported_pd_keeps_original_busy),
		IMPORT_TEST(unimported_pd_lasts_until_users_end),
		IMPORT_TEST(unknown_handles_are_not_imported),
		IMPORT_TEST(parent_domain_of_imported_pd_works),
		IMPORT_TEST(imported_device_memory_is_that_of_original),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
