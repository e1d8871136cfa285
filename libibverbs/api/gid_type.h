/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The GID type as sysfs spells it. Not in the public header: ibv_devinfo and
 * pyverbs of existing releases import the function from a private node.
 */
#ifndef API_GID_TYPE_H
#define API_GID_TYPE_H

#include <infiniband/verbs.h>

enum ibv_gid_type_sysfs {
	IBV_GID_TYPE_SYSFS_IB_ROCE_V1,
	IBV_GID_TYPE_SYSFS_ROCE_V2,
};

/** ibv_query_gid_type() - 0 and the type of a slot (v1 if empty), or -1 */
int ibv_query_gid_type(struct ibv_context *context, uint8_t port_num,
		       unsigned int index, enum ibv_gid_type_sysfs *type);

#endif
