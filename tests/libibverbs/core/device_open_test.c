/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tests of libibverbs/core/device_open.c on simulated nodes and a simulated
 * clock. Linked with WRAP open close fstat stat nanosleep clock_gettime.
 */
#include "core/device_open.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

/* last: cmocka.h needs the headers above */
#include <cmocka.h>

#define NODE	 "/dev/infiniband/uverbs0"
#define BY_CHAR	 "/dev/char/231:192"
#define CDEV	 makedev(231, 192)
#define NO_FD	 (-99) /* value that a failure must not change */
#define FIRST_FD 1000
#define LONG_AGO 1000
#define NOW	 100000

/* Contents of the folders of nodes. */
struct node {
	const char *path;
	unsigned int appears_after; /* number of sleeps before it appears; 0:
				       exists from the start */
	int open_errno;		    /* errno of open(); 0: success */
	int fstat_errno;
	mode_t mode;
	dev_t rdev;
};

#define MAX_NODES 4

static struct node nodes[MAX_NODES];
static bool is_open[MAX_NODES];
static size_t nr_nodes;

static int64_t now_ns;
static int64_t dev_dir_mtime_s;	 /* -1: no such folder */
static int64_t char_dir_mtime_s; /* the same */
static unsigned int nr_naps;
static unsigned int nr_opens;
static int last_flags;

static struct verbs_kernel_device device;

int __wrap_open(const char *path, int flags, ...);
int __wrap_close(int fd);
int __wrap_fstat(int fd, struct stat *st);
int __wrap_stat(const char *path, struct stat *st);
int __wrap_nanosleep(const struct timespec *time, struct timespec *rest);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time);

int __wrap_open(const char *path, int flags, ...)
{
	nr_opens++;
	last_flags = flags;
	for (size_t i = 0; i < nr_nodes; i++) {
		if (strcmp(nodes[i].path, path) != 0 ||
		    nodes[i].appears_after > nr_naps)
			continue;
		if (nodes[i].open_errno) {
			errno = nodes[i].open_errno;
			return -1;
		}
		is_open[i] = true;
		return FIRST_FD + (int)i;
	}
	errno = ENOENT;
	return -1;
}

int __wrap_close(int fd)
{
	assert_in_range(fd, FIRST_FD, FIRST_FD + MAX_NODES - 1);
	assert_true(is_open[fd - FIRST_FD]);
	is_open[fd - FIRST_FD] = false;
	return 0;
}

int __wrap_fstat(int fd, struct stat *st)
{
	const struct node *node = &nodes[fd - FIRST_FD];

	assert_in_range(fd, FIRST_FD, FIRST_FD + MAX_NODES - 1);
	assert_true(is_open[fd - FIRST_FD]);
	if (node->fstat_errno) {
		errno = node->fstat_errno;
		return -1;
	}
	*st = (struct stat){ .st_mode = node->mode, .st_rdev = node->rdev };
	return 0;
}

int __wrap_stat(const char *path, struct stat *st)
{
	int64_t mtime_s = -1;

	if (strcmp(path, "/dev/infiniband") == 0)
		mtime_s = dev_dir_mtime_s;
	else if (strcmp(path, "/dev/char") == 0)
		mtime_s = char_dir_mtime_s;
	if (mtime_s < 0) {
		errno = ENOENT;
		return -1;
	}
	*st = (struct stat){ .st_mtim.tv_sec = mtime_s };
	return 0;
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *rest)
{
	nr_naps++;
	now_ns += time->tv_sec * INT64_C(1000000000) + time->tv_nsec;
	return 0;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
	assert_int_equal(clock, CLOCK_REALTIME); /* as st_mtim */
	time->tv_sec = now_ns / 1000000000;
	time->tv_nsec = now_ns % 1000000000;
	return 0;
}

static int device_open_setup(void **state)
{
	nr_nodes = 0;
	memset(is_open, 0, sizeof(is_open));
	now_ns = NOW * INT64_C(1000000000);
	dev_dir_mtime_s = LONG_AGO;
	char_dir_mtime_s = LONG_AGO;
	nr_naps = 0;
	nr_opens = 0;
	device = (struct verbs_kernel_device){
		.ibdev_name = "rxe0",
		.uverbs_name = "uverbs0",
		.cdev = CDEV,
	};
	return 0;
}

static struct node *fake_node_add(const char *path)
{
	struct node *node = &nodes[nr_nodes++];

	*node = (struct node){
		.path = path,
		.mode = S_IFCHR | 0666,
		.rdev = CDEV,
	};
	return node;
}

static unsigned int fake_nodes_open_count(void)
{
	unsigned int count = 0;

	for (size_t i = 0; i < MAX_NODES; i++)
		count += is_open[i];
	return count;
}

