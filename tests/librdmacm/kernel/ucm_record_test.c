/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Queries of paths and services: bytes, responses, invalid counts, errors. */
#include "kernel/ucm_query.h"

#include "librdmacm/kernel/ucm_fake.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

static struct ucm_fake_command query_command(uint32_t option, size_t room)
{
	struct ucm_fake_command command = { .number = 19,
					    .response_at = 0,
					    .response_len = room };

	ucm_put_u64(&command.payload, 0, 0);
	ucm_put_u32(&command.payload, 8, 42);
	ucm_put_u32(&command.payload, 12, option);
	return command;
}

/* ------------------------------------------------------------------------
 * Paths
 */

#define PATH_ROOM   (8 + 6 * 72)
#define PATH_LEN    72
#define NR_OF_PATHS 5

/* Record @position of a response; its flow label has a bit above bit 19. */
static void put_path(struct ucm_bytes *to, size_t position)
{
	size_t at = 8 + position * PATH_LEN;
	const uint8_t record[64] = {
		[8] = 0xd1,  [23] = 0xd2, /* dgid */
		[24] = 0x51, [39] = 0x52, /* sgid */
		[40] = 1,    [41] = 2,	  /* dlid */
		[42] = 3,    [43] = 4,	  /* slid */
		[44] = 0x8a, [45] = 0xbc, [46] = 0xde, [47] = 64,
		[48] = 0x11,		  /* traffic class */
		[49] = 0x81,		  /* reversible, number of paths */
		[50] = 0xff, [51] = 0xff, /* P_Key */
		[52] = 0xff, [53] = 0xf3, /* QoS class, SL */
		[54] = 0x83, [55] = 0x42, [56] = 0xd2, [57] = 0x43,
	};

	ucm_put_u32(to, at, 0x2b);
	ucm_put_u32(to, at + 4, 0);
	ucm_put_bytes(to, at + 8, record, sizeof(record));
}

static struct ucm_fake_command path_command(uint32_t nr_claimed,
					    size_t nr_written)
{
	struct ucm_fake_command command = query_command(1, PATH_ROOM);

	ucm_put_u32(&command.response, 0, nr_claimed);
	ucm_put_u32(&command.response, 4, 0);
	for (size_t i = 0; i < nr_written; i++)
		put_path(&command.response, i);
	return command;
}

static void check_path(const struct ibv_sa_path_rec *path)
{
	assert_int_equal(path->dgid.raw[0], 0xd1);
	assert_int_equal(path->dgid.raw[15], 0xd2);
	assert_int_equal(path->sgid.raw[0], 0x51);
	assert_int_equal(path->sgid.raw[15], 0x52);
	assert_int_equal(path->dlid, htobe16(0x0102));
	assert_int_equal(path->slid, htobe16(0x0304));
	assert_int_equal(path->raw_traffic, 0);
	assert_int_equal(path->flow_label, htobe32(0xabcde));
	assert_int_equal(path->hop_limit, 64);
	assert_int_equal(path->traffic_class, 0x11);
	assert_int_equal(path->reversible, 1);
	assert_int_equal(path->numb_path, 1);
	assert_int_equal(path->pkey, htobe16(0xffff));
	assert_int_equal(path->sl, 3);
	assert_int_equal(path->mtu_selector, 2);
	assert_int_equal(path->mtu, 3);
	assert_int_equal(path->rate_selector, 1);
	assert_int_equal(path->rate, 2);
	assert_int_equal(path->packet_life_time_selector, 3);
	assert_int_equal(path->packet_life_time, 18);
	assert_int_equal(path->preference, 0x43);
}

static int query_paths(struct ibv_sa_path_rec paths[UCM_MAX_PATHS + 1])
{
	memset(paths, 0x55, sizeof(paths[0]) * (UCM_MAX_PATHS + 1));
	return ucm_cmd_query_path(UCM_FAKE_FD, 42, paths);
}

static void query_path_records_are_decoded(void **state)
{
	struct ucm_fake_command command = path_command(2, 2);
	struct ibv_sa_path_rec paths[UCM_MAX_PATHS + 1];

	ucm_fake_expect(&command);
	assert_int_equal(query_paths(paths), 2);
	check_path(&paths[0]);
	check_path(&paths[1]);
	assert_int_equal(paths[2].hop_limit, 0x55);
}

static void query_path_without_paths_returns_zero(void **state)
{
	struct ucm_fake_command command = path_command(0, 0);
	struct ibv_sa_path_rec paths[UCM_MAX_PATHS + 1];

	ucm_fake_expect(&command);
	assert_int_equal(query_paths(paths), 0);
}

/* The number of records does not exceed the room for records. */
static void query_path_large_count_is_limited(void **state)
{
	static const uint32_t counts[] = { 6, 7, 0x7fffffff, 0x80000000,
					   0xfffffffe };
	struct ibv_sa_path_rec paths[UCM_MAX_PATHS + 1];

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct ucm_fake_command command = path_command(counts[i], 6);

		(void)ucm_fake_setup(NULL);
		ucm_fake_expect(&command);
		assert_int_equal(query_paths(paths), NR_OF_PATHS);
		check_path(&paths[NR_OF_PATHS - 1]);
		assert_int_equal(paths[NR_OF_PATHS].hop_limit, 0x55);
	}
}

static void query_path_missing_records_are_not_counted(void **state)
{
	struct ucm_fake_command command = path_command(3, 1);
	struct ibv_sa_path_rec paths[UCM_MAX_PATHS + 1];

	ucm_fake_expect(&command);
	assert_int_equal(query_paths(paths), 1);
	check_path(&paths[0]);
	assert_int_equal(paths[1].hop_limit, 0x55);
}

