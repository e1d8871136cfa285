/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The verbs API: everything an application needs to use an RDMA device.
 *
 * One section per object, with its constants, the structs that an application
 * writes or reads, and the exported functions. Inline functions are in
 * <infiniband/verbs_inline.h> under the same section titles; the objects
 * themselves (struct ibv_qp and so on) are in <infiniband/verbs_abi.h>. This
 * file includes both at its end, and an application includes only this file.
 *
 * Rules that hold throughout:
 * - An object belongs to the library. The application gets a pointer from a
 *   create, alloc, open, reg or import function and passes it, once, to the
 *   matching destroy, dealloc, close, dereg or unimport function. An
 *   object must outlive the objects created from it.
 * - A struct *_attr belongs to the application. The library does not keep
 *   pointers to it or to memory that it refers to, unless a comment says so.
 * - A comp_mask says which optional members of a struct are valid, one bit
 *   per member. If it is 0, the library reads no optional member.
 * - Numbers are in host order except where the type is __be16, __be32 or
 *   __be64, or the comment says "network order".
 * - Unless its man page says otherwise, a function that returns int returns 0
 *   or an errno value, and one that returns a pointer returns NULL and sets
 *   errno.
 *
 * "IBTA" is the InfiniBand Architecture Specification, volume 1.
 */
#ifndef INFINIBAND_VERBS_H
#define INFINIBAND_VERBS_H

/*
 * Applications rely on the headers that this file includes: add more if needed,
 * but remove none.
 */
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>

#include <linux/types.h>

#include <infiniband/verbs_api.h>

#ifdef __cplusplus
#include <limits>
#endif

/* The result depends only on the arguments. Undefined again at the end. */
#if __GNUC__ >= 3
#define __attribute_const __attribute__((const))
#else
#define __attribute_const
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Objects, and one forward declaration. verbs_abi.h defines the members of the
 * objects; those of struct ibv_buf are private to the library.
 */
struct ibv_ah;
struct ibv_buf;
struct ibv_comp_channel;
struct ibv_comp_cntr;
struct ibv_context;
struct ibv_counters;
struct ibv_cq;
struct ibv_cq_ex;
struct ibv_device;
struct ibv_dm;
struct ibv_dmah;
struct ibv_flow;
struct ibv_flow_action;
struct ibv_mr;
struct ibv_mw;
struct ibv_pd;
struct ibv_qp;
struct ibv_qp_ex;
struct ibv_rwq_ind_table;
struct ibv_srq;
struct ibv_td;
struct ibv_wc;
struct ibv_wq;
struct ibv_xrcd;

/* ------------------------------------------------------------------------
 * Devices
 *
 * ibv_get_device_list(3), ibv_get_device_name(3), ibv_get_device_guid(3),
 * ibv_get_device_index(3)
 */

enum {
	IBV_SYSFS_NAME_MAX = 64,  /* bytes of a device name, with the NUL */
	IBV_SYSFS_PATH_MAX = 256, /* bytes of a path, with the NUL */
};

/* Role of a device in its network. */
enum ibv_node_type {
	IBV_NODE_UNKNOWN = -1,
	IBV_NODE_CA = 1, /* InfiniBand or RoCE channel adapter */
	IBV_NODE_SWITCH = 2,
	IBV_NODE_ROUTER = 3,
	IBV_NODE_RNIC = 4, /* iWARP */
	IBV_NODE_USNIC = 5,
	IBV_NODE_USNIC_UDP = 6,
	IBV_NODE_UNSPECIFIED = 7,
};

/* Wire protocol family; RoCE counts as InfiniBand. */
enum ibv_transport_type {
	IBV_TRANSPORT_UNKNOWN = -1,
	IBV_TRANSPORT_IB = 0,
	IBV_TRANSPORT_IWARP = 1,
	IBV_TRANSPORT_USNIC = 2,
	IBV_TRANSPORT_USNIC_UDP = 3,
	IBV_TRANSPORT_UNSPECIFIED = 4,
};

/* NULL-terminated array of the devices present; *num_devices may be NULL. */
struct ibv_device **ibv_get_device_list(int *num_devices);

/* Free the array. Devices that have been opened stay valid until closed. */
void ibv_free_device_list(struct ibv_device **list);

/* Name of the device, such as "rxe0"; belongs to the device. */
const char *ibv_get_device_name(struct ibv_device *device);

/* Index that the kernel assigned to the device; -1 if it assigned none. */
int ibv_get_device_index(struct ibv_device *device);

/* GUID of the node; 0 when it cannot be read. */
__be64 ibv_get_device_guid(struct ibv_device *device);

/* ------------------------------------------------------------------------
 * Contexts: an open device and its attributes
 *
 * ibv_open_device(3), ibv_import_device(3), ibv_query_device(3),
 * ibv_query_device_ex(3), ibv_query_rt_values_ex(3)
 */

/* Device capabilities: ibv_device_attr.device_cap_flags. */
enum ibv_device_cap_flags {
	/* a queue can be resized */
	IBV_DEVICE_RESIZE_MAX_WR = 1 << 0,
	/* violation counters of a port (IBTA 11.2.1.2) */
	IBV_DEVICE_BAD_PKEY_CNTR = 1 << 1,
	IBV_DEVICE_BAD_QKEY_CNTR = 1 << 2,
	/* raw packets can be multicast */
	IBV_DEVICE_RAW_MULTI = 1 << 3,
	IBV_DEVICE_AUTO_PATH_MIG = 1 << 4,
	/* the transition from SQD to RTS can change the port of a QP */
	IBV_DEVICE_CHANGE_PHY_PORT = 1 << 5,
	/* the port of an address vector is checked against that of the QP */
	IBV_DEVICE_UD_AV_PORT_ENFORCE = 1 << 6,
	/* ibv_modify_qp() honours IBV_QP_CUR_STATE */
	IBV_DEVICE_CURR_QP_STATE_MOD = 1 << 7,
	IBV_DEVICE_SHUTDOWN_PORT = 1 << 8,
	IBV_DEVICE_INIT_TYPE = 1 << 9,
	/* IBV_EVENT_PORT_ACTIVE is generated */
	IBV_DEVICE_PORT_ACTIVE_EVENT = 1 << 10,
	IBV_DEVICE_SYS_IMAGE_GUID = 1 << 11,
	/* RNR NAK is generated for RC */
	IBV_DEVICE_RC_RNR_NAK_GEN = 1 << 12,
	IBV_DEVICE_SRQ_RESIZE = 1 << 13,
	/* ibv_req_notify_cq() for more than one completion */
	IBV_DEVICE_N_NOTIFY_CQ = 1 << 14,
	IBV_DEVICE_MEM_WINDOW = 1 << 17,
	/* IP, TCP and UDP checksums on QPs of one kind */
	IBV_DEVICE_UD_IP_CSUM = 1 << 18,
	IBV_DEVICE_XRC = 1 << 20,
	IBV_DEVICE_MEM_MGT_EXTENSIONS = 1 << 21,
	/* type 2 windows: 2A are tied to a QP, 2B to a QP and a PD */
	IBV_DEVICE_MEM_WINDOW_TYPE_2A = 1 << 23,
	IBV_DEVICE_MEM_WINDOW_TYPE_2B = 1 << 24,
	IBV_DEVICE_RC_IP_CSUM = 1 << 25,
	IBV_DEVICE_RAW_IP_CSUM = 1 << 26,
	IBV_DEVICE_MANAGED_FLOW_STEERING = 1 << 29,
};

/* Further capabilities, only in ibv_device_attr_ex.device_cap_flags_ex. */
#define IBV_DEVICE_RAW_SCATTER_FCS	 (1ULL << 34)
#define IBV_DEVICE_PCI_WRITE_END_PADDING (1ULL << 36)
/* DMA goes through bounce buffers (confidential guests) */
#define IBV_DEVICE_CC_DMA_BOUNCE (1ULL << 41)

/* Scope in which atomic operations of the device are atomic. */
enum ibv_atomic_cap {
	IBV_ATOMIC_NONE, /* no atomic operations */
	IBV_ATOMIC_HCA,	 /* among operations of this device */
	IBV_ATOMIC_GLOB, /* also against the CPU and other devices */
};

/*
 * Limits of a device; filled in by ibv_query_device(). Each number is the upper
 * bound of one resource; all bounds together may exceed the device.
 */
struct ibv_device_attr {
	char fw_ver[64]; /* firmware version, NUL-terminated */
	__be64 node_guid;
	__be64 sys_image_guid;
	uint64_t max_mr_size;	/* bytes of the largest memory region */
	uint64_t page_size_cap; /* bit n: pages of 2^n bytes are supported */
	uint32_t vendor_id;	/* IEEE OUI */
	uint32_t vendor_part_id;
	uint32_t hw_ver;
	int max_qp;
	int max_qp_wr;		       /* requests in one queue */
	unsigned int device_cap_flags; /* enum ibv_device_cap_flags */
	int max_sge;		       /* per request, other than RDMA read */
	int max_sge_rd;		       /* per RDMA read */
	int max_cq;
	int max_cqe; /* entries of one CQ */
	int max_mr;
	int max_pd;
	int max_qp_rd_atom; /* reads and atomics, responder */
	int max_ee_rd_atom;
	int max_res_rd_atom;	 /* the same, all QPs together */
	int max_qp_init_rd_atom; /* reads and atomics, requester */
	int max_ee_init_rd_atom;
	enum ibv_atomic_cap atomic_cap;
	int max_ee;  /* end-to-end contexts (RD transport) */
	int max_rdd; /* RD domains */
	int max_mw;
	int max_raw_ipv6_qp;
	int max_raw_ethy_qp;
	int max_mcast_grp;
	int max_mcast_qp_attach; /* QPs in one multicast group */
	int max_total_mcast_qp_attach;
	int max_ah;
	int max_fmr;	     /* unused */
	int max_map_per_fmr; /* unused */
	int max_srq;
	int max_srq_wr;		    /* requests in one SRQ */
	int max_srq_sge;	    /* per request in an SRQ */
	uint16_t max_pkeys;	    /* partitions per port */
	uint8_t local_ca_ack_delay; /* 4.096 us * 2^n */
	uint8_t phys_port_cnt;	    /* see also phys_port_cnt_ex */
};

/* On-demand paging: ibv_odp_caps.general_caps. */
enum ibv_odp_general_caps {
	IBV_ODP_SUPPORT = 1 << 0,
	IBV_ODP_SUPPORT_IMPLICIT = 1 << 1, /* region of all addresses */
};

/* Operations of one transport that may touch on-demand memory. */
enum ibv_odp_transport_cap_bits {
	IBV_ODP_SUPPORT_SEND = 1 << 0,
	IBV_ODP_SUPPORT_RECV = 1 << 1,
	IBV_ODP_SUPPORT_WRITE = 1 << 2,
	IBV_ODP_SUPPORT_READ = 1 << 3,
	IBV_ODP_SUPPORT_ATOMIC = 1 << 4,
	IBV_ODP_SUPPORT_SRQ_RECV = 1 << 5,
	IBV_ODP_SUPPORT_FLUSH = 1 << 6,
	IBV_ODP_SUPPORT_ATOMIC_WRITE = 1 << 7,
};

