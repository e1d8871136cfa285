/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Small functions of the private nodes: see foreign_helpers.h. */
#include "foreign/foreign_helpers.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "core/core_context.h"
#include "core/log.h"
#include "foreign/foreign_export.h"

int foreign_query_gid_type(struct ibv_context *context, uint8_t port_num,
			   unsigned int index, enum foreign_gid_type *type)
{
	struct ibv_gid_entry entry = {};
	int ret;

	ret = verbs_ops(context)->query_gid_entry(context, port_num, index,
						  &entry);
	if (ret && ret != -ENODATA) {
		errno = -ret;
		return -1;
	}
	*type = ret == 0 && entry.gid_type == IBV_GID_TYPE_ROCE_V2
			? FOREIGN_GID_ROCE_V2
			: FOREIGN_GID_IB_ROCE_V1;
	return 0;
}
FOREIGN_EXPORT_ALL(foreign_query_gid_type, ibv_query_gid_type)

/* Read the start of a file, up to @size bytes. */
static ssize_t foreign_read_file_start(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int saved_errno;
	ssize_t len;

	if (fd < 0)
		return -1;
	do {
		len = read(fd, buf, size);
	} while (len < 0 && errno == EINTR);
	saved_errno = errno;
	(void)close(fd); /* opened for reading only */
	errno = saved_errno;
	return len;
}

int foreign_read_ibdev_sysfs_file(char *buf, size_t size,
				  const struct foreign_sysfs_dev *sysfs_dev,
				  const char *fnfmt, ...)
{
	char file[PATH_MAX], path[PATH_MAX];
	va_list args;
	ssize_t len;
	int ret;

	if (!sysfs_dev) {
		errno = EINVAL;
		return -1;
	}
	va_start(args, fnfmt);
	ret = vsnprintf(file, sizeof(file), fnfmt, args);
	va_end(args);
	if (ret >= 0 && (size_t)ret < sizeof(file))
		ret = snprintf(path, sizeof(path), "%s/%s",
			       sysfs_dev->ibdev_path, file);
	if (ret < 0 || (size_t)ret >= sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}

	len = foreign_read_file_start(path, buf,
				      size < INT_MAX ? size : INT_MAX);
	if (len <= 0)
		return (int)len;
	if (buf[len - 1] == '\n') {
		len--;
	} else if ((size_t)len == size) {
		errno = EOVERFLOW; /* no room for the terminating NUL */
		return -1;
	}
	buf[len] = '\0';
	return (int)len;
}
FOREIGN_EXPORT_ALL(foreign_read_ibdev_sysfs_file, ibv_read_ibdev_sysfs_file)

const char *foreign_wr_opcode_str(enum ibv_wr_opcode opcode)
{
	return ibv_wr_opcode_str(opcode);
}
FOREIGN_EXPORT_ALL(foreign_wr_opcode_str, ibv_wr_opcode_str)

void foreign_init_cq(struct ibv_cq *cq, struct ibv_context *context,
		     struct ibv_comp_channel *channel, void *cq_context)
{
	verbs_init_cq(cq, context, channel, cq_context);
	if (!channel)
		return;
	(void)pthread_mutex_lock(&context->mutex);
	channel->refcnt++;
	(void)pthread_mutex_unlock(&context->mutex);
}
FOREIGN_EXPORT_ALL(foreign_init_cq, verbs_init_cq)

void foreign_log(void *vctx, uint32_t level, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	verbs_vlog(NULL, level, fmt, args);
	va_end(args);
}
FOREIGN_EXPORT_ALL(foreign_log, __verbs_log)
