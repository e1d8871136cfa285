/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Events: bytes, responses of old and new kernels, private data, errors. */
#include "kernel/ucm_event.h"

#include "librdmacm/kernel/ucm_fake.h"

#include <errno.h>
#include <string.h>

#define EVENT_LEN     336
#define OLD_EVENT_LEN 328 /* of kernels without ECE */
#define PARAM_AT      20

static struct ucm_fake_command event_command(uint32_t event)
{
	struct ucm_fake_command command = { .number = 12,
					    .response_at = 0,
					    .response_len = EVENT_LEN };

	ucm_put_u64(&command.payload, 0, 0);
	ucm_put_u64(&command.response, 0, 0x1122334455667788);
	ucm_put_u32(&command.response, 8, 42);
	ucm_put_u32(&command.response, 12, event);
	ucm_put_u32(&command.response, 16, (uint32_t)-110);
	ucm_put_u32(&command.response, 328, 0x15b3);
	ucm_put_u32(&command.response, 332, 0x77);
	return command;
}

static void put_conn(struct ucm_bytes *to, uint8_t private_data_len)
{
	const uint8_t numbers[] = { private_data_len, 1, 3, 4, 1, 5, 6, 0 };

	ucm_put_u32(to, PARAM_AT, 0x123456);
	memset(to->bytes + PARAM_AT + 8, 0xab, 256);
	ucm_put_bytes(to, PARAM_AT + 264, numbers, sizeof(numbers));
}

static void put_ud(struct ucm_bytes *to, uint8_t private_data_len)
{
	size_t ah = PARAM_AT + 8;

	ucm_put_u32(to, PARAM_AT, 0xffffff);
	ucm_put_u32(to, PARAM_AT + 4, 0x01234567);
	ucm_put_u8(to, ah, 0xd1);
	ucm_put_u8(to, ah + 15, 0xd2);
	ucm_put_u32(to, ah + 16, 0xabcde);
	ucm_put_u8(to, ah + 20, 3);
	ucm_put_u8(to, ah + 21, 64);
	ucm_put_u8(to, ah + 29, 1);
	ucm_put_u8(to, ah + 30, 2);
	memset(to->bytes + PARAM_AT + 40, 0xcd, 256);
	ucm_put_u8(to, PARAM_AT + 296, private_data_len);
}

/* Whether the private data is inside of the event, and all bytes are @byte */
static void check_private_data(const struct ucm_event *event, const void *data,
			       size_t len, uint8_t byte)
{
	const uint8_t *first = data;

	assert_true(first >= (const uint8_t *)event);
	assert_true(first + len <= (const uint8_t *)(event + 1));
	for (size_t i = 0; i < len; i++)
		assert_int_equal(first[i], byte);
}

static struct ucm_event get_event(const struct ucm_fake_command *command)
{
	struct ucm_event event;

	ucm_fake_expect(command);
	assert_int_equal(ucm_cmd_get_event(UCM_FAKE_FD, &event), 0);
	return event;
}

static void get_event_response_is_decoded(void **state)
{
	struct ucm_fake_command command =
		event_command(RDMA_CM_EVENT_UNREACHABLE);
	struct ucm_event event = get_event(&command);

	assert_true(event.uid == 0x1122334455667788);
	assert_int_equal(event.id, 42);
	assert_int_equal(event.event, RDMA_CM_EVENT_UNREACHABLE);
	assert_int_equal(event.status, -110);
	assert_int_equal(event.ece.vendor_id, 0x15b3);
	assert_int_equal(event.ece.options, 0x77);
	assert_int_equal(event.ece.comp_mask, 0);
}

static void get_event_old_kernel_has_no_ece(void **state)
{
	struct ucm_fake_command command =
		event_command(RDMA_CM_EVENT_CONNECT_REQUEST);
	struct ucm_event event;

	command.response.len = OLD_EVENT_LEN;
	event = get_event(&command);
	assert_int_equal(event.event, RDMA_CM_EVENT_CONNECT_REQUEST);
	assert_int_equal(event.ece.vendor_id, 0);
	assert_int_equal(event.ece.options, 0);
}

static void get_event_unknown_number_is_returned(void **state)
{
	struct ucm_fake_command command = event_command(1000);
	struct ucm_event event = get_event(&command);

	assert_int_equal(event.event, 1000);
}

static void event_conn_parameters_are_decoded(void **state)
{
	struct ucm_fake_command command =
		event_command(RDMA_CM_EVENT_CONNECT_RESPONSE);
	struct rdma_conn_param param;
	struct ucm_event event;

	put_conn(&command.response, 196);
	event = get_event(&command);
	param = ucm_event_conn(&event);
	assert_int_equal(param.qp_num, 0x123456);
	assert_int_equal(param.srq, 1);
	assert_int_equal(param.responder_resources, 3);
	assert_int_equal(param.initiator_depth, 4);
	assert_int_equal(param.flow_control, 1);
	assert_int_equal(param.retry_count, 5);
	assert_int_equal(param.rnr_retry_count, 6);
	assert_int_equal(param.private_data_len, 196);
	check_private_data(&event, param.private_data, 196, 0xab);
}

