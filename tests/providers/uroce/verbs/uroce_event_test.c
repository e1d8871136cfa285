/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Completion channels and asynchronous events as applications read them:
 * verbs/uroce_event.c, and destroying objects with unread events.
 */
#include "providers/uroce/verbs/fake_worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static struct uroce_context *ctx;
static struct ibv_context *ibctx;
static struct ibv_pd *pd;
static struct ibv_comp_channel channel;
static struct ibv_cq *cq;
static struct ibv_qp *qp; /* connected to itself */
static struct ibv_mr *mr;
static uint8_t memory[4096];

static struct ibv_comp_channel new_channel(void)
{
	struct ibv_comp_channel made = { .context = ibctx, .fd = -1 };

	assert_int_equal(uroce_create_comp_channel(ibctx, &made.fd), 0);
	return made;
}

static int setup(void **state)
{
	ctx = fake_worker_context();
	ibctx = &ctx->vctx.context;
	pd = new_pd(ctx);
	mr = new_mr(pd, memory, sizeof(memory), IBV_ACCESS_LOCAL_WRITE);
	channel = new_channel();
	cq = new_cq(ctx, 4, &channel);
	qp = new_qp(pd, cq, IBV_QPT_RC, NULL);
	connect_qp(qp, qp);
	return 0;
}

static void take_apart(void)
{
	if (qp)
		assert_int_equal(uroce_destroy_qp(qp), 0);
	if (cq)
		assert_int_equal(uroce_destroy_cq(cq), 0);
	(void)close(channel.fd);
	assert_int_equal(
		uroce_dereg_mr(verbs_container_of(mr, struct verbs_mr, ibv_mr)),
		0);
	assert_int_equal(uroce_dealloc_pd(pd), 0);
}

static int teardown(void **state)
{
	take_apart();
	fake_worker_close(ctx);
	return 0;
}

static void post_recv(void)
{
	struct ibv_sge sge = { (uintptr_t)memory, 64, mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	assert_int_equal(uroce_post_recv(qp, &wr, &bad), 0);
}

/* Sends a message to the own QP: one completion, of the receive. */
static void send_message(unsigned int flags)
{
	struct ibv_sge sge = { (uintptr_t)memory + 1024, 8, mr->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = IBV_WR_SEND,
				  .send_flags = flags },
			   *bad;

	post_recv();
	assert_int_equal(uroce_post_send(qp, &wr, &bad), 0);
}

static bool is_readable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) == 1;
}

/* Reads like ibv_get_cq_event(). */
static struct ibv_cq *read_channel(int fd)
{
	uint64_t handle = 0;

	assert_true(is_readable(fd));
	assert_int_equal(read(fd, &handle, sizeof(handle)), sizeof(handle));
	return (struct ibv_cq *)(uintptr_t)handle;
}

struct async_event {
	uint64_t element;
	uint32_t type, reserved;
};

static struct async_event read_async(void)
{
	struct async_event event = {};

	assert_true(is_readable(ibctx->async_fd));
	assert_int_equal(read(ibctx->async_fd, &event, sizeof(event)),
			 sizeof(event));
	return event;
}

/* -- completion events -- */

static void uroce_armed_cq_raises_single_event(void **state)
{
	assert_int_equal(uroce_req_notify_cq(cq, 0), 0);
	assert_int_equal(fake_worker.nr_arms, 1);
	send_message(0);
	send_message(0);
	assert_ptr_equal(read_channel(channel.fd), cq);
	assert_false(is_readable(channel.fd));
	cq->comp_events_completed = 1;
}

static void uroce_unarmed_cq_raises_no_event(void **state)
{
	send_message(0);
	assert_false(is_readable(channel.fd));
}

static void uroce_solicited_arm_ignores_unsolicited_message(void **state)
{
	assert_int_equal(uroce_req_notify_cq(cq, 1), 0);
	send_message(0);
	assert_false(is_readable(channel.fd));
	send_message(IBV_SEND_SOLICITED);
	assert_ptr_equal(read_channel(channel.fd), cq);
	cq->comp_events_completed = 1;
}

static void uroce_create_cq_foreign_channel_returns_einval(void **state)
{
	struct ibv_comp_channel unknown = { .context = ibctx, .fd = 0 };
	struct ibv_cq_init_attr_ex attr = { .cqe = 1, .channel = &unknown };
	struct verbs_cq *vcq = NULL;

	assert_int_equal(uroce_create_cq(ibctx, &attr, false, &vcq), -EINVAL);
	assert_null(vcq);
}

static void uroce_event_descriptors_are_cloexec(void **state)
{
	assert_true(fcntl(channel.fd, F_GETFD) & FD_CLOEXEC);
	assert_true(fcntl(ibctx->async_fd, F_GETFD) & FD_CLOEXEC);
	assert_false(fcntl(channel.fd, F_GETFL) & O_NONBLOCK);
}

