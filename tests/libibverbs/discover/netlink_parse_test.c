/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The parser of netlink responses: accepted and refused messages. Datagrams are
 * built as by the kernel, then modified.
 */
#include "discover/netlink_parse.h"

#include <endian.h>
#include <errno.h>
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include <cmocka.h>

#include "support/fake_netlink.h"

#define GET	    RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET)
#define GET_CHARDEV RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET_CHARDEV)
#define DUMP	    VERBS_NETLINK_DUMP_NUMBER
#define NR_QUERIES  3
#define FIRST	    10

/* Longest name plus 1 byte. */
#define DIGITS16  "0123456789abcdef"
#define LONG_NAME DIGITS16 DIGITS16 DIGITS16 DIGITS16

static struct fake_netlink_datagram datagram;
static struct verbs_netlink_query queries[NR_QUERIES];
static struct verbs_netlink_scan scan;

/* State: a dump is running, and three queries are pending. */
static int setup(void **state)
{
	fake_netlink_reset();
	memset(&datagram, 0, sizeof(datagram));
	memset(queries, 0, sizeof(queries));
	for (int i = 0; i < NR_QUERIES; i++)
		queries[i].state = VERBS_NETLINK_PENDING;
	scan = (struct verbs_netlink_scan){
		.queries = queries,
		.nr_queries = NR_QUERIES,
		.nr_pending = NR_QUERIES,
		.first_number = FIRST,
	};
	return 0;
}

static int teardown(void **state)
{
	verbs_device_records_free(&scan.devices);
	return 0;
}

/* Parses a buffer of exactly this size, for the address sanitizer. */
static int parse_bytes(size_t len)
{
	void *copy = malloc(len ? len : 1);
	int ret;

	assert_non_null(copy);
	memcpy(copy, datagram.bytes, len);
	ret = verbs_netlink_parse(&scan, copy, len);
	free(copy);
	return ret;
}

static int parse(void)
{
	return parse_bytes(datagram.len);
}

static struct nlmsghdr *first_msg(void)
{
	return (void *)datagram.bytes;
}

/* Finds an attribute by type in the first message. */
static struct nlattr *find_attr(uint16_t type)
{
	size_t pos = NLMSG_HDRLEN;

	while (pos < first_msg()->nlmsg_len) {
		struct nlattr *attr = (void *)(datagram.bytes + pos);

		if (attr->nla_type == type)
			return attr;
		pos += NLA_ALIGN(attr->nla_len);
	}
	fail_msg("no attribute %u", type);
	return NULL;
}

/* Hides an attribute by setting an unknown type. */
static void hide_attr(uint16_t type)
{
	find_attr(type)->nla_type = 4000;
}

static void netlink_parse_dump_fills_record(void **state)
{
	struct fake_netlink_device *device = fake_netlink_add(5);
	const struct verbs_kernel_device *record;

	device->node_type = RDMA_NODE_RNIC;
	device->nr_ports = 2;
	fake_netlink_put_device(&datagram, DUMP, device);
	assert_int_equal(parse(), 0);

	assert_int_equal(scan.devices.count, 1);
	record = &scan.devices.devices[0];
	assert_string_equal(record->ibdev_name, "rxe5");
	assert_string_equal(record->uverbs_name, "");
	assert_int_equal(record->ibdev_index, 5);
	assert_int_equal(record->nr_ports, 2);
	assert_true(record->has_node_guid);
	assert_true(record->node_guid == htobe64(0x0102030405060005));
	assert_int_equal(record->node_type, IBV_NODE_RNIC);
	assert_false(scan.dump_done);
}

static void netlink_parse_many_devices_per_datagram(void **state)
{
	for (unsigned int i = 0; i < 20; i++)
		fake_netlink_put_device(&datagram, DUMP, fake_netlink_add(i));
	assert_int_equal(parse(), 0);
	assert_int_equal(scan.devices.count, 20);
	for (int i = 0; i < 20; i++)
		assert_int_equal(scan.devices.devices[i].ibdev_index, i);
}

