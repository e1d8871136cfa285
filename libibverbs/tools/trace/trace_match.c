/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds the connections between queue pairs of several traces: each names the
 * number, the GID and the first PSN of the other.
 */
#include "tools/trace/trace_match.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>

static bool gids_agree(const uint8_t *left, const uint8_t *right)
{
	static const uint8_t unknown[16];

	return memcmp(left, right, 16) == 0 || memcmp(left, unknown, 16) == 0 ||
	       memcmp(right, unknown, 16) == 0;
}

/* Whether @left sends to @right. */
static bool qp_names(const struct trace_qp_stats *left,
		     const struct trace_qp_stats *right)
{
	return left->dest_qp_num == right->number &&
	       gids_agree(left->peer_gid, right->own_gid) &&
	       (!left->has_sq_psn || !right->has_rq_psn ||
		left->sq_psn == right->rq_psn);
}

static bool qps_are_connected(const struct trace_qp_stats *left,
			      const struct trace_qp_stats *right)
{
	return left->type == right->type && qp_names(left, right) &&
	       qp_names(right, left);
}

static bool qp_has_peer(const struct trace_qp_stats *qp)
{
	return (qp->type == IBV_QPT_RC || qp->type == IBV_QPT_UC) &&
	       qp->dest_qp_num != 0;
}

/* Return: the number of possible peers of a QP; @ret_peer: the last one. */
static size_t peers_find(const struct trace_match *match,
			 const struct trace_end *end,
			 struct trace_end *ret_peer)
{
	const struct trace_qp_stats *qp = trace_source_qp(match, end);
	size_t nr = 0;

	for (size_t i = 0; i < match->nr_sources; i++) {
		const struct trace_data *data = &match->sources[i].data;

		for (size_t j = 0; j < data->nr_qps; j++) {
			if (!qp_has_peer(&data->qps[j]) ||
			    !qps_are_connected(qp, &data->qps[j]))
				continue;
			*ret_peer = (struct trace_end){ i, j };
			nr++;
		}
	}
	return nr;
}

static const char *single_reason(const struct trace_qp_stats *qp,
				 size_t nr_peers)
{
	if (qp->type != IBV_QPT_RC && qp->type != IBV_QPT_UC)
		return "its messages have no order that both sides know";
	if (qp->dest_qp_num == 0)
		return "it was not connected";
	return nr_peers ? "several queue pairs of the files could be its peer"
			: "its peer is in none of the files";
}

/* A pair is added for its first QP. A QP that is its own peer is one, too. */
static void match_add_qp(struct trace_match *match, const struct trace_end *end)
{
	const struct trace_qp_stats *qp = trace_source_qp(match, end);
	struct trace_end peer, back;
	size_t nr = qp_has_peer(qp) ? peers_find(match, end, &peer) : 0;

	if (qp->type == IBV_QPT_UD)
		return; /* trace_match_datagrams() */
	if (nr == 1 && peers_find(match, &peer, &back) == 1) {
		if (trace_end_compare(&peer, end) >= 0)
			match->pairs[match->nr_pairs++] =
				(struct trace_pair){ .ends = { *end, peer } };
		return;
	}
	match->singles[match->nr_singles++] = (struct trace_single){
		.end = *end,
		.reason = single_reason(qp, nr),
	};
}

static int match_pair_qps(struct trace_match *match)
{
	size_t nr = 0;

	for (size_t i = 0; i < match->nr_sources; i++)
		nr += match->sources[i].data.nr_qps;
	match->pairs = calloc(nr + 1, sizeof(*match->pairs));
	match->singles = calloc(nr + 1, sizeof(*match->singles));
	if (!match->pairs || !match->singles)
		return -ENOMEM;
	for (size_t i = 0; i < match->nr_sources; i++)
		for (size_t j = 0; j < match->sources[i].data.nr_qps; j++)
			match_add_qp(match, &(struct trace_end){ i, j });
	return 0;
}

int trace_match_files(struct trace_source *sources, size_t nr_sources,
		      struct trace_match *ret_match)
{
	int ret;

	*ret_match = (struct trace_match){
		.sources = sources,
		.nr_sources = nr_sources,
	};
	ret = match_pair_qps(ret_match);
	if (ret == 0)
		ret = trace_match_messages(ret_match);
	if (ret == 0)
		ret = trace_match_clocks(ret_match);
	if (ret)
		trace_match_free(ret_match);
	return ret;
}

void trace_match_free(struct trace_match *match)
{
	for (size_t i = 0; i < match->nr_pairs; i++)
		for (unsigned int from = 0; from < 2; from++)
			free(match->pairs[i].directions[from].messages);
	free(match->pairs);
	free(match->singles);
	for (size_t i = 0; i < match->nr_sources; i++) {
		free(match->sources[i].flows);
		match->sources[i].flows = NULL;
	}
	*match = (struct trace_match){};
}
