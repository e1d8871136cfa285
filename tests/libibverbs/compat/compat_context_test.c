/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Contexts of libibverbs 1.0: libibverbs/compat/compat_context.c. */
#include <fcntl.h>
#include <string.h>

#include "libibverbs/compat/compat_fixture.h"
#include "support/alloc_fail.h"

static void compat_context_has_documented_members(void **state)
{
	const struct ibv_context *real = compat.ctx->real_context;

	assert_ptr_equal(compat.ctx->device, compat.list[0]);
	assert_int_equal(compat.ctx->cmd_fd, real->cmd_fd);
	assert_int_equal(compat.ctx->async_fd, real->async_fd);
	assert_true(fcntl(compat.ctx->async_fd, F_GETFD) >= 0);
	assert_int_equal(compat.ctx->num_comp_vectors, real->num_comp_vectors);
	assert_non_null(compat.ctx->ops.poll_cq);
	assert_non_null(compat.ctx->ops.req_notify_cq);
	assert_non_null(compat.ctx->ops.post_send);
	assert_non_null(compat.ctx->ops.post_recv);
	assert_non_null(compat.ctx->ops.post_srq_recv);
}

static void compat_context_two_are_independent(void **state)
{
	struct ibv_context_1_0 *other;

	errno = SOME_ERRNO;
	other = compat_ibv_open_device(compat.list[0]);
	assert_non_null(other);
	assert_int_equal(errno, SOME_ERRNO);
	assert_ptr_not_equal(other->real_context, compat.ctx->real_context);
	ASSERT_OK(compat_ibv_close_device(other));
	assert_int_equal(fake_provider.nr_closes, 1);
}

static void compat_open_device_failure_is_null(void **state)
{
	fake_provider.open_ret = -EACCES;
	ASSERT_NULL(compat_ibv_open_device(compat.list[0]), EACCES);
}

static void compat_open_device_without_memory_is_null(void **state)
{
	struct ibv_context_1_0 *ctx;
	unsigned int n;

	for (n = 1;; n++) {
		alloc_fail_at(n);
		errno = 0;
		ctx = compat_ibv_open_device(compat.list[0]);
		if (!alloc_fail_done())
			break;
		assert_null(ctx);
		assert_int_equal(errno, ENOMEM);
	}
	/* at least the blocks of the real context and the shadow */
	assert_in_range(n, 3, 100);
	assert_int_equal(fake_provider.nr_opens - fake_provider.nr_closes, 2);
	ASSERT_OK(compat_ibv_close_device(ctx));
}

static void compat_close_device_null_is_einval(void **state)
{
	ASSERT_MINUS1(compat_ibv_close_device(NULL), EINVAL);
}

/* ------------------------------------------------------------------------ */
/* Queries                                                                  */
/* ------------------------------------------------------------------------ */

static void compat_query_device_returns_attributes(void **state)
{
	struct ibv_device_attr attr;

	fake_provider.device_attr.orig_attr.max_qp = 77;
	ASSERT_OK(compat_ibv_query_device(compat.ctx, &attr));
	assert_int_equal(attr.max_qp, 77);
	assert_ptr_equal(fake_provider.args.ctx, compat.ctx->real_context);

	fake_provider.ret = -EIO;
	ASSERT_ERRNO(compat_ibv_query_device(compat.ctx, &attr), EIO);
	ASSERT_ERRNO(compat_ibv_query_device(NULL, &attr), EINVAL);
}

/* Size of struct ibv_port_attr in libibverbs 1.0. */
#define PORT_ATTR_SIZE 48

static void compat_query_port_writes_old_struct_only(void **state)
{
	struct ibv_port_attr attr;
	unsigned char *bytes = (unsigned char *)&attr;

	memset(&attr, 0xee, sizeof(attr));
	memset(&fake_provider.port_attr, 0x55, sizeof(fake_provider.port_attr));
	ASSERT_OK(compat_ibv_query_port(compat.ctx, 2, &attr));
	assert_int_equal(fake_provider.args.port_num, 2);
	assert_int_equal(attr.phys_state, 0x55);
	for (size_t i = PORT_ATTR_SIZE; i < sizeof(attr); i++)
		assert_int_equal(bytes[i], 0xee);

	fake_provider.ret = -EINVAL;
	ASSERT_ERRNO(compat_ibv_query_port(compat.ctx, 9, &attr), EINVAL);
	ASSERT_ERRNO(compat_ibv_query_port(NULL, 1, &attr), EINVAL);
}

