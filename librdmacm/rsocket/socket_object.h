/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A socket. Its lock protects all members but those that name another one.
 * Functions named _locked need the lock of their socket; they may be called
 * with a lock of one socket only.
 */
#ifndef RSOCKET_SOCKET_OBJECT_H
#define RSOCKET_SOCKET_OBJECT_H

#include "rsocket/iomap_table.h"
#include "rsocket/stream_flow.h"

#include <rdma/rdma_cma.h>
#include <sys/socket.h>

#include "util/list.h"
#include "util/lock.h"

enum rsocket_state {
	RSOCKET_NEW,
	RSOCKET_BOUND,
	RSOCKET_LISTENING,
	RSOCKET_CONNECTING,
	RSOCKET_ACCEPTING, /* a request that waits for the RTU */
	RSOCKET_CONNECTED, /* also after the end of the connection */
	RSOCKET_FAILED,	   /* could not connect */
	RSOCKET_CLOSED,
};

struct rsocket_options {
	uint32_t recv_len, send_len;
	uint32_t nr_sends, nr_recvs;
	uint32_t max_inline;
	uint32_t nr_iomaps;
	int linger[2]; /* struct linger */
	int tos;
	int keep_idle, keep_count, keep_interval; /* seconds, number, seconds */
	int max_segment;
	bool reuses_address, keeps_alive, has_inline_oob, has_no_delay;
	bool is_ipv6_only;
};

/* What a connection needs of the device; see stream_qp.h. */
struct stream_qp {
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *recv_mr, *send_mr, *sgl_mr, *words_mr;
	uint8_t *recv;	/* both halves */
	uint8_t *send;	/* the send buffer, then control messages */
	uint8_t *sgl;	/* the entries that the peer writes, then its iomaps */
	uint8_t *words; /* received, on iWARP: one for each receive request */
	uint32_t *messages;
	uint32_t max_inline;
	bool is_iwarp;
	unsigned int control_at; /* the next control message in send */
};

struct rsocket;

/*
 * The operations of a kind of sockets. Results are 0, a number of bytes, or
 * -errno. Functions named _unlocking need the lock, and may give it up in
 * between.
 */
struct socket_ops {
	int type; /* SOCK_STREAM or SOCK_DGRAM; 0: neither */
	int (*bind_locked)(struct rsocket *socket,
			   const struct sockaddr *address, socklen_t len);
	int (*connect_unlocking)(struct rsocket *socket,
				 const struct sockaddr *address, socklen_t len);
	int (*shutdown_unlocking)(struct rsocket *socket, int how);
	int (*name_locked)(struct rsocket *socket, bool is_peer,
			   struct sockaddr *address, socklen_t *len);
	int (*set_option_locked)(struct rsocket *socket, int level, int name,
				 const void *value, socklen_t len);
	int (*get_option_locked)(struct rsocket *socket, int level, int name,
				 void *value, socklen_t *len);
	/* As sendmsg(2) and recvmsg(2), without control data */
	ssize_t (*send)(struct rsocket *socket, const struct msghdr *msg,
			int flags);
	ssize_t (*receive)(struct rsocket *socket, struct msghdr *msg,
			   int flags);
	/* Whether it must not be closed; NULL: never */
	bool (*is_busy_locked)(const struct rsocket *socket);
	/* Waits until everything is sent. */
	void (*close_unlocking)(struct rsocket *socket);
	/* No other thread may use the socket. */
	void (*free)(struct rsocket *socket);
	/* The events of poll(2) */
	short (*events_locked)(const struct rsocket *socket);
	/* Processes completions, and notifies waiting threads of a change. */
	void (*progress_locked)(struct rsocket *socket);
	/*
	 * Returns a descriptor that becomes readable with the next completion,
	 * or -1. Call progress_locked() afterwards, before sleeping.
	 */
	int (*arm_locked)(struct rsocket *socket);
	/* Makes the descriptor unreadable, and processes completions. */
	void (*take_events_locked)(struct rsocket *socket);
};

struct rsocket {
	const struct socket_ops *ops;
	int fd;		       /* -1: not yet accepted */
	unsigned int nr_users; /* lock of socket_table.c */
	struct verbs_mutex lock;
	enum rsocket_state state;
	int domain;
	bool is_nonblocking;
	bool is_closing;
	/* The CM has reported the end: messages may stay outstanding. */
	bool has_cm_end;
	int error; /* -errno of a connection that failed, for SO_ERROR */
	struct rsocket_options options;
	struct list_node waiters;  /* struct socket_waiter */
	uint64_t nr_changes;	   /* for edge-triggered waits */
	struct datagram *datagram; /* NULL: of another kind */
	struct repoll_set *repoll; /* NULL: of another kind */
	/* Streams: */
	struct rdma_cm_id *id;
	struct stream_qp qp;
	struct stream_flow flow;
	struct iomap_table iomaps;
	struct list_node ready; /* listening: connections to accept */
	struct list_node ready_node;
	/* Lock of socket_children.c: */
	struct rsocket *listener;  /* NULL: none, or accepted */
	struct list_node children; /* listening: not yet accepted */
	unsigned int nr_children, max_children;
	struct list_node child_node;
};

/** socket_alloc() - a socket without a descriptor, with the default options
 *
 * Return: NULL if there is no memory.
 */
struct rsocket *socket_alloc(const struct socket_ops *ops, int domain);

/** socket_dealloc() - free what socket_alloc() has made */
void socket_dealloc(struct rsocket *socket);

/** socket_waits_locked() - whether a call with these flags of send(2) blocks */
bool socket_waits_locked(const struct rsocket *socket, int flags);

#endif
