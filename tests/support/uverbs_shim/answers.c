/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds a driver, and its answer to a command: see answers.h. */
#include "answers.h"

#include <string.h>

static const struct shim_driver *const drivers[] = {
	&answers_bnxt_re,    &answers_cxgb4, &answers_efa,   &answers_erdma,
	&answers_hns,	     &answers_ionic, &answers_irdma, &answers_mana,
	&answers_mlx4,	     &answers_mlx5,  &answers_mthca, &answers_ocrdma,
	&answers_qedr,	     &answers_rvt,   &answers_rxe,   &answers_siw,
	&answers_vmw_pvrdma,
};

const struct shim_driver *shim_driver_find(const char *name)
{
	for (size_t i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++)
		if (!strcmp(drivers[i]->name, name))
			return drivers[i];
	return NULL;
}

int answer_copy(void *buf, size_t room, const void *from, size_t len)
{
	if (len > room)
		len = room;
	memcpy(buf, from, len);
	return 0;
}

uint32_t answer_power_of_two(uint32_t n)
{
	uint32_t power = 1;

	while (power < n)
		power *= 2;
	return power;
}

int shim_answer(struct shim_call *call)
{
	const struct shim_driver *driver = shim_file_device(call->file)->driver;

	if (call->uhw_out_len)
		memset(call->uhw_out, 0, call->uhw_out_len);
	for (const struct shim_answer *answer = driver->answers; answer->name;
	     answer++) {
		if (strcmp(answer->name, call->name) != 0)
			continue;
		return answer->fill(call, call->uhw_out, call->uhw_out_len);
	}
	return 0;
}