static void event_ud_parameters_are_decoded(void **state)
{
	struct ucm_fake_command command =
		event_command(RDMA_CM_EVENT_MULTICAST_JOIN);
	struct rdma_ud_param param;
	struct ucm_event event;

	put_ud(&command.response, 136);
	event = get_event(&command);
	param = ucm_event_ud(&event);
	assert_int_equal(param.qp_num, 0xffffff);
	assert_int_equal(param.qkey, 0x01234567);
	assert_int_equal(param.ah_attr.grh.dgid.raw[0], 0xd1);
	assert_int_equal(param.ah_attr.grh.dgid.raw[15], 0xd2);
	assert_int_equal(param.ah_attr.grh.flow_label, 0xabcde);
	assert_int_equal(param.ah_attr.grh.sgid_index, 3);
	assert_int_equal(param.ah_attr.grh.hop_limit, 64);
	assert_int_equal(param.ah_attr.is_global, 1);
	assert_int_equal(param.ah_attr.port_num, 2);
	assert_int_equal(param.private_data_len, 136);
	check_private_data(&event, param.private_data, 136, 0xcd);
}

static void event_longest_private_data_is_inside_event(void **state)
{
	struct ucm_fake_command command =
		event_command(RDMA_CM_EVENT_CONNECT_REQUEST);
	struct rdma_conn_param conn;
	struct rdma_ud_param ud;
	struct ucm_event event;

	put_conn(&command.response, 255);
	event = get_event(&command);
	conn = ucm_event_conn(&event);
	assert_int_equal(conn.private_data_len, 255);
	check_private_data(&event, conn.private_data, 255, 0xab);
	put_ud(&command.response, 255);
	event = get_event(&command);
	ud = ucm_event_ud(&event);
	assert_int_equal(ud.private_data_len, 255);
	check_private_data(&event, ud.private_data, 255, 0xcd);
}

static void event_without_private_data_has_no_pointer(void **state)
{
	struct ucm_fake_command command =
		event_command(RDMA_CM_EVENT_ESTABLISHED);
	struct ucm_event event = get_event(&command);

	assert_null(ucm_event_conn(&event).private_data);
	assert_null(ucm_event_ud(&event).private_data);
	assert_int_equal(ucm_event_conn(&event).private_data_len, 0);
}

static void event_arg_of_user_event_is_returned(void **state)
{
	struct ucm_fake_command command = event_command(RDMA_CM_EVENT_USER);
	const uint64_t arg = 0x8877665544332211;
	struct ucm_event event;

	ucm_put_bytes(&command.response, PARAM_AT, &arg, sizeof(arg));
	event = get_event(&command);
	assert_true(ucm_event_arg(&event) == arg);
}

static int run_get_event(void)
{
	struct ucm_event event = { .uid = 5 };
	int ret = ucm_cmd_get_event(UCM_FAKE_FD, &event);

	assert_int_equal(event.uid, 5);
	return ret;
}

static void get_event_without_response_returns_eproto(void **state)
{
	struct ucm_fake_command command = event_command(0);

	command.response.len = 0;
	ucm_fake_expect(&command);
	assert_int_equal(run_get_event(), -EPROTO);
}

static void get_event_empty_queue_returns_eagain(void **state)
{
	struct ucm_fake_command command = event_command(0);

	command.err = EAGAIN;
	ucm_fake_expect(&command);
	assert_int_equal(run_get_event(), -EAGAIN);
}

static void get_event_error_returns_errno(void **state)
{
	struct ucm_fake_command command = event_command(0);

	ucm_check_errors(&command, run_get_event);
}

static int run_write_event(void)
{
	return ucm_cmd_write_event(UCM_FAKE_FD, 42, RDMA_CM_EVENT_USER, -5,
				   0x1122334455667788);
}

static void write_event_sends_status_and_argument(void **state)
{
	struct ucm_fake_command command = { .number = 24 };

	ucm_put_u32(&command.payload, 0, 42);
	ucm_put_u32(&command.payload, 4, 0);
	ucm_put_u32(&command.payload, 8, 18);
	ucm_put_u32(&command.payload, 12, (uint32_t)-5);
	ucm_put_u64(&command.payload, 16, 0x1122334455667788);
	command.payload.len = 320;
	ucm_fake_expect(&command);
	assert_int_equal(run_write_event(), 0);
	ucm_check_errors(&command, run_write_event);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UCM_TEST(get_event_response_is_decoded),
		UCM_TEST(get_event_old_kernel_has_no_ece),
		UCM_TEST(get_event_unknown_number_is_returned),
		UCM_TEST(event_conn_parameters_are_decoded),
		UCM_TEST(event_ud_parameters_are_decoded),
		UCM_TEST(event_longest_private_data_is_inside_event),
		UCM_TEST(event_without_private_data_has_no_pointer),
		UCM_TEST(event_arg_of_user_event_is_returned),
		UCM_TEST(get_event_without_response_returns_eproto),
		UCM_TEST(get_event_empty_queue_returns_eagain),
		UCM_TEST(get_event_error_returns_errno),
		UCM_TEST(write_event_sends_status_and_argument),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
