/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * MR directory: the memory in which a process publishes to its peers the state
 * that they need for direct access: its MRs, its QPs, when its application has
 * polled, and which peers' memory it accesses. Seals ensure that only its owner
 * can write to it.
 *
 * A wrong entry in the directory of a peer harms only that peer, since an entry
 * contains addresses in the peer's own memory.
 */
#ifndef UROCE_SHM_DIRECTORY_H
#define UROCE_SHM_DIRECTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "uroce/roce/uroce_channel.h"
#include "uroce/shm/uroce_nonce.h"

struct uroce_shm_directory_memory; /* uroce_shm_directory_layout.h */

/* The directory of this process. */
struct uroce_shm_directory {
	struct uroce_shm_directory_memory *memory; /* NULL: no directory */
	int fd;					   /* for the peers; -1: none */
	struct uroce_nonce nonce;
	uint64_t polled_ns; /* as last published */
};

/* The directory of a peer. */
struct uroce_shm_remote {
	const struct uroce_shm_directory_memory *memory; /* NULL: none */
};

/* Set in every import that is possible, besides enum ibv_access_flags. */
#define UROCE_IMPORT_POSSIBLE 0x80000000u

/* An MR to which peers may have access rights. Published if any right is set */
struct uroce_published_region {
	uint32_t key;
	uint32_t pd;
	uint32_t access; /* of peers: enum ibv_access_flags */
	uint32_t import; /* of processes that import the MR; likewise */
	uint64_t base;
	uint64_t iova;
	uint64_t bytes;
	uint64_t share;	       /* that contains the MR (uroce_share.h), or 0 */
	uint64_t share_offset; /* of its first byte */
};

struct uroce_published_qp {
	uint32_t qpn;
	bool ready; /* permits direct access */
	uint32_t dest_qpn;
	uint32_t pd;
	uint32_t access; /* enum ibv_access_flags */
	bool pulls;	 /* it can read the peer's memory by CMA */
	uint64_t token;	 /* of the peer process */
};

/* An access of a local QP to the memory of a peer. */
struct uroce_wanted {
	uint32_t qpn; /* local QP */
	uint64_t token;
	uint32_t dest_qpn;
	uint32_t rkey;
	uint64_t va;
	uint64_t bytes;
	uint32_t access; /* rights that are needed */
};

/** uroce_shm_directory_init() - initialise to no directory */
void uroce_shm_directory_init(struct uroce_shm_directory *directory);

/**
 * uroce_shm_directory_open() - create an empty directory
 * @nonce: a random number; 0: peers do not use CMA on this process
 *
 * Return: 0; -EINVAL if the kernel has no F_SEAL_FUTURE_WRITE; or -errno.
 */
int uroce_shm_directory_open(struct uroce_shm_directory *directory,
			     uint64_t nonce);

void uroce_shm_directory_close(struct uroce_shm_directory *directory);

/**
 * uroce_shm_directory_forget() - close the descriptor in a child of fork()
 *
 * The child does not inherit the mapping.
 */
void uroce_shm_directory_forget(struct uroce_shm_directory *directory);

/**
 * uroce_shm_directory_publish_region() - publish or withdraw an MR
 *
 * Context: with the engine lock.
 */
void uroce_shm_directory_publish_region(
	struct uroce_shm_directory *directory,
	const struct uroce_published_region *region);

/**
 * uroce_shm_directory_publish_qp() - publish or withdraw a QP
 *
 * Context: with the engine lock.
 */
void uroce_shm_directory_publish_qp(struct uroce_shm_directory *directory,
				    const struct uroce_published_qp *qp);

/**
 * uroce_shm_directory_publish_sink() - publish or withdraw a sink
 * @qpn: QP that is published now or later
 * @sink: the buffer for a message; bytes 0: withdraw
 *
 * The withdrawal is in the order that uroce_shm_directory_begin() describes.
 */
void uroce_shm_directory_publish_sink(struct uroce_shm_directory *directory,
				      uint32_t qpn, enum uroce_sink_kind kind,
				      const struct uroce_sink *sink);

/**
 * uroce_shm_directory_publish_pd() - publish or withdraw a PD, for imports
 * @context: number of its context
 *
 * Without room, the PD is not published. Context: with the engine lock.
 */
void uroce_shm_directory_publish_pd(struct uroce_shm_directory *directory,
				    uint32_t context, uint32_t pd, bool exists);

/**
 * uroce_shm_directory_publish_peer() - publish whether this process waits for
 * accesses that a peer announces
 * @token: of the peer; 0: it does not
 */
void uroce_shm_directory_publish_peer(struct uroce_shm_directory *directory,
				      uint32_t slot, uint64_t token);

