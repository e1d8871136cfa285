/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Hosts of a simulated network: each has an engine of the user-space device,
 * which calls it as the worker does, and an adapter that sends to its link.
 * Connections transfer bytes from one host to another. All hosts have the same
 * memory: nothing looks at the data.
 */
#ifndef NET_HOST_H
#define NET_HOST_H

#include "net_model.h"
#include "uroce/roce/uroce_engine.h"

struct net_host_config {
	uint32_t mtu;		/* payload of a packet: 256 to 4096 */
	uint32_t message_bytes; /* of requests */
	uint32_t outstanding;	/* requests of a connection */
	uint8_t timeout;	/* of a QP: 4.096 us * 2^timeout */
	uint32_t room_bytes;	/* of the socket; 0: the engine's default */
	uint64_t receive_ns;	/* from the arrival of a packet to its engine */
	uint64_t busy_ns;	/* other programs have the processor, at most */
	bool go_back_n; /* as devices without selective retransmission */
	bool ect;	/* the application allows marks in its traffic class */
};

struct net_conn;

struct net_host {
	struct net_timer wake;	 /* packets, or room at the adapter */
	struct net_timer expiry; /* timers of the engine */
	struct uroce_engine engine;
	struct uroce_memory regions;
	struct uroce_cq send_cq, recv_cq;
	uint32_t key;
	uint32_t number;
	uint32_t slot;
	struct net_link *out, *in;
	struct net_hosts *all;
};

/* A QP of a connection. */
struct net_end {
	struct uroce_qp *qp;
	struct uroce_rq rq;
	uint32_t hash; /* of the path of its packets */
};

/* Both QPs of a connection. */
struct net_conn {
	struct net_host *from, *to;
	struct net_end end[2]; /* of @from and @to */
	uint32_t number;
	enum ibv_wr_opcode opcode; /* WRITE, SEND or READ */
	uint64_t left_bytes;	   /* to post */
	uint64_t done_bytes;	   /* completed at @from */
	bool failed;
	/*
	 * Called when a transfer of WRITEs or SENDs has arrived at @to; may be
	 * NULL.
	 */
	void (*done)(struct net *net, struct net_conn *conn);
	void *arg;
};

struct net_hosts {
	struct net *net;
	struct net_host_config config;
	struct net_host *host;
	uint32_t nr_hosts;
	struct net_conn **conns;
	uint32_t nr_conns, max_conns;
	uint8_t *memory; /* sources of WRITEs, then their targets */
};

/** net_hosts_init() - hosts without links */
void net_hosts_init(struct net_hosts *hosts, struct net *net, uint32_t nr_hosts,
		    const struct net_host_config *config);

void net_hosts_fini(struct net_hosts *hosts);

/** net_host_attach() - connect a host to its links */
void net_host_attach(struct net_host *host, struct net_link *out,
		     struct net_link *in);

/** net_conn_new() - a connection; net_hosts_fini() frees it */
struct net_conn *net_conn_new(struct net_hosts *hosts, uint32_t from,
			      uint32_t to);

/**
 * net_conn_start() - transfer bytes, after which conn->done() is called
 *
 * The previous transfer has arrived at conn->to.
 */
void net_conn_start(struct net_conn *conn, uint64_t bytes);

/** net_hosts_count() - the sum of a counter of all engines */
uint64_t net_hosts_count(const struct net_hosts *hosts,
			 enum uroce_counter counter);

/** net_host_frame_bytes() - bytes of a packet on a link, with the gap */
uint32_t net_host_frame_bytes(const struct uroce_packet *packet);

#endif
