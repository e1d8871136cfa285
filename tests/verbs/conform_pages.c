// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: pages of an arena that its process may not
 * access, and advice about pages. One range of pages per end at a time; all are
 * accessible again at the end of a test.
 */
#include "conform_call.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>

/* A range of pages of a node. */
struct node_pages {
	uint8_t *addr;
	size_t length;
	bool unmapped;
	bool anonymous;	  /* PAGES_PRIVATE, PAGES_HUGE */
	pthread_t thread; /* PAGES_FLICKER */
	bool has_thread, stop;
};

/* -- in the process of an end -- */

static void *pages_run(void *arg)
{
	struct node_pages *pages = arg;

	while (!__atomic_load_n(&pages->stop, __ATOMIC_RELAXED)) {
		(void)mprotect(pages->addr, pages->length, PROT_NONE);
		(void)mprotect(pages->addr, pages->length,
			       PROT_READ | PROT_WRITE);
		sched_yield(); /* the ends may need the processor */
	}
	return NULL;
}

static int pages_unmap(struct node_pages *pages)
{
	if (munmap(pages->addr, pages->length))
		return errno;
	pages->unmapped = true;
	return 0;
}

/* Fails if the process has mapped something else at the address. */
static int pages_map(struct node_pages *pages, const struct node *node)
{
	void *map = mmap(pages->addr, pages->length, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_FIXED_NOREPLACE, node->arena_fd,
			 pages->addr - node->arena);

	if (map != pages->addr)
		return map == MAP_FAILED ? errno : EEXIST;
	pages->unmapped = false;
	return 0;
}

/* Replaces the pages of the arena. */
static int pages_replace(struct node_pages *pages, int flags)
{
	int err = pages_unmap(pages);
	void *map;

	if (err)
		return err;
	map = mmap(pages->addr, pages->length, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | flags,
		   -1, 0);
	if (map != pages->addr)
		return map == MAP_FAILED ? errno : EEXIST;
	pages->unmapped = false;
	pages->anonymous = true;
	return 0;
}

static int pages_protect(struct node_pages *pages, int protection)
{
	return mprotect(pages->addr, pages->length, protection) ? errno : 0;
}

static int pages_set(struct node_pages *pages, enum pages state)
{
	switch (state) {
	case PAGES_ALL:
		return pages_protect(pages, PROT_READ | PROT_WRITE);
	case PAGES_READ:
		return pages_protect(pages, PROT_READ);
	case PAGES_NONE:
		return pages_protect(pages, PROT_NONE);
	case PAGES_UNMAPPED:
		return pages_unmap(pages);
	case PAGES_PRIVATE:
		return pages_replace(pages, 0);
	case PAGES_HUGE:
		return pages_replace(pages, MAP_HUGETLB);
	case PAGES_FLICKER:
		pages->has_thread =
			!pthread_create(&pages->thread, NULL, pages_run, pages);
		return pages->has_thread ? 0 : EAGAIN;
	}
	return EINVAL;
}

int node_pages_end(struct node *node)
{
	struct node_pages *pages = node->pages;
	int err = 0;

	if (!pages)
		return 0;
	if (pages->has_thread) {
		__atomic_store_n(&pages->stop, true, __ATOMIC_RELAXED);
		(void)pthread_join(pages->thread, NULL);
	}
	if (pages->anonymous)
		err = pages_unmap(pages);
	if (!err)
		err = pages->unmapped ? pages_map(pages, node)
				      : pages_set(pages, PAGES_ALL);
	free(pages);
	node->pages = NULL;
	return err;
}

void node_pages_set(struct node *node, const struct call *call,
		    struct reply *reply)
{
	reply->error = node_pages_end(node);
	if (reply->error)
		return;
	node->pages = calloc(1, sizeof(*node->pages));
	if (!node->pages) {
		reply->error = ENOMEM;
		return;
	}
	node->pages->addr = (uint8_t *)(uintptr_t)call->addr;
	node->pages->length = call->length;
	reply->error = pages_set(node->pages, (enum pages)call->type);
}

void node_mr_advise(struct node *node, const struct call *call,
		    struct reply *reply)
{
	struct ibv_sge sge = *call->sge;

	reply->error =
		node_errno(ibv_advise_mr(node_ptr(node, call->pd, OBJECT_PD),
					 (enum ibv_advise_mr_advice)call->type,
					 (uint32_t)call->mask, &sge, 1));
}

/* -- in the client process -- */

int mem_pages_try(const struct mem *mem, size_t offset, size_t length,
		  enum pages pages)
{
	struct call call = {
		.kind = CALL_PAGES,
		.addr = mem->addr + offset,
		.length = length,
		.type = (int)pages,
	};
	struct reply reply;

	end_call(mem->end, &call, &reply);
	return reply.error;
}

void mem_pages(const struct mem *mem, size_t offset, size_t length,
	       enum pages pages)
{
	REQUIRE_EQUAL(mem_pages_try(mem, offset, length, pages), 0);
}

struct mem *mem_again(const struct mem *mem, bool implicit, unsigned int access)
{
	struct mem *again = object_alloc(sizeof(*again));
	struct call call = {
		.kind = CALL_MR_NEW,
		.addr = implicit ? 0 : mem->addr,
		.length = implicit ? SIZE_MAX : mem->length,
		.access = access,
	};
	struct reply reply;

	object_call(mem->end, &call, &reply, "ibv_reg_mr()");
	object_track(mem->end, reply.object, "MR");
	*again = *mem;
	again->id = reply.object;
	again->lkey = reply.lkey;
	again->rkey = reply.rkey;
	return again;
}

int mr_advise(enum end end, int pd, enum ibv_advise_mr_advice advice,
	      uint32_t flags, const struct ibv_sge *sge)
{
	struct call call = {
		.kind = CALL_MR_ADVISE,
		.pd = pd,
		.type = (int)advice,
		.mask = (int)flags,
		.nr = 1,
		.sge = sge,
	};
	struct reply reply;

	end_call(end, &call, &reply);
	return reply.error;
}
