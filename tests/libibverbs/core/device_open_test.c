/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Opening the node of a device: libibverbs/core/device_open.c, on nodes and a
 * clock that the tests make up. Linked with WRAP open close fstat stat
 * nanosleep clock_gettime.
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

/* last: it needs those above */
#include <cmocka.h>

#define NODE	 "/dev/infiniband/uverbs0"
#define BY_CHAR	 "/dev/char/231:192"
#define CDEV	 makedev(231, 192)
#define NO_FD	 (-99) /* what a failure must leave alone */
#define FIRST_FD 1000
#define LONG_AGO 1000
#define NOW	 100000

/* What there is in the folders of nodes. */
struct node {
	const char *path;
	unsigned int appears_after; /* naps; 0: there from the start */
	int open_errno;		    /* 0: it opens */
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

static int start(void **state)
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

static struct node *add_node(const char *path)
{
	struct node *node = &nodes[nr_nodes++];

	*node = (struct node){
		.path = path,
		.mode = S_IFCHR | 0666,
		.rdev = CDEV,
	};
	return node;
}

static unsigned int nr_open_now(void)
{
	unsigned int count = 0;

	for (size_t i = 0; i < MAX_NODES; i++)
		count += is_open[i];
	return count;
}

/* The node opens, as the one of @index, and no other stays open. */
static void assert_opens(size_t index)
{
	int fd = NO_FD;

	assert_int_equal(verbs_open_node(&device, &fd), 0);
	assert_int_equal(fd, FIRST_FD + (int)index);
	assert_int_equal(nr_open_now(), 1);
}

static void assert_fails(int err)
{
	int fd = NO_FD;

	errno = 0;
	assert_int_equal(verbs_open_node(&device, &fd), err);
	assert_int_equal(fd, NO_FD);
	assert_int_equal(nr_open_now(), 0);
}

static void node_opens(void **state)
{
	add_node(NODE);
	assert_opens(0);
	assert_int_equal(nr_opens, 1);
}

static void node_is_open_for_both_ways_and_closed_on_exec(void **state)
{
	add_node(NODE);
	assert_opens(0);
	assert_int_equal(last_flags, O_RDWR | O_CLOEXEC);
}

static void forbidden_node_is_eacces_at_once(void **state)
{
	add_node(NODE)->open_errno = EACCES;
	dev_dir_mtime_s = NOW;
	assert_fails(-EACCES);
	assert_int_equal(nr_naps, 0);
}

static void node_that_cgroups_forbid_is_eperm_at_once(void **state)
{
	add_node(NODE)->open_errno = EPERM;
	dev_dir_mtime_s = NOW;
	assert_fails(-EPERM);
	assert_int_equal(nr_naps, 0);
}

static void forbidden_node_is_not_tried_by_its_number(void **state)
{
	add_node(NODE)->open_errno = EACCES;
	add_node(BY_CHAR);
	assert_fails(-EACCES);
}

static void missing_node_is_enoent_at_once(void **state)
{
	assert_fails(-ENOENT);
	assert_int_equal(nr_naps, 0);
}

static void missing_folders_are_enoent_at_once(void **state)
{
	dev_dir_mtime_s = -1;
	char_dir_mtime_s = -1;
	assert_fails(-ENOENT);
	assert_int_equal(nr_naps, 0);
}

static void too_many_files_is_said_so(void **state)
{
	add_node(NODE)->open_errno = EMFILE;
	assert_fails(-EMFILE);
	assert_int_equal(nr_naps, 0);
}

static void node_of_a_driver_that_has_gone_is_enodev(void **state)
{
	add_node(NODE)->open_errno = ENXIO;
	assert_fails(-ENODEV);
	assert_int_equal(nr_naps, 0);
}

static void node_of_another_device_is_refused_and_closed(void **state)
{
	add_node(NODE)->rdev = makedev(231, 193);
	assert_fails(-ENOENT);
}

static void file_that_is_no_node_is_refused_and_closed(void **state)
{
	add_node(NODE)->mode = S_IFREG | 0666;
	assert_fails(-ENOENT);
}

static void block_device_of_the_same_number_is_refused(void **state)
{
	add_node(NODE)->mode = S_IFBLK | 0666;
	assert_fails(-ENOENT);
}

static void failing_fstat_closes_the_node(void **state)
{
	add_node(NODE)->fstat_errno = EIO;
	assert_fails(-EIO);
}

static void missing_node_is_found_by_its_number(void **state)
{
	add_node(BY_CHAR);
	assert_opens(0);
	assert_int_equal(nr_naps, 0);
}

static void node_of_another_device_gives_way_to_the_number(void **state)
{
	add_node(NODE)->rdev = makedev(231, 193);
	add_node(BY_CHAR);
	assert_opens(1);
}

static void number_of_another_device_is_refused(void **state)
{
	add_node(BY_CHAR)->rdev = makedev(231, 193);
	assert_fails(-ENOENT);
}

static void node_that_is_forbidden_by_its_number_is_eacces(void **state)
{
	add_node(BY_CHAR)->open_errno = EACCES;
	assert_fails(-EACCES);
}

static void folder_of_numbers_that_is_a_file_is_enoent(void **state)
{
	add_node(BY_CHAR)->open_errno = ENOTDIR;
	assert_fails(-ENOENT);
}

static void unknown_number_takes_any_character_device(void **state)
{
	device.cdev = 0;
	add_node(NODE)->rdev = makedev(1, 3);
	assert_opens(0);
}

static void unknown_number_is_not_looked_up(void **state)
{
	device.cdev = 0;
	assert_fails(-ENOENT);
	assert_int_equal(nr_opens, 1);
}

static void node_that_is_being_made_is_waited_for(void **state)
{
	dev_dir_mtime_s = NOW;
	add_node(NODE)->appears_after = 3;
	assert_opens(0);
	assert_int_equal(nr_naps, 3);
}

static void change_of_the_folder_of_numbers_counts_too(void **state)
{
	char_dir_mtime_s = NOW - 1;
	add_node(NODE)->appears_after = 1;
	assert_opens(0);
}

static void node_may_appear_under_its_number(void **state)
{
	dev_dir_mtime_s = NOW;
	add_node(BY_CHAR)->appears_after = 2;
	assert_opens(0);
	assert_int_equal(nr_naps, 2);
}

static void leftover_node_is_waited_for_while_nodes_are_made(void **state)
{
	dev_dir_mtime_s = NOW;
	add_node(NODE)->rdev = makedev(231, 193);
	add_node(BY_CHAR)->appears_after = 2;
	assert_opens(1);
}

static void node_that_becomes_forbidden_ends_the_wait(void **state)
{
	struct node *node = add_node(NODE);

	dev_dir_mtime_s = NOW;
	node->appears_after = 4;
	node->open_errno = EACCES;
	assert_fails(-EACCES);
	assert_int_equal(nr_naps, 4);
}

static void wait_ends_after_a_second(void **state)
{
	dev_dir_mtime_s = NOW;
	assert_fails(-ENOENT);
	assert_in_range(now_ns - NOW * INT64_C(1000000000), 1,
			INT64_C(1000000000));
}

static void wait_ends_when_the_change_is_old(void **state)
{
	dev_dir_mtime_s = NOW - 2;
	now_ns += 950 * 1000 * 1000;
	assert_fails(-ENOENT);
	assert_in_range(nr_naps, 1, 6);
}

static void change_in_the_future_is_no_reason_to_wait(void **state)
{
	dev_dir_mtime_s = NOW + 5;
	assert_fails(-ENOENT);
	assert_int_equal(nr_naps, 0);
}

static void change_of_minutes_ago_is_no_reason_to_wait(void **state)
{
	dev_dir_mtime_s = NOW - 60;
	assert_fails(-ENOENT);
	assert_int_equal(nr_naps, 0);
}

#define TEST(name) cmocka_unit_test_setup(name, start)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(node_opens),
		TEST(node_is_open_for_both_ways_and_closed_on_exec),
		TEST(forbidden_node_is_eacces_at_once),
		TEST(node_that_cgroups_forbid_is_eperm_at_once),
		TEST(forbidden_node_is_not_tried_by_its_number),
		TEST(missing_node_is_enoent_at_once),
		TEST(missing_folders_are_enoent_at_once),
		TEST(too_many_files_is_said_so),
		TEST(node_of_a_driver_that_has_gone_is_enodev),
		TEST(node_of_another_device_is_refused_and_closed),
		TEST(file_that_is_no_node_is_refused_and_closed),
		TEST(block_device_of_the_same_number_is_refused),
		TEST(failing_fstat_closes_the_node),
		TEST(missing_node_is_found_by_its_number),
		TEST(node_of_another_device_gives_way_to_the_number),
		TEST(number_of_another_device_is_refused),
		TEST(node_that_is_forbidden_by_its_number_is_eacces),
		TEST(folder_of_numbers_that_is_a_file_is_enoent),
		TEST(unknown_number_takes_any_character_device),
		TEST(unknown_number_is_not_looked_up),
		TEST(node_that_is_being_made_is_waited_for),
		TEST(change_of_the_folder_of_numbers_counts_too),
		TEST(node_may_appear_under_its_number),
		TEST(leftover_node_is_waited_for_while_nodes_are_made),
		TEST(node_that_becomes_forbidden_ends_the_wait),
		TEST(wait_ends_after_a_second),
		TEST(wait_ends_when_the_change_is_old),
		TEST(change_in_the_future_is_no_reason_to_wait),
		TEST(change_of_minutes_ago_is_no_reason_to_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
