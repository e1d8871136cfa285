/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Limits the MADs that a process handles, because any host of the network can
 * send them. A burst, such as the connections of a program that starts or ends,
 * is handled at once; a flood at a low rate. Pure functions.
 */
#ifndef UROCE_GSI_BUDGET_H
#define UROCE_GSI_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The unit is a MAD that is taken from the network, or delivered. The passive
 * side of 10,000 connections gets 30,000 MADs, and takes and delivers each.
 */
#define UROCE_GSI_BURST	     65536
#define UROCE_GSI_NS_PER_MAD UINT64_C(156250) /* 6400 in a second */

/* A MAD without an owner: failed lookups by system calls, and a reply. */
#define UROCE_GSI_UNOWNED_COST 4

struct uroce_gsi_budget {
	uint64_t full_ns; /* when a whole burst is permitted again */
};

/** uroce_gsi_budget_is_spent() - whether the caller should pause */
bool uroce_gsi_budget_is_spent(const struct uroce_gsi_budget *budget,
			       uint64_t now_ns);

/**
 * uroce_gsi_budget_spend() - account for MADs that were handled
 * @cost: their number, each without an owner UROCE_GSI_UNOWNED_COST times
 * @now_ns: does not decrease
 *
 * More than the burst may be spent, up to UROCE_GSI_MAX_EXCESS.
 */
void uroce_gsi_budget_spend(struct uroce_gsi_budget *budget, uint32_t cost,
			    uint64_t now_ns);

/* Twice what one turn can cost, so that turns at a time without pauses count.
 */
#define UROCE_GSI_MAX_EXCESS 512

#endif
