/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * All destroy commands of foreign providers: in each form, with an error of the
 * kernel, with a disassociated device, and with unacknowledged events.
 */
#include <pthread.h>
#include <string.h>

#include "kernel/uapi_newer.h"
#include "libibverbs/foreign/foreign_cmd_test.h"

#define EXTENDED    IB_USER_VERBS_CMD_FLAG_EXTENDED
#define NATIVE_ONLY 0xffffffff

/* Numbers of events that the kernel has raised; all are acknowledged. */
#define COMP_EVENTS  4
#define ASYNC_EVENTS 5

struct destroy_case {
	uint16_t object, method, handle_attr;
	uint32_t command; /* or NATIVE_ONLY */
	/* for objects with events */
	uint16_t resp_attr;
	const void *resp;
	size_t resp_len;
	int (*run)(struct ibv_context *ctx);
};

/* -- one object of each kind, with TEST_HANDLE -- */

static int destroy_pd(struct ibv_context *ctx)
{
	struct ibv_pd object = { .context = ctx, .handle = TEST_HANDLE };

	return foreign_cmd_dealloc_pd(&object);
}

static int destroy_xrcd(struct ibv_context *ctx)
{
	struct verbs_xrcd object = { .xrcd.context = ctx,
				     .handle = TEST_HANDLE };

	return foreign_cmd_close_xrcd(&object);
}

static int destroy_mr(struct ibv_context *ctx)
{
	struct verbs_mr object = {
		.ibv_mr = { .context = ctx, .handle = TEST_HANDLE },
	};

	return foreign_cmd_dereg_mr(&object);
}

static int destroy_mw(struct ibv_context *ctx)
{
	struct ibv_mw object = { .context = ctx, .handle = TEST_HANDLE };

	return foreign_cmd_dealloc_mw(&object);
}

static int destroy_ah(struct ibv_context *ctx)
{
	struct ibv_ah object = { .context = ctx, .handle = TEST_HANDLE };

	return foreign_cmd_destroy_ah(&object);
}

static int destroy_flow(struct ibv_context *ctx)
{
	struct ibv_flow object = { .context = ctx, .handle = TEST_HANDLE };

	return foreign_cmd_destroy_flow(&object);
}

static int destroy_rwq_ind_table(struct ibv_context *ctx)
{
	struct ibv_rwq_ind_table object = { .context = ctx,
					    .ind_tbl_handle = TEST_HANDLE };

	return foreign_cmd_destroy_rwq_ind_table(&object);
}

static int destroy_dm(struct ibv_context *ctx)
{
	struct verbs_dm object = { .dm.context = ctx, .handle = TEST_HANDLE };

	return foreign_cmd_free_dm(&object);
}

static int destroy_dmah(struct ibv_context *ctx)
{
	struct verbs_dmah object = { .dmah.context = ctx,
				     .handle = TEST_HANDLE };

	return foreign_cmd_free_dmah(&object);
}

static int destroy_flow_action(struct ibv_context *ctx)
{
	struct verbs_flow_action object = { .action.context = ctx,
					    .handle = TEST_HANDLE };

	return foreign_cmd_destroy_flow_action(&object);
}

static int destroy_counters(struct ibv_context *ctx)
{
	struct verbs_counters object = { .counters.context = ctx,
					 .handle = TEST_HANDLE };

	return foreign_cmd_destroy_counters(&object);
}

static int destroy_comp_cntr(struct ibv_context *ctx)
{
	struct ibv_comp_cntr object = { .context = ctx, .handle = TEST_HANDLE };

	return foreign_cmd_destroy_comp_cntr(&object);
}

static int destroy_cq(struct ibv_context *ctx)
{
	struct ibv_cq object = {
		.context = ctx,
		.handle = TEST_HANDLE,
		.mutex = PTHREAD_MUTEX_INITIALIZER,
		.cond = PTHREAD_COND_INITIALIZER,
		.comp_events_completed = COMP_EVENTS,
		.async_events_completed = ASYNC_EVENTS,
	};

	return foreign_cmd_destroy_cq(&object);
}

static int destroy_srq(struct ibv_context *ctx)
{
	struct ibv_srq object = {
		.context = ctx,
		.handle = TEST_HANDLE,
		.mutex = PTHREAD_MUTEX_INITIALIZER,
		.cond = PTHREAD_COND_INITIALIZER,
		.events_completed = ASYNC_EVENTS,
	};

	return foreign_cmd_destroy_srq(&object);
}

