/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Import of objects of another process: ibv_import_device(3) with its cmd_fd,
 * and work requests with the imported keys, also when the exporter withdraws
 * them or dies.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "verbs_export.h"
#include "verbs_fixture.h"

#define BYTES  EXPORT_BYTES
#define ROUNDS 10
#define OWN_ACCESS                                          \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
	 IBV_ACCESS_REMOTE_READ)

static struct exporter exporter;

/* The importer: its objects are in the imported context. */
static struct rig {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_mr *mr;  /* imported */
	struct ibv_mr *own; /* of @memory */
	struct ibv_cq *cq;
	struct ibv_qp *left, *right;
	uint8_t *memory;
} rig;

static struct ibv_context *import_device(void)
{
	int fd = fcntl(exporter.cmd_fd, F_DUPFD_CLOEXEC, 0);
	struct ibv_context *ctx;

	assert_true(fd >= 0);
	ctx = ibv_import_device(fd);
	if (!ctx) {
		int err = errno;

		(void)close(fd);
		errno = err;
	}
	return ctx;
}

static struct ibv_qp *rig_new_qp(void)
{
	const struct ibv_qp_init_attr attr = {
		.send_cq = rig.cq,
		.recv_cq = rig.cq,
		.cap = { 8, 8, 3, 3, 0 },
		.qp_type = IBV_QPT_RC,
	};

	return fixture_create_qp(rig.pd, attr);
}

static void rig_open(void)
{
	rig.ctx = import_device();
	assert_non_null(rig.ctx);
	rig.pd = ibv_import_pd(rig.ctx, exporter.objects.pd);
	assert_non_null(rig.pd);
	rig.mr = ibv_import_mr(rig.pd, exporter.objects.mr);
	assert_non_null(rig.mr);
	rig.memory = aligned_alloc(4096, BYTES);
	assert_non_null(rig.memory);
	memset(rig.memory, 0, BYTES);
	rig.own = ibv_reg_mr(rig.pd, rig.memory, BYTES, OWN_ACCESS);
	assert_non_null(rig.own);
	rig.cq = ibv_create_cq(rig.ctx, 64, NULL, NULL, 0);
	assert_non_null(rig.cq);
	rig.left = rig_new_qp();
	rig.right = rig_new_qp();
	fixture_connect(rig.left, rig.right);
}

static void rig_close(void)
{
	assert_int_equal(ibv_destroy_qp(rig.left), 0);
	assert_int_equal(ibv_destroy_qp(rig.right), 0);
	assert_int_equal(ibv_destroy_cq(rig.cq), 0);
	assert_int_equal(ibv_dereg_mr(rig.own), 0);
	ibv_unimport_mr(rig.mr);
	ibv_unimport_pd(rig.pd);
	assert_int_equal(ibv_close_device(rig.ctx), 0);
	free(rig.memory);
}

static int start(void **state)
{
	exporter_start(&exporter, NULL);
	return 0;
}

static int stop(void **state)
{
	exporter_stop(&exporter);
	(void)close(exporter.cmd_fd);
	return 0;
}

static int setup(void **state)
{
	(void)start(state);
	rig_open();
	return 0;
}

static int teardown(void **state)
{
	rig_close();
	return stop(state);
}

static int tell(enum export_what what, uint32_t offset, uint32_t bytes,
		uint8_t value)
{
	const struct export_request request = {
		.what = what,
		.offset = offset,
		.bytes = bytes,
		.value = value,
	};

	return exporter_tell(&exporter, &request);
}

static struct ibv_sge own_sge(uint32_t offset, uint32_t bytes)
{
	return (struct ibv_sge){ (uintptr_t)rig.memory + offset, bytes,
				 rig.own->lkey };
}

static struct ibv_sge imported_sge(uint32_t offset, uint32_t bytes)
{
	return (struct ibv_sge){ exporter.objects.address + offset, bytes,
				 rig.mr->lkey };
}

static void post_recv(struct ibv_sge *sge, int nr)
{
	struct ibv_recv_wr wr = { .sg_list = sge, .num_sge = nr }, *bad;

	assert_int_equal(ibv_post_recv(rig.right, &wr, &bad), 0);
}

static void post_send(struct ibv_send_wr wr, struct ibv_sge *sge, int nr)
{
	struct ibv_send_wr *bad;

	wr.sg_list = sge;
	wr.num_sge = nr;
	wr.send_flags |= IBV_SEND_SIGNALED;
	assert_int_equal(ibv_post_send(rig.left, &wr, &bad), 0);
}

