/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Conformance tests of verbs: a call of one end. The client process describes
 * each operation on an object as a struct call. The process of the end executes
 * it (node_execute()) and returns a struct reply: calls of the server are two
 * messages of a socket, calls of the client, and with --self of both ends, are
 * function calls.
 *
 * Private to the framework; tests use conform.h.
 */
#ifndef CONFORM_CALL_H
#define CONFORM_CALL_H

#define CONFORM_FRAMEWORK
#include "conform.h"

#define NODE_MAX_OBJECTS 8192
#define NODE_SPIN_BYTES	 (8u << 20)
#define CALL_MAX_WC	 64

/* What main() read from the command line; both processes have it. */
struct conform_options {
	const char *device;
	int gid_index;
	bool self, wr, mapped, poll, times;
	bool kernel; /* it responds also for a stopped process */
	unsigned int limit_s;
};

extern struct conform_options conform_options;

/* An operation; the comments name the members that it uses. */
enum call_kind {
	CALL_HELLO,    /* reply: addr of the arena */
	CALL_EXIT,     /* close the device and end the process */
	CALL_END_TEST, /* forget kept completions and events */
	CALL_PD_NEW,   /* reply: object; of all CALL_*_NEW */
	CALL_MR_NEW,   /* pd, addr, length, access; reply: lkey, rkey */
	CALL_MR_NULL,  /* reply: lkey */
	CALL_MR_DM,    /* object, pd, addr: offset, length, access; as MR_NEW */
	CALL_DM_NEW,   /* length, nr: binary logarithm of the alignment */
	CALL_DM_COPY, /* object, copy_addr: offset, addr, length, flag: to it */
	CALL_MR_REREG,	/* mask, pd, addr, length, access */
	CALL_MR_ADVISE, /* pd, type, mask: flags, nr: 1, sge */
	CALL_PAGES,	/* addr, length, type: enum pages */
	CALL_CHANNEL_NEW,
	CALL_CQ_NEW,	/* nr, channel; reply: nr; also of CALL_CQ_RESIZE */
	CALL_CQ_NEW_EX, /* nr, channel, length: wc_flags; reply: nr */
	CALL_CQ_RESIZE, /* nr */
	CALL_CQ_NOTIFY, /* flag: solicited only */
	CALL_CQ_EVENT,	/* channel, ms, flag: no ack; reply: nr 0 or 1 */
	CALL_CQ_ACK,	/* nr */
	CALL_CQ_DESTROY_ACKING, /* nr, ms; reply: nr 0 or 1 */
	CALL_CQ_POLL,		/* nr, ms; reply: nr, wc */
	CALL_CQ_POLL_EX,	/* nr, ms; reply: nr, wc_ex */
	CALL_XRCD_NEW,
	CALL_SRQ_NEW,	 /* pd, srq_attr; XRC: xrcd, recv_cq; reply: num */
	CALL_SRQ_MODIFY, /* srq_attr, mask */
	CALL_SRQ_QUERY,	 /* reply: srq_attr */
	/* type, pd, cap, flag, wr_api, send_cq, recv_cq, srq, xrcd */
	CALL_QP_NEW,
	CALL_QP_MODIFY,	  /* qp_attr, mask */
	CALL_QP_LIMIT,	  /* rate_limit */
	CALL_QP_QUERY,	  /* reply: qp_attr */
	CALL_QP_MCAST,	  /* nr, flag: attach */
	CALL_AH_NEW,	  /* nr: multicast group, or 0 */
	CALL_MW_NEW,	  /* type */
	CALL_MW_BIND,	  /* mw, mr, addr, length, access, wr_id; reply: rkey */
	CALL_DESTROY,	  /* of any kind of object */
	CALL_POST_SEND,	  /* nr, work; reply: nr, the index of the bad one */
	CALL_POST_RECV,	  /* a QP or SRQ; wr_id, nr, sge */
	CALL_ASYNC_EVENT, /* ms; reply: nr 0 or 1, type, object */
	CALL_SPIN,	  /* addr, flag: value, copy_addr, length */
	CALL_SPIN_RESULT,
};

