/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The file format is that of libpcap, version 2.4, with link type RAW: a header
 * for the file, then for each packet a header and the packet from the IP header
 * on. This file builds the IP and UDP headers, since sockets do not return
 * them.
 */
#include "uroce/udp/uroce_pcap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "uroce/wire/uroce_icrc.h"
#include "uroce/wire/uroce_ip_header.h"
#include "util/nocancel.h"

#define MAGIC	     0xa1b23c4d /* timestamps in nanoseconds */
#define LINKTYPE_RAW 101
#define SNAP_LEN     65535
#define DEFAULT_HOPS 64
/* Attempts to get the lock, which other processes hold for a short time. */
#define LOCK_TRIES  100
#define LOCK_NAP_NS 1000000
#define MAX_BYTES   (UROCE_MAX_HEADER + UROCE_MAX_MTU + UROCE_ICRC_LEN + 4)

struct file_header {
	uint32_t magic;
	uint16_t major, minor;
	uint32_t zone, accuracy;
	uint32_t snap_len;
	uint32_t link_type;
};

struct record_header {
	uint32_t seconds, nanoseconds;
	uint32_t captured, length;
};

struct uroce_pcap {
	int fd;
};

/* Writes the header of an empty file, or checks that of an existing one. */
static int write_file_header(int fd)
{
	struct file_header header = {
		.magic = MAGIC,
		.major = 2,
		.minor = 4,
		.snap_len = SNAP_LEN,
		.link_type = LINKTYPE_RAW,
	};
	struct file_header found;
	ssize_t len = pread(fd, &found, sizeof(found), 0);

	if (len < 0)
		return -errno;
	if (len == 0)
		return write(fd, &header, sizeof(header)) == sizeof(header)
			       ? 0
			       : -EIO;
	if (len != sizeof(found) || memcmp(&found, &header, sizeof(found)) != 0)
		return -EINVAL;
	return 0;
}

/* Gives up after a time, since a process may hold the lock for ever. */
static int lock_file(int fd)
{
	static const struct timespec nap = { .tv_nsec = LOCK_NAP_NS };

	for (int left = LOCK_TRIES; flock(fd, LOCK_EX | LOCK_NB); left--) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -errno;
		if (left == 0)
			return -EAGAIN;
		(void)nanosleep(&nap, NULL);
	}
	return 0;
}

static int begin_file(int fd)
{
	struct stat stat;
	int ret;

	if (fstat(fd, &stat))
		return -errno;
	if (!S_ISREG(stat.st_mode))
		return -EINVAL;
	ret = lock_file(fd);
	if (ret)
		return ret;
	ret = write_file_header(fd);
	(void)flock(fd, LOCK_UN);
	return ret;
}

/* O_NONBLOCK: open() must not wait if @path names a FIFO or a terminal. */
int uroce_pcap_open(const char *path, struct uroce_pcap **ret_pcap)
{
	struct uroce_pcap *pcap;
	int fd, ret;

	fd = open(path,
		  O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK |
			  O_NOCTTY,
		  0600);
	if (fd < 0)
		return -errno;
	ret = begin_file(fd);
	pcap = ret ? NULL : calloc(1, sizeof(*pcap));
	if (!pcap) {
		(void)close(fd);
		return ret ? ret : -ENOMEM;
	}
	pcap->fd = fd;
	*ret_pcap = pcap;
	return 0;
}

void uroce_pcap_close(struct uroce_pcap *pcap)
{
	if (!pcap)
		return;
	(void)close(pcap->fd);
	free(pcap);
}

/* RFC 1071: adds 16-bit words; @len is even in all calls but the last. */
static uint32_t add_words(uint32_t sum, const uint8_t *pos, size_t len)
{
	for (size_t i = 0; i < len; i++)
		sum += i % 2 ? pos[i] : (uint32_t)pos[i] << 8;
	return sum;
}

static uint32_t pcap_fold(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum & 0xffff;
}

/* The kernel sends the flow label 0. */
static size_t pcap_put_ip(uint8_t *ip, const struct uroce_path *path,
			  uint16_t ip_id, uint32_t udp_len)
{
	uint8_t hops = path->hop_limit ? path->hop_limit : DEFAULT_HOPS;

	if (!uroce_path_is_ipv4(path)) {
		uroce_ipv6_put(ip, path, 0, hops, udp_len);
		return UROCE_IPV6_LEN;
	}
	uroce_ipv4_put(ip, path, hops, udp_len);
	uroce_put16(ip + 4, ip_id);
	uroce_ipv4_put_checksum(ip);
	return UROCE_IPV4_LEN;
}

static void put_udp(uint8_t *udp, const struct uroce_path *path, size_t len,
		    const uint8_t *data, size_t data_len)
{
	uint32_t sum = UROCE_IP_PROTO_UDP + (uint32_t)len;

	uroce_put16(udp, path->sport);
	uroce_put16(udp + 2, UROCE_UDP_PORT);
	uroce_put16(udp + 4, (uint32_t)len);
	uroce_put16(udp + 6, 0);
	/* the prefix of a mapped address adds ffff, which is 0 in this sum */
	sum = add_words(sum, path->sgid, UROCE_GID_LEN);
	sum = add_words(sum, path->dgid, UROCE_GID_LEN);
	sum = add_words(sum, udp, UROCE_UDP_LEN);
	sum = pcap_fold(add_words(sum, data, data_len));
	uroce_put16(udp + 6, sum ? sum : 0xffff);
}

/* One write() per packet, so packets of two processes do not interleave. */
void uroce_pcap_write(struct uroce_pcap *pcap, const struct uroce_path *path,
		      uint16_t ip_id, const struct iovec *iov, uint32_t nr_iov)
{
	uint8_t buf[sizeof(struct record_header) + UROCE_IPV6_LEN +
		    UROCE_UDP_LEN + MAX_BYTES];
	uint8_t payload[MAX_BYTES];
	uint8_t *pos = buf + sizeof(struct record_header);
	struct record_header header;
	struct timespec now;
	size_t len = 0;

	for (uint32_t i = 0; i < nr_iov; i++) {
		if (iov[i].iov_len > sizeof(payload) - len)
			return;
		if (iov[i].iov_len)
			memcpy(payload + len, iov[i].iov_base, iov[i].iov_len);
		len += iov[i].iov_len;
	}
	pos += pcap_put_ip(pos, path, ip_id, UROCE_UDP_LEN + (uint32_t)len);
	put_udp(pos, path, UROCE_UDP_LEN + len, payload, len);
	memcpy(pos + UROCE_UDP_LEN, payload, len);
	pos += UROCE_UDP_LEN + len;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	header.seconds = (uint32_t)now.tv_sec;
	header.nanoseconds = (uint32_t)now.tv_nsec;
	header.captured = (uint32_t)(pos - buf) - (uint32_t)sizeof(header);
	header.length = header.captured;
	memcpy(buf, &header, sizeof(header));
	/* a full disk stops the capture, but not the traffic */
	if (write(pcap->fd, buf, (size_t)(pos - buf)) < 0)
		return;
}
