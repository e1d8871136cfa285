/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds a driver, and its response to a command: see responses.h. */
#include "responses.h"

#include <string.h>

static const struct shim_driver *const drivers[] = {
	&responses_bnxt_re, &responses_cxgb4,	   &responses_efa,
	&responses_erdma,   &responses_hns,	   &responses_ionic,
	&responses_irdma,   &responses_mana,	   &responses_mlx4,
	&responses_mlx5,    &responses_mthca,	   &responses_ocrdma,
	&responses_qedr,    &responses_rvt,	   &responses_rxe,
	&responses_siw,	    &responses_vmw_pvrdma,
};

const struct shim_driver *shim_driver_find(const char *name)
{
	for (size_t i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++)
		if (!strcmp(drivers[i]->name, name))
			return drivers[i];
	return NULL;
}

int response_copy(void *buf, size_t room, const void *from, size_t len)
{
	if (len > room)
		len = room;
	memcpy(buf, from, len);
	return 0;
}

uint32_t response_power_of_two(uint32_t n)
{
	uint32_t power = 1;

	while (power < n)
		power *= 2;
	return power;
}

int shim_fill_response(struct shim_call *call)
{
	const struct shim_driver *driver = shim_file_device(call->file)->driver;

	if (call->uhw_out_len)
		memset(call->uhw_out, 0, call->uhw_out_len);
	for (const struct shim_response *entry = driver->responses; entry->name;
	     entry++) {
		if (strcmp(entry->name, call->name) != 0)
			continue;
		return entry->fill(call, call->uhw_out, call->uhw_out_len);
	}
	return 0;
}