/*
 * Opens the node successfully, as the one of @index, and checks that no other
 * descriptor stays open.
 */
static void assert_opens(size_t index)
{
	int fd = NO_FD;

	assert_int_equal(verbs_open_node(&device, &fd), 0);
	assert_int_equal(fd, FIRST_FD + (int)index);
	assert_int_equal(fake_nodes_open_count(), 1);
}

static void assert_fails(int err)
{
	int fd = NO_FD;

	errno = 0;
	assert_int_equal(verbs_open_node(&device, &fd), err);
	assert_int_equal(fd, NO_FD);
	assert_int_equal(fake_nodes_open_count(), 0);
}

static void uverbs_node_exists_is_opened(void **state)
{
	fake_node_add(NODE);
	assert_opens(0);
	assert_int_equal(nr_opens, 1);
}

static void uverbs_node_is_read_write_and_close_on_exec(void **state)
{
	fake_node_add(NODE);
	assert_opens(0);
	assert_int_equal(last_flags, O_RDWR | O_CLOEXEC);
}

static void uverbs_node_forbidden_is_eacces_without_wait(void **state)
{
	fake_node_add(NODE)->open_errno = EACCES;
	dev_dir_mtime_s = NOW;
	assert_fails(-EACCES);
	assert_int_equal(nr_naps, 0);
}

static void uverbs_node_forbidden_by_cgroup_is_eperm_without_wait(void **state)
{
	fake_node_add(NODE)->open_errno = EPERM;
	dev_dir_mtime_s = NOW;
	assert_fails(-EPERM);
	assert_int_equal(nr_naps, 0);
}

static void uverbs_node_forbidden_skips_lookup_by_number(void **state)
{
	fake_node_add(NODE)->open_errno = EACCES;
	fake_node_add(BY_CHAR);
	assert_fails(-EACCES);
}

static void uverbs_node_missing_is_enoent_without_wait(void **state)
{
	assert_fails(-ENOENT);
	assert_int_equal(nr_naps, 0);
}

static void uverbs_node_missing_folders_are_enoent_without_wait(void **state)
{
	dev_dir_mtime_s = -1;
	char_dir_mtime_s = -1;
	assert_fails(-ENOENT);
	assert_int_equal(nr_naps, 0);
}

static void uverbs_node_emfile_is_returned(void **state)
{
	fake_node_add(NODE)->open_errno = EMFILE;
	assert_fails(-EMFILE);
	assert_int_equal(nr_naps, 0);
}

static void uverbs_node_without_driver_is_enodev(void **state)
{
	fake_node_add(NODE)->open_errno = ENXIO;
	assert_fails(-ENODEV);
	assert_int_equal(nr_naps, 0);
}

static void uverbs_node_with_wrong_number_is_closed_and_rejected(void **state)
{
	fake_node_add(NODE)->rdev = makedev(231, 193);
	assert_fails(-ENOENT);
}

static void uverbs_node_regular_file_is_closed_and_rejected(void **state)
{
	fake_node_add(NODE)->mode = S_IFREG | 0666;
	assert_fails(-ENOENT);
}

static void uverbs_node_block_device_is_rejected(void **state)
{
	fake_node_add(NODE)->mode = S_IFBLK | 0666;
	assert_fails(-ENOENT);
}

static void uverbs_node_fstat_failure_closes_descriptor(void **state)
{
	fake_node_add(NODE)->fstat_errno = EIO;
	assert_fails(-EIO);
}

static void uverbs_node_missing_is_opened_by_number(void **state)
{
	fake_node_add(BY_CHAR);
	assert_opens(0);
	assert_int_equal(nr_naps, 0);
}

static void uverbs_node_with_wrong_number_falls_back_to_number(void **state)
{
	fake_node_add(NODE)->rdev = makedev(231, 193);
	fake_node_add(BY_CHAR);
	assert_opens(1);
}

static void uverbs_node_by_number_of_different_device_is_rejected(void **state)
{
	fake_node_add(BY_CHAR)->rdev = makedev(231, 193);
	assert_fails(-ENOENT);
}

static void uverbs_node_by_number_forbidden_is_eacces(void **state)
{
	fake_node_add(BY_CHAR)->open_errno = EACCES;
	assert_fails(-EACCES);
}

static void uverbs_node_dev_char_is_file_returns_enoent(void **state)
{
	fake_node_add(BY_CHAR)->open_errno = ENOTDIR;
	assert_fails(-ENOENT);
}

static void uverbs_node_unknown_number_accepts_any_char_device(void **state)
{
	device.cdev = 0;
	fake_node_add(NODE)->rdev = makedev(1, 3);
	assert_opens(0);
}

