/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The responder and the requester copy the payload of SENDs and of READ
 * responses while the ICRC is verified; they verify other packets first.
 */
#include "uroce/roce/uroce_copy.h"

#include <errno.h>
#include <string.h>

#include "uroce/qp/uroce_chaos.h"
#include "uroce/qp/uroce_odp.h"
#include "uroce/roce/uroce_engine.h"

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

static void gather_free(struct uroce_qp *qp, struct uroce_gather *gather)
{
	if (gather->data)
		uroce_pages_keep(&qp->roce->engine->gather_pages, gather->data,
				 UROCE_MAX_COPIED_RUN);
	*gather = (struct uroce_gather){};
}

int uroce_gather_store(struct uroce_qp *qp, struct uroce_gather *gather)
{
	const struct iovec to = { gather->to, gather->bytes };
	int ret = 0;

	if (gather->bytes)
		ret = uroce_odp_store(&to, 1, gather->data);
	gather_free(qp, gather);
	return ret;
}

void uroce_gather_drop(struct uroce_qp *qp)
{
	gather_free(qp, &qp->roce->requests);
	gather_free(qp, &qp->roce->responses);
	list_del(&qp->roce->gathering);
}

/* Return: false if there is no memory. */
static bool gather_begin(struct uroce_qp *qp, struct uroce_gather *gather,
			 uint8_t *to)
{
	struct uroce_engine *engine = qp->roce->engine;

	gather->data =
		uroce_pages_take(&engine->gather_pages, UROCE_MAX_COPIED_RUN);
	gather->to = to;
	if (gather->data && list_empty(&qp->roce->gathering))
		list_add_tail(&engine->gathering, &qp->roce->gathering);
	return gather->data;
}

/* Whether the data of a packet follows the gathered data. */
static bool gather_continues(const struct uroce_gather *gather,
			     const struct uroce_iovecs *iovecs)
{
	return gather->bytes && iovecs->nr == 1 &&
	       iovecs->iov[0].iov_base == gather->to + gather->bytes &&
	       iovecs->iov[0].iov_len <= UROCE_MAX_COPIED_RUN - gather->bytes;
}

static int gather_add(struct uroce_gather *gather, struct uroce_packet *packet)
{
	uint8_t *to = gather->data + gather->bytes;
	int ret;

	if (packet->icrc_check)
		packet->icrc_check->copy(packet->icrc_check, to,
					 packet->payload_len);
	else
		memcpy(to, packet->payload, packet->payload_len);
	ret = uroce_packet_check(packet);
	if (ret == 0)
		gather->bytes += packet->payload_len;
	return ret;
}

/*
 * Without a channel, a pass receives many packets before it sends. Those of UC
 * may belong to a message that is lost.
 */
static bool may_gather(const struct uroce_qp *qp,
		       const struct uroce_iovecs *iovecs,
		       const struct uroce_packet *packet)
{
	return qp->type == IBV_QPT_RC && !packet->channel &&
	       !(packet->traits & UROCE_T_LAST) && iovecs->nr == 1;
}

static int copy_on_demand(struct uroce_qp *qp,
			  const struct uroce_iovecs *iovecs,
			  struct uroce_packet *packet, bool in_order)
{
	struct uroce_gather *gather = packet->traits & UROCE_T_RESPONSE
					      ? &qp->roce->responses
					      : &qp->roce->requests;
	int ret;

	if (!in_order || !gather_continues(gather, iovecs)) {
		ret = uroce_packet_check(packet);
		if (ret == 0)
			ret = uroce_gather_store(qp, gather);
		if (ret)
			return ret;
		if (!in_order || !may_gather(qp, iovecs, packet) ||
		    !gather_begin(qp, gather, iovecs->iov[0].iov_base))
			return uroce_copy_bytes(iovecs, packet->payload);
	}
	ret = gather_add(gather, packet);
	if (ret == 0 && (packet->traits & UROCE_T_LAST))
		ret = uroce_gather_store(qp, gather);
	return ret;
}

int uroce_copy_in(struct uroce_qp *qp, const struct uroce_iovecs *iovecs,
		  struct uroce_packet *packet, bool in_order)
{
	const uint8_t *src = packet->payload;

	if (iovecs->on_demand)
		return copy_on_demand(qp, iovecs, packet, in_order);
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
