/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The communication manager: its objects, and all that a caller uses of it.
 *
 * The engine is a state machine without I/O, clock, threads or allocation. Each
 * function takes the time and, cm_engine_receive(), a MAD; MADs to send and an
 * event are in struct cm_output. The caller sends them in order, calls
 * cm_engine_expire() when the time of cm_engine_deadline() has come, and
 * serializes all calls for one engine.
 *
 * The caller owns the memory of all objects. An object is added to the engine,
 * then used, then removed; only then may its memory be used otherwise.
 *
 * Times are nanoseconds of one clock that does not go back. The rules are those
 * of IBTA chapter 12 as Linux applies them on RoCE; the timeouts, too, are
 * those of Linux, which rounds 4.096 us * 2^n to 2^(n-8) ms, and to 1 ms below
 * that.
 */
#ifndef CM_CM_ENGINE_H
#define CM_CM_ENGINE_H

#include "cm/cm_mad.h"
#include "cm/cm_timer.h"

#include "util/list.h"

/* What a MAD needs besides its bytes, from its sender: the UD packet of QP 1.
 */
struct cm_path {
	uint8_t sgid[CM_GID_LEN];
	uint8_t dgid[CM_GID_LEN];
	uint32_t flow_label;
	uint8_t traffic_class;
	uint8_t hop_limit;
	uint8_t sl;
};

/* States of a connection (IBTA 12.9.7) */
enum cm_state {
	CM_IDLE,
	/* active side, which sends the REQ */
	CM_REQ_SENT,
	CM_MRA_REQ_RCVD, /* the peer needs more time for its REP */
	CM_REP_RCVD,	 /* the caller confirms or rejects */
	CM_MRA_REP_SENT,
	/* passive side */
	CM_REQ_RCVD, /* the caller accepts or rejects */
	CM_MRA_REQ_SENT,
	CM_REP_SENT,
	CM_MRA_REP_RCVD,
	/* both */
	CM_ESTABLISHED,
	CM_DREQ_SENT,
	CM_DREQ_RCVD, /* the caller disconnects */
	CM_TIMEWAIT,
};

enum cm_event_type {
	CM_EVENT_NONE,
	CM_EVENT_REQUEST, /* the spare connection has a REQ */
	CM_EVENT_REPLY,	  /* a REP has arrived */
	CM_EVENT_ESTABLISHED,
	CM_EVENT_REJECTED,    /* status: reason of the REJ */
	CM_EVENT_UNREACHABLE, /* no response to REQ, REP or SIDR_REQ */
	/* status 0: DREQ or DREP received; -ETIMEDOUT: no DREP */
	CM_EVENT_DISCONNECTED,
	CM_EVENT_TIMEWAIT_EXIT,
	CM_EVENT_SIDR_REQUEST, /* the spare sidr has a SIDR_REQ */
	CM_EVENT_SIDR_REPLY,   /* status: that of the SIDR_REP */
};

struct cm_conn;
struct cm_sidr;

struct cm_event {
	enum cm_event_type type;
	int status;
	struct cm_conn *conn; /* NULL for events of SIDR */
	struct cm_sidr *sidr;
};

/*
 * REQs and DREQs that are sent at once, and their number per second after that.
 * A listener of Linux holds 1024 requests by default, and drops those above;
 * the peer would wait for their retransmission.
 */
#define CM_PACE_BURST 1024
#define CM_PACE_RATE  8192

/* At most a REJ and the DREQ of a stale connection */
#define CM_MAX_SENDS 2

/* Results of a call. Valid until the next call with the same output. */
struct cm_output {
	unsigned int nr_sends;
	struct cm_send {
		struct cm_path path;
		uint8_t bytes[CM_MAD_LEN];
	} sends[CM_MAX_SENDS];
	struct cm_event event;
	/* The message of the event, if cm_engine_receive() returned it */
	struct cm_mad received;
};

/* A service id whose requests the caller wants */
struct cm_listener {
	uint64_t service_id;
	bool is_sidr;	      /* SIDR_REQ instead of REQ */
	unsigned int backlog; /* bound of nr_pending */
	/* private: */
	/* half-open connections, or SIDR_REQs without a response */
	unsigned int nr_pending;
	struct list_node pending;
	struct list_node node;
};

