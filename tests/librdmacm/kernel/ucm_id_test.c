/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Commands of ids and of multicast groups: bytes, responses, errors. */
#include "kernel/ucm_cmd.h"

#include "librdmacm/kernel/ucm_fake.h"

#include <errno.h>
#include <infiniband/ib.h>
#include <string.h>

#define UNCHANGED 0x55555555

/* ------------------------------------------------------------------------
 * CREATE_ID
 */

static struct ucm_fake_command create_command(void)
{
	struct ucm_fake_command command = { .number = 0,
					    .response_at = 8,
					    .response_len = 4 };

	ucm_put_u64(&command.payload, 0, 0x1122334455667788);
	ucm_put_u64(&command.payload, 8, 0);
	ucm_put_u16(&command.payload, 16, 0x106);
	ucm_put_u8(&command.payload, 18, 2);
	ucm_put_bytes(&command.payload, 19, "\0\0\0\0\0", 5);
	ucm_put_u32(&command.response, 0, 42);
	return command;
}

static int run_create(uint32_t *ret_id)
{
	return ucm_cmd_create_id(UCM_FAKE_FD, 0x1122334455667788, RDMA_PS_TCP,
				 IBV_QPT_RC, ret_id);
}

static void create_id_sends_command_and_returns_id(void **state)
{
	struct ucm_fake_command command = create_command();
	uint32_t id = UNCHANGED;

	ucm_fake_expect(&command);
	assert_int_equal(run_create(&id), 0);
	assert_int_equal(id, 42);
}

static void create_id_response_zero_is_valid(void **state)
{
	struct ucm_fake_command command = create_command();
	uint32_t id = UNCHANGED;

	ucm_put_u32(&command.response, 0, 0);
	ucm_fake_expect(&command);
	assert_int_equal(run_create(&id), 0);
	assert_int_equal(id, 0);
}

static void create_id_without_response_returns_eproto(void **state)
{
	struct ucm_fake_command command = create_command();
	uint32_t id = UNCHANGED;

	command.response.len = 0;
	ucm_fake_expect(&command);
	assert_int_equal(run_create(&id), -EPROTO);
	assert_int_equal(id, UNCHANGED);
}

static int run_create_unchanged(void)
{
	uint32_t id = UNCHANGED;
	int ret = run_create(&id);

	assert_int_equal(id, UNCHANGED);
	return ret;
}

static void create_id_error_returns_errno(void **state)
{
	struct ucm_fake_command command = create_command();

	ucm_check_errors(&command, run_create_unchanged);
}

/* ------------------------------------------------------------------------
 * DESTROY_ID, MIGRATE_ID and LEAVE_MCAST: the response counts events.
 */

static struct ucm_fake_command count_command(uint32_t number, uint32_t id,
					     uint32_t second)
{
	struct ucm_fake_command command = { .number = number,
					    .response_at = 0,
					    .response_len = 4 };

	ucm_put_u64(&command.payload, 0, 0);
	ucm_put_u32(&command.payload, 8, id);
	ucm_put_u32(&command.payload, 12, second);
	ucm_put_u32(&command.response, 0, 3);
	return command;
}

static int run_destroy(uint32_t *ret_nr)
{
	return ucm_cmd_destroy_id(UCM_FAKE_FD, 42, ret_nr);
}

static int run_migrate(uint32_t *ret_nr)
{
	return ucm_cmd_migrate_id(UCM_FAKE_FD, 42, 5, ret_nr);
}

static int run_leave(uint32_t *ret_nr)
{
	return ucm_cmd_leave_mcast(UCM_FAKE_FD, 42, ret_nr);
}

static const struct count_case {
	uint32_t number, second;
	int (*run)(uint32_t *ret_nr);
} count_cases[] = {
	{ 1, 0, run_destroy },
	{ 18, 5, run_migrate },
	{ 17, 0, run_leave },
};
#define NR_COUNT_CASES (sizeof(count_cases) / sizeof(count_cases[0]))

static void count_command_returns_number_of_events(void **state)
{
	for (size_t i = 0; i < NR_COUNT_CASES; i++) {
		const struct count_case *c = &count_cases[i];
		struct ucm_fake_command command =
			count_command(c->number, 42, c->second);
		uint32_t nr = UNCHANGED;

		ucm_fake_expect(&command);
		assert_int_equal(c->run(&nr), 0);
		assert_int_equal(nr, 3);
	}
}

static void count_command_without_response_returns_eproto(void **state)
{
	for (size_t i = 0; i < NR_COUNT_CASES; i++) {
		const struct count_case *c = &count_cases[i];
		struct ucm_fake_command command =
			count_command(c->number, 42, c->second);
		uint32_t nr = UNCHANGED;

		command.response.len = 0;
		ucm_fake_expect(&command);
		assert_int_equal(c->run(&nr), -EPROTO);
		assert_int_equal(nr, UNCHANGED);
	}
}

static const struct count_case *failing_case;

static int run_count_unchanged(void)
{
	uint32_t nr = UNCHANGED;
	int ret = failing_case->run(&nr);

	assert_int_equal(nr, UNCHANGED);
	return ret;
}

static void count_command_error_returns_errno(void **state)
{
	for (size_t i = 0; i < NR_COUNT_CASES; i++) {
		struct ucm_fake_command command;

		failing_case = &count_cases[i];
		command = count_command(failing_case->number, 42,
					failing_case->second);
		ucm_check_errors(&command, run_count_unchanged);
	}
}

/* ------------------------------------------------------------------------
 * SET_OPTION and NOTIFY
 */

