/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Numbers and structs of the kernel ABI that the oldest supported kernel
 * headers (Linux 6.1) do not define. Names are those of <rdma/...> with the
 * prefix VERBS_UAPI_ or verbs_uapi_, so newer headers do not conflict with this
 * file. Definitions of Linux 6.1 come from <rdma/...>. Definitions that
 * applications need are in <infiniband/ib_user_ioctl_verbs.h>.
 *
 * Used by kernel/ and discover/. Grouped by kernel release. Everything except
 * the counts at the end is kernel ABI and never changes.
 */
#ifndef KERNEL_UAPI_NEWER_H
#define KERNEL_UAPI_NEWER_H

#include <linux/types.h>

/* ------------------------------------------------------------------------
 * Linux 6.2: flush and atomic write
 */

/* Flush: placement type (global, persistent) and selectivity (range, MR). */
enum {
	VERBS_UAPI_IB_FLUSH_GLOBAL = 1,
	VERBS_UAPI_IB_FLUSH_PERSISTENT = 2,
	VERBS_UAPI_IB_FLUSH_RANGE = 0,
	VERBS_UAPI_IB_FLUSH_MR = 1,
};

/* Completion opcodes. */
enum {
	VERBS_UAPI_IB_UVERBS_WC_FLUSH = 8,
	VERBS_UAPI_IB_UVERBS_WC_ATOMIC_WRITE = 9,
};

/* Work request opcodes. */
enum {
	VERBS_UAPI_IB_UVERBS_WR_FLUSH = 14,
	VERBS_UAPI_IB_UVERBS_WR_ATOMIC_WRITE = 15,
};

/* Device capabilities. */
#define VERBS_UAPI_IB_UVERBS_DEVICE_FLUSH_GLOBAL     (1ULL << 38)
#define VERBS_UAPI_IB_UVERBS_DEVICE_FLUSH_PERSISTENT (1ULL << 39)
#define VERBS_UAPI_IB_UVERBS_DEVICE_ATOMIC_WRITE     (1ULL << 40)

/* ------------------------------------------------------------------------
 * Linux 6.7: raw dump of SRQs, privileged Q_Keys
 */

/* Netlink commands. */
enum {
	VERBS_UAPI_RDMA_NLDEV_CMD_RES_SRQ_GET_RAW = 25,
};

/* Netlink attributes. */
enum {
	VERBS_UAPI_RDMA_NLDEV_SYS_ATTR_PRIVILEGED_QKEY_MODE = 96,
};

/* ------------------------------------------------------------------------
 * Linux 6.10: details of driver specific objects
 */

/* Netlink attributes. */
enum {
	VERBS_UAPI_RDMA_NLDEV_ATTR_DRIVER_DETAILS = 97,
	VERBS_UAPI_RDMA_NLDEV_ATTR_RES_SUBTYPE = 98,
};

/* ------------------------------------------------------------------------
 * Linux 6.11: sub-devices; names for the attribute ids of drivers
 */

/* First attribute id of a driver, without and with driver data (UHW). */
enum {
	VERBS_UAPI_UVERBS_ID_DRIVER_NS = 0x1000,
	VERBS_UAPI_UVERBS_ID_DRIVER_NS_WITH_UHW = 0x1002,
};

/* Netlink commands. */
enum {
	VERBS_UAPI_RDMA_NLDEV_CMD_NEWDEV = 26,
	VERBS_UAPI_RDMA_NLDEV_CMD_DELDEV = 27,
};

/* Netlink attributes. */
enum {
	VERBS_UAPI_RDMA_NLDEV_ATTR_DEV_TYPE = 99,
	VERBS_UAPI_RDMA_NLDEV_ATTR_PARENT_NAME = 100,
	VERBS_UAPI_RDMA_NLDEV_ATTR_NAME_ASSIGN_TYPE = 101,
};

/* Values of DEV_TYPE. */
enum {
	VERBS_UAPI_RDMA_DEVICE_TYPE_SMI = 1,
};

/* Values of NAME_ASSIGN_TYPE. */
enum {
	VERBS_UAPI_RDMA_NAME_ASSIGN_TYPE_UNKNOWN = 0,
	VERBS_UAPI_RDMA_NAME_ASSIGN_TYPE_USER = 1,
};

/* ------------------------------------------------------------------------
 * Linux 6.12: device notifications over netlink (renames: 6.14)
 */

/* Multicast groups. */
enum {
	VERBS_UAPI_RDMA_NL_GROUP_NOTIFY = 4,
};

/* Netlink commands. */
enum {
	VERBS_UAPI_RDMA_NLDEV_CMD_MONITOR = 28,
};

