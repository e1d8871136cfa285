/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The structs that a module of an rdma-core release shares with its library,
 * apart from the objects (provider/objects.h, which have the same layout) and
 * the op table (foreign_variant.c). Every release from v35 on that has a struct
 * has this layout of it. A comment at each struct gives its name in rdma-core.
 *
 * Source: layouts of the releases' modules. Numbers are asserted for x86-64.
 */
#ifndef FOREIGN_FOREIGN_ABI_H
#define FOREIGN_FOREIGN_ABI_H

#include <infiniband/verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* ------------------------------------------------------------------------ */
/* Devices                                                                   */
/* ------------------------------------------------------------------------ */

enum foreign_match_kind {
	FOREIGN_MATCH_SENTINEL,	 /* ends the table */
	FOREIGN_MATCH_PCI,	 /* vendor, device */
	FOREIGN_MATCH_MODALIAS,	 /* pattern of fnmatch(3) */
	FOREIGN_MATCH_DRIVER_ID, /* enum rdma_driver_id */
};

/* verbs_match_ent */
struct foreign_match_ent {
	void *driver_data; /* of the provider */
	union {
		const char *modalias;
		uint64_t driver_id;
	} u;
	uint16_t vendor;
	uint16_t device;
	uint8_t kind; /* enum foreign_match_kind */
};

/* list_node */
struct foreign_list_node {
	struct foreign_list_node *next, *prev;
};

enum foreign_sysfs_flags {
	FOREIGN_SYSFS_READ_MODALIAS = 1 << 0,
	FOREIGN_SYSFS_READ_NODE_GUID = 1 << 1,
};

/* verbs_sysfs_dev: a kernel device as discovery found it; providers read it */
struct foreign_sysfs_dev {
	struct foreign_list_node entry;
	void *provider_data; /* of the provider */
	const struct foreign_match_ent *match;
	unsigned int flags;		     /* enum foreign_sysfs_flags */
	char sysfs_name[IBV_SYSFS_NAME_MAX]; /* "uverbs0" */
	dev_t sysfs_cdev;
	char ibdev_name[IBV_SYSFS_NAME_MAX];
	char ibdev_path[IBV_SYSFS_PATH_MAX];
	char modalias[512];
	uint64_t node_guid; /* host order */
	uint32_t driver_id;
	enum ibv_node_type node_type;
	int ibdev_idx;
	uint32_t num_ports;
	uint32_t abi_ver;
	struct timespec time_created;
};

struct foreign_device_ops;

/* verbs_device: allocated by the provider at the start of its own struct */
struct foreign_device {
	struct ibv_device device;
	const struct foreign_device_ops *ops;
	atomic_int refcount;
	struct foreign_list_node entry;
	struct foreign_sysfs_dev *sysfs; /* NULL: device outside the kernel */
	uint64_t core_support;
};

/* verbs_context: opaque, see foreign_context.h */
struct foreign_verbs_context;

/* verbs_device_ops: the table that a provider registers */
struct foreign_device_ops {
	const char *name;
	uint32_t match_min_abi_version;
	uint32_t match_max_abi_version;
	const struct foreign_match_ent *match_table;
	const struct foreign_device_ops **static_providers;

	bool (*match_device)(struct foreign_sysfs_dev *sysfs_dev);

	struct foreign_verbs_context *(*alloc_context)(
		struct ibv_device *device, int cmd_fd, void *private_data);
	struct foreign_verbs_context *(*import_context)(
		struct ibv_device *device, int cmd_fd);

	struct foreign_device *(*alloc_device)(
		struct foreign_sysfs_dev *sysfs_dev);
	void (*uninit_device)(struct foreign_device *device);
};

/* ------------------------------------------------------------------------ */
/* Commands                                                                  */
/* ------------------------------------------------------------------------ */

/*
 * ibv_command_buffer: filled by inline functions of rdma-core headers, which
 * are compiled into modules. The attributes follow the struct. Several buffers
 * may be linked.
 */
struct foreign_command_buffer {
	struct foreign_command_buffer *next;
	struct ib_uverbs_attr *next_attr; /* first free entry */
	struct ib_uverbs_attr *last_attr; /* end of the array */
	uint8_t uhw_in_idx;		  /* 0xff: none */
	uint8_t uhw_out_idx;
	uint8_t uhw_in_headroom_dwords;
	uint8_t uhw_out_headroom_dwords;
	uint8_t buffer_error : 1;
	uint8_t fallback_require_ex : 1;
	uint8_t fallback_ioctl_only : 1;
	struct ib_uverbs_ioctl_hdr hdr; /* ends with attrs[] */
};

/* ibv_fd_arr, since v57 */
struct foreign_fd_arr {
	int *arr;
	uint32_t count;
};

/* verbs_create_cq_prov_attr, since v59 */
struct foreign_cq_prov_attr {
	struct {
		uint64_t length;
		union {
			uint8_t *ptr;
			struct {
				uint64_t offset;
				int fd;
			} dmabuf;
		};
	} buffer;
};

/* ------------------------------------------------------------------------ */