static void drain_cq(void)
{
	struct ibv_wc wc[4];

	(void)uroce_poll_cq(cq, 4, wc);
}

/* The record in the pipe would point to freed memory. */
static void uroce_destroy_cq_removes_unread_event(void **state)
{
	assert_int_equal(uroce_req_notify_cq(cq, 0), 0);
	send_message(0);
	assert_true(is_readable(channel.fd));
	assert_int_equal(uroce_destroy_qp(qp), 0);
	qp = NULL;
	assert_int_equal(uroce_destroy_cq(cq), 0);
	cq = NULL;
	assert_false(is_readable(channel.fd));
}

static void raise_on(struct ibv_cq *queue)
{
	struct uroce_cq *ring = &to_uroce_cq(queue)->cq;

	uroce_worker_lock(NULL);
	uroce_worker_callbacks.cq_event(ring, true, false);
	uroce_worker_unlock(NULL);
}

static void uroce_destroy_cq_keeps_order_of_remaining_events(void **state)
{
	struct ibv_cq *first = new_cq(ctx, 4, &channel);
	struct ibv_cq *second = new_cq(ctx, 4, &channel);
	struct ibv_cq *third = new_cq(ctx, 4, &channel);

	for (int i = 0; i < 700; i++) { /* more than a page of events */
		raise_on(first);
		raise_on(second);
	}
	raise_on(third);
	assert_int_equal(uroce_destroy_cq(second), 0);
	for (int i = 0; i < 700; i++)
		assert_ptr_equal(read_channel(channel.fd), first);
	assert_ptr_equal(read_channel(channel.fd), third);
	assert_false(is_readable(channel.fd));
	first->comp_events_completed = 700;
	third->comp_events_completed = 1;
	assert_int_equal(uroce_destroy_cq(first), 0);
	assert_int_equal(uroce_destroy_cq(third), 0);
}

static void *ack_one(void *arg)
{
	(void)pthread_mutex_lock(&cq->mutex);
	cq->comp_events_completed++;
	(void)pthread_cond_signal(&cq->cond);
	(void)pthread_mutex_unlock(&cq->mutex);
	return NULL;
}

/* The test hangs if the event that was read is counted twice. */
static void uroce_destroy_cq_waits_for_ack_of_read_event(void **state)
{
	pthread_t thread;

	raise_on(cq);
	raise_on(cq);
	assert_ptr_equal(read_channel(channel.fd), cq);
	assert_int_equal(uroce_destroy_qp(qp), 0);
	qp = NULL;
	assert_int_equal(pthread_create(&thread, NULL, ack_one, NULL), 0);
	assert_int_equal(uroce_destroy_cq(cq), 0);
	cq = NULL;
	assert_int_equal(pthread_join(thread, NULL), 0);
}

static void uroce_closed_channel_raises_no_sigpipe(void **state)
{
	assert_ptr_not_equal(signal(SIGPIPE, SIG_DFL), SIG_ERR);
	(void)close(channel.fd);
	raise_on(cq);
	channel = new_channel(); /* may have the same fd number */
}

static void uroce_closed_channels_are_freed(void **state)
{
	struct ibv_comp_channel made;
	struct list_node *pos;
	unsigned int nr = 0;

	for (int i = 0; i < 100; i++) {
		made = new_channel();
		assert_int_equal(uroce_destroy_cq(new_cq(ctx, 1, &made)), 0);
		(void)close(made.fd);
	}
	list_for_each (pos, &ctx->channels)
		nr++;
	assert_in_range(nr, 1, 2);
}

static void uroce_new_channel_replaces_closed_channel_of_same_fd(void **state)
{
	struct ibv_comp_channel old = new_channel(), new;
	int copy = dup(old.fd); /* so the close goes unnoticed */
	struct ibv_cq *queue;

	assert_true(copy >= 0);
	(void)close(old.fd);
	new = new_channel();
	assert_int_equal(new.fd, old.fd);
	queue = new_cq(ctx, 1, &new);
	raise_on(queue);
	assert_ptr_equal(read_channel(new.fd), queue);
	queue->comp_events_completed = 1;
	assert_int_equal(uroce_destroy_cq(queue), 0);
	(void)close(new.fd);
	(void)close(copy);
}

/* -- asynchronous events -- */

static void uroce_cq_overrun_raises_async_event(void **state)
{
	struct async_event event;

	for (int i = 0; i < 5; i++)
		send_message(0);
	event = read_async();
	assert_int_equal(event.type, IBV_EVENT_CQ_ERR);
	assert_int_equal(event.element, (uintptr_t)cq);
	cq->async_events_completed = 1;
	drain_cq();
}

