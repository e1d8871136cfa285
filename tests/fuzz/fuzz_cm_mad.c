/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzz target: a MAD of the communication manager, and the IP header in its
 * private data. The encoder must reproduce each MAD that decodes, except its
 * reserved bits.
 */
#include "cm/cm_mad.h"
#include "cm/cm_service.h"
#include "fuzz/fuzz_target.h"

static void check_ip_header(const uint8_t *private_data)
{
	uint8_t bytes[CM_IP_HEADER_LEN];
	struct cm_ip_header header;

	if (cm_ip_header_decode(private_data, &header) != 0)
		return;
	fuzz_assert(cm_ip_header_encode(&header, bytes) == 0);
	for (size_t i = 0; i < sizeof(bytes); i++)
		fuzz_assert(!(bytes[i] & ~private_data[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	uint8_t bytes[CM_MAD_LEN], bytes_again[CM_MAD_LEN];
	struct cm_mad mad, again;

	if (cm_mad_decode(data, len, &mad) != 0)
		return 0;
	fuzz_assert(len == CM_MAD_LEN);
	fuzz_assert(cm_mad_encode(&mad, bytes) == 0);
	for (size_t i = 0; i < sizeof(bytes); i++)
		fuzz_assert(!(bytes[i] & ~data[i]));
	fuzz_assert(cm_mad_decode(bytes, sizeof(bytes), &again) == 0);
	fuzz_assert(memcmp(&mad, &again, sizeof(mad)) == 0);
	fuzz_assert(cm_mad_encode(&again, bytes_again) == 0);
	fuzz_assert(memcmp(bytes, bytes_again, sizeof(bytes)) == 0);
	if (mad.attr == CM_REQ)
		check_ip_header(mad.req.private_data);
	else if (mad.attr == CM_SIDR_REQ)
		check_ip_header(mad.sidr_req.private_data);
	return 0;
}