static void uverbs_node_unknown_number_skips_lookup_by_number(void **state)
{
	device.cdev = 0;
	assert_fails(-ENOENT);
	assert_int_equal(nr_opens, 1);
}

static void uverbs_node_in_changing_folder_is_waited_for(void **state)
{
	dev_dir_mtime_s = NOW;
	fake_node_add(NODE)->appears_after = 3;
	assert_opens(0);
	assert_int_equal(nr_naps, 3);
}

static void uverbs_node_change_of_dev_char_starts_wait(void **state)
{
	char_dir_mtime_s = NOW - 1;
	fake_node_add(NODE)->appears_after = 1;
	assert_opens(0);
}

static void uverbs_node_appears_by_number_during_wait(void **state)
{
	dev_dir_mtime_s = NOW;
	fake_node_add(BY_CHAR)->appears_after = 2;
	assert_opens(0);
	assert_int_equal(nr_naps, 2);
}

static void uverbs_node_leftover_in_changing_folder_is_waited_for(void **state)
{
	dev_dir_mtime_s = NOW;
	fake_node_add(NODE)->rdev = makedev(231, 193);
	fake_node_add(BY_CHAR)->appears_after = 2;
	assert_opens(1);
}

static void uverbs_node_becoming_forbidden_ends_wait(void **state)
{
	struct node *node = fake_node_add(NODE);

	dev_dir_mtime_s = NOW;
	node->appears_after = 4;
	node->open_errno = EACCES;
	assert_fails(-EACCES);
	assert_int_equal(nr_naps, 4);
}

static void uverbs_node_wait_ends_after_second(void **state)
{
	dev_dir_mtime_s = NOW;
	assert_fails(-ENOENT);
	assert_in_range(now_ns - NOW * INT64_C(1000000000), 1,
			INT64_C(1000000000));
}

static void uverbs_node_wait_ends_when_change_is_old(void **state)
{
	dev_dir_mtime_s = NOW - 2;
	now_ns += 950 * 1000 * 1000;
	assert_fails(-ENOENT);
	assert_in_range(nr_naps, 1, 6);
}

static void uverbs_node_future_change_starts_no_wait(void **state)
{
	dev_dir_mtime_s = NOW + 5;
	assert_fails(-ENOENT);
	assert_int_equal(nr_naps, 0);
}

static void uverbs_node_old_change_starts_no_wait(void **state)
{
	dev_dir_mtime_s = NOW - 60;
	assert_fails(-ENOENT);
	assert_int_equal(nr_naps, 0);
}

#define TEST(name) cmocka_unit_test_setup(name, device_open_setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(uverbs_node_exists_is_opened),
		TEST(uverbs_node_is_read_write_and_close_on_exec),
		TEST(uverbs_node_forbidden_is_eacces_without_wait),
		TEST(uverbs_node_forbidden_by_cgroup_is_eperm_without_wait),
		TEST(uverbs_node_forbidden_skips_lookup_by_number),
		TEST(uverbs_node_missing_is_enoent_without_wait),
		TEST(uverbs_node_missing_folders_are_enoent_without_wait),
		TEST(uverbs_node_emfile_is_returned),
		TEST(uverbs_node_without_driver_is_enodev),
		TEST(uverbs_node_with_wrong_number_is_closed_and_rejected),
		TEST(uverbs_node_regular_file_is_closed_and_rejected),
		TEST(uverbs_node_block_device_is_rejected),
		TEST(uverbs_node_fstat_failure_closes_descriptor),
		TEST(uverbs_node_missing_is_opened_by_number),
		TEST(uverbs_node_with_wrong_number_falls_back_to_number),
		TEST(uverbs_node_by_number_of_different_device_is_rejected),
		TEST(uverbs_node_by_number_forbidden_is_eacces),
		TEST(uverbs_node_dev_char_is_file_returns_enoent),
		TEST(uverbs_node_unknown_number_accepts_any_char_device),
		TEST(uverbs_node_unknown_number_skips_lookup_by_number),
		TEST(uverbs_node_in_changing_folder_is_waited_for),
		TEST(uverbs_node_change_of_dev_char_starts_wait),
		TEST(uverbs_node_appears_by_number_during_wait),
		TEST(uverbs_node_leftover_in_changing_folder_is_waited_for),
		TEST(uverbs_node_becoming_forbidden_ends_wait),
		TEST(uverbs_node_wait_ends_after_second),
		TEST(uverbs_node_wait_ends_when_change_is_old),
		TEST(uverbs_node_future_change_starts_no_wait),
		TEST(uverbs_node_old_change_starts_no_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
