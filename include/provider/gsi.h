/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The general services interface (GSI, IBTA 13.5.1) of a device without a
 * kernel driver: management datagrams (MADs) of communication management that
 * are sent and received on QP 1, and the ownership of service ids by processes.
 * The kernel has the GSI of all other devices.
 *
 * Every process that has opened the device may receive the MADs of the host.
 * The provider passes each to the process that owns it: requests (REQ and
 * SIDR_REQ) by their service id, all others by the communication id of the
 * receiver. It rejects a request itself if no process owns the service id.
 *
 * Functions return 0 or an errno value, and leave errno unchanged.
 */
#ifndef PROVIDER_GSI_H
#define PROVIDER_GSI_H

#include <infiniband/verbs.h>
#include <stdint.h>

/* Incremented with every change of this file. */
#define VERBS_GSI_VERSION 2

#define VERBS_MAD_SIZE 256 /* bytes of a MAD (IBTA 13.4.2) */

/* A process's access to QP 1 of one port of a device; of the provider. */
struct verbs_gsi;

/* Addresses of a MAD. */
struct verbs_gsi_address {
	union ibv_gid local_gid; /* an address of the port */
	union ibv_gid remote_gid;
	/*
	 * Sending: hop_limit 0 is the default of the device. Receiving: 0 if
	 * the provider does not know it.
	 */
	uint8_t traffic_class;
	uint8_t hop_limit;
	uint32_t flow_label; /* 20 bits */
};

struct verbs_gsi_handler {
	/*
	 * receive() - a MAD has arrived
	 * @owner: the member below
	 * @address: its addresses; valid until the return
	 * @bytes: VERBS_MAD_SIZE bytes, valid until the return; the base
	 *	version and the class are correct, all else is untrusted
	 *
	 * One thread of the provider makes all calls of a process, one after
	 * the other, also while the application makes no call. It holds no lock
	 * that verbs or functions of struct verbs_gsi_ops need, except that
	 * receive() must not call close().
	 */
	void (*receive)(void *owner, const struct verbs_gsi_address *address,
			const uint8_t *bytes);
	/*
	 * owner_ended() - a process has ended that watch_owner() watched
	 * @owner: the member below
	 * @prefix: of the communication ids of the process; processes of other
	 *	hosts may have the same
	 *
	 * Every MAD that the process has sent through this host alone precedes
	 * it. One that the network delivers may follow. Called as receive().
	 */
	void (*owner_ended)(void *owner, uint32_t prefix);
	void *owner;
};

struct verbs_gsi_ops {
	uint32_t version; /* VERBS_GSI_VERSION */
	/*
	 * open() - begin to send and receive MADs
	 * @port_num: port of the device; from 1
	 * @handler: copied
	 * @gsi: receives the access, which close() frees before the device is
	 *	closed
	 *
	 * Return: 0; EINVAL (no such port), EIO in a child of fork(), ENOMEM,
	 * EMFILE, EADDRINUSE if no id prefix is free, or another errno value.
	 */
	int (*open)(struct ibv_context *context, uint8_t port_num,
		    const struct verbs_gsi_handler *handler,
		    struct verbs_gsi **gsi);
	/*
	 * close() - release all service ids and the id prefix, and free
	 *
	 * No call of the handler runs or starts after it. Not from the handler,
	 * and without a lock that it takes.
	 */
	void (*close)(struct verbs_gsi *gsi);
	/*
	 * id_prefix() - return the upper 16 bits, the others being 0, of the
	 * local communication ids and SIDR request ids of this access
	 *
	 * A MAD of a peer that names such an id finds this access.
	 */
	uint32_t (*id_prefix)(const struct verbs_gsi *gsi);
	/*
	 * send() - send a MAD to QP 1 of address->remote_gid
	 * @bytes: VERBS_MAD_SIZE bytes
	 *
	 * Like any datagram it may be lost.
	 *
	 * Return: 0; EADDRNOTAVAIL if address->local_gid is no address of the
	 * port, ENETDOWN if the device has no UDP port, EIO in a child of
	 * fork().
	 */
	int (*send)(struct verbs_gsi *gsi,
		    const struct verbs_gsi_address *address,
		    const uint8_t *bytes);
	/*
	 * claim_service() - receive the requests to a service id
	 * @local_gid: address of the port to which they are sent; all zero:
	 *	every address of the port that no process has claimed
	 *
	 * Ends with the process, whatever the way in which it ends.
	 *
	 * Return: 0; EADDRINUSE if any process has claimed the same two, or
	 * another user has taken their name; EADDRNOTAVAIL; ENOMEM; EMFILE; EIO
	 * in a child of fork().
	 */
	int (*claim_service)(struct verbs_gsi *gsi,
			     const union ibv_gid *local_gid,
			     uint64_t service_id);
	/* release_service() - undo claim_service() with the same arguments */
	void (*release_service)(struct verbs_gsi *gsi,
				const union ibv_gid *local_gid,
				uint64_t service_id);
	/*
	 * watch_owner() - let owner_ended() report the end of a peer's process
	 * @remote_gid: address of the peer
	 * @id: communication id of the peer
	 *
	 * May be called again for the same process. The provider may give up
	 * watching if there are many processes.
	 *
	 * Return: 0; EADDRNOTAVAIL if the address is not one of this host;
	 * ESRCH if the process has ended already; EIO in a child of fork(); or
	 * another errno value.
	 */
	int (*watch_owner)(struct verbs_gsi *gsi,
			   const union ibv_gid *remote_gid, uint32_t id);
};

/**
 * verbs_get_gsi_ops() - get the GSI of a device
 * @context: an open device
 * @version: VERBS_GSI_VERSION of the caller
 *
 * Return: the functions, valid as long as the context; NULL if the device has
 * no such interface, as devices with a kernel driver, or has another version of
 * it.
 */
const struct verbs_gsi_ops *verbs_get_gsi_ops(struct ibv_context *context,
					      uint32_t version);

#endif