static struct ibv_send_wr rdma(enum ibv_wr_opcode opcode, uint64_t address,
			       uint32_t rkey)
{
	struct ibv_send_wr wr = { .opcode = opcode };

	wr.wr.rdma.remote_addr = address;
	wr.wr.rdma.rkey = rkey;
	return wr;
}

static enum ibv_wc_status run_rdma(enum ibv_wr_opcode opcode,
				   struct ibv_sge sge, uint64_t address,
				   uint32_t rkey)
{
	post_send(rdma(opcode, address, rkey), &sge, 1);
	return fixture_poll(rig.cq).status;
}

/* Of an access to a region that has ended: by an SGE, and by an rkey. */
static void assert_region_is_gone(void)
{
	struct ibv_sge sge = imported_sge(0, 8);

	assert_int_equal(run_rdma(IBV_WR_RDMA_WRITE, sge, (uintptr_t)rig.memory,
				  rig.own->rkey),
			 IBV_WC_LOC_PROT_ERR);
	fixture_connect(rig.left, rig.right);
	assert_int_equal(run_rdma(IBV_WR_RDMA_READ, own_sge(0, 8), sge.addr,
				  rig.mr->rkey),
			 IBV_WC_REM_ACCESS_ERR);
	fixture_connect(rig.left, rig.right);
	assert_int_equal(run_rdma(IBV_WR_RDMA_WRITE, own_sge(0, 8), sge.addr,
				  rig.mr->rkey),
			 IBV_WC_REM_ACCESS_ERR);
	fixture_connect(rig.left, rig.right);
	/* a valid key still works */
	assert_int_equal(run_rdma(IBV_WR_RDMA_WRITE, own_sge(0, 8),
				  (uintptr_t)rig.memory + 8, rig.own->rkey),
			 IBV_WC_SUCCESS);
}

static void imported_region_has_members_of_original(void **state)
{
	assert_null(rig.mr->addr);
	assert_int_equal(rig.mr->length, BYTES);
	assert_int_equal(rig.mr->handle, exporter.objects.mr);
	assert_int_equal(rig.pd->handle, exporter.objects.pd);
	assert_int_equal(ibv_dereg_mr(rig.mr), EINVAL);
	assert_int_equal(ibv_dealloc_pd(rig.pd), EINVAL);
}

static void send_gathers_imported_memory(void **state)
{
	struct ibv_sge to = own_sge(65536, 65536);
	struct ibv_sge from[] = { own_sge(0, 100), imported_sge(5, 3000),
				  own_sge(100, 7) };
	const struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };

	assert_int_equal(tell(EXPORT_FILL, 0, 0, 0x41), 0);
	memset(rig.memory, 0x42, 107);
	post_recv(&to, 1);
	post_send(wr, from, 3);
	for (int i = 0; i < 2; i++)
		assert_int_equal(fixture_poll(rig.cq).status, IBV_WC_SUCCESS);
	for (uint32_t i = 0; i < 3107; i++)
		assert_int_equal(rig.memory[65536 + i],
				 i >= 100 && i < 3100 ? 0x41 : 0x42);
	assert_int_equal(rig.memory[65536 + 3107], 0);
}

static void receive_scatters_to_imported_memory(void **state)
{
	struct ibv_sge to[] = { imported_sge(1000, 5000), own_sge(0, 10),
				imported_sge(9000, 5000) };
	struct ibv_sge from = own_sge(4096, 9010);
	const struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };

	assert_int_equal(tell(EXPORT_FILL, 0, 0, 1), 0);
	memset(rig.memory + 4096, 0x43, 9010);
	post_recv(to, 3);
	post_send(wr, &from, 1);
	for (int i = 0; i < 2; i++)
		assert_int_equal(fixture_poll(rig.cq).status, IBV_WC_SUCCESS);
	assert_int_equal(tell(EXPORT_CHECK, 1000, 5000, 0x43), 0);
	assert_int_equal(tell(EXPORT_CHECK, 9000, 4000, 0x43), 0);
	assert_int_equal(tell(EXPORT_CHECK, 6000, 3000, 1), 0);
	assert_int_equal(tell(EXPORT_CHECK, 13000, 1000, 1), 0);
}

static void long_write_and_read_use_imported_memory(void **state)
{
	struct ibv_sge sge = imported_sge(0, BYTES);

	assert_int_equal(tell(EXPORT_FILL, 0, 0, 0x44), 0);
	assert_int_equal(run_rdma(IBV_WR_RDMA_WRITE, sge, (uintptr_t)rig.memory,
				  rig.own->rkey),
			 IBV_WC_SUCCESS);
	for (uint32_t i = 0; i < BYTES; i++)
		assert_int_equal(rig.memory[i], 0x44);
	memset(rig.memory, 0x45, BYTES);
	assert_int_equal(run_rdma(IBV_WR_RDMA_READ, sge, (uintptr_t)rig.memory,
				  rig.own->rkey),
			 IBV_WC_SUCCESS);
	assert_int_equal(tell(EXPORT_CHECK, 0, BYTES, 0x45), 0);
}

