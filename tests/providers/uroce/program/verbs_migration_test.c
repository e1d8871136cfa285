/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Automatic path migration: two QPs with an IPv4 path, and an IPv6 path as the
 * alternate one. The network (UROCE_WIRE_FAULTS) loses packets of LOST bytes on
 * the IPv4 path, and packets of ALWAYS_LOST bytes on both.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <net/ethernet.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "verbs_export.h"
#include "verbs_fixture.h"

#define LOST	    1024
#define ALWAYS_LOST 600
#define SHORT	    16
#define ALT_TIMEOUT 11
#define LIMIT_MS    20000
#define IPV4_HEADER 20
#define ROCE_PORT   4791

enum family { V4, V6 };

static union ibv_gid gids[2];
static uint8_t gid_indexes[2];

static bool is_network(void)
{
	const char *local = getenv("UROCE_LOCAL");

	return local && strcmp(local, "none") == 0;
}

static void find_gids(void)
{
	static const char *const names[] = { "::ffff:127.0.0.1", "::1" };
	struct ibv_gid_entry entries[8];
	ssize_t nr = ibv_query_gid_table(fixture.ctx, entries, 8, 0);

	assert_true(nr > 0);
	for (int family = 0; family < 2; family++) {
		ssize_t i = 0;

		assert_int_equal(
			inet_pton(AF_INET6, names[family], gids[family].raw),
			1);
		while (i < nr &&
		       memcmp(&entries[i].gid, &gids[family], 16) != 0)
			i++;
		assert_true(i < nr);
		gid_indexes[family] = (uint8_t)entries[i].gid_index;
	}
}

static struct ibv_ah_attr address(enum family family)
{
	return (struct ibv_ah_attr){
		.is_global = 1,
		.port_num = 1,
		.grh = { .dgid = gids[family],
			 .sgid_index = gid_indexes[family] },
	};
}

static struct ibv_qp_attr alternate(enum family family)
{
	return (struct ibv_qp_attr){
		.alt_ah_attr = address(family),
		.alt_port_num = 1,
		.alt_timeout = ALT_TIMEOUT,
		.path_mig_state = IBV_MIG_REARM,
	};
}

/* @rtr_mask: more attributes of @rtr for INIT to RTR */
static void migration_to_rts(struct ibv_qp *qp, const struct ibv_qp *peer,
			     struct ibv_qp_attr rtr, int rtr_mask)
{
	const struct ibv_qp_attr rts = {
		.qp_state = IBV_QPS_RTS,
		.timeout = 10,
		.retry_cnt = 2,
		.rnr_retry = 7,
		.max_rd_atomic = 1,
	};
	int rts_mask = IBV_QP_STATE | IBV_QP_SQ_PSN;
	struct ibv_qp_attr attr = rts;

	rtr.qp_state = IBV_QPS_RTR;
	rtr.path_mtu = IBV_MTU_1024;
	rtr.dest_qp_num = peer->qp_num;
	rtr.max_dest_rd_atomic = 1;
	rtr.ah_attr = address(V4);
	rtr_mask |= IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
		    IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	if (qp->qp_type == IBV_QPT_RC) {
		rtr_mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
		rts_mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			    IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
	}
	assert_int_equal(ibv_modify_qp(qp, &rtr, rtr_mask), 0);
	assert_int_equal(ibv_modify_qp(qp, &attr, rts_mask), 0);
}

static void reconnect(int rtr_mask)
{
	const struct ibv_qp_attr rtr = alternate(V6);

	fixture_to_init(fixture.left);
	fixture_to_init(fixture.right);
	migration_to_rts(fixture.left, fixture.right, rtr, rtr_mask);
	migration_to_rts(fixture.right, fixture.left, rtr, rtr_mask);
}

static int migration_setup(void **state)
{
	(void)fixture_setup(state);
	find_gids();
	reconnect(0);
	return 0;
}

static struct ibv_qp_attr migration_query(struct ibv_qp *qp)
{
	const int mask = IBV_QP_AV | IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE;
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	assert_int_equal(ibv_query_qp(qp, &attr, mask, &init), 0);
	return attr;
}

static void expect_state(struct ibv_qp *qp, enum ibv_mig_state state)
{
	assert_int_equal(migration_query(qp).path_mig_state, state);
}

static void expect_path(struct ibv_qp *qp, enum family used)
{
	const struct ibv_qp_attr attr = migration_query(qp);

	assert_memory_equal(&attr.ah_attr.grh.dgid, &gids[used], 16);
	assert_memory_equal(&attr.alt_ah_attr.grh.dgid, &gids[!used], 16);
}

