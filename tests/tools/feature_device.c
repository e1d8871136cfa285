// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Preloaded into a program, this library adds features to the user-space
 * device, or hides them. It emulates device memory with ordinary memory.
 * Messages really are transferred. The variable FEATURES lists the changes:
 * "dm" adds device memory, "late" delays send completions, "noadvice" makes
 * ibv_advise_mr() fail, "noxrc" removes XRC, "noodp" on-demand paging, and
 * "noimplicit" that of all addresses.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>

#undef ibv_reg_mr_iova

#define DM_SIZE (1 << 20)

static int (*real_query_device)(struct ibv_context *context,
				const struct ibv_query_device_ex_input *input,
				struct ibv_device_attr_ex *attr, size_t size);

static bool has_feature(const char *feature)
{
	const char *features = getenv("FEATURES");

	return features && strstr(features, feature);
}

static void *next_symbol(const char *name)
{
	void *function = dlsym(RTLD_NEXT, name);

	if (!function)
		abort();
	return function;
}

static int query_device(struct ibv_context *context,
			const struct ibv_query_device_ex_input *input,
			struct ibv_device_attr_ex *attr, size_t size)
{
	int ret = real_query_device(context, input, attr, size);

	if (ret || size < offsetof(struct ibv_device_attr_ex, phys_port_cnt_ex))
		return ret;
	if (has_feature("noxrc"))
		attr->orig_attr.device_cap_flags &=
			~(unsigned int)IBV_DEVICE_XRC;
	if (has_feature("dm"))
		attr->max_dm_size = DM_SIZE;
	if (has_feature("noodp")) {
		attr->odp_caps = (struct ibv_odp_caps){};
		attr->xrc_odp_caps = 0;
	}
	if (has_feature("noimplicit"))
		attr->odp_caps.general_caps &= ~IBV_ODP_SUPPORT_IMPLICIT;
	return 0;
}

static struct ibv_xrcd *refuse_xrcd(struct ibv_context *context,
				    struct ibv_xrcd_init_attr *attr)
{
	errno = EOPNOTSUPP;
	return NULL;
}

/* -- device memory -- */

struct device_memory {
	struct ibv_dm dm;
	size_t length;
	uint8_t bytes[];
};

static int copy_to_dm(struct ibv_dm *dm, uint64_t offset, const void *from,
		      size_t length)
{
	struct device_memory *device_memory = (struct device_memory *)dm;

	if (offset > device_memory->length ||
	    length > device_memory->length - offset)
		return EINVAL;
	memcpy(device_memory->bytes + offset, from, length);
	return 0;
}

static int copy_from_dm(void *to, struct ibv_dm *dm, uint64_t offset,
			size_t length)
{
	struct device_memory *device_memory = (struct device_memory *)dm;

	if (offset > device_memory->length ||
	    length > device_memory->length - offset)
		return EINVAL;
	memcpy(to, device_memory->bytes + offset, length);
	return 0;
}

static struct ibv_dm *alloc_dm(struct ibv_context *context,
			       struct ibv_alloc_dm_attr *attr)
{
	struct device_memory *device_memory =
		calloc(1, sizeof(*device_memory) + attr->length);

	if (!device_memory)
		return NULL;
	device_memory->length = attr->length;
	device_memory->dm.context = context;
	device_memory->dm.memcpy_to_dm = copy_to_dm;
	device_memory->dm.memcpy_from_dm = copy_from_dm;
	return &device_memory->dm;
}

static int free_dm(struct ibv_dm *dm)
{
	free(dm);
	return 0;
}

static struct ibv_mr *reg_dm_mr(struct ibv_pd *pd, struct ibv_dm *dm,
				uint64_t offset, size_t length,
				unsigned int access)
{
	struct device_memory *device_memory = (struct device_memory *)dm;

	return ibv_reg_mr_iova(pd, device_memory->bytes + offset, length, 0,
			       access & ~IBV_ACCESS_ZERO_BASED);
}

/* -- on-demand paging -- */

static int advise_mr(struct ibv_pd *pd, enum ibv_advise_mr_advice advice,
		     uint32_t flags, struct ibv_sge *sg_list, uint32_t num_sges)
{
	return EOPNOTSUPP;
}

/* -- late completions -- */

/*
 * Delays one send completion at a time, until the next receive completion or
 * for DELAY_POLLS empty polls.
 */

#define DELAY_POLLS 1000 /* empty polls */

static int (*real_poll_cq)(struct ibv_cq *cq, int num_entries,
			   struct ibv_wc *wc);
static int (*real_post_send)(struct ibv_qp *qp, struct ibv_send_wr *wr,
			     struct ibv_send_wr **bad_wr);
static struct ibv_wc delayed_wc;
/* remaining polls before delayed_wc is returned; 0: no delayed completion */
static int delay_polls;

/* The delayed send still occupies its entry of the send queue. */
static int delayed_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
			     struct ibv_send_wr **bad_wr)
{
	if (delay_polls && delayed_wc.qp_num == qp->qp_num) {
		*bad_wr = wr;
		return ENOMEM;
	}
	return real_post_send(qp, wr, bad_wr);
}

static int delayed_poll_cq(struct ibv_cq *cq, int num_entries,
			   struct ibv_wc *wc)
{
	int ret = 0;

	if (delay_polls != 1)
		ret = real_poll_cq(cq, 1, wc);
	if (delay_polls == 0 && ret == 1 && wc->status == IBV_WC_SUCCESS &&
	    wc->opcode == IBV_WC_SEND) {
		delayed_wc = *wc;
		delay_polls = DELAY_POLLS;
		return 0;
	}
	if (delay_polls == 0 || ret < 0)
		return ret;
	if (ret == 1) {
		delay_polls = 1; /* return delayed_wc with the next poll */
		return ret;
	}
	if (--delay_polls > 0)
		return 0;
	*wc = delayed_wc;
	return 1;
}

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct ibv_context *(*open)(struct ibv_device *) =
		(struct ibv_context * (*)(struct ibv_device *))
			next_symbol("ibv_open_device");
	struct ibv_context *context = open(device);
	struct verbs_context *table;

	if (!context)
		return NULL;
	table = verbs_get_ctx(context);
	real_query_device = table->query_device_ex;
	table->query_device_ex = query_device;
	if (has_feature("noxrc"))
		table->open_xrcd = refuse_xrcd;
	if (has_feature("dm")) {
		table->alloc_dm = alloc_dm;
		table->free_dm = free_dm;
		table->reg_dm_mr = reg_dm_mr;
	}
	if (has_feature("late")) {
		real_poll_cq = context->ops.poll_cq;
		context->ops.poll_cq = delayed_poll_cq;
		real_post_send = context->ops.post_send;
		context->ops.post_send = delayed_post_send;
	}
	if (has_feature("noadvice"))
		table->advise_mr = advise_mr;
	return context;
}
