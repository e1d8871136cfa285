/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Commands of connections: bytes, responses, errors. */
#include "kernel/ucm_cmd.h"

#include "librdmacm/kernel/ucm_fake.h"

#include <errno.h>
#include <string.h>

static const uint8_t data[255] = { 1, 2, 3, [254] = 255 };

static const struct rdma_conn_param param = {
	.private_data = data,
	.private_data_len = 255,
	.responder_resources = 3,
	.initiator_depth = 4,
	.flow_control = 1,
	.retry_count = 5,
	.rnr_retry_count = 6,
	.srq = 1,
	.qp_num = 0x123456,
};

static const struct ibv_ece ece = { .vendor_id = 0x15b3, .options = 0x77 };

/* 272 bytes */
static void put_param(struct ucm_bytes *to, size_t offset)
{
	static const uint8_t numbers[] = { 255, 1, 3, 4, 1, 5, 6, 1 };

	ucm_put_u32(to, offset, 0x123456);
	ucm_put_u32(to, offset + 4, 0);
	ucm_put_bytes(to, offset + 8, data, sizeof(data));
	ucm_put_u8(to, offset + 8 + 255, 0);
	ucm_put_bytes(to, offset + 264, numbers, sizeof(numbers));
}

/* ------------------------------------------------------------------------
 * LISTEN and DISCONNECT
 */

static int run_listen(void)
{
	return ucm_cmd_listen(UCM_FAKE_FD, 42, 10);
}

static int run_disconnect(void)
{
	return ucm_cmd_disconnect(UCM_FAKE_FD, 42);
}

static void listen_sends_id_and_backlog(void **state)
{
	struct ucm_fake_command command = { .number = 7 };

	ucm_put_u32(&command.payload, 0, 42);
	ucm_put_u32(&command.payload, 4, 10);
	ucm_fake_expect(&command);
	assert_int_equal(run_listen(), 0);
	ucm_check_errors(&command, run_listen);
}

static void disconnect_sends_id_only(void **state)
{
	struct ucm_fake_command command = { .number = 10 };

	ucm_put_u32(&command.payload, 0, 42);
	ucm_fake_expect(&command);
	assert_int_equal(run_disconnect(), 0);
	ucm_check_errors(&command, run_disconnect);
}

/* ------------------------------------------------------------------------
 * CONNECT
 */

static struct ucm_fake_command connect_command(void)
{
	struct ucm_fake_command command = { .number = 6 };

	put_param(&command.payload, 0);
	ucm_put_u32(&command.payload, 272, 42);
	ucm_put_u32(&command.payload, 276, 0);
	ucm_put_u32(&command.payload, 280, 0x15b3);
	ucm_put_u32(&command.payload, 284, 0x77);
	return command;
}

static int run_connect(void)
{
	return ucm_cmd_connect(UCM_FAKE_FD, 42, &param, &ece);
}

static void connect_sends_parameters_and_ece(void **state)
{
	struct ucm_fake_command command = connect_command();

	ucm_fake_expect(&command);
	assert_int_equal(run_connect(), 0);
}

static void connect_without_ece_sends_zeros(void **state)
{
	struct ucm_fake_command command = connect_command();

	ucm_put_u64(&command.payload, 280, 0);
	ucm_fake_expect(&command);
	assert_int_equal(ucm_cmd_connect(UCM_FAKE_FD, 42, &param, NULL), 0);
}

static void connect_without_private_data_sends_zeros(void **state)
{
	struct ucm_fake_command command = connect_command();
	struct rdma_conn_param empty = param;

	empty.private_data_len = 0;
	memset(command.payload.bytes + 8, 0, 257);
	ucm_fake_expect(&command);
	assert_int_equal(ucm_cmd_connect(UCM_FAKE_FD, 42, &empty, &ece), 0);
}

static void connect_length_without_data_returns_einval(void **state)
{
	struct rdma_conn_param invalid = param;

	invalid.private_data = NULL;
	assert_int_equal(ucm_cmd_connect(UCM_FAKE_FD, 42, &invalid, &ece),
			 -EINVAL);
	assert_int_equal(ucm_cmd_accept(UCM_FAKE_FD, 42, 7, &invalid, &ece),
			 -EINVAL);
	assert_int_equal(ucm_cmd_reject(UCM_FAKE_FD, 42, NULL, 1, 0), -EINVAL);
}

static void connect_error_returns_errno(void **state)
{
	struct ucm_fake_command command = connect_command();

	ucm_check_errors(&command, run_connect);
}

/* ------------------------------------------------------------------------
 * ACCEPT
 */

static struct ucm_fake_command accept_command(void)
{
	struct ucm_fake_command command = { .number = 8 };

