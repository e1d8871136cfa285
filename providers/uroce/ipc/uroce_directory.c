/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sends one dump request and parses the response (linux/unix_diag.h). */
#include "uroce/ipc/uroce_directory.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "util/nocancel.h"

#define BUFFER_BYTES 32768
#define TIMEOUT_MS   500
#define ESTABLISHED  1 /* enum of net/tcp_states.h: connected sockets */

#ifndef UDIAG_SHOW_UID /* Linux 5.3 */
#define UDIAG_SHOW_UID 0x40
#define UNIX_DIAG_UID  7
#endif

union buffer {
	struct nlmsghdr align;
	char bytes[BUFFER_BYTES];
};

static int send_request(int fd)
{
	struct {
		struct nlmsghdr header;
		struct unix_diag_req body;
	} request = {
		.header = {
			.nlmsg_len = sizeof(request),
			.nlmsg_type = SOCK_DIAG_BY_FAMILY,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
		},
		.body = {
			.sdiag_family = AF_UNIX,
			.udiag_states = ~(1u << ESTABLISHED),
			.udiag_show = UDIAG_SHOW_NAME | UDIAG_SHOW_UID,
		},
	};

	return send(fd, &request, sizeof(request), 0) < 0 ? -errno : 0;
}

/* Parses a slot and a suffix, which follow @prefix_len bytes of @name. */
static void add_name(struct uroce_directory *directory, const char *name,
		     size_t len, size_t prefix_len)
{
	struct uroce_directory_entry *entry;
	char text[32];
	char *suffix;
	unsigned long slot;

	if (len <= prefix_len || len - prefix_len >= sizeof(text))
		return;
	memcpy(text, name + prefix_len, len - prefix_len);
	text[len - prefix_len] = 0;
	if (text[0] < '0' || text[0] > '9')
		return;
	slot = strtoul(text, &suffix, 10);
	if (slot >= UROCE_DIRECTORY_SLOTS || (*suffix && *suffix != '~') ||
	    strlen(suffix) >= UROCE_SUFFIX_SIZE || strchr(suffix, '.'))
		return;
	entry = &directory->slots[slot];
	entry->nr_claims++;
	memcpy(entry->suffix, suffix, strlen(suffix) + 1);
}

static const struct rtattr *next_attr(const struct rtattr *attr)
{
	return (const void *)((const char *)attr + RTA_ALIGN(attr->rta_len));
}

static const struct nlmsghdr *next_message(const struct nlmsghdr *header)
{
	return (const void *)((const char *)header +
			      NLMSG_ALIGN(header->nlmsg_len));
}

static void add_socket(struct uroce_directory *directory,
		       const struct nlmsghdr *header)
{
	const struct unix_diag_msg *msg = NLMSG_DATA(header);
	const struct rtattr *attr = (const void *)(msg + 1), *name = NULL;
	const char *end = (const char *)header + header->nlmsg_len;
	uint32_t uid = 0;
	bool has_uid = false;
	struct sockaddr_un prefix;
	size_t prefix_len;

	if (header->nlmsg_len < NLMSG_LENGTH(sizeof(*msg)))
		return;
	for (; RTA_OK(attr, end - (const char *)attr); attr = next_attr(attr)) {
		if (attr->rta_type == UNIX_DIAG_NAME) {
			name = attr;
		} else if (attr->rta_type == UNIX_DIAG_UID &&
			   RTA_PAYLOAD(attr) == sizeof(uid)) {
			memcpy(&uid, RTA_DATA(attr), sizeof(uid));
			has_uid = true;
		}
	}
	directory->complete = directory->complete && has_uid;
	if (!name || uid != uroce_identity_uid() ||
	    msg->udiag_type != SOCK_SEQPACKET)
		return;
	/* the member name of slot 0, without its last character, the slot */
	prefix_len = uroce_identity_name(UROCE_NAME_MEMBER, 0, "", &prefix) -
		     offsetof(struct sockaddr_un, sun_path) - 1;
	if (RTA_PAYLOAD(name) >= prefix_len &&
	    memcmp(RTA_DATA(name), prefix.sun_path, prefix_len) == 0)
		add_name(directory, RTA_DATA(name), RTA_PAYLOAD(name),
			 prefix_len);
}

/* Return: type of the message that ends the response; 0: more follow. */
static unsigned int add_messages(struct uroce_directory *directory,
				 const struct nlmsghdr *header, size_t len)
{
	const char *end = (const char *)header + len;

	for (; NLMSG_OK(header, end - (const char *)header);
	     header = next_message(header)) {
		if (header->nlmsg_type == NLMSG_DONE ||
		    header->nlmsg_type == NLMSG_ERROR)
			return header->nlmsg_type;
		add_socket(directory, header);
	}
	return 0;
}

static void read_sockets(int fd, struct uroce_directory *directory,
			 union buffer *buffer)
{
	unsigned int end = 0;
	ssize_t len = send_request(fd) ? 0 : 1;

	directory->complete = true;
	while (len > 0 && !end) {
		len = recv(fd, buffer->bytes, sizeof(buffer->bytes), 0);
		if (len > 0)
			end = add_messages(directory, &buffer->align,
					   (size_t)len);
	}
	if (end != NLMSG_DONE)
		directory->complete = false;
}

void uroce_directory_read(struct uroce_directory *ret_directory)
{
	struct timeval time = { .tv_usec = TIMEOUT_MS * 1000 };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	union buffer *buffer = malloc(sizeof(*buffer));

	*ret_directory = (struct uroce_directory){};
	if (fd >= 0 && buffer &&
	    !setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time)))
		read_sockets(fd, ret_directory, buffer);
	free(buffer);
	if (fd >= 0)
		(void)close(fd);
}

const char *uroce_directory_suffix(const struct uroce_directory *directory,
				   uint32_t slot)
{
	if (slot >= UROCE_DIRECTORY_SLOTS)
		return NULL;
	if (!directory->complete)
		return "";
	return directory->slots[slot].nr_claims ? directory->slots[slot].suffix
						: NULL;
}