/** uroce_shm_directory_polled() - publish the time of a poll; @now: ns */
void uroce_shm_directory_polled(struct uroce_shm_directory *directory,
				uint64_t now);

/**
 * uroce_shm_directory_begin() - announce an access to memory of the peer in
 * @slot
 *
 * Rows that are found in the peer's directory afterwards stay valid until
 * uroce_shm_directory_end(): to change one, the peer withdraws it, and then
 * checks whether an access is announced. All of these accesses are sequentially
 * consistent, except the end.
 */
void uroce_shm_directory_begin(struct uroce_shm_directory *directory,
			       uint32_t slot);
void uroce_shm_directory_end(struct uroce_shm_directory *directory,
			     uint32_t slot);

/**
 * uroce_shm_directory_begin_import() - likewise for an access to an imported MR
 *
 * Context: one thread at a time; without the engine lock.
 */
void uroce_shm_directory_begin_import(struct uroce_shm_directory *directory,
				      uint32_t slot);
void uroce_shm_directory_end_import(struct uroce_shm_directory *directory,
				    uint32_t slot);

/**
 * uroce_shm_remote_open() - map the directory of a peer
 *
 * Return: 0; -EPROTO if the file is no directory or could shrink; or -errno.
 */
int uroce_shm_remote_open(int fd, struct uroce_shm_remote *ret_remote);

void uroce_shm_remote_close(struct uroce_shm_remote *remote);

/** uroce_shm_remote_nonce() - get the nonce of the peer and its address */
struct uroce_nonce
uroce_shm_remote_nonce(const struct uroce_shm_remote *remote);

/** uroce_shm_remote_polled() - get the time of the peer's last poll, in ns */
uint64_t uroce_shm_remote_polled(const struct uroce_shm_remote *remote);

/** uroce_shm_remote_copying() - odd: the peer accesses memory of @slot */
uint32_t uroce_shm_remote_copying(const struct uroce_shm_remote *remote,
				  uint32_t slot);

/** uroce_shm_remote_importing() - odd: likewise, to an imported MR */
uint32_t uroce_shm_remote_importing(const struct uroce_shm_remote *remote,
				    uint32_t slot);

/** uroce_shm_remote_waits() - whether the peer waits for accesses of a process
 */
bool uroce_shm_remote_waits(const struct uroce_shm_remote *remote,
			    uint32_t slot, uint64_t token);

/** uroce_shm_remote_has_pd() - whether a context of the peer has a PD */
bool uroce_shm_remote_has_pd(const struct uroce_shm_remote *remote,
			     uint32_t context, uint32_t pd);

/**
 * uroce_shm_remote_region() - get the row of an MR
 * @ret_region: receives it; its values are unchecked
 *
 * Return: whether an MR with this key is published.
 */
bool uroce_shm_remote_region(const struct uroce_shm_remote *remote,
			     uint32_t key,
			     struct uroce_published_region *ret_region);

/** uroce_shm_remote_nr_shared() - get the address of the number of shared MRs
 */
const uint32_t *
uroce_shm_remote_nr_shared(const struct uroce_shm_remote *remote);

/* Result of a lookup. */
struct uroce_found {
	uint64_t address; /* in the peer's memory */
	uint64_t share;	  /* 0: in no share */
	uint64_t share_offset;
};

/**
 * uroce_shm_remote_find() - check an access and look up its address
 * @remote: of the peer; between uroce_shm_directory_begin() and
 *	uroce_shm_directory_end()
 * @wanted: the access
 * @ret_found: receives the address
 *
 * The checks are those of the peer's responder.
 *
 * Return: 0; -EACCES if the QP or MR is not published or denies the access.
 */
int uroce_shm_remote_find(const struct uroce_shm_remote *remote,
			  const struct uroce_wanted *wanted,
			  struct uroce_found *ret_found);

/**
 * uroce_shm_remote_is_open() - check whether the QPs of @wanted are connected
 * @wanted: qpn, token and dest_qpn; no key, no access
 * @ret_pulls: receives whether the peer can read memory of this process
 */
bool uroce_shm_remote_is_open(const struct uroce_shm_remote *remote,
			      const struct uroce_wanted *wanted,
			      bool *ret_pulls);

/**
 * uroce_shm_remote_sink() - get a sink of a QP of the peer
 * @kind: for a SEND or for the response to a READ
 * @ret_sink: receives the buffer
 *
 * A hint, except between uroce_shm_directory_begin() and
 * uroce_shm_directory_end().
 *
 * Return: whether a buffer is published.
 */
bool uroce_shm_remote_sink(const struct uroce_shm_remote *remote,
			   uint32_t dest_qpn, enum uroce_sink_kind kind,
			   struct uroce_sink *ret_sink);

#endif
