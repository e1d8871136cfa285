/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Trace files: what the layer trace writes and ibv_trace(1) reads. The file is
 * sparse. It has a header, the SRQs, the QPs, one ring of records for each
 * thread, and the requests in flight. Numbers have the byte order of the
 * machine; times are nanoseconds since start_monotonic_ns.
 *
 * A program that is killed leaves the file as it is. Records are therefore
 * complete at any time, except the one whose sequence number is wrong.
 */
#ifndef LAYERS_TRACE_FORMAT_H
#define LAYERS_TRACE_FORMAT_H

#include <stdint.h>

#include "layers/trace/trace_ops.h"

#define TRACE_MAGIC	 UINT64_C(0x3730304352544256) /* "VBTRC007" */
#define TRACE_NR_RINGS	 64U
#define TRACE_NR_QPS	 1024U
#define TRACE_NR_SRQS	 256U
#define TRACE_NR_OPCODES 16U
#define TRACE_NR_STATUS	 32U
#define TRACE_PAGE	 4096U
/* Space for requests in flight; a queue has at most as many places. */
#define TRACE_ENTRIES_BYTES (UINT64_C(64) << 20)
#define TRACE_MAX_ENTRIES   (1U << 16)

/*
 * Histograms have 32 buckets for each power of two, so a bucket is at most
 * 3.2 % wide. The last one also counts longer times.
 */
#define TRACE_NR_BUCKETS 1248U

enum trace_op {
#define TRACE_CONSTANT(name, function)		   TRACE_##name,
#define TRACE_OP_CONSTANT(op, name, function, ...) TRACE_##name,
	TRACE_DATA_OPS(TRACE_CONSTANT) TRACE_NR_DATA_OPS,
	TRACE_LAST_DATA_OP = TRACE_NR_DATA_OPS - 1,
	TRACE_CONTROL_OPS(TRACE_OP_CONSTANT, TRACE_OP_CONSTANT,
			  TRACE_OP_CONSTANT, TRACE_CONSTANT) TRACE_NR_OPS,
#undef TRACE_OP_CONSTANT
#undef TRACE_CONSTANT
};

enum trace_kind {
	TRACE_CALL = 1,
	TRACE_SEND,	  /* a request of a send queue */
	TRACE_RECV,	  /* a receive request */
	TRACE_COMPLETION, /* of either */
	TRACE_EVENT,	  /* asynchronous */
};

#define TRACE_NO_QP	 UINT32_MAX
#define TRACE_NO_SRQ	 UINT32_MAX
#define TRACE_NO_LATENCY UINT64_MAX

struct trace_record {
	uint64_t sequence; /* index in the ring plus 1; stored last */
	uint64_t begin_ns;
	uint64_t wr_id;
	uint64_t bytes;
	/*
	 * TRACE_SEND: remote address. TRACE_COMPLETION: time since the post, or
	 * TRACE_NO_LATENCY. TRACE_CALL of a QP: the number of the last requests
	 * of its thread that were built with ibv_wr_*() and not posted.
	 */
	uint64_t value;
	uint32_t duration_ns; /* of the call; at most UINT32_MAX */
	uint32_t thread;      /* as gettid(2) */
	uint32_t qp;	      /* index of the QP, or TRACE_NO_QP */
	int32_t result;	      /* TRACE_CALL, requests: 0 or -errno */
	/*
	 * TRACE_SEND: rkey, or of a UD QP the number of the remote QP.
	 * TRACE_COMPLETION: number of the QP, or of a message that a UD QP
	 * received, that of the sender. TRACE_CALL: handle or lkey.
	 * TRACE_EVENT: number of the QP or port, or handle.
	 */
	uint32_t key;
	uint8_t kind;	/* enum trace_kind */
	uint8_t op;	/* enum trace_op: the call */
	uint8_t opcode; /* enum ibv_wr_opcode, ibv_wc_opcode or
			   ibv_event_type */
	uint8_t status; /* TRACE_COMPLETION: enum ibv_wc_status */
};

/* Of a control call, threads may write them at the same time, by additions. */
struct trace_call_stats {
	uint64_t calls, errors;
	uint64_t empty; /* polls without a completion */
	uint64_t total_ns, max_ns;
	uint64_t buckets[TRACE_NR_BUCKETS];
};

struct trace_ring {
	uint32_t thread; /* of the last user; 0: never used */
	uint32_t pad;
	uint64_t next; /* number of records that were written */
	struct trace_call_stats calls[TRACE_NR_DATA_OPS];
	/* records follow at the next page */
};

/* A request that was posted. */
struct trace_entry {
	_Alignas(8) uint64_t wr_id;
	uint64_t begin_ns;
	uint32_t bytes;
	uint8_t opcode; /* enum ibv_wr_opcode; receive queues: 0 */
	uint8_t state;	/* enum trace_entry_state */
};

enum trace_entry_state { TRACE_ENTRY_FREE, TRACE_ENTRY_POSTED };

/*
 * Requests in flight. Place N is the entry N % size. Those from head to tail
 * are in flight if their state says so; head is the oldest.
 */
struct trace_queue_state {
	_Alignas(8) uint64_t entries; /* offset; 0: they are not in the file */
	uint32_t size;		      /* power of two */
	uint32_t head, tail;
};