static void uroce_srq_limit_and_last_wqe_raise_async_events(void **state)
{
	struct ibv_srq_init_attr_ex attr = {
		.attr = { .max_wr = 4, .max_sge = 1, .srq_limit = 1 },
		.comp_mask = IBV_SRQ_INIT_ATTR_PD,
		.pd = pd,
	};
	struct ibv_sge sge = { (uintptr_t)memory, 64, mr->lkey };
	struct ibv_recv_wr recv = { .sg_list = &sge, .num_sge = 1 }, *bad_recv;
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND }, *bad;
	struct ibv_qp_attr error = { .qp_state = IBV_QPS_ERR };
	struct verbs_srq *vsrq = NULL;
	struct async_event event;
	struct ibv_qp *shared;

	assert_int_equal(uroce_create_srq(ibctx, &attr, &vsrq), 0);
	shared = new_qp(pd, cq, IBV_QPT_RC, &vsrq->srq);
	connect_qp(shared, shared);
	assert_int_equal(uroce_post_srq_recv(&vsrq->srq, &recv, &bad_recv), 0);
	assert_int_equal(uroce_post_send(shared, &wr, &bad), 0);
	event = read_async();
	while (event.type == IBV_EVENT_COMM_EST) {
		shared->events_completed++;
		event = read_async();
	}
	assert_int_equal(event.type, IBV_EVENT_SRQ_LIMIT_REACHED);
	assert_int_equal(event.element, (uintptr_t)&vsrq->srq);
	vsrq->srq.events_completed++;

	assert_int_equal(uroce_modify_qp(shared, &error, IBV_QP_STATE), 0);
	event = read_async();
	assert_int_equal(event.type, IBV_EVENT_QP_LAST_WQE_REACHED);
	assert_int_equal(event.element, (uintptr_t)shared);
	shared->events_completed++;
	assert_int_equal(uroce_destroy_qp(shared), 0);
	assert_int_equal(uroce_destroy_srq(&vsrq->srq), 0);
	drain_cq();
}

static void uroce_destroy_qp_removes_unread_async_event(void **state)
{
	const uint32_t fatal = UINT32_C(1) << IBV_EVENT_QP_FATAL;

	uroce_worker_lock(NULL);
	uroce_worker_callbacks.qp_event(to_uroce_qp(qp)->qp,
					fatal | 1u << IBV_EVENT_COMM_EST);
	uroce_worker_callbacks.netdev_event(ctx, UROCE_NETDEV_DOWN);
	uroce_worker_unlock(NULL);
	assert_int_equal(uroce_destroy_qp(qp), 0);
	qp = NULL;
	assert_int_equal(read_async().type, IBV_EVENT_PORT_ERR);
	assert_false(is_readable(ibctx->async_fd));
}

static void uroce_interface_change_raises_port_event(void **state)
{
	struct async_event event;

	uroce_worker_lock(NULL);
	uroce_worker_callbacks.netdev_event(ctx, UROCE_NETDEV_UP);
	uroce_worker_callbacks.netdev_event(ctx, UROCE_NETDEV_GIDS);
	uroce_worker_unlock(NULL);
	event = read_async();
	assert_int_equal(event.type, IBV_EVENT_PORT_ACTIVE);
	assert_int_equal(event.element, 1);
	assert_int_equal(read_async().type, IBV_EVENT_GID_CHANGE);
}

/*
 * No thread reads the pipe: events that do not fit are dropped without
 * blocking.
 */
static void uroce_full_event_pipe_blocks_no_thread(void **state)
{
	uroce_worker_lock(NULL);
	for (int i = 0; i < 10000; i++)
		uroce_worker_callbacks.netdev_event(ctx, UROCE_NETDEV_UP);
	uroce_worker_unlock(NULL);
	assert_int_equal(read_async().type, IBV_EVENT_PORT_ACTIVE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(uroce_armed_cq_raises_single_event),
		TEST(uroce_unarmed_cq_raises_no_event),
		TEST(uroce_solicited_arm_ignores_unsolicited_message),
		TEST(uroce_create_cq_foreign_channel_returns_einval),
		TEST(uroce_event_descriptors_are_cloexec),
		TEST(uroce_destroy_cq_removes_unread_event),
		TEST(uroce_destroy_cq_keeps_order_of_remaining_events),
		TEST(uroce_destroy_cq_waits_for_ack_of_read_event),
		TEST(uroce_closed_channel_raises_no_sigpipe),
		TEST(uroce_closed_channels_are_freed),
		TEST(uroce_new_channel_replaces_closed_channel_of_same_fd),
		TEST(uroce_cq_overrun_raises_async_event),
		TEST(uroce_srq_limit_and_last_wqe_raise_async_events),
		TEST(uroce_destroy_qp_removes_unread_async_event),
		TEST(uroce_interface_change_raises_port_event),
		TEST(uroce_full_event_pipe_blocks_no_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