/* Netlink attributes. */
enum {
	VERBS_UAPI_RDMA_NLDEV_ATTR_EVENT_TYPE = 102,
	VERBS_UAPI_RDMA_NLDEV_SYS_ATTR_MONITOR_MODE = 103,
};

/* Values of EVENT_TYPE. */
enum {
	VERBS_UAPI_RDMA_REGISTER_EVENT = 0,
	VERBS_UAPI_RDMA_UNREGISTER_EVENT = 1,
	VERBS_UAPI_RDMA_NETDEV_ATTACH_EVENT = 2,
	VERBS_UAPI_RDMA_NETDEV_DETACH_EVENT = 3,
	VERBS_UAPI_RDMA_RENAME_EVENT = 4,
	VERBS_UAPI_RDMA_NETDEV_RENAME_EVENT = 5,
};

/* ------------------------------------------------------------------------
 * Linux 6.15: user capabilities
 */

/* GET_CONTEXT. */
enum {
	VERBS_UAPI_UVERBS_ATTR_GET_CONTEXT_FD_ARR = 2,
};

/* ------------------------------------------------------------------------
 * Linux 6.16: names for on-demand paging bits (older kernels have the same
 * numbers, except for FLUSH and ATOMIC_WRITE)
 */

/* general_caps. */
enum {
	VERBS_UAPI_IB_UVERBS_ODP_SUPPORT = 1 << 0,
	VERBS_UAPI_IB_UVERBS_ODP_SUPPORT_IMPLICIT = 1 << 1,
};

/* per_transport_caps. */
enum {
	VERBS_UAPI_IB_UVERBS_ODP_SUPPORT_SEND = 1 << 0,
	VERBS_UAPI_IB_UVERBS_ODP_SUPPORT_RECV = 1 << 1,
	VERBS_UAPI_IB_UVERBS_ODP_SUPPORT_WRITE = 1 << 2,
	VERBS_UAPI_IB_UVERBS_ODP_SUPPORT_READ = 1 << 3,
	VERBS_UAPI_IB_UVERBS_ODP_SUPPORT_ATOMIC = 1 << 4,
	VERBS_UAPI_IB_UVERBS_ODP_SUPPORT_SRQ_RECV = 1 << 5,
	VERBS_UAPI_IB_UVERBS_ODP_SUPPORT_FLUSH = 1 << 6,
	VERBS_UAPI_IB_UVERBS_ODP_SUPPORT_ATOMIC_WRITE = 1 << 7,
};

/* ------------------------------------------------------------------------
 * Linux 6.17: DMA handles, registration by attributes, CQs in user memory
 */

/* Objects. */
enum {
	VERBS_UAPI_UVERBS_OBJECT_DMAH = 17,
};

/* Methods of DMAH. */
enum {
	VERBS_UAPI_UVERBS_METHOD_DMAH_ALLOC = 0,
	VERBS_UAPI_UVERBS_METHOD_DMAH_FREE = 1,
};

/* DMAH: ALLOC. */
enum {
	VERBS_UAPI_UVERBS_ATTR_ALLOC_DMAH_HANDLE = 0,
	VERBS_UAPI_UVERBS_ATTR_ALLOC_DMAH_CPU_ID = 1,
	VERBS_UAPI_UVERBS_ATTR_ALLOC_DMAH_TPH_MEM_TYPE = 2,
	VERBS_UAPI_UVERBS_ATTR_ALLOC_DMAH_PH = 3,
};

/* DMAH: FREE. */
enum {
	VERBS_UAPI_UVERBS_ATTR_FREE_DMA_HANDLE = 0,
};

/* Methods of MR. */
enum {
	VERBS_UAPI_UVERBS_METHOD_REG_MR = 5,
};

/* MR: REG_MR. */
enum {
	VERBS_UAPI_UVERBS_ATTR_REG_MR_HANDLE = 0,
	VERBS_UAPI_UVERBS_ATTR_REG_MR_PD_HANDLE = 1,
	VERBS_UAPI_UVERBS_ATTR_REG_MR_DMA_HANDLE = 2,
	VERBS_UAPI_UVERBS_ATTR_REG_MR_IOVA = 3,
	VERBS_UAPI_UVERBS_ATTR_REG_MR_ADDR = 4,
	VERBS_UAPI_UVERBS_ATTR_REG_MR_LENGTH = 5,
	VERBS_UAPI_UVERBS_ATTR_REG_MR_ACCESS_FLAGS = 6,
	VERBS_UAPI_UVERBS_ATTR_REG_MR_FD = 7,
	VERBS_UAPI_UVERBS_ATTR_REG_MR_FD_OFFSET = 8,
	VERBS_UAPI_UVERBS_ATTR_REG_MR_RESP_LKEY = 9,
	VERBS_UAPI_UVERBS_ATTR_REG_MR_RESP_RKEY = 10,
};

