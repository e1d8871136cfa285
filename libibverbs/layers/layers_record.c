/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Records of objects: see layers/layers_record.h. Two tables of chains: one by
 * address, whose chains only grow, so that readers need no lock; and one by QP
 * number.
 */
#include "layers/layers_record.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* Powers of two. */
#define NR_CHAINS	 4096U
#define NR_NUMBER_CHAINS 4096U

struct verbs_mutex layers_mutex = VERBS_MUTEX_INIT;
/* The signals that the owner of the mutex had blocked before. */
static sigset_t blocked_signals GUARDED_BY(layers_mutex);

void layers_lock(void)
{
	sigset_t all, before;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_BLOCK, &all, &before); /* cannot fail */
	verbs_mutex_lock(&layers_mutex);
	blocked_signals = before;
}

void layers_unlock(void)
{
	sigset_t before = blocked_signals;

	verbs_mutex_unlock(&layers_mutex);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL); /* cannot fail */
}

static _Atomic(struct layers_record *) chains[NR_CHAINS];
static struct layers_record *
	number_chains[NR_NUMBER_CHAINS] GUARDED_BY(layers_mutex);

/* Fibonacci hashing; objects have at least 16 bytes. */
static size_t record_hash(const void *object)
{
	uint64_t product =
		(uint64_t)(uintptr_t)object * UINT64_C(0x9e3779b97f4a7c15);

	return (size_t)(product >> 32) % NR_CHAINS;
}

struct layers_record *layers_record_find(const void *object)
{
	struct layers_record *record;

	/* Pairs with the release in record_new_locked(). */
	record = atomic_load_explicit(&chains[record_hash(object)],
				      memory_order_acquire);
	/* Pairs with the release in record_set_object(). */
	while (record && atomic_load_explicit(&record->object,
					      memory_order_acquire) != object)
		record = record->next;
	return record;
}

static void record_set_object(struct layers_record *record, const void *object)
{
	/* Pairs with the acquire in layers_record_find(). */
	atomic_store_explicit(&record->object, object, memory_order_release);
}

static struct layers_record **record_number_chain_locked(uint32_t number)
	REQUIRES(layers_mutex)
{
	return &number_chains[number % NR_NUMBER_CHAINS];
}

/* Frees the data of a record, which then has no object. */
static void record_drop_locked(struct layers_record *record)
	REQUIRES(layers_mutex)
{
	struct layers_record **link;

	if (record->is_qp) {
		link = record_number_chain_locked(record->qp.number);
		while (*link && *link != record)
			link = &(*link)->qp.next_number;
		if (*link)
			*link = record->qp.next_number;
		free(record->qp.requests);
		free(record->qp.validate.built);
	}
	record->is_qp = false;
	record_set_object(record, NULL);
}

/* Adds a record to the end of the table that readers see. */
static struct layers_record *
record_add_to_chain_locked(_Atomic(struct layers_record *) *chain)
	REQUIRES(layers_mutex)
{
	struct layers_record *record = calloc(1, sizeof(*record));

	if (record) {
		record->next =
			atomic_load_explicit(chain, memory_order_relaxed);
		/* Pairs with the acquire in layers_record_find(). */
		atomic_store_explicit(chain, record, memory_order_release);
	}
	return record;
}

/*
 * Returns a free record of the chain. The record of an object that had this
 * address, and is being destroyed, becomes free.
 */
static struct layers_record *record_new_locked(const struct ibv_context *ctx,
					       const void *object)
	REQUIRES(layers_mutex)
{
	_Atomic(struct layers_record *) *chain = &chains[record_hash(object)];
	struct layers_record *record = layers_record_find(object);
	static uint64_t last_serial;

	if (record)
		record_drop_locked(record);
	else
		record = atomic_load_explicit(chain, memory_order_relaxed);
	while (record && atomic_load_explicit(&record->object,
					      memory_order_relaxed) != NULL)
		record = record->next;
	if (!record)
		record = record_add_to_chain_locked(chain);
	if (record) {
		record->ctx = ctx;
		record->serial = ++last_serial;
	}
	return record;
}

struct layers_record *layers_record_add_cq(const struct ibv_context *ctx,
					   const void *object,
					   const struct layers_cq *cq)
{
	struct layers_record *record;

	layers_lock();
	record = record_new_locked(ctx, object);
	if (record) {
		record->cq = *cq;
		record_set_object(record, object);
	}
	layers_unlock();
	return record;
}

struct layers_record *layers_record_add_srq(const struct ibv_context *ctx,
					    const void *object,
					    const struct layers_srq *srq)
{
	struct layers_record *record;

	layers_lock();
	record = record_new_locked(ctx, object);
	if (record) {
		record->srq = *srq;
		record_set_object(record, object);
	}
	layers_unlock();
	return record;
}

/* ------------------------------------------------------------------------ */
/* Queue pairs                                                               */
/* ------------------------------------------------------------------------ */

struct layers_record *layers_record_find_number(const struct ibv_context *ctx,
						uint32_t number)
{
	struct layers_record *record = *record_number_chain_locked(number);

	while (record && (record->ctx != ctx || record->qp.number != number))
		record = record->qp.next_number;
	return record;
}

/* Without memory, the requests are not recorded. */
static void record_make_requests(struct layers_qp *qp)
{
	uint32_t nr = 16;

	while (nr < qp->cap.max_send_wr && nr < LAYERS_MAX_REQUESTS)
		nr *= 2;
	qp->requests = calloc(nr, sizeof(*qp->requests));
	qp->nr_requests = nr;
}

static void record_init_qp_locked(struct layers_record *record,
				  const struct ibv_qp *qp,
				  const struct ibv_qp_cap *cap)
	REQUIRES(layers_mutex)
{
	struct layers_record **chain = record_number_chain_locked(qp->qp_num);

	memset(&record->qp, 0, sizeof(record->qp));
	record->is_qp = true;
	record->qp.number = qp->qp_num;
	record->qp.type = qp->qp_type;
	record->qp.cap = *cap;
	record_make_requests(&record->qp);
	record->qp.next_number = *chain;
	*chain = record;
	record_set_object(record, qp);
}

struct layers_record *layers_record_add_qp(const struct ibv_qp *qp,
					   const struct ibv_qp_cap *cap)
{
	struct layers_record *record;

	layers_lock();
	record = record_new_locked(qp->context, qp);
	if (record)
		record_init_qp_locked(record, qp, cap);
	layers_unlock();
	return record;
}

struct layers_record *layers_record_adopt_qp(const struct ibv_qp *qp)
{
	static const struct ibv_qp_cap unknown;
	struct layers_record *record = layers_record_find(qp);

	return record ? record : layers_record_add_qp(qp, &unknown);
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
	if (mark.record->serial == mark.serial)
		record_drop_locked(mark.record);
	layers_unlock();
}

void layers_record_drop_context(const struct ibv_context *ctx)
{
	layers_lock();
	for (size_t i = 0; i < NR_CHAINS; i++) {
		struct layers_record *record =
			atomic_load_explicit(&chains[i], memory_order_relaxed);

		for (; record; record = record->next) {
			if (record->ctx == ctx &&
			    atomic_load_explicit(&record->object,
						 memory_order_relaxed))
				record_drop_locked(record);
		}
	}
	layers_unlock();
}
