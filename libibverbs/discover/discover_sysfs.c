/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Device discovery by sysfs. Called by discover.c if netlink is unusable, or
 * did not report one device completely. Each directory in
 * class/infiniband_verbs is a device. Files are opened relative to the class
 * directory, which needs the fewest system calls.
 */
#include "discover/discover_sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "discover/dir_names.h"
#include "discover/records.h"
#include "util/text_file.h"

/* Supported ABI versions of uverbs itself; drivers have separate ones. */
#define MIN_UVERBS_ABI 3
#define MAX_UVERBS_ABI 6

/* Buffer for one file: a name and its newline fit. */
#define TEXT_LEN 128

/* Directory, slash, and the longest file name in it. */
#define ENTRY_PATH_LEN (VERBS_DEVICE_NAME_LEN + 32)

bool verbs_sysfs_is_resource_error(int error)
{
	return error == -ENOMEM || error == -EMFILE || error == -ENFILE;
}

/* Parses digits only, without blanks or a sign. */
static bool sysfs_take_number(const char **text, uint32_t *ret_number)
{
	const char *pos = *text;
	uint32_t number = 0;

	if (*pos < '0' || *pos > '9')
		return false;
	for (; *pos >= '0' && *pos <= '9'; pos++)
		if (__builtin_mul_overflow(number, 10u, &number) ||
		    __builtin_add_overflow(number, (uint32_t)(*pos - '0'),
					   &number))
			return false;
	*text = pos;
	*ret_number = number;
	return true;
}

bool verbs_sysfs_parse_number(const char *text, uint32_t *ret_number)
{
	return sysfs_take_number(&text, ret_number);
}

bool verbs_sysfs_parse_dev(const char *text, size_t len, dev_t *ret_dev)
{
	const char *pos = text;
	uint32_t major_nr, minor_nr;

	if (!sysfs_take_number(&pos, &major_nr) || *pos++ != ':' ||
	    !sysfs_take_number(&pos, &minor_nr) || pos != text + len)
		return false;
	/* The kernel's dev_t has 12 bits for major and 20 for minor. */
	if (major_nr > 0xfff || minor_nr > 0xfffff)
		return false;
	*ret_dev = makedev(major_nr, minor_nr);
	return true;
}

/* Reads @entry/@file in @dirfd. Return: length, or -errno. */
static ssize_t sysfs_read_text(int dirfd, const char *entry, const char *file,
			       char text[TEXT_LEN])
{
	char path[ENTRY_PATH_LEN];
	int len;

	len = snprintf(path, sizeof(path), "%s/%s", entry, file);
	if (len < 0 || (size_t)len >= sizeof(path))
		return -ENAMETOOLONG;
	return text_file_read_at(dirfd, path, text, TEXT_LEN);
}

/* Reads the character device from a uverbs directory. */
static int sysfs_read_chardev(int dirfd, const char *entry,
			      struct verbs_kernel_device *device)
{
	char text[TEXT_LEN];
	ssize_t len;

	len = sysfs_read_text(dirfd, entry, "dev", text);
	if (len < 0)
		return (int)len;
	if (!verbs_sysfs_parse_dev(text, (size_t)len, &device->cdev))
		return -EINVAL;

	len = sysfs_read_text(dirfd, entry, "abi_version", text);
	if (verbs_sysfs_is_resource_error((int)len))
		return (int)len;
	if (len < 0 || !verbs_sysfs_parse_number(text, &device->abi_version))
		device->abi_version = 0; /* the file is optional */
	return 0;
}

/* Reads the directory of the RDMA device ibdev_name. */
static int sysfs_read_ibdev(const char *sysfs,
			    struct verbs_kernel_device *device)
{
	char path[PATH_MAX];
	char text[TEXT_LEN];
	uint32_t node_type;
	struct stat st;
	ssize_t len;

	len = snprintf(path, sizeof(path), "%s/class/infiniband/%s", sysfs,
		       device->ibdev_name);
	if (len < 0 || (size_t)len >= sizeof(path))
		return -ENAMETOOLONG;
	if (stat(path, &st))
		return -errno;
	device->created = st.st_mtim;

	len = snprintf(path, sizeof(path), "%s/class/infiniband/%s/node_type",
		       sysfs, device->ibdev_name);
	if (len < 0 || (size_t)len >= sizeof(path))
		return -ENAMETOOLONG;
	len = text_file_read_at(AT_FDCWD, path, text, sizeof(text));
	if (len < 0)
		return (int)len;
	if (!verbs_sysfs_parse_number(text, &node_type))
		return -EINVAL;
	device->node_type = verbs_record_node_type(node_type);
	return 0;
}