struct ibv_odp_caps {
	uint64_t general_caps; /* enum ibv_odp_general_caps */
	struct {
		uint32_t rc_odp_caps; /* enum ibv_odp_transport_cap_bits */
		uint32_t uc_odp_caps;
		uint32_t ud_odp_caps;
	} per_transport_caps; /* XRC: ibv_device_attr_ex.xrc_odp_caps */
};

/* TCP segmentation by the device. */
struct ibv_tso_caps {
	uint32_t max_tso;	 /* bytes before segmentation; 0: none */
	uint32_t supported_qpts; /* bit n: QP type n; ibv_is_qpt_supported() */
};

/* Receive side scaling: a hash distributes packets over queues. */
enum ibv_rx_hash_function_flags {
	IBV_RX_HASH_FUNC_TOEPLITZ = 1 << 0,
};

/* Packet fields that enter the hash. */
__extension__ enum ibv_rx_hash_fields {
	IBV_RX_HASH_SRC_IPV4 = 1 << 0,
	IBV_RX_HASH_DST_IPV4 = 1 << 1,
	IBV_RX_HASH_SRC_IPV6 = 1 << 2,
	IBV_RX_HASH_DST_IPV6 = 1 << 3,
	IBV_RX_HASH_SRC_PORT_TCP = 1 << 4,
	IBV_RX_HASH_DST_PORT_TCP = 1 << 5,
	IBV_RX_HASH_SRC_PORT_UDP = 1 << 6,
	IBV_RX_HASH_DST_PORT_UDP = 1 << 7,
	IBV_RX_HASH_IPSEC_SPI = 1 << 8,
	IBV_RX_HASH_INNER = 1U << 31, /* of the encapsulated packet */
};

struct ibv_rss_caps {
	uint32_t supported_qpts; /* bit n: QP type n */
	uint32_t max_rwq_indirection_tables;
	uint32_t max_rwq_indirection_table_size; /* entries */
	uint64_t rx_hash_fields_mask;		 /* enum ibv_rx_hash_fields */
	uint8_t rx_hash_function; /* enum ibv_rx_hash_function_flags */
};

/* Limiting the rate of a QP: ibv_modify_qp_rate_limit(). */
struct ibv_packet_pacing_caps {
	uint32_t qp_rate_limit_min; /* kbit/s */
	uint32_t qp_rate_limit_max; /* kbit/s */
	uint32_t supported_qpts;    /* bit n: QP type n */
};

/* Offloads of raw packet QPs. */
enum ibv_raw_packet_caps {
	IBV_RAW_PACKET_CAP_CVLAN_STRIPPING = 1 << 0,
	IBV_RAW_PACKET_CAP_SCATTER_FCS = 1 << 1,
	IBV_RAW_PACKET_CAP_IP_CSUM = 1 << 2,
	IBV_RAW_PACKET_CAP_DELAY_DROP = 1 << 3,
};

enum ibv_tm_cap_flags {
	IBV_TM_CAP_RC = 1 << 0, /* tag matching over RC */
};

/* Tag matching: SRQs of type IBV_SRQT_TM. */
struct ibv_tm_caps {
	uint32_t max_rndv_hdr_size; /* bytes */
	uint32_t max_num_tags;	    /* per SRQ */
	uint32_t flags;		    /* enum ibv_tm_cap_flags */
	uint32_t max_ops;	    /* list operations outstanding, per SRQ */
	uint32_t max_sge;	    /* per tagged buffer */
};

/* Delaying completion events: ibv_modify_cq(). */
struct ibv_cq_moderation_caps {
	uint16_t max_cq_count;	/* completions */
	uint16_t max_cq_period; /* microseconds */
};

/* Operand sizes of PCIe atomics. */
enum ibv_pci_atomic_op_size {
	IBV_PCI_ATOMIC_OPERATION_4_BYTE_SIZE_SUP = 1 << 0,
	IBV_PCI_ATOMIC_OPERATION_8_BYTE_SIZE_SUP = 1 << 1,
	IBV_PCI_ATOMIC_OPERATION_16_BYTE_SIZE_SUP = 1 << 2,
};

struct ibv_pci_atomic_caps {
	uint16_t fetch_add; /* enum ibv_pci_atomic_op_size, all three */
	uint16_t swap;
	uint16_t compare_swap;
};

/* Input of ibv_query_device_ex(); nothing is defined yet. */
struct ibv_query_device_ex_input {
	uint32_t comp_mask; /* 0 */
};

/* struct ibv_device_attr and more; unknown members are 0. */
struct ibv_device_attr_ex {
	struct ibv_device_attr orig_attr;
	uint32_t comp_mask;
	struct ibv_odp_caps odp_caps;
	uint64_t completion_timestamp_mask; /* bits that count; 0: none */
	uint64_t hca_core_clock;      /* of the timestamps, kHz; 0: unknown */
	uint64_t device_cap_flags_ex; /* device_cap_flags and further bits */
	struct ibv_tso_caps tso_caps;
	struct ibv_rss_caps rss_caps;
	uint32_t max_wq_type_rq; /* receive work queues */
	struct ibv_packet_pacing_caps packet_pacing_caps;
	uint32_t raw_packet_caps; /* enum ibv_raw_packet_caps */
	struct ibv_tm_caps tm_caps;
	struct ibv_cq_moderation_caps cq_mod_caps;
	uint64_t max_dm_size; /* bytes of device memory */
	struct ibv_pci_atomic_caps pci_atomic_caps;
	uint32_t xrc_odp_caps;	   /* enum ibv_odp_transport_cap_bits */
	uint32_t phys_port_cnt_ex; /* ports, not limited to 255 */
};

/* Request and result of ibv_query_rt_values_ex(). */
enum ibv_values_mask {
	IBV_VALUES_MASK_RAW_CLOCK = 1 << 0,
	IBV_VALUES_MASK_RESERVED = 1 << 1, /* first unused bit */
};

struct ibv_values_ex {
	uint32_t comp_mask;	   /* enum ibv_values_mask, in and out */
	struct timespec raw_clock; /* clock of the completion timestamps */
};

/* Open a device. Threads can share the context, child processes cannot. */
struct ibv_context *ibv_open_device(struct ibv_device *device);

/* Close it. Remaining objects become unusable and are not freed. */
int ibv_close_device(struct ibv_context *context);

/* Create a context from the descriptor of another; takes over cmd_fd. */
struct ibv_context *ibv_import_device(int cmd_fd);

/* Attributes of the device. */
int ibv_query_device(struct ibv_context *context,
		     struct ibv_device_attr *device_attr);

/* ------------------------------------------------------------------------
 * Fork support
 *
 * ibv_fork_init(3), ibv_is_fork_initialized(3)
 */

enum ibv_fork_status {
	IBV_FORK_DISABLED, /* fork() endangers registered memory */
	IBV_FORK_ENABLED,  /* ibv_fork_init() protects it */
	IBV_FORK_UNNEEDED, /* the kernel protects it by itself */
};

/* Protect registered memory from fork(); before the first registration. */
int ibv_fork_init(void);

/* Is registered memory safe from fork()? */
enum ibv_fork_status ibv_is_fork_initialized(void);

/* ------------------------------------------------------------------------
 * Ports
 *
 * ibv_query_port(3), ibv_query_pkey(3), ibv_get_pkey_index(3),
 * ibv_query_port_speed(3)
 *
 * Ports are numbered from 1.
 */

/* Payload of a packet, at most: 128 << value bytes. */
enum ibv_mtu {
	IBV_MTU_256 = 1,
	IBV_MTU_512 = 2,
	IBV_MTU_1024 = 3,
	IBV_MTU_2048 = 4,
	IBV_MTU_4096 = 5,
};

/* State of the link (IBTA 7.2). */
enum ibv_port_state {
	IBV_PORT_NOP = 0,
	IBV_PORT_DOWN = 1,
	IBV_PORT_INIT = 2,
	IBV_PORT_ARMED = 3,
	IBV_PORT_ACTIVE = 4, /* the only one that carries data */
	IBV_PORT_ACTIVE_DEFER = 5,
};

/* Values of ibv_port_attr.link_layer. */
enum {
	IBV_LINK_LAYER_UNSPECIFIED, /* InfiniBand, on very old kernels */
	IBV_LINK_LAYER_INFINIBAND,
	IBV_LINK_LAYER_ETHERNET,
};

/* PortInfo:CapabilityMask (IBTA 14.2.5.6): ibv_port_attr.port_cap_flags. */
enum ibv_port_cap_flags {
	IBV_PORT_SM = 1 << 1,
	IBV_PORT_NOTICE_SUP = 1 << 2,
	IBV_PORT_TRAP_SUP = 1 << 3,
	IBV_PORT_OPT_IPD_SUP = 1 << 4,
	IBV_PORT_AUTO_MIGR_SUP = 1 << 5,
	IBV_PORT_SL_MAP_SUP = 1 << 6,
	IBV_PORT_MKEY_NVRAM = 1 << 7,
	IBV_PORT_PKEY_NVRAM = 1 << 8,
	IBV_PORT_LED_INFO_SUP = 1 << 9,
	IBV_PORT_SYS_IMAGE_GUID_SUP = 1 << 11,
	IBV_PORT_PKEY_SW_EXT_PORT_TRAP_SUP = 1 << 12,
	IBV_PORT_EXTENDED_SPEEDS_SUP = 1 << 14,
	IBV_PORT_CAP_MASK2_SUP = 1 << 15, /* port_cap_flags2 is valid */
	IBV_PORT_CM_SUP = 1 << 16,
	IBV_PORT_SNMP_TUNNEL_SUP = 1 << 17,
	IBV_PORT_REINIT_SUP = 1 << 18,
	IBV_PORT_DEVICE_MGMT_SUP = 1 << 19,
	IBV_PORT_VENDOR_CLASS_SUP = 1 << 20,
	IBV_PORT_DR_NOTICE_SUP = 1 << 21,
	IBV_PORT_CAP_MASK_NOTICE_SUP = 1 << 22,
	IBV_PORT_BOOT_MGMT_SUP = 1 << 23,
	IBV_PORT_LINK_LATENCY_SUP = 1 << 24,
	IBV_PORT_CLIENT_REG_SUP = 1 << 25,
	IBV_PORT_IP_BASED_GIDS = 1 << 26, /* GIDs come from IP addresses */
};

/* PortInfo:CapabilityMask2: ibv_port_attr.port_cap_flags2. */
enum ibv_port_cap_flags2 {
	IBV_PORT_SET_NODE_DESC_SUP = 1 << 0,
	IBV_PORT_INFO_EXT_SUP = 1 << 1,
	IBV_PORT_VIRT_SUP = 1 << 2,
	IBV_PORT_SWITCH_PORT_STATE_TABLE_SUP = 1 << 3,
	IBV_PORT_LINK_WIDTH_2X_SUP = 1 << 4,
	IBV_PORT_LINK_SPEED_HDR_SUP = 1 << 5,
	IBV_PORT_LINK_SPEED_NDR_SUP = 1 << 10,
	IBV_PORT_LINK_SPEED_XDR_SUP = 1 << 12,
};

