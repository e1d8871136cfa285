/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "libibverbs/foreign/adapt_fixture.h"

struct adapt_fixture adapt;

void adapt_fixture_start(const struct foreign_ops *ops)
{
	memset(&adapt, 0, sizeof(adapt));
	adapt.variant.id = FOREIGN_65;
	adapt.variant.node = 65;
	adapt.private.variant = &adapt.variant;
	adapt.private.release = 65;
	adapt.private.ops = *ops;
	adapt.vctx.priv = &adapt.private.priv;
	adapt.ctx = &adapt.vctx.context;
	adapt.ctx->cmd_fd = 77;
	adapt.pd.context = adapt.ctx;
	foreign_adapt(&adapt.private.ops, &adapt.ops);
}

void adapt_fixture_set_abi_34(unsigned int release)
{
	adapt.variant.id = FOREIGN_34;
	adapt.variant.node = 34;
	adapt.variant.qp_mask_moved = true;
	adapt.private.release = release;
}

void adapt_record_call(const char *op, const uint64_t *args, size_t nr_args)
{
	assert_in_range(nr_args, 1, ADAPT_MAX_ARGS);
	adapt.op = op;
	adapt.nr_args = nr_args;
	memcpy(adapt.args, args, nr_args * sizeof(*args));
}

int adapt_result(void)
{
	if (adapt.err)
		errno = adapt.err;
	return adapt.ret;
}

void *adapt_new_object(void)
{
	if (adapt.err)
		errno = adapt.err;
	return adapt.object;
}

void adapt_check_call(const char *op, const uint64_t *args, size_t nr_args)
{
	assert_non_null(adapt.op);
	assert_string_equal(adapt.op, op);
	assert_int_equal(adapt.nr_args, nr_args);
	for (size_t i = 0; i < nr_args; i++) {
		if (adapt.args[i] != args[i])
			fail_msg("%s: argument %zu is %#jx, not %#jx", op, i,
				 (uintmax_t)adapt.args[i], (uintmax_t)args[i]);
	}
	adapt.op = NULL;
}

void adapt_will_succeed(void)
{
	adapt.ret = 0;
	adapt.err = EINTR; /* some ops set errno although they succeed */
	adapt.object = NULL;
	errno = ADAPT_ERRNO_BEFORE;
}

/* Covers both forms: an op that returns the errno, and one that sets errno. */
void adapt_will_fail(void)
{
	adapt.ret = EXDEV;
	adapt.err = EXDEV;
	adapt.object = NULL;
	errno = ADAPT_ERRNO_BEFORE;
}

void adapt_will_create(void *object)
{
	adapt_will_succeed();
	adapt.object = object;
}

void adapt_check_result(int expected, int ret)
{
	assert_int_equal(ret, expected);
	assert_int_equal(errno, ADAPT_ERRNO_BEFORE);
}
