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

/*
 * Stores the gathered data. Return: 0; -EFAULT: a page is invalid, and @fail is
 * the function of that message; the caller calls it.
 */
static int gather_store(struct uroce_engine *engine, const struct uroce_qp *qp,
			uroce_copy_fail_fn *fail)
{
	struct uroce_gather *gather = &engine->gather;
	const struct iovec to = { gather->to, gather->bytes };

	if (!gather->qp || !gather->bytes)
		return 0;
	gather->bytes = 0;
	if (!uroce_odp_store(&to, 1, engine->copied_payload))
		return 0;
	if (gather->qp == qp && gather->fail == fail)
		return -EFAULT;
	if (!uroce_qp_is_stopped(gather->qp))
		gather->fail(gather->qp);
	return 0;
}

void uroce_engine_end_receive(struct uroce_engine *engine)
{
	(void)gather_store(engine, NULL, NULL);
}

/* Whether the data of a packet follows the gathered data. */
static bool gather_continues(const struct uroce_gather *gather,
			     const struct uroce_qp *qp,
			     const struct uroce_iovecs *iovecs,
			     uroce_copy_fail_fn *fail)
{
	return gather->bytes && gather->qp == qp && gather->fail == fail &&
	       iovecs->nr == 1 &&
	       iovecs->iov[0].iov_base == gather->to + gather->bytes &&
	       iovecs->iov[0].iov_len <= UROCE_MAX_COPIED_RUN - gather->bytes;
}

static int gather_add(struct uroce_engine *engine, struct uroce_packet *packet)
{
	struct uroce_gather *gather = &engine->gather;
	uint8_t *to = engine->copied_payload + gather->bytes;
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
		       const struct uroce_packet *packet,
		       uroce_copy_fail_fn *fail)
{
	return fail && qp->type == IBV_QPT_RC && !packet->channel &&
	       !(packet->traits & UROCE_T_LAST) && iovecs->nr == 1;
}

static int copy_on_demand(struct uroce_qp *qp,
			  const struct uroce_iovecs *iovecs,
			  struct uroce_packet *packet, uroce_copy_fail_fn *fail)
{
	struct uroce_engine *engine = qp->roce->engine;
	int ret;

	if (!gather_continues(&engine->gather, qp, iovecs, fail)) {
		ret = uroce_packet_check(packet);
		if (ret == 0)
			ret = gather_store(engine, qp, fail);
		if (ret)
			return ret;
		if (!may_gather(qp, iovecs, packet, fail))
			return uroce_copy_bytes(iovecs, packet->payload);
		engine->gather = (struct uroce_gather){
			.qp = qp,
			.fail = fail,
			.to = iovecs->iov[0].iov_base,
		};
	}
	ret = gather_add(engine, packet);
	if (ret == 0 && (packet->traits & UROCE_T_LAST))
		ret = gather_store(engine, qp, fail);
	return ret;
}

int uroce_copy_in(struct uroce_qp *qp, const struct uroce_iovecs *iovecs,
		  struct uroce_packet *packet, uroce_copy_fail_fn *fail)
{
	const uint8_t *src = packet->payload;

	if (iovecs->on_demand)
		return copy_on_demand(qp, iovecs, packet, fail);
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
