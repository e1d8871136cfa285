/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Asynchronous events of rules with event=, and devices that they remove. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "libibverbs/layers/fault_fixture.h"

static bool async_fd_is_ready(void)
{
	struct pollfd wait = { .fd = fixture.ctx->async_fd, .events = POLLIN };

	return poll(&wait, 1, 0) > 0;
}

static struct ibv_async_event event_get(enum ibv_event_type type)
{
	struct ibv_async_event event;

	assert_int_equal(ibv_get_async_event(fixture.ctx, &event), 0);
	assert_int_equal(event.event_type, type);
	return event;
}

static void assert_no_event(int error)
{
	struct ibv_async_event event;
	int flags = fcntl(fixture.ctx->async_fd, F_GETFL);

	assert_int_equal(
		fcntl(fixture.ctx->async_fd, F_SETFL, flags | O_NONBLOCK), 0);
	assert_int_equal(ibv_get_async_event(fixture.ctx, &event), -1);
	assert_int_equal(errno, error);
	assert_int_equal(fcntl(fixture.ctx->async_fd, F_SETFL, flags), 0);
}

static void event_get_and_ack(enum ibv_event_type type)
{
	struct ibv_async_event event = event_get(type);

	ibv_ack_async_event(&event);
}

static enum ibv_qp_state qp_state(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	assert_int_equal(ibv_query_qp(qp, &attr, IBV_QP_STATE, &init), 0);
	return attr.qp_state;
}

static void assert_flushed(uint64_t wr_id)
{
	struct ibv_wc wc = fixture_poll(fixture.cq);

	assert_int_equal(wc.wr_id, wr_id);
	assert_int_equal(wc.status, IBV_WC_WR_FLUSH_ERR);
}

static void assert_no_completion(void)
{
	struct ibv_wc wc;

	assert_int_equal(ibv_poll_cq(fixture.cq, 1, &wc), 0);
}

/* ------------------------------------------------------------------------ */
/* Ports                                                                     */
/* ------------------------------------------------------------------------ */

static enum ibv_port_state port_state(void)
{
	struct ibv_port_attr attr;

	assert_int_equal(ibv_query_port(fixture.ctx, 1, &attr), 0);
	return attr.state;
}

/* The second rule does not count the call that the first one acts on. */
static void port_err_reports_port_down_until_port_active(void **state)
{
	union ibv_gid gid;

	fault_start("event=PORT_ERR @ call=query_gid,nth=4;"
		    "event=PORT_ACTIVE @ call=query_gid,nth=4");
	assert_false(async_fd_is_ready());
	assert_no_event(EAGAIN);
	for (int i = 0; i < 5 && !async_fd_is_ready(); i++)
		assert_int_equal(ibv_query_gid(fixture.ctx, 1, 0, &gid), 0);
	assert_int_equal(port_state(), IBV_PORT_DOWN);
	assert_int_equal(event_get(IBV_EVENT_PORT_ERR).element.port_num, 1);
	assert_false(async_fd_is_ready());
	assert_int_equal(ibv_query_gid(fixture.ctx, 1, 0, &gid), 0);
	assert_int_equal(port_state(), IBV_PORT_ACTIVE);
	assert_int_equal(event_get(IBV_EVENT_PORT_ACTIVE).element.port_num, 1);
	assert_no_event(EAGAIN);
	fault_stop();
}

static void event_at_time_wakes_reader(void **state)
{
	fault_start("event=GID_CHANGE @ after=1ms;"
		    "event=LID_CHANGE @ after=2ms,port=3;"
		    "event=SM_CHANGE @ after=2ms,dev=none");
	assert_int_equal(event_get(IBV_EVENT_GID_CHANGE).element.port_num, 1);
	assert_int_equal(event_get(IBV_EVENT_LID_CHANGE).element.port_num, 3);
	assert_no_event(EAGAIN);
	assert_log("verbs-fault: rule 1, at its time, context 1, event 1: "
		   "event=GID_CHANGE @ after=1ms\n"
		   "verbs-fault: rule 2, at its time, context 1, event 1: "
		   "event=LID_CHANGE @ after=2ms,port=3\n");
	fault_stop();
}

/* ------------------------------------------------------------------------ */
/* Queue pairs, completion queues and shared receive queues                  */
/* ------------------------------------------------------------------------ */

