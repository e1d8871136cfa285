/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The records of queue pairs. Private to trace_match_*.c. */
#ifndef TOOLS_TRACE_MATCH_RECORDS_H
#define TOOLS_TRACE_MATCH_RECORDS_H

#include "tools/trace/trace_match.h"

/* In the order of time. */
struct record_list {
	const struct trace_record **records;
	size_t nr, size;
};

/* Messages that a QP sent and received, and completions of its requests. */
struct qp_records {
	struct record_list sends, recvs, acks;
};

/**
 * trace_match_datagrams() - pair UD QPs that have messages for each other
 * @qps: by file and QP
 *
 * UD QPs without a pair become singles.
 *
 * Return: 0, or -ENOMEM.
 */
int trace_match_datagrams(struct trace_match *match, struct qp_records **qps);

/**
 * trace_datagrams_select() - find the records of a list that name a QP
 * @ret: an empty list; free(ret->records)
 *
 * Return: 0, or -ENOMEM.
 */
int trace_datagrams_select(const struct record_list *list, uint32_t number,
			   struct record_list *ret);

#endif
