/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Connections of other processes to the claims of this process. The caller
 * serialises all calls.
 */
#ifndef UROCE_GSI_CONN_H
#define UROCE_GSI_CONN_H

#include <stdbool.h>

#include "uroce/gsi/uroce_gsi_claim.h"
#include "util/list.h"

/* Connections that stay open; a sender whose connection is closed opens a new
 * one. */
#define UROCE_GSI_MAX_CONNS 256

/* Most MADs that uroce_gsi_conn_receive() receives. */
#define UROCE_GSI_BATCH 16

struct uroce_gsi_conn {
	struct list_node entry;
	int fd;
	bool is_shut; /* only what has been sent is still received */
	const void *claim;
};

struct uroce_gsi_conns {
	int epoll; /* of the caller; -1 after it was closed */
	struct list_node conns;
	unsigned int nr_open; /* without those that are shut */
};

/**
 * uroce_gsi_conns_accept() - accept a connection at a claim
 * @listener: socket of the claim
 * @claim: for uroce_gsi_conns_close()
 * @ret_conn: receives the connection, whose descriptor is in the epoll set
 *
 * If too many are open, the oldest one is shut.
 *
 * Return: 0; -EAGAIN if no connection waits; -EPERM if it is of another user;
 * or -errno.
 */
int uroce_gsi_conns_accept(struct uroce_gsi_conns *conns, int listener,
			   const void *claim, struct uroce_gsi_conn **ret_conn);

/** uroce_gsi_conns_find() - find the connection with a descriptor, or NULL */
struct uroce_gsi_conn *uroce_gsi_conns_find(const struct uroce_gsi_conns *conns,
					    int fd);

/**
 * uroce_gsi_conn_receive() - receive MADs; never waits
 * @ret_messages: receives them
 * @max: 1 to UROCE_GSI_BATCH
 * @ret_nr: receives their number
 *
 * Return: 0; -EPIPE if no more follow, or -EPROTO if a message is not a MAD:
 * the caller must free the connection.
 */
int uroce_gsi_conn_receive(const struct uroce_gsi_conn *conn,
			   struct uroce_gsi_message *ret_messages,
			   unsigned int max, unsigned int *ret_nr);

/** uroce_gsi_conn_free() - close a connection */
void uroce_gsi_conn_free(struct uroce_gsi_conns *conns,
			 struct uroce_gsi_conn *conn);

/** uroce_gsi_conns_close() - close those of a claim, or of all: NULL */
void uroce_gsi_conns_close(struct uroce_gsi_conns *conns, const void *claim);

#endif
