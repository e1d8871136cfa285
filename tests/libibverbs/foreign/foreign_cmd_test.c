/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Fixture of the foreign_cmd_*_test.c files: see foreign_cmd_test.h. */
#include "libibverbs/foreign/foreign_cmd_test.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/kernel_caps.h"

static const struct foreign_variant *current;

/* foreign_context_test.c tests the real function. */
struct ibv_context *foreign_context_of(unsigned int node, void *vctx)
{
	if (!vctx || node != current->node)
		return NULL;
	return (struct ibv_context *)(void *)((char *)vctx +
					      current->context_offset);
}

int foreign_cmd_test_setup(void **state)
{
	struct foreign_cmd_test *t = calloc(1, sizeof(*t));

	if (!t)
		return -1;
	t->ctx = &t->vctx.context;
	t->ctx->device = &t->device.device;
	t->ctx->cmd_fd = fake_kernel_fd();
	t->ctx->async_fd = TEST_ASYNC_FD;
	t->vctx.priv = &t->priv.priv;
	t->priv.priv.kernel.driver_id = TEST_DRIVER_ID;
	t->pd.context = t->ctx;
	t->pd.handle = 7;
	foreign_cmd_test_set_release(t, FOREIGN_65, 65);
	verbs_allow_disassociate_destroy = false;
	fake_kernel_start();
	fake_kernel_driver_id(TEST_DRIVER_ID);
	*state = t;
	return 0;
}

int foreign_cmd_test_teardown(void **state)
{
	fake_kernel_finish();
	free(*state);
	return 0;
}

void foreign_cmd_test_set_release(struct foreign_cmd_test *t,
				  enum foreign_variant_id variant,
				  unsigned int release)
{
	current = &foreign_variants[variant];
	t->priv.variant = current;
	t->priv.release = release;
}

void *foreign_cmd_test_vctx(struct foreign_cmd_test *t)
{
	return (char *)t->ctx - current->context_offset;
}

void foreign_cmd_test_force_form(struct foreign_cmd_test *t,
				 enum test_form form)
{
	struct verbs_kernel_state *state = &t->priv.priv.kernel;

	state->refused = 0;
	for (int cap = 0; cap < KERNEL_CAP_NR; cap++) {
		bool method = kernel_cap_row(cap)->kind ==
			      KERNEL_CAP_KIND_METHOD;

		if (form != NATIVE && method &&
		    (form == WRITE || cap != KERNEL_CAP_INVOKE_WRITE))
			atomic_fetch_or(&state->refused, UINT64_C(1) << cap);
	}
}

void foreign_cmd_test_next_script(void)
{
	fake_kernel_finish();
	fake_kernel_driver_id(TEST_DRIVER_ID);
}

void foreign_cmd_test_expect(struct foreign_cmd_test *t, enum test_form form,
			     struct fake_write cmd)
{
	if (t->caller.cmd_core) {
		cmd.driver_in = caller_in(&t->caller);
		cmd.driver_in_len = CALLER_DRIVER_LEN;
	}
	if (t->caller.resp_core) {
		cmd.driver_out = caller_driver_response;
		cmd.driver_out_len = CALLER_DRIVER_LEN;
	}
	assert_int_not_equal(form, NATIVE);
	if (form == WRAPPED)
		fake_kernel_expect_invoke_write(&cmd);
	else
		fake_kernel_expect_write(&cmd);
}

void foreign_cmd_test_link(struct caller_buffer *link, uint16_t object,
			   uint16_t method)
{
	bool uhw = object == UVERBS_OBJECT_CQ || object == UVERBS_OBJECT_QP;

	caller_buffer_init(link, object, method, 1, NULL);
	caller_attr_num(link, uhw ? TEST_LINK_UHW_ATTR : TEST_LINK_ATTR, 0);
}

void foreign_cmd_test_check_link(const struct caller_buffer *link)
{
	assert_int_equal(link->attrs[0].data, TEST_LINK_VALUE);
}
