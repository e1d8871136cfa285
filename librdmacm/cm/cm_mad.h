/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * MADs of the communication manager (IBTA 12.6 to 12.11) in decoded form, and
 * the codec between this form and the 256 bytes on the wire. All members are in
 * host order; GIDs, private data and additional information are bytes as on the
 * wire. Times are 5-bit exponents n of 4.096 us * 2^n.
 */
#ifndef CM_CM_MAD_H
#define CM_CM_MAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CM_MAD_LEN    256
#define CM_GID_LEN    16
#define CM_ARI_LEN    72
#define CM_QPN_MASK   0xffffff
#define CM_PSN_MASK   0xffffff
#define CM_GSI_QPN    1
#define CM_GSI_QKEY   0x80010000
#define CM_PKEY	      0xffff /* the default partition, full member */
#define CM_LID_GLOBAL 0xffff /* LID of a path with a hop limit above 1 */

/* Bytes of private data in each message */
enum {
	CM_REQ_PRIVATE_LEN = 92,
	CM_MRA_PRIVATE_LEN = 222,
	CM_REJ_PRIVATE_LEN = 148,
	CM_REP_PRIVATE_LEN = 196,
	CM_RTU_PRIVATE_LEN = 224,
	CM_DREQ_PRIVATE_LEN = 220,
	CM_DREP_PRIVATE_LEN = 224,
	CM_SIDR_REQ_PRIVATE_LEN = 216,
	CM_SIDR_REP_PRIVATE_LEN = 136,
};

/* Attribute ids */
enum cm_attr {
	CM_REQ = 0x10,
	CM_MRA = 0x11,
	CM_REJ = 0x12,
	CM_REP = 0x13,
	CM_RTU = 0x14,
	CM_DREQ = 0x15,
	CM_DREP = 0x16,
	CM_SIDR_REQ = 0x17,
	CM_SIDR_REP = 0x18,
};

/* The message that an MRA or a REJ refers to */
enum cm_message {
	CM_MESSAGE_REQ = 0,
	CM_MESSAGE_REP = 1,
	CM_MESSAGE_OTHER = 2,
};

/* Transport service type of a REQ */
enum cm_service_type {
	CM_SERVICE_RC = 0,
	CM_SERVICE_UC = 1,
	CM_SERVICE_RD = 2,
	CM_SERVICE_EXTENDED = 3, /* see enum cm_extended_type */
};

/* Extended transport type of a REQ */
enum cm_extended_type {
	CM_EXTENDED_XRC = 1,
};

/* Reasons of a REJ (IBTA 12.6.7.2) */
enum cm_reject_reason {
	CM_REJ_NO_QP = 1,
	CM_REJ_NO_EEC = 2,
	CM_REJ_NO_RESOURCES = 3,
	CM_REJ_TIMEOUT = 4,
	CM_REJ_UNSUPPORTED_REQUEST = 5,
	CM_REJ_INVALID_COMM_ID = 6,
	CM_REJ_INVALID_COMM_INSTANCE = 7,
	CM_REJ_INVALID_SERVICE_ID = 8,
	CM_REJ_INVALID_TRANSPORT_TYPE = 9,
	CM_REJ_STALE_CONNECTION = 10,
	CM_REJ_RDC_DOES_NOT_EXIST = 11,
	CM_REJ_INVALID_GID = 12,
	CM_REJ_INVALID_LID = 13,
	CM_REJ_INVALID_SL = 14,
	CM_REJ_INVALID_TRAFFIC_CLASS = 15,
	CM_REJ_INVALID_HOP_LIMIT = 16,
	CM_REJ_INVALID_PACKET_RATE = 17,
	CM_REJ_INVALID_ALT_GID = 18,
	CM_REJ_INVALID_ALT_LID = 19,
	CM_REJ_INVALID_ALT_SL = 20,
	CM_REJ_INVALID_ALT_TRAFFIC_CLASS = 21,
	CM_REJ_INVALID_ALT_HOP_LIMIT = 22,
	CM_REJ_INVALID_ALT_PACKET_RATE = 23,
	CM_REJ_PORT_CM_REDIRECT = 24,
	CM_REJ_PORT_REDIRECT = 25,
	CM_REJ_INVALID_MTU = 26,
	CM_REJ_INSUFFICIENT_RESOURCES = 27,
	CM_REJ_CONSUMER = 28,
	CM_REJ_INVALID_RNR_RETRY = 29,
	CM_REJ_DUPLICATE_COMM_ID = 30,
	CM_REJ_INVALID_CLASS_VERSION = 31,
	CM_REJ_INVALID_FLOW_LABEL = 32,
	CM_REJ_INVALID_ALT_FLOW_LABEL = 33,
	CM_REJ_VENDOR_OPTION = 35,
};

/* Status of a SIDR_REP (IBTA 12.11.2) */
enum cm_sidr_status {
	CM_SIDR_OK = 0,
	CM_SIDR_NO_SERVICE = 1,
	CM_SIDR_REJECTED = 2,
	CM_SIDR_NO_QP = 3,
	CM_SIDR_REDIRECT = 4,
	CM_SIDR_VERSION = 5,
};

/* Primary or alternate path of a REQ, from the sender of the REQ */
struct cm_req_path {
	uint16_t local_lid;
	uint16_t remote_lid;
	uint8_t local_gid[CM_GID_LEN];
	uint8_t remote_gid[CM_GID_LEN];
	uint32_t flow_label; /* 20 bits */
	uint8_t packet_rate; /* 6 bits */
	uint8_t traffic_class;
	uint8_t hop_limit;
	uint8_t sl; /* 4 bits */
	bool subnet_local;
	uint8_t local_ack_timeout; /* 5 bits */
};