static int request_state(struct ibv_qp *qp, enum ibv_mig_state state)
{
	struct ibv_qp_attr attr = { .path_mig_state = state };

	return ibv_modify_qp(qp, &attr, IBV_QP_PATH_MIG_STATE);
}

static int load(struct ibv_qp *qp, struct ibv_qp_attr attr, int more)
{
	return ibv_modify_qp(qp, &attr, IBV_QP_ALT_PATH | more);
}

static void rearm_with(struct ibv_qp *qp, enum family family)
{
	assert_int_equal(load(qp, alternate(family), IBV_QP_PATH_MIG_STATE), 0);
}

static void rearm(struct ibv_qp *qp)
{
	rearm_with(qp, V6);
}

/* Returns the status of an RDMA request of @qp for @length bytes. */
static enum ibv_wc_status transfer(struct ibv_qp *qp, enum ibv_wr_opcode opcode,
				   uint32_t length)
{
	uint8_t *there = fixture.memory + FIXTURE_BYTES / 2;
	const uint8_t *from = fixture.memory, *to = there;
	struct ibv_send_wr wr = { .opcode = opcode };
	enum ibv_wc_status status;

	for (uint32_t i = 0; i < FIXTURE_BYTES; i++)
		fixture.memory[i] = (uint8_t)rand();
	wr.wr.rdma.remote_addr = (uintptr_t)there;
	wr.wr.rdma.rkey = fixture.mr->rkey;
	assert_int_equal(fixture_post(qp, wr, fixture.memory, length), 0);
	status = fixture_poll(fixture.cq).status;
	if (status == IBV_WC_SUCCESS)
		assert_memory_equal(from, to, length);
	return status;
}

static void write_short(struct ibv_qp *qp)
{
	assert_int_equal(transfer(qp, IBV_WR_RDMA_WRITE, SHORT),
			 IBV_WC_SUCCESS);
}

/* Both QPs send and receive a packet with their migration state. */
static void exchange(void)
{
	write_short(fixture.left);
	write_short(fixture.right);
}

static void arm_with(enum family family)
{
	rearm_with(fixture.left, family);
	rearm_with(fixture.right, family);
	exchange();
	expect_state(fixture.left, IBV_MIG_ARMED);
	expect_state(fixture.right, IBV_MIG_ARMED);
}

static void arm(void)
{
	arm_with(V6);
}

static void expect_event(enum ibv_event_type type, const struct ibv_qp *qp)
{
	struct pollfd fd = { .fd = fixture.ctx->async_fd, .events = POLLIN };
	struct ibv_async_event event;

	do {
		assert_int_equal(poll(&fd, 1, LIMIT_MS), 1);
		assert_int_equal(ibv_get_async_event(fixture.ctx, &event), 0);
		ibv_ack_async_event(&event);
	} while (event.event_type == IBV_EVENT_COMM_EST);
	assert_int_equal(event.event_type, type);
	assert_ptr_equal(event.element.qp, qp);
}

static void expect_no_event(void)
{
	struct pollfd fd = { .fd = fixture.ctx->async_fd, .events = POLLIN };

	assert_int_equal(poll(&fd, 1, 0), 0);
}

static void expect_migrated(struct ibv_qp *qp, enum family used)
{
	expect_event(IBV_EVENT_PATH_MIG, qp);
	expect_state(qp, IBV_MIG_MIGRATED);
	expect_path(qp, used);
}

/* -- attributes -- */

static void migration_is_announced(void **state)
{
	struct ibv_device_attr attr;

	assert_int_equal(ibv_query_device(fixture.ctx, &attr), 0);
	assert_true(attr.device_cap_flags & IBV_DEVICE_AUTO_PATH_MIG);
}

static void alternate_path_at_rtr_is_returned_by_query(void **state)
{
	struct ibv_qp_attr attr;

	reconnect(IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE);
	attr = migration_query(fixture.left);
	assert_int_equal(attr.path_mig_state, IBV_MIG_REARM);
	assert_int_equal(attr.alt_port_num, 1);
	assert_int_equal(attr.alt_pkey_index, 0);
	assert_int_equal(attr.alt_timeout, ALT_TIMEOUT);
	assert_int_equal(attr.alt_ah_attr.is_global, 1);
	assert_int_equal(attr.alt_ah_attr.grh.sgid_index, gid_indexes[V6]);
	expect_path(fixture.left, V4);
}

