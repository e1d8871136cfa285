/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by the files foreign_adapt_*.c, one for each group of ops: what they
 * contribute to the table, and how the answer of a foreign op is read. An
 * adapter is
 *
 *	int saved = foreign_call_begin();
 *	int ret = foreign_call_int(saved, foreign_ops(ctx)->some_op(...));
 *
 * Foreign ops say NULL and errno, or a positive errno, or (some of them,
 * sometimes) -1 and errno, or a negative errno.
 */
#ifndef FOREIGN_FOREIGN_ADAPT_GROUP_H
#define FOREIGN_FOREIGN_ADAPT_GROUP_H

#include <provider/provider.h>

#include "foreign/foreign_context.h"
#include "foreign/foreign_ops.h"

/**
 * foreign_call_begin() - clear errno, so that one that was not set shows
 *
 * Return: the application's errno, for the functions below to restore.
 */
int foreign_call_begin(void);

/**
 * foreign_call_error() - end of a call that has failed
 *
 * Return: the errno that the op has set, as -errno; -EIO if it has set none.
 */
int foreign_call_error(int saved);

/**
 * foreign_call_int() - end of a call that returns 0 or some form of error
 *
 * Return: 0 or -errno; -EIO if what the op returned is no error number and
 * errno tells none.
 */
int foreign_call_int(int saved, int ret);

/**
 * foreign_call_object() - end of a call that returns an object
 *
 * Return: 0, or -errno if @object is NULL.
 */
int foreign_call_object(int saved, const void *object);

/* Each sets the members of its group in @ours, which was zeroed. */
void foreign_adapt_device(const struct foreign_ops *theirs,
			  struct verbs_context_ops *ours);
void foreign_adapt_pd(const struct foreign_ops *theirs,
		      struct verbs_context_ops *ours);
void foreign_adapt_mr(const struct foreign_ops *theirs,
		      struct verbs_context_ops *ours);
void foreign_adapt_dm(const struct foreign_ops *theirs,
		      struct verbs_context_ops *ours);
void foreign_adapt_ah(const struct foreign_ops *theirs,
		      struct verbs_context_ops *ours);
void foreign_adapt_cq(const struct foreign_ops *theirs,
		      struct verbs_context_ops *ours);
void foreign_adapt_srq(const struct foreign_ops *theirs,
		       struct verbs_context_ops *ours);
void foreign_adapt_qp(const struct foreign_ops *theirs,
		      struct verbs_context_ops *ours);
void foreign_adapt_wq(const struct foreign_ops *theirs,
		      struct verbs_context_ops *ours);
void foreign_adapt_flow(const struct foreign_ops *theirs,
			struct verbs_context_ops *ours);
void foreign_adapt_comp_cntr(const struct foreign_ops *theirs,
			     struct verbs_context_ops *ours);

#endif