static void qp_fatal_moves_qp_to_err_and_flushes(void **state)
{
	struct ibv_async_event event;

	fault_start("event=QP_FATAL @ call=post_send,nth=2");
	assert_int_equal(fault_post_recv(fixture.left, 10), 0);
	assert_int_equal(fault_post_recv(fixture.right, 11), 0);
	assert_int_equal(fault_post(fixture.left, 1), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(fixture_poll(fixture.cq).status,
				 IBV_WC_SUCCESS);
	assert_int_equal(fault_post(fixture.left, 2), 0);
	event = event_get(IBV_EVENT_QP_FATAL);
	assert_ptr_equal(event.element.qp, fixture.left);
	assert_int_equal(qp_state(fixture.left), IBV_QPS_ERR);
	assert_int_equal(qp_state(fixture.right), IBV_QPS_RTS);
	assert_flushed(10);
	assert_flushed(2);
	assert_no_completion();
	ibv_ack_async_event(&event);
	fault_stop();
}

static void event_only_leaves_qp_in_state(void **state)
{
	fault_start("event=COMM_EST @ call=post_recv,qp=2,nth=1");
	assert_int_equal(fault_post_recv(fixture.right, 11), 0);
	event_get_and_ack(IBV_EVENT_COMM_EST);
	assert_int_equal(qp_state(fixture.right), IBV_QPS_RTS);
	fault_stop();
}

static void qp_destroyed_with_unread_event_drops_the_event(void **state)
{
	fault_start("event=QP_REQ_ERR @ call=post_send,nth=1");
	assert_int_equal(fault_post(fixture.left, 1), 0);
	assert_int_equal(fault_post(fixture.right, 2), 0);
	assert_int_equal(ibv_destroy_qp(fixture.left), 0);
	assert_ptr_equal(event_get(IBV_EVENT_QP_REQ_ERR).element.qp,
			 fixture.right);
	assert_no_event(EAGAIN);
	assert_int_equal(fixture.right->events_completed, 0);
	ibv_ack_async_event(
		&(struct ibv_async_event){ .event_type = IBV_EVENT_QP_REQ_ERR,
					   .element.qp = fixture.right });
	fixture.left = fixture_new_qp(IBV_QPT_RC);
	fault_stop();
}

static void *qp_destroy_in_thread(void *qp)
{
	assert_int_equal(ibv_destroy_qp(qp), 0);
	return NULL;
}

/* Otherwise the acknowledgment would access freed memory. */
static void qp_destroy_waits_for_acknowledgment(void **state)
{
	struct ibv_async_event events[2];
	pthread_t thread;

	fault_start("event=SQ_DRAINED @ call=post_recv,qp=1,limit=2");
	for (int i = 0; i < 2; i++) {
		assert_int_equal(fault_post_recv(fixture.left, 1), 0);
		events[i] = event_get(IBV_EVENT_SQ_DRAINED);
	}
	assert_int_equal(pthread_create(&thread, NULL, qp_destroy_in_thread,
					fixture.left),
			 0);
	ibv_ack_async_event(&events[0]);
	ibv_ack_async_event(&events[1]);
	assert_int_equal(pthread_join(thread, NULL), 0);
	fixture.left = fixture_new_qp(IBV_QPT_RC);
	fault_stop();
}

static atomic_bool qps_stop;

/* Creates and destroys QPs. */
static void *qps_come_and_go(void *unused)
{
	while (!atomic_load(&qps_stop))
		assert_int_equal(ibv_destroy_qp(fixture_new_qp(IBV_QPT_RC)), 0);
	return NULL;
}

/* Acknowledges events until the last one. */
static void events_ack_until(enum ibv_event_type last)
{
	struct ibv_async_event event = {};

	while (event.event_type != last) {
		assert_int_equal(ibv_get_async_event(fixture.ctx, &event), 0);
		ibv_ack_async_event(&event);
	}
}

/* Each destroy waits for the events of its QP that were read. */
static void qps_destroyed_during_events_have_no_later_event(void **state)
{
	char settings[4096] = "event=LID_CHANGE @ after=60ms";
	pthread_t threads[2];

	for (size_t i = 1; i <= 40; i++)
		(void)snprintf(settings + strlen(settings),
			       sizeof(settings) - strlen(settings),
			       ";event=QP_FATAL @ qp=any,after=%zums", i);
	fault_use(settings);
	fixture.ctx = fixture_open();
	fixture.pd = ibv_alloc_pd(fixture.ctx);
	assert_non_null(fixture.pd);
	fixture.cq = ibv_create_cq(fixture.ctx, 16, NULL, NULL, 0);
	assert_non_null(fixture.cq);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL,
						qps_come_and_go, NULL),
				 0);
	events_ack_until(IBV_EVENT_LID_CHANGE);
	atomic_store(&qps_stop, true);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_int_equal(ibv_destroy_cq(fixture.cq), 0);
	assert_int_equal(ibv_dealloc_pd(fixture.pd), 0);
	assert_int_equal(ibv_close_device(fixture.ctx), 0);
}

