/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Opens and closes the device of a test: see compat_fixture.h. */
#include "libibverbs/compat/compat_fixture.h"

#include "core/provider_registry.h"
#include "support/fake_discover.h"
#include "support/leak_check.h"

struct compat compat;

static struct leak_check check;

static struct ibv_device_1_0 **device_list_of_name(int count)
{
	struct ibv_device_1_0 **list;
	int found;

	list = compat_ibv_get_device_list(&found);
	assert_non_null(list);
	assert_int_equal(found, count);
	return list;
}

int compat_open(void **state)
{
	fake_discover_reset();
	fake_provider_reset();
	assert_int_equal(verbs_provider_register(&verbs_provider_fake), 0);
	leak_check_begin(&check);

	fake_provider.offers[0] = "soft0";
	compat.list = device_list_of_name(1);
	compat.ctx = compat_ibv_open_device(compat.list[0]);
	assert_non_null(compat.ctx);
	compat.pd = compat_ibv_alloc_pd(compat.ctx);
	assert_non_null(compat.pd);
	return 0;
}

int compat_close(void **state)
{
	fake_provider.ret = 0;
	assert_int_equal(compat_ibv_dealloc_pd(compat.pd), 0);
	assert_int_equal(fake_provider.nr_objects, 0);
	assert_int_equal(compat_ibv_close_device(compat.ctx), 0);
	compat_ibv_free_device_list(compat.list);

	fake_provider_reset();
	compat_ibv_free_device_list(device_list_of_name(0));
	leak_check_end(&check);
	return 0;
}

struct ibv_cq_1_0 *compat_create_cq(void *cq_context)
{
	struct ibv_cq_1_0 *cq;

	cq = compat_ibv_create_cq(compat.ctx, 10, cq_context, NULL, 0);
	assert_non_null(cq);
	return cq;
}

struct ibv_qp_1_0 *compat_create_qp(struct ibv_cq_1_0 *cq,
				    struct ibv_srq_1_0 *srq,
				    enum ibv_qp_type type, void *qp_context)
{
	struct ibv_qp_init_attr_1_0 attr = {
		.qp_context = qp_context,
		.send_cq = cq,
		.recv_cq = cq,
		.srq = srq,
		.qp_type = type,
	};
	struct ibv_qp_1_0 *qp = compat_ibv_create_qp(compat.pd, &attr);

	assert_non_null(qp);
	return qp;
}

struct ibv_srq_1_0 *compat_create_srq(void *srq_context)
{
	struct ibv_srq_init_attr attr = { .srq_context = srq_context };
	struct ibv_srq_1_0 *srq = compat_ibv_create_srq(compat.pd, &attr);

	assert_non_null(srq);
	assert_ptr_equal(attr.srq_context, srq_context);
	return srq;
}
