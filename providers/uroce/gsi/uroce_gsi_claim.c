/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of claims, and messages to them. Called by uroce_gsi.c and
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

#define MAGIC	30306 /* changes with struct forwarded_mad */
#define TAKE_MS 20

struct forwarded_mad {
	uint32_t magic;
	struct uroce_gsi_mad mad;
};

_Static_assert(sizeof(struct forwarded_mad) ==
		       4 + 2 * UROCE_GID_LEN + 8 + UROCE_MAD_BYTES,
	       "no padding, which would be sent uninitialized");

static void write_service_name(char *text, const uint8_t *gid,
			       unsigned int ifindex, uint64_t service_id)
{
	char address[2 * UROCE_GID_LEN + 1];

	if (gid)
		for (int i = 0; i < UROCE_GID_LEN; i++)
			(void)snprintf(address + (size_t)2 * i, 3, "%02x",
				       gid[i]);
	else
		(void)snprintf(address, sizeof(address), "if%u", ifindex);
	(void)snprintf(text, UROCE_GSI_TEXT_SIZE, "s.%s.%" PRIx64, address,
		       service_id);
}

static void write_id_name(char *text, uint32_t id)
{
	(void)snprintf(text, UROCE_GSI_TEXT_SIZE, "i.%" PRIx32, id >> 16);
}

int uroce_gsi_listen_service(const uint8_t *gid, unsigned int ifindex,
			     uint64_t service_id)
{
	char text[UROCE_GSI_TEXT_SIZE];

	write_service_name(text, gid, ifindex, service_id);
	return uroce_rendezvous_listen_gsi(text);
}

int uroce_gsi_listen_prefix(uint32_t prefix)
{
	char text[UROCE_GSI_TEXT_SIZE];

	write_id_name(text, prefix);
	return uroce_rendezvous_listen_gsi(text);
}

static int forward_mad(const char *text, const struct uroce_gsi_mad *mad)
{
	struct forwarded_mad forwarded = { .magic = MAGIC, .mad = *mad };
	int fd = uroce_rendezvous_connect_gsi(text);
	int ret;

	if (fd == -ECONNREFUSED || fd == -EPERM)
		return -ENOENT;
	if (fd < 0)
		return fd;
	ret = uroce_message_try_send(fd, &forwarded, sizeof(forwarded), NULL,
				     0);
	(void)close(fd);
	return ret;
}

int uroce_gsi_forward_service(const uint8_t *gid, unsigned int ifindex,
			      uint64_t service_id,
			      const struct uroce_gsi_mad *mad)
{
	char text[UROCE_GSI_TEXT_SIZE];

	write_service_name(text, gid, ifindex, service_id);
	return forward_mad(text, mad);
}

int uroce_gsi_forward_id(uint32_t id, const struct uroce_gsi_mad *mad)
{
	char text[UROCE_GSI_TEXT_SIZE];

	write_id_name(text, id);
	return forward_mad(text, mad);
}

int uroce_gsi_accept(int listener)
{
	return uroce_rendezvous_accept(listener, TAKE_MS);
}

int uroce_gsi_take(int fd, struct uroce_gsi_mad *ret_mad)
{
	struct forwarded_mad forwarded;
	int fds[UROCE_MAX_PASSED];
	int nr = uroce_message_receive(fd, &forwarded, sizeof(forwarded), fds);
	int ret = nr < 0 ? nr : 0;

	/* uroce passes no descriptors here; they would fill the table */
	for (; nr > 0; nr--)
		(void)close(fds[nr - 1]);
	(void)close(fd);
	if (!ret && forwarded.magic != MAGIC)
		ret = -EPROTO;
	if (!ret)
		*ret_mad = forwarded.mad;
	return ret;
}
