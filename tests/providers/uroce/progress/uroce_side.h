/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One end of a connection, on top of the worker: the minimum that a test needs
 * of verbs/.
 */
#ifndef UROCE_SIDE_H
#define UROCE_SIDE_H

#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>

#include "uroce/progress/uroce_instance.h"

#define SIDE_MEMORY (1u << 20)
#define SIDE_DEPTH  128

struct side {
	struct uroce_instance *instance;
	struct uroce_worker *worker;
	struct uroce_netdev dev;
	struct uroce_qp *qp;
	struct uroce_cq cq;
	struct uroce_rq rq;
	uint8_t *memory;
	uint64_t share, share_offset; /* from uroce_instance_get_share() */
	uint32_t key;
	uint32_t pd;

	/* events; posted by the callbacks */
	sem_t cq_events, qp_events, netdev_events;
	void (*on_qp_event)(struct side *side); /* or NULL */
	uint32_t qp_event_mask;
	enum uroce_netdev_event netdev_event;
};

/* Address that the other end needs. */
struct side_address {
	uint32_t qpn, psn, key;
	uint64_t va;
	uint8_t gid[UROCE_GID_LEN];
};

extern const struct uroce_worker_ops side_ops;

/*
 * Whether the memory is a memfd that peers may map and use for atomics:
 * SIDE_SHARED in the environment.
 */
bool side_is_shared(void);

/* Attaches to @dev and creates a QP. The owner is the side itself. */
void side_open(struct side *side, const struct uroce_netdev *dev);
void side_close(struct side *side);

/** side_moderate() - set the moderation of its CQ, as ibv_modify_cq() */
void side_moderate(struct side *side, uint32_t count, uint32_t period_us);

/* Creates a UD QP, which needs no connection and is in RTS. */
void side_open_datagrams(struct side *side, const struct uroce_netdev *dev);

struct side_address side_address(const struct side *side, uint32_t gid_index);

/* Moves the QP to RTS. @timeout as in struct ibv_qp_attr, with 7 retries. */
void side_connect(struct side *side, const struct side_address *self,
		  const struct side_address *peer, enum ibv_mtu mtu,
		  uint8_t timeout);

/* Posts a receive for the first @length bytes of the memory. */
void side_receive(struct side *side, uint32_t length);
void side_send(struct side *side, enum ibv_wr_opcode opcode, uint32_t length,
	       const struct side_address *peer);

/* Posts a SEND of a UD QP; the second one without a call of the worker. */
void side_send_datagram(struct side *side, const struct side_address *peer,
			const uint8_t *data, uint32_t length);
void side_fill_datagram(struct side *side, const struct side_address *peer,
			const uint8_t *data, uint32_t length);

/* Gets a completion, without and with uroce_worker_poll(). */
bool side_take(struct side *side, struct uroce_cqe *ret_cqe);
void side_poll(struct side *side, struct uroce_cqe *ret_cqe);

#endif
