/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzz target: names and texts of sysfs, and names of device nodes. The file
 * system is in memory: the input contains the entries of each folder and the
 * text of each file, including texts that no kernel writes.
 *
 * An input is a byte of flags, the class's abi_version, and entries: a name, a
 * type, and the texts ibdev, dev, abi_version, node_type. Names and texts are a
 * length in one byte and their bytes; a length of 255 means that the file is
 * missing. The entries are in all folders.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <time.h>

#include "discover/dev_nodes.h"
#include "discover/discover_sysfs.h"
#include "fuzz/fuzz_target.h"

#define FLAG_NO_CLASS  0x01
#define FLAG_NO_PARENT 0x02
#define FLAG_NO_NODES  0x04 /* the folder cannot be listed */
#define FLAG_NO_STAT   0x08
#define FLAG_MOVING    0x10 /* the node folder changes all the time */

#define MISSING	    255
#define MAX_ENTRIES 16
#define NAME_LEN    256

enum text { IBDEV, DEV, ABI_VERSION, NODE_TYPE, NR_TEXTS };

static const char *const text_names[NR_TEXTS] = {
	[IBDEV] = "ibdev",
	[DEV] = "dev",
	[ABI_VERSION] = "abi_version",
	[NODE_TYPE] = "node_type",
};

struct text_bytes {
	const uint8_t *data; /* NULL: missing */
	size_t len;
};

static struct {
	uint8_t flags;
	struct text_bytes class_abi;
	size_t nr_entries;
	struct {
		char name[NAME_LEN];
		unsigned char type;
		struct text_bytes texts[NR_TEXTS];
	} entries[MAX_ENTRIES];

	/* Only one folder and one file are open at a time. */
	bool folder_open, file_open;
	size_t folder_pos;
	struct text_bytes file;
	unsigned int nr_stats;
} tree;

/*
 * Calls while the target does not run, such as libFuzzer's own, are passed on.
 */
static bool running;

#define FOLDER_FD 0x7fe00001
#define FILE_FD	  0x7fe00002

static struct text_bytes take_text(struct fuzz_reader *reader)
{
	struct text_bytes text = {};
	uint8_t len = fuzz_take_u8(reader);

	if (len != MISSING)
		text.data = fuzz_take(reader, len, &text.len);
	return text;
}

static void take_tree(struct fuzz_reader *reader)
{
	memset(&tree, 0, sizeof(tree));
	tree.flags = fuzz_take_u8(reader);
	tree.class_abi = take_text(reader);
	while (reader->len && tree.nr_entries < MAX_ENTRIES) {
		struct text_bytes name = take_text(reader);
		size_t i = tree.nr_entries++;

		if (name.data)
			memcpy(tree.entries[i].name, name.data, name.len);
		tree.entries[i].type = fuzz_take_u8(reader);
		for (int k = 0; k < NR_TEXTS; k++)
			tree.entries[i].texts[k] = take_text(reader);
	}
}

static bool ends_with(const char *path, const char *end)
{
	size_t len = strlen(path), end_len = strlen(end);

	return len >= end_len && strcmp(path + len - end_len, end) == 0;
}

/* Finds "<entry>/<text>", or a file of the class folder itself. */
static struct text_bytes find_text(const char *path)
{
	if (ends_with(path, "/node_type"))
		return tree.nr_entries ? tree.entries[0].texts[NODE_TYPE]
				       : (struct text_bytes){};
	if (strcmp(path, "abi_version") == 0)
		return tree.class_abi;
	for (size_t i = 0; i < tree.nr_entries; i++) {
		size_t len = strlen(tree.entries[i].name);

		if (strncmp(path, tree.entries[i].name, len) != 0 ||
		    path[len] != '/')
			continue;
		for (int k = 0; k < NR_TEXTS; k++)
			if (strcmp(path + len + 1, text_names[k]) == 0)
				return tree.entries[i].texts[k];
	}
	return (struct text_bytes){};
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	uint8_t missing = FLAG_NO_NODES;

	if (!running)
		return __real_open(path, flags, 0600);
	if (ends_with(path, "/device/infiniband_verbs"))
		missing = FLAG_NO_PARENT;
	else if (ends_with(path, "/infiniband_verbs"))
		missing = FLAG_NO_CLASS;
	if (tree.flags & missing) {
		errno = EACCES;
		return -1;
	}
	fuzz_assert(!tree.folder_open && flags & O_CLOEXEC);
	tree.folder_open = true;
	tree.folder_pos = 0;
	return FOLDER_FD;
}

int __real_openat(int dirfd, const char *path, int flags, ...);
int __wrap_openat(int dirfd, const char *path, int flags, ...);
int __wrap_openat(int dirfd, const char *path, int flags, ...)
{
	if (!running)
		return __real_openat(dirfd, path, flags, 0600);
	fuzz_assert(!tree.file_open && flags & O_CLOEXEC);
	fuzz_assert(dirfd == AT_FDCWD || dirfd == FOLDER_FD);
	tree.file = find_text(path);
	if (!tree.file.data) {
		errno = ENOENT;
		return -1;
	}
	tree.file_open = true;
	return FILE_FD;
}

