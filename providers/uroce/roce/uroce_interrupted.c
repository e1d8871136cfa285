/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "uroce/roce/uroce_interrupted.h"

#include "uroce/roce/uroce_pages.h"
#include "uroce/roce/uroce_psn.h"

#define MAX_RANGES 300 /* one page */

/* Exists while there is any range. */
struct uroce_interrupted {
	uint32_t nr;
	struct interrupted_range {
		uint32_t next_psn, until_psn;
		uint8_t at;  /* index of the resource */
	} range[MAX_RANGES]; /* the last one is the first to go on */
};

static uint8_t index_of(const struct uroce_responder *resp,
			const struct uroce_resource *res)
{
	return (uint8_t)(res - resp->resource);
}

bool uroce_interrupted_add(struct uroce_responder *resp,
			   const struct uroce_resource *res, uint32_t psn,
			   uint32_t *last_psn)
{
	struct uroce_interrupted *all = resp->interrupted;

	if (!uroce_psn_before(psn, res->next_psn) &&
	    !uroce_psn_before(res->until_psn, *last_psn))
		return false;
	if (!all)
		all = uroce_pages_new(sizeof(*all));
	if (!all || all->nr == MAX_RANGES)
		return false;
	resp->interrupted = all;
	all->range[all->nr++] = (struct interrupted_range){
		.next_psn = res->next_psn,
		.until_psn = res->until_psn,
		.at = index_of(resp, res),
	};
	if (uroce_psn_before(psn, res->next_psn) &&
	    !uroce_psn_before(*last_psn, res->next_psn))
		*last_psn = uroce_psn_add(res->next_psn, -1);
	return true;
}

static void interrupted_remove(struct uroce_responder *resp, uint32_t i)
{
	struct uroce_interrupted *all = resp->interrupted;

	all->nr--;
	for (; i < all->nr; i++)
		all->range[i] = all->range[i + 1];
	if (!all->nr)
		uroce_interrupted_drop(resp, NULL);
}

bool uroce_interrupted_resume(struct uroce_responder *resp,
			      struct uroce_resource *res)
{
	struct uroce_interrupted *all = resp->interrupted;

	for (uint32_t i = all ? all->nr : 0; i-- > 0;) {
		if (all->range[i].at != index_of(resp, res))
			continue;
		res->from_psn = all->range[i].next_psn;
		res->next_psn = all->range[i].next_psn;
		res->until_psn = all->range[i].until_psn;
		interrupted_remove(resp, i);
		return true;
	}
	return false;
}

uint32_t uroce_interrupted_first_psn(const struct uroce_responder *resp,
				     const struct uroce_resource *res)
{
	const struct uroce_interrupted *all = resp->interrupted;
	uint32_t first = res->next_psn;

	for (uint32_t i = all ? all->nr : 0; i-- > 0;)
		if (all->range[i].at == index_of(resp, res) &&
		    uroce_psn_before(all->range[i].next_psn, first))
			first = all->range[i].next_psn;
	return first;
}

void uroce_interrupted_drop(struct uroce_responder *resp,
			    const struct uroce_resource *res)
{
	struct uroce_interrupted *all = resp->interrupted;

	if (res) {
		for (uint32_t i = all ? all->nr : 0; i-- > 0;)
			if (all->range[i].at == index_of(resp, res))
				interrupted_remove(resp, i);
		return;
	}
	uroce_pages_free(all, sizeof(*all));
	resp->interrupted = NULL;
}