static void netlink_parse_done_with_code_0_ends_dump(void **state)
{
	const int code = 0;

	fake_netlink_put_done(&datagram, DUMP, &code);
	assert_int_equal(parse(), 0);
	assert_true(scan.dump_done);
}

static void netlink_parse_done_without_code_ends_dump(void **state)
{
	fake_netlink_put_done(&datagram, DUMP, NULL);
	assert_int_equal(parse(), 0);
	assert_true(scan.dump_done);
}

static void netlink_parse_done_with_error_returns_eio(void **state)
{
	const int code = -EMSGSIZE;

	fake_netlink_put_done(&datagram, DUMP, &code);
	assert_int_equal(parse(), -EIO);
	assert_false(scan.dump_done);
}

static void netlink_parse_second_done_is_refused(void **state)
{
	fake_netlink_put_done(&datagram, DUMP, NULL);
	fake_netlink_put_done(&datagram, DUMP, NULL);
	assert_int_equal(parse(), -EBADMSG);
}

static void netlink_parse_device_after_done_is_refused(void **state)
{
	fake_netlink_put_done(&datagram, DUMP, NULL);
	fake_netlink_put_device(&datagram, DUMP, fake_netlink_add(0));
	assert_int_equal(parse(), -EBADMSG);
}

static void netlink_parse_dump_error_returns_eio(void **state)
{
	const int refused[] = { -EPERM,	    -EINVAL, -EOPNOTSUPP, -ENOMEM,
				-ENOBUFS,   1,	     INT32_MIN,	  INT32_MAX,
				-ETIMEDOUT, -ENOSYS, -EBADMSG };

	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		datagram.len = 0;
		fake_netlink_put_error(&datagram, DUMP, refused[i]);
		assert_int_equal(parse(), -EIO);
	}
}

static void netlink_parse_temporary_dump_error_returns_estale(void **state)
{
	const int later[] = { -EAGAIN, -EINTR, -EBUSY };

	for (size_t i = 0; i < sizeof(later) / sizeof(*later); i++) {
		datagram.len = 0;
		fake_netlink_put_error(&datagram, DUMP, later[i]);
		assert_int_equal(parse(), -ESTALE);
	}
}

static void netlink_parse_ack_is_ignored(void **state)
{
	fake_netlink_put_error(&datagram, DUMP, 0);
	fake_netlink_put_error(&datagram, FIRST, 0);
	assert_int_equal(parse(), 0);
	assert_false(scan.dump_done);
	assert_int_equal(scan.nr_pending, NR_QUERIES);
}

static void netlink_parse_error_without_code_returns_ebadmsg(void **state)
{
	fake_netlink_put_msg(&datagram, NLMSG_ERROR, 0, DUMP);
	assert_int_equal(parse(), -EBADMSG);
}

static void netlink_parse_interrupted_dump_returns_estale(void **state)
{
	fake_netlink_put_device(&datagram, DUMP, fake_netlink_add(0));
	first_msg()->nlmsg_flags |= NLM_F_DUMP_INTR;
	assert_int_equal(parse(), -ESTALE);

	datagram.len = 0;
	fake_netlink_put_done(&datagram, DUMP, NULL);
	first_msg()->nlmsg_flags |= NLM_F_DUMP_INTR;
	assert_int_equal(parse(), -ESTALE);

	datagram.len = 0;
	fake_netlink_put_msg(&datagram, NLMSG_OVERRUN, 0, DUMP);
	assert_int_equal(parse(), -ESTALE);
}

static void netlink_parse_noop_is_ignored(void **state)
{
	fake_netlink_put_msg(&datagram, NLMSG_NOOP, 0, DUMP);
	fake_netlink_put_msg(&datagram, NLMSG_NOOP, 0, FIRST);
	assert_int_equal(parse(), 0);
	assert_int_equal(scan.nr_pending, NR_QUERIES);
}