static int destroy_qp(struct ibv_context *ctx)
{
	struct ibv_qp object = {
		.context = ctx,
		.handle = TEST_HANDLE,
		.mutex = PTHREAD_MUTEX_INITIALIZER,
		.cond = PTHREAD_COND_INITIALIZER,
		.events_completed = ASYNC_EVENTS,
	};

	return foreign_cmd_destroy_qp(&object);
}

static int destroy_wq(struct ibv_context *ctx)
{
	struct ibv_wq object = {
		.context = ctx,
		.handle = TEST_HANDLE,
		.mutex = PTHREAD_MUTEX_INITIALIZER,
		.cond = PTHREAD_COND_INITIALIZER,
		.events_completed = ASYNC_EVENTS,
	};

	return foreign_cmd_destroy_wq(&object);
}

static const struct ib_uverbs_destroy_cq_resp cq_resp = {
	.comp_events_reported = COMP_EVENTS,
	.async_events_reported = ASYNC_EVENTS,
};
static const uint32_t events_resp = ASYNC_EVENTS;

#define CASE(obj, meth, attr, cmd, fn)                                         \
	{                                                                      \
		.object = UVERBS_OBJECT_##obj, .method = UVERBS_METHOD_##meth, \
		.handle_attr = UVERBS_ATTR_##attr,                             \
		.command = IB_USER_VERBS_CMD_##cmd, .run = fn,                 \
	}
#define CASE_NATIVE(obj, meth, attr, fn)                                       \
	{                                                                      \
		.object = UVERBS_OBJECT_##obj, .method = UVERBS_METHOD_##meth, \
		.handle_attr = UVERBS_ATTR_##attr, .command = NATIVE_ONLY,     \
		.run = fn,                                                     \
	}
#define CASE_EVENTS(obj, cmd, answer, fn)                                      \
	{                                                                      \
		.object = UVERBS_OBJECT_##obj,                                 \
		.method = UVERBS_METHOD_##obj##_DESTROY,                       \
		.handle_attr = UVERBS_ATTR_DESTROY_##obj##_HANDLE,             \
		.command = cmd, .resp_attr = UVERBS_ATTR_DESTROY_##obj##_RESP, \
		.resp = &(answer), .resp_len = sizeof(answer), .run = fn,      \
	}

static const struct destroy_case cases[] = {
	CASE(PD, PD_DESTROY, DESTROY_PD_HANDLE, DEALLOC_PD, destroy_pd),
	CASE(XRCD, XRCD_DESTROY, DESTROY_XRCD_HANDLE, CLOSE_XRCD, destroy_xrcd),
	CASE(MR, MR_DESTROY, DESTROY_MR_HANDLE, DEREG_MR, destroy_mr),
	CASE(MW, MW_DESTROY, DESTROY_MW_HANDLE, DEALLOC_MW, destroy_mw),
	CASE(AH, AH_DESTROY, DESTROY_AH_HANDLE, DESTROY_AH, destroy_ah),
	{
		.object = UVERBS_OBJECT_FLOW,
		.method = UVERBS_METHOD_FLOW_DESTROY,
		.handle_attr = UVERBS_ATTR_DESTROY_FLOW_HANDLE,
		.command = IB_USER_VERBS_EX_CMD_DESTROY_FLOW | EXTENDED,
		.run = destroy_flow,
	},
	{
		.object = UVERBS_OBJECT_RWQ_IND_TBL,
		.method = UVERBS_METHOD_RWQ_IND_TBL_DESTROY,
		.handle_attr = UVERBS_ATTR_DESTROY_RWQ_IND_TBL_HANDLE,
		.command = IB_USER_VERBS_EX_CMD_DESTROY_RWQ_IND_TBL | EXTENDED,
		.run = destroy_rwq_ind_table,
	},
	CASE_NATIVE(DM, DM_FREE, FREE_DM_HANDLE, destroy_dm),
	{
		.object = VERBS_UAPI_UVERBS_OBJECT_DMAH,
		.method = VERBS_UAPI_UVERBS_METHOD_DMAH_FREE,
		.handle_attr = VERBS_UAPI_UVERBS_ATTR_FREE_DMA_HANDLE,
		.command = NATIVE_ONLY,
		.run = destroy_dmah,
	},
	CASE_NATIVE(FLOW_ACTION, FLOW_ACTION_DESTROY,
		    DESTROY_FLOW_ACTION_HANDLE, destroy_flow_action),
	CASE_NATIVE(COUNTERS, COUNTERS_DESTROY, DESTROY_COUNTERS_HANDLE,
		    destroy_counters),
	{
		.object = VERBS_UAPI_UVERBS_OBJECT_COMP_CNTR,
		.method = VERBS_UAPI_UVERBS_METHOD_COMP_CNTR_DESTROY,
		.handle_attr = VERBS_UAPI_UVERBS_ATTR_DESTROY_COMP_CNTR_HANDLE,
		.command = NATIVE_ONLY,
		.run = destroy_comp_cntr,
	},
	CASE_EVENTS(CQ, IB_USER_VERBS_CMD_DESTROY_CQ, cq_resp, destroy_cq),
	CASE_EVENTS(SRQ, IB_USER_VERBS_CMD_DESTROY_SRQ, events_resp,
		    destroy_srq),
	CASE_EVENTS(QP, IB_USER_VERBS_CMD_DESTROY_QP, events_resp, destroy_qp),
	CASE_EVENTS(WQ, IB_USER_VERBS_EX_CMD_DESTROY_WQ | EXTENDED, events_resp,
		    destroy_wq),
};

