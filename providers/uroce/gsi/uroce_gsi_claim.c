/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of claims, and connections to them. Called by uroce_gsi.c and
 * uroce_gsi_route.c.
 */
#include "uroce/gsi/uroce_gsi_claim.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "uroce/ipc/uroce_rendezvous.h"
#include "util/nocancel.h"

_Static_assert(sizeof(struct uroce_gsi_message) ==
		       4 + 2 * UROCE_GID_LEN + 8 + UROCE_MAD_BYTES,
	       "no padding, which would be sent uninitialized");

static struct uroce_gsi_name
service_name(const uint8_t *gid, unsigned int ifindex, uint64_t service_id)
{
	struct uroce_gsi_name name = {
		.kind = gid ? UROCE_GSI_NAME_SERVICE
			    : UROCE_GSI_NAME_ANY_SERVICE,
		.number = gid ? 0 : ifindex,
		.service_id = service_id,
	};

	if (gid)
		memcpy(name.gid, gid, UROCE_GID_LEN);
	return name;
}

static struct uroce_gsi_name prefix_name(uint32_t id)
{
	return (struct uroce_gsi_name){
		.kind = UROCE_GSI_NAME_PREFIX,
		.number = id >> 16,
	};
}

static void write_name(char *text, const struct uroce_gsi_name *name)
{
	char address[2 * UROCE_GID_LEN + 1];

	if (name->kind == UROCE_GSI_NAME_PREFIX) {
		(void)snprintf(text, UROCE_GSI_TEXT_SIZE, "i.%" PRIx32,
			       name->number);
		return;
	}
	if (name->kind == UROCE_GSI_NAME_SERVICE)
		for (int i = 0; i < UROCE_GID_LEN; i++)
			(void)snprintf(address + (size_t)2 * i, 3, "%02x",
				       name->gid[i]);
	else
		(void)snprintf(address, sizeof(address), "if%" PRIu32,
			       name->number);
	(void)snprintf(text, UROCE_GSI_TEXT_SIZE, "s.%s.%" PRIx64, address,
		       name->service_id);
}

static int name_listen(const struct uroce_gsi_name *name)
{
	char text[UROCE_GSI_TEXT_SIZE];

	write_name(text, name);
	return uroce_rendezvous_listen_gsi(text);
}

int uroce_gsi_listen_service(const uint8_t *gid, unsigned int ifindex,
			     uint64_t service_id)
{
	const struct uroce_gsi_name name =
		service_name(gid, ifindex, service_id);

	return name_listen(&name);
}

int uroce_gsi_listen_prefix(uint32_t prefix)
{
	const struct uroce_gsi_name name = prefix_name(prefix);

	return name_listen(&name);
}

void uroce_gsi_links_init(struct uroce_gsi_links *links)
{
	*links = (struct uroce_gsi_links){};
	(void)pthread_mutex_init(&links->mutex, NULL);
	for (int i = 0; i < UROCE_GSI_NR_LINKS; i++)
		links->links[i].fd = -1;
}

static void link_close(struct uroce_gsi_link *link)
{
	if (link->fd >= 0)
		(void)close(link->fd);
	link->fd = -1;
}

void uroce_gsi_links_close(struct uroce_gsi_links *links)
{
	for (int i = 0; i < UROCE_GSI_NR_LINKS; i++)
		link_close(&links->links[i]);
}

void uroce_gsi_links_fini(struct uroce_gsi_links *links)
{
	uroce_gsi_links_close(links);
	(void)pthread_mutex_destroy(&links->mutex);
}

static struct uroce_gsi_link *
link_find_locked(struct uroce_gsi_links *links,
		 const struct uroce_gsi_name *name)
{
	for (int i = 0; i < UROCE_GSI_NR_LINKS; i++) {
		struct uroce_gsi_link *link = &links->links[i];

		if (link->fd >= 0 && !memcmp(&link->name, name, sizeof(*name)))
			return link;
	}
	return NULL;
}

static int link_send(const struct uroce_gsi_link *link,
		     const struct uroce_gsi_mad *mad)
{
	const struct uroce_gsi_message message = {
		.magic = UROCE_GSI_MAGIC,
		.mad = *mad,
	};

	return uroce_message_try_send(link->fd, &message, sizeof(message), NULL,
				      0);
}

static int name_connect(const struct uroce_gsi_name *name)
{
	char text[UROCE_GSI_TEXT_SIZE];
	int fd;

	write_name(text, name);
	fd = uroce_rendezvous_connect_gsi(text);
	return fd == -ECONNREFUSED || fd == -EPERM ? -ENOENT : fd;
}

/*
 * A connection that is full, or whose owner is gone, is replaced. The owner
 * receives what is in a full one also after it was closed here.
 */
static int name_send_locked(struct uroce_gsi_links *links,
			    const struct uroce_gsi_name *name,
			    const struct uroce_gsi_mad *mad)
{
	struct uroce_gsi_link *link = link_find_locked(links, name);
	int fd;

	if (link) {
		if (!link_send(link, mad))
			return 0;
		link_close(link);
	}
	fd = name_connect(name);
	if (fd < 0)
		return fd;
	if (!link)
		link = &links->links[links->next++ % UROCE_GSI_NR_LINKS];
	link_close(link);
	link->fd = fd;
	link->name = *name;
	return link_send(link, mad);
}

static int name_send(struct uroce_gsi_links *links,
		     const struct uroce_gsi_name *name,
		     const struct uroce_gsi_mad *mad)
{
	int ret;

	(void)pthread_mutex_lock(&links->mutex);
	ret = name_send_locked(links, name, mad);
	(void)pthread_mutex_unlock(&links->mutex);
	return ret;
}

int uroce_gsi_forward_service(struct uroce_gsi_links *links, const uint8_t *gid,
			      unsigned int ifindex, uint64_t service_id,
			      const struct uroce_gsi_mad *mad)
{
	const struct uroce_gsi_name name =
		service_name(gid, ifindex, service_id);

	return name_send(links, &name, mad);
}

int uroce_gsi_forward_id(struct uroce_gsi_links *links, uint32_t id,
			 const struct uroce_gsi_mad *mad)
{
	const struct uroce_gsi_name name = prefix_name(id);

	return name_send(links, &name, mad);
}
