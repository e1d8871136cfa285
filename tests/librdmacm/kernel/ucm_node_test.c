/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The device node: version of the interface, kinds of files, errors of open. */
#include "kernel/ucm_node.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/fake_sysfs.h"

#define TEST_NODE  "/dev/test_rdma_cm"
#define TEST_ERRNO 77

static struct fake_sysfs sysfs;

/* A call of open() for the node opens this file, or fails. */
static const char *node_target;
static int node_errno;
static int node_flags;

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
	if (strcmp(path, TEST_NODE) != 0)
		return __real_open(path, flags, mode);
	node_flags = flags;
	if (node_errno) {
		errno = node_errno;
		return -1;
	}
	return __real_open(node_target, flags, 0);
}

static int node_test_setup(void **state)
{
	(void)state;
	fake_sysfs_init(&sysfs);
	node_target = "/dev/null";
	node_errno = 0;
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

/* The root of sysfs is a link, since the process reads its path once. */
static char sysfs_link[64];

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
	int ret;

	(void)unlink(sysfs_link);
	assert_int_equal(symlink(sysfs.sysfs, sysfs_link), 0);
	if (file)
		fake_sysfs_write(&sysfs, file, text);
	errno = TEST_ERRNO;
	ret = ucm_node_check_abi();
	assert_int_equal(errno, TEST_ERRNO);
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

/* ------------------------------------------------------------------------
 * Open
 */

static void node_open_character_device_returns_descriptor(void **state)
{
	int fd = -1;

	assert_int_equal(ucm_node_open(&fd), 0);
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
	assert_int_equal(ucm_node_open(&fd), -ENODEV);
	assert_int_equal(fd, -5);
	/* The descriptor is closed. */
	assert_int_equal(fcntl(next, F_GETFD), -1);
	errno = TEST_ERRNO;
}

static void node_open_error_returns_errno(void **state)
{
	static const int errors[] = { ENOENT, EACCES, EMFILE, ENXIO };
	int fd = -5;

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		node_errno = errors[i];
		assert_int_equal(ucm_node_open(&fd), -errors[i]);
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
		NODE_TEST(node_open_character_device_returns_descriptor),
		NODE_TEST(node_open_regular_file_returns_enodev),
		NODE_TEST(node_open_error_returns_errno),
	};

	return cmocka_run_group_tests(tests, link_sysfs, unlink_sysfs);
}