/* State of a port. Old programs have only the members up to flags. */
struct ibv_port_attr {
	enum ibv_port_state state;
	enum ibv_mtu max_mtu;
	enum ibv_mtu active_mtu;
	int gid_tbl_len;	 /* entries */
	uint32_t port_cap_flags; /* enum ibv_port_cap_flags */
	uint32_t max_msg_sz;	 /* bytes */
	uint32_t bad_pkey_cntr;
	uint32_t qkey_viol_cntr;
	uint16_t pkey_tbl_len; /* entries */
	uint16_t lid;
	uint16_t sm_lid;
	uint8_t lmc;	    /* low bits of a LID that are path bits */
	uint8_t max_vl_num; /* coded as in PortInfo:VLCap */
	uint8_t sm_sl;
	uint8_t subnet_timeout; /* 4.096 us * 2^n */
	uint8_t init_type_reply;
	uint8_t active_width;	  /* 1: 1x, 2: 4x, 4: 8x, 8: 12x, 16: 2x */
	uint8_t active_speed;	  /* per lane, coded; see active_speed_ex */
	uint8_t phys_state;	  /* coded as in PortInfo */
	uint8_t link_layer;	  /* IBV_LINK_LAYER_* */
	uint8_t flags;		  /* IBV_QPF_GRH_REQUIRED */
	uint16_t port_cap_flags2; /* enum ibv_port_cap_flags2 */
	uint32_t active_speed_ex; /* wider active_speed; 0: not reported */
};

/* The struct of the first exported ibv_query_port(). */
struct _compat_ibv_port_attr;

/* Applications call the macro of this name instead; see verbs_inline.h. */
int ibv_query_port(struct ibv_context *context, uint8_t port_num,
		   struct _compat_ibv_port_attr *port_attr);

/* Effective speed of a port, in units of 100 Mbit/s. */
int ibv_query_port_speed(struct ibv_context *context, uint32_t port_num,
			 uint64_t *port_speed);

/* Entry of the partition table of a port; 0 or -1. */
int ibv_query_pkey(struct ibv_context *context, uint8_t port_num, int index,
		   __be16 *pkey);

/* Index of a partition key in that table, or -1. */
int ibv_get_pkey_index(struct ibv_context *context, uint8_t port_num,
		       __be16 pkey);

/* ------------------------------------------------------------------------
 * GIDs
 *
 * ibv_query_gid(3), ibv_query_gid_ex(3), ibv_query_gid_table(3)
 */

/* Address of a port, in the format of an IPv6 address. */
union ibv_gid {
	uint8_t raw[16]; /* network order */
	struct {
		__be64 subnet_prefix;
		__be64 interface_id;
	} global;
};

/* Packet format that a GID table entry selects. */
enum ibv_gid_type {
	IBV_GID_TYPE_IB,
	IBV_GID_TYPE_ROCE_V1, /* Ethertype 0x8915 */
	IBV_GID_TYPE_ROCE_V2, /* UDP port 4791 */
};

struct ibv_gid_entry {
	union ibv_gid gid;
	uint32_t gid_index;
	uint32_t port_num;
	uint32_t gid_type;     /* enum ibv_gid_type */
	uint32_t ndev_ifindex; /* network interface; 0: none */
};

/* GID at an index, all zero when the entry is empty; 0 or -1. */
int ibv_query_gid(struct ibv_context *context, uint8_t port_num, int index,
		  union ibv_gid *gid);

/* ibv_query_gid_ex() and ibv_query_gid_table() with the caller's size. */
int _ibv_query_gid_ex(struct ibv_context *context, uint32_t port_num,
		      uint32_t gid_index, struct ibv_gid_entry *entry,
		      uint32_t flags, size_t entry_size);
ssize_t _ibv_query_gid_table(struct ibv_context *context,
			     struct ibv_gid_entry *entries, size_t max_entries,
			     uint32_t flags, size_t entry_size);

/* ------------------------------------------------------------------------
 * Asynchronous events
 *
 * ibv_get_async_event(3)
 */

enum ibv_event_type {
	IBV_EVENT_CQ_ERR = 0,	/* CQ: overrun or failed */
	IBV_EVENT_QP_FATAL = 1, /* QP: from here to PATH_MIG_ERR */
	IBV_EVENT_QP_REQ_ERR = 2,
	IBV_EVENT_QP_ACCESS_ERR = 3,
	IBV_EVENT_COMM_EST = 4,
	IBV_EVENT_SQ_DRAINED = 5,
	IBV_EVENT_PATH_MIG = 6,
	IBV_EVENT_PATH_MIG_ERR = 7,
	IBV_EVENT_DEVICE_FATAL = 8, /* device */
	IBV_EVENT_PORT_ACTIVE = 9,  /* port: from here to SM_CHANGE */
	IBV_EVENT_PORT_ERR = 10,
	IBV_EVENT_LID_CHANGE = 11,
	IBV_EVENT_PKEY_CHANGE = 12,
	IBV_EVENT_SM_CHANGE = 13,
	IBV_EVENT_SRQ_ERR = 14,		    /* SRQ */
	IBV_EVENT_SRQ_LIMIT_REACHED = 15,   /* SRQ */
	IBV_EVENT_QP_LAST_WQE_REACHED = 16, /* QP */
	IBV_EVENT_CLIENT_REREGISTER = 17,   /* port */
	IBV_EVENT_GID_CHANGE = 18,	    /* port */
	IBV_EVENT_WQ_FATAL = 19,	    /* WQ */
	IBV_EVENT_DEVICE_SPEED_CHANGE = 20, /* device */
};

struct ibv_async_event {
	union {
		struct ibv_cq *cq;
		struct ibv_qp *qp;
		struct ibv_srq *srq;
		struct ibv_wq *wq;
		int port_num;
	} element; /* which member: see enum ibv_event_type */
	enum ibv_event_type event_type;
};

/* Wait for the next event; 0 or -1. */
int ibv_get_async_event(struct ibv_context *context,
			struct ibv_async_event *event);

/* Acknowledge it. Destroying an object blocks until all its events are. */
void ibv_ack_async_event(struct ibv_async_event *event);

/* ------------------------------------------------------------------------
 * Protection domains, thread domains, parent domains
 *
 * ibv_alloc_pd(3), ibv_import_pd(3), ibv_alloc_td(3),
 * ibv_alloc_parent_domain(3)
 *
 * A parent domain is a PD with added properties and is used like one. It
 * may contain a thread domain: a promise that two threads do not use its
 * objects at the same time.
 */

struct ibv_td_init_attr {
	uint32_t comp_mask; /* 0 */
};

enum ibv_parent_domain_init_attr_mask {
	IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS = 1 << 0, /* alloc and free */
	IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT = 1 << 1,
	/* queues may be in memory that a confidential VM shares */
	IBV_PARENT_DOMAIN_INIT_ATTR_ALLOW_CC_UNPROTECTED_ALLOC = 1 << 2,
};

/* Result of an allocator that makes the provider allocate by itself. */
#define IBV_ALLOCATOR_USE_DEFAULT ((void *)-1)

struct ibv_parent_domain_init_attr {
	struct ibv_pd *pd;  /* required */
	struct ibv_td *td;  /* NULL: none */
	uint32_t comp_mask; /* enum ibv_parent_domain_init_attr_mask */
	/*
	 * Memory for queues: size and alignment in bytes; resource_type is
	 * the provider's. alloc returns NULL on failure.
	 */
	void *(*alloc)(struct ibv_pd *pd, void *pd_context, size_t size,
		       size_t alignment, uint64_t resource_type);
	void (*free)(struct ibv_pd *pd, void *pd_context, void *ptr,
		     uint64_t resource_type);
	void *pd_context; /* argument of both */
};

/* A new protection domain. */
struct ibv_pd *ibv_alloc_pd(struct ibv_context *context);

/* Free it; also a parent domain. EBUSY while it contains objects. */
int ibv_dealloc_pd(struct ibv_pd *pd);

/* The PD of another process that shares the context's descriptor. */
struct ibv_pd *ibv_import_pd(struct ibv_context *context, uint32_t pd_handle);

/* Drop an imported PD without freeing it. */
void ibv_unimport_pd(struct ibv_pd *pd);

/* ------------------------------------------------------------------------
 * Memory regions
 *
 * ibv_reg_mr(3), ibv_reg_mr_ex(3), ibv_rereg_mr(3), ibv_import_mr(3),
 * ibv_advise_mr(3), ibv_alloc_null_mr(3)
 */

/* Rights of a region, a window or a QP, and properties of a region. */
enum ibv_access_flags {
	IBV_ACCESS_LOCAL_WRITE = 1 << 0,
	IBV_ACCESS_REMOTE_WRITE = 1 << 1, /* needs LOCAL_WRITE */
	IBV_ACCESS_REMOTE_READ = 1 << 2,
	IBV_ACCESS_REMOTE_ATOMIC = 1 << 3, /* needs LOCAL_WRITE */
	IBV_ACCESS_MW_BIND = 1 << 4,	/* windows can be bound to the region */
	IBV_ACCESS_ZERO_BASED = 1 << 5, /* remote addresses count from 0 */
	IBV_ACCESS_ON_DEMAND = 1 << 6,	/* pages are not pinned */
	IBV_ACCESS_HUGETLB = 1 << 7,	/* all of it is on huge pages */
	IBV_ACCESS_FLUSH_GLOBAL = 1 << 8,
	IBV_ACCESS_FLUSH_PERSISTENT = 1 << 9,
	/* PCIe may reorder writes; optional, see IBV_ACCESS_OPTIONAL_RANGE */
	IBV_ACCESS_RELAXED_ORDERING = 1 << 20,
};

enum ibv_mr_init_attr_mask {
	IBV_REG_MR_MASK_IOVA = 1 << 0,
	IBV_REG_MR_MASK_ADDR = 1 << 1,
	IBV_REG_MR_MASK_FD = 1 << 2,
	IBV_REG_MR_MASK_FD_OFFSET = 1 << 3,
	IBV_REG_MR_MASK_DMAH = 1 << 4,
	IBV_REG_MR_MASK_BUF = 1 << 5,
};

/* For ibv_reg_mr_ex(): the memory is at addr, in a dma-buf, or in a buf. */
struct ibv_mr_init_attr {
	size_t length;	    /* bytes */
	int access;	    /* enum ibv_access_flags */
	uint64_t comp_mask; /* enum ibv_mr_init_attr_mask */
	uint64_t iova;	    /* address in work requests */
	void *addr;
	int fd;		       /* dma-buf; stays the caller's */
	uint64_t fd_offset;    /* bytes into the dma-buf */
	struct ibv_dmah *dmah; /* DMA hints */
	struct ibv_buf *buf;   /* from ibv_alloc_buf() */
};

/* Properties that ibv_rereg_mr() changes. */
enum ibv_rereg_mr_flags {
	IBV_REREG_MR_CHANGE_TRANSLATION = 1 << 0, /* addr and length */
	IBV_REREG_MR_CHANGE_PD = 1 << 1,
	IBV_REREG_MR_CHANGE_ACCESS = 1 << 2,
	IBV_REREG_MR_FLAGS_SUPPORTED = (1 << 3) - 1, /* all of the above */
};

/* Result of ibv_rereg_mr(); the state of the region depends on it. */
enum ibv_rereg_mr_err_code {
	IBV_REREG_MR_ERR_INPUT = -1, /* refused; the old region is valid */
	IBV_REREG_MR_ERR_DONT_FORK_NEW = -2, /* the old region is valid */
	IBV_REREG_MR_ERR_DO_FORK_OLD = -3,   /* the new region is valid */
	IBV_REREG_MR_ERR_CMD = -4, /* only ibv_dereg_mr() may follow */
	IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW = -5, /* likewise */
};

