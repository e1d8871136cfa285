/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Puts the op table of a foreign provider together from the groups of
 * foreign_adapt_*.c, and reads the answers of foreign ops for them. Called by
 * foreign_context.c whenever a provider sets ops.
 */
#include "foreign/foreign_adapt.h"

#include <errno.h>

#include "foreign/foreign_adapt_group.h"

/* The largest error number that the kernel returns. */
#define MAX_ERRNO 4095

static bool is_errno(int number)
{
	return number > 0 && number <= MAX_ERRNO;
}

int foreign_call_begin(void)
{
	int saved = errno;

	errno = 0;
	return saved;
}

int foreign_call_error(int saved)
{
	int error = errno;

	errno = saved;
	/* some store what they have from others as it is, negative */
	if (error < 0 && error >= -MAX_ERRNO)
		error = -error;
	return is_errno(error) ? -error : -EIO;
}

int foreign_call_int(int saved, int ret)
{
	if (ret == -1 || ret < -MAX_ERRNO || ret > MAX_ERRNO)
		return foreign_call_error(saved);
	errno = saved;
	return ret > 0 ? -ret : ret;
}

int foreign_call_object(int saved, const void *object)
{
	if (!object)
		return foreign_call_error(saved);
	errno = saved;
	return 0;
}

void foreign_adapt(const struct foreign_ops *theirs,
		   struct verbs_context_ops *ret_ours)
{
	struct verbs_context_ops ours = {};

	foreign_adapt_device(theirs, &ours);
	foreign_adapt_pd(theirs, &ours);
	foreign_adapt_mr(theirs, &ours);
	foreign_adapt_dm(theirs, &ours);
	foreign_adapt_ah(theirs, &ours);
	foreign_adapt_cq(theirs, &ours);
	foreign_adapt_srq(theirs, &ours);
	foreign_adapt_qp(theirs, &ours);
	foreign_adapt_wq(theirs, &ours);
	foreign_adapt_flow(theirs, &ours);
	foreign_adapt_comp_cntr(theirs, &ours);
	*ret_ours = ours;
}
