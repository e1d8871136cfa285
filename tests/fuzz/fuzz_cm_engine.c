/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzz target: MADs, times and calls of owners for the communication manager.
 *
 * The input is a sequence of steps. The first byte of a step has the operation
 * in bits 7-4 and the number of a connection in bits 3-0. A MAD step continues
 * with a byte for ids (bit 0: the local comm id of the connection as remote id,
 * bit 1: its peer's id as local id, bit 2: the QPN in a DREQ is right) and the
 * number of bytes after the MAD header that follow; missing bytes are 0.
 */
#include "cm/cm_bytes.h"
#include "cm/cm_engine.h"
#include "fuzz/fuzz_target.h"

#define NR_CONNS   16
#define NR_BUCKETS 4
#define BACKLOG	   3
#define MS	   1000000ULL
#define HEADER_LEN 24

enum operation {
	OP_MAD_FIRST = 0, /* to 8: the attribute is this + CM_REQ */
	OP_MAD_LAST = 8,
	OP_TIME = 9, /* a byte: 2^n ms */
	OP_CONNECT = 10,
	OP_ACCEPT = 11,
	OP_CONFIRM = 12,
	OP_REJECT = 13,
	OP_DISCONNECT = 14,
	OP_REMOVE = 15, /* and add again */
};

static struct cm_engine cm;
static struct list_node buckets[CM_NR_TABLES * NR_BUCKETS];
static struct cm_listener listener, sidr_listener;
static struct cm_conn conns[NR_CONNS];
static struct cm_sidr sidrs[NR_CONNS];
static struct cm_output out;
static uint64_t now_ns;

static void check_output(void)
{
	struct cm_mad mad;
	unsigned int pending = 0, sidr_pending = 0;

	fuzz_assert(out.nr_sends <= CM_MAX_SENDS);
	for (unsigned int i = 0; i < out.nr_sends; i++)
		fuzz_assert(cm_mad_decode(out.sends[i].bytes, CM_MAD_LEN,
					  &mad) == 0);
	for (int i = 0; i < NR_CONNS; i++) {
		pending += conns[i].listener != NULL;
		sidr_pending += sidrs[i].listener != NULL;
		/* No state but these three waits without a deadline. */
		fuzz_assert(conns[i].timer.armed ==
			    (conns[i].state == CM_REQ_SENT ||
			     conns[i].state == CM_MRA_REQ_RCVD ||
			     conns[i].state == CM_REP_SENT ||
			     conns[i].state == CM_MRA_REP_RCVD ||
			     conns[i].state == CM_DREQ_SENT ||
			     conns[i].state == CM_TIMEWAIT));
	}
	fuzz_assert(pending == listener.nr_pending && pending <= BACKLOG);
	fuzz_assert(sidr_pending == sidr_listener.nr_pending &&
		    sidr_pending <= BACKLOG);
}

static struct cm_conn *idle_conn(void)
{
	for (int i = 0; i < NR_CONNS; i++)
		if (conns[i].state == CM_IDLE)
			return &conns[i];
	return NULL;
}

static struct cm_sidr *idle_sidr(void)
{
	for (int i = 0; i < NR_CONNS; i++)
		if (sidrs[i].state == CM_SIDR_IDLE)
			return &sidrs[i];
	return NULL;
}

static void step_mad(struct fuzz_reader *reader, uint32_t attr,
		     const struct cm_conn *conn)
{
	uint8_t ids = fuzz_take_u8(reader);
	uint8_t bytes[CM_MAD_LEN] = { 1, 7, 2, 3 };
	struct cm_path path = { .sgid = { ids >> 4 } };
	size_t len = fuzz_take_u8(reader);
	const uint8_t *text;

	if (len > CM_MAD_LEN - HEADER_LEN)
		len = CM_MAD_LEN - HEADER_LEN;
	text = fuzz_take(reader, len, &len);
	memcpy(bytes + HEADER_LEN, text, len);
	bytes[17] = (uint8_t)attr;
	if ((ids & 1) && attr != CM_REQ)
		cm_bytes_put(bytes + HEADER_LEN + 4, 4, conn->local_comm_id);
	if (ids & 2)
		cm_bytes_put(bytes + HEADER_LEN, 4, conn->remote_comm_id);
	if ((ids & 4) && attr == CM_DREQ)
		cm_bytes_put(bytes + HEADER_LEN + 8, 3, conn->local_qpn);
	fuzz_assert(cm_engine_receive(&cm, &path, bytes, CM_MAD_LEN, now_ns,
				      idle_conn(), idle_sidr(), &out) == 0);
}

static void step_time(struct fuzz_reader *reader)
{
	now_ns += MS << (fuzz_take_u8(reader) & 15);
	while (cm_engine_expire(&cm, now_ns, &out))
		check_output();
	fuzz_assert(cm_engine_deadline(&cm) > now_ns);
}

/* Calls may fail, as a connection can be in any state. */
static void step_call(struct fuzz_reader *reader, enum operation operation,
		      struct cm_conn *conn)
{
	const struct cm_reject_param reject = { .reason = CM_REJ_CONSUMER };
	const struct cm_sidr_rep sidr_rep = { .status = CM_SIDR_OK };
	struct cm_connect_param connect = { .packet_life_time = 16 };
	const struct cm_rep rep = { .local_qpn = fuzz_take_u8(reader) };
	uint32_t comm_id = conn->local_comm_id;

	connect.req.local_qpn = rep.local_qpn;
	connect.req.remote_cm_timeout = 20;
	connect.req.max_cm_retries = 2;
	connect.req.primary.local_ack_timeout = 17;
	switch (operation) {
	case OP_CONNECT:
		(void)cm_conn_connect(&cm, conn, &connect, now_ns, &out);
		break;
	case OP_ACCEPT:
		(void)cm_conn_accept(&cm, conn, &rep, 0, now_ns, &out);
		break;
	case OP_CONFIRM:
		if (cm_conn_confirm(&cm, conn, &out) != 0)
			(void)cm_conn_notify(&cm, conn, &out);
		break;
	case OP_REJECT:
		if (cm_conn_reject(&cm, conn, &reject, now_ns, &out) != 0)
			(void)cm_sidr_reply(&cm, &sidrs[conn - conns],
					    &sidr_rep, 0, &out);
		break;
	case OP_DISCONNECT:
		(void)cm_conn_disconnect(&cm, conn, now_ns, &out);
		break;
	default:
		cm_conn_remove(&cm, conn, &out);
		check_output();
		fuzz_assert(cm_conn_add(&cm, conn, comm_id) == 0);
		break;
	}
}

static void start_engine(void)
{
	const struct cm_config config = { .ca_guid = 1 };

	now_ns = 0;
	memset(&out, 0, sizeof(out));
	cm_engine_init(&cm, &config, buckets, NR_BUCKETS);
	/* Service id 0, so that an input of zeros reaches it */
	listener = (struct cm_listener){ .backlog = BACKLOG };
	sidr_listener = (struct cm_listener){
		.is_sidr = true,
		.backlog = BACKLOG,
	};
	fuzz_assert(cm_listener_add(&cm, &listener) == 0);
	fuzz_assert(cm_listener_add(&cm, &sidr_listener) == 0);
	for (uint32_t i = 0; i < NR_CONNS; i++) {
		fuzz_assert(cm_conn_add(&cm, &conns[i], i + 1) == 0);
		cm_sidr_init(&sidrs[i]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct fuzz_reader reader = { data, len };

	start_engine();
	while (reader.len) {
		uint8_t step = fuzz_take_u8(&reader);
		enum operation operation = (enum operation)(step >> 4);
		struct cm_conn *conn = &conns[step & 15];

		if (operation <= OP_MAD_LAST)
			step_mad(&reader, CM_REQ + (uint32_t)operation, conn);
		else if (operation == OP_TIME)
			step_time(&reader);
		else
			step_call(&reader, operation, conn);
		check_output();
	}
	return 0;
}