/* Register memory. Applications call the macro of this name. */
struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
			  int access);

/* The same with an address of its own for remote use; also a macro. */
struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *addr, size_t length,
			       uint64_t iova, int access);

/* The function behind both macros; honours the optional access flags. */
struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length,
				uint64_t iova, unsigned int access);

/* Register a part of a dma-buf, without a CPU mapping. */
struct ibv_mr *ibv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset,
				 size_t length, uint64_t iova, int fd,
				 int access);

/* Register memory of any kind, by attributes. */
struct ibv_mr *ibv_reg_mr_ex(struct ibv_pd *pd,
			     struct ibv_mr_init_attr *mr_init_attr);

/* Change a region in place; 0 or enum ibv_rereg_mr_err_code. */
int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr,
		 size_t length, int access);

/* Free a region, whichever way it was made, unless it was imported. */
int ibv_dereg_mr(struct ibv_mr *mr);

/* The region of another process that shares the context's descriptor. */
struct ibv_mr *ibv_import_mr(struct ibv_pd *pd, uint32_t mr_handle);

/* Drop an imported region without freeing it. */
void ibv_unimport_mr(struct ibv_mr *mr);

/* ------------------------------------------------------------------------
 * Memory from the library, device memory, DMA handles
 *
 * ibv_alloc_buf(3), ibv_alloc_dm(3), ibv_import_dm(3),
 * ibv_dm_export_dmabuf_fd(3), ibv_alloc_dmah(3)
 */

/* For ibv_alloc_dm(): memory on the device itself. */
struct ibv_alloc_dm_attr {
	size_t length;		/* bytes */
	uint32_t log_align_req; /* alignment is at least 2^n bytes */
	uint32_t comp_mask;	/* 0 */
};

/* Members of struct ibv_dm that are valid: ibv_dm.comp_mask. */
enum ibv_dm_mask {
	IBV_DM_MASK_HANDLE = 1 << 0,
};

/* Kind of memory that a DMA accesses (PCIe TLP processing hints). */
enum ibv_tph_mem_type {
	IBV_TPH_MEM_TYPE_VM, /* volatile */
	IBV_TPH_MEM_TYPE_PM, /* persistent */
};

enum ibv_dmah_init_attr_mask {
	IBV_DMAH_INIT_ATTR_MASK_CPU_ID = 1 << 0,
	IBV_DMAH_INIT_ATTR_MASK_PH = 1 << 1,
	IBV_DMAH_INIT_ATTR_MASK_TPH_MEM_TYPE = 1 << 2,
};

/* Hints for DMA to and from a region. */
struct ibv_dmah_init_attr {
	uint32_t comp_mask;   /* enum ibv_dmah_init_attr_mask */
	uint32_t cpu_id;      /* CPU that will use the data */
	uint8_t ph;	      /* processing hint as in the TLP, 2 bits */
	uint8_t tph_mem_type; /* enum ibv_tph_mem_type */
};

/* Memory that the device can access; *buf is for registration and free. */
void *ibv_alloc_buf(struct ibv_pd *pd, size_t size, struct ibv_buf **buf);

/* Free it; its regions must be gone. */
void ibv_free_buf(struct ibv_buf *buf);

/* Register a part of it. */
struct ibv_mr *ibv_reg_buf_mr(struct ibv_pd *pd, struct ibv_buf *buf,
			      void *addr, size_t length, int access);

/* A new dma-buf descriptor for it, or -1 with errno. */
int ibv_export_buf_dmabuf_fd(struct ibv_buf *buf);

/* The device memory of another process that shares the descriptor. */
struct ibv_dm *ibv_import_dm(struct ibv_context *context, uint32_t dm_handle);

/* Drop imported device memory without freeing it. */
void ibv_unimport_dm(struct ibv_dm *dm);

/* A new dma-buf descriptor for device memory, or -1 with errno. */
int ibv_dm_export_dmabuf_fd(struct ibv_dm *dm);

/* A new set of DMA hints. */
struct ibv_dmah *ibv_alloc_dmah(struct ibv_context *context,
				struct ibv_dmah_init_attr *attr);

/* Free it; regions that use it must be gone. */
int ibv_dealloc_dmah(struct ibv_dmah *dmah);

/* ------------------------------------------------------------------------
 * Memory windows
 *
 * ibv_alloc_mw(3), ibv_bind_mw(3), ibv_inc_rkey(3)
 */

enum ibv_mw_type {
	IBV_MW_TYPE_1 = 1, /* bound by ibv_bind_mw() */
	IBV_MW_TYPE_2 = 2, /* bound by a work request */
};

/* Memory range of a window. */
struct ibv_mw_bind_info {
	struct ibv_mr *mr;	      /* NULL with length 0: close the window */
	uint64_t addr;		      /* as in work requests */
	uint64_t length;	      /* bytes */
	unsigned int mw_access_flags; /* enum ibv_access_flags */
};

/* A request to bind a type 1 window. */
struct ibv_mw_bind {
	uint64_t wr_id;
	unsigned int send_flags; /* enum ibv_send_flags */
	struct ibv_mw_bind_info bind_info;
};

/* ------------------------------------------------------------------------
 * Address handles
 *
 * ibv_create_ah(3), ibv_create_ah_from_wc(3), ibv_rate_to_mbps(3),
 * ibv_rate_to_mult(3)
 */

/* Static rate of a path (IBTA 9.11.1); the codes are not ordered by rate. */
enum ibv_rate {
	IBV_RATE_MAX = 0, /* of the port */
	IBV_RATE_2_5_GBPS = 2,
	IBV_RATE_5_GBPS = 5,
	IBV_RATE_10_GBPS = 3,
	IBV_RATE_14_GBPS = 11,
	IBV_RATE_20_GBPS = 6,
	IBV_RATE_25_GBPS = 15,
	IBV_RATE_28_GBPS = 19,
	IBV_RATE_30_GBPS = 4,
	IBV_RATE_40_GBPS = 7,
	IBV_RATE_50_GBPS = 20,
	IBV_RATE_56_GBPS = 12,
	IBV_RATE_60_GBPS = 8,
	IBV_RATE_80_GBPS = 9,
	IBV_RATE_100_GBPS = 16,
	IBV_RATE_112_GBPS = 13,
	IBV_RATE_120_GBPS = 10,
	IBV_RATE_168_GBPS = 14,
	IBV_RATE_200_GBPS = 17,
	IBV_RATE_300_GBPS = 18,
	IBV_RATE_400_GBPS = 21,
	IBV_RATE_600_GBPS = 22,
	IBV_RATE_800_GBPS = 23,
	IBV_RATE_1200_GBPS = 24,
};

/* Global routing: destination outside the subnet. */
struct ibv_global_route {
	union ibv_gid dgid;
	uint32_t flow_label; /* 20 bits */
	uint8_t sgid_index;
	uint8_t hop_limit;
	uint8_t traffic_class;
};

/* The global route header on the wire (IBTA 8.3); see ibv_poll_cq(3). */
struct ibv_grh {
	__be32 version_tclass_flow; /* bits 31-28, 27-20, 19-0 */
	__be16 paylen;
	uint8_t next_hdr;
	uint8_t hop_limit;
	union ibv_gid sgid;
	union ibv_gid dgid;
};

/* Address vector. */
struct ibv_ah_attr {
	struct ibv_global_route grh; /* if is_global; always with RoCE */
	uint16_t dlid;		     /* 0 with RoCE */
	uint8_t sl;
	uint8_t src_path_bits;
	uint8_t static_rate; /* enum ibv_rate */
	uint8_t is_global;   /* boolean */
	uint8_t port_num;
};

/* A new address handle. */
struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr);

/* Free it; requests that use it must have completed. */
int ibv_destroy_ah(struct ibv_ah *ah);

/* Address of the sender of a received datagram; 0 or -1. */
int ibv_init_ah_from_wc(struct ibv_context *context, uint8_t port_num,
			struct ibv_wc *wc, struct ibv_grh *grh,
			struct ibv_ah_attr *ah_attr);

/* A new address handle for it. */
struct ibv_ah *ibv_create_ah_from_wc(struct ibv_pd *pd, struct ibv_wc *wc,
				     struct ibv_grh *grh, uint8_t port_num);

#define ETHERNET_LL_SIZE 6 /* bytes of an Ethernet address */

/* MAC (6 bytes) and VLAN id (0xffff: none) of a RoCE address. */
int ibv_resolve_eth_l2_from_gid(struct ibv_context *context,
				struct ibv_ah_attr *attr,
				uint8_t eth_mac[ETHERNET_LL_SIZE],
				uint16_t *vid);

/* Rate as a multiple of 2.5 Gbit/s, and back; -1 and IBV_RATE_MAX if none. */
int __attribute_const ibv_rate_to_mult(enum ibv_rate rate);
enum ibv_rate __attribute_const mult_to_ibv_rate(int mult);

/* Rate in Mbit/s, and back; -1 and IBV_RATE_MAX if none. */
int __attribute_const ibv_rate_to_mbps(enum ibv_rate rate);
enum ibv_rate __attribute_const mbps_to_ibv_rate(int mbps);

/* Limits of ibv_flow_label_to_udp_sport(). */
#define IB_ROCE_UDP_ENCAP_VALID_PORT_MIN (0xC000)
#define IB_ROCE_UDP_ENCAP_VALID_PORT_MAX (0xFFFF)
#define IB_GRH_FLOWLABEL_MASK		 (0x000FFFFF)

/* ------------------------------------------------------------------------
 * Work completions
 *
 * ibv_poll_cq(3)
 */

/* Status of a completed work request (IBTA 11.6.2). */
enum ibv_wc_status {
	IBV_WC_SUCCESS = 0,
	IBV_WC_LOC_LEN_ERR = 1,
	IBV_WC_LOC_QP_OP_ERR = 2,
	IBV_WC_LOC_EEC_OP_ERR = 3,
	IBV_WC_LOC_PROT_ERR = 4,
	IBV_WC_WR_FLUSH_ERR = 5, /* not executed: the QP failed before */
	IBV_WC_MW_BIND_ERR = 6,
	IBV_WC_BAD_RESP_ERR = 7,
	IBV_WC_LOC_ACCESS_ERR = 8,
	IBV_WC_REM_INV_REQ_ERR = 9,
	IBV_WC_REM_ACCESS_ERR = 10,
	IBV_WC_REM_OP_ERR = 11,
	IBV_WC_RETRY_EXC_ERR = 12,     /* the peer does not respond */
	IBV_WC_RNR_RETRY_EXC_ERR = 13, /* the peer posts no receives */
	IBV_WC_LOC_RDD_VIOL_ERR = 14,
	IBV_WC_REM_INV_RD_REQ_ERR = 15,
	IBV_WC_REM_ABORT_ERR = 16,
	IBV_WC_INV_EECN_ERR = 17,
	IBV_WC_INV_EEC_STATE_ERR = 18,
	IBV_WC_FATAL_ERR = 19,
	IBV_WC_RESP_TIMEOUT_ERR = 20,
	IBV_WC_GENERAL_ERR = 21,
	IBV_WC_TM_ERR = 22,		/* tag matching */
	IBV_WC_TM_RNDV_INCOMPLETE = 23, /* software must read the rest */
};

