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
 * MADs that are taken from the network, and MADs that are delivered. The
 * passive side of 10,000 connections gets 30,000 MADs, and takes and delivers
 * each.
 */
#define UROCE_GSI_BURST	     65536
#define UROCE_GSI_NS_PER_MAD UINT64_C(156250) /* 6400 in a second */

struct uroce_gsi_budget {
	uint64_t full_ns; /* when a whole burst is permitted again */
};

/**
 * uroce_gsi_budget_spend() - account for MADs that were handled
 * @nr: number of MADs
 * @now_ns: does not decrease
 *
 * Return: whether the burst is used up: the caller should pause.
 */
bool uroce_gsi_budget_spend(struct uroce_gsi_budget *budget, uint32_t nr,
			    uint64_t now_ns);

#endif