#if defined(__x86_64__) && defined(__LP64__)
#define FOREIGN_ASSERT_OFFSET(type, member, offset)             \
	_Static_assert(offsetof(struct type, member) == offset, \
		       #type "." #member)
#define FOREIGN_ASSERT_SIZE(type, size) \
	_Static_assert(sizeof(struct type) == size, "size of " #type)

FOREIGN_ASSERT_OFFSET(foreign_match_ent, u, 8);
FOREIGN_ASSERT_OFFSET(foreign_match_ent, vendor, 16);
FOREIGN_ASSERT_OFFSET(foreign_match_ent, device, 18);
FOREIGN_ASSERT_OFFSET(foreign_match_ent, kind, 20);
FOREIGN_ASSERT_SIZE(foreign_match_ent, 24);

FOREIGN_ASSERT_OFFSET(foreign_sysfs_dev, provider_data, 16);
FOREIGN_ASSERT_OFFSET(foreign_sysfs_dev, match, 24);
FOREIGN_ASSERT_OFFSET(foreign_sysfs_dev, flags, 32);
FOREIGN_ASSERT_OFFSET(foreign_sysfs_dev, sysfs_name, 36);
FOREIGN_ASSERT_OFFSET(foreign_sysfs_dev, sysfs_cdev, 104);
FOREIGN_ASSERT_OFFSET(foreign_sysfs_dev, ibdev_name, 112);
FOREIGN_ASSERT_OFFSET(foreign_sysfs_dev, ibdev_path, 176);
FOREIGN_ASSERT_OFFSET(foreign_sysfs_dev, modalias, 432);
FOREIGN_ASSERT_OFFSET(foreign_sysfs_dev, node_guid, 944);
FOREIGN_ASSERT_OFFSET(foreign_sysfs_dev, driver_id, 952);
FOREIGN_ASSERT_OFFSET(foreign_sysfs_dev, node_type, 956);
FOREIGN_ASSERT_OFFSET(foreign_sysfs_dev, ibdev_idx, 960);
FOREIGN_ASSERT_OFFSET(foreign_sysfs_dev, num_ports, 964);
FOREIGN_ASSERT_OFFSET(foreign_sysfs_dev, abi_ver, 968);
FOREIGN_ASSERT_OFFSET(foreign_sysfs_dev, time_created, 976);
FOREIGN_ASSERT_SIZE(foreign_sysfs_dev, 992);

FOREIGN_ASSERT_OFFSET(foreign_device, ops, 664);
FOREIGN_ASSERT_OFFSET(foreign_device, refcount, 672);
FOREIGN_ASSERT_OFFSET(foreign_device, entry, 680);
FOREIGN_ASSERT_OFFSET(foreign_device, sysfs, 696);
FOREIGN_ASSERT_OFFSET(foreign_device, core_support, 704);
FOREIGN_ASSERT_SIZE(foreign_device, 712);

FOREIGN_ASSERT_OFFSET(foreign_device_ops, match_min_abi_version, 8);
FOREIGN_ASSERT_OFFSET(foreign_device_ops, match_max_abi_version, 12);
FOREIGN_ASSERT_OFFSET(foreign_device_ops, match_table, 16);
FOREIGN_ASSERT_OFFSET(foreign_device_ops, static_providers, 24);
FOREIGN_ASSERT_OFFSET(foreign_device_ops, match_device, 32);
FOREIGN_ASSERT_OFFSET(foreign_device_ops, alloc_context, 40);
FOREIGN_ASSERT_OFFSET(foreign_device_ops, import_context, 48);
FOREIGN_ASSERT_OFFSET(foreign_device_ops, alloc_device, 56);
FOREIGN_ASSERT_OFFSET(foreign_device_ops, uninit_device, 64);
FOREIGN_ASSERT_SIZE(foreign_device_ops, 72);

FOREIGN_ASSERT_OFFSET(foreign_command_buffer, next_attr, 8);
FOREIGN_ASSERT_OFFSET(foreign_command_buffer, last_attr, 16);
FOREIGN_ASSERT_OFFSET(foreign_command_buffer, uhw_in_idx, 24);
FOREIGN_ASSERT_OFFSET(foreign_command_buffer, uhw_out_idx, 25);
FOREIGN_ASSERT_OFFSET(foreign_command_buffer, uhw_in_headroom_dwords, 26);
FOREIGN_ASSERT_OFFSET(foreign_command_buffer, uhw_out_headroom_dwords, 27);
FOREIGN_ASSERT_OFFSET(foreign_command_buffer, hdr, 32);
FOREIGN_ASSERT_SIZE(foreign_command_buffer, 56);

FOREIGN_ASSERT_OFFSET(foreign_fd_arr, count, 8);
FOREIGN_ASSERT_SIZE(foreign_fd_arr, 16);

FOREIGN_ASSERT_OFFSET(foreign_cq_prov_attr, buffer.ptr, 8);
FOREIGN_ASSERT_OFFSET(foreign_cq_prov_attr, buffer.dmabuf.offset, 8);
FOREIGN_ASSERT_OFFSET(foreign_cq_prov_attr, buffer.dmabuf.fd, 16);
FOREIGN_ASSERT_SIZE(foreign_cq_prov_attr, 24);
#endif

#endif
