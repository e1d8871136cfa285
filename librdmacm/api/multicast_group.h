/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The multicast groups of ids. They belong to the thread that uses the id. */
#ifndef API_MULTICAST_GROUP_H
#define API_MULTICAST_GROUP_H

#include "api/own_id.h"

struct multicast_group {
	struct list_node node;	      /* own_id.groups */
	struct channel_source source; /* of the events of this group */
	struct sockaddr_storage address;
	const void *context; /* of the application */
	uint32_t member;     /* the number of the membership in the kernel */
	uint32_t nr_events;  /* fetched from the kernel, when the id has left */
	/* The address of the group in the network, when it is joined */
	union ibv_gid gid;
	uint16_t lid;
	bool is_send_only; /* a QP needs no membership to send */
	bool is_attached;
};

/* Adds a group to an id; NULL: no memory. */
struct multicast_group *multicast_group_new(struct own_id *own,
					    const struct sockaddr *address,
					    bool is_send_only);

/* The group of an address, whose port counts, too; NULL: there is none. */
struct multicast_group *multicast_group_find(const struct own_id *own,
					     const struct sockaddr *address);

/* The group that an event MULTICAST_JOIN belongs to. */
struct multicast_group *multicast_group_of(const struct channel_event *event);

/**
 * multicast_group_attach() - attach the QP of the id, if it has to receive
 *
 * Return: 0, or the -errno of ibv_attach_mcast(3).
 */
int multicast_group_attach(struct multicast_group *group, struct ibv_qp *qp);

/* Removes a group, which must not have events. */
void multicast_group_free(struct multicast_group *group, struct ibv_qp *qp);

/* Removes all groups of an id that ends. QPs that still exist stay attached. */
void multicast_groups_free(struct own_id *own);

#endif
