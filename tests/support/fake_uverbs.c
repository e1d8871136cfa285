/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Replaces the uverbs device nodes of the kernel: see fake_uverbs.h. A node is
 * a regular file whose length encodes its number: the replaced fstat() reports
 * it as a character device, and needs no other information.
 */
#include "support/fake_uverbs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

#define DEV_DIR	    "/dev/infiniband"
#define MAJOR	    231
#define FIRST_MINOR 192

/* Written only by fake_uverbs_start(), before threads exist. */
static char folder[64];
static struct stat folder_stat;
static unsigned int nr_made;

int __real_open(const char *path, int flags, ...);
int __real_stat(const char *path, struct stat *st);
int __real_fstat(int fd, struct stat *st);

void fake_uverbs_start(unsigned int nr_nodes)
{
	char path[sizeof(folder) + 32];

	(void)strcpy(folder, "/tmp/fake_uverbs.XXXXXX");
	assert_non_null(mkdtemp(folder));
	for (nr_made = 0; nr_made < nr_nodes; nr_made++) {
		int fd;

		(void)snprintf(path, sizeof(path), "%s/uverbs%u", folder,
			       nr_made);
		fd = __real_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		assert_true(fd >= 0);
		assert_int_equal(ftruncate(fd, nr_made + 1), 0);
		(void)close(fd); /* empty file */
	}
	assert_int_equal(__real_stat(folder, &folder_stat), 0);
}

void fake_uverbs_stop(void)
{
	char path[sizeof(folder) + 32];

	while (nr_made > 0) {
		(void)snprintf(path, sizeof(path), "%s/uverbs%u", folder,
			       --nr_made);
		(void)unlink(path); /* at worst, a temporary file remains */
	}
	(void)rmdir(folder);
}

/* mmmMMMmm: low byte of the minor number, major number, rest of the minor */
uint32_t fake_uverbs_chardev(unsigned int n)
{
	uint32_t minor_number = FIRST_MINOR + n;

	return (minor_number & 0xff) | MAJOR << 8 |
	       (minor_number & ~0xffu) << 12;
}

/* Return: the path in the folder that replaces /dev/infiniband. */
static const char *redirect_path(const char *path, char buf[PATH_MAX])
{
	if (strncmp(path, DEV_DIR, strlen(DEV_DIR)) != 0)
		return path;
	(void)snprintf(buf, PATH_MAX, "%s%s", folder, path + strlen(DEV_DIR));
	return buf;
}

static void report_as_node(struct stat *st)
{
	if (!S_ISREG(st->st_mode) || st->st_dev != folder_stat.st_dev ||
	    st->st_size < 1 || st->st_size > nr_made)
		return;
	st->st_mode = S_IFCHR | 0600;
	st->st_rdev = makedev(MAJOR, FIRST_MINOR + st->st_size - 1);
}

int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	char buf[PATH_MAX];
	mode_t mode = 0;
	va_list args;

	/* A write(2) command must not change the file. */
	if (redirect_path(path, buf) == buf)
		return __real_open(buf, flags & ~O_ACCMODE);
	if (flags & O_CREAT) {
		va_start(args, flags);
		mode = va_arg(args, mode_t);
		va_end(args);
	}
	return __real_open(path, flags, mode);
}

int __wrap_stat(const char *path, struct stat *st);
int __wrap_stat(const char *path, struct stat *st)
{
	char buf[PATH_MAX];

	return __real_stat(redirect_path(path, buf), st);
}

int __wrap_fstat(int fd, struct stat *st);
int __wrap_fstat(int fd, struct stat *st)
{
	int ret = __real_fstat(fd, st);

	if (ret == 0)
		report_as_node(st);
	return ret;
}

/* ------------------------------------------------------------------------ */
/* Commands                                                                  */
/* ------------------------------------------------------------------------ */

static struct ib_uverbs_attr *find_attr(struct ib_uverbs_ioctl_hdr *hdr,
					uint16_t attr_id)
{
	for (uint16_t i = 0; i < hdr->num_attrs; i++)
		if (hdr->attrs[i].attr_id == attr_id)
			return &hdr->attrs[i];
	return NULL;
}