static void invalid_alternate_path_returns_einval(void **state)
{
	struct ibv_qp_attr attr = alternate(V6);

	attr.alt_port_num = 2;
	assert_int_equal(load(fixture.left, attr, 0), EINVAL);
	attr = alternate(V6);
	attr.alt_timeout = 32;
	assert_int_equal(load(fixture.left, attr, 0), EINVAL);
	attr = alternate(V6);
	attr.alt_pkey_index = 1;
	assert_int_equal(load(fixture.left, attr, 0), EINVAL);
	attr = alternate(V6);
	attr.alt_ah_attr.is_global = 0;
	assert_int_equal(load(fixture.left, attr, 0), EINVAL);
	attr = alternate(V6);
	attr.alt_ah_attr.grh.sgid_index = gid_indexes[V4];
	assert_int_equal(load(fixture.left, attr, 0), EINVAL);
	attr = alternate(V6);
	attr.path_mig_state = IBV_MIG_ARMED;
	assert_int_equal(load(fixture.left, attr, IBV_QP_PATH_MIG_STATE),
			 EINVAL);
	/* none of them was loaded */
	assert_int_equal(request_state(fixture.left, IBV_MIG_REARM), EINVAL);
	expect_state(fixture.left, IBV_MIG_MIGRATED);
	assert_int_equal(migration_query(fixture.left).alt_port_num, 0);
}

static void migration_without_arming_returns_einval(void **state)
{
	assert_int_equal(request_state(fixture.left, IBV_MIG_MIGRATED), 0);
	assert_int_equal(request_state(fixture.left, IBV_MIG_ARMED), EINVAL);
	rearm(fixture.left);
	assert_int_equal(request_state(fixture.left, IBV_MIG_MIGRATED), EINVAL);
	expect_state(fixture.left, IBV_MIG_REARM);
	expect_path(fixture.left, V4);
}

static void reset_discards_alternate_path(void **state)
{
	struct ibv_qp_attr reset = { .qp_state = IBV_QPS_RESET };

	arm();
	assert_int_equal(ibv_modify_qp(fixture.left, &reset, IBV_QP_STATE), 0);
	expect_state(fixture.left, IBV_MIG_MIGRATED);
	assert_int_equal(migration_query(fixture.left).alt_port_num, 0);
}

/* -- states -- */

static void qps_are_armed_once_both_have_rearmed(void **state)
{
	rearm(fixture.left);
	exchange();
	expect_state(fixture.left, IBV_MIG_REARM);
	rearm(fixture.right);
	exchange();
	expect_state(fixture.left, IBV_MIG_ARMED);
	expect_state(fixture.right, IBV_MIG_ARMED);
	expect_path(fixture.left, V4);
	expect_no_event();
}

static void qps_with_alternate_path_at_rtr_are_armed(void **state)
{
	reconnect(IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE);
	exchange();
	expect_state(fixture.left, IBV_MIG_ARMED);
	expect_state(fixture.right, IBV_MIG_ARMED);
}

static void post_receive(struct ibv_qp *qp)
{
	struct ibv_sge sge = { (uintptr_t)fixture.memory, LOST,
			       fixture.mr->lkey };
	struct ibv_recv_wr *bad, receive = { .sg_list = &sge, .num_sge = 1 };

	assert_int_equal(ibv_post_recv(qp, &receive, &bad), 0);
}

static void send_message(struct ibv_qp *from, struct ibv_qp *to,
			 uint32_t length)
{
	const struct ibv_send_wr send = { .opcode = IBV_WR_SEND };

	post_receive(to);
	assert_int_equal(fixture_post(from, send, fixture.memory, length), 0);
	/* of SEND and receive */
	assert_int_equal(fixture_poll(fixture.cq).status, IBV_WC_SUCCESS);
	assert_int_equal(fixture_poll(fixture.cq).status, IBV_WC_SUCCESS);
}

/* A message from the other QP may carry the ACK of the one before. */
static void messages_of_migrated_peer_do_not_arm(void **state)
{
	const struct ibv_send_wr send = { .opcode = IBV_WR_SEND };

	rearm(fixture.left);
	for (int i = 0; i < 20; i++) {
		int nr_receives = 0;

		post_receive(fixture.right);
		post_receive(fixture.left);
		assert_int_equal(
			fixture_post(fixture.left, send, fixture.memory, SHORT),
			0);
		for (int nr = 0; nr < 4; nr++) {
			struct ibv_wc wc = fixture_poll(fixture.cq);

			assert_int_equal(wc.status, IBV_WC_SUCCESS);
			if (wc.opcode == IBV_WC_RECV && !nr_receives++)
				assert_int_equal(
					fixture_post(fixture.right, send,
						     fixture.memory, SHORT),
					0);
		}
		expect_state(fixture.left, IBV_MIG_REARM);
	}
}

