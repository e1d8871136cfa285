/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Service ids and the IP header, with the values in captured requests. */
#include "cm/cm_service.h"
#include "librdmacm/cm/sample_mads.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define PS_TCP 0x106
#define PS_UDP 0x111

static const uint8_t client[16] = { [12] = 10, 8, 0, 1 };
static const uint8_t server[16] = { [12] = 10, 8, 0, 2 };

/* The private data of a captured request, which begins with the header. */
static const uint8_t *sample_header(const char *name, size_t offset)
{
	return sample_mads_find(name)->bytes + 24 + offset;
}

static void service_id_of_port_equals_captured_id(void **state)
{
	struct cm_mad mad;

	assert_int_equal(cm_mad_decode(sample_mads_find("req_with_a_qp")->bytes,
				       CM_MAD_LEN, &mad),
			 0);
	assert_int_equal(mad.req.service_id, cm_service_id(PS_TCP, 7002));
	assert_int_equal(
		cm_mad_decode(
			sample_mads_find("sidr_req_port_7004_180_bytes_of_0x5a")
				->bytes,
			CM_MAD_LEN, &mad),
		0);
	assert_int_equal(mad.sidr_req.service_id, cm_service_id(PS_UDP, 7004));
}

static void ip_header_captured_has_addresses_of_hosts(void **state)
{
	const uint8_t *bytes =
		sample_header("sidr_req_port_7004_180_bytes_of_0x5a", 16);
	uint8_t again[CM_IP_HEADER_LEN];
	struct cm_ip_header header;

	assert_int_equal(cm_ip_header_decode(bytes, &header), 0);
	assert_int_equal(header.ip_version, 4);
	assert_int_equal(header.src_port, 0x848b);
	assert_memory_equal(header.src_addr, client, 16);
	assert_memory_equal(header.dst_addr, server, 16);
	assert_int_equal(cm_ip_header_encode(&header, again), 0);
	assert_memory_equal(again, bytes, CM_IP_HEADER_LEN);
}

static void ip_header_ipv6_keeps_whole_addresses(void **state)
{
	struct cm_ip_header header = { .ip_version = 6, .src_port = 1 }, again;
	uint8_t bytes[CM_IP_HEADER_LEN];

	memset(header.src_addr, 0xab, 16);
	memset(header.dst_addr, 0xcd, 16);
	assert_int_equal(cm_ip_header_encode(&header, bytes), 0);
	assert_int_equal(bytes[1], 0x60);
	assert_int_equal(cm_ip_header_decode(bytes, &again), 0);
	assert_int_equal(again.ip_version, 6);
	assert_memory_equal(again.src_addr, header.src_addr, 16);
	assert_memory_equal(again.dst_addr, header.dst_addr, 16);
}

static void ip_header_reserved_bits_are_ignored(void **state)
{
	uint8_t bytes[CM_IP_HEADER_LEN];
	struct cm_ip_header header;

	memset(bytes, 0xff, sizeof(bytes));
	bytes[0] = 0;
	bytes[1] = 0x4f;
	assert_int_equal(cm_ip_header_decode(bytes, &header), 0);
	assert_int_equal(header.ip_version, 4);
	for (int i = 0; i < 12; i++)
		assert_int_equal(header.src_addr[i] | header.dst_addr[i], 0);
	assert_int_equal(header.dst_addr[12], 0xff);
}

static void ip_header_unknown_version_is_refused(void **state)
{
	uint8_t bytes[CM_IP_HEADER_LEN] = { 0, 0x40 };
	struct cm_ip_header header = { .ip_version = 0 };

	assert_int_equal(cm_ip_header_encode(&header, bytes), -EINVAL);
	for (unsigned int version = 0; version < 256; version++) {
		bytes[0] = (uint8_t)version;
		assert_int_equal(cm_ip_header_decode(bytes, &header),
				 version ? -EPROTO : 0);
	}
	bytes[0] = 0;
	for (unsigned int ip = 0; ip < 16; ip++) {
		bytes[1] = (uint8_t)(ip << 4);
		assert_int_equal(cm_ip_header_decode(bytes, &header),
				 ip == 4 || ip == 6 ? 0 : -EPROTO);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(service_id_of_port_equals_captured_id),
		cmocka_unit_test(ip_header_captured_has_addresses_of_hosts),
		cmocka_unit_test(ip_header_ipv6_keeps_whole_addresses),
		cmocka_unit_test(ip_header_reserved_bits_are_ignored),
		cmocka_unit_test(ip_header_unknown_version_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