	ucm_put_u64(&command.payload, 0, 0x1122334455667788);
	put_param(&command.payload, 8);
	ucm_put_u32(&command.payload, 280, 42);
	ucm_put_u32(&command.payload, 284, 0);
	ucm_put_u32(&command.payload, 288, 0x15b3);
	ucm_put_u32(&command.payload, 292, 0x77);
	return command;
}

static int run_accept(void)
{
	return ucm_cmd_accept(UCM_FAKE_FD, 42, 0x1122334455667788, &param,
			      &ece);
}

static int run_confirm(void)
{
	return ucm_cmd_confirm(UCM_FAKE_FD, 42);
}

static void accept_sends_uid_parameters_and_ece(void **state)
{
	struct ucm_fake_command command = accept_command();

	ucm_fake_expect(&command);
	assert_int_equal(run_accept(), 0);
	ucm_check_errors(&command, run_accept);
}

static void confirm_sends_accept_without_parameters(void **state)
{
	struct ucm_fake_command command = { .number = 8 };

	ucm_put_u32(&command.payload, 280, 42);
	command.payload.len = 296;
	ucm_fake_expect(&command);
	assert_int_equal(run_confirm(), 0);
	ucm_check_errors(&command, run_confirm);
}

/* ------------------------------------------------------------------------
 * REJECT
 */

static struct ucm_fake_command reject_command(void)
{
	struct ucm_fake_command command = { .number = 9 };

	ucm_put_u32(&command.payload, 0, 42);
	ucm_put_u8(&command.payload, 4, 148);
	ucm_put_u8(&command.payload, 5, 35);
	ucm_put_u16(&command.payload, 6, 0);
	ucm_put_bytes(&command.payload, 8, data, 148);
	command.payload.len = 264;
	return command;
}

static int run_reject(void)
{
	return ucm_cmd_reject(UCM_FAKE_FD, 42, data, 148, 35);
}

static void reject_sends_reason_and_private_data(void **state)
{
	struct ucm_fake_command command = reject_command();

	ucm_fake_expect(&command);
	assert_int_equal(run_reject(), 0);
	ucm_check_errors(&command, run_reject);
}

static void reject_longest_private_data_is_inside_command(void **state)
{
	struct ucm_fake_command command = reject_command();

	ucm_put_u8(&command.payload, 4, 255);
	ucm_put_bytes(&command.payload, 8, data, 255);
	ucm_fake_expect(&command);
	assert_int_equal(ucm_cmd_reject(UCM_FAKE_FD, 42, data, 255, 35), 0);
}

/* ------------------------------------------------------------------------
 * INIT_QP_ATTR
 */

/* An address vector of 32 bytes, whose values begin at @first */
static void put_ah_attr(struct ucm_bytes *to, size_t offset, uint8_t first)
{
	for (uint8_t i = 0; i < 16; i++)
		ucm_put_u8(to, offset + i, (uint8_t)(first + i));
	ucm_put_u32(to, offset + 16, first * 1000U);
	ucm_put_u8(to, offset + 20, (uint8_t)(first + 20));
	ucm_put_u8(to, offset + 21, (uint8_t)(first + 21));
	ucm_put_u8(to, offset + 22, (uint8_t)(first + 22));
	ucm_put_u16(to, offset + 24, (uint16_t)(first * 100));
	for (uint8_t i = 26; i < 31; i++)
		ucm_put_u8(to, offset + i, (uint8_t)(first + i));
}

static void check_ah_attr(const struct ibv_ah_attr *attr, uint8_t first)
{
	for (uint8_t i = 0; i < 16; i++)
		assert_int_equal(attr->grh.dgid.raw[i], first + i);
	assert_int_equal(attr->grh.flow_label, first * 1000);
	assert_int_equal(attr->grh.sgid_index, first + 20);
	assert_int_equal(attr->grh.hop_limit, first + 21);
	assert_int_equal(attr->grh.traffic_class, first + 22);
	assert_int_equal(attr->dlid, first * 100);
	assert_int_equal(attr->sl, first + 26);
	assert_int_equal(attr->src_path_bits, first + 27);
	assert_int_equal(attr->static_rate, first + 28);
	assert_int_equal(attr->is_global, first + 29);
	assert_int_equal(attr->port_num, first + 30);
}

static struct ucm_fake_command qp_attr_command(void)
{
	struct ucm_fake_command command = { .number = 11,
					    .response_at = 0,
					    .response_len = 144 };