static void query_path_without_response_returns_eproto(void **state)
{
	struct ucm_fake_command command = path_command(1, 1);
	struct ibv_sa_path_rec paths[UCM_MAX_PATHS + 1];

	command.response.len = 0;
	ucm_fake_expect(&command);
	assert_int_equal(query_paths(paths), -EPROTO);
}

static int run_paths(void)
{
	struct ibv_sa_path_rec paths[UCM_MAX_PATHS + 1];
	int ret = query_paths(paths);

	assert_int_equal(paths[0].hop_limit, 0x55);
	return ret;
}

static void query_path_error_returns_errno(void **state)
{
	struct ucm_fake_command command = path_command(1, 1);

	ucm_check_errors(&command, run_paths);
}

/* ------------------------------------------------------------------------
 * Services
 */

#define SERVICE_ROOM (8 + 16 * 176)

static void put_service(struct ucm_bytes *to, size_t position)
{
	const uint8_t record[176] = {
		[7] = 9,		  /* id */
		[8] = 0xd1,  [23] = 0xd2, /* gid */
		[24] = 0x80, [25] = 1,	  /* P_Key */
		[31] = 60,		  /* lease */
		[32] = 0x31, [47] = 0x32, /* key */
		[48] = 's',  [49] = 't',  /* name */
		[112] = 1,   [127] = 2,	  /* 8-bit data */
		[129] = 3,   [142] = 4,	  /* 16-bit data */
		[147] = 5,   [159] = 6,	  /* 32-bit data */
		[167] = 7,   [175] = 8,	  /* 64-bit data */
	};

	ucm_put_bytes(to, 8 + position * sizeof(record), record,
		      sizeof(record));
}

static struct ucm_fake_command service_command(uint32_t nr_claimed,
					       size_t nr_written)
{
	struct ucm_fake_command command = query_command(3, SERVICE_ROOM);

	ucm_put_u32(&command.response, 0, nr_claimed);
	ucm_put_u32(&command.response, 4, 0);
	for (size_t i = 0; i < nr_written; i++)
		put_service(&command.response, i);
	return command;
}

static void check_service(const struct ibv_sa_service_rec *service)
{
	assert_int_equal(service->id, 9);
	assert_int_equal(service->gid.raw[0], 0xd1);
	assert_int_equal(service->gid.raw[15], 0xd2);
	assert_int_equal(service->pkey, 0x8001);
	assert_int_equal(service->lease, 60);
	assert_int_equal(service->key[0], 0x31);
	assert_int_equal(service->key[15], 0x32);
	assert_string_equal((const char *)service->name, "st");
	assert_int_equal(service->data8[0], 1);
	assert_int_equal(service->data8[15], 2);
	assert_int_equal(service->data16[0], 3);
	assert_int_equal(service->data16[7], 0x400);
	assert_int_equal(service->data32[0], 5);
	assert_int_equal(service->data32[3], 6);
	assert_int_equal(service->data64[0], 7);
	assert_int_equal(service->data64[1], 8);
}

static int query_services(struct ibv_sa_service_rec rec[UCM_MAX_SERVICES + 1])
{
	memset(rec, 0x55, sizeof(rec[0]) * (UCM_MAX_SERVICES + 1));
	return ucm_cmd_query_service(UCM_FAKE_FD, 42, rec);
}

static void query_service_records_are_decoded(void **state)
{
	struct ucm_fake_command command = service_command(2, 2);
	struct ibv_sa_service_rec services[UCM_MAX_SERVICES + 1];

	ucm_fake_expect(&command);
	assert_int_equal(query_services(services), 2);
	check_service(&services[0]);
	check_service(&services[1]);
	assert_int_equal(services[2].lease, 0x55555555);
}

static void query_service_large_count_is_limited(void **state)
{
	struct ucm_fake_command command = service_command(0xfffffffe, 16);
	struct ibv_sa_service_rec services[UCM_MAX_SERVICES + 1];

	ucm_fake_expect(&command);
	assert_int_equal(query_services(services), UCM_MAX_SERVICES);
	check_service(&services[UCM_MAX_SERVICES - 1]);
	assert_int_equal(services[UCM_MAX_SERVICES].lease, 0x55555555);
}

static void query_service_without_response_returns_eproto(void **state)
{
	struct ucm_fake_command command = service_command(1, 1);
	struct ibv_sa_service_rec services[UCM_MAX_SERVICES + 1];

	command.response.len = 0;
	ucm_fake_expect(&command);
	assert_int_equal(query_services(services), -EPROTO);
}

static int run_services(void)
{
	struct ibv_sa_service_rec services[UCM_MAX_SERVICES + 1];
	int ret = query_services(services);

	assert_int_equal(services[0].lease, 0x55555555);
	return ret;
}

static void query_service_error_returns_errno(void **state)
{
	struct ucm_fake_command command = service_command(1, 1);

	ucm_check_errors(&command, run_services);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UCM_TEST(query_path_records_are_decoded),
		UCM_TEST(query_path_without_paths_returns_zero),
		UCM_TEST(query_path_large_count_is_limited),
		UCM_TEST(query_path_missing_records_are_not_counted),
		UCM_TEST(query_path_without_response_returns_eproto),
		UCM_TEST(query_path_error_returns_errno),
		UCM_TEST(query_service_records_are_decoded),
		UCM_TEST(query_service_large_count_is_limited),
		UCM_TEST(query_service_without_response_returns_eproto),
		UCM_TEST(query_service_error_returns_errno),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
