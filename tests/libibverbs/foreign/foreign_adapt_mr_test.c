/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Adapters of memory region and memory window ops:
 * libibverbs/foreign/foreign_adapt_mr.c.
 */
#include "core/op_table.h"
#include "libibverbs/foreign/adapt_fixture.h"

static char memory[64];
static struct verbs_mr provider_mr;

static struct ibv_mr *reg_mr(struct ibv_pd *pd, void *addr, size_t length,
			     uint64_t iova, int access)
{
	ADAPT_RECORD("reg_mr", ADAPT_PTR(pd), ADAPT_PTR(addr), length, iova,
		     (uint64_t)access);
	return adapt_new_object();
}

static struct ibv_mr *reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset,
				    size_t length, uint64_t iova, int fd,
				    int access)
{
	ADAPT_RECORD("reg_dmabuf_mr", ADAPT_PTR(pd), offset, length, iova,
		     (uint64_t)fd, (uint64_t)access);
	return adapt_new_object();
}

static struct ibv_mr *reg_mr_ex(struct ibv_pd *pd,
				struct ibv_mr_init_attr *attr)
{
	ADAPT_RECORD("reg_mr_ex", ADAPT_PTR(pd), ADAPT_PTR(attr));
	return adapt_new_object();
}

static int rereg_mr(struct verbs_mr *vmr, int flags, struct ibv_pd *pd,
		    void *addr, size_t length, int access)
{
	ADAPT_RECORD("rereg_mr", ADAPT_PTR(vmr), (uint64_t)flags, ADAPT_PTR(pd),
		     ADAPT_PTR(addr), length, (uint64_t)access);
	return adapt_result();
}

static int dereg_mr(struct verbs_mr *vmr)
{
	ADAPT_RECORD("dereg_mr", ADAPT_PTR(vmr));
	return adapt_result();
}

static int advise_mr(struct ibv_pd *pd, enum ib_uverbs_advise_mr_advice advice,
		     uint32_t flags, struct ibv_sge *sg_list, uint32_t num_sge)
{
	ADAPT_RECORD("advise_mr", ADAPT_PTR(pd), (uint64_t)advice, flags,
		     ADAPT_PTR(sg_list), num_sge);
	return adapt_result();
}

static struct ibv_mr *alloc_null_mr(struct ibv_pd *pd)
{
	ADAPT_RECORD("alloc_null_mr", ADAPT_PTR(pd));
	return adapt_new_object();
}

static struct ibv_mr *import_mr(struct ibv_pd *pd, uint32_t handle)
{
	ADAPT_RECORD("import_mr", ADAPT_PTR(pd), handle);
	return adapt_new_object();
}

static void unimport_mr(struct ibv_mr *mr)
{
	ADAPT_RECORD("unimport_mr", ADAPT_PTR(mr));
}

static struct ibv_mw *alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
	ADAPT_RECORD("alloc_mw", ADAPT_PTR(pd), (uint64_t)type);
	return adapt_new_object();
}

static int dealloc_mw(struct ibv_mw *mw)
{
	ADAPT_RECORD("dealloc_mw", ADAPT_PTR(mw));
	return adapt_result();
}

static const struct foreign_ops ops = {
	.reg_mr = reg_mr,
	.reg_dmabuf_mr = reg_dmabuf_mr,
	.reg_mr_ex = reg_mr_ex,
	.rereg_mr = rereg_mr,
	.dereg_mr = dereg_mr,
	.advise_mr = advise_mr,
	.alloc_null_mr = alloc_null_mr,
	.import_mr = import_mr,
	.unimport_mr = unimport_mr,
	.alloc_mw = alloc_mw,
	.dealloc_mw = dealloc_mw,
};

static int setup_provider(void **state)
{
	adapt_fixture_start(&ops);
	provider_mr = (struct verbs_mr){ .ibv_mr = { .context = adapt.ctx } };
	return 0;
}

