/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Capture files, read back byte by byte. */
#include "uroce/udp/uroce_pcap.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "uroce_netns.h"

#define FILE_HEADER   24
#define RECORD_HEADER 16

struct capture {
	char path[32];
	struct uroce_pcap *pcap;
	uint8_t bytes[8192];
	size_t len;
};

static int setup(void **state)
{
	struct capture *capture = calloc(1, sizeof(*capture));
	int fd;

	assert_non_null(capture);
	strcpy(capture->path, "/tmp/uroce_pcap_XXXXXX");
	fd = mkstemp(capture->path);
	assert_true(fd >= 0);
	(void)close(fd);
	*state = capture;
	return 0;
}

static int teardown(void **state)
{
	struct capture *capture = *state;

	uroce_pcap_close(capture->pcap);
	(void)unlink(capture->path);
	free(capture);
	return 0;
}

static void read_back(struct capture *capture)
{
	int fd = open(capture->path, O_RDONLY | O_CLOEXEC);
	ssize_t len;

	assert_true(fd >= 0);
	len = read(fd, capture->bytes, sizeof(capture->bytes));
	assert_true(len >= 0);
	capture->len = (size_t)len;
	(void)close(fd);
}

static struct uroce_path make_path(const char *from, const char *to)
{
	struct uroce_path path = {
		.sport = 0xc123,
		.tclass = 0x68,
		.hop_limit = 7,
	};

	uroce_netns_gid(from, path.sgid);
	uroce_netns_gid(to, path.dgid);
	return path;
}

static uint32_t get16(const uint8_t *pos)
{
	return (uint32_t)pos[0] << 8 | pos[1];
}

static uint32_t host32(const uint8_t *pos)
{
	uint32_t value;

	memcpy(&value, pos, sizeof(value));
	return value;
}

static uint32_t sum_of(uint32_t sum, const uint8_t *pos, size_t len)
{
	for (size_t i = 0; i + 1 < len; i += 2)
		sum += get16(pos + i);
	if (len % 2)
		sum += (uint32_t)pos[len - 1] << 8;
	return sum;
}

/* RFC 1071: with the checksum in its place the sum is all ones. */
static void assert_all_ones(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	assert_int_equal(sum, 0xffff);
}

static void pcap_file_begins_with_header(void **state)
{
	struct capture *capture = *state;

	assert_int_equal(uroce_pcap_open(capture->path, &capture->pcap), 0);
	read_back(capture);
	assert_int_equal(capture->len, FILE_HEADER);
	assert_int_equal(host32(capture->bytes), 0xa1b23c4d);
	assert_int_equal(host32(capture->bytes + 20), 101);
}

static void pcap_ipv4_packet_has_headers(void **state)
{
	struct capture *capture = *state;
	struct uroce_path path = make_path("10.0.0.1", "10.0.0.2");
	uint8_t head[] = { 1, 2, 3, 4, 5 };
	uint8_t tail[] = { 6, 7, 8, 9 };
	struct iovec iov[] = { { head, 5 }, { NULL, 0 }, { tail, 4 } };
	const uint8_t *ip = capture->bytes + FILE_HEADER + RECORD_HEADER;
	const uint8_t *udp = ip + 20;

	assert_int_equal(uroce_pcap_open(capture->path, &capture->pcap), 0);
	uroce_pcap_write(capture->pcap, &path, 0x1234, iov, 3);
	read_back(capture);
	assert_int_equal(capture->len,
			 FILE_HEADER + RECORD_HEADER + 20 + 8 + 9);
	assert_int_equal(host32(ip - 8), 37);
	assert_int_equal(host32(ip - 4), 37);
	assert_int_equal(ip[0], 0x45);
	assert_int_equal(ip[1], 0x68);
	assert_int_equal(get16(ip + 2), 37);
	assert_int_equal(get16(ip + 4), 0x1234);
	assert_int_equal(get16(ip + 6), 0x4000);
	assert_int_equal(ip[8], 7);
	assert_int_equal(ip[9], 17);
	assert_memory_equal(ip + 12, "\x0a\0\0\1\x0a\0\0\2", 8);
	assert_all_ones(sum_of(0, ip, 20));
	assert_int_equal(get16(udp), 0xc123);
	assert_int_equal(get16(udp + 2), 4791);
	assert_int_equal(get16(udp + 4), 17);
	assert_memory_equal(udp + 8, "\1\2\3\4\5\6\7\x8\x9", 9);
	assert_all_ones(sum_of(sum_of(17 + 17, ip + 12, 8), udp, 17));
}

