/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Event channels with ids in the kernel; calls kernel/ and channel/. */
#include "api/kernel_channel.h"

#include "api/kernel_event.h"
#include "kernel/ucm_node.h"

#include "util/lock.h"

#include <errno.h>
#include <unistd.h>

/* The node, when it was found; its number does not change. */
static struct verbs_mutex node_mutex = VERBS_MUTEX_INIT;
static struct ucm_node node GUARDED_BY(node_mutex);
static bool node_is_known GUARDED_BY(node_mutex);

static int node_get(struct ucm_node *ret_node)
{
	bool is_known;
	int ret;

	verbs_mutex_lock(&node_mutex);
	is_known = node_is_known;
	*ret_node = node;
	verbs_mutex_unlock(&node_mutex);
	if (is_known)
		return 0;
	/* Without the lock, since it may load a module. */
	ret = ucm_node_find(ret_node);
	if (ret || !ret_node->has_number)
		return ret;
	verbs_mutex_lock(&node_mutex);
	node = *ret_node;
	node_is_known = true;
	verbs_mutex_unlock(&node_mutex);
	return 0;
}

int kernel_channel_open(struct channel *channel, int *ret_fd)
{
	struct ucm_node found;
	int fd = channel_watched_fd(channel);
	int ret = 0;

	if (fd < 0) {
		ret = node_get(&found);
		if (!ret)
			ret = ucm_node_open(&found, &fd);
		if (ret)
			return ret;
		ret = channel_watch(channel, fd, kernel_event_read);
	}
	if (ret) {
		(void)close(fd); /* no command was sent */
		/* Another thread was faster. */
		if (ret != -EEXIST)
			return ret;
		fd = channel_watched_fd(channel);
	}
	*ret_fd = fd;
	return 0;
}

void kernel_channel_free(struct channel *channel)
{
	int fd = channel_watched_fd(channel);

	event_channel_free(channel);
	if (fd >= 0)
		(void)close(fd); /* destroys its ids */
}