static void foreign_adapt_mr_is_registered_and_deregistered(void **state)
{
	struct ibv_mr *mr = NULL;

	ADAPT_CREATES(&provider_mr.ibv_mr,
		      adapt.ops.reg_mr(&adapt.pd, memory, 64, 0x1000, 5, &mr));
	ADAPT_CHECK_CALL("reg_mr", ADAPT_PTR(&adapt.pd), ADAPT_PTR(memory), 64,
			 0x1000, 5);
	assert_ptr_equal(mr, &provider_mr.ibv_mr);

	ADAPT_FAILS(adapt.ops.dereg_mr(&provider_mr));
	ADAPT_OK(adapt.ops.dereg_mr(&provider_mr));
	ADAPT_CHECK_CALL("dereg_mr", ADAPT_PTR(&provider_mr));

	mr = NULL;
	ADAPT_FAILS(adapt.ops.reg_mr(&adapt.pd, memory, 64, 0x1000, 5, &mr));
	assert_null(mr);
}

static void foreign_adapt_reg_dmabuf_mr_passes_arguments(void **state)
{
	struct ibv_mr *mr = NULL;

	ADAPT_CREATES(&provider_mr.ibv_mr,
		      adapt.ops.reg_dmabuf_mr(&adapt.pd, 4096, 64, 0x1000, 9, 5,
					      &mr));
	ADAPT_CHECK_CALL("reg_dmabuf_mr", ADAPT_PTR(&adapt.pd), 4096, 64,
			 0x1000, 9, 5);
	assert_ptr_equal(mr, &provider_mr.ibv_mr);

	mr = NULL;
	ADAPT_FAILS(adapt.ops.reg_dmabuf_mr(&adapt.pd, 4096, 64, 0x1000, 9, 5,
					    &mr));
	assert_null(mr);
}

static void foreign_adapt_reg_mr_ex_passes_arguments(void **state)
{
	struct ibv_mr_init_attr attr = {};
	struct ibv_mr *mr = NULL;

	ADAPT_CREATES(&provider_mr.ibv_mr,
		      adapt.ops.reg_mr_ex(&adapt.pd, &attr, &mr));
	ADAPT_CHECK_CALL("reg_mr_ex", ADAPT_PTR(&adapt.pd), ADAPT_PTR(&attr));
	assert_ptr_equal(mr, &provider_mr.ibv_mr);

	mr = NULL;
	ADAPT_FAILS(adapt.ops.reg_mr_ex(&adapt.pd, &attr, &mr));
	assert_null(mr);
}

/* Providers of releases before v59 do not have the op. */
static void foreign_adapt_reg_mr_ex_without_op_calls_reg_mr(void **state)
{
	struct ibv_mr_init_attr attr = {
		.length = 64,
		.access = 5,
		.comp_mask = IBV_REG_MR_MASK_ADDR | IBV_REG_MR_MASK_IOVA,
		.iova = 0x1000,
		.addr = memory,
	};
	struct foreign_ops older = ops;
	struct ibv_mr *mr = NULL;

	older.reg_mr_ex = NULL;
	adapt_fixture_start(&older);
	verbs_op_table_init(&adapt.private.priv.ops, true);
	verbs_op_table_merge(&adapt.private.priv.ops, &adapt.ops);

	ADAPT_CREATES(&provider_mr.ibv_mr,
		      adapt.private.priv.ops.reg_mr_ex(&adapt.pd, &attr, &mr));
	ADAPT_CHECK_CALL("reg_mr", ADAPT_PTR(&adapt.pd), ADAPT_PTR(memory), 64,
			 0x1000, 5);
	assert_ptr_equal(mr, &provider_mr.ibv_mr);
}

static int call_rereg_mr(void)
{
	return adapt.ops.rereg_mr(&provider_mr, IBV_REREG_MR_CHANGE_ACCESS,
				  &adapt.pd, memory, 64, 5);
}

static void foreign_adapt_rereg_mr_passes_arguments(void **state)
{
	ADAPT_OK(call_rereg_mr());
	ADAPT_CHECK_CALL("rereg_mr", ADAPT_PTR(&provider_mr),
			 IBV_REREG_MR_CHANGE_ACCESS, ADAPT_PTR(&adapt.pd),
			 ADAPT_PTR(memory), 64, 5);
	ADAPT_FAILS(call_rereg_mr());
}