static void netlink_parse_unknown_message_in_dump_is_refused(void **state)
{
	fake_netlink_put_msg(&datagram, GET_CHARDEV, 0, DUMP);
	assert_int_equal(parse(), -EBADMSG);
}

static void netlink_parse_device_without_mandatory_attr_is_refused(void **state)
{
	const uint16_t mandatory[] = {
		RDMA_NLDEV_ATTR_DEV_INDEX,     RDMA_NLDEV_ATTR_DEV_NAME,
		RDMA_NLDEV_ATTR_PORT_INDEX,    RDMA_NLDEV_ATTR_NODE_GUID,
		RDMA_NLDEV_ATTR_DEV_NODE_TYPE,
	};
	struct fake_netlink_device *device = fake_netlink_add(0);

	for (size_t i = 0; i < sizeof(mandatory) / sizeof(*mandatory); i++) {
		datagram.len = 0;
		fake_netlink_put_device(&datagram, DUMP, device);
		hide_attr(mandatory[i]);
		assert_int_equal(parse(), -EBADMSG);
		assert_int_equal(scan.devices.count, 0);
	}
}

static void netlink_parse_short_attr_is_refused(void **state)
{
	static const struct {
		uint16_t type, len;
	} attrs[] = {
		{ RDMA_NLDEV_ATTR_DEV_INDEX, 2 },
		{ RDMA_NLDEV_ATTR_PORT_INDEX, 3 },
		{ RDMA_NLDEV_ATTR_NODE_GUID, 7 },
		{ RDMA_NLDEV_ATTR_DEV_NODE_TYPE, 0 },
	};
	const struct fake_netlink_device *device = fake_netlink_add(0);

	for (size_t i = 0; i < sizeof(attrs) / sizeof(*attrs); i++) {
		datagram.len = 0;
		fake_netlink_put_device(&datagram, DUMP, device);
		find_attr(attrs[i].type)->nla_len =
			(uint16_t)(NLA_HDRLEN + attrs[i].len);
		assert_int_equal(parse(), -EBADMSG);
	}
}

static void netlink_parse_attr_past_message_end_is_refused(void **state)
{
	fake_netlink_put_device(&datagram, DUMP, fake_netlink_add(0));
	find_attr(RDMA_NLDEV_ATTR_DEV_NODE_TYPE)->nla_len = 60000;
	assert_int_equal(parse(), -EBADMSG);
}

static void netlink_parse_attr_shorter_than_header_is_refused(void **state)
{
	fake_netlink_put_device(&datagram, DUMP, fake_netlink_add(0));
	find_attr(RDMA_NLDEV_ATTR_DEV_NAME)->nla_len = 3;
	assert_int_equal(parse(), -EBADMSG);
}

static void netlink_parse_index_above_int_max_is_refused(void **state)
{
	struct fake_netlink_device *device = fake_netlink_add(0);

	device->index = INT32_MAX;
	fake_netlink_put_device(&datagram, DUMP, device);
	assert_int_equal(parse(), 0);
	datagram.len = 0;
	device->index = (uint32_t)INT32_MAX + 1;
	device->name = "other";
	fake_netlink_put_device(&datagram, DUMP, device);
	assert_int_equal(parse(), -EBADMSG);
}

static void netlink_parse_device_with_invalid_name_is_skipped(void **state)
{
	static const char *const names[] = {
		"", ".", "..", "a/b", "../../etc/passwd", LONG_NAME,
	};
	struct fake_netlink_device *device = fake_netlink_add(0);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		device->name = names[i];
		fake_netlink_put_device(&datagram, DUMP, device);
	}
	fake_netlink_put_device(&datagram, DUMP, fake_netlink_add(7));
	assert_int_equal(parse(), 0);
	assert_int_equal(scan.devices.count, 1);
	assert_int_equal(scan.devices.devices[0].ibdev_index, 7);
}

