/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See layers/layers_track.h: a ring of requests. */
#include "layers/layers_track.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct layers_request) <= 48, "as many as fit a cache");

#define NR_SPINS 1000U

bool layers_track_is_on;

static bool track_try_lock(struct layers_track *track)
{
	for (unsigned int i = 0; i < NR_SPINS; i++) {
		if (!atomic_flag_test_and_set_explicit(&track->lock,
						       memory_order_acquire))
			return true;
		if (i % 16 == 15)
			(void)sched_yield(); /* cannot fail */
	}
	layers_track_miss(track);
	return false;
}

static void track_unlock(struct layers_track *track)
{
	atomic_flag_clear_explicit(&track->lock, memory_order_release);
}

void layers_track_miss(struct layers_track *track)
{
	atomic_store_explicit(&track->is_partly_seen, true,
			      memory_order_relaxed);
}

bool layers_track_is_seen(struct layers_track *track)
{
	return !atomic_load_explicit(&track->is_partly_seen,
				     memory_order_relaxed);
}

static struct layers_request *track_entry(const struct layers_track *track,
					  uint32_t place)
{
	return &track->entries[place & (track->size - 1)];
}

/* ------------------------------------------------------------------------ */
/* Queues                                                                    */
/* ------------------------------------------------------------------------ */

void layers_track_start(struct layers_track *track,
			const struct layers_track *from)
{
	uint32_t size = 16;

	while (size < from->max_wr && size < UINT32_C(1) << 31)
		size *= 2;
	track->entries = from->max_wr ? calloc(size, sizeof(*track->entries))
				      : NULL;
	track->size = size;
	track->head = track->tail = 0;
	track->max_wr = from->max_wr;
	track->max_sge = from->max_sge;
	track->is_datagram = from->is_datagram;
	track->signals_all = from->signals_all;
	atomic_store(&track->is_partly_seen, track->entries == NULL);
}

void layers_track_end(struct layers_track *track)
{
	if (!track_try_lock(track))
		return; /* only in the child of a fork() */
	free(track->entries);
	track->entries = NULL;
	track->head = track->tail; /* another thread may still search it */
	track_unlock(track);
}

void layers_track_reset(struct layers_track *track)
{
	if (!track_try_lock(track))
		return;
	track->head = track->tail;
	atomic_store(&track->is_partly_seen, track->entries == NULL);
	track_unlock(track);
}

/* ------------------------------------------------------------------------ */
/* Posts                                                                     */
/* ------------------------------------------------------------------------ */

static void request_add_key(struct layers_request *request, uint32_t lkey)
{
	if (request->nr_keys == LAYERS_MANY_KEYS)
		return;
	for (int i = 0; i < request->nr_keys; i++)
		if (request->lkeys[i] == lkey)
			return;
	if (request->nr_keys == LAYERS_MAX_KEYS)
		request->nr_keys = LAYERS_MANY_KEYS;
	else
		request->lkeys[request->nr_keys++] = lkey;
}

void layers_request_add_sges(struct layers_request *request,
			     const struct ibv_sge *sges, int nr)
{
	if (nr > 0)
		request->local_addr = sges[0].addr;
	for (int i = 0; i < nr; i++) {
		request->length += sges[i].length;
		if (sges[i].length)
			request_add_key(request, sges[i].lkey);
	}
}

/* A provider reads the SGEs only if there are as many as the queue permits. */
static bool track_has_sges(const struct layers_track *track, int nr,
			   const struct ibv_sge *sges)
{
	return nr >= 0 && (uint32_t)nr <= track->max_sge && (nr == 0 || sges);
}

/* Return: the entry of a new request, or NULL. */
static struct layers_request *track_append_locked(struct layers_track *track)
{
	struct layers_request *entry;

	if (track->tail - track->head == track->size) {
		if (layers_track_is_on)
			return NULL;
		track->head++; /* the oldest one is overwritten */
	}
	entry = track_entry(track, track->tail++);
	memset(entry, 0, sizeof(*entry));
	return entry;
}