static void compat_query_gid_and_pkey_return_values(void **state)
{
	static const struct ibv_gid_entry gids[] = {
		{ .gid.raw = { 0xfe, 0x80, [15] = 1 } },
	};
	static const __be16 pkeys[] = { 0xffff };
	union ibv_gid gid;
	__be16 pkey = 0;

	fake_provider.gids = gids;
	fake_provider.nr_gids = 1;
	fake_provider.pkeys = pkeys;
	fake_provider.nr_pkeys = 1;
	ASSERT_OK(compat_ibv_query_gid(compat.ctx, 1, 0, &gid));
	assert_memory_equal(&gid, &gids[0].gid, sizeof(gid));
	ASSERT_OK(compat_ibv_query_pkey(compat.ctx, 1, 0, &pkey));
	assert_int_equal(pkey, 0xffff);

	ASSERT_MINUS1(compat_ibv_query_gid(compat.ctx, 1, 1, &gid), EINVAL);
	ASSERT_MINUS1(compat_ibv_query_pkey(compat.ctx, 1, 1, &pkey), EINVAL);
	ASSERT_MINUS1(compat_ibv_query_gid(NULL, 1, 0, &gid), EINVAL);
	ASSERT_MINUS1(compat_ibv_query_pkey(NULL, 1, 0, &pkey), EINVAL);
}

/* ------------------------------------------------------------------------ */
/* Channels: the function has one version for all programs                  */
/* ------------------------------------------------------------------------ */

static struct ibv_comp_channel *create_channel(void)
{
	struct ibv_comp_channel *channel;

	channel = ibv_create_comp_channel((void *)compat.ctx);
	assert_non_null(channel);
	return channel;
}

static void compat_channel_is_created_by_real_context(void **state)
{
	struct ibv_comp_channel *channel = create_channel();

	ASSERT_OP("create_comp_channel");
	assert_ptr_equal(fake_provider.args.attr, compat.ctx->real_context);
	ASSERT_OK(ibv_destroy_comp_channel(channel));

	fake_provider.ret = -EMFILE;
	ASSERT_NULL(ibv_create_comp_channel((void *)compat.ctx), EMFILE);
}

static void compat_channel_counts_cqs(void **state)
{
	struct ibv_comp_channel *channel = create_channel();
	struct ibv_cq_1_0 *cqs[2];

	for (int i = 0; i < 2; i++) {
		cqs[i] = compat_ibv_create_cq(compat.ctx, 1, NULL, channel, 0);
		assert_non_null(cqs[i]);
		assert_ptr_equal(fake_provider.args.cq_attr.channel, channel);
	}
	ASSERT_OK(compat_ibv_destroy_cq(cqs[0]));
	ASSERT_ERRNO(ibv_destroy_comp_channel(channel), EBUSY);
	ASSERT_OK(compat_ibv_destroy_cq(cqs[1]));
	ASSERT_OK(ibv_destroy_comp_channel(channel));
}

static void compat_channel_of_different_context_is_einval(void **state)
{
	struct ibv_comp_channel *channel = create_channel();
	struct ibv_context_1_0 *other = compat_ibv_open_device(compat.list[0]);

	assert_non_null(other);
	ASSERT_NULL(compat_ibv_create_cq(other, 1, NULL, channel, 0), EINVAL);
	ASSERT_OK(compat_ibv_close_device(other));
	ASSERT_OK(ibv_destroy_comp_channel(channel));
}

/* A program passes an object of libibverbs 1.0 to a current function. */
static void compat_context_is_rejected_by_current_functions(void **state)
{
	struct ibv_context *ctx = (void *)compat.ctx;
	struct ibv_device_attr attr;

	ASSERT_NULL(ibv_alloc_pd(ctx), EOPNOTSUPP);
	ASSERT_ERRNO(ibv_query_device(ctx, &attr), EOPNOTSUPP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		COMPAT_TEST(compat_context_has_documented_members),
		COMPAT_TEST(compat_context_two_are_independent),
		COMPAT_TEST(compat_open_device_failure_is_null),
		COMPAT_TEST(compat_open_device_without_memory_is_null),
		COMPAT_TEST(compat_close_device_null_is_einval),
		COMPAT_TEST(compat_query_device_returns_attributes),
		COMPAT_TEST(compat_query_port_writes_old_struct_only),
		COMPAT_TEST(compat_query_gid_and_pkey_return_values),
		COMPAT_TEST(compat_channel_is_created_by_real_context),
		COMPAT_TEST(compat_channel_counts_cqs),
		COMPAT_TEST(compat_channel_of_different_context_is_einval),
		COMPAT_TEST(compat_context_is_rejected_by_current_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
