/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Captures: packets with the IP and UDP headers that they have on the network,
 * in a file that tshark and Wireshark read. Meant for finding faults; several
 * processes may write to one file.
 */
#ifndef UROCE_PCAP_H
#define UROCE_PCAP_H

#include <stdint.h>
#include <sys/uio.h>

#include "uroce/wire/uroce_packet.h"

struct uroce_pcap;

/**
 * uroce_pcap_open() - begin a capture, or go on with one
 * @path: of the file
 * @ret_pcap: receives it; to be given back to uroce_pcap_close()
 *
 * Never waits for another process for long.
 *
 * Return: 0, -ENOMEM, -EINVAL if there is another kind of file, -EAGAIN if
 * another process keeps it locked, or -errno.
 */
int uroce_pcap_open(const char *path, struct uroce_pcap **ret_pcap);

/** uroce_pcap_close() - end it; NULL is allowed */
void uroce_pcap_close(struct uroce_pcap *pcap);

/**
 * uroce_pcap_write() - add a packet
 * @pcap: the capture
 * @path: from where to where
 * @ip_id: IP identification; ignored for IPv6
 * @iov: from the BTH to the ICRC
 * @nr_iov: pieces of it
 *
 * What cannot be written is left out.
 */
void uroce_pcap_write(struct uroce_pcap *pcap, const struct uroce_path *path,
		      uint16_t ip_id, const struct iovec *iov, uint32_t nr_iov);

#endif
