/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The stage of domains, memory and address handles. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "provider_walk.h"

#define ACCESS                                             \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | \
	 IBV_ACCESS_REMOTE_WRITE)

static void make_domains(struct walk *w)
{
	struct ibv_td_init_attr td_attr = {};
	struct ibv_parent_domain_init_attr attr = { .pd = w->pd };
	struct ibv_xrcd_init_attr xrcd_attr = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = -1,
		.oflags = O_CREAT,
	};

	errno = 0;
	w->td = ibv_alloc_td(w->context, &td_attr);
	(void)walk_made("alloc_td", w->td);
	attr.td = w->td;
	errno = 0;
	w->parent_domain = ibv_alloc_parent_domain(w->context, &attr);
	(void)walk_made("alloc_parent_domain", w->parent_domain);
	errno = 0;
	w->xrcd = ibv_open_xrcd(w->context, &xrcd_attr);
	(void)walk_made("open_xrcd", w->xrcd);
}

static void make_regions(struct walk *w)
{
	struct ibv_mr *other;

	errno = 0;
	w->mr = ibv_reg_mr(w->pd, w->buffer, WALK_BUFFER_LEN, ACCESS);
	if (walk_made("reg_mr", w->mr))
		walk_say("mr", "%d %d %zu", w->mr->lkey != 0, w->mr->rkey != 0,
			 w->mr->length);

	errno = 0;
	other = ibv_reg_mr_iova(w->pd, w->buffer, 4096, 0x1000, ACCESS);
	(void)walk_made("reg_mr_iova", other);
	if (other) {
		errno = 0;
		(void)walk_done("rereg_mr",
				ibv_rereg_mr(other, IBV_REREG_MR_CHANGE_ACCESS,
					     NULL, NULL, 0,
					     IBV_ACCESS_LOCAL_WRITE));
		errno = 0;
		(void)walk_done("dereg_mr_iova", ibv_dereg_mr(other));
	}
	errno = 0;
	other = ibv_reg_mr_iova2(w->pd, w->buffer, 4096, 0x2000,
				 ACCESS | IBV_ACCESS_RELAXED_ORDERING);
	(void)walk_made("reg_mr_relaxed", other);
	if (other)
		(void)walk_done("dereg_mr_relaxed", ibv_dereg_mr(other));
	errno = 0;
	other = ibv_alloc_null_mr(w->pd);
	(void)walk_made("alloc_null_mr", other);
	if (other)
		(void)walk_done("dereg_null_mr", ibv_dereg_mr(other));
	errno = 0;
	w->mw = ibv_alloc_mw(w->pd, IBV_MW_TYPE_2);
	(void)walk_made("alloc_mw", w->mw);
}

static void make_device_memory(struct walk *w)
{
	struct ibv_alloc_dm_attr attr = { .length = 256 };
	struct ibv_counters_init_attr counters_attr = {};

	errno = 0;
	w->dm = ibv_alloc_dm(w->context, &attr);
	if (walk_made("alloc_dm", w->dm)) {
		errno = 0;
		w->dm_mr = ibv_reg_dm_mr(w->pd, w->dm, 0, 256,
					 IBV_ACCESS_ZERO_BASED |
						 IBV_ACCESS_LOCAL_WRITE);
		(void)walk_made("reg_dm_mr", w->dm_mr);
	}
	errno = 0;
	w->counters = ibv_create_counters(w->context, &counters_attr);
	(void)walk_made("create_counters", w->counters);
}

static struct ibv_ah *create_ah(struct walk *w, const char *step,
				const union ibv_gid *to, uint8_t sgid_index)
{
	struct ibv_ah_attr attr = {
		.is_global = 1,
		.port_num = 1,
		.dlid = w->is_ethernet ? 0 : 7,
		.grh = {
			.dgid = *to,
			.sgid_index = sgid_index,
			.hop_limit = 1,
		},
	};
	struct ibv_ah *ah;

	errno = 0;
	ah = ibv_create_ah(w->pd, &attr);
	(void)walk_made(step, ah);
	return ah;
}

/*
 * On Ethernet a provider asks the library to resolve the MAC address:
 * 192.0.2.1, which is GID 1, is the machine's own. Some providers derive that
 * of a link-local GID themselves.
 */
static void make_address_handles(struct walk *w)
{
	static const union ibv_gid local = {
		.raw = { 0xfe, 0x80, [8] = 2, [11] = 0xff, 0xfe, [15] = 7 },
	};
	static const union ibv_gid mapped = {
		.raw = { [10] = 255, 255, 192, 0, 2, 1 },
	};

	w->local_ah = create_ah(w, "create_ah_link_local", &local, 0);
	w->ah = create_ah(w, "create_ah", w->is_ethernet ? &mapped : &local,
			  w->is_ethernet);
}

void walk_make_memory(struct walk *w)
{
	w->buffer = aligned_alloc(4096, WALK_BUFFER_LEN);
	errno = 0;
	w->pd = ibv_alloc_pd(w->context);
	if (!walk_made("alloc_pd", w->pd) || !w->buffer)
		return;
	make_domains(w);
	make_regions(w);
	make_device_memory(w);
	make_address_handles(w);
}

void walk_drop_memory(struct walk *w)
{
	WALK_DROP("destroy_ah", w->ah, ibv_destroy_ah);
	WALK_DROP("destroy_ah_link_local", w->local_ah, ibv_destroy_ah);
	WALK_DROP("destroy_counters", w->counters, ibv_destroy_counters);
	WALK_DROP("dereg_dm_mr", w->dm_mr, ibv_dereg_mr);
	WALK_DROP("free_dm", w->dm, ibv_free_dm);
	WALK_DROP("dealloc_mw", w->mw, ibv_dealloc_mw);
	WALK_DROP("dereg_mr", w->mr, ibv_dereg_mr);
	WALK_DROP("close_xrcd", w->xrcd, ibv_close_xrcd);
	WALK_DROP("dealloc_parent_domain", w->parent_domain, ibv_dealloc_pd);
	WALK_DROP("dealloc_td", w->td, ibv_dealloc_td);
	WALK_DROP("dealloc_pd", w->pd, ibv_dealloc_pd);
	free(w->buffer);
}