ssize_t __real_read(int fd, void *buf, size_t len);
ssize_t __wrap_read(int fd, void *buf, size_t len);
ssize_t __wrap_read(int fd, void *buf, size_t len)
{
	if (!running)
		return __real_read(fd, buf, len);
	fuzz_assert(fd == FILE_FD && tree.file_open);
	if (len > tree.file.len)
		len = tree.file.len;
	memcpy(buf, tree.file.data, len);
	tree.file.data += len;
	tree.file.len -= len;
	return (ssize_t)len;
}

ssize_t __real_getdents64(int fd, void *buf, size_t len);
ssize_t __wrap_getdents64(int fd, void *buf, size_t len);
ssize_t __wrap_getdents64(int fd, void *buf, size_t len)
{
	struct dirent64 *entry = buf;

	if (!running)
		return __real_getdents64(fd, buf, len);
	fuzz_assert(fd == FOLDER_FD && tree.folder_open);
	fuzz_assert(len >= sizeof(*entry));
	if (tree.folder_pos == tree.nr_entries)
		return 0;
	memset(entry, 0, sizeof(*entry));
	memcpy(entry->d_name, tree.entries[tree.folder_pos].name,
	       sizeof(entry->d_name));
	entry->d_type = tree.entries[tree.folder_pos].type;
	entry->d_reclen = sizeof(*entry);
	tree.folder_pos++;
	return sizeof(*entry);
}

static void fill_stat(struct stat *st)
{
	memset(st, 0, sizeof(*st));
	st->st_mtim.tv_sec = 1;
	if (tree.flags & FLAG_MOVING)
		st->st_mtim.tv_nsec = (long)tree.nr_stats++;
}

int __real_stat(const char *path, struct stat *st);
int __wrap_stat(const char *path, struct stat *st);
int __wrap_stat(const char *path, struct stat *st)
{
	if (!running)
		return __real_stat(path, st);
	if (tree.flags & FLAG_NO_STAT) {
		errno = ENOENT;
		return -1;
	}
	fill_stat(st);
	return 0;
}

int __real_fstat(int fd, struct stat *st);
int __wrap_fstat(int fd, struct stat *st);
int __wrap_fstat(int fd, struct stat *st)
{
	if (!running)
		return __real_fstat(fd, st);
	fuzz_assert(fd == FOLDER_FD && tree.folder_open);
	fill_stat(st);
	return 0;
}

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
	if (!running)
		return __real_close(fd);
	if (fd == FILE_FD) {
		fuzz_assert(tree.file_open);
		tree.file_open = false;
	} else {
		fuzz_assert(fd == FOLDER_FD && tree.folder_open);
		tree.folder_open = false;
	}
	return 0;
}

static void check_name(const char *name)
{
	fuzz_assert(memchr(name, '\0', VERBS_DEVICE_NAME_LEN));
	fuzz_assert(name[0] && !strchr(name, '/'));
	fuzz_assert(strcmp(name, ".") != 0 && strcmp(name, "..") != 0);
}

static void check_devices(const struct verbs_device_records *records)
{
	for (size_t i = 0; i < records->count; i++) {
		const struct verbs_kernel_device *device = &records->devices[i];

		check_name(device->ibdev_name);
		check_name(device->uverbs_name);
		fuzz_assert(device->ibdev_index == -1);
		fuzz_assert(device->node_type >= -1 && device->node_type <= 7);
	}
}

static void fuzz_scan(void)
{
	struct verbs_node_listing listing = {};
	struct verbs_device_records records = {};
	int ret;

	ret = verbs_discover_sysfs("/sys", &records);
	fuzz_assert(ret <= 0 && !tree.folder_open && !tree.file_open);
	fuzz_assert(records.count <= tree.nr_entries);
	fuzz_assert(!ret || !records.devices);
	check_devices(&records);

	/* twice, with the memory of the first scan */
	for (int i = 0; i < 2; i++) {
		size_t count = records.count;

		ret = verbs_nodes_filter("/dev/infiniband", &listing, &records);
		fuzz_assert(!ret && records.count <= count);
		fuzz_assert(!tree.folder_open);
		check_devices(&records);
	}
	verbs_node_listing_free(&listing);
	verbs_device_records_free(&records);
}

static void fuzz_chardev(void)
{
	struct verbs_kernel_device device = { .ibdev_name = "rxe0" };
	int ret = verbs_sysfs_chardev("/sys", &device);

	fuzz_assert(ret <= 0 && !tree.folder_open && !tree.file_open);
	if (!ret)
		check_name(device.uverbs_name);
	else
		fuzz_assert(!device.uverbs_name[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct fuzz_reader reader = { .data = data, .len = len };

	take_tree(&reader);
	running = true;
	fuzz_scan();
	fuzz_chardev();
	running = false;
	return 0;
}