#define NR_CASES (sizeof(cases) / sizeof(cases[0]))

/* -- expected commands -- */

static void expect_destroy_native(const struct destroy_case *c, int err)
{
	const struct fake_attr attrs[] = {
		FAKE_NUM_IN(c->handle_attr, TEST_HANDLE),
		FAKE_BYTES_OUT(c->resp_attr, c->resp_len, c->resp),
	};
	const struct fake_ioctl cmd = {
		.object = c->object,
		.method = c->method,
		.attrs = attrs,
		.nr_attrs = c->resp ? 2 : 1,
		.err = err,
	};

	fake_kernel_expect_ioctl(&cmd);
}

/*
 * Formats of the request: the handle alone; the address of the response and the
 * handle; an extended command.
 */
static void expect_destroy_write(const struct destroy_case *c,
				 enum test_form form, int err)
{
	const struct ib_uverbs_destroy_cq with_resp = { .cq_handle =
								TEST_HANDLE };
	const struct ib_uverbs_destroy_flow extended = { .flow_handle =
								 TEST_HANDLE };
	const struct ib_uverbs_ex_destroy_wq_resp wq_resp = {
		.response_length = sizeof(wq_resp),
		.events_reported = ASYNC_EVENTS,
	};
	const uint32_t handle = TEST_HANDLE;
	struct fake_write cmd = {
		.command = c->command,
		.in = &handle,
		.in_len = sizeof(handle),
		.out = c->resp,
		.out_len = c->resp_len,
		.err = err,
	};

	if (c->command & EXTENDED) {
		cmd.in = &extended;
		cmd.in_len = sizeof(extended);
		cmd.out = c->resp ? &wq_resp : NULL;
		cmd.out_len = c->resp ? sizeof(wq_resp) : 0;
	} else if (c->resp) {
		cmd.in = &with_resp;
		cmd.in_len = sizeof(with_resp);
	}
	if (form == WRAPPED)
		fake_kernel_expect_invoke_write(&cmd);
	else
		fake_kernel_expect_write(&cmd);
}

static void expect_destroy(const struct destroy_case *c, enum test_form form,
			   int err)
{
	if (form == NATIVE)
		expect_destroy_native(c, err);
	else
		expect_destroy_write(c, form, err);
}

/* -- the tests -- */

static void foreign_cmd_destroy_every_object_sends_every_form(void **state)
{
	struct foreign_cmd_test *t = *state;

	for (size_t i = 0; i < NR_CASES; i++)
		for (enum test_form form = NATIVE; form <= WRITE; form++) {
			const struct destroy_case *c = &cases[i];

			foreign_cmd_test_next_script();
			foreign_cmd_test_force_form(t, form);
			if (c->command == NATIVE_ONLY && form != NATIVE) {
				assert_fails(c->run(t->ctx), EOPNOTSUPP);
				continue;
			}
			expect_destroy(c, form, 0);
			assert_succeeds(c->run(t->ctx));
			expect_destroy(c, form, EBUSY);
			assert_fails(c->run(t->ctx), EBUSY);
		}
}

