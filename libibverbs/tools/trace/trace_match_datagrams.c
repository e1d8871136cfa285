/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Pairs of UD QPs. A QP has no peer, but the record of each message names the
 * QP at the other end: a send request has the number of the remote QP, and a
 * completion that of the sender.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>

#include "tools/trace/trace_match_records.h"

struct datagram_qp {
	uint32_t number;
	struct trace_end end;
};

/* All UD QPs, in the order of their numbers. */
struct datagram_qps {
	struct datagram_qp *list;
	size_t nr;
};

/* Two QPs with a message; the first file, or QP, is ends[0]. */
struct datagram_link {
	struct trace_end ends[2];
};

struct datagram_links {
	struct datagram_link *list;
	size_t nr, size;
};

static int datagram_qp_compare(const void *left, const void *right)
{
	const struct datagram_qp *a = left, *b = right;

	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return trace_end_compare(&a->end, &b->end);
}

static int link_compare(const void *left, const void *right)
{
	const struct datagram_link *a = left, *b = right;
	int order = trace_end_compare(&a->ends[0], &b->ends[0]);

	return order ? order : trace_end_compare(&a->ends[1], &b->ends[1]);
}

static int qps_find_datagram(const struct trace_match *match,
			     struct datagram_qps *ret)
{
	size_t nr = 0;

	for (size_t i = 0; i < match->nr_sources; i++)
		nr += match->sources[i].data.nr_qps;
	ret->list = calloc(nr + 1, sizeof(*ret->list));
	if (!ret->list)
		return -ENOMEM;
	for (size_t i = 0; i < match->nr_sources; i++) {
		const struct trace_data *data = &match->sources[i].data;

		for (size_t j = 0; j < data->nr_qps; j++)
			if (data->qps[j].type == IBV_QPT_UD)
				ret->list[ret->nr++] = (struct datagram_qp){
					data->qps[j].number, { i, j }
				};
	}
	qsort(ret->list, ret->nr, sizeof(*ret->list), datagram_qp_compare);
	return 0;
}

/* Return: the index of the first QP whose number is not lower. */
static size_t qps_lower_bound(const struct datagram_qps *qps, uint32_t number)
{
	size_t low = 0, high = qps->nr;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (qps->list[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * The QP of another file that has a number, or of the same file if no other
 * one has it. NULL: it is none of the files, or more than one.
 */
static const struct trace_end *qps_find_peer(const struct datagram_qps *qps,
					     const struct trace_end *from,
					     uint32_t number)
{
	const struct trace_end *here = NULL, *there = NULL;
	size_t nr_here = 0, nr_there = 0;

	for (size_t i = qps_lower_bound(qps, number);
	     i < qps->nr && qps->list[i].number == number; i++) {
		const struct trace_end *end = &qps->list[i].end;

		if (end->source == from->source) {
			here = end;
			nr_here++;
		} else {
			there = end;
			nr_there++;
		}
	}
	if (nr_there)
		return nr_there == 1 ? there : NULL;
	return nr_here == 1 ? here : NULL;
}

static int links_add(struct datagram_links *links, const struct trace_end *left,
		     const struct trace_end *right)
{
	size_t size = links->size ? 2 * links->size : 64;
	struct datagram_link *list = links->list;
	bool in_order = trace_end_compare(left, right) <= 0;

	if (links->nr == links->size) {
		list = realloc(list, size * sizeof(*list));
		if (!list)
			return -ENOMEM;
		links->list = list;
		links->size = size;
	}
	list[links->nr++] = (struct datagram_link){
		{ in_order ? *left : *right, in_order ? *right : *left }
	};
	return 0;
}

static int links_add_list(struct datagram_links *links,
			  const struct datagram_qps *qps,
			  const struct trace_end *from,
			  const struct record_list *list)
{
	int ret = 0;

	for (size_t i = 0; i < list->nr && ret == 0; i++) {
		uint32_t number = list->records[i]->key;
		const struct trace_end *peer;

		if (i > 0 && list->records[i - 1]->key == number)
			continue;
		peer = qps_find_peer(qps, from, number);
		if (peer)
			ret = links_add(links, from, peer);
	}
	return ret;
}

static void links_sort(struct datagram_links *links)
{
	size_t nr = 0;

	if (links->nr)
		qsort(links->list, links->nr, sizeof(*links->list),
		      link_compare);
	for (size_t i = 0; i < links->nr; i++)
		if (nr == 0 ||
		    link_compare(&links->list[nr - 1], &links->list[i]) != 0)
			links->list[nr++] = links->list[i];
	links->nr = nr;
}

static int match_add_links(struct trace_match *match,
			   const struct datagram_links *links)
{
	struct trace_pair *pairs =
		realloc(match->pairs, (match->nr_pairs + links->nr + 1) *
					      sizeof(*match->pairs));

	if (!pairs)
		return -ENOMEM;
	match->pairs = pairs;
	for (size_t i = 0; i < links->nr; i++)
		pairs[match->nr_pairs++] = (struct trace_pair){
			.ends = { links->list[i].ends[0],
				  links->list[i].ends[1] },
		};
	return 0;
}

static bool links_have(const struct datagram_links *links,
		       const struct trace_end *end)
{
	for (size_t i = 0; i < links->nr; i++)
		if (trace_end_compare(&links->list[i].ends[0], end) == 0 ||
		    trace_end_compare(&links->list[i].ends[1], end) == 0)
			return true;
	return false;
}

static void match_add_unlinked(struct trace_match *match,
			       const struct datagram_qps *qps,
			       const struct datagram_links *links)
{
	for (size_t i = 0; i < qps->nr; i++)
		if (!links_have(links, &qps->list[i].end))
			match->singles[match->nr_singles++] =
				(struct trace_single){
					qps->list[i].end,
					"no message names one queue pair of "
					"the files"
				};
}

int trace_match_datagrams(struct trace_match *match, struct qp_records **qps)
{
	struct datagram_qps uds = {};
	struct datagram_links links = {};
	int ret = qps_find_datagram(match, &uds);

	for (size_t i = 0; i < uds.nr && ret == 0; i++) {
		const struct trace_end *end = &uds.list[i].end;
		const struct qp_records *records = &qps[end->source][end->qp];

		ret = links_add_list(&links, &uds, end, &records->sends);
		if (ret == 0)
			ret = links_add_list(&links, &uds, end,
					     &records->recvs);
	}
	links_sort(&links);
	if (ret == 0)
		ret = match_add_links(match, &links);
	if (ret == 0)
		match_add_unlinked(match, &uds, &links);
	free(links.list);
	free(uds.list);
	return ret;
}

int trace_datagrams_select(const struct record_list *list, uint32_t number,
			   struct record_list *ret_list)
{
	ret_list->records = calloc(list->nr + 1, sizeof(*ret_list->records));
	if (!ret_list->records)
		return -ENOMEM;
	for (size_t i = 0; i < list->nr; i++)
		if (list->records[i]->key == number)
			ret_list->records[ret_list->nr++] = list->records[i];
	return 0;
}