static void netlink_parse_device_with_unterminated_name_is_skipped(void **state)
{
	/* "rxe1234" fills eight bytes; the length leaves its NUL outside */
	fake_netlink_put_device(&datagram, DUMP, fake_netlink_add(1234));
	find_attr(RDMA_NLDEV_ATTR_DEV_NAME)->nla_len = NLA_HDRLEN + 7;
	assert_int_equal(parse(), 0);
	assert_int_equal(scan.devices.count, 0);
}

static void netlink_parse_device_with_empty_name_attr_is_skipped(void **state)
{
	struct fake_netlink_device *device = fake_netlink_add(0);

	device->name = NULL;
	fake_netlink_put_device(&datagram, DUMP, device);
	fake_netlink_put_attr(&datagram, RDMA_NLDEV_ATTR_DEV_NAME, "", 0);
	assert_int_equal(parse(), 0);
	assert_int_equal(scan.devices.count, 0);
}

static void netlink_parse_duplicate_index_returns_estale(void **state)
{
	struct fake_netlink_device *device = fake_netlink_add(0);

	fake_netlink_put_device(&datagram, DUMP, device);
	device->name = "renamed";
	fake_netlink_put_device(&datagram, DUMP, device);
	assert_int_equal(parse(), -ESTALE);
	assert_int_equal(scan.devices.count, 1);
}

static void netlink_parse_duplicate_name_returns_estale(void **state)
{
	struct fake_netlink_device *device = fake_netlink_add(0);

	fake_netlink_put_device(&datagram, DUMP, device);
	device->index = 9;
	fake_netlink_put_device(&datagram, DUMP, device);
	assert_int_equal(parse(), -ESTALE);
}

static void netlink_parse_excess_devices_are_refused(void **state)
{
	struct fake_netlink_device device = *fake_netlink_add(0);
	char name[16];
	int ret = 0;
	uint32_t i;

	device.name = name;
	for (i = 0; !ret && i <= VERBS_NETLINK_MAX_DEVICES; i++) {
		snprintf(name, sizeof(name), "d%u", i);
		device.index = i;
		datagram.len = 0;
		fake_netlink_put_device(&datagram, DUMP, &device);
		ret = parse();
	}
	assert_int_equal(ret, -EBADMSG);
	assert_int_equal(scan.devices.count, VERBS_NETLINK_MAX_DEVICES);
}

static void netlink_parse_response_fills_matching_query_only(void **state)
{
	struct fake_netlink_device *device = fake_netlink_add(3);

	device->chardev = 0xabc12def; /* mmmMMMmm */
	device->abi = 0x500000002;
	fake_netlink_put_chardev(&datagram, FIRST + 1, device);
	assert_int_equal(parse(), 0);

	assert_int_equal(queries[0].state, VERBS_NETLINK_PENDING);
	assert_int_equal(queries[1].state, VERBS_NETLINK_DONE);
	assert_int_equal(queries[2].state, VERBS_NETLINK_PENDING);
	assert_int_equal(scan.nr_pending, 2);
	assert_string_equal(queries[1].name, "uverbs3");
	assert_int_equal(major(queries[1].cdev), 0x12d);
	assert_int_equal(minor(queries[1].cdev), 0xabcef);
	assert_int_equal(queries[1].abi_version, 2);
	assert_int_equal(queries[1].driver_id, 14);
}

static void netlink_parse_missing_driver_id_is_0(void **state)
{
	struct fake_netlink_device *device = fake_netlink_add(3);

	device->no_driver_id = true;
	fake_netlink_put_chardev(&datagram, FIRST, device);
	queries[0].driver_id = 99;
	assert_int_equal(parse(), 0);
	assert_int_equal(queries[0].state, VERBS_NETLINK_DONE);
	assert_int_equal(queries[0].driver_id, 0);
}

