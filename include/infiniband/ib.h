/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Addresses of the family AF_IB: a GID and a service id instead of an IP
 * address and a port. rdma_cma.h accepts them wherever it takes a sockaddr.
 */
#ifndef INFINIBAND_IB_H
#define INFINIBAND_IB_H

#include <linux/types.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef AF_IB
#define AF_IB 27
#endif

#ifndef PF_IB
#define PF_IB AF_IB
#endif

/* A GID, in network order whatever the width of the access. */
struct ib_addr {
	union {
		__u8 uib_addr8[16];
		__be16 uib_addr16[8];
		__be32 uib_addr32[4];
		__be64 uib_addr64[2];
	} ib_u;
#define sib_addr8	  ib_u.uib_addr8
#define sib_addr16	  ib_u.uib_addr16
#define sib_addr32	  ib_u.uib_addr32
#define sib_addr64	  ib_u.uib_addr64
#define sib_raw		  ib_u.uib_addr8
#define sib_subnet_prefix ib_u.uib_addr64[0]
#define sib_interface_id  ib_u.uib_addr64[1]
};

/* The service id carries port space and port; the mask has the bits in use. */
struct sockaddr_ib {
	unsigned short int sib_family; /* AF_IB */
	__be16 sib_pkey;
	__be32 sib_flowinfo;
	struct ib_addr sib_addr;
	__be64 sib_sid;
	__be64 sib_sid_mask;
	__u64 sib_scope_id;
};

/* Stores four words in network order. */
static inline void ib_addr_set(struct ib_addr *addr, __be32 w1, __be32 w2,
			       __be32 w3, __be32 w4)
{
	const __be32 words[4] = { w1, w2, w3, w4 };

	memcpy(addr, words, sizeof(words));
}

/* Like memcmp(). */
static inline int ib_addr_cmp(const struct ib_addr *a1,
			      const struct ib_addr *a2)
{
	return memcmp(a1, a2, sizeof(*a1));
}

/* Nonzero for the unspecified address, all zeros. */
static inline int ib_addr_any(const struct ib_addr *a)
{
	return !(a->sib_addr64[0] | a->sib_addr64[1]);
}

/* Nonzero for the loopback address ::1. */
static inline int ib_addr_loopback(const struct ib_addr *a)
{
	struct ib_addr loopback;

	memset(&loopback, 0, sizeof(loopback));
	loopback.sib_addr8[15] = 1;
	return !ib_addr_cmp(a, &loopback);
}

#ifdef __cplusplus
}
#endif

#endif /* INFINIBAND_IB_H */
