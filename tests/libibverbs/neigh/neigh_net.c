/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Creates the two hosts: see neigh_net.h. The peer is a child process in a
 * network namespace of its own. It exits when the pipe to it is closed.
 */
#include "neigh_net.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define COMMAND_LEN 256

/* Each attempt starts a process, so this takes seconds. */
#define MAX_ATTEMPTS 1000

static struct {
	pid_t pid;
	int to_fd;
	int from_fd;
} peer = { .to_fd = -1, .from_fd = -1 };

static bool write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) >= 0;

	if (fd >= 0)
		(void)close(fd); /* procfs reports errors at write() */
	return ok;
}

/* Root in a user namespace of its own, so that no real privilege is needed. */
static bool enter_namespaces(void)
{
	unsigned int uid = geteuid(), gid = getegid();
	char map[64];

	if (unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return unshare(CLONE_NEWNET) == 0;

	(void)snprintf(map, sizeof(map), "0 %u 1", uid);
	if (!write_text("/proc/self/uid_map", map))
		return false;
	/* old kernels lack the file */
	(void)write_text("/proc/self/setgroups", "deny");
	(void)snprintf(map, sizeof(map), "0 %u 1", gid);
	return write_text("/proc/self/gid_map", map);
}

bool neigh_net_ip(const char *args)
{
	char command[COMMAND_LEN];
	int len = snprintf(command, sizeof(command),
			   "PATH=$PATH:/sbin:/usr/sbin ip %s 2>&1", args);

	/* NOLINTNEXTLINE(cert-env33-c): constants of the tests only */
	return len > 0 && (size_t)len < sizeof(command) && system(command) == 0;
}

bool neigh_net_wait_local(const char *addr, const char *ifname)
{
	char args[COMMAND_LEN];

	(void)snprintf(args, sizeof(args),
		       "-6 route get %s oif %s | grep -q ^local", addr, ifname);
	for (int i = 0; i < MAX_ATTEMPTS; i++)
		if (neigh_net_ip(args))
			return true;
	return false;
}

static bool run_ip_commands(const char *const *commands)
{
	for (; *commands; commands++)
		if (!neigh_net_ip(*commands))
			return false;
	return true;
}

/*
 * One byte per step: the peer has its namespace (to the parent), ve1 is in it
 * (to the peer), ve1 is configured (to the parent).
 */
static void run_peer(int in_fd, int out_fd)
{
	static const char *const setup[] = {
		"link set ve1 addrgenmode none",
		"addr add 10.7.0.2/24 dev ve1",
		"addr add fd00::2/64 dev ve1 nodad",
		"addr add fe80::2/64 dev ve1 nodad",
		"addr add fe80::aa:bbff:fecc:ddee/64 dev ve1 nodad",
		"link set ve1 up",
		NULL,
	};
	char byte = 0;

	if (unshare(CLONE_NEWNET) || write(out_fd, &byte, 1) != 1 ||
	    read(in_fd, &byte, 1) != 1 || !run_ip_commands(setup) ||
	    write(out_fd, &byte, 1) != 1)
		_exit(1);
	(void)!read(in_fd, &byte, 1); /* returns when the pipe is closed */
	_exit(0);
}

static bool start_peer(void)
{
	int in[2], out[2];
	char byte;

	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		return false;
	peer.pid = fork();
	if (peer.pid < 0)
		return false;
	if (peer.pid == 0) {
		(void)close(in[1]);
		(void)close(out[0]);
		run_peer(in[0], out[1]);
	}
	(void)close(in[0]);
	(void)close(out[1]);
	peer.to_fd = in[1];
	peer.from_fd = out[0];
	return read(peer.from_fd, &byte, 1) == 1;
}

static bool configure_veth(void)
{
	static const char *const setup[] = {
		"link set lo up",
		"link set ve0 addrgenmode none",
		"addr add 10.7.0.1/24 dev ve0",
		"addr add fd00::1/64 dev ve0 nodad",
		"addr add fe80::11:22ff:fe33:4455/64 dev ve0 nodad",
		"link set ve0 up",
		NULL,
	};
	char args[COMMAND_LEN], byte = 0;

	(void)snprintf(args, sizeof(args),
		       "link add ve0 address 02:11:22:33:44:55 type veth peer "
		       "name ve1 address 02:aa:bb:cc:dd:ee netns %d",
		       (int)peer.pid);
	return neigh_net_ip(args) && run_ip_commands(setup) &&
	       write(peer.to_fd, &byte, 1) == 1 &&
	       read(peer.from_fd, &byte, 1) == 1 &&
	       neigh_net_wait_local("fd00::1", "ve0") &&
	       neigh_net_wait_local("fe80::11:22ff:fe33:4455", "ve0");
}

const char *neigh_net_enter(void)
{
	if (!neigh_net_ip("-V >/dev/null"))
		return "there is no ip command";
	if (!enter_namespaces())
		return "network namespaces are not permitted";
	if (!start_peer())
		return "a second network namespace cannot be had";
	if (!configure_veth())
		return "a veth pair cannot be set up";
	return NULL;
}

void neigh_net_leave(void)
{
	if (peer.pid <= 0)
		return;
	(void)close(peer.to_fd);
	(void)close(peer.from_fd);
	(void)waitpid(peer.pid, NULL, 0);
}
