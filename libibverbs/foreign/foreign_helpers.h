/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Small functions that modules and programs of existing releases import from
 * the private nodes. ibv_devinfo and pyverbs want the GID type, programs the
 * name of an opcode; the others are for providers.
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

/** foreign_query_gid_type() - 0 and the type of a slot (v1 if empty), or -1 */
int foreign_query_gid_type(struct ibv_context *context, uint8_t port_num,
			   unsigned int index, enum foreign_gid_type *type);

/**
 * foreign_read_ibdev_sysfs_file() - ibv_read_ibdev_sysfs_file()
 * @fnfmt: printf format of a path below the device's folder
 *
 * Return: length of the text, without its last newline; 0 for an empty file,
 * and @buf is as it was; -1 and errno.
 */
int foreign_read_ibdev_sysfs_file(char *buf, size_t size,
				  const struct foreign_sysfs_dev *sysfs_dev,
				  const char *fnfmt, ...)
	__attribute__((format(printf, 4, 5)));

/** foreign_wr_opcode_str() - ibv_wr_opcode_str(3) */
const char *foreign_wr_opcode_str(enum ibv_wr_opcode opcode);

/**
 * foreign_init_cq() - verbs_init_cq(), for a CQ that the library does not see
 *
 * Made by a function of a vendor library; so the use of the channel is counted
 * here.
 */
void foreign_init_cq(struct ibv_cq *cq, struct ibv_context *context,
		     struct ibv_comp_channel *channel, void *cq_context);

/**
 * foreign_log() - __verbs_log(): the text names the device itself
 * @level: enum verbs_log_level
 */
void foreign_log(void *vctx, uint32_t level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
