/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Netlink responses and sysfs trees of real kernels, recorded in tests/data/.
 * The resulting records are formatted as text and compared with expected.txt
 * there.
 */
#include <endian.h>
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include <cmocka.h>

#include "discover/discover_sysfs.h"
#include "discover/netlink_parse.h"

static void data_path(const char *kernel, const char *file, char path[512])
{
	int len =
		snprintf(path, 512, "%s/%s/%s", VERBS_TEST_DATA, kernel, file);

	assert_in_range(len, 1, 511);
}

static size_t read_file(const char *kernel, const char *file, void *buf,
			size_t size)
{
	char path[512];
	FILE *stream;
	size_t len;

	data_path(kernel, file, path);
	stream = fopen(path, "rb");
	assert_non_null(stream);
	len = fread(buf, 1, size, stream);
	assert_int_equal(fclose(stream), 0);
	assert_in_range(len, 1, size - 1);
	return len;
}

static void write_guid(const struct verbs_kernel_device *device, char text[32])
{
	uint64_t guid = be64toh(device->node_guid);

	if (!device->has_node_guid) {
		strcpy(text, "unknown");
		return;
	}
	snprintf(text, 32, "%04x:%04x:%04x:%04x", (unsigned int)(guid >> 48),
		 (unsigned int)(guid >> 32) & 0xffff,
		 (unsigned int)(guid >> 16) & 0xffff,
		 (unsigned int)guid & 0xffff);
}

/* The line of expected.txt that begins with @source must equal the record. */
static void compare_record(const char *kernel, const char *source,
			   const struct verbs_kernel_device *device)
{
	char expected[2048], line[512], guid[32];
	size_t len =
		read_file(kernel, "expected.txt", expected, sizeof(expected));

	expected[len] = '\0';
	write_guid(device, guid);
	snprintf(line, sizeof(line),
		 "%s: %s %s %u:%u index %d driver %u abi %u ports %u guid %s "
		 "type %d\n",
		 source, device->ibdev_name, device->uverbs_name,
		 major(device->cdev), minor(device->cdev), device->ibdev_index,
		 device->driver_id, device->abi_version, device->nr_ports, guid,
		 device->node_type);
	if (!strstr(expected, line))
		fail_msg("%s: not expected: %s", kernel, line);
}

/* -- conversion of little-endian recordings on big-endian hosts -- */

static bool is_text(uint16_t type)
{
	switch (type) {
	case RDMA_NLDEV_ATTR_DEV_NAME:
	case RDMA_NLDEV_ATTR_FW_VERSION:
	case RDMA_NLDEV_ATTR_CHARDEV_NAME:
	case RDMA_NLDEV_ATTR_DEV_PROTOCOL:
		return true;
	default:
		return false;
	}
}

static void swap_16(uint16_t *value)
{
	*value = le16toh(*value);
}

static void swap_32(uint32_t *value)
{
	*value = le32toh(*value);
}

static void swap_attr(struct nlattr *attr)
{
	void *value = attr + 1;
	uint64_t wide;

	swap_16(&attr->nla_len);
	swap_16(&attr->nla_type);
	assert_in_range(attr->nla_len, sizeof(*attr), 512);
	if (is_text(attr->nla_type))
		return;
	switch (attr->nla_len - sizeof(*attr)) {
	case sizeof(uint16_t):
		swap_16(value);
		break;
	case sizeof(uint32_t):
		swap_32(value);
		break;
	case sizeof(uint64_t):
		memcpy(&wide, value, sizeof(wide));
		wide = le64toh(wide);
		memcpy(value, &wide, sizeof(wide));
		break;
	default: /* one byte, or big-endian bytes */
		break;
	}
}

/* Netlink numbers are in host byte order; the recordings are little-endian. */
static void to_host_order(char *bytes, size_t len)
{
	size_t at = 0;

	while (at < len) {
		struct nlmsghdr *header = (void *)(bytes + at);
		size_t end;

		swap_32(&header->nlmsg_len);
		swap_16(&header->nlmsg_type);
		swap_16(&header->nlmsg_flags);
		swap_32(&header->nlmsg_seq);
		swap_32(&header->nlmsg_pid);
		end = at + header->nlmsg_len;
		assert_in_range(end, at + sizeof(*header), len);
		at += sizeof(*header);
		if (header->nlmsg_type == NLMSG_DONE)
			swap_32((void *)(bytes + at)); /* error code */
		while (header->nlmsg_type != NLMSG_DONE && at < end) {
			struct nlattr *attr = (void *)(bytes + at);

			swap_attr(attr);
			at += NLA_ALIGN(attr->nla_len);
		}
		at = NLMSG_ALIGN(end);
	}
}

static int parse_file(struct verbs_netlink_scan *scan, const char *kernel,
		      const char *file)
{
	union {
		char bytes[1024]; /* size of a receive slot */
		uint32_t align;
	} datagram;
	size_t len =
		read_file(kernel, file, datagram.bytes, sizeof(datagram.bytes));

	to_host_order(datagram.bytes, len);
	return verbs_netlink_parse(scan, datagram.bytes, len);
}

static void check_netlink(const char *kernel)
{
	struct verbs_netlink_query query = { .state = VERBS_NETLINK_PENDING };
	struct verbs_netlink_scan scan = {
		.queries = &query,
		.nr_queries = 1,
		.nr_pending = 1,
		.first_number = VERBS_NETLINK_DUMP_NUMBER + 1,
	};
	struct verbs_kernel_device device;

	assert_int_equal(parse_file(&scan, kernel, "dump.bin"), 0);
	assert_false(scan.dump_done);
	assert_int_equal(parse_file(&scan, kernel, "end.bin"), 0);
	assert_true(scan.dump_done);
	assert_int_equal(parse_file(&scan, kernel, "chardev.bin"), 0);
	assert_int_equal(query.state, VERBS_NETLINK_DONE);

	assert_int_equal(scan.devices.count, 1);
	device = scan.devices.devices[0];
	memcpy(device.uverbs_name, query.name, sizeof(query.name));
	device.cdev = query.cdev;
	device.abi_version = query.abi_version;
	device.driver_id = query.driver_id;
	compare_record(kernel, "netlink", &device);
	verbs_device_records_free(&scan.devices);
}

static void check_sysfs(const char *kernel)
{
	struct verbs_device_records records = {};
	char path[512];

	data_path(kernel, "sys", path);
	assert_int_equal(verbs_discover_sysfs(path, &records), 0);
	assert_int_equal(records.count, 1);
	compare_record(kernel, "sysfs", &records.devices[0]);
	verbs_device_records_free(&records);
}

static void captured_netlink_of_linux_6_1_gives_expected_record(void **state)
{
	check_netlink("rxe-6.1");
}

static void captured_sysfs_of_linux_6_1_gives_expected_record(void **state)
{
	check_sysfs("rxe-6.1");
}

static void captured_netlink_of_linux_6_12_gives_expected_record(void **state)
{
	check_netlink("rxe-6.12");
}

static void captured_sysfs_of_linux_6_12_gives_expected_record(void **state)
{
	check_sysfs("rxe-6.12");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			captured_netlink_of_linux_6_1_gives_expected_record),
		cmocka_unit_test(
			captured_sysfs_of_linux_6_1_gives_expected_record),
		cmocka_unit_test(
			captured_netlink_of_linux_6_12_gives_expected_record),
		cmocka_unit_test(
			captured_sysfs_of_linux_6_12_gives_expected_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
