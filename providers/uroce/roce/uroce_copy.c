/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The responder and the requester copy the payload of SENDs and of READ
 * responses while the ICRC is verified; they verify other packets first.
 */
#include "uroce/roce/uroce_copy.h"

#include <string.h>

#include "uroce/qp/uroce_chaos.h"
#include "uroce/qp/uroce_odp.h"

int uroce_packet_check(struct uroce_packet *packet)
{
	struct uroce_icrc_check *check = packet->icrc_check;

	packet->icrc_check = NULL;
	return check ? check->finish(check) : 0;
}

int uroce_copy_bytes(const struct uroce_iovecs *iovecs, const uint8_t *from)
{
	if (iovecs->on_demand)
		return uroce_odp_store(iovecs->iov, iovecs->nr, from);
	for (uint32_t i = 0; i < iovecs->nr; i++) {
		const struct iovec *iov = &iovecs->iov[i];

		if (iov->iov_base)
			memcpy(iov->iov_base, from, iov->iov_len);
		from += iov->iov_len;
	}
	return 0;
}

int uroce_copy_out(struct uroce_iovecs *iovecs, uint8_t *copy)
{
	uint32_t bytes = 0;
	int ret = uroce_odp_load(copy, iovecs->iov, iovecs->nr);

	for (uint32_t i = 0; i < iovecs->nr; i++)
		bytes += (uint32_t)iovecs->iov[i].iov_len;
	uroce_iovecs_set(iovecs, copy, bytes, false);
	return ret;
}

static int copy_late(struct uroce_qp *qp, const struct uroce_iovecs *iovecs,
		     struct uroce_packet *packet)
{
	const uint8_t *src = packet->payload;
	int ret = uroce_packet_check(packet);

	for (uint32_t i = 0; i < iovecs->nr && !ret; i++) {
		const struct iovec *iov = &iovecs->iov[i];

		if (iov->iov_base)
			uroce_chaos_store(qp,
					  packet->traits & UROCE_T_RESPONSE
						  ? UROCE_CHAOS_RESPONSE
						  : UROCE_CHAOS_REQUEST,
					  iov->iov_base, src,
					  (uint32_t)iov->iov_len);
		src += iov->iov_len;
	}
	return ret;
}

int uroce_copy_in(struct uroce_qp *qp, const struct uroce_iovecs *iovecs,
		  struct uroce_packet *packet)
{
	const uint8_t *src = packet->payload;

	if (iovecs->on_demand) {
		int ret = uroce_packet_check(packet);

		return ret ? ret : uroce_copy_bytes(iovecs, src);
	}
	if (qp->core->chaos)
		return copy_late(qp, iovecs, packet);
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