/* Members that a caller may read: all up to "private". */
struct cm_conn {
	enum cm_state state;
	bool is_active;
	bool is_xrc; /* REPs have the QPN in the place of the EECN */
	uint32_t local_comm_id;
	uint32_t remote_comm_id;
	uint64_t remote_ca_guid;
	uint32_t local_qpn;
	uint32_t remote_qpn;
	struct cm_path path;	      /* of MADs to the peer */
	struct cm_listener *listener; /* while half-open */
	/* private: */
	uint64_t tid;	   /* of the REQ */
	uint64_t dreq_tid; /* of the peer's DREQ, until the DREP */
	uint64_t interval_ns;
	uint64_t ack_timeout_ns; /* duration of the time wait */
	uint8_t max_retries;
	uint8_t retries_left;
	bool is_deferred; /* the first transmission waits for its turn */
	uint8_t unacknowledged[CM_MAD_LEN]; /* for retransmission */
	struct cm_timer timer;
	struct list_node pending_node; /* cm_listener.pending */
	struct list_node id_node;      /* tables of the engine */
	struct list_node remote_id_node;
	struct list_node remote_qpn_node;
};

/* One resolution of a service id to a QP, on either side */
struct cm_sidr {
	enum cm_sidr_state {
		CM_SIDR_IDLE,
		CM_SIDR_REQ_SENT,
		CM_SIDR_REQ_RCVD, /* the caller replies */
	} state;
	uint32_t request_id;
	uint64_t service_id;
	struct cm_path path;
	struct cm_listener *listener;
	/* private: */
	uint64_t tid;
	uint64_t interval_ns;
	uint8_t retries_left;
	uint8_t unacknowledged[CM_MAD_LEN];
	struct cm_timer timer;
	struct list_node pending_node;
	struct list_node node;
};

/* The tables of an engine, each of the given number of lists */
enum cm_table {
	CM_TABLE_LISTENER,    /* by service id */
	CM_TABLE_ID,	      /* by local comm id */
	CM_TABLE_REMOTE_ID,   /* by CA GUID and comm id of the peer */
	CM_TABLE_REMOTE_QPN,  /* by CA GUID and QPN of the peer */
	CM_TABLE_SIDR_ACTIVE, /* by request id */
	CM_TABLE_SIDR_PASSIVE,
	CM_NR_TABLES,
};

struct cm_config {
	uint64_t ca_guid;   /* of this host: unique, and constant */
	uint32_t tid_high;  /* upper half of all transaction ids */
	uint64_t hash_seed; /* random, so that no peer can fill one list */
};

struct cm_engine {
	/* private: */
	struct cm_config config;
	struct list_node *buckets;
	uint32_t nr_buckets;
	struct cm_timers conn_timers;
	struct cm_timers sidr_timers;
	uint64_t pace_ns; /* see cm_transition.c */
};

/**
 * cm_engine_init() - make an empty engine
 * @buckets: CM_NR_TABLES * @nr_buckets nodes, memory of the caller
 * @nr_buckets: a power of 2, about the number of connections
 */
void cm_engine_init(struct cm_engine *cm, const struct cm_config *config,
		    struct list_node *buckets, uint32_t nr_buckets);

/**
 * cm_engine_receive() - process a MAD
 * @path: of the packet, as its sender sees it: sgid is the peer's
 * @bytes: the MAD
 * @len: its length in bytes
 * @spare: an idle connection for a new request; without it, or if the backlog
 *	is full, a REQ is dropped, and the peer retransmits it
 * @spare_sidr: the same for a SIDR_REQ
 *
 * @spare is in use if the event is CM_EVENT_REQUEST, @spare_sidr if it is
 * CM_EVENT_SIDR_REQUEST.
 *
 * Return: 0, or the error of cm_mad_decode(); then nothing was done.
 */
int cm_engine_receive(struct cm_engine *cm, const struct cm_path *path,
		      const uint8_t *bytes, size_t len, uint64_t now_ns,
		      struct cm_conn *spare, struct cm_sidr *spare_sidr,
		      struct cm_output *out);

/* Returns the time of the next call of cm_engine_expire(); UINT64_MAX: none. */
uint64_t cm_engine_deadline(const struct cm_engine *cm);

/**
 * cm_engine_expire() - process one deadline that has come
 *
 * Return: true if there was one; there may be more.
 */
bool cm_engine_expire(struct cm_engine *cm, uint64_t now_ns,
		      struct cm_output *out);

/**
 * cm_listener_add() - receive requests for a service id
 * @listener: with service id, is_sidr and backlog
 *
 * Return: 0, or -EADDRINUSE.
 */
int cm_listener_add(struct cm_engine *cm, struct cm_listener *listener);

/* Pending requests stay, without a listener. */
void cm_listener_remove(struct cm_engine *cm, struct cm_listener *listener);

/**
 * cm_conn_add() - give a connection its comm id
 * @comm_id: random and not 0; ids in use must not be predictable
 *
 * Return: 0, or -EEXIST if another connection has this id.
 */
int cm_conn_add(struct cm_engine *cm, struct cm_conn *conn, uint32_t comm_id);