/* Completed operation. Bit IBV_WC_RECV marks those of a receive queue. */
enum ibv_wc_opcode {
	IBV_WC_SEND = 0,
	IBV_WC_RDMA_WRITE = 1,
	IBV_WC_RDMA_READ = 2,
	IBV_WC_COMP_SWAP = 3,
	IBV_WC_FETCH_ADD = 4,
	IBV_WC_BIND_MW = 5,
	IBV_WC_LOCAL_INV = 6,
	IBV_WC_TSO = 7,
	IBV_WC_FLUSH = 8,
	IBV_WC_ATOMIC_WRITE = 9,

	IBV_WC_RECV = 1 << 7,
	IBV_WC_RECV_RDMA_WITH_IMM = 129,

	IBV_WC_TM_ADD = 130, /* tag matching, from here to NO_TAG */
	IBV_WC_TM_DEL = 131,
	IBV_WC_TM_SYNC = 132,
	IBV_WC_TM_RECV = 133,
	IBV_WC_TM_NO_TAG = 134,

	IBV_WC_DRIVER1 = 135, /* provider-specific */
	IBV_WC_DRIVER2 = 136,
	IBV_WC_DRIVER3 = 137,
};

enum {
	/* log2 of IBV_WC_IP_CSUM_OK */
	IBV_WC_IP_CSUM_OK_SHIFT = 2,
};

enum ibv_wc_flags {
	IBV_WC_GRH = 1 << 0,	  /* the buffer begins with a GRH (UD) */
	IBV_WC_WITH_IMM = 1 << 1, /* imm_data is valid */
	IBV_WC_IP_CSUM_OK = 1 << IBV_WC_IP_CSUM_OK_SHIFT,
	IBV_WC_WITH_INV = 1 << 3,      /* invalidated_rkey is valid */
	IBV_WC_TM_SYNC_REQ = 1 << 4,   /* post IBV_WR_TAG_SYNC */
	IBV_WC_TM_MATCH = 1 << 5,      /* a tag matched */
	IBV_WC_TM_DATA_VALID = 1 << 6, /* all data has arrived */
};

/*
 * Result of one request. Unless status is IBV_WC_SUCCESS only wr_id, status,
 * vendor_err and qp_num are valid.
 */
struct ibv_wc {
	uint64_t wr_id; /* from the request */
	enum ibv_wc_status status;
	enum ibv_wc_opcode opcode;
	uint32_t vendor_err;
	uint32_t byte_len; /* received, with the GRH of UD */
	__extension__ union {
		__be32 imm_data;	   /* IBV_WC_WITH_IMM */
		uint32_t invalidated_rkey; /* IBV_WC_WITH_INV */
	};
	uint32_t qp_num;
	uint32_t src_qp;       /* UD: number of the sender */
	unsigned int wc_flags; /* enum ibv_wc_flags */
	uint16_t pkey_index;   /* GSI QPs */
	uint16_t slid;	       /* UD: LID of the sender */
	uint8_t sl;
	uint8_t dlid_path_bits; /* UD, not for multicast */
};

/* ------------------------------------------------------------------------
 * Completion channels and completion queues
 *
 * ibv_create_comp_channel(3), ibv_create_cq(3), ibv_create_cq_ex(3),
 * ibv_get_cq_event(3), ibv_modify_cq(3), ibv_resize_cq(3),
 * ibv_req_notify_cq(3)
 */

/* Members of a completion that ibv_create_cq_ex() makes readable. */
enum ibv_create_cq_wc_flags {
	IBV_WC_EX_WITH_BYTE_LEN = 1 << 0,
	IBV_WC_EX_WITH_IMM = 1 << 1,
	IBV_WC_EX_WITH_QP_NUM = 1 << 2,
	IBV_WC_EX_WITH_SRC_QP = 1 << 3,
	IBV_WC_EX_WITH_SLID = 1 << 4,
	IBV_WC_EX_WITH_SL = 1 << 5,
	IBV_WC_EX_WITH_DLID_PATH_BITS = 1 << 6,
	IBV_WC_EX_WITH_COMPLETION_TIMESTAMP = 1 << 7,
	IBV_WC_EX_WITH_CVLAN = 1 << 8,
	IBV_WC_EX_WITH_FLOW_TAG = 1 << 9,
	IBV_WC_EX_WITH_TM_INFO = 1 << 10,
	IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK = 1 << 11,
};

enum {
	/* the members of struct ibv_wc */
	IBV_WC_STANDARD_FLAGS = (IBV_WC_EX_WITH_DLID_PATH_BITS << 1) - 1,
	/* all bits that this header defines */
	IBV_CREATE_CQ_SUP_WC_FLAGS =
		(IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK << 1) - 1,
};

enum ibv_cq_init_attr_mask {
	IBV_CQ_INIT_ATTR_MASK_FLAGS = 1 << 0,
	IBV_CQ_INIT_ATTR_MASK_PD = 1 << 1, /* parent_domain */
};

enum ibv_create_cq_attr_flags {
	/* two threads never poll at the same time */
	IBV_CREATE_CQ_ATTR_SINGLE_THREADED = 1 << 0,
	/* old completions may be overwritten; no IBV_EVENT_CQ_ERR */
	IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN = 1 << 1,
};

struct ibv_cq_init_attr_ex {
	uint32_t cqe;	  /* entries, at least */
	void *cq_context; /* for the application: ibv_cq.cq_context */
	struct ibv_comp_channel *channel; /* NULL: no events */
	uint32_t comp_vector; /* below ibv_context.num_comp_vectors */
	uint64_t wc_flags;    /* enum ibv_create_cq_wc_flags */
	uint32_t comp_mask;   /* enum ibv_cq_init_attr_mask */
	uint32_t flags;	      /* enum ibv_create_cq_attr_flags */
	struct ibv_pd *parent_domain;
};

/* For ibv_start_poll(). */
struct ibv_poll_cq_attr {
	uint32_t comp_mask; /* 0 */
};

/* Result of ibv_wc_read_tm_info(). */
struct ibv_wc_tm_info {
	uint64_t tag;  /* of the message */
	uint32_t priv; /* ibv_tmh.app_ctx, as it was on the wire */
};

enum ibv_cq_attr_mask {
	IBV_CQ_ATTR_MODERATE = 1 << 0,
	IBV_CQ_ATTR_RESERVED = 1 << 1, /* first unused bit */
};

/* Moderation: raise a completion event after the first limit reached. */
struct ibv_moderate_cq {
	uint16_t cq_count;  /* completions */
	uint16_t cq_period; /* microseconds */
};

struct ibv_modify_cq_attr {
	uint32_t attr_mask; /* enum ibv_cq_attr_mask */
	struct ibv_moderate_cq moderate;
};

/* A new completion channel: a descriptor that CQs send events to. */
struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context);

/* Free it. EBUSY while a CQ uses it. */
int ibv_destroy_comp_channel(struct ibv_comp_channel *channel);

/* A new CQ of at least cqe entries. */
struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe,
			     void *cq_context, struct ibv_comp_channel *channel,
			     int comp_vector);

/* Change its size; completions in it are kept. */
int ibv_resize_cq(struct ibv_cq *cq, int cqe);

/* Free it, once all its events are acknowledged. EBUSY while QPs use it. */
int ibv_destroy_cq(struct ibv_cq *cq);

/* Wait for the next completion event of a channel; 0 or -1. */
int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq,
		     void **cq_context);

/* Acknowledge events. Takes a lock, so acknowledge many at a time. */
void ibv_ack_cq_events(struct ibv_cq *cq, unsigned int nevents);

/* ------------------------------------------------------------------------
 * Work requests
 *
 * ibv_post_send(3), ibv_post_recv(3), ibv_post_srq_ops(3)
 */

/* A scatter/gather entry: a range of registered memory. */
struct ibv_sge {
	uint64_t addr;
	uint32_t length; /* bytes */
	uint32_t lkey;
};

/* A range of any memory, for inline data. */
struct ibv_data_buf {
	void *addr;
	size_t length; /* bytes */
};

enum ibv_wr_opcode {
	IBV_WR_RDMA_WRITE = 0,
	IBV_WR_RDMA_WRITE_WITH_IMM = 1,
	IBV_WR_SEND = 2,
	IBV_WR_SEND_WITH_IMM = 3,
	IBV_WR_RDMA_READ = 4,
	IBV_WR_ATOMIC_CMP_AND_SWP = 5,
	IBV_WR_ATOMIC_FETCH_AND_ADD = 6,
	IBV_WR_LOCAL_INV = 7,
	IBV_WR_BIND_MW = 8,
	IBV_WR_SEND_WITH_INV = 9,
	IBV_WR_TSO = 10,
	IBV_WR_DRIVER1 = 11, /* provider-specific */
	IBV_WR_FLUSH = 14,
	IBV_WR_ATOMIC_WRITE = 15,
};

enum ibv_send_flags {
	IBV_SEND_FENCE = 1 << 0,     /* wait for earlier reads and atomics */
	IBV_SEND_SIGNALED = 1 << 1,  /* completes with a work completion */
	IBV_SEND_SOLICITED = 1 << 2, /* wakes the receiver */
	IBV_SEND_INLINE = 1 << 3,    /* data is copied while posting */
	IBV_SEND_IP_CSUM = 1 << 4,   /* the device fills in checksums */
};

/* FLUSH: required placement of the data, one bit or both. */
enum ibv_placement_type {
	IBV_FLUSH_GLOBAL = 1 << 0,     /* globally visible */
	IBV_FLUSH_PERSISTENT = 1 << 1, /* persistent */
};

/* FLUSH: range of the data. */
enum ibv_selectivity_level {
	IBV_FLUSH_RANGE = 0,
	IBV_FLUSH_MR = 1,
};

/*
 * A send work request. The application may reuse the request and the structs
 * that it refers to as soon as it is posted, and the data when it completes, or
 * with inline data at once.
 */
struct ibv_send_wr {
	uint64_t wr_id;		  /* for the application: ibv_wc.wr_id */
	struct ibv_send_wr *next; /* NULL: last of the list */
	struct ibv_sge *sg_list;
	int num_sge;
	enum ibv_wr_opcode opcode;
	unsigned int send_flags; /* enum ibv_send_flags */
	__extension__ union {
		__be32 imm_data;	  /* *_WITH_IMM */
		uint32_t invalidate_rkey; /* SEND_WITH_INV, LOCAL_INV */
	};
	union {
		struct {
			uint64_t remote_addr;
			uint32_t rkey;
		} rdma; /* RDMA_WRITE*, RDMA_READ */
		struct {
			uint64_t remote_addr; /* a multiple of 8 */
			uint64_t compare_add; /* expected, or summand */
			uint64_t swap;
			uint32_t rkey;
		} atomic; /* ATOMIC_* */
		struct {
			struct ibv_ah *ah;
			uint32_t remote_qpn;
			uint32_t remote_qkey;
		} ud; /* UD QPs */
	} wr;
	union {
		struct {
			uint32_t remote_srqn;
		} xrc; /* XRC_SEND QPs */
	} qp_type;
	__extension__ union {
		struct {
			struct ibv_mw *mw;
			uint32_t rkey; /* new key: ibv_inc_rkey() */
			struct ibv_mw_bind_info bind_info;
		} bind_mw; /* BIND_MW */
		struct {
			void *hdr;	 /* headers to repeat */
			uint16_t hdr_sz; /* bytes */
			uint16_t mss;	 /* payload bytes per packet */
		} tso;			 /* TSO */
	};
};

