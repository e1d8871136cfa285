/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The entry of MADs and deadlines into the communication manager; they go to
 * cm_receive.c (connections) or cm_sidr.c. The calls of owners are in
 * cm_conn.c, cm_sidr.c and cm_engine_table.c.
 */
#include "cm/cm_engine.h"

#include "cm/cm_parts.h"

#include <string.h>

/* The object with this timer */
#define TIMER_OWNER(node, type) \
	((type *)(void *)((char *)(node)-offsetof(type, timer)))

void cm_engine_init(struct cm_engine *cm, const struct cm_config *config,
		    struct list_node *buckets, uint32_t nr_buckets)
{
	memset(cm, 0, sizeof(*cm));
	cm->config = *config;
	cm->buckets = buckets;
	cm->nr_buckets = nr_buckets;
	for (size_t i = 0; i < (size_t)CM_NR_TABLES * nr_buckets; i++)
		list_init(&buckets[i]);
}

int cm_engine_receive(struct cm_engine *cm, const struct cm_path *path,
		      const uint8_t *bytes, size_t len, uint64_t now_ns,
		      struct cm_conn *spare, struct cm_sidr *spare_sidr,
		      struct cm_output *out)
{
	int ret;

	cm_output_reset(out);
	ret = cm_mad_decode(bytes, len, &out->received);
	if (ret)
		return ret;
	if (out->received.attr == CM_SIDR_REQ ||
	    out->received.attr == CM_SIDR_REP)
		cm_sidr_receive(cm, path, spare_sidr, out);
	else
		cm_conn_receive(cm, path, now_ns, spare, out);
	return 0;
}

uint64_t cm_engine_deadline(const struct cm_engine *cm)
{
	const struct cm_timer *conn = cm->conn_timers.first;
	const struct cm_timer *sidr = cm->sidr_timers.first;
	uint64_t deadline_ns = conn ? conn->deadline_ns : UINT64_MAX;

	if (sidr && sidr->deadline_ns < deadline_ns)
		deadline_ns = sidr->deadline_ns;
	return deadline_ns;
}

bool cm_engine_expire(struct cm_engine *cm, uint64_t now_ns,
		      struct cm_output *out)
{
	struct cm_timer *conn = cm->conn_timers.first;
	struct cm_timer *sidr = cm->sidr_timers.first;

	cm_output_reset(out);
	if (conn && conn->deadline_ns <= now_ns) {
		cm_timer_disarm(&cm->conn_timers, conn);
		cm_conn_expire(cm, TIMER_OWNER(conn, struct cm_conn), now_ns,
			       out);
		return true;
	}
	if (sidr && sidr->deadline_ns <= now_ns) {
		cm_timer_disarm(&cm->sidr_timers, sidr);
		cm_sidr_expire(cm, TIMER_OWNER(sidr, struct cm_sidr), now_ns,
			       out);
		return true;
	}
	return false;
}