static void netlink_parse_responses_in_any_order_are_accepted(void **state)
{
	fake_netlink_put_chardev(&datagram, FIRST + 2, fake_netlink_add(2));
	fake_netlink_put_device(&datagram, DUMP, fake_netlink_add(0));
	fake_netlink_put_error(&datagram, FIRST, -EINVAL);
	fake_netlink_put_done(&datagram, DUMP, NULL);
	fake_netlink_put_chardev(&datagram, FIRST + 1, fake_netlink_add(1));
	assert_int_equal(parse(), 0);
	assert_int_equal(queries[0].state, VERBS_NETLINK_FAILED);
	assert_string_equal(queries[1].name, "uverbs1");
	assert_string_equal(queries[2].name, "uverbs2");
	assert_int_equal(scan.nr_pending, 0);
	assert_true(scan.dump_done);
	assert_int_equal(scan.devices.count, 1);
}

static void netlink_parse_duplicate_response_is_ignored(void **state)
{
	fake_netlink_put_chardev(&datagram, FIRST, fake_netlink_add(1));
	fake_netlink_put_chardev(&datagram, FIRST, fake_netlink_add(2));
	fake_netlink_put_error(&datagram, FIRST, -EINVAL);
	assert_int_equal(parse(), 0);
	assert_string_equal(queries[0].name, "uverbs1");
	assert_int_equal(scan.nr_pending, 2);
}

static void netlink_parse_unsolicited_response_is_ignored(void **state)
{
	const struct fake_netlink_device *device = fake_netlink_add(1);

	queries[1].state = VERBS_NETLINK_UNSENT;
	fake_netlink_put_chardev(&datagram, 0, device);
	fake_netlink_put_chardev(&datagram, FIRST - 1, device);
	fake_netlink_put_chardev(&datagram, FIRST + 1, device);
	fake_netlink_put_chardev(&datagram, FIRST + NR_QUERIES, device);
	fake_netlink_put_chardev(&datagram, UINT32_MAX, device);
	assert_int_equal(parse(), 0);
	assert_int_equal(scan.nr_pending, NR_QUERIES);
	assert_int_equal(queries[1].state, VERBS_NETLINK_UNSENT);
}

static void netlink_parse_response_of_wrong_type_fails_query(void **state)
{
	fake_netlink_put_msg(&datagram, GET, 0, FIRST);
	fake_netlink_put_msg(&datagram, NLMSG_DONE, 0, FIRST + 1);
	fake_netlink_put_msg(&datagram, NLMSG_ERROR, 0, FIRST + 2);
	assert_int_equal(parse(), 0);
	for (int i = 0; i < NR_QUERIES; i++)
		assert_int_equal(queries[i].state, VERBS_NETLINK_FAILED);
	assert_int_equal(scan.nr_pending, 0);
}

static void
netlink_parse_response_without_mandatory_attr_fails_query(void **state)
{
	const uint16_t mandatory[NR_QUERIES] = {
		RDMA_NLDEV_ATTR_CHARDEV,
		RDMA_NLDEV_ATTR_CHARDEV_ABI,
		RDMA_NLDEV_ATTR_CHARDEV_NAME,
	};
	const struct fake_netlink_device *device = fake_netlink_add(0);

	for (uint32_t i = 0; i < NR_QUERIES; i++) {
		datagram.len = 0;
		fake_netlink_put_chardev(&datagram, FIRST + i, device);
		hide_attr(mandatory[i]);
		assert_int_equal(parse(), 0);
		assert_int_equal(queries[i].state, VERBS_NETLINK_FAILED);
	}
}

/* Adds a response whose numbers have the given lengths. */
static void put_response(uint32_t number, size_t chardev_len, size_t abi_len,
			 size_t driver_len)
{
	const char zeros[8] = {};

	fake_netlink_put_msg(&datagram, GET_CHARDEV, 0, number);
	fake_netlink_put_attr(&datagram, RDMA_NLDEV_ATTR_CHARDEV, zeros,
			      chardev_len);
	fake_netlink_put_attr(&datagram, RDMA_NLDEV_ATTR_CHARDEV_ABI, zeros,
			      abi_len);
	fake_netlink_put_attr(&datagram, RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID,
			      zeros, driver_len);
	fake_netlink_put_attr(&datagram, RDMA_NLDEV_ATTR_CHARDEV_NAME,
			      "uverbs0", sizeof("uverbs0"));
}