static bool opcode_is_atomic(enum ibv_wr_opcode opcode)
{
	return opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
	       opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

/* The members of a bind request are not those of others. */
static void request_set_send(const struct layers_track *track,
			     struct layers_request *entry,
			     const struct ibv_send_wr *wr)
{
	entry->wr_id = wr->wr_id;
	entry->opcode = (uint8_t)wr->opcode;
	entry->state = track->signals_all ||
				       (wr->send_flags & IBV_SEND_SIGNALED)
			       ? LAYERS_REQUEST_SIGNALED
			       : LAYERS_REQUEST_UNSIGNALED;
	if (wr->opcode == IBV_WR_BIND_MW || wr->opcode == IBV_WR_LOCAL_INV)
		return;
	if (track->is_datagram) {
		entry->ah = wr->wr.ud.ah;
	} else if (opcode_is_atomic(wr->opcode)) {
		entry->remote_addr = wr->wr.atomic.remote_addr;
		entry->rkey = wr->wr.atomic.rkey;
	} else {
		entry->remote_addr = wr->wr.rdma.remote_addr;
		entry->rkey = wr->wr.rdma.rkey;
	}
	layers_request_add_sges(entry, wr->sg_list, wr->num_sge);
	if (wr->send_flags & IBV_SEND_INLINE)
		entry->nr_keys = 0; /* the data was copied */
}

struct layers_posting layers_track_sends(struct layers_track *track,
					 const struct ibv_send_wr *wr)
{
	struct layers_posting posting = {};

	if (!track_try_lock(track))
		return posting;
	posting.first = track->tail;
	while (track->entries && wr && posting.nr < track->max_wr &&
	       track_has_sges(track, wr->num_sge, wr->sg_list)) {
		struct layers_request *entry = track_append_locked(track);

		if (!entry)
			break;
		request_set_send(track, entry, wr);
		posting.nr++;
		wr = wr->next;
	}
	track_unlock(track);
	posting.is_complete = wr == NULL;
	return posting;
}

struct layers_posting layers_track_recvs(struct layers_track *track,
					 const struct ibv_recv_wr *wr)
{
	struct layers_posting posting = {};

	if (!track_try_lock(track))
		return posting;
	posting.first = track->tail;
	while (track->entries && wr && posting.nr < track->max_wr &&
	       track_has_sges(track, wr->num_sge, wr->sg_list)) {
		struct layers_request *entry = track_append_locked(track);

		if (!entry)
			break;
		entry->wr_id = wr->wr_id;
		entry->state = LAYERS_REQUEST_SIGNALED;
		layers_request_add_sges(entry, wr->sg_list, wr->num_sge);
		posting.nr++;
		wr = wr->next;
	}
	track_unlock(track);
	posting.is_complete = wr == NULL;
	return posting;
}

/* The places of other threads' requests may follow. */
static void track_remove(struct layers_track *track,
			 const struct layers_posting *posting, uint32_t nr_good)
{
	if (nr_good > posting->nr) {
		layers_track_miss(track);
		return;
	}
	if (!track_try_lock(track))
		return;
	for (uint32_t i = nr_good; track->entries && i < posting->nr; i++)
		track_entry(track, posting->first + i)->state =
			LAYERS_REQUEST_FREE;
	if (track->tail == posting->first + posting->nr)
		track->tail = posting->first + nr_good;
	track_unlock(track);
}

/* @error: of the post; if @has_bad, @nr_good requests are before the bad one */
static void track_posted(struct layers_track *track,
			 const struct layers_posting *posting, bool has_bad,
			 uint32_t nr_good, int error)
{
	if (error ? !has_bad : !posting->is_complete)
		layers_track_miss(track);
	if (error)
		track_remove(track, posting, nr_good);
}

void layers_track_sent(struct layers_track *track,
		       const struct layers_posting *posting,
		       const struct ibv_send_wr *wr,
		       const struct ibv_send_wr *bad, int error)
{
	uint32_t nr_good = 0;

	for (; error && bad && wr && wr != bad; wr = wr->next)
		nr_good++;
	track_posted(track, posting, bad != NULL, nr_good, error);
}

void layers_track_received(struct layers_track *track,
			   const struct layers_posting *posting,
			   const struct ibv_recv_wr *wr,
			   const struct ibv_recv_wr *bad, int error)
{
	uint32_t nr_good = 0;

	for (; error && bad && wr && wr != bad; wr = wr->next)
		nr_good++;
	track_posted(track, posting, bad != NULL, nr_good, error);
}

void layers_track_add(struct layers_track *track,
		      const struct layers_request *request)
{
	struct layers_request *entry = NULL;

	if (!track_try_lock(track))
		return;
	if (track->entries)
		entry = track_append_locked(track);
	if (entry)
		*entry = *request;
	else
		layers_track_miss(track);
	track_unlock(track);
}

/* ------------------------------------------------------------------------ */
/* Completions                                                               */
/* ------------------------------------------------------------------------ */

/* Return: the place of the request, or the tail. */
static uint32_t track_find_locked(const struct layers_track *track,
				  uint64_t wr_id, bool any)
{
	uint32_t place = track->head;

	for (; place != track->tail; place++) {
		const struct layers_request *entry = track_entry(track, place);

		if (entry->wr_id == wr_id &&
		    (entry->state == LAYERS_REQUEST_SIGNALED ||
		     (any && entry->state == LAYERS_REQUEST_UNSIGNALED)))
			break;
	}
	return place;
}

static void track_complete_locked(struct layers_track *track, uint32_t place)
{
	for (uint32_t i = track->head; i != place; i++) {
		struct layers_request *entry = track_entry(track, i);

		if (entry->state == LAYERS_REQUEST_UNSIGNALED)
			entry->state = LAYERS_REQUEST_FREE;
	}
	track_entry(track, place)->state = LAYERS_REQUEST_FREE;
	while (track->head != track->tail &&
	       track_entry(track, track->head)->state == LAYERS_REQUEST_FREE)
		track->head++;
}

bool layers_track_match(struct layers_track *track, uint64_t wr_id, bool any,
			enum layers_match match)
{
	uint32_t place;
	bool found;

	if (!track_try_lock(track))
		return false;
	place = track_find_locked(track, wr_id, any);
	found = place != track->tail;
	if (found && match == LAYERS_MATCH_REMOVE)
		track_complete_locked(track, place);
	track_unlock(track);
	return found;
}

/* ------------------------------------------------------------------------ */
/* Searches                                                                  */
/* ------------------------------------------------------------------------ */

bool layers_track_find(struct layers_track *track,
		       bool (*matches)(const struct layers_request *request,
				       const void *arg),
		       const void *arg, struct layers_request *ret)
{
	bool found = false;

	if (!track_try_lock(track))
		return false;
	for (uint32_t i = track->head; i != track->tail && !found; i++) {
		const struct layers_request *entry = track_entry(track, i);

		found = entry->state != LAYERS_REQUEST_FREE &&
			matches(entry, arg);
		if (found)
			*ret = *entry;
	}
	track_unlock(track);
	return found;
}

uint32_t layers_track_count(struct layers_track *track, bool signaled)
{
	uint32_t nr = 0;

	if (!track_try_lock(track))
		return 0;
	for (uint32_t i = track->head; i != track->tail; i++) {
		unsigned int state = track_entry(track, i)->state;

		nr += state == LAYERS_REQUEST_SIGNALED ||
		      (!signaled && state == LAYERS_REQUEST_UNSIGNALED);
	}
	track_unlock(track);
	return nr;
}

void layers_track_each_old(struct layers_track *track,
			   void (*call)(const struct layers_request *request,
					void *arg),
			   void *arg)
{
	uint32_t nr = track->size;

	if (!track_try_lock(track))
		return;
	if (track->entries && nr > track->tail)
		nr = track->tail;
	for (uint32_t i = 0; track->entries && i < nr; i++)
		call(&track->entries[i], arg);
	track_unlock(track);
}
