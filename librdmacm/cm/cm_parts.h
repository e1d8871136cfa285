/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the files of the communication manager share. */
#ifndef CM_CM_PARTS_H
#define CM_CM_PARTS_H

#include "cm/cm_engine.h"

/* -- cm_engine_table.c: the tables -- */

/* Puts a node, which is in no table, into one. */
void cm_table_add(struct cm_engine *cm, enum cm_table table, uint64_t key_high,
		  uint64_t key_low, struct list_node *node);

/* Each returns NULL if there is none. */
struct cm_listener *cm_table_find_listener(struct cm_engine *cm,
					   uint64_t service_id, bool is_sidr);
struct cm_conn *cm_table_find_id(struct cm_engine *cm, uint32_t comm_id);
struct cm_conn *cm_table_find_remote_id(struct cm_engine *cm, uint64_t ca_guid,
					uint32_t comm_id);
struct cm_conn *cm_table_find_remote_qpn(struct cm_engine *cm, uint64_t ca_guid,
					 uint32_t qpn);
struct cm_sidr *cm_table_find_sidr_active(struct cm_engine *cm,
					  uint32_t request_id);
struct cm_sidr *cm_table_find_sidr_passive(struct cm_engine *cm,
					   uint32_t request_id,
					   const uint8_t *dgid);

/*
 * Counts a request until its SIDR_REP is sent, or its connection is established
 * or ends; -EAGAIN if the backlog is full.
 */
int cm_listener_hold(struct cm_listener *listener, struct list_node *node);
void cm_listener_release(struct cm_listener **listener, struct list_node *node);

/* -- cm_send.c: MADs to send -- */

/* Nanoseconds of an exponent, rounded as Linux does. */
uint64_t cm_time_ns(uint8_t exponent);

/* The transaction id of messages that an id of this host begins. */
uint64_t cm_own_tid(const struct cm_engine *cm, uint32_t id);

/* The path of a response to a packet. */
void cm_path_reverse(const struct cm_path *path, struct cm_path *ret_path);

/* The begin of each call of the engine: no result yet. */
void cm_output_reset(struct cm_output *out);

/* Adds bytes to the output. */
void cm_send_bytes(struct cm_output *out, const struct cm_path *path,
		   const uint8_t *bytes);

/* Adds a MAD all of whose values are in range. */
void cm_send_message(struct cm_output *out, const struct cm_path *path,
		     const struct cm_mad *message);

void cm_send_mra(const struct cm_conn *conn, enum cm_message about,
		 struct cm_output *out);
void cm_send_rtu(const struct cm_conn *conn, struct cm_output *out);
/* Makes unacknowledged[] the DREQ. */
void cm_conn_encode_dreq(const struct cm_engine *cm, struct cm_conn *conn);
void cm_send_drep(const struct cm_conn *conn, uint64_t tid,
		  struct cm_output *out);

/* A REJ in response to a message of a peer; ids as the peer sees them. */
void cm_send_rej(const struct cm_path *path, uint64_t tid,
		 uint32_t local_comm_id, uint32_t remote_comm_id,
		 enum cm_message about, enum cm_reject_reason reason,
		 struct cm_output *out);

/* -- cm_transition.c: changes of state that several messages cause -- */

void cm_event_set(struct cm_output *out, enum cm_event_type type, int status,
		  struct cm_conn *conn);

/* Peer identity: the connection is found by it until the time wait. */
void cm_conn_set_peer(struct cm_engine *cm, struct cm_conn *conn,
		      uint64_t ca_guid, uint32_t comm_id, uint32_t qpn);

/* Sends unacknowledged[], a REQ or DREQ, for the first time, now or at its
 * turn. */
void cm_conn_begin_exchange(struct cm_engine *cm, struct cm_conn *conn,
			    uint64_t now_ns, struct cm_output *out);

/* Retransmits unacknowledged[] after the interval. */
void cm_conn_start_timer(struct cm_engine *cm, struct cm_conn *conn,
			 uint64_t now_ns);

void cm_conn_enter_idle(struct cm_engine *cm, struct cm_conn *conn);
void cm_conn_enter_timewait(struct cm_engine *cm, struct cm_conn *conn,
			    uint64_t now_ns);
void cm_conn_start_dreq(struct cm_engine *cm, struct cm_conn *conn,
			uint64_t now_ns, struct cm_output *out);

/* -- received messages -- */

/* cm_receive.c */
void cm_conn_receive(struct cm_engine *cm, const struct cm_path *path,
		     uint64_t now_ns, struct cm_conn *spare,
		     struct cm_output *out);
void cm_conn_expire(struct cm_engine *cm, struct cm_conn *conn, uint64_t now_ns,
		    struct cm_output *out);

/* cm_sidr.c */
void cm_sidr_receive(struct cm_engine *cm, const struct cm_path *path,
		     struct cm_sidr *spare, struct cm_output *out);
void cm_sidr_expire(struct cm_engine *cm, struct cm_sidr *sidr, uint64_t now_ns,
		    struct cm_output *out);

#endif
