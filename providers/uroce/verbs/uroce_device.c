/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Device attributes: ibv_query_device(3), ibv_query_device_ex(3), and the
 * device clock, ibv_query_rt_values_ex(3). The functions that create objects
 * enforce the limits on queues and SGEs that are reported here.
 */
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "uroce/verbs/uroce_verbs.h"

/* Limited by the bits of QPNs and keys, and by fields of type int. */
#define MAX_QPS	    65533
#define MAX_REGIONS ((1 << 24) - 1)
#define MAX_OBJECTS (1 << 20)
#define MAX_GROUPS  8192

#define CAPS                                                             \
	(IBV_DEVICE_BAD_PKEY_CNTR | IBV_DEVICE_BAD_QKEY_CNTR |           \
	 IBV_DEVICE_UD_AV_PORT_ENFORCE | IBV_DEVICE_CURR_QP_STATE_MOD |  \
	 IBV_DEVICE_PORT_ACTIVE_EVENT | IBV_DEVICE_SYS_IMAGE_GUID |      \
	 IBV_DEVICE_RC_RNR_NAK_GEN | IBV_DEVICE_AUTO_PATH_MIG |          \
	 IBV_DEVICE_SRQ_RESIZE | IBV_DEVICE_MEM_WINDOW |                 \
	 IBV_DEVICE_MEM_MGT_EXTENSIONS | IBV_DEVICE_MEM_WINDOW_TYPE_2B | \
	 IBV_DEVICE_XRC)

/* Bits of device_cap_flags_ex only, with the kernel's numbers (ib_uverbs). */
#define CAP_FLUSH_GLOBAL (UINT64_C(1) << 38)
#define CAP_ATOMIC_WRITE (UINT64_C(1) << 40)
#define CAPS_EX		 (CAP_FLUSH_GLOBAL | CAP_ATOMIC_WRITE)

/* IBTA 11.2.1.2: a vendor without an OUI of the IEEE. */
#define NO_OUI 0xffffff

/* 4.096 us * 2^15: response delay of a host whose CPUs are busy. */
#define CA_ACK_DELAY 15

/* Begin of the name of a device whose name is not chosen (uroce_config.h). */
#define DEFAULT_NAME "uroce_"

/* QP types with a rate limit. */
#define PACED_TYPES                                               \
	(1u << IBV_QPT_RC | 1u << IBV_QPT_UC | 1u << IBV_QPT_UD | \
	 1u << IBV_QPT_XRC_SEND)

/* Timestamps are nanoseconds. */
#define CLOCK_KHZ 1000000

static void fill_limits(struct ibv_device_attr *attr)
{
	attr->max_mr_size = UINT64_MAX;
	attr->page_size_cap = ~UINT64_C(0xfff); /* 4 KB and larger */
	attr->max_qp = MAX_QPS;
	attr->max_qp_wr = UROCE_MAX_QP_WR;
	attr->max_sge = UROCE_MAX_SGE;
	attr->max_sge_rd = UROCE_MAX_SGE;
	attr->max_cq = MAX_OBJECTS;
	attr->max_cqe = UROCE_MAX_CQE;
	attr->max_mr = MAX_REGIONS;
	attr->max_mw = MAX_REGIONS;
	attr->max_pd = MAX_OBJECTS;
	attr->max_ah = MAX_OBJECTS;
	attr->max_qp_rd_atom = UROCE_MAX_RD_ATOMIC;
	attr->max_qp_init_rd_atom = UROCE_MAX_RD_ATOMIC;
	attr->max_res_rd_atom = UROCE_MAX_RD_ATOMIC * MAX_QPS;
	attr->max_mcast_grp = MAX_GROUPS;
	attr->max_mcast_qp_attach = MAX_QPS;
	attr->max_total_mcast_qp_attach = MAX_QPS;
	attr->max_srq = MAX_OBJECTS;
	attr->max_srq_wr = UROCE_MAX_SRQ_WR;
	attr->max_srq_sge = UROCE_MAX_SGE;
	attr->max_pkeys = UROCE_NR_PKEYS;
}

