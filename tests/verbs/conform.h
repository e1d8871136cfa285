/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Conformance tests of verbs: the interface that the tests of tests/verbs use.
 *
 * A test is one function. It runs in the client process and controls both ends:
 * an operation on an object of the server is executed by the server process,
 * which opens the device on its own (--self: by the client process). The tests
 * call only the functions below, and these call only ibv_*().
 *
 * Every function that does not return an error ends the test if the verbs call
 * fails. The program destroys all objects at the end of a test, in reverse
 * order of their creation.
 */
#ifndef CONFORM_H
#define CONFORM_H

#include <infiniband/verbs.h>

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONFORM_ARENA_BYTES (64u << 20) /* memory of each end */
#define CONFORM_MAX_SGE	    32
#define CONFORM_MAX_WORK    64 /* work requests in one call */
#define CONFORM_QKEY	    0x11223344u
/* limit of every wait for an expected event */
#define CONFORM_WAIT_MS conform_wait_ms

#define CONFORM_ALL_ACCESS                                   \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |  \
	 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC | \
	 IBV_ACCESS_MW_BIND)

extern int conform_wait_ms; /* shorter if the test is expected to fail */

enum end { CLIENT, SERVER };

/* -- tests -- */

/* Conditions under which a test runs; without them it is reported as skipped.
 */
enum conform_need {
	NEED_RC = 0,
	NEED_UC = 1 << 0,
	NEED_UD = 1 << 1,
	NEED_SRQ = 1 << 2,
	NEED_ATOMIC = 1 << 3,
	NEED_MW = 1 << 4,	     /* type 2 windows */
	NEED_MW_1 = 1 << 5,	     /* type 1 windows */
	NEED_TWO_PROCESSES = 1 << 6, /* not with --self */
	NEED_ATOMIC_WRITE = 1 << 7,
	NEED_FLUSH = 1 << 8,
	NEED_SEND_WITH_INV = 1 << 9,
	NEED_MCAST = 1 << 10,
	NEED_IMM = 1 << 11, /* iWARP has no immediate data */
	NEED_RESIZE_CQ = 1 << 12,
	NEED_REREG = 1 << 13,
	/* two processes, and a stopped one does not respond to its peer */
	NEED_STOPPED_RESPONDER = 1 << 14,
	NEED_DM = 1 << 15, /* device memory */
	NEED_XRC = 1 << 16,
	NEED_RATE_LIMIT = 1 << 17, /* of RC, UC and UD */
	NEED_ODP = 1 << 18,	   /* on-demand paging of all RC operations */
	NEED_MIGRATION = 1 << 19,  /* alternate paths */
};

struct conform_test {
	const char *name; /* "<group>.<condition>_<result>" */
	void (*run)(void);
	unsigned int needs; /* enum conform_need */
};

/* One table per group, in conform_<group>.c; ends with a NULL name. */
extern const struct conform_test conform_framework[], conform_framework_api[],
	conform_data[], conform_data_lists[], conform_order[],
	conform_completion[], conform_atomic[], conform_ext[], conform_error[],
	conform_flush[], conform_mw[], conform_state[], conform_state_posts[],
	conform_state_reset[], conform_quiesce[], conform_rnr[], conform_srq[],
	conform_event[], conform_cq[], conform_queues[], conform_uc[],
	conform_ud[], conform_timeout[], conform_dm[], conform_xrc[],
	conform_rate[], conform_odp[], conform_odp_more[], conform_odp_pages[],
	conform_migration[];