/* CQ: CREATE. */
enum {
	VERBS_UAPI_UVERBS_ATTR_CREATE_CQ_BUFFER_VA = 8,
	VERBS_UAPI_UVERBS_ATTR_CREATE_CQ_BUFFER_LENGTH = 9,
	VERBS_UAPI_UVERBS_ATTR_CREATE_CQ_BUFFER_FD = 10,
	VERBS_UAPI_UVERBS_ATTR_CREATE_CQ_BUFFER_OFFSET = 11,
};

/* Netlink attributes. */
enum {
	VERBS_UAPI_RDMA_NLDEV_ATTR_STAT_OPCOUNTER_ENABLED = 104,
};

/* A ServiceRecord as rdma_cm resolves it; big-endian. */
struct verbs_uapi_ib_user_service_rec {
	__be64 id;
	__u8 gid[16];
	__be16 pkey;
	__u8 reserved[2];
	__be32 lease;
	__u8 key[16];
	__u8 name[64];
	__u8 data_8[16];
	__be16 data_16[8];
	__be32 data_32[4];
	__be64 data_64[2];
};

/* ------------------------------------------------------------------------
 * Linux 7.0: port speed, dma-bufs of device memory
 */

/* Objects. */
enum {
	VERBS_UAPI_UVERBS_OBJECT_DMABUF = 18,
};

/* Methods of DMABUF. */
enum {
	VERBS_UAPI_UVERBS_METHOD_DMABUF_ALLOC = 0,
};

/* DMABUF: ALLOC. */
enum {
	VERBS_UAPI_UVERBS_ATTR_ALLOC_DMABUF_HANDLE = 0,
	VERBS_UAPI_UVERBS_ATTR_ALLOC_DMABUF_PGOFF = 1,
};

/* Methods of DEVICE. */
enum {
	VERBS_UAPI_UVERBS_METHOD_QUERY_PORT_SPEED = 7,
};

/* DEVICE: QUERY_PORT_SPEED. */
enum {
	VERBS_UAPI_UVERBS_ATTR_QUERY_PORT_SPEED_PORT_NUM = 0,
	VERBS_UAPI_UVERBS_ATTR_QUERY_PORT_SPEED_RESP = 1,
};

/* ------------------------------------------------------------------------
 * After Linux 7.0: completion counters, queues in user memory, confidential
 * computing, pools of registrations
 */

/* Device capabilities. */
#define VERBS_UAPI_IB_UVERBS_DEVICE_CC_DMA_BOUNCE (1ULL << 41)

/* Objects. */
enum {
	VERBS_UAPI_UVERBS_OBJECT_COMP_CNTR = 19,
};

/* Methods of COMP_CNTR. */
enum {
	VERBS_UAPI_UVERBS_METHOD_COMP_CNTR_CREATE = 0,
	VERBS_UAPI_UVERBS_METHOD_COMP_CNTR_DESTROY = 1,
	VERBS_UAPI_UVERBS_METHOD_COMP_CNTR_MODIFY = 2,
	VERBS_UAPI_UVERBS_METHOD_COMP_CNTR_READ = 3,
};

/* COMP_CNTR: CREATE. */
enum {
	VERBS_UAPI_UVERBS_ATTR_CREATE_COMP_CNTR_HANDLE = 0,
};

/* COMP_CNTR: DESTROY. */
enum {
	VERBS_UAPI_UVERBS_ATTR_DESTROY_COMP_CNTR_HANDLE = 0,
};

/* COMP_CNTR: MODIFY. */
enum {
	VERBS_UAPI_UVERBS_ATTR_MODIFY_COMP_CNTR_HANDLE = 0,
	VERBS_UAPI_UVERBS_ATTR_MODIFY_COMP_CNTR_ENTRY = 1,
	VERBS_UAPI_UVERBS_ATTR_MODIFY_COMP_CNTR_OP = 2,
	VERBS_UAPI_UVERBS_ATTR_MODIFY_COMP_CNTR_VALUE = 3,
};

/* COMP_CNTR: READ. */
enum {
	VERBS_UAPI_UVERBS_ATTR_READ_COMP_CNTR_HANDLE = 0,
	VERBS_UAPI_UVERBS_ATTR_READ_COMP_CNTR_ENTRY = 1,
	VERBS_UAPI_UVERBS_ATTR_READ_COMP_CNTR_RESP_VALUE = 2,
};