static int sysfs_read_device(const char *sysfs, int class_fd, const char *entry,
			     struct verbs_kernel_device *device)
{
	char text[TEXT_LEN];
	ssize_t len;
	int ret;

	/* Fails if @entry is not a directory, as abi_version. */
	len = sysfs_read_text(class_fd, entry, "ibdev", text);
	if (len < 0)
		return (int)len;
	if (!verbs_record_name(text, (size_t)len, device->ibdev_name))
		return -EINVAL;
	ret = sysfs_read_chardev(class_fd, entry, device);
	if (ret)
		return ret;
	return sysfs_read_ibdev(sysfs, device);
}

static int sysfs_check_uverbs_abi(int class_fd)
{
	char text[TEXT_LEN];
	uint32_t abi;
	ssize_t len;

	len = text_file_read_at(class_fd, "abi_version", text, sizeof(text));
	if (len < 0)
		return verbs_sysfs_is_resource_error((int)len) ? (int)len
							       : -ENOSYS;
	if (!verbs_sysfs_parse_number(text, &abi) || abi < MIN_UVERBS_ABI ||
	    abi > MAX_UVERBS_ABI)
		return -ENOSYS;
	return 0;
}

static int sysfs_read_devices(const char *sysfs, int class_fd,
			      const struct verbs_dir_names *names,
			      struct verbs_device_records *records)
{
	for (size_t i = 0; i < names->count; i++) {
		const struct verbs_dir_entry *entry = &names->entries[i];
		struct verbs_kernel_device device = { .ibdev_index = -1 };
		int ret;

		ret = sysfs_read_device(sysfs, class_fd, entry->name, &device);
		if (verbs_sysfs_is_resource_error(ret))
			return ret;
		if (ret)
			continue;
		memcpy(device.uverbs_name, entry->name, sizeof(entry->name));
		ret = verbs_records_add(records, &device);
		if (ret)
			return ret;
	}
	return records->count ? sysfs_check_uverbs_abi(class_fd) : 0;
}

/* Converts an error of the class directory to one of verbs_discover(). */
static int sysfs_class_error(int error)
{
	if (error == -EACCES || error == -EPERM)
		return -EPERM;
	return verbs_sysfs_is_resource_error(error) ? error : -ENOSYS;
}

static int sysfs_open_dir(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int verbs_discover_sysfs(const char *sysfs,
			 struct verbs_device_records *ret_records)
{
	struct verbs_device_records records = {};
	struct verbs_dir_names names = {};
	char path[PATH_MAX];
	int class_fd;
	int ret;

	ret = snprintf(path, sizeof(path), "%s/class/infiniband_verbs", sysfs);
	if (ret < 0 || (size_t)ret >= sizeof(path))
		return -ENOSYS;
	class_fd = sysfs_open_dir(path);
	if (class_fd < 0)
		return sysfs_class_error(class_fd);

	ret = verbs_dir_names_read(class_fd, &names);
	if (ret)
		ret = sysfs_class_error(ret);
	else
		ret = sysfs_read_devices(sysfs, class_fd, &names, &records);
	verbs_dir_names_free(&names);
	(void)close(class_fd); /* nothing was written */

	if (ret)
		verbs_device_records_free(&records);
	else
		*ret_records = records;
	return ret;
}

int verbs_sysfs_chardev(const char *sysfs, struct verbs_kernel_device *device)
{
	struct verbs_kernel_device found = *device;
	struct verbs_dir_names names = {};
	char path[PATH_MAX];
	int dirfd;
	int ret;

	ret = snprintf(path, sizeof(path),
		       "%s/class/infiniband/%s/device/infiniband_verbs", sysfs,
		       device->ibdev_name);
	if (ret < 0 || (size_t)ret >= sizeof(path))
		return -ENAMETOOLONG;
	dirfd = sysfs_open_dir(path);
	if (dirfd < 0)
		return dirfd;

	ret = verbs_dir_names_read(dirfd, &names);
	if (!ret && !names.count)
		ret = -ENOENT;
	if (!ret)
		ret = sysfs_read_chardev(dirfd, names.entries[0].name, &found);
	if (!ret) {
		memcpy(found.uverbs_name, names.entries[0].name,
		       sizeof(found.uverbs_name));
		*device = found;
	}
	verbs_dir_names_free(&names);
	(void)close(dirfd); /* nothing was written */
	return ret;
}