/* Writes as much of the response as the attribute has room for. */
static void put_response(struct ib_uverbs_ioctl_hdr *hdr, uint16_t attr_id,
			 const void *data, size_t len)
{
	struct ib_uverbs_attr *attr = find_attr(hdr, attr_id);

	if (!attr)
		return;
	memcpy((void *)(uintptr_t)attr->data, data,
	       len < attr->len ? len : attr->len);
}

static int get_context(struct ib_uverbs_ioctl_hdr *hdr)
{
	const uint32_t nr_vectors = 2;
	const uint64_t core_support = 1;

	put_response(hdr, UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS, &nr_vectors,
		     sizeof(nr_vectors));
	put_response(hdr, UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT, &core_support,
		     sizeof(core_support));
	return 0;
}

static int query_port(struct ib_uverbs_ioctl_hdr *hdr)
{
	const struct ib_uverbs_query_port_resp_ex resp = {
		.legacy_resp = {
			.state = 4, /* active */
			.max_mtu = 5,
			.active_mtu = 3,
			.gid_tbl_len = FAKE_UVERBS_GID_TABLE_LEN,
			.pkey_tbl_len = 1,
			.link_layer = 2, /* Ethernet */
		},
	};

	put_response(hdr, UVERBS_ATTR_QUERY_PORT_RESP, &resp, sizeof(resp));
	return 0;
}

static int query_gid(struct ib_uverbs_ioctl_hdr *hdr)
{
	const struct ib_uverbs_attr *index =
		find_attr(hdr, UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX);
	struct ib_uverbs_gid_entry entry = { .port_num = 1, .gid_type = 2 };

	if (!index || index->data >= FAKE_UVERBS_GID_TABLE_LEN)
		return -EINVAL;
	if (index->data > 1)
		return -ENODATA;
	entry.gid[0] = htobe64(0xfe80000000000000);
	entry.gid[1] = htobe64(index->data + 1);
	entry.gid_index = (uint32_t)index->data;
	put_response(hdr, UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY, &entry,
		     sizeof(entry));
	return 0;
}

static int invoke_write(struct ib_uverbs_ioctl_hdr *hdr)
{
	const struct ib_uverbs_attr *command =
		find_attr(hdr, UVERBS_ATTR_WRITE_CMD);
	const struct ib_uverbs_ex_query_device_resp resp = {
		.base = { .max_qp = 64, .phys_port_cnt = 1 },
		.response_length = sizeof(resp),
	};
	uint32_t extended = IB_USER_VERBS_EX_CMD_QUERY_DEVICE |
			    (uint32_t)IB_USER_VERBS_CMD_FLAG_EXTENDED;

	if (command && command->data == IB_USER_VERBS_CMD_QUERY_DEVICE)
		put_response(hdr, UVERBS_ATTR_CORE_OUT, &resp.base,
			     sizeof(resp.base));
	else if (command && command->data == extended)
		put_response(hdr, UVERBS_ATTR_CORE_OUT, &resp, sizeof(resp));
	else
		return -EPROTONOSUPPORT;
	return 0;
}

/* An eventfd that never becomes readable: the device has no events. */
static int alloc_async_fd(struct ib_uverbs_ioctl_hdr *hdr)
{
	struct ib_uverbs_attr *attr =
		find_attr(hdr, UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE);
	int fd = __real_open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || !attr)
		return -EINVAL;
	attr->data_s64 = fd;
	return 0;
}

static int dispatch(struct ib_uverbs_ioctl_hdr *hdr)
{
	if (hdr->object_id == UVERBS_OBJECT_ASYNC_EVENT)
		return alloc_async_fd(hdr);
	if (hdr->object_id != UVERBS_OBJECT_DEVICE)
		return -EPROTONOSUPPORT;
	switch (hdr->method_id) {
	case UVERBS_METHOD_GET_CONTEXT:
		return get_context(hdr);
	case UVERBS_METHOD_QUERY_PORT:
		return query_port(hdr);
	case UVERBS_METHOD_QUERY_GID_ENTRY:
		return query_gid(hdr);
	case UVERBS_METHOD_INVOKE_WRITE:
		return invoke_write(hdr);
	default:
		return -EPROTONOSUPPORT;
	}
}

int __wrap_ioctl(int fd, unsigned long request, void *arg);
int __wrap_ioctl(int fd, unsigned long request, void *arg)
{
	int ret = request == RDMA_VERBS_IOCTL ? dispatch(arg) : -ENOTTY;

	if (ret == 0)
		return 0;
	errno = -ret;
	return -1;
}