/* A work request for a receive queue or an SRQ. */
struct ibv_recv_wr {
	uint64_t wr_id;		  /* for the application: ibv_wc.wr_id */
	struct ibv_recv_wr *next; /* NULL: last of the list */
	struct ibv_sge *sg_list;  /* 40 bytes more than the data with UD */
	int num_sge;
};

enum ibv_ops_wr_opcode {
	IBV_WR_TAG_ADD = 0,
	IBV_WR_TAG_DEL = 1,
	IBV_WR_TAG_SYNC = 2,
};

enum ibv_ops_flags {
	IBV_OPS_SIGNALED = 1 << 0, /* completes with a work completion */
	IBV_OPS_TM_SYNC = 1 << 1,  /* unexpected_cnt is valid */
};

/* A request for the tag list of an SRQ. */
struct ibv_ops_wr {
	uint64_t wr_id;		 /* for the application: ibv_wc.wr_id */
	struct ibv_ops_wr *next; /* NULL: last of the list */
	enum ibv_ops_wr_opcode opcode;
	int flags; /* enum ibv_ops_flags */
	struct {
		uint32_t unexpected_cnt; /* unmatched messages handled */
		uint32_t handle; /* of the entry: ADD sets it, DEL uses it */
		struct {
			uint64_t recv_wr_id; /* completion of the message */
			struct ibv_sge *sg_list;
			int num_sge;
			uint64_t tag;
			uint64_t mask; /* bits of the tag to compare */
		} add;
	} tm;
};

/* Descriptors that a provider passes to the library; not for applications. */
struct ibv_fd_arr {
	int *arr;
	uint32_t count;
};

/* ------------------------------------------------------------------------
 * Shared receive queues
 *
 * ibv_create_srq(3), ibv_create_srq_ex(3), ibv_modify_srq(3),
 * ibv_query_srq(3), ibv_get_srq_num(3)
 */

enum ibv_srq_type {
	IBV_SRQT_BASIC,
	IBV_SRQT_XRC,
	IBV_SRQT_TM, /* with a tag list */
};

/* Members that ibv_modify_srq() changes. */
enum ibv_srq_attr_mask {
	IBV_SRQ_MAX_WR = 1 << 0,
	IBV_SRQ_LIMIT = 1 << 1,
};

struct ibv_srq_attr {
	uint32_t max_wr;
	uint32_t max_sge;   /* per request */
	uint32_t srq_limit; /* fewer requests than this: event; 0: never */
};

struct ibv_srq_init_attr {
	void *srq_context;	  /* for the application: ibv_srq.srq_context */
	struct ibv_srq_attr attr; /* in: requested, out: granted */
};

enum ibv_srq_init_attr_mask {
	IBV_SRQ_INIT_ATTR_TYPE = 1 << 0,
	IBV_SRQ_INIT_ATTR_PD = 1 << 1,
	IBV_SRQ_INIT_ATTR_XRCD = 1 << 2,
	IBV_SRQ_INIT_ATTR_CQ = 1 << 3,
	IBV_SRQ_INIT_ATTR_TM = 1 << 4,
	IBV_SRQ_INIT_ATTR_RESERVED = 1 << 5, /* first unused bit */
};

struct ibv_tm_cap {
	uint32_t max_num_tags;
	uint32_t max_ops; /* list operations outstanding */
};

/* Begins like struct ibv_srq_init_attr. */
struct ibv_srq_init_attr_ex {
	void *srq_context;
	struct ibv_srq_attr attr;
	uint32_t comp_mask; /* enum ibv_srq_init_attr_mask */
	enum ibv_srq_type srq_type;
	struct ibv_pd *pd;
	struct ibv_xrcd *xrcd;	  /* XRC */
	struct ibv_cq *cq;	  /* XRC and TM */
	struct ibv_tm_cap tm_cap; /* TM */
};

/* A new SRQ; attr returns the granted sizes. */
struct ibv_srq *ibv_create_srq(struct ibv_pd *pd,
			       struct ibv_srq_init_attr *srq_init_attr);

/* Change size or limit: enum ibv_srq_attr_mask. */
int ibv_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *srq_attr,
		   int srq_attr_mask);

int ibv_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *srq_attr);

/* Free it. EBUSY while QPs use it. */
int ibv_destroy_srq(struct ibv_srq *srq);

/* ------------------------------------------------------------------------
 * XRC domains
 *
 * ibv_open_xrcd(3)
 */

enum ibv_xrcd_init_attr_mask {
	IBV_XRCD_INIT_ATTR_FD = 1 << 0,
	IBV_XRCD_INIT_ATTR_OFLAGS = 1 << 1,
	IBV_XRCD_INIT_ATTR_RESERVED = 1 << 2, /* first unused bit */
};

struct ibv_xrcd_init_attr {
	uint32_t comp_mask; /* enum ibv_xrcd_init_attr_mask; both needed */
	int fd;		    /* its inode names the domain; -1: private */
	int oflags;	    /* O_CREAT, O_EXCL */
};

/* ------------------------------------------------------------------------
 * Work queues and indirection tables (receive side scaling)
 *
 * ibv_create_wq(3), ibv_modify_wq(3), ibv_create_rwq_ind_table(3)
 */

enum ibv_wq_type {
	IBV_WQT_RQ, /* receive */
};

enum ibv_wq_init_attr_mask {
	IBV_WQ_INIT_ATTR_FLAGS = 1 << 0,
	IBV_WQ_INIT_ATTR_RESERVED = 1 << 1, /* first unused bit */
};

enum ibv_wq_flags {
	IBV_WQ_FLAGS_CVLAN_STRIPPING = 1 << 0,
	IBV_WQ_FLAGS_SCATTER_FCS = 1 << 1,
	IBV_WQ_FLAGS_DELAY_DROP = 1 << 2, /* wait for a receive to be posted */
	IBV_WQ_FLAGS_PCI_WRITE_END_PADDING = 1 << 3,
	IBV_WQ_FLAGS_RESERVED = 1 << 4, /* first unused bit */
};

struct ibv_wq_init_attr {
	void *wq_context; /* for the application: ibv_wq.wq_context */
	enum ibv_wq_type wq_type;
	uint32_t max_wr;  /* in: requested, out: granted */
	uint32_t max_sge; /* per request; in and out */
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	uint32_t comp_mask;    /* enum ibv_wq_init_attr_mask */
	uint32_t create_flags; /* enum ibv_wq_flags */
};

enum ibv_wq_state {
	IBV_WQS_RESET,
	IBV_WQS_RDY,
	IBV_WQS_ERR,
	IBV_WQS_UNKNOWN,
};

enum ibv_wq_attr_mask {
	IBV_WQ_ATTR_STATE = 1 << 0,
	IBV_WQ_ATTR_CURR_STATE = 1 << 1,
	IBV_WQ_ATTR_FLAGS = 1 << 2,
	IBV_WQ_ATTR_RESERVED = 1 << 3, /* first unused bit */
};

struct ibv_wq_attr {
	uint32_t attr_mask;		 /* enum ibv_wq_attr_mask */
	enum ibv_wq_state wq_state;	 /* requested */
	enum ibv_wq_state curr_wq_state; /* expected */
	uint32_t flags;			 /* enum ibv_wq_flags: values */
	uint32_t flags_mask;		 /* which of them to change */
};

enum ibv_ind_table_init_attr_mask {
	IBV_CREATE_IND_TABLE_RESERVED = 1 << 0, /* first unused bit */
};

struct ibv_rwq_ind_table_init_attr {
	uint32_t log_ind_tbl_size; /* log2 of the entries */
	struct ibv_wq **ind_tbl;   /* the entries; a WQ may occur repeatedly */
	uint32_t comp_mask;	   /* 0 */
};

/* ------------------------------------------------------------------------
 * Queue pairs
 *
 * ibv_create_qp(3), ibv_create_qp_ex(3), ibv_modify_qp(3), ibv_query_qp(3),
 * ibv_open_qp(3), ibv_wr_post(3), ibv_modify_qp_rate_limit(3),
 * ibv_query_qp_data_in_order(3), ibv_set_ece(3)
 */

enum ibv_qp_type {
	IBV_QPT_RC = 2,		/* reliable connection */
	IBV_QPT_UC = 3,		/* unreliable connection */
	IBV_QPT_UD = 4,		/* unreliable datagram */
	IBV_QPT_RAW_PACKET = 8, /* Ethernet frames */
	IBV_QPT_XRC_SEND = 9,	/* extended reliable connection: two halves */
	IBV_QPT_XRC_RECV = 10,
	IBV_QPT_DRIVER = 0xff, /* provider-specific */
};

/* States of a QP (IBTA 10.3.1). */
enum ibv_qp_state {
	IBV_QPS_RESET,
	IBV_QPS_INIT, /* receives can be posted */
	IBV_QPS_RTR,  /* ready to receive */
	IBV_QPS_RTS,  /* ready to send */
	IBV_QPS_SQD,  /* send queue draining or drained */
	IBV_QPS_SQE,  /* send queue error */
	IBV_QPS_ERR,
	IBV_QPS_UNKNOWN,
};

/* States of path migration (IBTA 17.2.8). */
enum ibv_mig_state {
	IBV_MIG_MIGRATED,
	IBV_MIG_REARM,
	IBV_MIG_ARMED,
};

/* Sizes of a QP; in: requested, out: granted, never less. */
struct ibv_qp_cap {
	uint32_t max_send_wr;
	uint32_t max_recv_wr;
	uint32_t max_send_sge;	  /* per request */
	uint32_t max_recv_sge;	  /* per request */
	uint32_t max_inline_data; /* bytes */
};

struct ibv_qp_init_attr {
	void *qp_context; /* for the application: ibv_qp.qp_context */
	struct ibv_cq *send_cq;
	struct ibv_cq *recv_cq;
	struct ibv_srq *srq; /* NULL: the QP has a receive queue */
	struct ibv_qp_cap cap;
	enum ibv_qp_type qp_type;
	int sq_sig_all; /* boolean: as if all requests were SIGNALED */
};

enum ibv_qp_init_attr_mask {
	IBV_QP_INIT_ATTR_PD = 1 << 0,
	IBV_QP_INIT_ATTR_XRCD = 1 << 1,
	IBV_QP_INIT_ATTR_CREATE_FLAGS = 1 << 2,
	IBV_QP_INIT_ATTR_MAX_TSO_HEADER = 1 << 3,
	IBV_QP_INIT_ATTR_IND_TABLE = 1 << 4,
	IBV_QP_INIT_ATTR_RX_HASH = 1 << 5,
	IBV_QP_INIT_ATTR_SEND_OPS_FLAGS = 1 << 6,
};

enum ibv_qp_create_flags {
	/* own multicast is not received */
	IBV_QP_CREATE_BLOCK_SELF_MCAST_LB = 1 << 1,
	IBV_QP_CREATE_SCATTER_FCS = 1 << 8,
	IBV_QP_CREATE_CVLAN_STRIPPING = 1 << 9,
	IBV_QP_CREATE_SOURCE_QPN = 1 << 10, /* source_qpn is valid */
	IBV_QP_CREATE_PCI_WRITE_END_PADDING = 1 << 11,
};

