/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Records of objects: see layers/layers_record.h. Two tables with open
 * addressing: by address, and by the context and number. A table that is half
 * full is replaced by a larger one. It stays, since readers need no lock.
 */
#include "layers/layers_record.h"

#include <stdlib.h>
#include <string.h>

#include "util/thread.h"

#define MIN_SLOTS 1024U /* power of two */

/* So many records of destroyed objects of a kind are kept. */
#define MAX_GONE 256U

struct verbs_mutex layers_mutex = VERBS_MUTEX_INIT;
/* The signals that the owner of the mutex had blocked before. */
static sigset_t blocked_signals GUARDED_BY(layers_mutex);

void layers_lock(void)
{
	sigset_t before;

	signals_block(&before);
	verbs_mutex_lock(&layers_mutex);
	blocked_signals = before;
}

void layers_unlock(void)
{
	sigset_t before = blocked_signals;

	verbs_mutex_unlock(&layers_mutex);
	signals_restore(&before);
}

#define LOAD(member) atomic_load_explicit(&(member), memory_order_relaxed)

/* ------------------------------------------------------------------------ */
/* Tables                                                                    */
/* ------------------------------------------------------------------------ */

enum record_key {
	BY_ADDRESS,
	BY_NUMBER,
	NR_KEYS,
};

struct record_table {
	size_t nr;		     /* of slots; power of two */
	size_t nr_used;		     /* slots that are not NULL */
	struct record_table *former; /* readers may still use it */
	_Atomic(struct layers_record *) *slots;
};

static _Atomic(struct layers_record *) first_slots[NR_KEYS][MIN_SLOTS];
static struct record_table first_tables[NR_KEYS] = {
	{ .nr = MIN_SLOTS, .slots = first_slots[BY_ADDRESS] },
	{ .nr = MIN_SLOTS, .slots = first_slots[BY_NUMBER] },
};
static _Atomic(struct record_table *) tables[NR_KEYS] = {
	&first_tables[BY_ADDRESS],
	&first_tables[BY_NUMBER],
};

/* In slots of dropped records: no object has this record. */
static struct layers_record dropped = { .kind = LAYERS_NR_KINDS };

/* Fibonacci hashing; objects have at least 16 bytes. */
static size_t record_hash_address(const void *object)
{
	return (size_t)(((uint64_t)(uintptr_t)object *
			 UINT64_C(0x9e3779b97f4a7c15)) >>
			32);
}

/* The low bits of an lkey are often a counter. */
static size_t record_hash_number(const struct ibv_context *ctx, uint32_t number)
{
	return (size_t)((((uint64_t)(uintptr_t)ctx + number) *
			 UINT64_C(0x9e3779b97f4a7c15)) >>
			32);
}

static size_t record_hash(const struct layers_record *record,
			  enum record_key key)
{
	return key == BY_ADDRESS ? record_hash_address(LOAD(record->object))
				 : record_hash_number(LOAD(record->ctx),
						      LOAD(record->number));
}

/* Return: the record of a slot; NULL: the last one that was ever used. */
static struct layers_record *table_load(const struct record_table *table,
					size_t place)
{
	/* Pairs with the release in table_store_locked(). */
	return atomic_load_explicit(&table->slots[place & (table->nr - 1)],
				    memory_order_acquire);
}

static const struct record_table *table_get(enum record_key key)
{
	/* Pairs with the release in table_grow_locked(). */
	return atomic_load_explicit(&tables[key], memory_order_acquire);
}

struct layers_record *layers_record_find(const void *object)
{
	const struct record_table *table = table_get(BY_ADDRESS);
	size_t place = record_hash_address(object);
	struct layers_record *record;

	if (!object)
		return NULL;
	do
		record = table_load(table, place++);
	while (record && LOAD(record->object) != object);
	return record;
}