static void foreign_adapt_rereg_mr_error_code_returns_errno(void **state)
{
	for (int code = IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW;
	     code <= IBV_REREG_MR_ERR_INPUT; code++) {
		adapt.ret = code;
		adapt.err = EOPNOTSUPP;
		assert_int_equal(call_rereg_mr(), -EOPNOTSUPP);
		adapt.err = 0;
		assert_int_equal(call_rereg_mr(), -EIO);
	}
	adapt.ret = -EINVAL;
	assert_int_equal(call_rereg_mr(), -EINVAL);
}

static void foreign_adapt_advise_mr_passes_arguments(void **state)
{
	struct ibv_sge sge = {};

	ADAPT_OK(adapt.ops.advise_mr(
		&adapt.pd, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE, 1, &sge, 1));
	ADAPT_CHECK_CALL("advise_mr", ADAPT_PTR(&adapt.pd),
			 IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE, 1,
			 ADAPT_PTR(&sge), 1);
	ADAPT_FAILS(adapt.ops.advise_mr(
		&adapt.pd, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE, 1, &sge, 1));
}

static void foreign_adapt_alloc_null_mr_returns_mr(void **state)
{
	struct ibv_mr *mr = NULL;

	ADAPT_CREATES(&provider_mr.ibv_mr,
		      adapt.ops.alloc_null_mr(&adapt.pd, &mr));
	ADAPT_CHECK_CALL("alloc_null_mr", ADAPT_PTR(&adapt.pd));
	assert_ptr_equal(mr, &provider_mr.ibv_mr);

	mr = NULL;
	ADAPT_FAILS(adapt.ops.alloc_null_mr(&adapt.pd, &mr));
	assert_null(mr);
}

static void foreign_adapt_mr_is_imported_and_unimported(void **state)
{
	struct ibv_mr *mr = NULL;

	ADAPT_CREATES(&provider_mr.ibv_mr,
		      adapt.ops.import_mr(&adapt.pd, 71, &mr));
	ADAPT_CHECK_CALL("import_mr", ADAPT_PTR(&adapt.pd), 71);
	assert_ptr_equal(mr, &provider_mr.ibv_mr);
	adapt.ops.unimport_mr(mr);
	ADAPT_CHECK_CALL("unimport_mr", ADAPT_PTR(mr));

	mr = NULL;
	ADAPT_FAILS(adapt.ops.import_mr(&adapt.pd, 71, &mr));
	assert_null(mr);
}

static void foreign_adapt_mw_is_allocated_and_freed(void **state)
{
	struct ibv_mw *mw = NULL, window = { .context = adapt.ctx };

	ADAPT_CREATES(&window,
		      adapt.ops.alloc_mw(&adapt.pd, IBV_MW_TYPE_2, &mw));
	ADAPT_CHECK_CALL("alloc_mw", ADAPT_PTR(&adapt.pd), IBV_MW_TYPE_2);
	assert_ptr_equal(mw, &window);

	ADAPT_FAILS(adapt.ops.dealloc_mw(mw));
	ADAPT_OK(adapt.ops.dealloc_mw(mw));
	ADAPT_CHECK_CALL("dealloc_mw", ADAPT_PTR(mw));

	mw = NULL;
	ADAPT_FAILS(adapt.ops.alloc_mw(&adapt.pd, IBV_MW_TYPE_2, &mw));
	assert_null(mw);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			foreign_adapt_mr_is_registered_and_deregistered,
			setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_reg_dmabuf_mr_passes_arguments,
			setup_provider),
		cmocka_unit_test_setup(foreign_adapt_reg_mr_ex_passes_arguments,
				       setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_reg_mr_ex_without_op_calls_reg_mr,
			setup_provider),
		cmocka_unit_test_setup(foreign_adapt_rereg_mr_passes_arguments,
				       setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_rereg_mr_error_code_returns_errno,
			setup_provider),
		cmocka_unit_test_setup(foreign_adapt_advise_mr_passes_arguments,
				       setup_provider),
		cmocka_unit_test_setup(foreign_adapt_alloc_null_mr_returns_mr,
				       setup_provider),
		cmocka_unit_test_setup(
			foreign_adapt_mr_is_imported_and_unimported,
			setup_provider),
		cmocka_unit_test_setup(foreign_adapt_mw_is_allocated_and_freed,
				       setup_provider),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
