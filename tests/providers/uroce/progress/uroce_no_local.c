/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Replaces local/ by a host without shared memory. Functions that are not
 * called then only need to exist.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "uroce/shm/uroce_inbox.h"
#include "uroce/shm/uroce_local.h"

int uroce_local_open(const struct uroce_local_config *config,
		     struct uroce_local **ret_local)
{
	return -ENOSYS;
}

static void must_not_be_called(void)
{
	fail_msg("there is no struct uroce_local");
}

void uroce_local_set_network(struct uroce_local *local)
{
	must_not_be_called();
}

void uroce_local_close(struct uroce_local *local)
{
	must_not_be_called();
}

void uroce_local_abandon(struct uroce_local *local)
{
	must_not_be_called();
}

int uroce_local_fd(const struct uroce_local *local)
{
	must_not_be_called();
	return -1;
}

bool uroce_local_serve(struct uroce_local *local)
{
	must_not_be_called();
	return false;
}

void uroce_local_end_pause(struct uroce_local *local)
{
	must_not_be_called();
}

int uroce_local_connect(struct uroce_local *local, uint32_t slot,
			const uint8_t *dgid, struct uroce_channel **ret_channel)
{
	must_not_be_called();
	return -ENOENT;
}

void uroce_local_put_channel(struct uroce_local *local,
			     struct uroce_channel *channel)
{
	must_not_be_called();
}

const void *uroce_local_next_put(struct uroce_channel *channel)
{
	must_not_be_called();
	return NULL;
}

void uroce_local_put_brief(struct uroce_channel *channel,
			   const struct uroce_brief *brief)
{
	must_not_be_called();
}

void uroce_local_put(struct uroce_channel *channel,
		     const struct uroce_packet *packet, const struct iovec *iov,
		     uint32_t nr_iov)
{
	must_not_be_called();
}

bool uroce_local_has_room(struct uroce_channel *channel)
{
	must_not_be_called();
	return false;
}

void uroce_local_flush(struct uroce_local *local)
{
	must_not_be_called();
}

void uroce_local_begin(struct uroce_local *local)
{
	must_not_be_called();
}

struct uroce_channel *uroce_local_take(struct uroce_local *local,
				       struct uroce_brief *ret_brief)
{
	must_not_be_called();
	return NULL;
}

int uroce_inbox_decode(const struct uroce_brief *brief,
		       struct uroce_packet *ret_packet)
{
	must_not_be_called();
	return -EBADMSG;
}

void uroce_local_done(struct uroce_channel *channel,
		      const struct uroce_brief *brief, bool is_packet)
{
	must_not_be_called();
}

struct uroce_channel *uroce_local_take_lost(struct uroce_local *local)
{
	must_not_be_called();
	return NULL;
}

bool uroce_local_watch(struct uroce_local *local, bool watched)
{
	must_not_be_called();
	return false;
}

bool uroce_local_seems_empty(const struct uroce_local *local)
{
	must_not_be_called();
	return true;
}

bool uroce_local_is_empty(const struct uroce_local *local)
{
	must_not_be_called();
	return true;
}

void uroce_local_counters(const struct uroce_local *local,
			  struct uroce_local_counters *ret_counters)
{
	must_not_be_called();
}

int uroce_local_settle(struct uroce_local *local, uint64_t until_ms)
{
	must_not_be_called();
	return 0;
}

void uroce_local_show_region(struct uroce_local *local,
			     const struct uroce_shown_region *region)
{
	must_not_be_called();
}

void uroce_local_show_qp(struct uroce_local *local,
			 const struct uroce_shown_qp *qp,
			 struct uroce_channel *channel)
{
	must_not_be_called();
}

void uroce_local_polled(struct uroce_local *local, uint64_t now)
{
	must_not_be_called();
}

void uroce_local_get_share(struct uroce_local *local, const void *memory,
			   uint64_t bytes, uint64_t *ret_share,
			   uint64_t *ret_offset)
{
	must_not_be_called();
}

void uroce_local_put_share(struct uroce_local *local, uint64_t share)
{
	must_not_be_called();
}