/* A write with a wrong key moves the responder to ERR. */
static void event_of_provider_is_read_after_those_of_rules(void **state)
{
	struct ibv_async_event event;

	fault_start("event=PATH_MIG @ call=post_send,qp=1,nth=1");
	assert_int_equal(fixture_write(fixture.memory,
				       (uintptr_t)fixture.memory,
				       ~fixture.mr->rkey),
			 IBV_WC_REM_ACCESS_ERR);
	event_get_and_ack(IBV_EVENT_PATH_MIG);
	event = event_get(IBV_EVENT_QP_ACCESS_ERR);
	assert_ptr_equal(event.element.qp, fixture.right);
	ibv_ack_async_event(&event);
	fault_stop();
}

static void cq_err_moves_qps_of_queue_to_err(void **state)
{
	struct ibv_async_event event;

	fault_start("event=CQ_ERR @ call=req_notify_cq,cq=1,nth=1");
	assert_int_equal(fault_post_recv(fixture.left, 10), 0);
	assert_int_equal(fault_post_recv(fixture.right, 11), 0);
	assert_int_equal(ibv_req_notify_cq(fixture.cq, 0), 0);
	event = event_get(IBV_EVENT_CQ_ERR);
	assert_ptr_equal(event.element.cq, fixture.cq);
	assert_int_equal(qp_state(fixture.left), IBV_QPS_ERR);
	assert_int_equal(qp_state(fixture.right), IBV_QPS_ERR);
	for (int i = 0; i < 2; i++)
		assert_int_equal(fixture_poll(fixture.cq).status,
				 IBV_WC_WR_FLUSH_ERR);
	ibv_ack_async_event(&event);
	fault_stop();
}

static void srq_limit_belongs_to_queue(void **state)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = 4,
						    .max_sge = 1 } };
	struct ibv_recv_wr wr = { .wr_id = 1 }, *bad;
	struct ibv_async_event event;
	struct ibv_srq *srq;

	fault_start("event=SRQ_LIMIT_REACHED @ call=post_srq_recv,srq=1,nth=1");
	srq = ibv_create_srq(fixture.pd, &attr);
	assert_non_null(srq);
	assert_int_equal(ibv_post_srq_recv(srq, &wr, &bad), 0);
	event = event_get(IBV_EVENT_SRQ_LIMIT_REACHED);
	assert_ptr_equal(event.element.srq, srq);
	ibv_ack_async_event(&event);
	assert_int_equal(ibv_destroy_srq(srq), 0);
	fault_stop();
}

/* ------------------------------------------------------------------------ */
/* Devices                                                                   */
/* ------------------------------------------------------------------------ */

static void assert_calls_fail(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND }, *bad = NULL;
	struct ibv_td_init_attr td = {};
	struct ibv_device_attr device;
	struct ibv_gid_entry gids[4];
	struct ibv_port_attr port;

	assert_null(ibv_alloc_pd(fixture.ctx));
	assert_int_equal(errno, EIO);
	assert_null(ibv_alloc_td(fixture.ctx, &td));
	assert_int_equal(errno, EIO);
	assert_null(ibv_reg_mr(fixture.pd, fixture.memory, 8, 0));
	assert_int_equal(errno, EIO);
	assert_null(ibv_create_cq(fixture.ctx, 1, NULL, NULL, 0));
	assert_int_equal(errno, EIO);
	assert_int_equal(ibv_query_device(fixture.ctx, &device), EIO);
	assert_int_equal(ibv_query_port(fixture.ctx, 1, &port), EIO);
	assert_int_equal(ibv_query_gid_table(fixture.ctx, gids, 4, 0), -EIO);
	assert_int_equal(ibv_modify_qp(fixture.left, &attr, IBV_QP_STATE), EIO);
	assert_int_equal(ibv_req_notify_cq(fixture.cq, 0), EIO);
	assert_int_equal(fault_post_recv(fixture.left, 12), EIO);
	assert_int_equal(ibv_post_send(fixture.left, &wr, &bad), EIO);
	assert_ptr_equal(bad, &wr);
}

