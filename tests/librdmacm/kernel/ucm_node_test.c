/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The device node: version of the interface, kinds and numbers of files, errors
 * of open.
 */
#include "kernel/ucm_node.h"

#include "kernel/ucm_chardev.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/fake_sysfs.h"

#define TEST_NODE  "/dev/test_rdma_cm"
#define TEST_ERRNO 77

static struct fake_sysfs sysfs;
/* The root of sysfs is a link, since the process reads its path once. */
static char sysfs_link[64];

/* Result of the query for the device */
static int chardev_result;
static struct ucm_chardev chardev;

int ucm_chardev_query(struct ucm_chardev *ret_chardev)
{
	if (!chardev_result)
		*ret_chardev = chardev;
	return chardev_result;
}

/* A call of open() for the node opens this file, or fails. */
static const char *node_target;
static int node_errno;
static int node_flags;
/* The last path in /dev/char; a call of open() for it opens link_target. */
static char link_path[64];
static const char *link_target;

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);

int __wrap_open(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list args;

	va_start(args, flags);
	if (flags & O_CREAT)
		mode = va_arg(args, mode_t);
	va_end(args);
	if (strncmp(path, "/dev/char/", 10) == 0) {
		(void)snprintf(link_path, sizeof(link_path), "%s", path);
		path = link_target;
	} else if (strcmp(path, TEST_NODE) == 0) {
		node_flags = flags;
		path = node_target;
		if (node_errno) {
			errno = node_errno;
			return -1;
		}
	}
	return __real_open(path, flags, mode);
}

static int node_test_setup(void **state)
{
	(void)state;
	fake_sysfs_init(&sysfs);
	(void)unlink(sysfs_link);
	node_target = "/dev/null";
	node_errno = 0;
	link_path[0] = '\0';
	link_target = "/nonexistent";
	chardev_result = -EPROTONOSUPPORT;
	chardev = (struct ucm_chardev){ .abi_version = 4 };
	errno = TEST_ERRNO;
	return 0;
}

static int node_test_teardown(void **state)
{
	(void)state;
	assert_int_equal(errno, TEST_ERRNO);
	fake_sysfs_fini(&sysfs);
	return 0;
}

/* ------------------------------------------------------------------------
 * Version
 */

#define ABI_FILE     "sys/class/misc/rdma_cm/abi_version"
#define OLD_ABI_FILE "sys/class/infiniband_ucma/abi_version"

static int link_sysfs(void **state)
{
	(void)snprintf(sysfs_link, sizeof(sysfs_link), "/tmp/ucm_node_test.%d",
		       (int)getpid());
	return setenv("SYSFS_PATH", sysfs_link, 1);
}

static int unlink_sysfs(void **state)
{
	(void)unlink(sysfs_link);
	return 0;
}

static int check_abi(const char *file, const char *text)
{
	struct ucm_node node = { .number = 5 };
	int ret;

	(void)unlink(sysfs_link);
	assert_int_equal(symlink(sysfs.sysfs, sysfs_link), 0);
	if (file)
		fake_sysfs_write(&sysfs, file, text);
	errno = TEST_ERRNO;
	ret = ucm_node_find(&node);
	assert_int_equal(errno, TEST_ERRNO);
	assert_false(node.has_number);
	assert_int_equal(node.number, ret ? 5 : 0);
	return ret;
}

static void node_abi_known_versions_succeed(void **state)
{
	assert_int_equal(check_abi(ABI_FILE, "4\n"), 0);
	assert_int_equal(check_abi(ABI_FILE, "3\n"), 0);
}

static void node_abi_unknown_versions_return_eperm(void **state)
{
	static const char *const texts[] = {
		"2\n",
		"5\n",
		"0\n",
		"-4\n",
		"",
		"x4\n",
		"4x\n",
		"4 5\n",
		"99999999999999999999\n",
		"40000000000000000000000000000000000000000\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(check_abi(ABI_FILE, texts[i]), -EPERM);
}

static void node_abi_old_file_is_read(void **state)
{
	assert_int_equal(check_abi(OLD_ABI_FILE, "4\n"), 0);
	assert_int_equal(check_abi(OLD_ABI_FILE, "5\n"), -EPERM);
	/* The new file has precedence. */
	assert_int_equal(check_abi(ABI_FILE, "4\n"), 0);
}

static void node_abi_without_file_succeeds(void **state)
{
	assert_int_equal(check_abi(NULL, NULL), 0);
}

static void node_find_by_netlink_returns_number(void **state)
{
	struct ucm_node node = {};

	chardev_result = 0;
	chardev.number = makedev(10, 124);
	/* The file does not matter. */
	assert_int_equal(symlink(sysfs.sysfs, sysfs_link), 0);
	fake_sysfs_write(&sysfs, ABI_FILE, "5\n");
	errno = TEST_ERRNO;
	assert_int_equal(ucm_node_find(&node), 0);
	assert_true(node.has_number);
	assert_true(node.number == makedev(10, 124));
}

static void node_find_by_netlink_unknown_version_returns_eperm(void **state)
{
	static const uint32_t versions[] = { 0, 2, 5, 0x80000004, UINT32_MAX };
	struct ucm_node node = {};

	chardev_result = 0;
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		chardev.abi_version = versions[i];
		assert_int_equal(ucm_node_find(&node), -EPERM);
		assert_false(node.has_number);
	}
}