struct layers_record *layers_record_find_number(const struct ibv_context *ctx,
						enum layers_kind kind,
						uint32_t number)
{
	const struct record_table *table = table_get(BY_NUMBER);
	size_t place = record_hash_number(ctx, number);
	struct layers_record *record;

	do
		record = table_load(table, place++);
	while (record &&
	       (record->kind != kind || LOAD(record->number) != number ||
		LOAD(record->ctx) != ctx));
	return record;
}

static void table_store_locked(struct record_table *table, size_t place,
			       struct layers_record *record)
	REQUIRES(layers_mutex)
{
	/* Pairs with the acquire in table_load(). */
	atomic_store_explicit(&table->slots[place & (table->nr - 1)], record,
			      memory_order_release);
}

static void table_put_locked(struct record_table *table,
			     struct layers_record *record, size_t place)
	REQUIRES(layers_mutex)
{
	struct layers_record *old = table_load(table, place);

	while (old && old != &dropped)
		old = table_load(table, ++place);
	if (!old)
		table->nr_used++;
	table_store_locked(table, place, record);
}

/* Slots at the end of a sequence become NULL, so that few are replaced. */
static void table_remove_locked(enum record_key key,
				const struct layers_record *record)
	REQUIRES(layers_mutex)
{
	struct record_table *table = LOAD(tables[key]);
	size_t place = record_hash(record, key);
	struct layers_record *old = table_load(table, place);

	while (old && old != record)
		old = table_load(table, ++place);
	if (!old)
		return;
	table_store_locked(table, place, &dropped);
	for (; table_load(table, place) == &dropped &&
	       !table_load(table, place + 1);
	     place--) {
		table_store_locked(table, place, NULL);
		table->nr_used--;
	}
}

/* Return: the next existing object of the table from a place on. */
static struct layers_record *table_next_locked(const struct record_table *table,
					       size_t *place)
	REQUIRES(layers_mutex)
{
	struct layers_record *record;

	while (*place < table->nr) {
		record = table_load(table, (*place)++);
		if (record && record != &dropped)
			return record;
	}
	return NULL;
}

/* Replaces a table. Return: the new one, or NULL if there is no memory. */
static struct record_table *table_grow_locked(enum record_key key)
	REQUIRES(layers_mutex)
{
	struct record_table *old = LOAD(tables[key]), *table;
	size_t nr = MIN_SLOTS, nr_records = 0, place = 0;
	struct layers_record *record;

	while (table_next_locked(old, &place))
		nr_records++;
	while (nr < 4 * nr_records)
		nr *= 2;
	table = calloc(1, sizeof(*table) + nr * sizeof(*table->slots));
	if (!table)
		return NULL;
	table->slots = (void *)(table + 1);
	table->nr = nr;
	table->former = old;
	place = 0;
	while ((record = table_next_locked(old, &place)) != NULL)
		table_put_locked(table, record, record_hash(record, key));
	/* Pairs with the acquire in table_get(). */
	atomic_store_explicit(&tables[key], table, memory_order_release);
	return table;
}

/* Return: a table with room for a record, or NULL. */
static struct record_table *table_reserve_locked(enum record_key key)
	REQUIRES(layers_mutex)
{
	struct record_table *table = LOAD(tables[key]);

	if (2 * table->nr_used < table->nr)
		return table;
	return table_grow_locked(key);
}

static bool record_has_number(enum layers_kind kind)
{
	return kind == LAYERS_QP || kind == LAYERS_MR;
}

/* ------------------------------------------------------------------------ */
/* Records of destroyed objects                                              */
/* ------------------------------------------------------------------------ */

static struct record_list {
	struct layers_record *first, *last; /* the oldest and the newest */
	unsigned int nr;
} gone[LAYERS_NR_KINDS] GUARDED_BY(layers_mutex);

