/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tests of uroce_gsi_route.c with functions that record their calls. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "uroce/gsi/uroce_gsi_route.h"

#define IFINDEX	   7
#define SERVICE_ID UINT64_C(0x1061b5a)

static struct {
	int specific, wildcard, id; /* results */
	struct uroce_gsi_interface interface;
	int nr_specific, nr_wildcard, nr_id;
} ways;

static struct uroce_gsi_mad mad, reply;

static int to_service(struct uroce_gsi_links *links, const uint8_t *gid,
		      unsigned int ifindex, uint64_t service_id,
		      const struct uroce_gsi_mad *of)
{
	assert_int_equal(service_id, SERVICE_ID);
	assert_ptr_equal(of, &mad);
	if (gid) {
		assert_ptr_equal(gid, mad.local_gid);
		ways.nr_specific++;
		return ways.specific;
	}
	assert_int_equal(ifindex, IFINDEX);
	ways.nr_wildcard++;
	return ways.wildcard;
}

static int to_id(struct uroce_gsi_links *links, uint32_t id,
		 const struct uroce_gsi_mad *of)
{
	assert_int_equal(id, 0xabcd0001);
	ways.nr_id++;
	return ways.id;
}

static struct uroce_gsi_interface find_interface(void *arg, const uint8_t *gid)
{
	assert_ptr_equal(gid, mad.local_gid);
	return ways.interface;
}

static enum uroce_gsi_outcome route(void)
{
	static const struct uroce_gsi_ways functions = {
		.to_service = to_service,
		.to_id = to_id,
		.find_interface = find_interface,
	};

	return uroce_gsi_route(&functions, &mad, &reply);
}

/* A MAD without owner at an address of this process. */
static void make_mad(uint8_t attribute)
{
	memset(&ways, 0, sizeof(ways));
	ways.specific = -ENOENT;
	ways.wildcard = -ENOENT;
	ways.id = -ENOENT;
	ways.interface = (struct uroce_gsi_interface){ IFINDEX, true };
	memset(&mad, 0, sizeof(mad));
	mad.local_gid[15] = 1;
	mad.remote_gid[15] = 2;
	mad.hop_limit = 3;
	memcpy(mad.bytes, "\x01\x07\x02\x03", 4);
	mad.bytes[17] = attribute;
	memcpy(mad.bytes + 24, "\x12\x34\x56\x78\xab\xcd\0\x01", 8);
	memcpy(mad.bytes + 32, "\0\0\0\0\x01\x06\x1b\x5a", 8);
}

static void route_prefers_owner_of_address(void **state)
{
	make_mad(0x10);
	ways.specific = 0;
	ways.wildcard = 0;
	assert_int_equal(route(), UROCE_GSI_FORWARDED);
	assert_int_equal(ways.nr_specific, 1);
	assert_int_equal(ways.nr_wildcard, 0);
}

static void route_without_owner_of_address_takes_wildcard(void **state)
{
	make_mad(0x17);
	ways.wildcard = 0;
	ways.interface.own = false;
	assert_int_equal(route(), UROCE_GSI_FORWARDED);
	assert_int_equal(ways.nr_specific, 1);
	assert_int_equal(ways.nr_wildcard, 1);
}

static void route_full_owner_loses_request(void **state)
{
	make_mad(0x10);
	ways.specific = -EAGAIN;
	ways.wildcard = 0;
	assert_int_equal(route(), UROCE_GSI_LOST);
	assert_int_equal(ways.nr_wildcard, 0);
}

static void route_of_message_takes_owner_of_id(void **state)
{
	make_mad(0x13);
	ways.id = 0;
	assert_int_equal(route(), UROCE_GSI_FORWARDED);
	assert_int_equal(ways.nr_id, 1);
	assert_int_equal(ways.nr_specific + ways.nr_wildcard, 0);
}

static void route_request_without_owner_is_rejected(void **state)
{
	make_mad(0x10);
	assert_int_equal(route(), UROCE_GSI_REPLY);
	assert_int_equal(reply.bytes[17], 0x12);
	assert_memory_equal(reply.local_gid, mad.local_gid, UROCE_GID_LEN);
	assert_memory_equal(reply.remote_gid, mad.remote_gid, UROCE_GID_LEN);
	assert_int_equal(reply.hop_limit, 0);
}

static void route_dreq_without_owner_gets_drep(void **state)
{
	make_mad(0x15);
	assert_int_equal(route(), UROCE_GSI_REPLY);
	assert_int_equal(reply.bytes[17], 0x16);
}

static void route_message_without_owner_is_dropped(void **state)
{
	make_mad(0x14);
	assert_int_equal(route(), UROCE_GSI_NO_OWNER);
}

static void route_at_foreign_address_sends_no_reply(void **state)
{
	make_mad(0x10);
	ways.interface.own = false;
	assert_int_equal(route(), UROCE_GSI_NO_OWNER);
	make_mad(0x10);
	ways.interface = (struct uroce_gsi_interface){};
	assert_int_equal(route(), UROCE_GSI_NO_OWNER);
	assert_int_equal(ways.nr_wildcard, 0);
}

static void route_of_unknown_class_asks_no_process(void **state)
{
	make_mad(0x10);
	mad.bytes[1] = 3;
	assert_int_equal(route(), UROCE_GSI_NO_OWNER);
	assert_int_equal(ways.nr_specific + ways.nr_id, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(route_prefers_owner_of_address),
		cmocka_unit_test(route_without_owner_of_address_takes_wildcard),
		cmocka_unit_test(route_full_owner_loses_request),
		cmocka_unit_test(route_of_message_takes_owner_of_id),
		cmocka_unit_test(route_request_without_owner_is_rejected),
		cmocka_unit_test(route_dreq_without_owner_gets_drep),
		cmocka_unit_test(route_message_without_owner_is_dropped),
		cmocka_unit_test(route_at_foreign_address_sends_no_reply),
		cmocka_unit_test(route_of_unknown_class_asks_no_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