static void imported_memory_is_target_of_write_and_read(void **state)
{
	const uint64_t address = exporter.objects.address;

	memset(rig.memory, 0x46, BYTES);
	assert_int_equal(run_rdma(IBV_WR_RDMA_WRITE, own_sge(0, BYTES), address,
				  rig.mr->rkey),
			 IBV_WC_SUCCESS);
	assert_int_equal(tell(EXPORT_CHECK, 0, BYTES, 0x46), 0);
	assert_int_equal(tell(EXPORT_FILL, 0, 0, 0x47), 0);
	assert_int_equal(run_rdma(IBV_WR_RDMA_READ, own_sge(0, BYTES), address,
				  rig.mr->rkey),
			 IBV_WC_SUCCESS);
	for (uint32_t i = 0; i < BYTES; i++)
		assert_int_equal(rig.memory[i], 0x47);
}

/* The peer is the exporter, whose request reaches its own memory. */
static void exporter_writes_to_own_region_by_importer(void **state)
{
	const struct export_request request = {
		.what = EXPORT_WRITE,
		.address = exporter.objects.address + 40,
		.rkey = rig.mr->rkey,
		.value = 0x48,
	};

	exporter_connect(&exporter, rig.left);
	assert_int_equal(exporter_tell(&exporter, &request), IBV_WC_SUCCESS);
	assert_int_equal(tell(EXPORT_CHECK, 40, 8, 0x48), 0);
	assert_int_equal(tell(EXPORT_CHECK, 48, 8, 1), 0);
}

static void region_with_local_access_is_only_source(void **state)
{
	struct ibv_mr *mr = ibv_import_mr(rig.pd, exporter.objects.local_mr);
	struct ibv_sge sge = { 8, 64, 0 };

	assert_non_null(mr);
	assert_int_equal(mr->length, 4096);
	sge.lkey = mr->lkey;
	assert_int_equal(tell(EXPORT_FILL, 0, 0, 0x49), 0);
	assert_int_equal(run_rdma(IBV_WR_RDMA_WRITE, sge, (uintptr_t)rig.memory,
				  rig.own->rkey),
			 IBV_WC_SUCCESS);
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(rig.memory[i], 0x49);
	assert_int_equal(run_rdma(IBV_WR_RDMA_READ, own_sge(0, 8), 0, mr->rkey),
			 IBV_WC_REM_ACCESS_ERR);
	fixture_connect(rig.left, rig.right);
	/* the right to store data */
	assert_int_equal(run_rdma(IBV_WR_RDMA_READ, sge, (uintptr_t)rig.memory,
				  rig.own->rkey),
			 IBV_WC_LOC_PROT_ERR);
	ibv_unimport_mr(mr);
}

static void range_outside_of_imported_region_is_refused(void **state)
{
	assert_int_equal(run_rdma(IBV_WR_RDMA_WRITE, imported_sge(BYTES - 4, 8),
				  (uintptr_t)rig.memory, rig.own->rkey),
			 IBV_WC_LOC_PROT_ERR);
	fixture_connect(rig.left, rig.right);
	assert_int_equal(run_rdma(IBV_WR_RDMA_WRITE, own_sge(0, 8),
				  exporter.objects.address - 1, rig.mr->rkey),
			 IBV_WC_REM_ACCESS_ERR);
}

static void unknown_handles_of_exporter_are_refused(void **state)
{
	struct ibv_pd *local = ibv_alloc_pd(rig.ctx);

	assert_non_null(local);
	assert_null(ibv_import_pd(rig.ctx, UINT32_MAX));
	assert_int_equal(errno, ENOENT);
	assert_null(ibv_import_pd(rig.ctx, exporter.objects.second_pd));
	assert_int_equal(errno, ENOENT);
	assert_null(ibv_import_mr(rig.pd, UINT32_MAX));
	assert_int_equal(errno, ENOENT);
	assert_null(ibv_import_mr(rig.pd, 0));
	assert_int_equal(errno, ENOENT);
	assert_null(ibv_import_mr(rig.pd, exporter.objects.null_mr));
	assert_int_equal(errno, ENOENT);
	assert_null(ibv_import_mr(local, exporter.objects.mr));
	assert_int_equal(errno, ENOENT);
	assert_null(ibv_import_dm(rig.ctx, exporter.objects.dm));
	assert_int_equal(errno, EOPNOTSUPP);
	assert_int_equal(ibv_dealloc_pd(local), 0);
}