/* FNV-1a, 64 bits */
#define HASH_BEGIN UINT64_C(0xcbf29ce484222325)
#define HASH_PRIME UINT64_C(0x100000001b3)

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		hash = (hash ^ ((const uint8_t *)bytes)[i]) * HASH_PRIME;
	return hash;
}

__be64 uroce_device_guid(const char *name, const struct uroce_netdev *dev)
{
	uint8_t bytes[sizeof(dev->node_guid)];
	__be64 guid;

	memcpy(bytes, dev->node_guid, sizeof(bytes));
	if (strncmp(name, DEFAULT_NAME, strlen(DEFAULT_NAME)) != 0) {
		uint64_t hash = hash_bytes(HASH_BEGIN, bytes, sizeof(bytes));

		hash = hash_bytes(hash, name, strlen(name));
		memcpy(bytes, &hash, sizeof(bytes));
		/* not a group, and locally administered */
		bytes[0] = (uint8_t)((bytes[0] & ~3u) | 2u);
	}
	memcpy(&guid, bytes, sizeof(guid));
	return guid;
}

int uroce_query_device(struct ibv_context *ibctx,
		       const struct ibv_query_device_ex_input *input,
		       struct ibv_device_attr_ex *attr, size_t attr_size)
{
	struct ibv_device_attr *orig = &attr->orig_attr;
	struct uroce_netdev dev;

	uroce_instance_netdev(to_uroce_context(ibctx)->instance, &dev);
	orig->node_guid = uroce_device_guid(ibctx->device->name, &dev);
	/* IBTA 14.2.5.3: common to the nodes of one system */
	memcpy(&orig->sys_image_guid, dev.node_guid,
	       sizeof(orig->sys_image_guid));
	fill_limits(orig);
	orig->device_cap_flags = CAPS;
	orig->vendor_id = NO_OUI;
	orig->atomic_cap = IBV_ATOMIC_HCA;
	orig->local_ca_ack_delay = CA_ACK_DELAY;
	orig->phys_port_cnt = UROCE_NR_PORTS;

	if (UROCE_ATTR_HAS(attr_size, completion_timestamp_mask))
		attr->completion_timestamp_mask = UINT64_MAX;
	if (UROCE_ATTR_HAS(attr_size, hca_core_clock))
		attr->hca_core_clock = CLOCK_KHZ;
	if (UROCE_ATTR_HAS(attr_size, device_cap_flags_ex))
		attr->device_cap_flags_ex = CAPS | CAPS_EX;
	if (UROCE_ATTR_HAS(attr_size, packet_pacing_caps)) {
		attr->packet_pacing_caps.qp_rate_limit_min = 1;
		attr->packet_pacing_caps.qp_rate_limit_max = UROCE_MAX_KBPS;
		attr->packet_pacing_caps.supported_qpts = PACED_TYPES;
	}
	if (UROCE_ATTR_HAS(attr_size, cq_mod_caps)) {
		attr->cq_mod_caps.max_cq_count = UINT16_MAX;
		attr->cq_mod_caps.max_cq_period = UINT16_MAX;
	}
	if (UROCE_ATTR_HAS(attr_size, max_dm_size))
		attr->max_dm_size = UROCE_MAX_DM_BYTES;
	if (UROCE_ATTR_HAS(attr_size, phys_port_cnt_ex))
		attr->phys_port_cnt_ex = UROCE_NR_PORTS;
	uroce_odp_query(attr, attr_size);
	return 0;
}

int uroce_query_rt_values(struct ibv_context *ctx, struct ibv_values_ex *values)
{
	uint32_t mask = values->comp_mask & IBV_VALUES_MASK_RAW_CLOCK;
	uint64_t now = uroce_worker_now();

	if (mask) {
		values->raw_clock.tv_sec = 0; /* a raw counter, not a time */
		values->raw_clock.tv_nsec = (long)now;
	}
	values->comp_mask = mask;
	return 0;
}
