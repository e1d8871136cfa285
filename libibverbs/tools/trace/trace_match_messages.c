/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The messages between two queue pairs. They arrive in the order of their
 * posts, so the n-th one that was sent is the n-th one that was received. A
 * file has only the last records of each thread; the counters of the queue pair
 * contain the number of the first of them, but not those of a UD QP, which has
 * several peers.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>

#include "tools/trace/trace_match_records.h"

/* A receive request of UD begins with this space (GRH). */
#define DATAGRAM_GRH_BYTES 40

const struct trace_qp_stats *trace_source_qp(const struct trace_match *match,
					     const struct trace_end *end)
{
	return &match->sources[end->source].data.qps[end->qp];
}

static int records_append(struct record_list *list,
			  const struct trace_record *record)
{
	size_t size = list->size ? 2 * list->size : 64;
	const struct trace_record **records = list->records;

	if (list->nr == list->size) {
		records = realloc(records, size * sizeof(*records));
		if (!records)
			return -ENOMEM;
		list->records = records;
		list->size = size;
	}
	records[list->nr++] = record;
	return 0;
}

/* Removes the requests of a list that was not posted. */
static void list_strike(struct record_list *list,
			const struct trace_record *call)
{
	uint64_t nr = call->value;

	for (size_t i = list->nr; i-- > 0 && nr > 0;) {
		if (list->records[i]->op != TRACE_WR_COMPLETE ||
		    list->records[i]->thread != call->thread)
			continue;
		memmove(&list->records[i], &list->records[i + 1],
			(list->nr - i - 1) * sizeof(list->records[0]));
		list->nr--;
		nr--;
	}
}

static bool record_is_message(const struct trace_record *record)
{
	return record->opcode == IBV_WR_SEND ||
	       record->opcode == IBV_WR_SEND_WITH_IMM ||
	       record->opcode == IBV_WR_SEND_WITH_INV ||
	       record->opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
}

static void list_keep_messages(struct record_list *list)
{
	size_t nr = 0;

	for (size_t i = 0; i < list->nr; i++)
		if (record_is_message(list->records[i]))
			list->records[nr++] = list->records[i];
	list->nr = nr;
}

static int qp_add_record(struct qp_records *qp,
			 const struct trace_record *record)
{
	if (record->kind == TRACE_SEND && record->result == 0)
		return records_append(&qp->sends, record);
	if (record->kind == TRACE_CALL)
		list_strike(&qp->sends, record);
	if (record->kind != TRACE_COMPLETION ||
	    record->status != IBV_WC_SUCCESS)
		return 0;
	return records_append(
		record->opcode & IBV_WC_RECV ? &qp->recvs : &qp->acks, record);
}

static void qps_free(struct qp_records *qps, size_t nr)
{
	for (size_t i = 0; qps && i < nr; i++) {
		free(qps[i].sends.records);
		free(qps[i].recvs.records);
		free(qps[i].acks.records);
	}
	free(qps);
}

/* Return: the records of the QPs of a file, or NULL. */
static struct qp_records *qps_collect(const struct trace_data *data)
{
	struct qp_records *qps = calloc(data->nr_qps + 1, sizeof(*qps));
	int ret = 0;

	if (!qps)
		return NULL;
	for (size_t i = 0; i < data->nr_records && ret == 0; i++) {
		const struct trace_record *record = &data->records[i];

		if (record->qp < data->nr_qps &&
		    record->begin_ns >= data->complete_ns)
			ret = qp_add_record(&qps[record->qp], record);
	}
	for (size_t i = 0; i < data->nr_qps; i++)
		list_keep_messages(&qps[i].sends);
	if (ret) {
		qps_free(qps, data->nr_qps);
		return NULL;
	}
	return qps;
}

static uint64_t qp_nr_sent(const struct trace_qp_stats *qp)
{
	return qp->requests[IBV_WR_SEND] + qp->requests[IBV_WR_SEND_WITH_IMM] +
	       qp->requests[IBV_WR_SEND_WITH_INV] +
	       qp->requests[IBV_WR_RDMA_WRITE_WITH_IMM];
}

static uint64_t qp_nr_received(const struct trace_qp_stats *qp)
{
	return qp->recv_completions - qp->recv_errors;
}

