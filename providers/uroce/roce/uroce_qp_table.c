/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Table of QPs by number; creates and frees QPs and the engine.
 *
 * QPN = slot << 16 | index. Indices are allocated in ascending order,
 * cyclically, so a number that was just freed is reused last. No index is
 * reused before its quarantine ends, so packets for the old QP do not reach a
 * new one. QPNs 0 and 1 are special QPs (IBTA 3.5.10) and 0xffffff is
 * multicast, so the first two indices and the last one are never used.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "uroce/qp/uroce_comp_cntr.h"
#include "uroce/qp/uroce_xrc.h"
#include "uroce/roce/uroce_delack.h"
#include "uroce/roce/uroce_engine.h"
#include "uroce/roce/uroce_timers.h"

#define NR_INDICES  (1u << UROCE_QP_TABLE_BITS)
#define FIRST_INDEX 2u
#define MAX_SLOT    0xffu

#define DEFAULT_ROOM_BYTES (416 * 1024) /* Linux: 2 * net.core.rmem_default */

/* One allocation. */
struct uroce_roce_qp {
	_Alignas(UROCE_CACHE_LINE) struct uroce_qp qp;
	_Alignas(UROCE_CACHE_LINE) struct uroce_roce roce;
};

static struct uroce_qp **entry(const struct uroce_engine *engine,
			       uint32_t index)
{
	struct uroce_qp **page = engine->qp_pages[index / UROCE_QP_TABLE_PAGE];

	return page ? &page[index % UROCE_QP_TABLE_PAGE] : NULL;
}

struct uroce_qp *uroce_engine_find_qp(const struct uroce_engine *engine,
				      uint32_t qpn)
{
	struct uroce_qp **found;

	if (qpn >> UROCE_QP_TABLE_BITS != engine->slot)
		return NULL;
	found = entry(engine, qpn & (NR_INDICES - 1));
	return found ? *found : NULL;
}

static bool is_usable(const struct uroce_engine *engine, uint32_t index)
{
	struct uroce_qp **found = entry(engine, index);

	return index >= FIRST_INDEX && index != NR_INDICES - 1 &&
	       !(found && *found);
}

static int qp_table_find_index(struct uroce_engine *engine, uint64_t now,
			       uint32_t *ret_index)
{
	for (uint32_t i = 0; i < NR_INDICES; i++) {
		uint32_t index = (engine->qpn_next + i) % NR_INDICES;

		if (!is_usable(engine, index) ||
		    engine->qpn_free_ns[index] > now)
			continue;
		*ret_index = index;
		return 0;
	}
	return -ENOSPC;
}

uint64_t uroce_engine_qpn_free_ns(const struct uroce_engine *engine)
{
	uint64_t free_ns = UROCE_NEVER;

	for (uint32_t i = 0; i < NR_INDICES; i++)
		if (is_usable(engine, i) && engine->qpn_free_ns[i] < free_ns)
			free_ns = engine->qpn_free_ns[i];
	return free_ns;
}

static int insert(struct uroce_engine *engine, struct uroce_qp *qp,
		  uint64_t now)
{
	uint32_t index;
	int ret;

	ret = qp_table_find_index(engine, now, &index);
	if (ret)
		return ret;
	if (!engine->qp_pages[index / UROCE_QP_TABLE_PAGE]) {
		struct uroce_qp **page =
			calloc(UROCE_QP_TABLE_PAGE, sizeof(struct uroce_qp *));

		if (!page)
			return -ENOMEM;
		engine->qp_pages[index / UROCE_QP_TABLE_PAGE] = page;
	}
	ret = uroce_timers_reserve(engine, engine->nr_qps + 1);
	if (ret)
		return ret;
	*entry(engine, index) = qp;
	engine->qpn_next = (index + 1) % NR_INDICES;
	engine->nr_qps++;
	engine->nr_datagram_qps += qp->type == IBV_QPT_UD;
	qp->qpn = engine->slot << UROCE_QP_TABLE_BITS | index;
	return 0;
}

static bool qp_type_is_xrc(enum ibv_qp_type type)
{
	return type == IBV_QPT_XRC_SEND || type == IBV_QPT_XRC_RECV;
}

static bool qp_type_is_known(enum ibv_qp_type type)
{
	return type == IBV_QPT_RC || type == IBV_QPT_UC || type == IBV_QPT_UD ||
	       qp_type_is_xrc(type);
}

static uint8_t transport_of(enum ibv_qp_type type)
{
	switch (type) {
	case IBV_QPT_XRC_SEND:
	case IBV_QPT_XRC_RECV:
		return UROCE_XRC;
	case IBV_QPT_RC:
		return UROCE_RC;
	case IBV_QPT_UC:
		return UROCE_UC;
	default:
		return UROCE_UD;
	}
}