/**
 * cm_conn_remove() - end a connection in any state
 *
 * The peer is informed once, by REJ, DREQ or DREP as the state requires.
 */
void cm_conn_remove(struct cm_engine *cm, struct cm_conn *conn,
		    struct cm_output *out);

struct cm_connect_param {
	struct cm_path path;
	uint8_t packet_life_time; /* 4.096 us * 2^n */
	uint32_t ece_options;
	struct cm_req req; /* the engine fills in comm id and CA GUID */
};

/**
 * cm_conn_connect() - send a REQ
 *
 * After many REQs and DREQs in a short time, cm_engine_expire() sends this one
 * within the time that CM_PACE_RATE takes for those before it.
 *
 * Return: 0; -EISCONN if the connection is not idle, or -ERANGE if a value of
 * the REQ needs more bits than its field has.
 */
int cm_conn_connect(struct cm_engine *cm, struct cm_conn *conn,
		    const struct cm_connect_param *param, uint64_t now_ns,
		    struct cm_output *out);

/**
 * cm_conn_accept() - respond to a REQ with a REP
 * @rep: the engine fills in comm ids and CA GUID
 *
 * Return: 0; -EINVAL if no REQ is pending, or -ERANGE as above.
 */
int cm_conn_accept(struct cm_engine *cm, struct cm_conn *conn,
		   const struct cm_rep *rep, uint32_t ece_options,
		   uint64_t now_ns, struct cm_output *out);

/**
 * cm_conn_confirm() - respond to a REP with a RTU
 *
 * Return: 0, or -EINVAL if no REP is pending.
 */
int cm_conn_confirm(struct cm_engine *cm, struct cm_conn *conn,
		    struct cm_output *out);

struct cm_reject_param {
	enum cm_reject_reason reason;
	/* No local comm id: the request was found invalid before its owner */
	bool is_anonymous;
	uint8_t ari_len;
	uint8_t ari[CM_ARI_LEN];
	uint8_t private_data[CM_REJ_PRIVATE_LEN];
};

/**
 * cm_conn_reject() - respond to a REQ or REP with a REJ
 *
 * Return: 0; -EINVAL if neither is pending, or -ERANGE if ari_len is above
 * CM_ARI_LEN.
 */
int cm_conn_reject(struct cm_engine *cm, struct cm_conn *conn,
		   const struct cm_reject_param *param, uint64_t now_ns,
		   struct cm_output *out);

/**
 * cm_conn_notify() - the QP has received data, so the peer has sent its RTU
 *
 * Return: 0, with CM_EVENT_ESTABLISHED; -EISCONN, or -EINVAL if no REP was
 * sent.
 */
int cm_conn_notify(struct cm_engine *cm, struct cm_conn *conn,
		   struct cm_output *out);

/**
 * cm_conn_disconnect() - send a DREQ, or the DREP that the peer waits for
 *
 * Return: 0, or -ENOTCONN.
 */
int cm_conn_disconnect(struct cm_engine *cm, struct cm_conn *conn,
		       uint64_t now_ns, struct cm_output *out);

/**
 * cm_conn_end() - the peer has ended without a DREQ; as if it had sent one
 *
 * CM_EVENT_DISCONNECTED follows in the states in which a DREQ causes it.
 */
void cm_conn_end(struct cm_engine *cm, struct cm_conn *conn,
		 struct cm_output *out);

struct cm_sidr_param {
	struct cm_path path;
	uint8_t timeout; /* of each transmission, 4.096 us * 2^n */
	uint8_t max_retries;
	struct cm_sidr_req req; /* request_id: random */
};

/* Makes an object idle; it is not in the engine until it is used. */
void cm_sidr_init(struct cm_sidr *sidr);

/**
 * cm_sidr_resolve() - send a SIDR_REQ
 *
 * Return: 0; -EISCONN if the object is not idle, or -EEXIST if the request id
 * is in use.
 */
int cm_sidr_resolve(struct cm_engine *cm, struct cm_sidr *sidr,
		    const struct cm_sidr_param *param, uint64_t now_ns,
		    struct cm_output *out);

/**
 * cm_sidr_reply() - respond to a SIDR_REQ
 * @rep: the engine fills in request id and service id
 *
 * Return: 0; -EINVAL if no SIDR_REQ is pending, or -ERANGE as above.
 */
int cm_sidr_reply(struct cm_engine *cm, struct cm_sidr *sidr,
		  const struct cm_sidr_rep *rep, uint32_t ece_options,
		  struct cm_output *out);

/* Ends a resolution in any state; a pending request is rejected. */
void cm_sidr_remove(struct cm_engine *cm, struct cm_sidr *sidr,
		    struct cm_output *out);

#endif