/* Ends the test as failed, with place and text, unless @condition is true. */
#define REQUIRE(condition) \
	conform_require(condition, __FILE__, __LINE__, #condition)
/* Likewise for two integers that must be equal; prints both. */
#define REQUIRE_EQUAL(a, b)                                           \
	conform_require_equal((uint64_t)(a), (uint64_t)(b), __FILE__, \
			      __LINE__, #a, #b)

void conform_require(bool ok, const char *file, int line, const char *text);
void conform_require_equal(uint64_t a, uint64_t b, const char *file, int line,
			   const char *a_text, const char *b_text);

/**
 * conform_context() - describe the current step ("SEND of 4097 bytes"), for the
 * message of a failure; printf()-like
 */
void conform_context(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/** conform_skip() - end the test as skipped, with a reason */
void conform_skip(const char *reason) __attribute__((noreturn));

/** conform_device() - attributes of the device */
const struct ibv_device_attr_ex *conform_device(void);

/** conform_port() - attributes of port 1 */
const struct ibv_port_attr *conform_port(void);

/** conform_mtu() - path MTU in bytes that connected QPs use */
uint32_t conform_mtu(void);

/** conform_gid() - the GID of both ends */
const union ibv_gid *conform_gid(void);

/** conform_is_self() - whether both ends are one process */
bool conform_is_self(void);

/** conform_is_wr() - whether send requests are posted by ibv_wr_*() */
bool conform_is_wr(void);

/** conform_now_ns() - CLOCK_MONOTONIC */
uint64_t conform_now_ns(void);

/* -- memory: a part of the arena of an end, and its MR -- */

struct mem {
	enum end end;
	int id;
	uint8_t *view; /* where the client process sees this memory */
	uint64_t
		addr; /* where the process of @end has it, for SGEs and rkeys */
	size_t length;
	uint32_t lkey, rkey;
};

/** mem_new() - zeroed memory, aligned to a page, registered in PD @pd_new or 0
 */
struct mem *mem_new(enum end end, size_t length, unsigned int access);
struct mem *mem_new_in_pd(enum end end, int pd, size_t length,
			  unsigned int access);
/** mem_dereg() - ibv_dereg_mr(); the memory stays visible at @view */
int mem_dereg(struct mem *mem);
/** mem_rereg() - ibv_rereg_mr() over the same memory; @pd: -1 or of pd_new() */
int mem_rereg(struct mem *mem, int flags, int pd, unsigned int access);
/** pd_new() - another protection domain of an end; PD 0 exists */
int pd_new(enum end end);

/* What a process may do with pages of its memory. */
enum pages {
	PAGES_ALL,
	PAGES_READ,
	PAGES_NONE,
	PAGES_UNMAPPED,
	PAGES_FLICKER, /* ALL and NONE in turn, as fast as possible */
	/*
	 * New memory of the process, with zeros, in pages of the usual size, or
	 * in huge pages. It is not visible at mem->view.
	 */
	PAGES_PRIVATE,
	PAGES_HUGE,
};

/**
 * mem_pages() - change whole pages of @mem in the process of its end, until the
 * next change of pages of this end or the end of the test
 */
void mem_pages(const struct mem *mem, size_t offset, size_t length,
	       enum pages pages);
/** mem_pages_try() - likewise; errno value */
int mem_pages_try(const struct mem *mem, size_t offset, size_t length,
		  enum pages pages);
/** mem_again() - another region of the same memory; @implicit: of all addresses
 */
struct mem *mem_again(const struct mem *mem, bool implicit,
		      unsigned int access);
/** mr_advise() - ibv_advise_mr(); @pd: of pd_new(), or 0; errno value */
int mr_advise(enum end end, int pd, enum ibv_advise_mr_advice advice,
	      uint32_t flags, const struct ibv_sge *sge);

/* Device memory of an end. */
struct dm {
	enum end end;
	int id;
	size_t length;
};

struct dm *dm_new(enum end end, size_t length);
/** dm_new_try() - ibv_alloc_dm(); errno value. @ret_dm may be NULL on failure
 */
int dm_new_try(enum end end, size_t length, uint32_t log_align,
	       struct dm **ret_dm);
int dm_free(struct dm *dm); /* errno value */
/** dm_copy_to(), dm_copy_from() - copy from or to @mem; errno value */
int dm_copy_to(struct dm *dm, size_t dm_offset, const struct mem *mem,
	       size_t offset, size_t length);
int dm_copy_from(const struct mem *mem, size_t offset, struct dm *dm,
		 size_t dm_offset, size_t length);
/** dm_mem_new() - a region of device memory in PD 0; it has no @view, and
 * begins at address 0. IBV_ACCESS_ZERO_BASED is added to @access
 */
struct mem *dm_mem_new(struct dm *dm, size_t offset, size_t length,
		       unsigned int access);
/** dm_reg_try() - ibv_reg_dm_mr() with exactly @access, which must fail; errno
 * value
 */
int dm_reg_try(struct dm *dm, size_t offset, size_t length,
	       unsigned int access);

/** mem_fill() - a pattern of @seed that begins at @offset */
void mem_fill(struct mem *mem, size_t offset, size_t length, uint32_t seed);
/** mem_require() - end the test unless the bytes are those of a mem_fill() with
 * the same @seed, which may have begun at another offset
 */
void mem_require(const struct mem *mem, size_t offset, size_t length,
		 uint32_t seed);
/** mem_require_value() - end the test unless all bytes have one value */
void mem_require_value(const struct mem *mem, size_t offset, size_t length,
		       uint8_t value);

/** sge() - SGE for a part of @mem */
struct ibv_sge sge(const struct mem *mem, size_t offset, uint32_t length);
/** sge_null() - SGE of the null MR, which is made once for each test; skips the
 * test if the device has none
 */
struct ibv_sge sge_null(enum end end, uint32_t length);

/* -- objects -- */

struct channel {
	enum end end;
	int id;
};

struct cq {
	enum end end;
	int id;
	int cqe; /* as granted; updated by cq_resize() */
};

/* An XRC domain without a file. */
struct xrcd {
	enum end end;
	int id;
};

struct srq {
	enum end end;
	int id;
	uint32_t num; /* XRC */
};

struct qp {
	enum end end;
	int id;
	uint32_t num;
	enum ibv_qp_type type;
	struct cq *send_cq, *recv_cq;
	struct srq *srq;       /* or NULL */
	struct ibv_qp_cap cap; /* as granted */
};

struct ah {
	enum end end;
	int id;
};

struct mw {
	enum end end;
	int id;
	uint32_t rkey; /* updated by ibv_bind_mw() and mw_inc_rkey() only */
};

struct channel *channel_new(enum end end);
struct cq *cq_new(enum end end, int cqe, struct channel *channel);
int cq_resize(struct cq *cq, int cqe); /* errno value */
int cq_destroy(struct cq *cq);	       /* errno value */
int cq_req_notify(struct cq *cq, bool solicited_only);
/** cq_event_wait() - ibv_get_cq_event() and an ack; false after @ms */
bool cq_event_wait(struct channel *channel, struct cq *cq, int ms);

/** cq_event_get() - likewise, without the acknowledgement */
bool cq_event_get(struct channel *channel, struct cq *cq, int ms);
void cq_event_ack(struct cq *cq, unsigned int nr);
/**
 * cq_destroy_acking() - ibv_destroy_cq() in a thread, and meanwhile an
 * acknowledgement of @nr events, after @ms. Returns whether the thread was
 * still waiting then
 */
bool cq_destroy_acking(struct cq *cq, unsigned int nr, int ms);
/** cq_new_ex() - ibv_create_cq_ex(); poll it by poll_ex(). Skips the test if
 * the device does not have @wc_flags
 */
struct cq *cq_new_ex(enum end end, int cqe, struct channel *channel,
		     uint64_t wc_flags);

struct srq *srq_new(enum end end, uint32_t max_wr, uint32_t max_sge);
struct xrcd *xrcd_new(enum end end);
int xrcd_close(struct xrcd *xrcd); /* errno value */
/** srq_new_xrc() - an XRC SRQ whose receives complete in @cq; @pd: of pd_new()
 */
struct srq *srq_new_xrc(struct xrcd *xrcd, struct cq *cq, int pd,
			uint32_t max_wr);
int srq_modify(struct srq *srq, uint32_t limit); /* errno value */
struct ibv_srq_attr srq_query(struct srq *srq);
int srq_destroy(struct srq *srq);
int srq_resize(struct srq *srq, uint32_t max_wr); /* errno value */

/* What a new QP is to have; zero values select the default. */
struct qp_args {
	enum ibv_qp_type type; /* default: IBV_QPT_RC */
	struct cq *send_cq,
		*recv_cq; /* default: one new CQ for both, 512 CQEs */
	struct srq *srq;
	struct xrcd *xrcd;		     /* of IBV_QPT_XRC_RECV */
	uint32_t max_send_wr, max_recv_wr;   /* 128 */
	uint32_t max_send_sge, max_recv_sge; /* 4 */
	uint32_t max_inline_data;	     /* 64 */
	bool all_signaled;		     /* sq_sig_all */
	bool wr_api; /* post by ibv_wr_*(), also without --wr; FLUSH needs it */
	int pd;
};

struct qp *qp_new(enum end end, const struct qp_args *args); /* in RESET */
int qp_destroy(struct qp *qp);				     /* errno value */

/* Attributes of a connection; zero values select the default. */
struct connect_args {
	unsigned int access;	 /* default: remote write, read, atomic */
	uint8_t timeout;	 /* 14; CONFORM_ZERO: 0 */
	uint8_t retry_cnt;	 /* 7; CONFORM_ZERO: 0 */
	uint8_t rnr_retry;	 /* 7, which is for ever; CONFORM_ZERO: 0 */
	uint8_t min_rnr_timer;	 /* 1: 10 us */
	uint8_t rd_atomic;	 /* 16, or the limit of the device */
	uint32_t sq_psn, rq_psn; /* 0 */
};
#define CONFORM_ZERO 0xff

/** qp_connect() - move two QPs from RESET to RTS, connected with each other */
void qp_connect(struct qp *a, struct qp *b, const struct connect_args *args);
/** qp_to_init(), qp_to_rtr(), qp_to_rts() - the single steps; errno value.
 * @peer: NULL for UD
 */
int qp_to_init(struct qp *qp, const struct connect_args *args);
int qp_to_rtr(struct qp *qp, const struct qp *peer,
	      const struct connect_args *args);
int qp_to_rts(struct qp *qp, const struct connect_args *args);
/** qp_step() - attributes of the step to @state, INIT, RTR or RTS; returns the
 * mask
 */
int qp_step(const struct qp *qp, const struct qp *peer, enum ibv_qp_state state,
	    const struct connect_args *args, struct ibv_qp_attr *attr);
/** qp_to_state() - ibv_modify_qp() with IBV_QP_STATE only; errno value */
int qp_to_state(struct qp *qp, enum ibv_qp_state state);
/** qp_modify() - any ibv_modify_qp(); errno value */
int qp_modify(struct qp *qp, struct ibv_qp_attr *attr, int mask);
/** qp_limit_rate() - ibv_modify_qp_rate_limit(); errno value */
int qp_limit_rate(struct qp *qp, const struct ibv_qp_rate_limit_attr *attr);
struct ibv_qp_attr
qp_query(struct qp *qp); /* with state by the kernel's view */
/** qp_wait_state() - end the test unless the QP gets to @state in time */
void qp_wait_state(struct qp *qp, enum ibv_qp_state state);

/* Two connected QPs, each with one CQ for both directions. */
struct pair {
	struct qp *client, *server;
};

/** pair_new() - create and connect; either argument may be NULL */
struct pair pair_new(const struct qp_args *qp_args,
		     const struct connect_args *connect_args);

/** ah_new() - address handle for the GID of the other end (the same device) */
struct ah *ah_new(enum end end);
/** ah_new_mcast(), mcast_attach(), mcast_detach() - group 239.1.1.@nr */
struct ah *ah_new_mcast(enum end end, uint8_t nr);
int mcast_attach(struct qp *qp, uint8_t nr);
int mcast_detach(struct qp *qp, uint8_t nr);

struct mw *mw_new(enum end end, enum ibv_mw_type type);
int mw_dealloc(struct mw *mw); /* errno value */
/** mw_inc_rkey() - ibv_inc_rkey() of @mw->rkey, for a bind of a type 2 window
 */
uint32_t mw_inc_rkey(struct mw *mw);
/** mw_bind_1() - ibv_bind_mw(); updates @mw->rkey; errno value */
int mw_bind_1(struct qp *qp, struct mw *mw, const struct mem *mem,
	      size_t offset, size_t length, unsigned int access,
	      uint64_t wr_id);

/* -- work requests and completions -- */

/* A send work request. Signaled unless @unsignaled; --wr posts it by
 * ibv_wr_*(). */
struct work {
	uint64_t wr_id;
	enum ibv_wr_opcode opcode;
	unsigned int flags; /* IBV_SEND_FENCE, SOLICITED, INLINE */
	bool unsignaled;
	uint32_t imm;	      /* in host order; or the rkey to invalidate */
	uint64_t remote_addr; /* RDMA, atomics, ATOMIC_WRITE, FLUSH */
	uint32_t rkey;
	uint64_t compare_add,
		swap;  /* @compare_add: the value of ATOMIC_WRITE */
	struct ah *ah; /* UD */
	uint32_t remote_qpn, remote_qkey;
	uint32_t remote_srqn; /* XRC */
	struct mw *mw;	      /* IBV_WR_BIND_MW, type 2 */
	uint32_t bind_rkey;
	const struct mem *bind_mem;
	size_t bind_offset, bind_length;
	unsigned int bind_access;
	size_t flush_length; /* FLUSH: range, enum ibv_placement_type, */
	uint8_t flush_type, flush_level; /* enum ibv_selectivity_level */
	int nr_sge;
	struct ibv_sge sge[CONFORM_MAX_SGE];
};

/** work_send(), ... - a work request with one SGE */
struct work work_send(const struct mem *mem, size_t offset, uint32_t length);
struct work work_rdma(enum ibv_wr_opcode opcode, const struct mem *local,
		      size_t local_offset, uint32_t length,
		      const struct mem *remote, size_t remote_offset);
struct work work_atomic(enum ibv_wr_opcode opcode, const struct mem *local,
			size_t local_offset, const struct mem *remote,
			size_t remote_offset, uint64_t compare_add,
			uint64_t swap);
/** work_atomic_write() - 8 bytes of @value, in the byte order of the machine */
struct work work_atomic_write(const struct mem *remote, size_t remote_offset,
			      uint64_t value);
struct work work_flush(const struct mem *remote, size_t remote_offset,
		       size_t length, uint8_t type, uint8_t level);

void post(struct qp *qp, const struct work *work);
void post_list(struct qp *qp, const struct work *work, int nr);
/** post_try() - returns the errno value, and in @bad (or NULL) the index of the
 * refused request; -1 with ibv_wr_*(), which refuse all @nr requests
 */
int post_try(struct qp *qp, const struct work *work, int nr, int *bad);

void post_recv(struct qp *qp, const struct mem *mem, size_t offset,
	       uint32_t length, uint64_t wr_id); /* QP's queue or its SRQ */
int post_recv_try(struct qp *qp, uint64_t wr_id, const struct ibv_sge *list,
		  int nr_sge);
void post_srq_recv(struct srq *srq, const struct mem *mem, size_t offset,
		   uint32_t length, uint64_t wr_id);
int post_srq_recv_try(struct srq *srq, uint64_t wr_id,
		      const struct ibv_sge *list, int nr_sge);

/** poll_some() - up to @nr completions; waits until there is one, at most @ms.
 * Returns their number
 */
int poll_some(struct cq *cq, struct ibv_wc *wc, int nr, int ms);
/** poll_one() - wait for the next completion; the test ends without one */
struct ibv_wc poll_one(struct cq *cq);
/** poll_status() - likewise; the test ends if the status is another one */
struct ibv_wc poll_status(struct cq *cq, enum ibv_wc_status status);
/** poll_success() - poll_status(IBV_WC_SUCCESS), and checks @wr_id */
struct ibv_wc poll_success(struct cq *cq, uint64_t wr_id);
/** poll_nothing() - the test ends if a completion appears within @ms */
void poll_nothing(struct cq *cq, int ms);

/** poll_ex() - up to @nr completions of an extended CQ between one
 * ibv_start_poll() and ibv_end_poll(), with their times; like poll_some()
 */
struct wc_ex {
	struct ibv_wc wc;
	uint64_t timestamp, wallclock_ns; /* 0 unless in @wc_flags */
};
int poll_ex(struct cq *cq, struct wc_ex *wc, int nr, int ms);

/** event_wait() - next asynchronous event of the end's context, acknowledged;
 * false after @ms
 */
struct conform_event {
	enum ibv_event_type type;
	int id; /* of the struct qp, cq or srq; -1: another object */
};
/* Events of ports, GIDs and devices are not counted. */
bool event_wait(enum end end, struct conform_event *event, int ms);
/** event_require() - the next event must be @type for object @id */
void event_require(enum end end, enum ibv_event_type type, int id);

/* -- the server process -- */

/** server_stop(), server_continue() - SIGSTOP and SIGCONT; needs two processes
 */
void server_stop(void);
void server_continue(void);
/** server_kill() - SIGKILL; the program starts a new server for the next test
 */
void server_kill(void);

/**
 * server_spin_byte() - the server process watches one byte of its memory and
 * remembers, at the moment in which it sees @value, a copy of @length bytes
 * from
 * @copy_offset. server_spin_result() waits for it, at most CONFORM_WAIT_MS, and
 * returns the copy. One at a time. Operations on other objects of the server
 * wait until then. With --self a thread does it. @length: at most 8 MB.
 */
void server_spin_byte(const struct mem *mem, size_t offset, uint8_t value,
		      size_t copy_offset, size_t length);
const uint8_t *server_spin_result(void);

/*
 * The place in a test from which it called a function, for the message of a
 * failure in that function.
 */
void conform_place(const char *file, int line);

#ifndef CONFORM_FRAMEWORK
#define CONFORM_AT(call)	(conform_place(__FILE__, __LINE__), call)
#define mem_new(...)		CONFORM_AT(mem_new(__VA_ARGS__))
#define mem_new_in_pd(...)	CONFORM_AT(mem_new_in_pd(__VA_ARGS__))
#define mem_dereg(...)		CONFORM_AT(mem_dereg(__VA_ARGS__))
#define mem_rereg(...)		CONFORM_AT(mem_rereg(__VA_ARGS__))
#define pd_new(...)		CONFORM_AT(pd_new(__VA_ARGS__))
#define dm_new(...)		CONFORM_AT(dm_new(__VA_ARGS__))
#define dm_new_try(...)		CONFORM_AT(dm_new_try(__VA_ARGS__))
#define dm_free(...)		CONFORM_AT(dm_free(__VA_ARGS__))
#define dm_copy_to(...)		CONFORM_AT(dm_copy_to(__VA_ARGS__))
#define dm_copy_from(...)	CONFORM_AT(dm_copy_from(__VA_ARGS__))
#define dm_mem_new(...)		CONFORM_AT(dm_mem_new(__VA_ARGS__))
#define dm_reg_try(...)		CONFORM_AT(dm_reg_try(__VA_ARGS__))
#define mem_fill(...)		CONFORM_AT(mem_fill(__VA_ARGS__))
#define mem_require(...)	CONFORM_AT(mem_require(__VA_ARGS__))
#define mem_require_value(...)	CONFORM_AT(mem_require_value(__VA_ARGS__))
#define sge_null(...)		CONFORM_AT(sge_null(__VA_ARGS__))
#define channel_new(...)	CONFORM_AT(channel_new(__VA_ARGS__))
#define cq_new(...)		CONFORM_AT(cq_new(__VA_ARGS__))
#define cq_resize(...)		CONFORM_AT(cq_resize(__VA_ARGS__))
#define cq_destroy(...)		CONFORM_AT(cq_destroy(__VA_ARGS__))
#define cq_req_notify(...)	CONFORM_AT(cq_req_notify(__VA_ARGS__))
#define cq_event_wait(...)	CONFORM_AT(cq_event_wait(__VA_ARGS__))
#define cq_event_get(...)	CONFORM_AT(cq_event_get(__VA_ARGS__))
#define cq_event_ack(...)	CONFORM_AT(cq_event_ack(__VA_ARGS__))
#define cq_destroy_acking(...)	CONFORM_AT(cq_destroy_acking(__VA_ARGS__))
#define cq_new_ex(...)		CONFORM_AT(cq_new_ex(__VA_ARGS__))
#define poll_ex(...)		CONFORM_AT(poll_ex(__VA_ARGS__))
#define srq_new(...)		CONFORM_AT(srq_new(__VA_ARGS__))
#define xrcd_new(...)		CONFORM_AT(xrcd_new(__VA_ARGS__))
#define xrcd_close(...)		CONFORM_AT(xrcd_close(__VA_ARGS__))
#define srq_new_xrc(...)	CONFORM_AT(srq_new_xrc(__VA_ARGS__))
#define srq_modify(...)		CONFORM_AT(srq_modify(__VA_ARGS__))
#define srq_query(...)		CONFORM_AT(srq_query(__VA_ARGS__))
#define srq_destroy(...)	CONFORM_AT(srq_destroy(__VA_ARGS__))
#define srq_resize(...)		CONFORM_AT(srq_resize(__VA_ARGS__))
#define qp_new(...)		CONFORM_AT(qp_new(__VA_ARGS__))
#define qp_destroy(...)		CONFORM_AT(qp_destroy(__VA_ARGS__))
#define qp_connect(...)		CONFORM_AT(qp_connect(__VA_ARGS__))
#define qp_to_init(...)		CONFORM_AT(qp_to_init(__VA_ARGS__))
#define qp_to_rtr(...)		CONFORM_AT(qp_to_rtr(__VA_ARGS__))
#define qp_to_rts(...)		CONFORM_AT(qp_to_rts(__VA_ARGS__))
#define qp_to_state(...)	CONFORM_AT(qp_to_state(__VA_ARGS__))
#define qp_modify(...)		CONFORM_AT(qp_modify(__VA_ARGS__))
#define qp_limit_rate(...)	CONFORM_AT(qp_limit_rate(__VA_ARGS__))
#define qp_query(...)		CONFORM_AT(qp_query(__VA_ARGS__))
#define qp_wait_state(...)	CONFORM_AT(qp_wait_state(__VA_ARGS__))
#define pair_new(...)		CONFORM_AT(pair_new(__VA_ARGS__))
#define ah_new(...)		CONFORM_AT(ah_new(__VA_ARGS__))
#define ah_new_mcast(...)	CONFORM_AT(ah_new_mcast(__VA_ARGS__))
#define mcast_attach(...)	CONFORM_AT(mcast_attach(__VA_ARGS__))
#define mcast_detach(...)	CONFORM_AT(mcast_detach(__VA_ARGS__))
#define mw_new(...)		CONFORM_AT(mw_new(__VA_ARGS__))
#define mw_dealloc(...)		CONFORM_AT(mw_dealloc(__VA_ARGS__))
#define mw_bind_1(...)		CONFORM_AT(mw_bind_1(__VA_ARGS__))
#define post(...)		CONFORM_AT(post(__VA_ARGS__))
#define post_list(...)		CONFORM_AT(post_list(__VA_ARGS__))
#define post_try(...)		CONFORM_AT(post_try(__VA_ARGS__))
#define post_recv(...)		CONFORM_AT(post_recv(__VA_ARGS__))
#define post_recv_try(...)	CONFORM_AT(post_recv_try(__VA_ARGS__))
#define post_srq_recv(...)	CONFORM_AT(post_srq_recv(__VA_ARGS__))
#define post_srq_recv_try(...)	CONFORM_AT(post_srq_recv_try(__VA_ARGS__))
#define poll_some(...)		CONFORM_AT(poll_some(__VA_ARGS__))
#define poll_one(...)		CONFORM_AT(poll_one(__VA_ARGS__))
#define poll_status(...)	CONFORM_AT(poll_status(__VA_ARGS__))
#define poll_success(...)	CONFORM_AT(poll_success(__VA_ARGS__))
#define poll_nothing(...)	CONFORM_AT(poll_nothing(__VA_ARGS__))
#define event_wait(...)		CONFORM_AT(event_wait(__VA_ARGS__))
#define event_require(...)	CONFORM_AT(event_require(__VA_ARGS__))
#define server_stop(...)	CONFORM_AT(server_stop(__VA_ARGS__))
#define server_continue(...)	CONFORM_AT(server_continue(__VA_ARGS__))
#define server_kill(...)	CONFORM_AT(server_kill(__VA_ARGS__))
#define server_spin_byte(...)	CONFORM_AT(server_spin_byte(__VA_ARGS__))
#define server_spin_result(...) CONFORM_AT(server_spin_result(__VA_ARGS__))
#endif

#endif
