/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * preload_no_gso.so - for LD_PRELOAD: replaces a kernel without UDP_SEGMENT
 * (see udp(7)). The option is in ancillary data of the message, which a system
 * call filter cannot read.
 */
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>

static bool has_segment_option(const struct msghdr *msg)
{
	struct msghdr copy = *msg; /* CMSG_NXTHDR() needs a writable one */

	for (struct cmsghdr *cmsg = CMSG_FIRSTHDR(&copy); cmsg;
	     cmsg = CMSG_NXTHDR(&copy, cmsg))
		if (cmsg->cmsg_level == IPPROTO_UDP)
			return true;
	return false;
}

/* Return: the C library's function. */
static void *next_symbol(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

ssize_t sendmsg(int fd, const struct msghdr *msg, int flags)
{
	static ssize_t (*real)(int, const struct msghdr *, int);

	if (!real)
		*(void **)&real = next_symbol("sendmsg");
	if (!has_segment_option(msg))
		return real(fd, msg, flags);
	errno = EIO;
	return -1;
}

int sendmmsg(int fd, struct mmsghdr *messages, unsigned int nr, int flags)
{
	static int (*real)(int, struct mmsghdr *, unsigned int, int);
	unsigned int good = 0;

	if (!real)
		*(void **)&real = next_symbol("sendmmsg");
	while (good < nr && !has_segment_option(&messages[good].msg_hdr))
		good++;
	if (good || !nr)
		return real(fd, messages, good, flags);
	errno = EIO;
	return -1;
}