/* Makes a record one of a destroyed object. */
static void record_drop_locked(struct layers_record *record)
	REQUIRES(layers_mutex)
{
	struct record_list *list = &gone[record->kind];

	table_remove_locked(BY_ADDRESS, record);
	if (record_has_number(record->kind))
		table_remove_locked(BY_NUMBER, record);
	record->former = LOAD(record->object);
	/* Pairs with nothing: no reader wants a destroyed object. */
	atomic_store_explicit(&record->object, NULL, memory_order_relaxed);
	if (record->kind == LAYERS_QP) {
		layers_track_end(&record->qp.send);
		layers_track_end(&record->qp.recv);
		free(record->qp.validate.built);
	} else if (record->kind == LAYERS_SRQ) {
		layers_track_end(&record->srq.recv);
	}
	record->next_gone = NULL;
	if (list->last)
		list->last->next_gone = record;
	else
		list->first = record;
	list->last = record;
	list->nr++;
}

struct layers_record *
layers_record_next_gone_locked(enum layers_kind kind,
			       const struct layers_record *from)
{
	return from ? from->next_gone : gone[kind].first;
}

/* Every record that was ever made. */
static struct layers_record *records[LAYERS_NR_KINDS] GUARDED_BY(layers_mutex);

struct layers_record *
layers_record_next_locked(enum layers_kind kind,
			  const struct layers_record *from)
{
	struct layers_record *record = from ? from->next_of_kind
					    : records[kind];

	while (record && !LOAD(record->object))
		record = record->next_of_kind;
	return record;
}

static size_t record_size(enum layers_kind kind)
{
	static const size_t sizes[LAYERS_NR_KINDS] = {
		[LAYERS_MR] = sizeof(struct layers_mr),
		[LAYERS_AH] = sizeof(struct layers_ah),
		[LAYERS_CQ] = sizeof(struct layers_cq),
		[LAYERS_SRQ] = sizeof(struct layers_srq),
		[LAYERS_QP] = sizeof(struct layers_qp),
	};
	const size_t line = _Alignof(struct layers_record);
	size_t size = offsetof(struct layers_record, qp) + sizes[kind];

	return (size + line - 1) / line * line;
}

/* Return: a record without an object, or NULL. */
static struct layers_record *record_take_locked(enum layers_kind kind)
	REQUIRES(layers_mutex)
{
	struct record_list *list = &gone[kind];
	struct layers_record *record = list->first;

	if (list->nr < MAX_GONE) {
		record = aligned_alloc(_Alignof(struct layers_record),
				       record_size(kind));
		if (record) {
			memset(record, 0, record_size(kind));
			record->kind = kind;
			record->next_of_kind = records[kind];
			records[kind] = record;
		}
		return record;
	}
	list->first = record->next_gone;
	if (!list->first)
		list->last = NULL;
	list->nr--;
	return record;
}

/* ------------------------------------------------------------------------ */
/* New objects                                                               */
/* ------------------------------------------------------------------------ */

static bool memory_was_short GUARDED_BY(layers_mutex);

bool layers_records_are_complete(void)
{
	bool complete;

	layers_lock();
	complete = !memory_was_short;
	layers_unlock();
	return complete;
}

static void record_set_mr(struct layers_mr *to, const struct layers_mr *from)
{
#define COPY(member)                                           \
	atomic_store_explicit(&to->member, LOAD(from->member), \
			      memory_order_relaxed)
	COPY(pd);
	COPY(begin);
	COPY(length);
	COPY(access);
	COPY(rkey);
#undef COPY
}

/* No QP has the number of the first target, so the next one is checked. */
static void record_set_ah(struct layers_ah *to, const struct layers_made *made)
{
	to->dgid = made->dgid;
	atomic_store_explicit(&to->target, UINT64_MAX, memory_order_relaxed);
}

/*
 * Return: a record that no table has yet. The record of an object that had this
 * address, and is being destroyed, is dropped.
 */