static void
foreign_cmd_destroy_disassociated_device_succeeds_if_allowed(void **state)
{
	struct foreign_cmd_test *t = *state;

	for (size_t i = 0; i < NR_CASES; i++)
		for (enum test_form form = NATIVE; form <= WRITE; form++) {
			const struct destroy_case *c = &cases[i];

			if (c->command == NATIVE_ONLY && form != NATIVE)
				continue;
			foreign_cmd_test_next_script();
			foreign_cmd_test_force_form(t, form);
			verbs_allow_disassociate_destroy = false;
			expect_destroy(c, form, EIO);
			assert_fails(c->run(t->ctx), EIO);
			verbs_allow_disassociate_destroy = true;
			expect_destroy(c, form, EIO);
			assert_succeeds(c->run(t->ctx));
		}
}

/* -- waiting for the application -- */

/* Events that the application acknowledges while the destroy command waits. */
static pthread_mutex_t *expected_mutex;
static uint32_t *acknowledged;
static int nr_waits;

int __wrap_pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex);

int __wrap_pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
	assert_ptr_equal(mutex, expected_mutex);
	assert_int_equal(pthread_mutex_trylock(mutex), EBUSY);
	nr_waits++;
	(*acknowledged)++;
	return 0;
}

static void expect_cond_wait(int (*run)(struct ibv_context *ctx),
			     pthread_mutex_t *mutex, uint32_t *completed)
{
	assert_int_equal(pthread_mutex_init(mutex, NULL), 0);
	expected_mutex = mutex;
	acknowledged = completed;
	nr_waits = 0;
	for (size_t i = 0; i < NR_CASES; i++)
		if (cases[i].run == run)
			expect_destroy_native(&cases[i], 0);
}

static void
foreign_cmd_destroy_blocks_until_events_are_acknowledged(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct ibv_cq c = { .context = t->ctx,
			    .handle = TEST_HANDLE,
			    .comp_events_completed = COMP_EVENTS - 2,
			    .async_events_completed = ASYNC_EVENTS };
	struct ibv_srq s = { .context = t->ctx,
			     .handle = TEST_HANDLE,
			     .events_completed = ASYNC_EVENTS - 2 };
	struct ibv_qp q = { .context = t->ctx,
			    .handle = TEST_HANDLE,
			    .events_completed = ASYNC_EVENTS - 2 };
	struct ibv_wq w = { .context = t->ctx,
			    .handle = TEST_HANDLE,
			    .events_completed = ASYNC_EVENTS - 2 };

	expect_cond_wait(destroy_cq, &c.mutex, &c.comp_events_completed);
	assert_succeeds(foreign_cmd_destroy_cq(&c));
	assert_int_equal(nr_waits, 2);
	expect_cond_wait(destroy_cq, &c.mutex, &c.async_events_completed);
	c.async_events_completed = ASYNC_EVENTS - 1;
	assert_succeeds(foreign_cmd_destroy_cq(&c));
	assert_int_equal(nr_waits, 1);
	expect_cond_wait(destroy_srq, &s.mutex, &s.events_completed);
	assert_succeeds(foreign_cmd_destroy_srq(&s));
	assert_int_equal(nr_waits, 2);
	expect_cond_wait(destroy_qp, &q.mutex, &q.events_completed);
	assert_succeeds(foreign_cmd_destroy_qp(&q));
	assert_int_equal(nr_waits, 2);
	expect_cond_wait(destroy_wq, &w.mutex, &w.events_completed);
	assert_succeeds(foreign_cmd_destroy_wq(&w));
	assert_int_equal(nr_waits, 2);
	/* The mutex is unlocked. */
	assert_int_equal(pthread_mutex_trylock(&w.mutex), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOREIGN_CMD_TEST(
			foreign_cmd_destroy_every_object_sends_every_form),
		FOREIGN_CMD_TEST(
			foreign_cmd_destroy_disassociated_device_succeeds_if_allowed),
		FOREIGN_CMD_TEST(
			foreign_cmd_destroy_blocks_until_events_are_acknowledged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