static void requested_migration_moves_both_ends(void **state)
{
	arm();
	fixture_migrate(fixture.left);
	expect_migrated(fixture.left, V6);
	assert_int_equal(migration_query(fixture.left).timeout, ALT_TIMEOUT);
	expect_state(fixture.right, IBV_MIG_ARMED);
	write_short(fixture.left);
	expect_migrated(fixture.right, V6);
	assert_int_equal(transfer(fixture.left, IBV_WR_RDMA_WRITE, 2 * LOST),
			 IBV_WC_SUCCESS);
	assert_int_equal(transfer(fixture.right, IBV_WR_RDMA_READ, 2 * LOST),
			 IBV_WC_SUCCESS);
}

static void second_migration_returns_to_first_path(void **state)
{
	for (int i = 0; i < 4; i++) {
		struct ibv_qp *from = i % 2 ? fixture.right : fixture.left;
		struct ibv_qp *to = i % 2 ? fixture.left : fixture.right;
		enum family used = i % 2 ? V4 : V6;

		if (i == 0) {
			arm();
		} else {
			assert_int_equal(request_state(from, IBV_MIG_REARM), 0);
			assert_int_equal(request_state(to, IBV_MIG_REARM), 0);
			exchange();
		}
		fixture_migrate(from);
		expect_migrated(from, used);
		write_short(from);
		expect_migrated(to, used);
	}
}

static void alternate_path_may_have_same_addresses(void **state)
{
	arm_with(V4);
	fixture_migrate(fixture.left);
	exchange();
	expect_event(IBV_EVENT_PATH_MIG, fixture.left);
	expect_event(IBV_EVENT_PATH_MIG, fixture.right);
	exchange();
}

static void uc_message_arrives_after_migration(void **state)
{
	struct ibv_qp *left = fixture_new_qp(IBV_QPT_UC);
	struct ibv_qp *right = fixture_new_qp(IBV_QPT_UC);
	const int mask = IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE;
	struct ibv_qp *const qps[] = { left, right };

	fixture_to_init(left);
	fixture_to_init(right);
	migration_to_rts(left, right, alternate(V6), mask);
	migration_to_rts(right, left, alternate(V6), mask);
	for (int i = 0; i < 4; i++) {
		uint32_t length = i < 2 ? SHORT : LOST;

		if (i == 2) {
			expect_state(left, IBV_MIG_ARMED);
			fixture_migrate(left);
			expect_migrated(left, V6);
		}
		send_message(qps[i % 2], qps[!(i % 2)], length);
		if (i == 2)
			expect_migrated(right, V6);
	}
	assert_int_equal(ibv_destroy_qp(left), 0);
	assert_int_equal(ibv_destroy_qp(right), 0);
}

/* Another process of the host could write without a packet, which is needed. */
static void migration_of_peer_process_is_followed(void **state)
{
	struct export_request request = {
		.what = EXPORT_REARM,
		.address = (uintptr_t)fixture.memory,
		.rkey = fixture.mr->rkey,
	};
	struct exporter exporter;

	exporter_start(&exporter, NULL);
	exporter_connect(&exporter, fixture.left);
	fixture_rearm(fixture.left);
	assert_int_equal(exporter_tell(&exporter, &request), 0);
	request.what = EXPORT_WRITE;
	assert_int_equal(exporter_tell(&exporter, &request), IBV_WC_SUCCESS);
	expect_state(fixture.left, IBV_MIG_ARMED);
	request.what = EXPORT_MIGRATE;
	assert_int_equal(exporter_tell(&exporter, &request), 0);
	request.what = EXPORT_WRITE;
	assert_int_equal(exporter_tell(&exporter, &request), IBV_WC_SUCCESS);
	expect_event(IBV_EVENT_PATH_MIG, fixture.left);
	expect_state(fixture.left, IBV_MIG_MIGRATED);
	(void)close(exporter.cmd_fd);
	exporter_stop(&exporter);
}

/* -- a path that loses packets -- */

static void lose_path_during(enum ibv_wr_opcode opcode)
{
	arm();
	assert_int_equal(transfer(fixture.left, opcode, 3 * LOST),
			 IBV_WC_SUCCESS);
	expect_migrated(fixture.left, V6);
	expect_migrated(fixture.right, V6);
}