int uroce_engine_new_qp(struct uroce_engine *engine,
			const struct uroce_qp_config *config, uint64_t now,
			struct uroce_qp **ret_qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };
	struct uroce_roce_qp *both;
	struct uroce_roce *roce;
	struct uroce_qp *qp;
	int ret;

	if (!qp_type_is_known(config->type))
		return -EINVAL;
	both = aligned_alloc(UROCE_CACHE_LINE, sizeof(*both));
	if (!both)
		return -ENOMEM;
	memset(both, 0, sizeof(*both));
	qp = &both->qp;
	roce = &both->roce;
	ret = uroce_sq_init(&qp->sq, config->max_send_wr, config->max_send_sge,
			    config->max_inline);
	if (ret)
		goto err_free_qp;
	qp->core = &engine->core;
	qp->ops = &uroce_roce_ops;
	qp->roce = roce;
	roce->qp = qp;
	roce->engine = engine;
	qp->type = (uint8_t)(qp_type_is_xrc(config->type) ? IBV_QPT_RC
							  : config->type);
	roce->opcode = transport_of(config->type);
	qp->pd = config->pd;
	qp->pkey = UROCE_PKEY_DEFAULT;
	qp->sig_all = config->sig_all;
	qp->rq = config->rq;
	qp->send_cq = config->send_cq;
	qp->recv_cq = config->recv_cq;
	qp->owner = config->owner;
	if (config->type == IBV_QPT_XRC_SEND)
		qp->xrc = UROCE_XRC_INITIATOR;
	else if (config->type == IBV_QPT_XRC_RECV)
		uroce_xrc_add_target(&engine->core.xrc, qp, config->xrc_domain);
	list_init(&qp->faulted);
	list_init(&roce->active);
	list_init(&roce->unsent);
	list_init(&roce->delayed);
	list_init(&roce->postponed);
	list_init(&roce->bound);
	list_init(&roce->publishing);
	list_init(&roce->gathering);
	ret = insert(engine, qp, now);
	if (ret)
		goto err_fini_sq;
	/* initializes all attributes to those of RESET */
	(void)uroce_qp_modify(qp, &attr, IBV_QP_STATE, IBV_MTU_4096, NULL, now);
	*ret_qp = qp;
	return 0;

err_fini_sq:
	uroce_ring_fini(&qp->sq);
err_free_qp:
	free(both);
	return ret;
}

void uroce_engine_free_qp(struct uroce_engine *engine, struct uroce_qp *qp,
			  uint64_t now, uint64_t quarantine_ns)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };
	uint32_t index = qp->qpn & (NR_INDICES - 1);

	uroce_engine_take_kicks(engine);
	(void)uroce_qp_modify(qp, &attr, IBV_QP_STATE, IBV_MTU_4096, NULL, now);
	for (uint32_t i = engine->nr_groups; i > 0; i--)
		if (engine->groups[i - 1].qp == qp)
			engine->groups[i - 1] =
				engine->groups[--engine->nr_groups];
	uroce_core_forget_qp(&engine->core, qp);
	uroce_comp_cntr_detach_all(qp);
	if (qp->xrc == UROCE_XRC_TARGET)
		uroce_xrc_remove_target(qp);
	uroce_delack_end(qp);
	*entry(engine, index) = NULL;
	engine->qpn_free_ns[index] = now + quarantine_ns;
	engine->nr_qps--;
	engine->nr_datagram_qps -= qp->type == IBV_QPT_UD;
	uroce_ring_fini(&qp->sq);
	free(qp); /* with the rest of struct uroce_roce_qp */
}

int uroce_engine_init(struct uroce_engine *engine,
		      const struct uroce_engine_config *config)
{
	uint64_t *free_ns = calloc(NR_INDICES, sizeof(*free_ns));

	if (!free_ns)
		return -ENOMEM;
	*engine = (struct uroce_engine){
		.core.memory = config->memory,
		.core.chaos = config->chaos,
		.max_burst = UROCE_MAX_BURST,
		.slot = config->slot & MAX_SLOT,
		.room_bytes = config->room_bytes ? config->room_bytes
						 : DEFAULT_ROOM_BYTES,
		.qpn_free_ns = free_ns,
		/* other QPNs in each run: old quarantines are not known */
		.qpn_next = (config->seed * 2654435761u) >> 16,
	};
	list_init(&engine->core.faulted);
	uroce_xrc_init(&engine->core.xrc);
	list_init(&engine->active);
	list_init(&engine->unsent);
	list_init(&engine->parked);
	list_init(&engine->delayed_acks);
	list_init(&engine->postponed_acks);
	list_init(&engine->publishing);
	list_init(&engine->gathering);
	return 0;
}

void uroce_engine_fini(struct uroce_engine *engine)
{
	for (size_t i = 0; i < UROCE_QP_TABLE_PAGES; i++)
		free(engine->qp_pages[i]);
	uroce_xrc_fini(&engine->core.xrc);
	uroce_pages_fini(&engine->reorder_pages);
	uroce_pages_fini(&engine->sack_pages);
	uroce_pages_fini(&engine->gather_pages);
	free(engine->qpn_free_ns);
	free(engine->timers);
	free(engine->groups);
}