/* A send work request, with numbers of objects instead of pointers. */
struct call_work {
	struct work work;
	int ah, mw, mr; /* -1: none */
};

struct call {
	enum call_kind kind;
	int object; /* number of the object, or -1 */
	int pd, channel, send_cq, recv_cq, srq, mr, mw;
	int xrcd; /* 0, which is a PD: none */
	int nr, ms, mask, type;
	unsigned int access;
	uint8_t flag;
	bool wr_api;
	uint64_t addr, length, copy_addr, wr_id;
	struct ibv_qp_cap cap;
	struct ibv_srq_attr srq_attr;
	struct ibv_qp_attr qp_attr;
	struct ibv_qp_rate_limit_attr rate_limit;
	/* @nr of them follow in a message */
	const struct call_work *work; /* CALL_POST_SEND */
	const struct ibv_sge *sge;    /* CALL_POST_RECV, CALL_MR_ADVISE */
};

struct reply {
	int error; /* errno value; other members are valid if it is 0 */
	int object;
	int nr, type;
	uint32_t num, lkey, rkey;
	uint64_t addr;
	struct ibv_qp_cap cap;
	struct ibv_srq_attr srq_attr;
	struct ibv_qp_attr qp_attr;
	union { /* sent as far as it is used */
		struct ibv_wc wc[CALL_MAX_WC];
		struct wc_ex wc_ex[CALL_MAX_WC];
	};
};

/* -- conform_node.c, conform_node_cq.c, conform_node_post.c: execute calls --
 */

enum object_kind {
	OBJECT_NONE, /* not made, or destroyed */
	OBJECT_PD,
	OBJECT_MR,
	OBJECT_CHANNEL,
	OBJECT_CQ,
	OBJECT_SRQ,
	OBJECT_QP,
	OBJECT_AH,
	OBJECT_MW,
	OBJECT_DM,
	OBJECT_XRCD,
};

struct object {
	enum object_kind kind;
	void *ptr;	   /* the verbs object */
	uint64_t send_ops; /* QP: for ibv_wr_*() */
	bool has_channel;  /* CQ */
	uint64_t wc_flags; /* extended CQ; 0 otherwise */
	/* CQ: completions that the server polled while it waited (--poll) */
	struct ibv_wc *kept;
	int kept_nr, kept_size;
};

/* An end in its process. */
struct node {
	struct ibv_context *ctx;
	union ibv_gid gid;
	struct ibv_device_attr_ex device;
	struct ibv_port_attr port;
	uint8_t *arena;
	int arena_fd;
	uint8_t *spin_copy;
	struct node_pages *pages; /* conform_pages.c */
	int nr_objects; /* numbers that were used since the end of a test */
	struct object object[NODE_MAX_OBJECTS];
	struct node_spin *spin;
};

/** node_open() - open the device; PD 0 is object 0. Prints errors */
bool node_open(struct node *node);
/** node_close() - destroy PD 0, close the device; errno value */
int node_close(struct node *node);
void node_execute(struct node *node, const struct call *call,
		  struct reply *reply);

/** node_spin_now() - watch the byte of the last CALL_SPIN, except with --self
 */
void node_spin_now(struct node *node);

/** node_object() - the object with this number; NULL: not of this kind */
struct object *node_object(struct node *node, int id, enum object_kind kind);
/** node_ptr() - its verbs object, or NULL */
void *node_ptr(struct node *node, int id, enum object_kind kind);
/** node_keep() - poll the CQs that have no channel, and keep the completions */
void node_keep(struct node *node);

/** node_add() - enter the verbs object that gets the next number; NULL and an
 * error in @reply if @ptr is NULL
 */
