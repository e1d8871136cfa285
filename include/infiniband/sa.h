/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Records of the InfiniBand subnet administrator (IBTA 1, 15.2.5): paths,
 * multicast groups and services. The ibv_sa_ structs are unpacked, one member
 * per field; struct ibv_path_record is the record as it is on the wire. Used
 * by librdmacm and by programs that query a subnet administrator; libibverbs
 * only declares them.
 */
#ifndef INFINIBAND_SA_H
#define INFINIBAND_SA_H

#include <infiniband/verbs.h>
#include <linux/types.h>

/*
 * A PathRecord, unpacked. Each *_selector is the comparison for the member
 * after it: 0 greater than, 1 less than, 2 exactly, 3 the best available.
 */
struct ibv_sa_path_rec {
	union ibv_gid dgid;
	union ibv_gid sgid;
	__be16 dlid;
	__be16 slid;
	int raw_traffic;   /* boolean */
	__be32 flow_label; /* 20 bits */
	uint8_t hop_limit;
	uint8_t traffic_class;
	int reversible;	   /* boolean */
	uint8_t numb_path; /* number of requested paths */
	__be16 pkey;
	uint8_t sl;
	uint8_t mtu_selector;
	uint8_t mtu; /* enum ibv_mtu */
	uint8_t rate_selector;
	uint8_t rate; /* enum ibv_rate */
	uint8_t packet_life_time_selector;
	uint8_t packet_life_time; /* 4.096 us * 2^n */
	uint8_t preference;	  /* 0 is best */
};

/* An MCMemberRecord, unpacked. */
struct ibv_sa_mcmember_rec {
	union ibv_gid mgid;
	union ibv_gid port_gid;
	uint32_t qkey;
	uint16_t mlid;
	uint8_t mtu_selector;
	uint8_t mtu; /* enum ibv_mtu */
	uint8_t traffic_class;
	uint16_t pkey;
	uint8_t rate_selector;
	uint8_t rate; /* enum ibv_rate */
	uint8_t packet_life_time_selector;
	uint8_t packet_life_time; /* 4.096 us * 2^n */
	uint8_t sl;
	uint32_t flow_label;
	uint8_t hop_limit;
	uint8_t scope;
	uint8_t join_state;
	int proxy_join; /* boolean */
};

/* A ServiceRecord, unpacked. */
struct ibv_sa_service_rec {
	uint64_t id;
	union ibv_gid gid;
	uint16_t pkey;
	uint32_t lease; /* seconds; all ones: unlimited */
	uint8_t key[16];
	uint8_t name[64]; /* UTF-8 */
	uint8_t data8[16];
	uint16_t data16[8];
	uint32_t data32[4];
	uint64_t data64[2];
};

/* The reversible bit of ibv_path_record.reversible_numpath. */
#define IBV_PATH_RECORD_REVERSIBLE 0x80

/* A PathRecord in wire format: every field in network order. */
struct ibv_path_record {
	__be64 service_id;
	union ibv_gid dgid;
	union ibv_gid sgid;
	__be16 dlid;
	__be16 slid;
	__be32 flowlabel_hoplimit; /* bits 27-8 flow label, 7-0 hop limit */
	uint8_t tclass;
	uint8_t reversible_numpath; /* bit 7 reversible, 6-0 count */
	__be16 pkey;
	__be16 qosclass_sl; /* bits 15-4 QoS class, 3-0 SL */
	uint8_t mtu; /* bits 7-6 selector, 5-0 value; the next two likewise */
	uint8_t rate;
	uint8_t packetlifetime;
	uint8_t preference;
	uint8_t reserved[6];
};

/* Purpose of a path in struct ibv_path_data. */
#define IBV_PATH_FLAG_GMP	      (1 << 0) /* connection management messages */
#define IBV_PATH_FLAG_PRIMARY	      (1 << 1)
#define IBV_PATH_FLAG_ALTERNATE	      (1 << 2)
#define IBV_PATH_FLAG_OUTBOUND	      (1 << 3)
#define IBV_PATH_FLAG_INBOUND	      (1 << 4)
#define IBV_PATH_FLAG_INBOUND_REVERSE (1 << 5)
#define IBV_PATH_FLAG_BIDIRECTIONAL \
	(IBV_PATH_FLAG_OUTBOUND | IBV_PATH_FLAG_INBOUND_REVERSE)

/* A path and its purpose; result of a path resolver. */
struct ibv_path_data {
	uint32_t flags; /* IBV_PATH_FLAG_* */
	uint32_t reserved;
	struct ibv_path_record path;
};

#endif /* INFINIBAND_SA_H */