static void atomic_on_imported_region_is_refused(void **state)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_ATOMIC_FETCH_AND_ADD };
	struct ibv_qp_attr attr = {
		.qp_access_flags = IBV_ACCESS_REMOTE_ATOMIC,
	};
	struct ibv_sge sge = own_sge(0, 8);

	assert_int_equal(ibv_modify_qp(rig.right, &attr, IBV_QP_ACCESS_FLAGS),
			 0);
	wr.wr.atomic.remote_addr = exporter.objects.address;
	wr.wr.atomic.rkey = rig.mr->rkey;
	wr.wr.atomic.compare_add = 1;
	post_send(wr, &sge, 1);
	assert_int_equal(fixture_poll(rig.cq).status, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(tell(EXPORT_CHECK, 0, 8, 1), 0);
}

static void region_ends_with_original(void **state)
{
	assert_int_equal(tell(EXPORT_DEREG, 0, 0, 0), 0);
	assert_region_is_gone();
	assert_null(ibv_import_mr(rig.pd, exporter.objects.mr));
	assert_int_equal(errno, ENOENT);
}

static void region_ends_when_original_changes(void **state)
{
	struct ibv_mr *mr;

	assert_int_equal(tell(EXPORT_REREG, 0, 0, 0), 0);
	assert_region_is_gone();
	mr = ibv_import_mr(rig.pd, exporter.objects.mr);
	assert_non_null(mr);
	ibv_unimport_mr(mr);
}

static void region_ends_when_exporter_closes_device(void **state)
{
	assert_int_equal(tell(EXPORT_CLOSE, 0, 0, 0), 0);
	assert_region_is_gone();
	assert_null(import_device());
	assert_int_equal(errno, EOPNOTSUPP);
}

static void region_ends_when_exporter_is_killed(void **state)
{
	assert_int_equal(kill(exporter.pid, SIGKILL), 0);
	/* the process exists until it is waited for */
	assert_int_equal(
		waitid(P_PID, (id_t)exporter.pid, NULL, WEXITED | WNOWAIT), 0);
	assert_region_is_gone();
	assert_null(ibv_import_mr(rig.pd, exporter.objects.mr));
	assert_int_equal(errno, ENOENT);
	assert_null(import_device());
	assert_int_equal(errno, EOPNOTSUPP);
}

static void unimported_region_has_no_key(void **state)
{
	struct ibv_mr *mr = ibv_import_mr(rig.pd, exporter.objects.mr);
	struct ibv_sge sge = imported_sge(0, 8);

	assert_non_null(mr);
	sge.lkey = mr->lkey;
	ibv_unimport_mr(mr);
	assert_int_equal(run_rdma(IBV_WR_RDMA_WRITE, sge, (uintptr_t)rig.memory,
				  rig.own->rkey),
			 IBV_WC_LOC_PROT_ERR);
}

static void contexts_of_exporter_share_imported_pd(void **state)
{
	struct ibv_context *second = import_device();
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_sge sge = imported_sge(0, 8);

	assert_non_null(second);
	pd = ibv_import_pd(second, exporter.objects.pd);
	assert_non_null(pd);
	mr = ibv_import_mr(pd, exporter.objects.mr);
	assert_non_null(mr);
	sge.lkey = mr->lkey;
	assert_int_equal(run_rdma(IBV_WR_RDMA_WRITE, sge, (uintptr_t)rig.memory,
				  rig.own->rkey),
			 IBV_WC_SUCCESS);
	ibv_unimport_mr(mr);
	ibv_unimport_pd(pd);
	assert_int_equal(ibv_close_device(second), 0);
	assert_int_equal(run_rdma(IBV_WR_RDMA_WRITE, imported_sge(0, 8),
				  (uintptr_t)rig.memory, rig.own->rkey),
			 IBV_WC_SUCCESS);
}