struct object *node_add(struct node *node, struct reply *reply,
			enum object_kind kind, void *ptr);
/** node_errno() - errno value of a verbs call that returned @result */
int node_errno(int result);
/** node_deadline(), node_ms_left(), node_pause() - for waiting */
uint64_t node_deadline(int ms);
int node_ms_left(uint64_t end);
void node_pause(unsigned int polls);

/* Parts of node_execute(). */
void node_cq_new(struct node *node, const struct call *call,
		 struct reply *reply);
void node_cq_new_ex(struct node *node, const struct call *call,
		    struct reply *reply);
void node_cq_poll_ex(struct node *node, const struct call *call,
		     struct reply *reply);
void node_cq_ack(struct node *node, const struct call *call,
		 struct reply *reply);
void node_cq_resize(struct node *node, const struct call *call,
		    struct reply *reply);
void node_cq_destroy_acking(struct node *node, const struct call *call,
			    struct reply *reply);
void node_cq_poll(struct node *node, const struct call *call,
		  struct reply *reply);
void node_cq_event(struct node *node, const struct call *call,
		   struct reply *reply);
void node_async_event(struct node *node, const struct call *call,
		      struct reply *reply);
/** node_forget_events() - acknowledge all events that are left */
void node_forget_events(struct node *node);
void node_post_send(struct node *node, const struct call *call,
		    struct reply *reply);
void node_post_recv(struct node *node, const struct call *call,
		    struct reply *reply);

/* -- conform_pages.c -- */

void node_pages_set(struct node *node, const struct call *call,
		    struct reply *reply);
/** node_pages_end() - make all pages accessible; errno value */
int node_pages_end(struct node *node);
void node_mr_advise(struct node *node, const struct call *call,
		    struct reply *reply);

/* -- conform_server.c: the server process, and memory of both ends -- */

/** ends_start() - arenas, the server process, the device of the client */
bool ends_start(void);
/** ends_stop() - close all; false if an end failed to. Prints errors */
bool ends_stop(void);
/** ends_restart_server() - start a new server if the last one has ended */
bool ends_restart_server(void);

/**
 * end_call() - execute a call; the test fails if the server process does not
 * respond. An error of the verbs call is in @reply.
 */
void end_call(enum end end, const struct call *call, struct reply *reply);
/** server_resume() - continue a server that a test has stopped */
void server_resume(void);
/** server_signal() - send a signal to the server process; in signal handlers */
void server_signal(int number);
/** end_is_alive() - false for a server that was killed or has ended */
bool end_is_alive(enum end end);
/** end_view() - where the client process sees the arena of an end */
uint8_t *end_view(enum end end);
/** end_address() - where the process of the end has its arena */
uint64_t end_address(enum end end);
const uint8_t *end_spin_copy(void);
const struct node *end_client(void);

/* -- conform_object.c, conform_memory.c: at the end of a test -- */

/** objects_destroy() - all objects, in reverse order; NULL or an error text */
const char *objects_destroy(void);
/** objects_left() - objects_destroy() ended early and must be called again */
bool objects_left(void);
/** memory_check() - nothing was written beside all memory; NULL or a text */
const char *memory_check(void);
/** memory_reset() - give all memory back */
void memory_reset(void);

/** conform_expect_failure() - choose the limit of waits for the next test */
void conform_expect_failure(bool fails);

/** conform_fail() - end the test as failed; printf()-like text */
void conform_fail(const char *format, ...)
	__attribute__((format(printf, 1, 2), noreturn));

/** object_track(), object_forget() - objects to destroy at the end of a test */
void object_track(enum end end, int id, const char *what);
void object_forget(enum end end, int id);
void object_call(enum end end, struct call *call, struct reply *reply,
		 const char *what);
/** object_destroy() - errno value of the destroying call */
int object_destroy(enum end end, int id);
/** object_alloc() - memory that is freed at the end of the test */
void *object_alloc(size_t size);

#endif