static void netlink_parse_response_with_short_number_fails_query(void **state)
{
	put_response(FIRST, 4, 8, 4);
	put_response(FIRST + 1, 8, 7, 4);
	put_response(FIRST + 2, 8, 8, 2);
	assert_int_equal(parse(), 0);
	for (int i = 0; i < NR_QUERIES; i++)
		assert_int_equal(queries[i].state, VERBS_NETLINK_FAILED);
}

static void netlink_parse_response_with_full_numbers_is_accepted(void **state)
{
	put_response(FIRST, 8, 8, 4);
	assert_int_equal(parse(), 0);
	assert_int_equal(queries[0].state, VERBS_NETLINK_DONE);
}

static void netlink_parse_response_with_invalid_name_fails_query(void **state)
{
	static const char *const names[] = { "../sda", "..", "" };
	struct fake_netlink_device *device = fake_netlink_add(0);

	for (uint32_t i = 0; i < NR_QUERIES; i++) {
		device->uverbs_name = names[i];
		fake_netlink_put_chardev(&datagram, FIRST + i, device);
	}
	assert_int_equal(parse(), 0);
	for (int i = 0; i < NR_QUERIES; i++)
		assert_int_equal(queries[i].state, VERBS_NETLINK_FAILED);
}

static void netlink_parse_response_with_invalid_dev_t_fails_query(void **state)
{
	uint64_t number = 1ull << 32;

	fake_netlink_put_chardev(&datagram, FIRST, fake_netlink_add(0));
	memcpy(find_attr(RDMA_NLDEV_ATTR_CHARDEV) + 1, &number, sizeof(number));
	assert_int_equal(parse(), 0);
	assert_int_equal(queries[0].state, VERBS_NETLINK_FAILED);
}

/* ------------------------------------------------------------------------ */
/* Response to the system query                                              */
/* ------------------------------------------------------------------------ */

static void netlink_parse_system_response_is_accepted(void **state)
{
	queries[1].of_system = true;
	fake_netlink.reports_copy_on_fork = true;
	fake_netlink.copy_on_fork = 1;
	fake_netlink_put_system(&datagram, FIRST + 1);
	assert_int_equal(parse(), 0);
	assert_int_equal(queries[1].state, VERBS_NETLINK_DONE);
	assert_true(queries[1].copy_on_fork);
	assert_int_equal(scan.nr_pending, NR_QUERIES - 1);
}

static void
netlink_parse_system_response_without_copy_on_fork_is_false(void **state)
{
	queries[1].of_system = true;
	fake_netlink_put_system(&datagram, FIRST + 1);
	assert_int_equal(parse(), 0);
	assert_int_equal(queries[1].state, VERBS_NETLINK_DONE);
	assert_false(queries[1].copy_on_fork);
}

static void netlink_parse_system_response_with_empty_attr_is_false(void **state)
{
	queries[1].of_system = true;
	fake_netlink_put_system(&datagram, FIRST + 1);
	fake_netlink_put_attr(&datagram, RDMA_NLDEV_SYS_ATTR_COPY_ON_FORK, "",
			      0);
	assert_int_equal(parse(), 0);
	assert_false(queries[1].copy_on_fork);
}

static void
netlink_parse_response_of_different_query_type_fails_query(void **state)
{
	queries[0].of_system = true;
	fake_netlink_put_chardev(&datagram, FIRST, fake_netlink_add(0));
	fake_netlink_put_system(&datagram, FIRST + 1);
	assert_int_equal(parse(), 0);
	assert_int_equal(queries[0].state, VERBS_NETLINK_FAILED);
	assert_int_equal(queries[1].state, VERBS_NETLINK_FAILED);
}

static void netlink_parse_message_length_must_fit_datagram(void **state)
{
	const uint32_t lengths[] = { 0, 1, 15, 0xffff, INT32_MAX, UINT32_MAX };
	const struct fake_netlink_device *device = fake_netlink_add(0);

	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		datagram.len = 0;
		fake_netlink_put_device(&datagram, DUMP, device);
		first_msg()->nlmsg_len = lengths[i];
		assert_int_equal(parse(), -EBADMSG);
	}
	assert_int_equal(scan.devices.count, 0);
}