static void pcap_ipv6_packet_has_headers(void **state)
{
	struct capture *capture = *state;
	struct uroce_path path = make_path("fe80::1", "fe80::2");
	uint8_t bytes[20] = { 1, 2, 3 };
	struct iovec iov = { bytes, sizeof(bytes) };
	const uint8_t *ip = capture->bytes + FILE_HEADER + RECORD_HEADER;

	path.hop_limit = 0;
	assert_int_equal(uroce_pcap_open(capture->path, &capture->pcap), 0);
	uroce_pcap_write(capture->pcap, &path, 0x1234, &iov, 1);
	read_back(capture);
	assert_int_equal(capture->len, FILE_HEADER + RECORD_HEADER + 40 + 28);
	assert_int_equal(get16(ip), 0x6680);
	assert_int_equal(get16(ip + 4), 28);
	assert_int_equal(ip[6], 17);
	assert_int_equal(ip[7], 64);
	assert_memory_equal(ip + 8, path.sgid, 16);
	assert_memory_equal(ip + 24, path.dgid, 16);
	assert_all_ones(sum_of(sum_of(17 + 28, ip + 8, 32), ip + 40, 28));
}

static void pcap_two_captures_share_file(void **state)
{
	struct capture *capture = *state;
	struct uroce_path path = make_path("10.0.0.1", "10.0.0.2");
	uint8_t bytes[16] = {};
	struct iovec iov = { bytes, sizeof(bytes) };
	struct uroce_pcap *other = NULL;

	assert_int_equal(uroce_pcap_open(capture->path, &capture->pcap), 0);
	uroce_pcap_write(capture->pcap, &path, 0, &iov, 1);
	assert_int_equal(uroce_pcap_open(capture->path, &other), 0);
	uroce_pcap_write(other, &path, 0, &iov, 1);
	uroce_pcap_write(capture->pcap, &path, 0, &iov, 1);
	uroce_pcap_close(other);
	read_back(capture);
	assert_int_equal(capture->len,
			 FILE_HEADER + 3 * (RECORD_HEADER + 20 + 8 + 16));
}

static void pcap_open_foreign_file_returns_einval(void **state)
{
	struct capture *capture = *state;
	int fd = open(capture->path, O_WRONLY | O_CLOEXEC);

	assert_int_equal(write(fd, "precious", 8), 8);
	(void)close(fd);
	assert_int_equal(uroce_pcap_open(capture->path, &capture->pcap),
			 -EINVAL);
	assert_null(capture->pcap);
	read_back(capture);
	assert_int_equal(capture->len, 8);
	assert_int_equal(uroce_pcap_open("/nonexistent/x", &capture->pcap),
			 -ENOENT);
}

/* Opening, reading or writing a FIFO without a reader could block for ever. */
static void pcap_open_non_regular_file_fails(void **state)
{
	struct capture *capture = *state;

	assert_int_equal(uroce_pcap_open("/tmp", &capture->pcap), -EISDIR);
	assert_int_equal(uroce_pcap_open("/dev/null", &capture->pcap), -EINVAL);
	assert_int_equal(unlink(capture->path), 0);
	assert_int_equal(mkfifo(capture->path, 0600), 0);
	assert_int_equal(uroce_pcap_open(capture->path, &capture->pcap),
			 -EINVAL);
	assert_null(capture->pcap);
}

/* Another process may keep the lock for ever. */
static void pcap_open_locked_file_returns_eagain(void **state)
{
	struct capture *capture = *state;
	int fd = open(capture->path, O_RDONLY | O_CLOEXEC);

	assert_int_equal(flock(fd, LOCK_SH), 0);
	assert_int_equal(uroce_pcap_open(capture->path, &capture->pcap),
			 -EAGAIN);
	assert_null(capture->pcap);
	(void)close(fd);
	assert_int_equal(uroce_pcap_open(capture->path, &capture->pcap), 0);
}

static void pcap_oversized_packet_is_skipped(void **state)
{
	static uint8_t bytes[5000];
	struct capture *capture = *state;
	struct uroce_path path = make_path("10.0.0.1", "10.0.0.2");
	struct iovec iov = { bytes, sizeof(bytes) };

	assert_int_equal(uroce_pcap_open(capture->path, &capture->pcap), 0);
	uroce_pcap_write(capture->pcap, &path, 0, &iov, 1);
	read_back(capture);
	assert_int_equal(capture->len, FILE_HEADER);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(pcap_file_begins_with_header),
		TEST(pcap_ipv4_packet_has_headers),
		TEST(pcap_ipv6_packet_has_headers),
		TEST(pcap_two_captures_share_file),
		TEST(pcap_open_foreign_file_returns_einval),
		TEST(pcap_open_non_regular_file_fails),
		TEST(pcap_open_locked_file_returns_eagain),
		TEST(pcap_oversized_packet_is_skipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
