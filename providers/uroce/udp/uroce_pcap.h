/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Captures packets, with the IP and UDP headers that they have on the network,
 * in a file that tshark and Wireshark read. A capture is a debugging aid.
 * Several processes may write to one file.
 */
#ifndef UROCE_PCAP_H
#define UROCE_PCAP_H

#include <stdint.h>
#include <sys/uio.h>

#include "uroce/wire/uroce_packet.h"

struct uroce_pcap;

/**
 * uroce_pcap_open() - begin or continue a capture
 * @path: path of the file
 * @ret_pcap: receives the capture; uroce_pcap_close() frees it
 *
 * Waits about 0.1 s at most for the lock of another process.
 *
 * Return: 0, -ENOMEM, -EINVAL if the file is not a capture, -EAGAIN if another
 * process keeps it locked, or -errno.
 */
int uroce_pcap_open(const char *path, struct uroce_pcap **ret_pcap);

/** uroce_pcap_close() - end a capture; NULL is allowed */
void uroce_pcap_close(struct uroce_pcap *pcap);

/**
 * uroce_pcap_write() - add a packet
 * @pcap: the capture
 * @path: source and destination
 * @ip_id: IP identification; ignored for IPv6
 * @iov: the packet from the BTH to the ICRC
 * @nr_iov: entries of @iov
 *
 * A packet that cannot be written is omitted.
 */
void uroce_pcap_write(struct uroce_pcap *pcap, const struct uroce_path *path,
		      uint16_t ip_id, const struct iovec *iov, uint32_t nr_iov);

#endif
