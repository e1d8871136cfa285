/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The responder and the requester copy the payload of SENDs and of READ
 * responses while the ICRC is verified; they verify other packets first.
 */
#include "uroce/roce/uroce_copy.h"

#include <string.h>

int uroce_packet_check(struct uroce_packet *packet)
{
	struct uroce_icrc_check *check = packet->icrc_check;

	packet->icrc_check = NULL;
	return check ? check->finish(check) : 0;
}

int uroce_copy_in(const struct uroce_iovecs *iovecs,
		  struct uroce_packet *packet)
{
	const uint8_t *src = packet->payload;

	for (uint32_t i = 0; i < iovecs->nr; i++) {
		const struct iovec *iov = &iovecs->iov[i];

		if (packet->icrc_check)
			packet->icrc_check->copy(packet->icrc_check,
						 iov->iov_base, iov->iov_len);
		else if (iov->iov_base)
			memcpy(iov->iov_base, src, iov->iov_len);
		src += iov->iov_len;
	}
	return uroce_packet_check(packet);
}