	ucm_put_u64(&command.payload, 0, 0);
	ucm_put_u32(&command.payload, 8, 42);
	ucm_put_u32(&command.payload, 12, 2);
	for (uint32_t i = 0; i < 10; i++)
		ucm_put_u32(&command.response, 4 * i, 100 + i);
	put_ah_attr(&command.response, 40, 50);
	put_ah_attr(&command.response, 72, 150);
	for (uint32_t i = 0; i < 5; i++)
		ucm_put_u32(&command.response, 104 + 4 * i, 200 + i);
	ucm_put_u16(&command.response, 124, 301);
	ucm_put_u16(&command.response, 126, 302);
	for (uint8_t i = 0; i < 11; i++)
		ucm_put_u8(&command.response, 128U + i, (uint8_t)(210 + i));
	command.response.len = 144;
	return command;
}

static int run_qp_attr(struct ibv_qp_attr *ret_attr, int *ret_mask)
{
	return ucm_cmd_init_qp_attr(UCM_FAKE_FD, 42, IBV_QPS_RTR, ret_attr,
				    ret_mask);
}

static void check_qp_attr_numbers(const struct ibv_qp_attr *attr)
{
	const uint8_t bytes[] = {
		attr->en_sqd_async_notify,
		attr->sq_draining,
		attr->max_rd_atomic,
		attr->max_dest_rd_atomic,
		attr->min_rnr_timer,
		attr->port_num,
		attr->timeout,
		attr->retry_cnt,
		attr->rnr_retry,
		attr->alt_port_num,
		attr->alt_timeout,
	};

	assert_int_equal(attr->cap.max_send_wr, 200);
	assert_int_equal(attr->cap.max_recv_wr, 201);
	assert_int_equal(attr->cap.max_send_sge, 202);
	assert_int_equal(attr->cap.max_recv_sge, 203);
	assert_int_equal(attr->cap.max_inline_data, 204);
	assert_int_equal(attr->pkey_index, 301);
	assert_int_equal(attr->alt_pkey_index, 302);
	for (size_t i = 0; i < sizeof(bytes); i++)
		assert_int_equal(bytes[i], 210 + i);
}

static void init_qp_attr_response_is_decoded(void **state)
{
	struct ucm_fake_command command = qp_attr_command();
	struct ibv_qp_attr attr = {};
	int mask = 0;

	ucm_fake_expect(&command);
	assert_int_equal(run_qp_attr(&attr, &mask), 0);
	assert_int_equal(mask, 100);
	assert_int_equal(attr.qp_state, IBV_QPS_RTR);
	assert_int_equal(attr.cur_qp_state, 102);
	assert_int_equal(attr.path_mtu, 103);
	assert_int_equal(attr.path_mig_state, 104);
	assert_int_equal(attr.qkey, 105);
	assert_int_equal(attr.rq_psn, 106);
	assert_int_equal(attr.sq_psn, 107);
	assert_int_equal(attr.dest_qp_num, 108);
	assert_int_equal(attr.qp_access_flags, 109);
	check_ah_attr(&attr.ah_attr, 50);
	check_ah_attr(&attr.alt_ah_attr, 150);
	check_qp_attr_numbers(&attr);
	assert_int_equal(attr.rate_limit, 0);
}

static int run_qp_attr_unchanged(void)
{
	const struct ibv_qp_attr before = { .qkey = 5 };
	struct ibv_qp_attr attr = before;
	int mask = 9;
	int ret = run_qp_attr(&attr, &mask);

	assert_memory_equal(&attr, &before, sizeof(attr));
	assert_int_equal(mask, 9);
	return ret;
}

static void init_qp_attr_without_response_returns_eproto(void **state)
{
	struct ucm_fake_command command = qp_attr_command();

	command.response.len = 0;
	ucm_fake_expect(&command);
	assert_int_equal(run_qp_attr_unchanged(), -EPROTO);
}

static void init_qp_attr_error_returns_errno(void **state)
{
	struct ucm_fake_command command = qp_attr_command();

	ucm_check_errors(&command, run_qp_attr_unchanged);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UCM_TEST(listen_sends_id_and_backlog),
		UCM_TEST(disconnect_sends_id_only),
		UCM_TEST(connect_sends_parameters_and_ece),
		UCM_TEST(connect_without_ece_sends_zeros),
		UCM_TEST(connect_without_private_data_sends_zeros),
		UCM_TEST(connect_length_without_data_returns_einval),
		UCM_TEST(connect_error_returns_errno),
		UCM_TEST(accept_sends_uid_parameters_and_ece),
		UCM_TEST(confirm_sends_accept_without_parameters),
		UCM_TEST(reject_sends_reason_and_private_data),
		UCM_TEST(reject_longest_private_data_is_inside_command),
		UCM_TEST(init_qp_attr_response_is_decoded),
		UCM_TEST(init_qp_attr_without_response_returns_eproto),
		UCM_TEST(init_qp_attr_error_returns_errno),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
