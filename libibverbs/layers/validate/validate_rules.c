/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See validate_rules.h. In the order of layers/rules.h. */
#include "layers/validate/validate_rules.h"

#define RULE(group, number, ...) \
	[AV_##group##_##number] = { "AV-" #group "-" #number, __VA_ARGS__ }

const struct validate_rule validate_rules[LAYERS_NR_RULES] = {
	RULE(AD, 001, VALIDATE_ERROR, VALIDATE_ANY,
	     "An address vector for an Ethernet port has no GRH. RoCE packets "
	     "always have one: set is_global and grh.",
	     "ibv_create_ah(3), IBTA A17.4.4"),
	RULE(AD, 002, VALIDATE_ERROR, VALIDATE_ANY,
	     "The entry sgid_index of the GID table is empty or does not "
	     "exist.",
	     "ibv_query_gid(3)"),
	RULE(AD, 005, VALIDATE_ERROR, VALIDATE_ANY,
	     "The GID of the destination is zero, or one of both GIDs is an "
	     "IPv4 address and the other one is not. No packet can arrive.",
	     "ibv_create_ah(3)"),
	RULE(AD, 006, VALIDATE_ERROR, VALIDATE_ANY,
	     "ah_attr.port_num is not the port of the queue pair.",
	     "ibv_modify_qp(3)"),
	RULE(AD, 008, VALIDATE_ERROR, VALIDATE_ANY,
	     "A queue pair that is no datagram queue pair is attached to a "
	     "multicast group, or the GID of the group does not begin with ff.",
	     "ibv_attach_mcast(3)"),
	RULE(AT, 001, VALIDATE_ERROR, VALIDATE_ANY,
	     "The remote address of an atomic operation is not a multiple of "
	     "8, so the peer refuses it.",
	     "ibv_post_send(3), IBTA 9.4.5"),
	RULE(AT, 002, VALIDATE_ERROR, VALIDATE_ANY,
	     "The SGEs of an atomic operation have more or less than 8 bytes.",
	     "ibv_post_send(3), IBTA 9.4.5"),
	RULE(CQ, 003, VALIDATE_ERROR, VALIDATE_ANY,
	     "A completion queue overran: it has fewer entries than requests "
	     "completed. Its completions and queue pairs are lost.",
	     "ibv_create_cq(3), IBTA 10.10.3"),
	RULE(CQ, 005, VALIDATE_WARNING, VALIDATE_HISTORY,
	     "A send request was refused because the send queue is full, and "
	     "its completion queue was not polled for 5 seconds.",
	     "ibv_poll_cq(3)"),
	RULE(CQ, 006, VALIDATE_ERROR, VALIDATE_ANY,
	     "An event is requested for a completion queue without a channel, "
	     "so no event is generated.",
	     "ibv_req_notify_cq(3), ibv_create_cq(3)"),
	RULE(CQ, 007, VALIDATE_WARNING, VALIDATE_HISTORY,
	     "A completion came before ibv_req_notify_cq(), so no event "
	     "reported it, and more than 100 ms passed until the program found "
	     "it. "
	     "Poll the queue again after arming it.",
	     "ibv_get_cq_event(3), IBTA 11.4.2.2"),
	RULE(CQ, 008, VALIDATE_WARNING, VALIDATE_HISTORY,
	     "A completion queue was armed once only, its event was taken, and "
	     "later messages were found after more than a second without a "
	     "poll, twice. Arm the queue again after each event.",
	     "ibv_get_cq_event(3)"),
	RULE(CQ, 009, VALIDATE_HINT, VALIDATE_HISTORY,
	     "A completion queue is armed for solicited completions, and "
	     "messages were found without an event. The sender sets "
	     "IBV_SEND_SOLICITED, or the queue is armed for all completions.",
	     "ibv_get_cq_event(3), ibv_post_send(3)"),
	RULE(CQ, 010, VALIDATE_ERROR, VALIDATE_ANY,
	     "A completion queue was requested with more entries than the "
	     "device permits, or with a completion vector that does not "
	     "exist.",
	     "ibv_create_cq(3)"),
	RULE(EV, 003, VALIDATE_ERROR, VALIDATE_HISTORY,
	     "More events of a completion queue were acknowledged than taken. "
	     "With other libraries its destruction waits for ever.",
	     "ibv_ack_cq_events(3)"),
	RULE(EX, 007, VALIDATE_WARNING, VALIDATE_ANY,
	     "wr_flags has IBV_SEND_INLINE, and ibv_wr_set_sge() adds the "
	     "data, so the flag has no effect. Call ibv_wr_set_inline_data().",
	     "ibv_wr_post(3)"),
	RULE(KY, 001, VALIDATE_ERROR, VALIDATE_HISTORY,
	     "No memory region of the context has the lkey of an SGE.",
	     "ibv_post_send(3), ibv_post_recv(3)"),
	RULE(KY, 002, VALIDATE_ERROR, VALIDATE_HISTORY,
	     "An SGE has the lkey of a region that was deregistered.",
	     "ibv_reg_mr(3)"),
	RULE(KY, 003, VALIDATE_ERROR, VALIDATE_HISTORY,
	     "An SGE has the lkey of a region of another context. Register the "
	     "memory once for each context.",
	     "ibv_reg_mr(3)"),
	RULE(KY, 004, VALIDATE_ERROR, VALIDATE_HISTORY,
	     "The region of an SGE belongs to another protection domain than "
	     "the queue.",
	     "ibv_alloc_pd(3), ibv_reg_mr(3)"),
	RULE(KY, 005, VALIDATE_ERROR, VALIDATE_ANY,
	     "An SGE begins or ends outside of its region.", "ibv_reg_mr(3)"),
	RULE(KY, 006, VALIDATE_ERROR, VALIDATE_ANY,
	     "The SGE of a receive request, READ or atomic operation has a "
	     "region without IBV_ACCESS_LOCAL_WRITE.",
	     "ibv_reg_mr(3)"),
	RULE(KY, 008, VALIDATE_ERROR, VALIDATE_ANY,
	     "A region was requested with a right of the peer to write, but "
	     "without IBV_ACCESS_LOCAL_WRITE.",
	     "ibv_reg_mr(3), IBTA 10.6.3.1"),
	RULE(KY, 009, VALIDATE_ERROR, VALIDATE_SYSTEM,
	     "A page of the memory of a region is not mapped, or is not "
	     "writable although the access flags require it.",
	     "ibv_reg_mr(3)"),
	RULE(KY, 011, VALIDATE_ERROR, VALIDATE_ANY,
	     "An SGE has an address in a region with IBV_ACCESS_ZERO_BASED, "
	     "whose addresses are offsets from 0.",
	     "ibv_reg_mr(3)"),
	RULE(KY, 012, VALIDATE_ERROR, VALIDATE_HISTORY,
	     "The peer refused the access to a region of this process, which "
	     "does not permit it: its range, its rights or its protection "
	     "domain.",
	     "ibv_reg_mr(3), IBTA 9.7.4.1.7"),
	RULE(LT, 001, VALIDATE_WARNING, VALIDATE_ANY,
	     "A context is closed while objects of it exist.",
	     "ibv_open_device(3)"),
	RULE(LT, 002, VALIDATE_WARNING, VALIDATE_HISTORY,
	     "An object cannot be destroyed because other objects use it. "
	     "Destroy those first.",
	     "ibv_alloc_pd(3), ibv_create_cq(3), ibv_create_srq(3)"),
	RULE(LT, 003, VALIDATE_ERROR, VALIDATE_HISTORY,
	     "A call or a send request uses an object that was destroyed. The "
	     "call fails with EINVAL, since it would read freed memory.",
	     "libibverbs(7)"),
	RULE(LT, 004, VALIDATE_ERROR, VALIDATE_HISTORY,
	     "A memory region is deregistered or registered again while a "
	     "request in flight uses it. Poll the completion of the request "
	     "before.",
	     "ibv_reg_mr(3), IBTA 10.6.6"),
	RULE(LT, 005, VALIDATE_WARNING, VALIDATE_HISTORY,
	     "A memory region is deregistered or registered again while only "
	     "unsignaled requests use it, and no completion of a later request "
	     "was polled.",
	     "ibv_post_send(3), IBTA 10.8.6"),
	RULE(LT, 006, VALIDATE_WARNING, VALIDATE_HISTORY,
	     "An address handle is destroyed while a signaled request in "
	     "flight uses it. Poll its completion before.",
	     "ibv_create_ah(3)"),
	RULE(LT, 007, VALIDATE_HINT, VALIDATE_HISTORY,
	     "A queue pair is destroyed before the completions of its signaled "
	     "send requests were polled, which never come. Move it to ERR and "
	     "poll until it is empty.",
	     "ibv_create_qp(3), IBTA 10.3.1"),
	RULE(LT, 008, VALIDATE_ERROR, VALIDATE_HISTORY,
	     "A call or a send request uses objects of two contexts. Make one "
	     "for each context.",
	     "libibverbs(7)"),
	RULE(MW, 001, VALIDATE_ERROR, VALIDATE_ANY,
	     "A memory window is bound to a region without IBV_ACCESS_MW_BIND.",
	     "ibv_alloc_mw(3), ibv_bind_mw(3)"),
	RULE(MW, 002, VALIDATE_ERROR, VALIDATE_ANY,
	     "A memory window that the peer may write to is bound to a region "
	     "without IBV_ACCESS_LOCAL_WRITE.",
	     "ibv_bind_mw(3), IBTA 10.6.7.2"),
	RULE(MW, 003, VALIDATE_ERROR, VALIDATE_ANY,
	     "A memory window begins or ends outside of its region.",
	     "ibv_bind_mw(3), IBTA 10.6.7.2"),
	RULE(MW, 004, VALIDATE_ERROR, VALIDATE_ANY,
	     "A send request binds a memory window of type 1, which only "
	     "ibv_bind_mw(3) binds.",
	     "ibv_alloc_mw(3), IBTA 10.6.7.2.2"),
	RULE(PO, 001, VALIDATE_WARNING, VALIDATE_ANY,
	     "A send request was refused because the send queue is full.",
	     "ibv_post_send(3)"),
	RULE(PO, 002, VALIDATE_ERROR, VALIDATE_HISTORY,
	     "The send queue is full of requests that are not signaled. No "
	     "completion can ever free an entry.",
	     "ibv_post_send(3), IBTA 10.8.5"),
	RULE(PO, 003, VALIDATE_WARNING, VALIDATE_ANY,
	     "A receive request was refused because the receive queue is "
	     "full.",
	     "ibv_post_recv(3)"),
	RULE(PO, 004, VALIDATE_ERROR, VALIDATE_ANY,
	     "A request has more SGEs than the queue was created for.",
	     "ibv_post_send(3), ibv_post_recv(3)"),
	RULE(PO, 005, VALIDATE_ERROR, VALIDATE_ANY,
	     "A request with IBV_SEND_INLINE has more bytes than the "
	     "max_inline_data of the queue pair.",
	     "ibv_post_send(3)"),
	RULE(PO, 006, VALIDATE_ERROR, VALIDATE_ANY,
	     "A request with IBV_SEND_INLINE is a READ, an atomic operation or "
	     "a bind operation, which send no data of their own.",
	     "ibv_post_send(3)"),
	RULE(PO, 007, VALIDATE_ERROR, VALIDATE_ANY,
	     "The list of SGEs is NULL, but the number of SGEs is not 0. The "
	     "request is refused with EINVAL, since many providers would "
	     "crash.",
	     "ibv_post_send(3), ibv_post_recv(3)"),
	RULE(PO, 008, VALIDATE_ERROR, VALIDATE_ANY,
	     "A message is longer than the max_msg_sz of the port.",
	     "ibv_query_port(3), IBTA 9.7.8"),
	RULE(PO, 009, VALIDATE_ERROR, VALIDATE_ANY,
	     "The type of the queue pair does not have the operation.",
	     "ibv_post_send(3), IBTA 10.5"),
	RULE(PO, 010, VALIDATE_ERROR, VALIDATE_ANY,
	     "The opcode of a request does not exist. Often the request was "
	     "not initialized.",
	     "ibv_post_send(3)"),
	RULE(QP, 001, VALIDATE_ERROR, VALIDATE_ANY,
	     "The type of the queue pair has no transition between these "
	     "states. The order is RESET, INIT, RTR, RTS.",
	     "ibv_modify_qp(3), IBTA 10.3.1"),
	RULE(QP, 002, VALIDATE_ERROR, VALIDATE_ANY,
	     "An attribute that the transition requires is missing in "
	     "attr_mask.",
	     "ibv_modify_qp(3), IBTA 11.2.4.2"),
	RULE(QP, 003, VALIDATE_ERROR, VALIDATE_ANY,
	     "An attribute in attr_mask is not permitted in the transition.",
	     "ibv_modify_qp(3), IBTA 11.2.4.2"),
	RULE(QP, 004, VALIDATE_ERROR, VALIDATE_ANY,
	     "The number of a port, or the index of a P_Key, is outside of the "
	     "tables of the device.",
	     "ibv_modify_qp(3), ibv_query_pkey(3)"),
	RULE(QP, 005, VALIDATE_ERROR, VALIDATE_ANY,
	     "path_mtu is above the active MTU of the port.",
	     "ibv_modify_qp(3), ibv_query_port(3)"),
	RULE(QP, 006, VALIDATE_WARNING, VALIDATE_ANY,
	     "A queue pair is connected while its port is not active.",
	     "ibv_modify_qp(3), ibv_query_port(3)"),
	RULE(QP, 007, VALIDATE_ERROR, VALIDATE_ANY,
	     "The number of the destination queue pair, or a packet sequence "
	     "number, has more than 24 bits. Often a number was exchanged in "
	     "the wrong byte order.",
	     "ibv_modify_qp(3)"),
	RULE(QP, 008, VALIDATE_ERROR, VALIDATE_ANY,
	     "A send request is posted before the queue pair is in the state "
	     "RTS.",
	     "ibv_post_send(3), IBTA 10.8.3.1"),
	RULE(QP, 009, VALIDATE_ERROR, VALIDATE_ANY,
	     "A receive request is posted while the queue pair is in the state "
	     "RESET.",
	     "ibv_post_recv(3), IBTA 10.8.3.2"),
	RULE(QP, 011, VALIDATE_WARNING, VALIDATE_ANY,
	     "100 posts followed a completion with an error, without a success "
	     "among their completions. Reset the queue pair and connect it "
	     "again.",
	     "ibv_modify_qp(3), IBTA 10.3.1"),
	RULE(QP, 012, VALIDATE_ERROR, VALIDATE_ANY,
	     "A queue pair was requested with a capacity above a limit of the "
	     "device.",
	     "ibv_create_qp(3), ibv_query_device(3)"),
	RULE(QP, 013, VALIDATE_HINT, VALIDATE_HISTORY,
	     "A queue pair is moved to RESET while requests are in flight, "
	     "which have no completion. Poll until its queues are empty.",
	     "ibv_modify_qp(3), IBTA 10.3.1"),
	RULE(QP, 014, VALIDATE_HINT, VALIDATE_HISTORY,
	     "A queue pair is moved to RTR without a receive request. The "
	     "first message waits for one, or is lost.",
	     "ibv_post_recv(3), IBTA 9.7.5.2.8"),
	RULE(QP, 015, VALIDATE_ERROR, VALIDATE_ANY,
	     "cur_qp_state is not the state of the queue pair.",
	     "ibv_modify_qp(3)"),
	RULE(QP, 016, VALIDATE_ERROR, VALIDATE_ANY,
	     "path_mtu is no value of enum ibv_mtu. Often it is a number of "
	     "bytes.",
	     "ibv_modify_qp(3)"),
	RULE(QP, 017, VALIDATE_ERROR, VALIDATE_ANY,
	     "The device does not limit the rate of queue pairs of this type, "
	     "or rate_limit is outside of its limits.",
	     "ibv_modify_qp_rate_limit(3)"),
	RULE(QP, 018, VALIDATE_ERROR, VALIDATE_ANY,
	     "path_mig_state is not possible: the device has no alternate "
	     "paths, the queue pair has none to rearm, it is not armed yet, or "
	     "only the device enters the state.",
	     "ibv_modify_qp(3), IBTA 17.2.8"),
	RULE(RC, 001, VALIDATE_WARNING, VALIDATE_ANY,
	     "timeout is 0. A lost packet is never sent again, and a dead peer "
	     "is never noticed.",
	     "ibv_modify_qp(3), IBTA 9.7.6.1.3"),
	RULE(RC, 002, VALIDATE_HINT, VALIDATE_ANY,
	     "retry_cnt or rnr_retry is 0. The first lost packet, or the first "
	     "message without a receive request, ends the connection.",
	     "ibv_modify_qp(3), IBTA 9.7.6.1.1"),
	RULE(RC, 003, VALIDATE_HINT, VALIDATE_ANY,
	     "min_rnr_timer is 0, which is the longest time, 655 ms.",
	     "ibv_modify_qp(3), IBTA 9.7.5.2.8"),
	RULE(RC, 004, VALIDATE_HINT, VALIDATE_ANY,
	     "With timeout and retry_cnt, a peer that does not respond is "
	     "noticed after less than a millisecond or more than ten minutes.",
	     "ibv_modify_qp(3), IBTA 9.7.6.1.3"),
	RULE(RC, 005, VALIDATE_ERROR, VALIDATE_HISTORY,
	     "A READ or an atomic operation is posted to a queue pair whose "
	     "max_rd_atomic is 0.",
	     "ibv_modify_qp(3)"),
	RULE(RC, 006, VALIDATE_ERROR, VALIDATE_ANY,
	     "max_rd_atomic or max_dest_rd_atomic is above the limit of the "
	     "device.",
	     "ibv_modify_qp(3), ibv_query_device(3)"),
	RULE(RC, 007, VALIDATE_ERROR, VALIDATE_HISTORY,
	     "The peer refused a READ or an atomic operation, and its "
	     "max_dest_rd_atomic is less than max_rd_atomic of the queue pair.",
	     "ibv_modify_qp(3)"),
	RULE(RC, 008, VALIDATE_ERROR, VALIDATE_HISTORY,
	     "The peer did not accept a message, and its path_mtu differs.",
	     "ibv_modify_qp(3)"),
	RULE(RC, 009, VALIDATE_ERROR, VALIDATE_HISTORY,
	     "The peer did not acknowledge a message, and its rq_psn is not "
	     "sq_psn of the queue pair.",
	     "ibv_modify_qp(3)"),
	RULE(RC, 010, VALIDATE_ERROR, VALIDATE_HISTORY,
	     "The peer did not acknowledge a message, and its dest_qp_num is "
	     "another queue pair.",
	     "ibv_modify_qp(3)"),
	RULE(RC, 011, VALIDATE_ERROR, VALIDATE_ANY,
	     "A timeout is above 31, or a retry count is above 7.",
	     "ibv_modify_qp(3)"),
	RULE(SR, 001, VALIDATE_WARNING, VALIDATE_ANY,
	     "A receive request was refused because the shared receive queue "
	     "is full.",
	     "ibv_post_srq_recv(3)"),
	RULE(SR, 002, VALIDATE_ERROR, VALIDATE_ANY,
	     "A receive request is posted to a queue pair that takes its "
	     "requests from a shared receive queue.",
	     "ibv_post_srq_recv(3), IBTA 10.8.3.1"),
	RULE(SR, 005, VALIDATE_ERROR, VALIDATE_ANY,
	     "A shared receive queue was requested without entries, or with a "
	     "size above a limit of the device.",
	     "ibv_create_srq(3), ibv_query_device(3)"),
	RULE(UD, 001, VALIDATE_ERROR, VALIDATE_ANY,
	     "A receive request of a datagram queue pair has less than the 40 "
	     "bytes in front of each datagram.",
	     "ibv_post_recv(3), IBTA 11.4.1.2"),
	RULE(UD, 002, VALIDATE_ERROR, VALIDATE_ANY,
	     "A datagram is longer than the active MTU of the port.",
	     "ibv_post_send(3), ibv_query_port(3)"),
	RULE(UD, 003, VALIDATE_ERROR, VALIDATE_ANY,
	     "A send request of a datagram queue pair has no address handle, "
	     "the handle of another protection domain, or a destination with "
	     "more than 24 bits.",
	     "ibv_post_send(3), ibv_create_ah(3)"),
	RULE(UD, 004, VALIDATE_ERROR, VALIDATE_HISTORY,
	     "remote_qkey is not the Q_Key of the receiver, which drops the "
	     "message.",
	     "ibv_post_send(3), ibv_modify_qp(3)"),
	RULE(UD, 005, VALIDATE_HINT, VALIDATE_ANY,
	     "The highest bit of remote_qkey is set. The Q_Key of the queue "
	     "pair is sent in its place.",
	     "ibv_post_send(3), IBTA 10.2.5"),
	RULE(WC, 001, VALIDATE_ERROR, VALIDATE_ANY,
	     "The status of a completion is LOC_LEN_ERR: a message is "
	     "longer than the receive request, or than the device "
	     "permits.",
	     "ibv_poll_cq(3), IBTA 11.6.2"),
	RULE(WC, 002, VALIDATE_ERROR, VALIDATE_ANY,
	     "The status of a completion is LOC_QP_OP_ERR: the request "
	     "does not fit the queue pair.",
	     "ibv_poll_cq(3), IBTA 11.6.2"),
	RULE(WC, 003, VALIDATE_ERROR, VALIDATE_ANY,
	     "The status of a completion is LOC_PROT_ERR: an SGE of the "
	     "request is not in a valid region.",
	     "ibv_poll_cq(3), IBTA 11.6.2"),
	RULE(WC, 004, VALIDATE_HINT, VALIDATE_ANY,
	     "The status of a completion is WR_FLUSH_ERR, and the queue "
	     "pair failed with another status before.",
	     "ibv_poll_cq(3), IBTA 11.6.2"),
	RULE(WC, 005, VALIDATE_ERROR, VALIDATE_ANY,
	     "The status of a completion is MW_BIND_ERR: a memory window "
	     "cannot be bound.",
	     "ibv_poll_cq(3), IBTA 11.6.2"),
	RULE(WC, 006, VALIDATE_ERROR, VALIDATE_ANY,
	     "The status of a completion is REM_INV_REQ_ERR: the peer "
	     "does not accept the operation, or its receive request is "
	     "too short.",
	     "ibv_poll_cq(3), IBTA 9.7.5.2.2"),
	RULE(WC, 007, VALIDATE_ERROR, VALIDATE_ANY,
	     "The status of a completion is REM_ACCESS_ERR: the peer "
	     "does not permit the access to its memory.",
	     "ibv_poll_cq(3), IBTA 9.7.4.1.7"),
	RULE(WC, 008, VALIDATE_ERROR, VALIDATE_ANY,
	     "The status of a completion is REM_OP_ERR, BAD_RESP_ERR or "
	     "REM_ABORT_ERR: the peer could not execute the request because "
	     "of an error of its own.",
	     "ibv_poll_cq(3), IBTA 11.6.2"),
	RULE(WC, 009, VALIDATE_ERROR, VALIDATE_ANY,
	     "The status of a completion is RETRY_EXC_ERR: the peer did "
	     "not acknowledge the request.",
	     "ibv_poll_cq(3), IBTA 9.7.6.1.1"),
	RULE(WC, 010, VALIDATE_ERROR, VALIDATE_ANY,
	     "The status of a completion is RNR_RETRY_EXC_ERR: the peer "
	     "had no receive request for the message.",
	     "ibv_poll_cq(3), IBTA 9.7.5.2.8"),
	RULE(WC, 011, VALIDATE_ERROR, VALIDATE_ANY,
	     "The status of a completion is FATAL_ERR, GENERAL_ERR or another "
	     "one that no mistake explains: the device failed. Read its "
	     "asynchronous events and the kernel log.",
	     "ibv_poll_cq(3), ibv_get_async_event(3), IBTA 11.6.2"),
};

const char *validate_severity_name(enum validate_severity severity)
{
	static const char *const names[VALIDATE_NR_SEVERITIES] = {
		[VALIDATE_ERROR] = "error",
		[VALIDATE_WARNING] = "warning",
		[VALIDATE_HINT] = "hint",
	};

	return names[severity];
}