struct cm_req {
	uint32_t local_comm_id;
	uint64_t service_id;
	uint64_t local_ca_guid;
	uint32_t vendor_id; /* 24 bits, of ECE */
	uint32_t local_qkey;
	uint32_t local_qpn;  /* 24 bits */
	uint32_t local_eecn; /* 24 bits */
	uint32_t remote_eecn;
	uint32_t starting_psn; /* 24 bits */
	uint8_t responder_resources;
	uint8_t initiator_depth;
	uint8_t remote_cm_timeout; /* 5 bits */
	uint8_t local_cm_timeout;  /* 5 bits */
	uint8_t service_type;	   /* enum cm_service_type */
	uint8_t extended_type;	   /* 3 bits */
	uint8_t retry_count;	   /* 3 bits */
	uint8_t rnr_retry_count;   /* 3 bits */
	uint8_t max_cm_retries;	   /* 4 bits */
	uint8_t path_mtu;	   /* 4 bits, as enum ibv_mtu */
	uint16_t pkey;
	bool flow_control;
	bool rdc_exists;
	bool srq;
	bool sap_supported;
	struct cm_req_path primary;
	struct cm_req_path alternate;
	uint8_t private_data[CM_REQ_PRIVATE_LEN];
};

/* cm_req_is_xrc() - whether the sender of a REQ is an initiator of XRC */
static inline bool cm_req_is_xrc(const struct cm_req *req)
{
	return req->service_type == CM_SERVICE_EXTENDED &&
	       req->extended_type == CM_EXTENDED_XRC;
}

struct cm_mra {
	uint32_t local_comm_id;
	uint32_t remote_comm_id;
	uint8_t message;	 /* enum cm_message */
	uint8_t service_timeout; /* 5 bits */
	uint8_t private_data[CM_MRA_PRIVATE_LEN];
};

struct cm_rej {
	uint32_t local_comm_id; /* 0 if the sender has no connection */
	uint32_t remote_comm_id;
	uint8_t message; /* enum cm_message */
	uint8_t ari_len; /* 7 bits; may be larger than the field */
	uint16_t reason; /* enum cm_reject_reason */
	uint8_t ari[CM_ARI_LEN];
	uint8_t private_data[CM_REJ_PRIVATE_LEN];
};

struct cm_rep {
	uint32_t local_comm_id;
	uint32_t remote_comm_id;
	uint64_t local_ca_guid;
	uint32_t vendor_id; /* 24 bits, of ECE */
	uint32_t local_qkey;
	uint32_t local_qpn;    /* 24 bits */
	uint32_t local_eecn;   /* 24 bits */
	uint32_t starting_psn; /* 24 bits */
	uint8_t responder_resources;
	uint8_t initiator_depth;
	uint8_t target_ack_delay; /* 5 bits */
	uint8_t failover;	  /* 2 bits */
	uint8_t rnr_retry_count;  /* 3 bits */
	bool flow_control;
	bool srq;
	uint8_t private_data[CM_REP_PRIVATE_LEN];
};

struct cm_rtu {
	uint32_t local_comm_id;
	uint32_t remote_comm_id;
	uint8_t private_data[CM_RTU_PRIVATE_LEN];
};

struct cm_dreq {
	uint32_t local_comm_id;
	uint32_t remote_comm_id;
	uint32_t remote_qpn; /* 24 bits; of the receiver */
	uint8_t private_data[CM_DREQ_PRIVATE_LEN];
};

struct cm_drep {
	uint32_t local_comm_id;
	uint32_t remote_comm_id;
	uint8_t private_data[CM_DREP_PRIVATE_LEN];
};

struct cm_sidr_req {
	uint32_t request_id;
	uint16_t pkey;
	uint64_t service_id;
	uint8_t private_data[CM_SIDR_REQ_PRIVATE_LEN];
};

struct cm_sidr_rep {
	uint32_t request_id;
	uint8_t status; /* enum cm_sidr_status */
	uint8_t info_len;
	uint32_t vendor_id; /* 24 bits, of ECE */
	uint32_t qpn;	    /* 24 bits */
	uint64_t service_id;
	uint32_t qkey;
	uint8_t info[CM_ARI_LEN];
	uint8_t private_data[CM_SIDR_REP_PRIVATE_LEN];
};

struct cm_mad {
	enum cm_attr attr;
	uint32_t attr_mod; /* options of ECE; otherwise 0 */
	uint64_t tid;
	union {
		struct cm_req req;
		struct cm_mra mra;
		struct cm_rej rej;
		struct cm_rep rep;
		struct cm_rtu rtu;
		struct cm_dreq dreq;
		struct cm_drep drep;
		struct cm_sidr_req sidr_req;
		struct cm_sidr_rep sidr_rep;
	};
};

/**
 * cm_mad_encode() - write a MAD
 * @message: the MAD; only the member of the union for its attribute is read
 * @ret_bytes: CM_MAD_LEN bytes; reserved bits become 0
 *
 * Return: 0; -EINVAL if the attribute is unknown, or -ERANGE if a value needs
 * more bits than its field has. @ret_bytes is undefined on failure.
 */
int cm_mad_encode(const struct cm_mad *message, uint8_t *ret_bytes);

/**
 * cm_mad_decode() - read a MAD from the network
 * @bytes: the MAD, from its base version on
 * @len: its length in bytes
 * @ret_mad: the message; reserved bits and the status are ignored
 *
 * Values are within the width of their fields, but not checked otherwise.
 *
 * Return: 0; -EMSGSIZE if the length is not CM_MAD_LEN, -EPROTO if the header
 * is not that of a CM message, or -EOPNOTSUPP for any other attribute.
 */
int cm_mad_decode(const uint8_t *bytes, size_t len, struct cm_mad *ret_mad);

#endif
