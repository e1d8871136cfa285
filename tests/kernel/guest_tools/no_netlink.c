/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * no_netlink COMMAND [ARG]... - runs a command without RDMA netlink: a system
 * call filter makes socket(AF_NETLINK, ..., NETLINK_RDMA) fail with
 * EPROTONOSUPPORT, as a kernel without it does. Discovery then uses only sysfs.
 * The filter survives exec and is inherited by children.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The low half of a 64-bit argument on a little-endian machine. */
#define ARG(n) ((unsigned int)offsetof(struct seccomp_data, args[n]))
#define NR     ((unsigned int)offsetof(struct seccomp_data, nr))

int main(int argc, char **argv)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, NR),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 5),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARG(0)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_NETLINK, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARG(2)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NETLINK_RDMA, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPROTONOSUPPORT),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {
		.len = sizeof(filter) / sizeof(filter[0]),
		.filter = filter,
	};

	if (argc < 2) {
		fprintf(stderr, "usage: no_netlink COMMAND [ARG]...\n");
		return 125;
	}
	/*
	 * Root does not need this setting, and set-uid programs keep working
	 * without it.
	 */
	if (geteuid() && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) {
		perror("no_netlink: no_new_privs");
		return 125;
	}
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0)) {
		perror("no_netlink: seccomp");
		return 125;
	}
	if (socket(AF_NETLINK, SOCK_RAW, NETLINK_RDMA) != -1 ||
	    errno != EPROTONOSUPPORT) {
		fprintf(stderr, "no_netlink: the filter does not work\n");
		return 125;
	}
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 125;
}
