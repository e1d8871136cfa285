/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzz target: a MAD of 256 bytes, without an owner, at an address of this
 * process. A MAD gets at most one reply, which names the id of its sender, and
 * to which there is no reply.
 */
#include <errno.h>

#include "fuzz/fuzz_target.h"
#include "uroce/gsi/uroce_gsi_route.h"

#define LOCAL_ID 24

static unsigned int nr_calls;

static int to_service(struct uroce_gsi_links *links, const uint8_t *gid,
		      unsigned int ifindex, uint64_t service_id,
		      const struct uroce_gsi_mad *mad)
{
	nr_calls++;
	return -ENOENT;
}

static int to_id(struct uroce_gsi_links *links, uint32_t id,
		 const struct uroce_gsi_mad *mad)
{
	nr_calls++;
	return -ENOENT;
}

static struct uroce_gsi_interface find_interface(void *arg, const uint8_t *gid)
{
	return (struct uroce_gsi_interface){ 1, true };
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const struct uroce_gsi_ways ways = {
		.to_service = to_service,
		.to_id = to_id,
		.find_interface = find_interface,
	};
	struct uroce_gsi_mad mad = {}, reply, again;
	enum uroce_gsi_outcome outcome;

	if (len != UROCE_MAD_BYTES)
		return 0;
	memcpy(mad.bytes, data, len);
	nr_calls = 0;
	outcome = uroce_gsi_route(&ways, &mad, &reply);
	fuzz_assert(outcome == UROCE_GSI_REPLY ||
		    outcome == UROCE_GSI_NO_OWNER);
	fuzz_assert(nr_calls <= 2);
	if (outcome != UROCE_GSI_REPLY)
		return 0;
	fuzz_assert(uroce_mad_read_key(reply.bytes).owner == UROCE_MAD_OF_ID);
	fuzz_assert(uroce_mad_read_key(reply.bytes).id ==
		    ((uint32_t)data[LOCAL_ID] << 24 | data[LOCAL_ID + 1] << 16 |
		     data[LOCAL_ID + 2] << 8 | data[LOCAL_ID + 3]));
	fuzz_assert(uroce_gsi_route(&ways, &reply, &again) ==
		    UROCE_GSI_NO_OWNER);
	return 0;
}
