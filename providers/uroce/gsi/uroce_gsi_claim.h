/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Claims: the sockets by which a process owns MADs. A claim is an abstract unix
 * socket whose name contains the user, and either a service id with an address
 * or the prefix of communication ids. The kernel frees the name when the
 * process ends. Another process of the user passes a MAD to the owner through a
 * connection to the name. Both sides check the user of the other one
 * (ipc/uroce_identity.h).
 */
#ifndef UROCE_GSI_CLAIM_H
#define UROCE_GSI_CLAIM_H

#include <stdbool.h>
#include <stdint.h>

#include "uroce/gsi/uroce_mad.h"
#include "uroce/wire/uroce_address.h"

/* A MAD with its addresses; all bytes are sent from process to process. */
struct uroce_gsi_mad {
	uint8_t local_gid[UROCE_GID_LEN];
	uint8_t remote_gid[UROCE_GID_LEN];
	uint32_t flow_label;
	uint8_t traffic_class;
	uint8_t hop_limit; /* 0: unknown, or the default */
	uint8_t zero[2];
	uint8_t bytes[UROCE_MAD_BYTES];
};

/* The bits of a communication id that identify its process. */
#define UROCE_GSI_PREFIX_MASK UINT32_C(0xffff0000)

/**
 * uroce_gsi_listen_service() - claim a service id
 * @gid: address; NULL: all addresses of an interface
 * @ifindex: that interface, if @gid is NULL
 *
 * Return: the socket; or what uroce_rendezvous_listen_gsi() returns.
 */
int uroce_gsi_listen_service(const uint8_t *gid, unsigned int ifindex,
			     uint64_t service_id);

/** uroce_gsi_listen_prefix() - claim the communication ids with a prefix */
int uroce_gsi_listen_prefix(uint32_t prefix);

/**
 * uroce_gsi_forward_service() - pass a MAD to the owner of a service id
 * @gid, @ifindex, @service_id: as for uroce_gsi_listen_service()
 *
 * Never waits. Return: 0; -ENOENT if no process of this user owns it; or
 * -errno: the MAD is lost.
 */
int uroce_gsi_forward_service(const uint8_t *gid, unsigned int ifindex,
			      uint64_t service_id,
			      const struct uroce_gsi_mad *mad);

/** uroce_gsi_forward_id() - the same for the owner of a communication id */
int uroce_gsi_forward_id(uint32_t id, const struct uroce_gsi_mad *mad);

/**
 * uroce_gsi_accept() - accept a connection at a claim; never waits
 *
 * Return: what uroce_rendezvous_accept() returns.
 */
int uroce_gsi_accept(int listener);

/**
 * uroce_gsi_take() - receive a MAD that another process has forwarded
 * @fd: from uroce_gsi_accept(); is closed
 * @ret_mad: receives the MAD
 *
 * Waits for a short time, because the other process sends right after the
 * connection.
 *
 * Return: 0; -EAGAIN after the time limit; -EPROTO if the message is not a MAD;
 * or -errno.
 */
int uroce_gsi_take(int fd, struct uroce_gsi_mad *ret_mad);

#endif