/* ibv_wr_*() functions that the QP must have; without a bit, it has none. */
enum ibv_qp_create_send_ops_flags {
	IBV_QP_EX_WITH_RDMA_WRITE = 1 << 0,
	IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM = 1 << 1,
	IBV_QP_EX_WITH_SEND = 1 << 2,
	IBV_QP_EX_WITH_SEND_WITH_IMM = 1 << 3,
	IBV_QP_EX_WITH_RDMA_READ = 1 << 4,
	IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP = 1 << 5,
	IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD = 1 << 6,
	IBV_QP_EX_WITH_LOCAL_INV = 1 << 7,
	IBV_QP_EX_WITH_BIND_MW = 1 << 8,
	IBV_QP_EX_WITH_SEND_WITH_INV = 1 << 9,
	IBV_QP_EX_WITH_TSO = 1 << 10,
	IBV_QP_EX_WITH_FLUSH = 1 << 11,
	IBV_QP_EX_WITH_ATOMIC_WRITE = 1 << 12,
};

/* Hash that distributes the packets of an RSS QP over its table. */
struct ibv_rx_hash_conf {
	uint8_t rx_hash_function; /* enum ibv_rx_hash_function_flags */
	uint8_t rx_hash_key_len;  /* bytes */
	uint8_t *rx_hash_key;
	uint64_t rx_hash_fields_mask; /* enum ibv_rx_hash_fields */
};

/* Begins like struct ibv_qp_init_attr. */
struct ibv_qp_init_attr_ex {
	void *qp_context;
	struct ibv_cq *send_cq;
	struct ibv_cq *recv_cq;
	struct ibv_srq *srq;
	struct ibv_qp_cap cap;
	enum ibv_qp_type qp_type;
	int sq_sig_all;

	uint32_t comp_mask; /* enum ibv_qp_init_attr_mask */
	struct ibv_pd *pd;
	struct ibv_xrcd *xrcd;	 /* XRC_RECV */
	uint32_t create_flags;	 /* enum ibv_qp_create_flags */
	uint16_t max_tso_header; /* bytes */
	struct ibv_rwq_ind_table *rwq_ind_tbl;
	struct ibv_rx_hash_conf rx_hash_conf;
	uint32_t source_qpn;	 /* on the wire, instead of qp_num */
	uint64_t send_ops_flags; /* enum ibv_qp_create_send_ops_flags */
};

enum ibv_qp_open_attr_mask {
	IBV_QP_OPEN_ATTR_NUM = 1 << 0,
	IBV_QP_OPEN_ATTR_XRCD = 1 << 1,
	IBV_QP_OPEN_ATTR_CONTEXT = 1 << 2,
	IBV_QP_OPEN_ATTR_TYPE = 1 << 3,
	IBV_QP_OPEN_ATTR_RESERVED = 1 << 4, /* first unused bit */
};

/* For ibv_open_qp(): share the XRC_RECV QP of another process. */
struct ibv_qp_open_attr {
	uint32_t comp_mask; /* enum ibv_qp_open_attr_mask */
	uint32_t qp_num;
	struct ibv_xrcd *xrcd;
	void *qp_context;
	enum ibv_qp_type qp_type;
};

/* Members of struct ibv_qp_attr to set or to query. */
enum ibv_qp_attr_mask {
	IBV_QP_STATE = 1 << 0,
	IBV_QP_CUR_STATE = 1 << 1,
	IBV_QP_EN_SQD_ASYNC_NOTIFY = 1 << 2,
	IBV_QP_ACCESS_FLAGS = 1 << 3,
	IBV_QP_PKEY_INDEX = 1 << 4,
	IBV_QP_PORT = 1 << 5,
	IBV_QP_QKEY = 1 << 6,
	IBV_QP_AV = 1 << 7,
	IBV_QP_PATH_MTU = 1 << 8,
	IBV_QP_TIMEOUT = 1 << 9,
	IBV_QP_RETRY_CNT = 1 << 10,
	IBV_QP_RNR_RETRY = 1 << 11,
	IBV_QP_RQ_PSN = 1 << 12,
	IBV_QP_MAX_QP_RD_ATOMIC = 1 << 13,
	IBV_QP_ALT_PATH = 1 << 14,
	IBV_QP_MIN_RNR_TIMER = 1 << 15,
	IBV_QP_SQ_PSN = 1 << 16,
	IBV_QP_MAX_DEST_RD_ATOMIC = 1 << 17,
	IBV_QP_PATH_MIG_STATE = 1 << 18,
	IBV_QP_CAP = 1 << 19,
	IBV_QP_DEST_QPN = 1 << 20,
	IBV_QP_RATE_LIMIT = 1 << 25,
};

/* State of a QP. Times are coded (IBTA 9.7.5.2.8, 9.7.6.1.3). */
struct ibv_qp_attr {
	enum ibv_qp_state qp_state;	/* modify: the next state */
	enum ibv_qp_state cur_qp_state; /* modify: the expected current state */
	enum ibv_mtu path_mtu;
	enum ibv_mig_state path_mig_state;
	uint32_t qkey;
	uint32_t rq_psn; /* 24 bits */
	uint32_t sq_psn; /* 24 bits */
	uint32_t dest_qp_num;
	unsigned int qp_access_flags; /* enum ibv_access_flags */
	struct ibv_qp_cap cap;
	struct ibv_ah_attr ah_attr;	/* primary path */
	struct ibv_ah_attr alt_ah_attr; /* alternate path */
	uint16_t pkey_index;
	uint16_t alt_pkey_index;
	uint8_t en_sqd_async_notify; /* boolean: IBV_EVENT_SQ_DRAINED */
	uint8_t sq_draining;	     /* boolean; query only */
	uint8_t max_rd_atomic;	     /* reads and atomics outstanding, sent */
	uint8_t max_dest_rd_atomic;  /* and received */
	uint8_t min_rnr_timer;	     /* coded; sent in an RNR NAK */
	uint8_t port_num;	     /* of the primary path */
	uint8_t timeout;	     /* 4.096 us * 2^n; 0: infinite */
	uint8_t retry_cnt;	     /* 0-7 */
	uint8_t rnr_retry;	     /* 0-6; 7: infinite */
	uint8_t alt_port_num;
	uint8_t alt_timeout;
	uint32_t rate_limit; /* kbit/s; 0: none */
};

/* For ibv_modify_qp_rate_limit(). */
struct ibv_qp_rate_limit_attr {
	uint32_t rate_limit;	 /* kbit/s; 0: none */
	uint32_t max_burst_sz;	 /* bytes; 0: the device's choice */
	uint16_t typical_pkt_sz; /* bytes; 0: the device's choice */
	uint32_t comp_mask;	 /* 0 */
};

/* Form of the result of ibv_query_qp_data_in_order(). */
enum ibv_query_qp_data_in_order_flags {
	/* with ibv_query_qp_data_in_order_caps, not with a boolean */
	IBV_QUERY_QP_DATA_IN_ORDER_RETURN_CAPS = 1 << 0,
	/* of the device only, without regard to the CPU */
	IBV_QUERY_QP_DATA_IN_ORDER_DEVICE_ONLY = 1 << 1,
};

/* Data that the device writes in the order of addresses. */
enum ibv_query_qp_data_in_order_caps {
	IBV_QUERY_QP_DATA_IN_ORDER_WHOLE_MSG = 1 << 0,
	/* each aligned block; WHOLE_MSG includes it */
	IBV_QUERY_QP_DATA_IN_ORDER_ALIGNED_128_BYTES = 1 << 1,
};

/* Enhanced connection establishment: options that two devices negotiate. */
struct ibv_ece {
	uint32_t vendor_id; /* defines the meaning of options; 0: none */
	uint32_t options;
	uint32_t comp_mask; /* 0 */
};

/* A new QP; cap returns the granted sizes. */
struct ibv_qp *ibv_create_qp(struct ibv_pd *pd,
			     struct ibv_qp_init_attr *qp_init_attr);

/* The same QP with its ibv_wr_*() functions; NULL if it has none. */
struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *qp);

/* Change attributes: enum ibv_qp_attr_mask. */
int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask);

/* Query attributes; may fill in more than requested. */
int ibv_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask,
		 struct ibv_qp_init_attr *init_attr);

/* Is incoming data of this kind of request written in order? */
int ibv_query_qp_data_in_order(struct ibv_qp *qp, enum ibv_wr_opcode op,
			       uint32_t flags);

/* Free it, once all its events are acknowledged. */
int ibv_destroy_qp(struct ibv_qp *qp);

/* Options that the QP offers to its peer, or the negotiated ones. */
int ibv_query_ece(struct ibv_qp *qp, struct ibv_ece *ece);

/* Propose or accept options; before the QP leaves INIT. */
int ibv_set_ece(struct ibv_qp *qp, struct ibv_ece *ece);

/* ------------------------------------------------------------------------
 * Completion counters
 *
 * ibv_create_comp_cntr(3), ibv_query_comp_cntr_caps(3),
 * ibv_qp_attach_comp_cntr(3), ibv_read_comp_cntr(3)
 *
 * The device advances a counter when work requests of the attached QPs
 * complete, and a second one when they fail.
 */

/* Operations to count; REMOTE_*: those of the peer. */
enum ibv_qp_attach_comp_cntr_op {
	IBV_QP_ATTACH_COMP_CNTR_OP_SEND = 1 << 0,
	IBV_QP_ATTACH_COMP_CNTR_OP_RECV = 1 << 1,
	IBV_QP_ATTACH_COMP_CNTR_OP_RDMA_READ = 1 << 2,
	IBV_QP_ATTACH_COMP_CNTR_OP_REMOTE_RDMA_READ = 1 << 3,
	IBV_QP_ATTACH_COMP_CNTR_OP_RDMA_WRITE = 1 << 4,
	IBV_QP_ATTACH_COMP_CNTR_OP_REMOTE_RDMA_WRITE = 1 << 5,
};

enum ibv_comp_cntr_type {
	IBV_COMP_CNTR_TYPE_WRS,	  /* counts requests */
	IBV_COMP_CNTR_TYPE_BYTES, /* counts bytes */
};

struct ibv_comp_cntr_caps {
	uint64_t max_value; /* largest possible value */
	uint32_t max_counters;
	uint32_t supported_qp_attach_ops; /* ibv_qp_attach_comp_cntr_op */
};

struct ibv_comp_cntr_init_attr {
	uint32_t comp_mask; /* 0 */
	enum ibv_comp_cntr_type type;
	uint32_t flags; /* 0 */
};

struct ibv_qp_attach_comp_cntr_attr {
	uint32_t comp_mask; /* 0 */
	uint32_t op_mask;   /* enum ibv_qp_attach_comp_cntr_op */
};

/* ibv_query_comp_cntr_caps() with the caller's size. */
int _ibv_query_comp_cntr_caps(struct ibv_context *context,
			      struct ibv_comp_cntr_caps *caps,
			      size_t caps_size);

/* A new counter. */
struct ibv_comp_cntr *
ibv_create_comp_cntr(struct ibv_context *context,
		     struct ibv_comp_cntr_init_attr *cc_attr);

/* Free it. */
int ibv_destroy_comp_cntr(struct ibv_comp_cntr *comp_cntr);

