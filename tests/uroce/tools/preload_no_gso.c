/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * preload_no_gso.so - for LD_PRELOAD: replaces a kernel without UDP_SEGMENT
 * (see udp(7)). The option is in ancillary data of the message, which a system
 * call filter cannot read.
 */
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool has_segment_option(const struct msghdr *msg)
{
	struct msghdr copy = *msg; /* CMSG_NXTHDR() needs a writable one */

	for (struct cmsghdr *cmsg = CMSG_FIRSTHDR(&copy); cmsg;
	     cmsg = CMSG_NXTHDR(&copy, cmsg))
		if (cmsg->cmsg_level == IPPROTO_UDP)
			return true;
	return false;
}

/* The device makes its system calls by syscall(2). */
long syscall(long number, ...)
{
	static long (*real)(long, ...);
	struct mmsghdr *messages;
	unsigned long arg[6];
	unsigned long good = 0;
	va_list args;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "syscall");
	va_start(args, number);
	for (int i = 0; i < 6; i++)
		arg[i] = va_arg(args, unsigned long);
	va_end(args);
	if (number == SYS_sendmmsg) {
		messages = (struct mmsghdr *)arg[1];
		while (good < arg[2] &&
		       !has_segment_option(&messages[good].msg_hdr))
			good++;
		if (good || !arg[2])
			return real(number, arg[0], arg[1], good, arg[3]);
	} else if (number != SYS_sendmsg ||
		   !has_segment_option((struct msghdr *)arg[1])) {
		return real(number, arg[0], arg[1], arg[2], arg[3], arg[4],
			    arg[5]);
	}
	errno = EIO;
	return -1;
}