static void device_fatal_makes_calls_fail_and_destroys_succeed(void **state)
{
	fault_start("event=DEVICE_FATAL @ call=post_send,nth=1;"
		    "errno=ENOMEM @ call=reg_mr,nth=2;"
		    "errno=EBUSY @ call=destroy_qp");
	assert_int_equal(fault_post_recv(fixture.left, 10), 0);
	assert_int_equal(fault_post_recv(fixture.right, 10), 0);
	assert_int_equal(fault_post(fixture.left, 1), 0);
	assert_log("verbs-fault: rule 1, ibv_post_send, QP 1, event 1: "
		   "event=DEVICE_FATAL @ call=post_send,nth=1\n");
	event_get_and_ack(IBV_EVENT_DEVICE_FATAL);
	assert_no_event(EIO);
	assert_flushed(10);
	assert_flushed(10);
	assert_flushed(1);
	assert_no_completion();
	assert_calls_fail();
	assert_log("");
	fault_stop();
}

/* A read that blocks, too, since no event will come. */
static void device_fatal_leaves_nothing_to_wait_for(void **state)
{
	struct ibv_async_event event;

	fault_use("event=DEVICE_FATAL @ after=1ms");
	fixture.ctx = fixture_open();
	event_get_and_ack(IBV_EVENT_DEVICE_FATAL);
	assert_int_equal(ibv_get_async_event(fixture.ctx, &event), -1);
	assert_int_equal(errno, EIO);
	assert_int_equal(ibv_close_device(fixture.ctx), 0);
}

static void device_fatal_leaves_contexts_of_the_same_device_alone(void **state)
{
	struct ibv_context *other;
	struct ibv_pd *pd;

	fault_start("event=DEVICE_FATAL @ call=post_send,nth=1");
	other = fixture_open();
	assert_int_equal(fault_post(fixture.left, 1), 0);
	pd = ibv_alloc_pd(other);
	assert_non_null(pd);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
	assert_int_equal(ibv_close_device(other), 0);
	event_get_and_ack(IBV_EVENT_DEVICE_FATAL);
	fault_stop();
}

static void event_with_before_until_that_time_only(void **state)
{
	const struct timespec later = { .tv_nsec = 50000000 };
	struct ibv_pd *pd;

	fault_use("errno=ENOMEM @ call=alloc_pd,before=50ms");
	fixture.ctx = fixture_open();
	assert_null(ibv_alloc_pd(fixture.ctx));
	assert_int_equal(errno, ENOMEM);
	assert_int_equal(nanosleep(&later, NULL), 0);
	pd = ibv_alloc_pd(fixture.ctx);
	assert_non_null(pd);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
	assert_int_equal(ibv_close_device(fixture.ctx), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(port_err_reports_port_down_until_port_active),
		cmocka_unit_test(event_at_time_wakes_reader),
		cmocka_unit_test(qp_fatal_moves_qp_to_err_and_flushes),
		cmocka_unit_test(event_only_leaves_qp_in_state),
		cmocka_unit_test(
			qp_destroyed_with_unread_event_drops_the_event),
		cmocka_unit_test(qp_destroy_waits_for_acknowledgment),
		cmocka_unit_test(
			event_of_provider_is_read_after_those_of_rules),
		cmocka_unit_test(
			qps_destroyed_during_events_have_no_later_event),
		cmocka_unit_test(cq_err_moves_qps_of_queue_to_err),
		cmocka_unit_test(srq_limit_belongs_to_queue),
		cmocka_unit_test(
			device_fatal_makes_calls_fail_and_destroys_succeed),
		cmocka_unit_test(device_fatal_leaves_nothing_to_wait_for),
		cmocka_unit_test(
			device_fatal_leaves_contexts_of_the_same_device_alone),
		cmocka_unit_test(event_with_before_until_that_time_only),
	};

	return own_process_run_group_tests(tests);
}