/* Methods of DEVICE. */
enum {
	VERBS_UAPI_UVERBS_METHOD_QUERY_COMP_CNTR_CAPS = 8,
};

/* DEVICE: QUERY_COMP_CNTR_CAPS. */
enum {
	VERBS_UAPI_UVERBS_ATTR_QUERY_COMP_CNTR_CAPS_MAX_COUNTERS = 0,
	VERBS_UAPI_UVERBS_ATTR_QUERY_COMP_CNTR_CAPS_MAX_VALUE = 1,
	VERBS_UAPI_UVERBS_ATTR_QUERY_COMP_CNTR_CAPS_SUPPORTED_QP_ATTACH_OPS = 2,
};

/* Methods of QP. */
enum {
	VERBS_UAPI_UVERBS_METHOD_QP_ATTACH_COMP_CNTR = 2,
};

/* QP: ATTACH_COMP_CNTR. */
enum {
	VERBS_UAPI_UVERBS_ATTR_QP_ATTACH_COMP_CNTR_HANDLE = 0,
	VERBS_UAPI_UVERBS_ATTR_QP_ATTACH_COMP_CNTR_CNTR_HANDLE = 1,
	VERBS_UAPI_UVERBS_ATTR_QP_ATTACH_COMP_CNTR_OP_MASK = 2,
};

/* QP: CREATE. */
enum {
	VERBS_UAPI_UVERBS_ATTR_CREATE_QP_BUF_UMEM = 15,
	VERBS_UAPI_UVERBS_ATTR_CREATE_QP_RQ_BUF_UMEM = 16,
	VERBS_UAPI_UVERBS_ATTR_CREATE_QP_SQ_BUF_UMEM = 17,
};

/* CQ: CREATE. */
enum {
	VERBS_UAPI_UVERBS_ATTR_CREATE_CQ_BUF_UMEM = 12,
};

/* Netlink commands. */
enum {
	VERBS_UAPI_RDMA_NLDEV_CMD_FRMR_POOLS_GET = 29,
	VERBS_UAPI_RDMA_NLDEV_CMD_FRMR_POOLS_SET = 30,
};

/* Netlink attributes. */
enum {
	VERBS_UAPI_RDMA_NLDEV_ATTR_FRMR_POOLS = 105,
	VERBS_UAPI_RDMA_NLDEV_ATTR_FRMR_POOL_ENTRY = 106,
	VERBS_UAPI_RDMA_NLDEV_ATTR_FRMR_POOL_KEY = 107,
	VERBS_UAPI_RDMA_NLDEV_ATTR_FRMR_POOL_KEY_ATS = 108,
	VERBS_UAPI_RDMA_NLDEV_ATTR_FRMR_POOL_KEY_ACCESS_FLAGS = 109,
	VERBS_UAPI_RDMA_NLDEV_ATTR_FRMR_POOL_KEY_VENDOR_KEY = 110,
	VERBS_UAPI_RDMA_NLDEV_ATTR_FRMR_POOL_KEY_NUM_DMA_BLOCKS = 111,
	VERBS_UAPI_RDMA_NLDEV_ATTR_FRMR_POOL_QUEUE_HANDLES = 112,
	VERBS_UAPI_RDMA_NLDEV_ATTR_FRMR_POOL_MAX_IN_USE = 113,
	VERBS_UAPI_RDMA_NLDEV_ATTR_FRMR_POOL_IN_USE = 114,
	VERBS_UAPI_RDMA_NLDEV_ATTR_FRMR_POOLS_AGING_PERIOD = 115,
	VERBS_UAPI_RDMA_NLDEV_ATTR_FRMR_POOL_PINNED_HANDLES = 116,
	VERBS_UAPI_RDMA_NLDEV_ATTR_FRMR_POOL_KEY_KERNEL_VENDOR_KEY = 117,
	VERBS_UAPI_RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_MAX = 118,
};

/* Page shared with the kernel: converts device time into nanoseconds. */
struct verbs_uapi_ib_uverbs_clock_info {
	__u32 sign; /* version of the contents */
	__u32 resv;
	__aligned_u64 nsec;
	__aligned_u64 cycles;
	__aligned_u64 frac;
	__u32 mult;
	__u32 shift;
	__aligned_u64 mask;
	__aligned_u64 overflow_period;
};

/* ------------------------------------------------------------------------
 * Counts that include the numbers above; later kernels raise them
 */

enum {
	VERBS_UAPI_RDMA_NL_NUM_GROUPS = 5,
	VERBS_UAPI_RDMA_NLDEV_NUM_OPS = 31,
	VERBS_UAPI_RDMA_NLDEV_ATTR_MAX = 119,
};

#endif /* KERNEL_UAPI_NEWER_H */