static const uint8_t tos_value = 9;

static struct ucm_fake_command option_command(void)
{
	struct ucm_fake_command command = { .number = 14 };

	ucm_put_u64(&command.payload, 0, (uintptr_t)&tos_value);
	ucm_put_u32(&command.payload, 8, 42);
	ucm_put_u32(&command.payload, 12, 1);
	ucm_put_u32(&command.payload, 16, 2);
	ucm_put_u32(&command.payload, 20, 1);
	return command;
}

static int run_option(void)
{
	return ucm_cmd_set_option(UCM_FAKE_FD, 42, 1, 2, &tos_value, 1);
}

static void set_option_sends_address_and_length(void **state)
{
	struct ucm_fake_command command = option_command();

	ucm_fake_expect(&command);
	assert_int_equal(run_option(), 0);
}

static void set_option_error_returns_errno(void **state)
{
	struct ucm_fake_command command = option_command();

	ucm_check_errors(&command, run_option);
}

static void set_option_length_above_32_bits_returns_einval(void **state)
{
#if SIZE_MAX > UINT32_MAX
	assert_int_equal(ucm_cmd_set_option(UCM_FAKE_FD, 42, 1, 2, &tos_value,
					    (size_t)UINT32_MAX + 1),
			 -EINVAL);
#else
	skip();
#endif
}

static struct ucm_fake_command notify_command(void)
{
	struct ucm_fake_command command = { .number = 15 };

	ucm_put_u32(&command.payload, 0, 42);
	ucm_put_u32(&command.payload, 4, 4);
	return command;
}

static int run_notify(void)
{
	return ucm_cmd_notify(UCM_FAKE_FD, 42, IBV_EVENT_COMM_EST);
}

static void notify_sends_id_and_event(void **state)
{
	struct ucm_fake_command command = notify_command();

	ucm_fake_expect(&command);
	assert_int_equal(run_notify(), 0);
}

static void notify_error_returns_errno(void **state)
{
	struct ucm_fake_command command = notify_command();

	ucm_check_errors(&command, run_notify);
}

/* ------------------------------------------------------------------------
 * JOIN_MCAST
 */

static const struct sockaddr_in group = {
	.sin_family = AF_INET,
	.sin_port = 0x3412,
	.sin_addr.s_addr = 0xef010203,
};

static struct ucm_fake_command join_command(void)
{
	struct ucm_fake_command command = { .number = 22,
					    .response_at = 0,
					    .response_len = 4 };

	ucm_put_u64(&command.payload, 0, 0);
	ucm_put_u64(&command.payload, 8, 0x99);
	ucm_put_u32(&command.payload, 16, 42);
	ucm_put_u16(&command.payload, 20, 16);
	ucm_put_u16(&command.payload, 22, 1);
	ucm_put_bytes(&command.payload, 24, &group, sizeof(group));
	command.payload.len = 152;
	ucm_put_u32(&command.response, 0, 6);
	return command;
}

static int run_join(uint32_t *ret_member)
{
	return ucm_cmd_join_mcast(
		UCM_FAKE_FD, 42, 0x99, (const struct sockaddr *)&group,
		RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER, ret_member);
}

static void join_mcast_sends_address_and_returns_member(void **state)
{
	struct ucm_fake_command command = join_command();
	uint32_t member = UNCHANGED;

	ucm_fake_expect(&command);
	assert_int_equal(run_join(&member), 0);
	assert_int_equal(member, 6);
}

static void join_mcast_without_response_returns_eproto(void **state)
{
	struct ucm_fake_command command = join_command();
	uint32_t member = UNCHANGED;

	command.response.len = 0;
	ucm_fake_expect(&command);
	assert_int_equal(run_join(&member), -EPROTO);
	assert_int_equal(member, UNCHANGED);
}

static void join_mcast_unknown_family_sends_nothing(void **state)
{
	const struct sockaddr addr = { .sa_family = AF_UNIX };
	uint32_t member = UNCHANGED;

	assert_int_equal(
		ucm_cmd_join_mcast(UCM_FAKE_FD, 42, 0x99, &addr, 0, &member),
		-EINVAL);
	assert_int_equal(member, UNCHANGED);
}

static int run_join_unchanged(void)
{
	uint32_t member = UNCHANGED;
	int ret = run_join(&member);

	assert_int_equal(member, UNCHANGED);
	return ret;
}

static void join_mcast_error_returns_errno(void **state)
{
	struct ucm_fake_command command = join_command();

	ucm_check_errors(&command, run_join_unchanged);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UCM_TEST(create_id_sends_command_and_returns_id),
		UCM_TEST(create_id_response_zero_is_valid),
		UCM_TEST(create_id_without_response_returns_eproto),
		UCM_TEST(create_id_error_returns_errno),
		UCM_TEST(count_command_returns_number_of_events),
		UCM_TEST(count_command_without_response_returns_eproto),
		UCM_TEST(count_command_error_returns_errno),
		UCM_TEST(set_option_sends_address_and_length),
		UCM_TEST(set_option_error_returns_errno),
		UCM_TEST(set_option_length_above_32_bits_returns_einval),
		UCM_TEST(notify_sends_id_and_event),
		UCM_TEST(notify_error_returns_errno),
		UCM_TEST(join_mcast_sends_address_and_returns_member),
		UCM_TEST(join_mcast_without_response_returns_eproto),
		UCM_TEST(join_mcast_unknown_family_sends_nothing),
		UCM_TEST(join_mcast_error_returns_errno),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