static void netlink_parse_truncated_datagram_is_refused(void **state)
{
	size_t len;

	fake_netlink_put_device(&datagram, DUMP, fake_netlink_add(0));
	len = datagram.len;
	for (size_t i = 0; i < len; i++)
		assert_int_equal(parse_bytes(i), -EBADMSG);
	assert_int_equal(scan.devices.count, 0);
}

static void netlink_parse_bytes_after_last_message_are_refused(void **state)
{
	fake_netlink_put_device(&datagram, DUMP, fake_netlink_add(0));
	assert_int_equal(parse_bytes(datagram.len + 8), -EBADMSG);
}

static void netlink_parse_length_above_int_max_is_refused(void **state)
{
	assert_int_equal(verbs_netlink_parse(&scan, datagram.bytes,
					     (size_t)INT32_MAX + 1),
			 -EBADMSG);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(netlink_parse_dump_fills_record),
		TEST(netlink_parse_many_devices_per_datagram),
		TEST(netlink_parse_done_with_code_0_ends_dump),
		TEST(netlink_parse_done_without_code_ends_dump),
		TEST(netlink_parse_done_with_error_returns_eio),
		TEST(netlink_parse_second_done_is_refused),
		TEST(netlink_parse_device_after_done_is_refused),
		TEST(netlink_parse_dump_error_returns_eio),
		TEST(netlink_parse_temporary_dump_error_returns_estale),
		TEST(netlink_parse_ack_is_ignored),
		TEST(netlink_parse_error_without_code_returns_ebadmsg),
		TEST(netlink_parse_interrupted_dump_returns_estale),
		TEST(netlink_parse_noop_is_ignored),
		TEST(netlink_parse_unknown_message_in_dump_is_refused),
		TEST(netlink_parse_device_without_mandatory_attr_is_refused),
		TEST(netlink_parse_short_attr_is_refused),
		TEST(netlink_parse_attr_past_message_end_is_refused),
		TEST(netlink_parse_attr_shorter_than_header_is_refused),
		TEST(netlink_parse_index_above_int_max_is_refused),
		TEST(netlink_parse_device_with_invalid_name_is_skipped),
		TEST(netlink_parse_device_with_unterminated_name_is_skipped),
		TEST(netlink_parse_device_with_empty_name_attr_is_skipped),
		TEST(netlink_parse_duplicate_index_returns_estale),
		TEST(netlink_parse_duplicate_name_returns_estale),
		TEST(netlink_parse_excess_devices_are_refused),
		TEST(netlink_parse_response_fills_matching_query_only),
		TEST(netlink_parse_missing_driver_id_is_0),
		TEST(netlink_parse_responses_in_any_order_are_accepted),
		TEST(netlink_parse_duplicate_response_is_ignored),
		TEST(netlink_parse_unsolicited_response_is_ignored),
		TEST(netlink_parse_response_of_wrong_type_fails_query),
		TEST(netlink_parse_response_without_mandatory_attr_fails_query),
		TEST(netlink_parse_response_with_short_number_fails_query),
		TEST(netlink_parse_response_with_full_numbers_is_accepted),
		TEST(netlink_parse_response_with_invalid_name_fails_query),
		TEST(netlink_parse_response_with_invalid_dev_t_fails_query),
		TEST(netlink_parse_system_response_is_accepted),
		TEST(netlink_parse_system_response_without_copy_on_fork_is_false),
		TEST(netlink_parse_system_response_with_empty_attr_is_false),
		TEST(netlink_parse_response_of_different_query_type_fails_query),
		TEST(netlink_parse_message_length_must_fit_datagram),
		TEST(netlink_parse_truncated_datagram_is_refused),
		TEST(netlink_parse_bytes_after_last_message_are_refused),
		TEST(netlink_parse_length_above_int_max_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
