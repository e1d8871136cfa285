/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Filling device records. Called by the readers of netlink and sysfs; core/
 * frees the records that verbs_discover() returned.
 */
#include "discover/records.h"

#include <errno.h>
#include <rdma/rdma_netlink.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

int verbs_records_add(struct verbs_device_records *records,
		      const struct verbs_kernel_device *device)
{
	struct verbs_kernel_device *devices =
		array_grow(records->devices, records->count, sizeof(*devices));

	if (!devices)
		return -ENOMEM;
	records->devices = devices;
	records->devices[records->count++] = *device;
	return 0;
}

void verbs_device_records_free(struct verbs_device_records *records)
{
	free(records->devices);
	*records = (struct verbs_device_records){};
}

bool verbs_record_name(const char *text, size_t len, char *ret_name)
{
	if (len == 0 || len >= VERBS_DEVICE_NAME_LEN)
		return false;
	if (memchr(text, '\0', len) || memchr(text, '/', len))
		return false;
	if (text[0] == '.' && (len == 1 || (len == 2 && text[1] == '.')))
		return false;

	memset(ret_name, 0, VERBS_DEVICE_NAME_LEN);
	memcpy(ret_name, text, len);
	return true;
}

int verbs_record_node_type(unsigned long number)
{
	if (number < RDMA_NODE_IB_CA || number > RDMA_NODE_UNSPECIFIED)
		return IBV_NODE_UNKNOWN;
	return (int)number; /* the public values are the same */
}