/* Return: the number of the first message that has a record. */
static uint64_t list_first(const struct trace_data *data,
			   const struct record_list *list, uint64_t total)
{
	return data->complete_ns && total > list->nr ? total - list->nr : 0;
}

/* Receives of an extended CQ have possibly no size. */
static bool message_is_consistent(const struct trace_record *send,
				  const struct trace_record *recv,
				  uint64_t header_bytes)
{
	bool is_write = send->opcode == IBV_WR_RDMA_WRITE_WITH_IMM;

	return is_write == (recv->opcode == IBV_WC_RECV_RDMA_WITH_IMM) &&
	       (recv->bytes == send->bytes + header_bytes || recv->bytes == 0);
}

/* What makes the numbers of messages unusable. */
static void direction_check(struct trace_direction *direction,
			    const struct trace_data *from,
			    const struct trace_qp_stats *sender,
			    const struct trace_data *to,
			    const struct trace_qp_stats *receiver)
{
	const char *problem = NULL;

	if (sender->resets || receiver->resets)
		problem = "a queue pair was reset, which drops messages";
	else if (from->header.lost_threads || to->header.lost_threads)
		problem = "a file lacks some threads of its program";
	else if (direction->nr_received > direction->nr_sent)
		problem = "more messages were received than sent";
	else if (sender->type == IBV_QPT_UD &&
		 (from->complete_ns || to->complete_ns))
		problem = "a file has lost older records, and UD has no count";
	else if (sender->type != IBV_QPT_RC &&
		 direction->nr_received != direction->nr_sent)
		problem = "some of the messages were possibly lost";
	if (problem)
		(void)snprintf(direction->problem, sizeof(direction->problem),
			       "%s", problem);
}

/* The send requests before an acknowledged one are acknowledged, too. */
static const struct trace_record *acks_find(const struct record_list *acks,
					    size_t *at,
					    const struct trace_record *send)
{
	while (*at < acks->nr &&
	       (acks->records[*at]->value > acks->records[*at]->begin_ns ||
		acks->records[*at]->begin_ns - acks->records[*at]->value <
			send->begin_ns))
		++*at;
	return *at < acks->nr ? acks->records[*at] : NULL;
}

struct direction_lists {
	/* acks: only a completion of RC proves that the message has arrived */
	struct record_list sends, recvs, acks;
	uint64_t first_send, first_recv;
	uint64_t header_bytes; /* of a receive completion */
};

static void direction_add(struct trace_direction *direction,
			  const struct direction_lists *lists)
{
	uint64_t number = lists->first_send > lists->first_recv
				  ? lists->first_send
				  : lists->first_recv;
	size_t ack = 0;

	for (;; number++) {
		size_t send = (size_t)(number - lists->first_send);
		size_t recv = (size_t)(number - lists->first_recv);
		struct trace_message message;

		if (send >= lists->sends.nr || recv >= lists->recvs.nr)
			return;
		message.send = lists->sends.records[send];
		message.recv = lists->recvs.records[recv];
		message.ack = acks_find(&lists->acks, &ack, message.send);
		if (!message_is_consistent(message.send, message.recv,
					   lists->header_bytes)) {
			(void)snprintf(
				direction->problem, sizeof(direction->problem),
				"message %" PRIu64 " differs: %s of "
				"%" PRIu64 " bytes, %s of %" PRIu64 " bytes",
				number + 1, trace_record_opcode(message.send),
				message.send->bytes,
				trace_record_opcode(message.recv),
				message.recv->bytes);
			direction->nr_messages = 0;
			return;
		}
		direction->messages[direction->nr_messages++] = message;
	}
}

static int direction_match(struct trace_direction *direction,
			   const struct trace_data *from,
			   const struct trace_data *to,
			   struct direction_lists *lists)
{
	lists->first_send = list_first(from, &lists->sends, direction->nr_sent);
	lists->first_recv =
		list_first(to, &lists->recvs, direction->nr_received);
	direction->messages =
		calloc(lists->sends.nr + 1, sizeof(*direction->messages));
	if (!direction->messages)
		return -ENOMEM;
	direction_add(direction, lists);
	return 0;
}