/* Make it count operations of a QP. */
int ibv_qp_attach_comp_cntr(struct ibv_qp *qp, struct ibv_comp_cntr *comp_cntr,
			    struct ibv_qp_attach_comp_cntr_attr *attr);

/* Read, set and advance the value. */
int ibv_read_comp_cntr(struct ibv_comp_cntr *comp_cntr, uint64_t *value);
int ibv_set_comp_cntr(struct ibv_comp_cntr *comp_cntr, uint64_t value);
int ibv_inc_comp_cntr(struct ibv_comp_cntr *comp_cntr, uint64_t amount);

/* Read, set and advance the error value. */
int ibv_read_err_comp_cntr(struct ibv_comp_cntr *comp_cntr, uint64_t *value);
int ibv_set_err_comp_cntr(struct ibv_comp_cntr *comp_cntr, uint64_t value);
int ibv_inc_err_comp_cntr(struct ibv_comp_cntr *comp_cntr, uint64_t amount);

/* ------------------------------------------------------------------------
 * Multicast
 *
 * ibv_attach_mcast(3)
 */

/* Attach a UD QP to a group that exists in the fabric. */
int ibv_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid);

int ibv_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid);

/* ------------------------------------------------------------------------
 * Flow steering
 *
 * ibv_create_flow(3)
 *
 * A rule is one block of memory: a struct ibv_flow_attr, followed immediately
 * by num_of_specs structs of the kinds below. Each compares the bits of val
 * that are set in mask. All fields of the filters are in network order.
 */

enum ibv_flow_flags {
	/* continue with the other rules after a match */
	IBV_FLOW_ATTR_FLAGS_DONT_TRAP = 1 << 1,
	IBV_FLOW_ATTR_FLAGS_EGRESS = 1 << 2, /* a rule for sent packets */
};

enum ibv_flow_attr_type {
	IBV_FLOW_ATTR_NORMAL = 0x0,	 /* by the specs */
	IBV_FLOW_ATTR_ALL_DEFAULT = 0x1, /* packets that match no rule */
	IBV_FLOW_ATTR_MC_DEFAULT = 0x2,	 /* the same, multicast only */
	IBV_FLOW_ATTR_SNIFFER = 0x3,	 /* a copy of each packet */
};

/* Kind of a spec: ibv_flow_spec.hdr.type. */
enum ibv_flow_spec_type {
	IBV_FLOW_SPEC_ETH = 0x20,
	IBV_FLOW_SPEC_IPV4 = 0x30,
	IBV_FLOW_SPEC_IPV6 = 0x31,
	IBV_FLOW_SPEC_IPV4_EXT = 0x32,
	IBV_FLOW_SPEC_ESP = 0x34,
	IBV_FLOW_SPEC_TCP = 0x40,
	IBV_FLOW_SPEC_UDP = 0x41,
	IBV_FLOW_SPEC_VXLAN_TUNNEL = 0x50,
	IBV_FLOW_SPEC_GRE = 0x51,
	IBV_FLOW_SPEC_MPLS = 0x60,
	/* added to the above: of the encapsulated packet */
	IBV_FLOW_SPEC_INNER = 0x100,
	IBV_FLOW_SPEC_ACTION_TAG = 0x1000,
	IBV_FLOW_SPEC_ACTION_DROP = 0x1001,
	IBV_FLOW_SPEC_ACTION_HANDLE = 0x1002,
	IBV_FLOW_SPEC_ACTION_COUNT = 0x1003,
};

struct ibv_flow_eth_filter {
	uint8_t dst_mac[6];
	uint8_t src_mac[6];
	uint16_t ether_type;
	uint16_t vlan_tag;
};

struct ibv_flow_spec_eth {
	enum ibv_flow_spec_type type;
	uint16_t size; /* bytes of this struct; likewise below */
	struct ibv_flow_eth_filter val;
	struct ibv_flow_eth_filter mask;
};

struct ibv_flow_ipv4_filter {
	uint32_t src_ip;
	uint32_t dst_ip;
};

struct ibv_flow_spec_ipv4 {
	enum ibv_flow_spec_type type;
	uint16_t size;
	struct ibv_flow_ipv4_filter val;
	struct ibv_flow_ipv4_filter mask;
};

struct ibv_flow_ipv4_ext_filter {
	uint32_t src_ip;
	uint32_t dst_ip;
	uint8_t proto;
	uint8_t tos;
	uint8_t ttl;
	uint8_t flags;
};

struct ibv_flow_spec_ipv4_ext {
	enum ibv_flow_spec_type type;
	uint16_t size;
	struct ibv_flow_ipv4_ext_filter val;
	struct ibv_flow_ipv4_ext_filter mask;
};

struct ibv_flow_ipv6_filter {
	uint8_t src_ip[16];
	uint8_t dst_ip[16];
	uint32_t flow_label;
	uint8_t next_hdr;
	uint8_t traffic_class;
	uint8_t hop_limit;
};

struct ibv_flow_spec_ipv6 {
	enum ibv_flow_spec_type type;
	uint16_t size;
	struct ibv_flow_ipv6_filter val;
	struct ibv_flow_ipv6_filter mask;
};

struct ibv_flow_esp_filter {
	uint32_t spi;
	uint32_t seq;
};

struct ibv_flow_spec_esp {
	enum ibv_flow_spec_type type;
	uint16_t size;
	struct ibv_flow_esp_filter val;
	struct ibv_flow_esp_filter mask;
};

struct ibv_flow_tcp_udp_filter {
	uint16_t dst_port;
	uint16_t src_port;
};

struct ibv_flow_spec_tcp_udp {
	enum ibv_flow_spec_type type;
	uint16_t size;
	struct ibv_flow_tcp_udp_filter val;
	struct ibv_flow_tcp_udp_filter mask;
};

struct ibv_flow_gre_filter {
	uint16_t c_ks_res0_ver; /* flags, reserved bits and version */
	uint16_t protocol;
	uint32_t key;
};

struct ibv_flow_spec_gre {
	enum ibv_flow_spec_type type;
	uint16_t size;
	struct ibv_flow_gre_filter val;
	struct ibv_flow_gre_filter mask;
};

struct ibv_flow_mpls_filter {
	uint32_t label; /* the whole stack entry (RFC 3032) */
};

struct ibv_flow_spec_mpls {
	enum ibv_flow_spec_type type;
	uint16_t size;
	struct ibv_flow_mpls_filter val;
	struct ibv_flow_mpls_filter mask;
};

struct ibv_flow_tunnel_filter {
	uint32_t tunnel_id; /* VXLAN network identifier */
};

struct ibv_flow_spec_tunnel {
	enum ibv_flow_spec_type type;
	uint16_t size;
	struct ibv_flow_tunnel_filter val;
	struct ibv_flow_tunnel_filter mask;
};

/* Mark matching packets: ibv_wc_read_flow_tag(). */
struct ibv_flow_spec_action_tag {
	enum ibv_flow_spec_type type;
	uint16_t size;
	uint32_t tag_id;
};

struct ibv_flow_spec_action_drop {
	enum ibv_flow_spec_type type;
	uint16_t size;
};

/* Apply a flow action to matching packets. */
struct ibv_flow_spec_action_handle {
	enum ibv_flow_spec_type type;
	uint16_t size;
	const struct ibv_flow_action *action;
};

/* Count matching packets. */
struct ibv_flow_spec_counter_action {
	enum ibv_flow_spec_type type;
	uint16_t size;
	struct ibv_counters *counters;
};

/* Any of them. */
__extension__ struct ibv_flow_spec {
	union {
		struct {
			enum ibv_flow_spec_type type;
			uint16_t size;
		} hdr;
		struct ibv_flow_spec_eth eth;
		struct ibv_flow_spec_ipv4 ipv4;
		struct ibv_flow_spec_ipv4_ext ipv4_ext;
		struct ibv_flow_spec_ipv6 ipv6;
		struct ibv_flow_spec_esp esp;
		struct ibv_flow_spec_tcp_udp tcp_udp;
		struct ibv_flow_spec_gre gre;
		struct ibv_flow_spec_mpls mpls;
		struct ibv_flow_spec_tunnel tunnel;
		struct ibv_flow_spec_action_tag flow_tag;
		struct ibv_flow_spec_action_drop drop;
		struct ibv_flow_spec_action_handle handle;
		struct ibv_flow_spec_counter_action flow_count;
	};
};

struct ibv_flow_attr {
	uint32_t comp_mask; /* 0 */
	enum ibv_flow_attr_type type;
	uint16_t size;	   /* bytes of the block, specs included */
	uint16_t priority; /* lower values are matched first */
	uint8_t num_of_specs;
	uint8_t port;
	uint32_t flags; /* enum ibv_flow_flags */
};

/* ------------------------------------------------------------------------
 * Flow actions
 *
 * ibv_create_flow_action(3)
 */

enum ibv_flow_action_esp_mask {
	IBV_FLOW_ACTION_ESP_MASK_ESN = 1 << 0,
};

/* IPsec ESP offload. All pointers are read during the call only. */
struct ibv_flow_action_esp_attr {
	struct ibv_flow_action_esp *esp_attr;

	enum ibv_flow_action_esp_keymat keymat_proto;
	uint16_t keymat_len; /* bytes */
	void *keymat_ptr;    /* struct ibv_flow_action_esp_keymat_* */

	enum ibv_flow_action_esp_replay replay_proto;
	uint16_t replay_len; /* bytes */
	void *replay_ptr;    /* struct ibv_flow_action_esp_replay_* */

	struct ibv_flow_action_esp_encap *esp_encap;

	uint32_t comp_mask; /* enum ibv_flow_action_esp_mask */
	uint32_t esn;	    /* high half of the sequence number */
};

/* ------------------------------------------------------------------------
 * Flow counters
 *
 * ibv_create_counters(3), ibv_attach_counters_point_flow(3),
 * ibv_read_counters(3)
 */

struct ibv_counters_init_attr {
	uint32_t comp_mask; /* 0 */
};

/* Counted quantity. */
enum ibv_counter_description {
	IBV_COUNTER_PACKETS,
	IBV_COUNTER_BYTES,
};

struct ibv_counter_attach_attr {
	enum ibv_counter_description counter_desc;
	uint32_t index;	    /* place of the value in ibv_read_counters() */
	uint32_t comp_mask; /* 0 */
};

enum ibv_read_counters_flags {
	/* a recent value suffices; do not query the device */
	IBV_READ_COUNTERS_ATTR_PREFER_CACHED = 1 << 0,
};

/* ------------------------------------------------------------------------
 * Names of constants
 *
 * ibv_event_type_str(3), ibv_wc_status_str(3)
 *
 * The strings are constant and not translated.
 */

const char *ibv_node_type_str(enum ibv_node_type node_type);
const char *ibv_port_state_str(enum ibv_port_state port_state);
const char *ibv_event_type_str(enum ibv_event_type event);
const char *ibv_wc_status_str(enum ibv_wc_status status);

/* A private symbol: a program that uses it runs with one release only. */
const char *ibv_wr_opcode_str(enum ibv_wr_opcode opcode);

#ifdef __cplusplus
}
#endif

#include <infiniband/verbs_abi.h>
#include <infiniband/verbs_inline.h>

#undef __attribute_const

#endif /* INFINIBAND_VERBS_H */
