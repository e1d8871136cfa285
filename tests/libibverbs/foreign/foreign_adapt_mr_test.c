/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory regions and windows: libibverbs/foreign/foreign_adapt_mr.c. */
#include "core/op_table.h"
#include "libibverbs/foreign/adapt_fixture.h"

static char memory[64];
static struct verbs_mr made;

static struct ibv_mr *reg_mr(struct ibv_pd *pd, void *addr, size_t length,
			     uint64_t iova, int access)
{
	ADAPT_SAW("reg_mr", ADAPT_PTR(pd), ADAPT_PTR(addr), length, iova,
		  (uint64_t)access);
	return adapt_object();
}

static struct ibv_mr *reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset,
				    size_t length, uint64_t iova, int fd,
				    int access)
{
	ADAPT_SAW("reg_dmabuf_mr", ADAPT_PTR(pd), offset, length, iova,
		  (uint64_t)fd, (uint64_t)access);
	return adapt_object();
}

static struct ibv_mr *reg_mr_ex(struct ibv_pd *pd,
				struct ibv_mr_init_attr *attr)
{
	ADAPT_SAW("reg_mr_ex", ADAPT_PTR(pd), ADAPT_PTR(attr));
	return adapt_object();
}

static int rereg_mr(struct verbs_mr *vmr, int flags, struct ibv_pd *pd,
		    void *addr, size_t length, int access)
{
	ADAPT_SAW("rereg_mr", ADAPT_PTR(vmr), (uint64_t)flags, ADAPT_PTR(pd),
		  ADAPT_PTR(addr), length, (uint64_t)access);
	return adapt_int();
}

static int dereg_mr(struct verbs_mr *vmr)
{
	ADAPT_SAW("dereg_mr", ADAPT_PTR(vmr));
	return adapt_int();
}

static int advise_mr(struct ibv_pd *pd, enum ib_uverbs_advise_mr_advice advice,
		     uint32_t flags, struct ibv_sge *sg_list, uint32_t num_sge)
{
	ADAPT_SAW("advise_mr", ADAPT_PTR(pd), (uint64_t)advice, flags,
		  ADAPT_PTR(sg_list), num_sge);
	return adapt_int();
}

static struct ibv_mr *alloc_null_mr(struct ibv_pd *pd)
{
	ADAPT_SAW("alloc_null_mr", ADAPT_PTR(pd));
	return adapt_object();
}

static struct ibv_mr *import_mr(struct ibv_pd *pd, uint32_t handle)
{
	ADAPT_SAW("import_mr", ADAPT_PTR(pd), handle);
	return adapt_object();
}

static void unimport_mr(struct ibv_mr *mr)
{
	ADAPT_SAW("unimport_mr", ADAPT_PTR(mr));
}

static struct ibv_mw *alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
	ADAPT_SAW("alloc_mw", ADAPT_PTR(pd), (uint64_t)type);
	return adapt_object();
}

static int dealloc_mw(struct ibv_mw *mw)
{
	ADAPT_SAW("dealloc_mw", ADAPT_PTR(mw));
	return adapt_int();
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

static int start(void **state)
{
	adapt_start(&ops);
	made = (struct verbs_mr){ .ibv_mr = { .context = adapt.ctx } };
	return 0;
}

static void memory_is_registered(void **state)
{
	struct ibv_mr *mr = NULL;

	ADAPT_MAKES(&made.ibv_mr,
		    adapt.ops.reg_mr(&adapt.pd, memory, 64, 0x1000, 5, &mr));
	ADAPT_SEEN("reg_mr", ADAPT_PTR(&adapt.pd), ADAPT_PTR(memory), 64,
		   0x1000, 5);
	assert_ptr_equal(mr, &made.ibv_mr);

	ADAPT_FAILS(adapt.ops.dereg_mr(&made));
	ADAPT_OK(adapt.ops.dereg_mr(&made));
	ADAPT_SEEN("dereg_mr", ADAPT_PTR(&made));

	mr = NULL;
	ADAPT_FAILS(adapt.ops.reg_mr(&adapt.pd, memory, 64, 0x1000, 5, &mr));
	assert_null(mr);
}

static void a_dma_buffer_is_registered(void **state)
{
	struct ibv_mr *mr = NULL;

	ADAPT_MAKES(&made.ibv_mr, adapt.ops.reg_dmabuf_mr(&adapt.pd, 4096, 64,
							  0x1000, 9, 5, &mr));
	ADAPT_SEEN("reg_dmabuf_mr", ADAPT_PTR(&adapt.pd), 4096, 64, 0x1000, 9,
		   5);
	assert_ptr_equal(mr, &made.ibv_mr);

	mr = NULL;
	ADAPT_FAILS(adapt.ops.reg_dmabuf_mr(&adapt.pd, 4096, 64, 0x1000, 9, 5,
					    &mr));
	assert_null(mr);
}

static void memory_is_registered_by_attributes(void **state)
{
	struct ibv_mr_init_attr attr = {};
	struct ibv_mr *mr = NULL;

	ADAPT_MAKES(&made.ibv_mr, adapt.ops.reg_mr_ex(&adapt.pd, &attr, &mr));
	ADAPT_SEEN("reg_mr_ex", ADAPT_PTR(&adapt.pd), ADAPT_PTR(&attr));
	assert_ptr_equal(mr, &made.ibv_mr);

	mr = NULL;
	ADAPT_FAILS(adapt.ops.reg_mr_ex(&adapt.pd, &attr, &mr));
	assert_null(mr);
}

/* Those of before v59 do not have the op. */
static void older_providers_know_attributes_too(void **state)
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
	adapt_start(&older);
	verbs_op_table_init(&adapt.private.priv.ops, true);
	verbs_op_table_merge(&adapt.private.priv.ops, &adapt.ops);

	ADAPT_MAKES(&made.ibv_mr,
		    adapt.private.priv.ops.reg_mr_ex(&adapt.pd, &attr, &mr));
	ADAPT_SEEN("reg_mr", ADAPT_PTR(&adapt.pd), ADAPT_PTR(memory), 64,
		   0x1000, 5);
	assert_ptr_equal(mr, &made.ibv_mr);
}