static void write_on_lost_path_completes_on_alternate_path(void **state)
{
	lose_path_during(IBV_WR_RDMA_WRITE);
}

static void read_on_lost_path_completes_on_alternate_path(void **state)
{
	lose_path_during(IBV_WR_RDMA_READ);
}

static void write_without_arming_fails_on_lost_path(void **state)
{
	rearm(fixture.left);
	exchange();
	assert_int_equal(transfer(fixture.left, IBV_WR_RDMA_WRITE, LOST),
			 IBV_WC_RETRY_EXC_ERR);
	expect_no_event();
}

static void write_fails_if_both_paths_are_lost(void **state)
{
	arm();
	assert_int_equal(transfer(fixture.left, IBV_WR_RDMA_WRITE, ALWAYS_LOST),
			 IBV_WC_RETRY_EXC_ERR);
	expect_migrated(fixture.left, V6);
}

static void peer_that_is_not_armed_refuses_migration(void **state)
{
	arm();
	assert_int_equal(request_state(fixture.right, IBV_MIG_REARM), 0);
	fixture_migrate(fixture.left);
	expect_migrated(fixture.left, V6);
	assert_int_equal(transfer(fixture.left, IBV_WR_RDMA_WRITE, SHORT),
			 IBV_WC_RETRY_EXC_ERR);
	expect_event(IBV_EVENT_PATH_MIG_ERR, fixture.right);
	expect_state(fixture.right, IBV_MIG_REARM);
	expect_path(fixture.right, V4);
	/* one event, although the packet came several times */
	expect_no_event();
}

/* The UDP source port of all packets that @fd has received since last time. */
static uint16_t captured_port(int fd)
{
	uint8_t packet[64];
	uint16_t port = 0;
	ssize_t nr;

	while ((nr = recv(fd, packet, sizeof(packet), MSG_DONTWAIT)) > 0) {
		uint16_t ports[2]; /* source, destination */

		if (nr < IPV4_HEADER + 8 || packet[9] != IPPROTO_UDP)
			continue;
		memcpy(ports, packet + IPV4_HEADER, sizeof(ports));
		if (ntohs(ports[1]) != ROCE_PORT)
			continue;
		assert_true(!port || port == ports[0]);
		port = ports[0];
	}
	assert_int_not_equal(port, 0);
	return port;
}

static void alternate_path_has_second_source_port(void **state)
{
	int fd = socket(AF_PACKET, SOCK_DGRAM, htons(ETH_P_IP));
	uint16_t first, second;

	assert_true(fd >= 0);
	exchange();
	first = captured_port(fd);
	for (int i = 0; i < 4; i++) {
		arm_with(V4);
		(void)captured_port(fd);
		fixture_migrate(fixture.left);
		write_short(fixture.left);
		second = captured_port(fd);
		assert_int_not_equal(second, first);
		first = second;
	}
	(void)close(fd);
}

#define EACH(test) \
	cmocka_unit_test_setup_teardown(test, migration_setup, fixture_teardown)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		EACH(migration_is_announced),
		EACH(alternate_path_at_rtr_is_returned_by_query),
		EACH(invalid_alternate_path_returns_einval),
		EACH(migration_without_arming_returns_einval),
		EACH(reset_discards_alternate_path),
		EACH(qps_are_armed_once_both_have_rearmed),
		EACH(qps_with_alternate_path_at_rtr_are_armed),
		EACH(messages_of_migrated_peer_do_not_arm),
		EACH(requested_migration_moves_both_ends),
		EACH(second_migration_returns_to_first_path),
		EACH(alternate_path_may_have_same_addresses),
		EACH(uc_message_arrives_after_migration),
		EACH(migration_of_peer_process_is_followed),
	};
	const struct CMUnitTest network_tests[] = {
		EACH(write_on_lost_path_completes_on_alternate_path),
		EACH(read_on_lost_path_completes_on_alternate_path),
		EACH(write_without_arming_fails_on_lost_path),
		EACH(write_fails_if_both_paths_are_lost),
		EACH(peer_that_is_not_armed_refuses_migration),
		EACH(alternate_path_has_second_source_port),
	};
	int failed;

	if (argc > 1)
		return export_main(argv[1]);
	failed = cmocka_run_group_tests(tests, NULL, NULL);

	if (is_network())
		failed += cmocka_run_group_tests(network_tests, NULL, NULL);
	return failed;
}
