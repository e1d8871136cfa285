/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Posts and polls that have to do with processes of this host only, and with
 * nothing unusual: no clock is read, no socket looked at, no timer worked off.
 * What they leave alone is done by the next poll that is none of them, or by
 * the helper. All with the engine lock; only for uroce_loop.c.
 */
#ifndef UROCE_LOOP_QUICK_H
#define UROCE_LOOP_QUICK_H

#include "uroce/uroce_loop_state.h"

/**
 * uroce_loop_quick_post() - something was put into the send queue of @qp
 *
 * Return: whether it is sent; else nothing was done.
 */
bool uroce_loop_quick_post(struct uroce_loop *loop, struct uroce_qp *qp);

/**
 * uroce_loop_quick_poll() - receive from other processes, and answer
 *
 * Return: whether that will do; else look at everything.
 */
bool uroce_loop_quick_poll(struct uroce_loop *loop);

/**
 * uroce_loop_allow_glances() - a poll has looked at everything
 *
 * The next few may be quick ones if polls come so fast that it makes no
 * difference for anybody who waits for a timer or for the network.
 */
void uroce_loop_allow_glances(struct uroce_loop *loop);

#endif