/* Messages of UD QPs, which may have other peers, too. */
static int datagrams_match(struct trace_direction *direction,
			   const struct trace_data *data[2],
			   const struct trace_qp_stats *qps[2],
			   const struct qp_records *records[2])
{
	struct direction_lists lists = { .header_bytes = DATAGRAM_GRH_BYTES };
	int ret = trace_datagrams_select(&records[0]->sends, qps[1]->number,
					 &lists.sends);

	if (ret == 0)
		ret = trace_datagrams_select(&records[1]->recvs, qps[0]->number,
					     &lists.recvs);
	direction->nr_sent = lists.sends.nr;
	direction->nr_received = lists.recvs.nr;
	direction_check(direction, data[0], qps[0], data[1], qps[1]);
	if (ret == 0 && !direction->problem[0])
		ret = direction_match(direction, data[0], data[1], &lists);
	free(lists.sends.records);
	free(lists.recvs.records);
	return ret;
}

static int pair_match(const struct trace_match *match, struct trace_pair *pair,
		      unsigned int from, struct qp_records **qp_records)
{
	struct trace_direction *direction = &pair->directions[from];
	const struct trace_end *left = &pair->ends[from];
	const struct trace_end *right = &pair->ends[1 - from];
	const struct trace_data *data[2] = {
		&match->sources[left->source].data,
		&match->sources[right->source].data,
	};
	const struct trace_qp_stats *qps[2] = {
		trace_source_qp(match, left),
		trace_source_qp(match, right),
	};
	const struct qp_records *records[2] = {
		&qp_records[left->source][left->qp],
		&qp_records[right->source][right->qp],
	};
	struct direction_lists lists = {
		.sends = records[0]->sends,
		.recvs = records[1]->recvs,
	};

	/* A QP that is its own peer has one direction. */
	if (from && left->source == right->source && left->qp == right->qp)
		return 0;
	if (qps[0]->type == IBV_QPT_UD)
		return datagrams_match(direction, data, qps, records);
	if (qps[0]->type == IBV_QPT_RC)
		lists.acks = records[0]->acks;
	direction->nr_sent = qp_nr_sent(qps[0]);
	direction->nr_received = qp_nr_received(qps[1]);
	direction_check(direction, data[0], qps[0], data[1], qps[1]);
	if (direction->problem[0])
		return 0;
	return direction_match(direction, data[0], data[1], &lists);
}

static void match_set_flows(struct trace_match *match,
			    const struct trace_pair *pair, unsigned int from,
			    uint64_t *next)
{
	struct trace_source *sender = &match->sources[pair->ends[from].source];
	struct trace_source *receiver =
		&match->sources[pair->ends[1 - from].source];

	for (size_t i = 0; i < pair->directions[from].nr_messages; i++) {
		const struct trace_message *message =
			&pair->directions[from].messages[i];

		sender->flows[message->send - sender->data.records] = *next;
		receiver->flows[message->recv - receiver->data.records] =
			(*next)++;
	}
}

static int match_all(struct trace_match *match, struct qp_records **qps)
{
	uint64_t next = 1;
	int ret = 0;

	for (size_t i = 0; i < match->nr_sources && ret == 0; i++) {
		struct trace_source *source = &match->sources[i];

		qps[i] = qps_collect(&source->data);
		source->flows = calloc(source->data.nr_records + 1,
				       sizeof(*source->flows));
		if (!qps[i] || !source->flows)
			ret = -ENOMEM;
	}
	if (ret == 0)
		ret = trace_match_datagrams(match, qps);
	for (size_t i = 0; i < match->nr_pairs && ret == 0; i++)
		for (unsigned int from = 0; from < 2 && ret == 0; from++) {
			ret = pair_match(match, &match->pairs[i], from, qps);
			if (ret == 0)
				match_set_flows(match, &match->pairs[i], from,
						&next);
		}
	return ret;
}

int trace_match_messages(struct trace_match *match)
{
	struct qp_records **qps = calloc(match->nr_sources + 1, sizeof(*qps));
	int ret = qps ? match_all(match, qps) : -ENOMEM;

	for (size_t i = 0; qps && i < match->nr_sources; i++)
		qps_free(qps[i], match->sources[i].data.nr_qps);
	free(qps);
	return ret;
}
