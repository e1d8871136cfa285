/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Explains an ibv_open_device(3) that failed. */
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "layers/explain.h"

static void open_add_permission(struct explain_text *text, const char *path)
{
	struct stat st;

	explain_add(text, "uid %u may not open %s for reading and writing",
		    (unsigned int)geteuid(), path);
	if (stat(path, &st) == 0)
		explain_add(text, " (mode 0%o, uid %u, gid %u)",
			    (unsigned int)(st.st_mode & 07777),
			    (unsigned int)st.st_uid, (unsigned int)st.st_gid);
	explain_add(text, "; change its mode by a udev rule, or add the user "
			  "to its group. In a container, also permit the "
			  "device");
}

static void open_add_node_reason(struct explain_text *text, const char *path,
				 int error)
{
	switch (error) {
	case EACCES:
	case EPERM:
		open_add_permission(text, path);
		break;
	case ENOENT:
	case ENOTDIR:
		explain_add(text,
			    "there is no node %s; load the kernel module "
			    "ib_uverbs, or map the node into the container",
			    path);
		break;
	default:
		explain_add(text,
			    "the driver refused to open %s; the kernel log "
			    "may contain the reason",
			    path);
	}
}

static void open_add_reason(struct explain_text *text, const char *node,
			    int error)
{
	struct rlimit limit = {};
	char path[128];

	if (error == EMFILE) {
		(void)getrlimit(RLIMIT_NOFILE, &limit); /* cannot fail */
		explain_add(text,
			    "the process has no free descriptor "
			    "(RLIMIT_NOFILE is %lu, ulimit -n)",
			    (unsigned long)limit.rlim_cur);
	} else if (node) {
		(void)snprintf(path, sizeof(path), "/dev/infiniband/%s", node);
		open_add_node_reason(text, path, error);
	} else {
		explain_add(text,
			    "the user-space device cannot be opened; "
			    "VERBS_LOG_LEVEL=2 and VERBS_LOG_FILE have the "
			    "reason");
	}
}

void explain_open(const char *device, const char *node, int error)
{
	struct explain_text text = {};

	explain_add(&text, "ibv_open_device(%s): ", device);
	explain_add_errno(&text, error);
	explain_add(&text, ": ");
	open_add_reason(&text, node, error);
	explain_add(&text, ".");
	explain_print(EXPLAIN_OPEN, &text);
}