static struct layers_record *record_new_locked(const struct layers_made *made)
	REQUIRES(layers_mutex)
{
	struct layers_record *record = layers_record_find(made->object);
	static uint64_t last_serial;

	if (record)
		record_drop_locked(record);
	if (!table_reserve_locked(BY_ADDRESS) ||
	    !table_reserve_locked(BY_NUMBER))
		return NULL;
	record = record_take_locked(made->kind);
	if (!record)
		return NULL;
	record->serial = ++last_serial;
	memcpy(record->used, made->used, sizeof(record->used));
	record->is_adopted = made->is_adopted;
	atomic_store_explicit(&record->ctx, made->ctx, memory_order_relaxed);
	atomic_store_explicit(&record->number, made->number,
			      memory_order_relaxed);
	if (made->kind == LAYERS_QP)
		memset(&record->qp, 0, offsetof(struct layers_qp, send));
	else if (made->kind == LAYERS_CQ)
		memset(&record->cq, 0, sizeof(record->cq));
	else if (made->kind == LAYERS_SRQ)
		memset(&record->srq, 0, offsetof(struct layers_srq, recv));
	else if (made->kind == LAYERS_MR)
		record_set_mr(&record->mr, made->mr);
	else if (made->kind == LAYERS_AH)
		record_set_ah(&record->ah, made);
	return record;
}

static void record_show_locked(struct layers_record *record, const void *object)
	REQUIRES(layers_mutex)
{
	atomic_store_explicit(&record->object, object, memory_order_relaxed);
	table_put_locked(LOAD(tables[BY_ADDRESS]), record,
			 record_hash(record, BY_ADDRESS));
	if (record_has_number(record->kind))
		table_put_locked(LOAD(tables[BY_NUMBER]), record,
				 record_hash(record, BY_NUMBER));
}

struct layers_record *layers_record_add(const struct layers_made *made)
{
	struct layers_record *record;

	layers_lock();
	record = record_new_locked(made);
	if (record)
		record_show_locked(record, made->object);
	else
		memory_was_short = true;
	layers_unlock();
	return record;
}

void layers_record_set_number(struct layers_record *record, uint32_t number)
{
	struct record_table *table;

	layers_lock();
	table_remove_locked(BY_NUMBER, record);
	atomic_store_explicit(&record->number, number, memory_order_relaxed);
	table = table_reserve_locked(BY_NUMBER);
	if (table)
		table_put_locked(table, record, record_hash(record, BY_NUMBER));
	else
		memory_was_short = true;
	layers_unlock();
}

/* ------------------------------------------------------------------------ */
/* Queues                                                                    */
/* ------------------------------------------------------------------------ */

/* The completions of other types may be in any order. */
static void record_start_tracks(struct layers_qp *qp,
				const struct ibv_qp_init_attr_ex *attr)
{
	bool receives = layers_track_is_on && !attr->srq;
	const struct layers_track send = {
		.max_wr = attr->cap.max_send_wr,
		.max_sge = attr->cap.max_send_sge,
		.is_datagram = attr->qp_type == IBV_QPT_UD,
		.signals_all = attr->sq_sig_all,
	};
	const struct layers_track recv = {
		.max_wr = receives ? attr->cap.max_recv_wr : 0,
		.max_sge = attr->cap.max_recv_sge,
	};

	layers_track_start(&qp->send, &send);
	layers_track_start(&qp->recv, &recv);
	if (attr->qp_type == IBV_QPT_DRIVER) {
		layers_track_miss(&qp->send);
		layers_track_miss(&qp->recv);
	}
}

/* The queues of a QP. Those of an XRC QP are of other QPs. */
static void made_set_used(struct layers_made *made,
			  const struct ibv_qp_init_attr_ex *attr)
{
	bool sends = attr->qp_type != IBV_QPT_XRC_RECV;
	bool receives = sends && attr->qp_type != IBV_QPT_XRC_SEND;

	if (attr->comp_mask & IBV_QP_INIT_ATTR_PD)
		made->used[LAYERS_USED_PD] = attr->pd;
	if (sends)
		made->used[LAYERS_USED_SEND_CQ] = attr->send_cq;
	if (receives) {
		made->used[LAYERS_USED_RECV_CQ] = attr->recv_cq;
		made->used[LAYERS_USED_SRQ] = attr->srq;
	}
}

