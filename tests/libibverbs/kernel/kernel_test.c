/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Test fixture for kernel/: see kernel_test.h. */
#include "libibverbs/kernel/kernel_test.h"

#include <errno.h>
#include <rdma/ib_user_verbs.h>
#include <stdlib.h>
#include <string.h>

const uint8_t kernel_test_driver_resp[16] = { 0xa0, 0xa1, 0xa2, 0xa3,
					      0xa4, 0xa5, 0xa6, 0xa7,
					      0xa8, 0xa9, 0xaa, 0xab,
					      0xac, 0xad, 0xae, 0xaf };

int kernel_test_setup(void **state)
{
	struct kernel_test *t = calloc(1, sizeof(*t));

	if (!t)
		return -1;
	t->ctx = &t->vctx.context;
	t->ctx->device = &t->device;
	t->ctx->cmd_fd = fake_kernel_fd();
	t->ctx->async_fd = TEST_ASYNC_FD;
	t->vctx.priv = (struct verbs_ex_private *)(void *)&t->state;
	t->state.driver_id = TEST_DRIVER_ID;
	t->pd.context = t->ctx;
	t->pd.handle = 7;
	for (uint8_t i = 0; i < sizeof(t->driver_in); i++)
		t->driver_in[i] = (uint8_t)(i + 1);
	t->udata = (struct verbs_udata){
		.in = t->driver_in,
		.in_len = sizeof(t->driver_in),
		.out = t->driver_out,
		.out_len = sizeof(t->driver_out),
	};
	t->driver_attrs[0] = (struct ib_uverbs_attr){
		.attr_id = TEST_DRIVER_NUM,
		.len = sizeof(uint64_t),
		.flags = UVERBS_ATTR_F_MANDATORY,
		.data = 0x0d0e0a0d,
	};
	t->driver_attrs[1] = (struct ib_uverbs_attr){
		.attr_id = TEST_DRIVER_OBJ,
	};
	t->attrs_only = (struct verbs_udata){
		.attrs = t->driver_attrs,
		.nr_attrs = 2,
	};
	verbs_allow_disassociate_destroy = false;
	fake_kernel_start();
	fake_kernel_driver_id(TEST_DRIVER_ID);
	*state = t;
	errno = TEST_ERRNO;
	return 0;
}

int kernel_test_teardown(void **state)
{
	int err = errno;

	fake_kernel_finish();
	free(*state);
	assert_int_equal(err, TEST_ERRNO);
	return 0;
}

bool kernel_test_driver_attrs_updated(const struct kernel_test *t)
{
	return t->driver_attrs[1].data == TEST_DRIVER_HANDLE;
}

void kernel_test_refuse(struct kernel_test *t, enum verbs_kernel_cap cap)
{
	atomic_fetch_or(&t->state.refused, UINT64_C(1) << cap);
}

bool kernel_test_refused(const struct kernel_test *t, enum verbs_kernel_cap cap)
{
	return atomic_load(&t->state.refused) & (UINT64_C(1) << cap);
}

void kernel_test_force(struct kernel_test *t, enum test_form form)
{
	if (form == FORM_WRITE)
		kernel_test_refuse(t, KERNEL_CAP_IOCTL);
	if (form != FORM_INVOKE_WRITE)
		return;
	for (int cap = 0; cap < KERNEL_CAP_NR; cap++)
		if (kernel_cap_row(cap)->kind == KERNEL_CAP_KIND_METHOD &&
		    cap != KERNEL_CAP_INVOKE_WRITE)
			kernel_test_refuse(t, cap);
}

void kernel_test_expect(enum test_form form, const struct fake_write *cmd)
{
	assert_int_not_equal(form, FORM_IOCTL);
	if (form == FORM_INVOKE_WRITE)
		fake_kernel_expect_invoke_write(cmd);
	else
		fake_kernel_expect_write(cmd);
}

const int kernel_test_errors[] = { EINVAL, EPERM,  EACCES, EBUSY,
				   ENOMEM, ENOSYS, EFAULT, EOPNOTSUPP };

static bool is_extended(const struct destroy_case *c)
{
	return c->write_command & IB_USER_VERBS_CMD_FLAG_EXTENDED;
}

static void expect_destroy(const struct destroy_case *c, enum test_form form,
			   int err)
{
	const struct fake_ioctl ioctl_cmd = {
		.object = kernel_cap_row(c->cap)->object,
		.method = kernel_cap_row(c->cap)->method,
		FAKE_ATTRS(FAKE_NUM_IN(c->handle_attr, c->handle)),
		.err = err,
	};
	const uint32_t extended[] = { 0, c->handle }; /* comp_mask, handle */
	struct fake_write write = {
		.command = c->write_command,
		.in = &c->handle,
		.in_len = sizeof(c->handle),
		.err = err,
	};

	if (is_extended(c)) {
		write.in = extended;
		write.in_len = sizeof(extended);
	}
	if (form == FORM_IOCTL)
		fake_kernel_expect_ioctl(&ioctl_cmd);
	else
		kernel_test_expect(form, &write);
}

