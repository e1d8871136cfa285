/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a process shows to those that it is paired with, so that they can do
 * their own WRITEs and READs in its memory: its regions, its QPs, whether its
 * application polls, and into whose memory it is copying. Memory that only its
 * owner can write: the others could not even if they wanted to.
 *
 * What a peer shows is believed as far as it harms only the peer: it says where
 * in its own memory things are.
 */
#ifndef UROCE_TABLES_H
#define UROCE_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "uroce/engine/uroce_channel.h"
#include "uroce/local/uroce_nonce.h"

struct uroce_tables_memory; /* uroce_tables_layout.h */

/* Our own. */
struct uroce_tables {
	struct uroce_tables_memory *memory; /* NULL: nothing is shown */
	int fd;				    /* for the others; -1: none */
	struct uroce_nonce nonce;
	uint64_t polled_ns; /* as it was shown last */
};

/* Those of a peer. */
struct uroce_view {
	const struct uroce_tables_memory *memory; /* NULL: none */
};

/* A region that peers may have rights to. */
struct uroce_shown_region {
	uint32_t key;
	uint32_t pd;
	uint32_t access; /* enum ibv_access_flags; 0: it is gone, or no such */
	uint64_t base;
	uint64_t iova;
	uint64_t bytes;
	uint64_t share; /* that all of it lies in (uroce_share.h), or 0 */
	uint64_t share_offset; /* of its first byte */
};

/* A QP. */
struct uroce_shown_qp {
	uint32_t qpn;
	bool ready; /* takes WRITEs and READs */
	uint32_t dest_qpn;
	uint32_t pd;
	uint32_t access; /* enum ibv_access_flags */
	bool pulls;	 /* it can read the memory of the other end */
	uint64_t token;	 /* of the process at the other end */
};

/* An access to the memory of a peer, by one of our QPs. */
struct uroce_wanted {
	uint32_t qpn; /* ours */
	uint64_t token;
	uint32_t dest_qpn;
	uint32_t rkey;
	uint64_t va;
	uint64_t bytes;
	uint32_t access; /* the right that is needed */
};

/** uroce_tables_init() - nothing is shown */
void uroce_tables_init(struct uroce_tables *tables);

/**
 * uroce_tables_open() - make tables, which are empty
 * @nonce: a random number; 0: nobody is to reach into our memory
 *
 * Return: 0, or -errno, -EINVAL if this system cannot seal memory so.
 */
int uroce_tables_open(struct uroce_tables *tables, uint64_t nonce);

void uroce_tables_close(struct uroce_tables *tables);

/** uroce_tables_forget() - in a child of fork(), which has not the memory */
void uroce_tables_forget(struct uroce_tables *tables);

/** uroce_tables_show_region() - of that index; one thread at a time */
void uroce_tables_show_region(struct uroce_tables *tables,
			      const struct uroce_shown_region *region);

/** uroce_tables_show_qp() - likewise */
void uroce_tables_show_qp(struct uroce_tables *tables,
			  const struct uroce_shown_qp *qp);

/**
 * uroce_tables_show_landing() - where a QP wants a message written to
 * @qpn: that is shown, or is going to be
 * @landing: with bytes 0: nowhere
 *
 * In order with what uroce_tables_begin() says it is in order with.
 */
void uroce_tables_show_landing(struct uroce_tables *tables, uint32_t qpn,
			       enum uroce_landing_kind kind,
			       const struct uroce_landing *landing);

/** uroce_tables_polled() - the application polls; @now: ns */
void uroce_tables_polled(struct uroce_tables *tables, uint64_t now);

/**
 * uroce_tables_begin() - we are going to copy to or from a peer's memory
 *
 * What is found in its tables afterwards stays true until uroce_tables_end():
 * who wants to change it hides it first, then looks whether we copy. All of
 * these accesses are sequentially consistent, but for the end.
 */
void uroce_tables_begin(struct uroce_tables *tables, uint32_t slot);
void uroce_tables_end(struct uroce_tables *tables, uint32_t slot);

/**
 * uroce_view_open() - map the tables of a peer
 *
 * Return: 0; -EPROTO if they are none, or could shrink; or -errno.
 */
int uroce_view_open(int fd, struct uroce_view *ret_view);

void uroce_view_close(struct uroce_view *view);

/** uroce_view_nonce() - the nonce of the peer, in its memory */
struct uroce_nonce uroce_view_nonce(const struct uroce_view *view);

/** uroce_view_polled() - when its application has polled last, in ns */
uint64_t uroce_view_polled(const struct uroce_view *view);

/** uroce_view_copying() - odd: it copies to or from the memory of @slot */
uint32_t uroce_view_copying(const struct uroce_view *view, uint32_t slot);

/** uroce_view_nr_shared() - where it says how many regions lie in shares */
const uint32_t *uroce_view_nr_shared(const struct uroce_view *view);

/* Where something is. */
struct uroce_found {
	uint64_t address; /* in the peer's memory */
	uint64_t share;	  /* 0: there only */
	uint64_t share_offset;
};

/**
 * uroce_view_find() - may we, and where is it?
 * @view: of the peer; between uroce_tables_begin() and uroce_tables_end()
 * @wanted: the access
 * @ret_found: receives where
 *
 * Checks what the peer's responder would check.
 *
 * Return: 0; -EACCES if not, or if it is not known.
 */
int uroce_view_find(const struct uroce_view *view,
		    const struct uroce_wanted *wanted,
		    struct uroce_found *ret_found);

/**
 * uroce_view_is_open() - whether the QP of @wanted is connected to ours
 * @wanted: qpn, token and dest_qpn; no key, no access
 * @ret_pulls: receives whether it can read our memory
 */
bool uroce_view_is_open(const struct uroce_view *view,
			const struct uroce_wanted *wanted, bool *ret_pulls);

/**
 * uroce_view_landing() - where that QP wants a message written to
 * @kind: which of its two
 * @ret_landing: receives it
 *
 * A hint, but between uroce_tables_begin() and uroce_tables_end().
 *
 * Return: whether there is any.
 */
bool uroce_view_landing(const struct uroce_view *view, uint32_t dest_qpn,
			enum uroce_landing_kind kind,
			struct uroce_landing *ret_landing);

#endif
