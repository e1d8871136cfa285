/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of claims, and connections to them. Called by uroce_gsi.c and
 * uroce_gsi_route.c.
 */
#include "uroce/gsi/uroce_gsi_claim.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
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

void uroce_gsi_links_init(struct uroce_gsi_links *links, int epoll)
{
	*links = (struct uroce_gsi_links){ .epoll = epoll };
	(void)pthread_mutex_init(&links->mutex, NULL);
	for (int i = 0; i < UROCE_GSI_NR_LINKS; i++)
		links->links[i].fd = -1;
}

static void link_close(const struct uroce_gsi_links *links,
		       struct uroce_gsi_link *link)
{
	if (link->fd < 0)
		return;
	/* a descriptor in a child would keep it in the set */
	if (links->epoll >= 0)
		(void)epoll_ctl(links->epoll, EPOLL_CTL_DEL, link->fd, NULL);
	(void)close(link->fd);
	link->fd = -1;
}

void uroce_gsi_links_close(struct uroce_gsi_links *links)
{
	links->epoll = -1;
	for (int i = 0; i < UROCE_GSI_NR_LINKS; i++)
		link_close(links, &links->links[i]);
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

static struct uroce_gsi_link *link_find_fd_locked(struct uroce_gsi_links *links,
						  int fd)
{
	for (int i = 0; i < UROCE_GSI_NR_LINKS; i++)
		if (links->links[i].fd == fd)
			return &links->links[i];
	return NULL;
}

/* A link without connection, or else the one to replace. */
static struct uroce_gsi_link *link_choose_locked(struct uroce_gsi_links *links)
{
	struct uroce_gsi_link *link = link_find_fd_locked(links, -1);

	return link ? link : &links->links[links->next++ % UROCE_GSI_NR_LINKS];
}

static int name_connect(const struct uroce_gsi_name *name)
{
	char text[UROCE_GSI_TEXT_SIZE];

	write_name(text, name);
	return uroce_rendezvous_connect_gsi(text);
}

/*
 * Connects to an owner. @link: replaced; NULL: none. If the owner is gone, the
 * link stays until uroce_gsi_links_end() reports that.
 */
static int link_open_locked(struct uroce_gsi_links *links,
			    const struct uroce_gsi_name *name,
			    struct uroce_gsi_link **link)
{
	struct epoll_event event = { .events = EPOLLRDHUP };
	int fd = name_connect(name);

	if (fd < 0)
		return fd;
	if (!*link)
		*link = link_choose_locked(links);
	link_close(links, *link);
	(*link)->fd = fd;
	(*link)->name = *name;
	event.data.fd = fd;
	/* fails without memory only: then the end of the owner is not seen */
	(void)epoll_ctl(links->epoll, EPOLL_CTL_ADD, fd, &event);
	return 0;
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
	int ret;

	if (link && !link_send(link, mad))
		return 0;
	ret = link_open_locked(links, name, &link);
	if (ret)
		return ret == -ECONNREFUSED || ret == -EPERM ? -ENOENT : ret;
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

int uroce_gsi_watch_id(struct uroce_gsi_links *links, uint32_t id)
{
	const struct uroce_gsi_name name = prefix_name(id);
	struct uroce_gsi_link *link;
	int ret = 0;

	(void)pthread_mutex_lock(&links->mutex);
	link = link_find_locked(links, &name);
	if (!link)
		ret = link_open_locked(links, &name, &link);
	(void)pthread_mutex_unlock(&links->mutex);
	return ret;
}

bool uroce_gsi_links_have(struct uroce_gsi_links *links, int fd)
{
	bool found;

	(void)pthread_mutex_lock(&links->mutex);
	found = link_find_fd_locked(links, fd) != NULL;
	(void)pthread_mutex_unlock(&links->mutex);
	return found;
}

/* The descriptor may be a new one of the same number. */
static bool link_has_ended(const struct uroce_gsi_link *link)
{
	struct pollfd poll_fd = { .fd = link->fd, .events = POLLRDHUP };

	return poll(&poll_fd, 1, 0) == 1;
}

bool uroce_gsi_links_end(struct uroce_gsi_links *links, int fd,
			 uint32_t *ret_prefix)
{
	struct uroce_gsi_link *link;
	bool owner_ended = false;
	uint32_t notice;

	(void)pthread_mutex_lock(&links->mutex);
	link = link_find_fd_locked(links, fd);
	if (link && link_has_ended(link)) {
		owner_ended = link->name.kind == UROCE_GSI_NAME_PREFIX &&
			      recv(fd, &notice, sizeof(notice), MSG_DONTWAIT) <=
				      0;
		*ret_prefix = link->name.number << 16;
		link_close(links, link);
	}
	(void)pthread_mutex_unlock(&links->mutex);
	return owner_ended;
}