static int rereg(void)
{
	return adapt.ops.rereg_mr(&made, IBV_REREG_MR_CHANGE_ACCESS, &adapt.pd,
				  memory, 64, 5);
}

static void memory_is_registered_again(void **state)
{
	ADAPT_OK(rereg());
	ADAPT_SEEN("rereg_mr", ADAPT_PTR(&made), IBV_REREG_MR_CHANGE_ACCESS,
		   ADAPT_PTR(&adapt.pd), ADAPT_PTR(memory), 64, 5);
	ADAPT_FAILS(rereg());
}

static void codes_of_rereg_are_no_error_numbers(void **state)
{
	for (int code = IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW;
	     code <= IBV_REREG_MR_ERR_INPUT; code++) {
		adapt.ret = code;
		adapt.err = EOPNOTSUPP;
		assert_int_equal(rereg(), -EOPNOTSUPP);
		adapt.err = 0;
		assert_int_equal(rereg(), -EIO);
	}
	adapt.ret = -EINVAL;
	assert_int_equal(rereg(), -EINVAL);
}

static void memory_is_advised(void **state)
{
	struct ibv_sge sge = {};

	ADAPT_OK(adapt.ops.advise_mr(
		&adapt.pd, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE, 1, &sge, 1));
	ADAPT_SEEN("advise_mr", ADAPT_PTR(&adapt.pd),
		   IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE, 1, ADAPT_PTR(&sge), 1);
	ADAPT_FAILS(adapt.ops.advise_mr(
		&adapt.pd, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE, 1, &sge, 1));
}

static void a_null_mr_is_made(void **state)
{
	struct ibv_mr *mr = NULL;

	ADAPT_MAKES(&made.ibv_mr, adapt.ops.alloc_null_mr(&adapt.pd, &mr));
	ADAPT_SEEN("alloc_null_mr", ADAPT_PTR(&adapt.pd));
	assert_ptr_equal(mr, &made.ibv_mr);

	mr = NULL;
	ADAPT_FAILS(adapt.ops.alloc_null_mr(&adapt.pd, &mr));
	assert_null(mr);
}

static void an_mr_is_imported(void **state)
{
	struct ibv_mr *mr = NULL;

	ADAPT_MAKES(&made.ibv_mr, adapt.ops.import_mr(&adapt.pd, 71, &mr));
	ADAPT_SEEN("import_mr", ADAPT_PTR(&adapt.pd), 71);
	assert_ptr_equal(mr, &made.ibv_mr);
	adapt.ops.unimport_mr(mr);
	ADAPT_SEEN("unimport_mr", ADAPT_PTR(mr));

	mr = NULL;
	ADAPT_FAILS(adapt.ops.import_mr(&adapt.pd, 71, &mr));
	assert_null(mr);
}

static void a_window_is_made(void **state)
{
	struct ibv_mw *mw = NULL, window = { .context = adapt.ctx };

	ADAPT_MAKES(&window, adapt.ops.alloc_mw(&adapt.pd, IBV_MW_TYPE_2, &mw));
	ADAPT_SEEN("alloc_mw", ADAPT_PTR(&adapt.pd), IBV_MW_TYPE_2);
	assert_ptr_equal(mw, &window);

	ADAPT_FAILS(adapt.ops.dealloc_mw(mw));
	ADAPT_OK(adapt.ops.dealloc_mw(mw));
	ADAPT_SEEN("dealloc_mw", ADAPT_PTR(mw));

	mw = NULL;
	ADAPT_FAILS(adapt.ops.alloc_mw(&adapt.pd, IBV_MW_TYPE_2, &mw));
	assert_null(mw);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(memory_is_registered, start),
		cmocka_unit_test_setup(a_dma_buffer_is_registered, start),
		cmocka_unit_test_setup(memory_is_registered_by_attributes,
				       start),
		cmocka_unit_test_setup(older_providers_know_attributes_too,
				       start),
		cmocka_unit_test_setup(memory_is_registered_again, start),
		cmocka_unit_test_setup(codes_of_rereg_are_no_error_numbers,
				       start),
		cmocka_unit_test_setup(memory_is_advised, start),
		cmocka_unit_test_setup(a_null_mr_is_made, start),
		cmocka_unit_test_setup(an_mr_is_imported, start),
		cmocka_unit_test_setup(a_window_is_made, start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
