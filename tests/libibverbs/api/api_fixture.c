/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Opens and closes the device of a test: see api_fixture.h. */
#include "libibverbs/api/api_fixture.h"

#include "core/core_context.h"
#include "core/provider_registry.h"
#include "support/fake_discover.h"
#include "support/leak_check.h"

struct api api;

static struct leak_check check;

static struct ibv_device **device_list_of_name(int count)
{
	struct ibv_device **list;
	int found;

	list = ibv_get_device_list(&found);
	assert_non_null(list);
	assert_int_equal(found, count);
	return list;
}

int api_open(void **state)
{
	fake_discover_reset();
	fake_provider_reset();
	assert_int_equal(verbs_provider_register(&verbs_provider_fake), 0);
	leak_check_begin(&check);

	fake_provider.offers[0] = "soft0";
	api.list = device_list_of_name(1);
	api.ctx = ibv_open_device(api.list[0]);
	assert_non_null(api.ctx);
	api.pd = ibv_alloc_pd(api.ctx);
	assert_non_null(api.pd);
	return 0;
}

struct ibv_context *api_open_another(void)
{
	struct ibv_context *ctx = ibv_open_device(api.list[0]);

	assert_non_null(ctx);
	return ctx;
}

void api_pretend_import(struct ibv_context *ctx)
{
	verbs_priv(ctx)->kernel.imported = true;
}

int api_close(void **state)
{
	fake_provider.ret = 0;
	assert_int_equal(ibv_dealloc_pd(api.pd), 0);
	assert_int_equal(fake_provider.nr_objects, 0);
	assert_int_equal(ibv_close_device(api.ctx), 0);
	ibv_free_device_list(api.list);

	fake_provider_reset();
	ibv_free_device_list(device_list_of_name(0));
	leak_check_end(&check);
	return 0;
}
