/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The functions of <provider/gsi.h>: between the GSI of the process
 * (gsi/uroce_gsi.h) and its users.
 */
#include "uroce/uroce_gsi_ops.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "uroce/gsi/uroce_gsi.h"
#include "uroce/progress/uroce_instance.h"
#include "uroce/verbs/uroce_verbs.h"

struct verbs_gsi {
	struct uroce_gsi_user user;
	struct uroce_instance *instance;
	struct verbs_gsi_handler handler;
};

_Static_assert(VERBS_MAD_SIZE == UROCE_MAD_BYTES, "one size of MADs");

/* Whether the process that made the access is this one. */
static bool gsi_is_alive(const struct verbs_gsi *gsi)
{
	return !uroce_instance_dead(gsi->instance);
}

static void gsi_receive(void *arg, const struct uroce_gsi_mad *mad)
{
	const struct verbs_gsi *gsi = arg;
	struct verbs_gsi_address address = {
		.traffic_class = mad->traffic_class,
		.hop_limit = mad->hop_limit,
		.flow_label = mad->flow_label,
	};

	memcpy(address.local_gid.raw, mad->local_gid, UROCE_GID_LEN);
	memcpy(address.remote_gid.raw, mad->remote_gid, UROCE_GID_LEN);
	gsi->handler.receive(gsi->handler.owner, &address, mad->bytes);
}

static void gsi_owner_ended(void *arg, uint32_t prefix)
{
	const struct verbs_gsi *gsi = arg;

	gsi->handler.owner_ended(gsi->handler.owner, prefix);
}

static int gsi_open(struct ibv_context *context, uint8_t port_num,
		    const struct verbs_gsi_handler *handler,
		    struct verbs_gsi **ret_gsi)
{
	struct uroce_instance *instance = to_uroce_context(context)->instance;
	struct verbs_gsi *gsi;
	int ret;

	if (port_num != UROCE_PORT || !handler->receive ||
	    !handler->owner_ended)
		return EINVAL;
	if (uroce_instance_dead(instance))
		return EIO;
	if (!uroce_instance_gsi(instance))
		return EMFILE;
	gsi = calloc(1, sizeof(*gsi));
	if (!gsi)
		return ENOMEM;
	gsi->instance = instance;
	gsi->handler = *handler;
	gsi->user.receive = gsi_receive;
	gsi->user.owner_ended = gsi_owner_ended;
	gsi->user.arg = gsi;
	ret = uroce_gsi_add_user(uroce_instance_gsi(instance), &gsi->user);
	if (ret) {
		free(gsi);
		return -ret;
	}
	*ret_gsi = gsi;
	return 0;
}

static void gsi_close(struct verbs_gsi *gsi)
{
	uroce_gsi_remove_user(uroce_instance_gsi(gsi->instance), &gsi->user);
	free(gsi);
}

static uint32_t gsi_id_prefix(const struct verbs_gsi *gsi)
{
	return gsi->user.prefix;
}

static int gsi_send(struct verbs_gsi *gsi,
		    const struct verbs_gsi_address *address,
		    const uint8_t *bytes)
{
	struct uroce_gsi_mad mad = {
		.flow_label = address->flow_label,
		.traffic_class = address->traffic_class,
		.hop_limit = address->hop_limit,
	};

	if (!gsi_is_alive(gsi))
		return EIO;
	memcpy(mad.local_gid, address->local_gid.raw, UROCE_GID_LEN);
	memcpy(mad.remote_gid, address->remote_gid.raw, UROCE_GID_LEN);
	memcpy(mad.bytes, bytes, UROCE_MAD_BYTES);
	return -uroce_instance_send_mad(gsi->instance, &mad);
}

/* Return: the address to claim; NULL: all addresses. */
static const uint8_t *claimed_gid(const union ibv_gid *local_gid)
{
	static const union ibv_gid any;

	return memcmp(local_gid, &any, sizeof(any)) ? local_gid->raw : NULL;
}

static int gsi_claim_service(struct verbs_gsi *gsi,
			     const union ibv_gid *local_gid,
			     uint64_t service_id)
{
	const uint8_t *gid = claimed_gid(local_gid);
	struct uroce_netdev dev;

	if (!gsi_is_alive(gsi))
		return EIO;
	uroce_instance_netdev(gsi->instance, &dev);
	if (gid && !uroce_netdev_has_gid(&dev, gid))
		return EADDRNOTAVAIL;
	return -uroce_gsi_claim(uroce_instance_gsi(gsi->instance), &gsi->user,
				gid, dev.ifindex, service_id);
}

static void gsi_release_service(struct verbs_gsi *gsi,
				const union ibv_gid *local_gid,
				uint64_t service_id)
{
	struct uroce_netdev dev;

	if (!gsi_is_alive(gsi))
		return;
	uroce_instance_netdev(gsi->instance, &dev);
	uroce_gsi_release(uroce_instance_gsi(gsi->instance), &gsi->user,
			  claimed_gid(local_gid), dev.ifindex, service_id);
}

static int gsi_watch_owner(struct verbs_gsi *gsi,
			   const union ibv_gid *remote_gid, uint32_t id)
{
	int ret;

	if (!gsi_is_alive(gsi))
		return EIO;
	if (!uroce_instance_is_own_address(gsi->instance, remote_gid->raw))
		return EADDRNOTAVAIL;
	ret = uroce_gsi_watch_owner(uroce_instance_gsi(gsi->instance), id);
	return ret == -ECONNREFUSED ? ESRCH : -ret;
}

static const struct verbs_gsi_ops uroce_gsi_functions = {
	.version = VERBS_GSI_VERSION,
	.open = gsi_open,
	.close = gsi_close,
	.id_prefix = gsi_id_prefix,
	.send = gsi_send,
	.claim_service = gsi_claim_service,
	.release_service = gsi_release_service,
	.watch_owner = gsi_watch_owner,
};

const struct verbs_gsi_ops *uroce_get_gsi_ops(struct ibv_context *ctx,
					      uint32_t version)
{
	return version == VERBS_GSI_VERSION ? &uroce_gsi_functions : NULL;
}