/* ------------------------------------------------------------------------
 * Open
 */

static const struct ucm_node any_node;

static dev_t number_of(const char *path)
{
	struct stat status;

	assert_int_equal(stat(path, &status), 0);
	return status.st_rdev;
}

static void node_open_character_device_returns_descriptor(void **state)
{
	int fd = -1;

	assert_int_equal(ucm_node_open(&any_node, &fd), 0);
	assert_true(fd >= 0);
	assert_int_equal(node_flags & O_ACCMODE, O_RDWR);
	assert_true(node_flags & O_NONBLOCK);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(close(fd), 0);
}

static void node_open_regular_file_returns_enodev(void **state)
{
	char path[320];
	int fd = -5;
	int next;

	fake_sysfs_write(&sysfs, "file", "");
	(void)snprintf(path, sizeof(path), "%s/file", sysfs.root);
	node_target = path;
	errno = TEST_ERRNO;
	next = dup(0);
	(void)close(next);
	assert_int_equal(ucm_node_open(&any_node, &fd), -ENODEV);
	assert_int_equal(fd, -5);
	/* The descriptor is closed. */
	assert_int_equal(fcntl(next, F_GETFD), -1);
	errno = TEST_ERRNO;
}

static void node_open_device_with_number_succeeds(void **state)
{
	const struct ucm_node node = { true, number_of("/dev/null") };
	int fd = -1;

	assert_int_equal(ucm_node_open(&node, &fd), 0);
	assert_string_equal(link_path, "");
	assert_int_equal(close(fd), 0);
}

static void node_open_device_with_wrong_number_opens_link(void **state)
{
	const struct ucm_node node = { true, number_of("/dev/zero") };
	int fd = -1;

	link_target = "/dev/zero";
	assert_int_equal(ucm_node_open(&node, &fd), 0);
	assert_string_equal(link_path, "/dev/char/1:5");
	assert_int_equal(close(fd), 0);
}

static void node_open_missing_node_opens_link(void **state)
{
	const struct ucm_node node = { true, number_of("/dev/zero") };
	int fd = -1;

	node_errno = ENOENT;
	link_target = "/dev/zero";
	assert_int_equal(ucm_node_open(&node, &fd), 0);
	assert_int_equal(close(fd), 0);
}

static void node_open_without_usable_link_returns_first_error(void **state)
{
	const struct ucm_node node = { true, number_of("/dev/zero") };
	int fd = -5;

	assert_int_equal(ucm_node_open(&node, &fd), -ENODEV);
	assert_string_equal(link_path, "/dev/char/1:5");
	node_errno = EACCES;
	link_target = "/dev/null";
	assert_int_equal(ucm_node_open(&node, &fd), -EACCES);
	assert_int_equal(fd, -5);
}

static void node_open_error_returns_errno(void **state)
{
	static const int errors[] = { ENOENT, EACCES, EMFILE, ENXIO };
	int fd = -5;

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		node_errno = errors[i];
		assert_int_equal(ucm_node_open(&any_node, &fd), -errors[i]);
		assert_int_equal(fd, -5);
		assert_int_equal(errno, TEST_ERRNO);
	}
}

#define NODE_TEST(name)                                        \
	cmocka_unit_test_setup_teardown(name, node_test_setup, \
					node_test_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		NODE_TEST(node_abi_known_versions_succeed),
		NODE_TEST(node_abi_unknown_versions_return_eperm),
		NODE_TEST(node_abi_old_file_is_read),
		NODE_TEST(node_abi_without_file_succeeds),
		NODE_TEST(node_find_by_netlink_returns_number),
		NODE_TEST(node_find_by_netlink_unknown_version_returns_eperm),
		NODE_TEST(node_open_character_device_returns_descriptor),
		NODE_TEST(node_open_regular_file_returns_enodev),
		NODE_TEST(node_open_device_with_number_succeeds),
		NODE_TEST(node_open_device_with_wrong_number_opens_link),
		NODE_TEST(node_open_missing_node_opens_link),
		NODE_TEST(node_open_without_usable_link_returns_first_error),
		NODE_TEST(node_open_error_returns_errno),
	};

	return cmocka_run_group_tests(tests, link_sysfs, unlink_sysfs);
}
