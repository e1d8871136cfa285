/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Small functions that modules and programs of rdma-core releases import from
 * the private nodes. ibv_devinfo and pyverbs call the one for the GID type,
 * programs the one for the name of an opcode; providers call the others.
 */
#ifndef FOREIGN_FOREIGN_HELPERS_H
#define FOREIGN_FOREIGN_HELPERS_H

#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdint.h>

#include "foreign/foreign_abi.h"

/* ibv_gid_type_sysfs */
enum foreign_gid_type {
	FOREIGN_GID_IB_ROCE_V1,
	FOREIGN_GID_ROCE_V2,
};

/**
 * foreign_query_gid_type() - query the type of a GID table entry
 *
 * Exported as ibv_query_gid_type(). An empty entry has type
 * FOREIGN_GID_IB_ROCE_V1.
 *
 * Return: 0; -1 with errno set.
 */
int foreign_query_gid_type(struct ibv_context *context, uint8_t port_num,
			   unsigned int index, enum foreign_gid_type *type);

/**
 * foreign_read_ibdev_sysfs_file() - read a sysfs file of a device
 * @fnfmt: printf format of a path below the folder of the device
 *
 * Exported as ibv_read_ibdev_sysfs_file().
 *
 * Return: length of the text without its last newline; 0 for an empty file,
 * which leaves @buf unchanged; -1 with errno set.
 */
int foreign_read_ibdev_sysfs_file(char *buf, size_t size,
				  const struct foreign_sysfs_dev *sysfs_dev,
				  const char *fnfmt, ...)
	__attribute__((format(printf, 4, 5)));

/**
 * foreign_wr_opcode_str() - return the name of an opcode: ibv_wr_opcode_str(3)
 */
const char *foreign_wr_opcode_str(enum ibv_wr_opcode opcode);

/**
 * foreign_init_cq() - initialise a CQ that a vendor library creates
 *
 * Exported as verbs_init_cq(). ibv_create_cq(3) does not see this CQ, so the
 * function counts the reference to the completion channel.
 */
void foreign_init_cq(struct ibv_cq *cq, struct ibv_context *context,
		     struct ibv_comp_channel *channel, void *cq_context);

/**
 * foreign_log() - write a log message of a provider
 * @vctx: ignored: the text contains the device name
 * @level: enum verbs_log_level
 *
 * Exported as __verbs_log().
 */
void foreign_log(void *vctx, uint32_t level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * First release that exports a helper, for those that modules of several
 * releases with one private ABI number import; ROW() takes the exported name
 * and the release. Read by foreign_detect.c.
 */
/* clang-format off */
#define FOREIGN_HELPERS_SINCE(ROW) \
	ROW("__verbs_log", 37) \
	ROW("ibv_wr_opcode_str", 49)
/* clang-format on */

#endif