struct layers_record *
layers_record_add_qp(const struct ibv_qp *qp,
		     const struct ibv_qp_init_attr_ex *attr)
{
	static const struct ibv_qp_init_attr_ex unknown;
	struct layers_made made = {
		.kind = LAYERS_QP,
		.ctx = qp->context,
		.object = qp,
		.number = qp->qp_num,
		.is_adopted = attr == NULL,
	};
	struct layers_record *record;

	if (!attr)
		attr = &unknown;
	made_set_used(&made, attr);
	layers_lock();
	record = record_new_locked(&made);
	if (record) {
		record->qp.type = qp->qp_type;
		record->qp.cap = attr->cap;
		record_start_tracks(&record->qp, attr);
		record_show_locked(record, qp);
	} else {
		memory_was_short = true;
	}
	layers_unlock();
	return record;
}

struct layers_record *layers_record_adopt_qp(const struct ibv_qp *qp)
{
	struct layers_record *record = layers_record_find(qp);

	return record ? record : layers_record_add_qp(qp, NULL);
}

/* The receive requests of other types have completions of many QPs. */
static void record_start_srq(struct layers_srq *srq,
			     const struct ibv_srq_init_attr_ex *attr)
{
	bool is_basic = !(attr->comp_mask & IBV_SRQ_INIT_ATTR_TYPE) ||
			attr->srq_type == IBV_SRQT_BASIC;
	const struct layers_track recv = {
		.max_wr = layers_track_is_on && is_basic ? attr->attr.max_wr
							 : 0,
		.max_sge = attr->attr.max_sge,
	};

	srq->max_wr = attr->attr.max_wr;
	srq->max_sge = attr->attr.max_sge;
	layers_track_start(&srq->recv, &recv);
}

struct layers_record *
layers_record_add_srq(const struct ibv_srq *srq,
		      const struct ibv_srq_init_attr_ex *attr)
{
	bool has_pd = attr->comp_mask & IBV_SRQ_INIT_ATTR_PD;
	bool has_cq = attr->comp_mask & IBV_SRQ_INIT_ATTR_CQ;
	struct layers_record *record;

	record = layers_record_add(&(const struct layers_made){
		.kind = LAYERS_SRQ,
		.ctx = srq->context,
		.object = srq,
		.used = { has_pd ? attr->pd : NULL, has_cq ? attr->cq : NULL },
		.number = srq->handle,
	});
	if (record)
		record_start_srq(&record->srq, attr);
	return record;
}

/* ------------------------------------------------------------------------ */
/* Removal                                                                   */
/* ------------------------------------------------------------------------ */

struct layers_mark layers_record_mark(const void *object)
{
	struct layers_mark mark = { layers_record_find(object), 0 };

	if (mark.record)
		mark.serial = mark.record->serial;
	return mark;
}

void layers_record_drop(struct layers_mark mark)
{
	if (!mark.record)
		return;
	layers_lock();
	if (mark.record->serial == mark.serial && LOAD(mark.record->object))
		record_drop_locked(mark.record);
	layers_unlock();
}

void layers_record_drop_context(const struct ibv_context *ctx)
{
	layers_lock();
	for (int kind = 0; kind < LAYERS_NR_KINDS; kind++) {
		for (struct layers_record *record = records[kind]; record;
		     record = record->next_of_kind) {
			if (LOAD(record->ctx) != ctx)
				continue;
			if (LOAD(record->object))
				record_drop_locked(record);
			/* A new context may have the address. */
			atomic_store_explicit(&record->ctx, NULL,
					      memory_order_relaxed);
		}
	}
	layers_unlock();
}