static int last_form(const struct destroy_case *c)
{
	return c->ioctl_only ? FORM_IOCTL : FORM_WRITE;
}

void check_destroy_ioctl(struct kernel_test *t, const struct destroy_case *c)
{
	expect_destroy(c, FORM_IOCTL, 0);
	assert_int_equal(c->run(t), 0);
}

void check_destroy_falls_back(struct kernel_test *t,
			      const struct destroy_case *c, enum test_form form)
{
	expect_destroy(c, FORM_IOCTL,
		       form == FORM_WRITE ? ENOTTY : EPROTONOSUPPORT);
	expect_destroy(c, form, 0);
	assert_int_equal(c->run(t), 0);
	assert_true(kernel_test_refused(t, form == FORM_WRITE ? KERNEL_CAP_IOCTL
							      : c->cap));
	expect_destroy(c, form, 0);
	assert_int_equal(c->run(t), 0);
}

void check_destroy_errors_are_final(struct kernel_test *t,
				    const struct destroy_case *c)
{
	for (int form = FORM_IOCTL; form <= last_form(c); form++) {
		t->state.refused = 0;
		kernel_test_force(t, form);
		for (int i = 0; i < KERNEL_TEST_NR_ERRORS; i++) {
			int err = kernel_test_errors[i];

			expect_destroy(c, form, err);
			/* ENOSYS: the kernel does not have the command. */
			if (is_extended(c) && form != FORM_IOCTL &&
			    err == ENOSYS)
				err = EOPNOTSUPP;
			assert_int_equal(c->run(t), -err);
		}
	}
}

void check_destroy_does_not_fall_back(struct kernel_test *t,
				      const struct destroy_case *c)
{
	expect_destroy(c, FORM_IOCTL, EPROTONOSUPPORT);
	for (int i = 0; i < 2; i++)
		assert_int_equal(c->run(t), -EOPNOTSUPP);
	assert_true(kernel_test_refused(t, c->cap));
}

void check_destroy_device_gone(struct kernel_test *t,
			       const struct destroy_case *c)
{
	for (int form = FORM_IOCTL; form <= last_form(c); form++) {
		t->state.refused = 0;
		kernel_test_force(t, form);
		verbs_allow_disassociate_destroy = false;
		expect_destroy(c, form, EIO);
		assert_int_equal(c->run(t), -EIO);
		verbs_allow_disassociate_destroy = true;
		expect_destroy(c, form, EIO);
		assert_int_equal(c->run(t), 0);
		expect_destroy(c, form, EBUSY);
		assert_int_equal(c->run(t), -EBUSY);
	}
}

/* Counts that differ from those of all commands. */
static const struct verbs_event_count untouched = { 98, 99 };

static void assert_count(const struct verbs_event_count *count,
			 const struct verbs_event_count *expected)
{
	assert_int_equal(count->comp_events, expected->comp_events);
	assert_int_equal(count->async_events, expected->async_events);
}

void check_destroy_reports_events(struct kernel_test *t,
				  const struct destroy_events_case *c)
{
	for (int form = FORM_IOCTL; form <= FORM_WRITE; form++) {
		struct verbs_event_count count = untouched;

		kernel_test_force(t, form);
		c->expect(form, 0);
		assert_int_equal(c->destroy(t, &count), 0);
		assert_count(&count, &c->raised);
	}
}

void check_destroy_events_falls_back(struct kernel_test *t,
				     const struct destroy_events_case *c)
{
	struct verbs_event_count count = untouched;

	c->expect(FORM_IOCTL, EPROTONOSUPPORT);
	c->expect(FORM_INVOKE_WRITE, EPROTONOSUPPORT);
	c->expect(FORM_WRITE, 0);
	assert_int_equal(c->destroy(t, &count), 0);
	assert_count(&count, &c->raised);
}

void check_destroy_keeps_count_on_error(struct kernel_test *t,
					const struct destroy_events_case *c)
{
	struct verbs_event_count count = untouched;

	for (int form = FORM_IOCTL; form <= FORM_WRITE; form++) {
		kernel_test_force(t, form);
		c->expect(form, EBUSY);
		assert_int_equal(c->destroy(t, &count), -EBUSY);
		c->expect(form, EIO);
		assert_int_equal(c->destroy(t, &count), -EIO);
		assert_count(&count, &untouched);
	}
}

void check_destroy_events_device_gone(struct kernel_test *t,
				      const struct destroy_events_case *c)
{
	verbs_allow_disassociate_destroy = true;
	for (int form = FORM_IOCTL; form <= FORM_WRITE; form++) {
		struct verbs_event_count count = untouched;

		kernel_test_force(t, form);
		c->expect(form, EIO);
		assert_int_equal(c->destroy(t, &count), 0);
		assert_count(&count, &c->acked);
	}
}
