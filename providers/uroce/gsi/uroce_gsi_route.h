/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds the owner of a MAD from the network. */
#ifndef UROCE_GSI_ROUTE_H
#define UROCE_GSI_ROUTE_H

#include "uroce/gsi/uroce_gsi_claim.h"

/* What became of a MAD. */
enum uroce_gsi_outcome {
	UROCE_GSI_FORWARDED, /* the owner has it */
	UROCE_GSI_LOST,	     /* the owner has no room */
	UROCE_GSI_REPLY,     /* no owner; there is a reply to send */
	UROCE_GSI_NO_OWNER,  /* no owner, no reply */
};

/* The interface that has an address. */
struct uroce_gsi_interface {
	unsigned int ifindex; /* 0: none */
	bool own;	      /* this process has opened its device */
};

/* The functions by which MADs leave the process; replaced in tests. */
struct uroce_gsi_ways {
	int (*to_service)(struct uroce_gsi_links *links, const uint8_t *gid,
			  unsigned int ifindex, uint64_t service_id,
			  const struct uroce_gsi_mad *mad);
	int (*to_id)(struct uroce_gsi_links *links, uint32_t id,
		     const struct uroce_gsi_mad *mad);
	struct uroce_gsi_links *links; /* of to_service() and to_id() */
	struct uroce_gsi_interface (*find_interface)(void *arg,
						     const uint8_t *gid);
	void *arg; /* of find_interface() */
};

/**
 * uroce_gsi_route() - pass a MAD from the network to the process that owns it
 * @ways: functions to use
 * @ret_reply: receives the reply, if the result is UROCE_GSI_REPLY
 *
 * The owner of a service id at the address of the MAD precedes the owner of the
 * service id at all addresses of the interface. Without an owner there is a
 * reply only if this process has a device with the address.
 */
enum uroce_gsi_outcome uroce_gsi_route(const struct uroce_gsi_ways *ways,
				       const struct uroce_gsi_mad *mad,
				       struct uroce_gsi_mad *ret_reply);

#endif
