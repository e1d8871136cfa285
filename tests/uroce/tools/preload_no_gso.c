/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * preload_no_gso.so - for LD_PRELOAD: a kernel that does not cut a message into
 * datagrams (UDP_SEGMENT, see udp(7)). That is asked for beside the message,
 * where no filter of system calls can look.
 */
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>

static bool wants_cutting(const struct msghdr *msg)
{
	struct msghdr copy = *msg; /* CMSG_NXTHDR() wants one to write to */

	for (struct cmsghdr *cmsg = CMSG_FIRSTHDR(&copy); cmsg;
	     cmsg = CMSG_NXTHDR(&copy, cmsg))
		if (cmsg->cmsg_level == IPPROTO_UDP)
			return true;
	return false;
}

/* The C library's own. */
static void *next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

ssize_t sendmsg(int fd, const struct msghdr *msg, int flags)
{
	static ssize_t (*real)(int, const struct msghdr *, int);

	if (!real)
		*(void **)&real = next("sendmsg");
	if (!wants_cutting(msg))
		return real(fd, msg, flags);
	errno = EIO;
	return -1;
}

int sendmmsg(int fd, struct mmsghdr *messages, unsigned int nr, int flags)
{
	static int (*real)(int, struct mmsghdr *, unsigned int, int);
	unsigned int good = 0;

	if (!real)
		*(void **)&real = next("sendmmsg");
	while (good < nr && !wants_cutting(&messages[good].msg_hdr))
		good++;
	if (good || !nr)
		return real(fd, messages, good, flags);
	errno = EIO;
	return -1;
}