static void import_survives_fork(void **state)
{
	int status = -1;
	pid_t child = fork();

	assert_true(child >= 0);
	if (!child) {
		ibv_unimport_mr(rig.mr);
		_exit(ibv_close_device(rig.ctx) ? 1 : 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(run_rdma(IBV_WR_RDMA_WRITE, imported_sge(0, 8),
				  (uintptr_t)rig.memory, rig.own->rkey),
			 IBV_WC_SUCCESS);
	assert_int_equal(rig.memory[0], 1);
}

/* Receives into the imported region until a work request fails. */
static void write_until_error(uint32_t rkey)
{
	enum ibv_wc_status status;

	do
		status = run_rdma(IBV_WR_RDMA_WRITE, own_sge(0, 65536),
				  exporter.objects.address, rkey);
	while (status == IBV_WC_SUCCESS);
	assert_int_equal(status, IBV_WC_REM_ACCESS_ERR);
}

static void *quiet_thread(void *arg)
{
	const struct timespec nap = { .tv_nsec = 2000000 };
	int *result = arg;

	(void)nanosleep(&nap, NULL);
	*result = tell(EXPORT_QUIET, 0, 0, 0);
	return NULL;
}

static void deregistration_waits_for_importer(void **state)
{
	for (int i = 0; i < ROUNDS; i++) {
		int result = -1;
		pthread_t thread;

		(void)setup(state);
		memset(rig.memory, 0x55, BYTES);
		assert_int_equal(
			pthread_create(&thread, NULL, quiet_thread, &result),
			0);
		write_until_error(rig.mr->rkey);
		assert_int_equal(pthread_join(thread, NULL), 0);
		assert_int_equal(result, 0);
		(void)teardown(state);
	}
}

static unsigned int count_files(const char *path)
{
	DIR *dir = opendir(path);
	unsigned int nr = 0;

	assert_non_null(dir);
	while (readdir(dir))
		nr++;
	(void)closedir(dir);
	return nr;
}

static void close_releases_everything(void **state)
{
	unsigned int before = count_files("/proc/self/fd");

	for (int i = 0; i < 3; i++) {
		rig_open();
		rig_close();
		assert_int_equal(count_files("/proc/self/fd"), before);
	}
	/* without unimport */
	rig.ctx = import_device();
	rig.pd = ibv_import_pd(rig.ctx, exporter.objects.pd);
	rig.mr = ibv_import_mr(rig.pd, exporter.objects.mr);
	assert_non_null(rig.mr);
	assert_int_equal(ibv_close_device(rig.ctx), 0);
	assert_int_equal(count_files("/proc/self/fd"), before);
}

static void assert_no_import(void)
{
	assert_null(import_device());
	assert_int_equal(errno, EOPNOTSUPP);
}

static void exporter_without_shared_memory_is_refused(void **state)
{
	char setting[] = "UROCE_LOCAL=none";

	exporter_start(&exporter, setting);
	assert_no_import();
	(void)stop(state);
}

static void exporter_without_cma_is_refused(void **state)
{
	char setting[] = "UROCE_CMA=none";

	exporter_start(&exporter, setting);
	assert_no_import();
	(void)stop(state);
}

static void importer_without_shared_memory_is_refused(void **state)
{
	assert_int_equal(setenv("UROCE_LOCAL", "none", 1), 0);
	assert_no_import();
	assert_int_equal(unsetenv("UROCE_LOCAL"), 0);
}

static void importer_without_cma_is_refused(void **state)
{
	assert_int_equal(setenv("UROCE_CMA", "mem", 1), 0);
	assert_no_import();
	assert_int_equal(unsetenv("UROCE_CMA"), 0);
}

#define RIG_TEST(name)	  cmocka_unit_test_setup_teardown(name, setup, teardown)
#define EXPORT_TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(imported_region_has_members_of_original),
		RIG_TEST(send_gathers_imported_memory),
		RIG_TEST(receive_scatters_to_imported_memory),
		RIG_TEST(long_write_and_read_use_imported_memory),
		RIG_TEST(imported_memory_is_target_of_write_and_read),
		RIG_TEST(exporter_writes_to_own_region_by_importer),
		RIG_TEST(region_with_local_access_is_only_source),
		RIG_TEST(range_outside_of_imported_region_is_refused),
		RIG_TEST(unknown_handles_of_exporter_are_refused),
		RIG_TEST(atomic_on_imported_region_is_refused),
		RIG_TEST(region_ends_with_original),
		RIG_TEST(region_ends_when_original_changes),
		RIG_TEST(region_ends_when_exporter_closes_device),
		RIG_TEST(region_ends_when_exporter_is_killed),
		RIG_TEST(unimported_region_has_no_key),
		RIG_TEST(contexts_of_exporter_share_imported_pd),
		RIG_TEST(import_survives_fork),
		cmocka_unit_test(deregistration_waits_for_importer),
		EXPORT_TEST(close_releases_everything),
		EXPORT_TEST(importer_without_shared_memory_is_refused),
		EXPORT_TEST(importer_without_cma_is_refused),
		cmocka_unit_test(exporter_without_shared_memory_is_refused),
		cmocka_unit_test(exporter_without_cma_is_refused),
	};

	if (argc > 1)
		return export_main(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