/* An SRQ, likewise. */
struct trace_srq_stats {
	uint32_t is_used; /* 0: there are no more */
	uint32_t handle;
	uint64_t destroyed_ns; /* 0: it exists */
	struct trace_queue_state queue;
	uint64_t requests, completions, bytes;
	char device[64];
};

/* A QP. Other threads may write it at the same time, by atomic additions. */
struct trace_qp_stats {
	uint32_t number; /* 0 and type 0: not used */
	uint32_t type;	 /* enum ibv_qp_type */
	uint32_t dest_qp_num;
	uint32_t state;	       /* enum ibv_qp_state, of ibv_modify_qp() */
	uint32_t first_status; /* of a completion with an error; 0: none */
	uint32_t resets;       /* that may have dropped requests */
	uint32_t sq_psn, rq_psn;
	uint16_t has_sq_psn, has_rq_psn;
	uint32_t srq; /* index of its SRQ plus 1; 0: it has none in the file */
	uint64_t destroyed_ns; /* 0: it exists */
	struct trace_queue_state send, recv;
	uint8_t own_gid[16], peer_gid[16];
	char device[64];
	uint64_t first_ns, last_ns; /* of its requests and completions */
	uint64_t requests[TRACE_NR_OPCODES], bytes[TRACE_NR_OPCODES];
	uint64_t recv_requests;
	uint64_t send_completions, recv_completions, recv_bytes;
	uint64_t recv_errors; /* of recv_completions */
	uint64_t unmatched;   /* completions whose request was not found */
	uint64_t max_ns;
	uint64_t status[TRACE_NR_STATUS];   /* completions with an error */
	uint64_t buckets[TRACE_NR_BUCKETS]; /* of send requests */
};

/* Time = (ticks - start) * multiplier / 2^TRACE_CLOCK_SHIFT, in ns. */
#define TRACE_CLOCK_SHIFT 24
struct trace_clock {
	uint64_t start;
	uint64_t multiplier; /* 0: CLOCK_MONOTONIC, start in ns */
};

struct trace_header {
	uint64_t magic;
	uint32_t header_bytes, record_bytes, qp_bytes, call_bytes;
	uint32_t nr_data_ops, nr_ops, nr_buckets;
	uint32_t nr_qps, nr_rings; /* capacity */
	uint32_t ring_records;	   /* power of two */
	uint32_t process;
	uint64_t qp_offset, call_offset, ring_offset, ring_bytes;
	uint64_t start_monotonic_ns, start_realtime_ns;
	struct trace_clock clock;
	uint64_t entries_offset, entries_bytes;
	uint64_t lost_threads, lost_qps, lost_srqs; /* beyond the capacity */
	/* Files of one boot of one machine have the same; zero: unknown. */
	char boot_id[40];
	char program[64];
};

/* Offset of the records in a ring. */
#define TRACE_RECORDS_OFFSET \
	((sizeof(struct trace_ring) + TRACE_PAGE - 1) / TRACE_PAGE * TRACE_PAGE)
/* Distances of QPs and of the numbers of control calls. */
#define TRACE_QP_BYTES	 (3 * TRACE_PAGE)
#define TRACE_CALL_BYTES (3 * TRACE_PAGE)

#define TRACE_SRQ_BYTES 256U

#define TRACE_SRQ_OFFSET ((uint64_t)TRACE_PAGE)
#define TRACE_QP_OFFSET \
	(TRACE_SRQ_OFFSET + (uint64_t)TRACE_NR_SRQS * TRACE_SRQ_BYTES)
#define TRACE_CALL_OFFSET \
	(TRACE_QP_OFFSET + (uint64_t)TRACE_NR_QPS * TRACE_QP_BYTES)
#define TRACE_NR_CONTROL_OPS (TRACE_NR_OPS - TRACE_NR_DATA_OPS)
#define TRACE_RING_OFFSET \
	(TRACE_CALL_OFFSET + (uint64_t)TRACE_NR_CONTROL_OPS * TRACE_CALL_BYTES)

_Static_assert(sizeof(struct trace_record) == 64, "a cache line");
_Static_assert(sizeof(struct trace_entry) == 24, "the same on all machines");
_Static_assert(sizeof(struct trace_qp_stats) <= TRACE_QP_BYTES, "size of a QP");
_Static_assert(sizeof(struct trace_srq_stats) <= TRACE_SRQ_BYTES,
	       "size of an SRQ");
_Static_assert(sizeof(struct trace_call_stats) <= TRACE_CALL_BYTES,
	       "size of the numbers of a call");
_Static_assert(sizeof(struct trace_header) <= TRACE_PAGE, "size of the header");

/** trace_bucket() - return the bucket of a time */
static inline uint32_t trace_bucket(uint64_t ns)
{
	uint32_t power, bucket;

	if (ns < 32)
		return (uint32_t)ns;
	power = 63U - (uint32_t)__builtin_clzll(ns);
	bucket = (power - 4) * 32 + (uint32_t)((ns >> (power - 5)) & 31);
	return bucket < TRACE_NR_BUCKETS ? bucket : TRACE_NR_BUCKETS - 1;
}

/** trace_bucket_ns() - return the lowest time of a bucket */
static inline uint64_t trace_bucket_ns(uint32_t bucket)
{
	uint32_t power = bucket / 32 + 4;

	if (bucket < 32)
		return bucket;
	return (UINT64_C(1) << power) |
	       ((uint64_t)(bucket % 32) << (power - 5));
}

#endif
