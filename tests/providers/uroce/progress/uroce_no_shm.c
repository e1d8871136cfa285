/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Replaces shm/ by a host without shared memory. Functions that are not
 * called then only need to exist.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "uroce/shm/uroce_memfd.h"
#include "uroce/shm/uroce_shm.h"
#include "uroce/shm/uroce_shm_import.h"
#include "uroce/shm/uroce_shm_ring.h"

int uroce_shm_open(const struct uroce_shm_config *config,
		   struct uroce_shm **ret_shm)
{
	return -ENOSYS;
}

static void must_not_be_called(void)
{
	fail_msg("there is no struct uroce_shm");
}

void uroce_shm_set_network(struct uroce_shm *shm)
{
	must_not_be_called();
}

void uroce_shm_close(struct uroce_shm *shm)
{
	must_not_be_called();
}

void uroce_shm_abandon(struct uroce_shm *shm)
{
	must_not_be_called();
}

int uroce_shm_fd(const struct uroce_shm *shm)
{
	must_not_be_called();
	return -1;
}

bool uroce_shm_serve(struct uroce_shm *shm)
{
	must_not_be_called();
	return false;
}

void uroce_shm_end_pause(struct uroce_shm *shm)
{
	must_not_be_called();
}

int uroce_shm_connect(struct uroce_shm *shm, uint32_t slot, const uint8_t *dgid,
		      struct uroce_channel **ret_channel)
{
	must_not_be_called();
	return -ENOENT;
}

void uroce_shm_put_channel(struct uroce_shm *shm, struct uroce_channel *channel)
{
	must_not_be_called();
}

const void *uroce_shm_next_put(struct uroce_channel *channel)
{
	must_not_be_called();
	return NULL;
}

void uroce_shm_put_eager(struct uroce_channel *channel,
			 const struct uroce_eager_entry *eager)
{
	must_not_be_called();
}

void uroce_shm_put(struct uroce_channel *channel,
		   const struct uroce_packet *packet, const struct iovec *iov,
		   uint32_t nr_iov)
{
	must_not_be_called();
}

bool uroce_shm_has_room(struct uroce_channel *channel)
{
	must_not_be_called();
	return false;
}

void uroce_shm_flush(struct uroce_shm *shm)
{
	must_not_be_called();
}

void uroce_shm_begin(struct uroce_shm *shm)
{
	must_not_be_called();
}

struct uroce_channel *uroce_shm_take(struct uroce_shm *shm,
				     struct uroce_eager_entry *ret_eager)
{
	must_not_be_called();
	return NULL;
}

int uroce_shm_ring_decode(const struct uroce_eager_entry *eager,
			  struct uroce_packet *ret_packet)
{
	must_not_be_called();
	return -EBADMSG;
}

void uroce_shm_done(struct uroce_channel *channel,
		    const struct uroce_eager_entry *eager, bool is_packet)
{
	must_not_be_called();
}

struct uroce_channel *uroce_shm_take_failed(struct uroce_shm *shm)
{
	must_not_be_called();
	return NULL;
}

bool uroce_shm_watch(struct uroce_shm *shm, bool watched)
{
	must_not_be_called();
	return false;
}

bool uroce_shm_seems_empty(const struct uroce_shm *shm)
{
	must_not_be_called();
	return true;
}

bool uroce_shm_is_empty(const struct uroce_shm *shm)
{
	must_not_be_called();
	return true;
}

void uroce_shm_counters(const struct uroce_shm *shm,
			struct uroce_shm_counters *ret_counters)
{
	must_not_be_called();
}

int uroce_shm_quiesce(struct uroce_shm *shm, uint64_t until_ms)
{
	must_not_be_called();
	return 0;
}

void uroce_shm_publish_region(struct uroce_shm *shm,
			      const struct uroce_published_region *region)
{
	must_not_be_called();
}

void uroce_shm_publish_qp(struct uroce_shm *shm,
			  const struct uroce_published_qp *qp,
			  struct uroce_channel *channel)
{
	must_not_be_called();
}

void uroce_shm_polled(struct uroce_shm *shm, uint64_t now)
{
	must_not_be_called();
}

void uroce_shm_share_gone(struct uroce_shm *shm, uint64_t share)
{
	must_not_be_called();
}

void uroce_shares_init(struct uroce_shares *shares)
{
}

void uroce_shares_open(struct uroce_shares *shares)
{
}

void uroce_shares_fini(struct uroce_shares *shares)
{
}

void uroce_shares_get(struct uroce_shares *shares, const void *memory,
		      uint64_t bytes, uint64_t *ret_share, uint64_t *ret_offset)
{
	must_not_be_called();
}

bool uroce_shares_put(struct uroce_shares *shares, uint64_t id)
{
	return false;
}

int uroce_memfd_create(size_t size)
{
	return -ENOSYS;
}

void uroce_shm_publish_pd(struct uroce_shm *shm, uint32_t context, uint32_t pd,
			  bool exists)
{
	must_not_be_called();
}

struct uroce_shm_name uroce_shm_name(const struct uroce_shm *shm)
{
	must_not_be_called();
	return (struct uroce_shm_name){};
}

int uroce_shm_import_await(struct uroce_channel *channel, uint64_t token)
{
	must_not_be_called();
	return -EOPNOTSUPP;
}

bool uroce_shm_import_has_pd(struct uroce_channel *channel, uint32_t context,
			     uint32_t pd)
{
	must_not_be_called();
	return false;
}

int uroce_shm_import_find(struct uroce_channel *channel, uint32_t pd,
			  uint32_t key,
			  struct uroce_published_region *ret_region)
{
	must_not_be_called();
	return -ENOENT;
}

int uroce_shm_import_copy(struct uroce_channel *channel,
			  const struct uroce_published_region *region,
			  uint64_t offset, const struct iovec *here, bool write)
{
	must_not_be_called();
	return -EACCES;
}
