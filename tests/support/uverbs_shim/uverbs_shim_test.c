/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tests of uverbs_shim.so: it detects wrong headers, handles and lengths. The
 * tests run under the shim with an mlx5 device, by with_devices; the argument
 * is the mode.
 */
#include <errno.h>
#include <fcntl.h>
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
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

#define NODE	  "/dev/infiniband/uverbs0"
#define DRIVER_ID RDMA_DRIVER_MLX5

#define MAX_ATTRS 8

/* The array of the header needs room after it. */
union message {
	struct ib_uverbs_ioctl_hdr hdr;
	char bytes[sizeof(struct ib_uverbs_ioctl_hdr) +
		   MAX_ATTRS * sizeof(struct ib_uverbs_attr)];
};

static int open_node(void **state)
{
	int *fd = malloc(sizeof(*fd));

	assert_non_null(fd);
	*fd = open(NODE, O_RDWR | O_CLOEXEC);
	assert_true(*fd >= 0);
	*state = fd;
	return 0;
}

static int close_node(void **state)
{
	int *fd = *state;

	(void)close(*fd); /* closing a memory file cannot fail */
	free(fd);
	return 0;
}

static union message message(uint16_t object, uint16_t method)
{
	return (union message){
		.hdr = { .object_id = object,
			 .method_id = method,
			 .driver_id = DRIVER_ID },
	};
}

static void add_attr(union message *msg, uint16_t id, uint16_t len,
		     uint64_t data)
{
	const uint32_t number = (uint32_t)data;

	if (len ==
	    sizeof(number)) /* the attribute contains the number itself */
		memcpy(&data, &number, sizeof(number));
	msg->hdr.attrs[msg->hdr.num_attrs++] = (struct ib_uverbs_attr){
		.attr_id = id,
		.len = len,
		.flags = UVERBS_ATTR_F_MANDATORY,
		.data = data,
	};
}

/* Return: 0 or an errno. */
static int send_message(int fd, union message *msg)
{
	msg->hdr.length =
		(uint16_t)(sizeof(msg->hdr) +
			   msg->hdr.num_attrs * sizeof(msg->hdr.attrs[0]));
	return ioctl(fd, RDMA_VERBS_IOCTL, msg) ? errno : 0;
}

static int alloc_pd(int fd, uint32_t *ret_handle)
{
	struct ib_uverbs_alloc_pd_resp resp = {};
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_alloc_pd core;
	} cmd = {
		.hdr = { .command = IB_USER_VERBS_CMD_ALLOC_PD,
			 .in_words = sizeof(cmd) / 4,
			 .out_words = sizeof(resp) / 4 },
		.core = { .response = (uintptr_t)&resp },
	};

	if (write(fd, &cmd, sizeof(cmd)) != (ssize_t)sizeof(cmd))
		return errno;
	*ret_handle = resp.pd_handle;
	return 0;
}

static int destroy(int fd, uint16_t object, uint16_t method, uint32_t handle)
{
	union message msg = message(object, method);

	add_attr(&msg, 0, 0, handle);
	return send_message(fd, &msg);
}

static int dealloc_pd(int fd, uint32_t handle)
{
	return destroy(fd, UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY, handle);
}

static int reg_mr(int fd, uint32_t pd, uint32_t *ret_handle)
{
	struct ib_uverbs_reg_mr_resp resp = {};
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_reg_mr core;
	} cmd = {
		.hdr = { .command = IB_USER_VERBS_CMD_REG_MR,
			 .in_words = sizeof(cmd) / 4,
			 .out_words = sizeof(resp) / 4 },
		.core = { .response = (uintptr_t)&resp,
			  .length = 8,
			  .pd_handle = pd },
	};

	if (write(fd, &cmd, sizeof(cmd)) != (ssize_t)sizeof(cmd))
		return errno;
	*ret_handle = resp.mr_handle;
	return 0;
}

static bool log_contains(const char *text)
{
	const char *path = getenv("UVERBS_SHIM_LOG");
	char line[1024];
	bool found = false;
	FILE *log = path ? fopen(path, "re") : NULL;

	assert_non_null(log);
	while (!found && fgets(line, sizeof(line), log))
		found = strstr(line, text) != NULL;
	(void)fclose(log); /* the file was only read */
	return found;
}

static void uverbs_shim_node_is_character_device(void **state)
{
	const int *fd = *state;
	struct stat st;

	assert_int_equal(fstat(*fd, &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	assert_int_equal(st.st_rdev, makedev(231, 192));
	assert_int_equal(stat(NODE, &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	assert_int_equal(stat("/dev/infiniband/uverbs1", &st), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(open("/dev/infiniband/uverbs1", O_RDWR), -1);
	assert_int_equal(errno, ENOENT);
}

static void uverbs_shim_wrong_ioctl_header_is_refused(void **state)
{
	union message msg =
		message(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT);
	const int *fd = *state;

	assert_int_equal(send_message(*fd, &msg), 0);
	msg.hdr.driver_id++;
	assert_int_equal(send_message(*fd, &msg), EINVAL);
	msg.hdr.driver_id--;
	msg.hdr.length += 8;
	assert_int_equal(ioctl(*fd, RDMA_VERBS_IOCTL, &msg), -1);
	assert_int_equal(errno, EINVAL);
}

static void uverbs_shim_unknown_method_or_attribute_is_refused(void **state)
{
	union message msg = message(UVERBS_OBJECT_DEVICE, 99);
	const int *fd = *state;

	assert_int_equal(send_message(*fd, &msg), EPROTONOSUPPORT);
	msg = message(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT);
	add_attr(&msg, 77, 0, 0);
	assert_int_equal(send_message(*fd, &msg), EPROTONOSUPPORT);
	msg.hdr.attrs[0].flags = 0;
	assert_int_equal(send_message(*fd, &msg), 0);
}

static void uverbs_shim_stale_handle_returns_enoent(void **state)
{
	const int *fd = *state;
	uint32_t pd = 0;

	assert_int_equal(alloc_pd(*fd, &pd), 0);
	assert_int_not_equal(pd, 0);
	assert_int_equal(
		destroy(*fd, UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY, pd),
		ENOENT);
	assert_int_equal(dealloc_pd(*fd, pd), 0);
	assert_int_equal(dealloc_pd(*fd, pd), ENOENT);
}

static void uverbs_shim_destroy_of_object_in_use_returns_ebusy(void **state)
{
	const int *fd = *state;
	uint32_t pd = 0, mr = 0;

	assert_int_equal(alloc_pd(*fd, &pd), 0);
	assert_int_equal(reg_mr(*fd, pd + 1, &mr), EINVAL);
	assert_int_equal(reg_mr(*fd, pd, &mr), 0);
	assert_int_equal(dealloc_pd(*fd, pd), EBUSY);
	assert_int_equal(
		destroy(*fd, UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY, mr),
		0);
	assert_int_equal(dealloc_pd(*fd, pd), 0);
}

static void uverbs_shim_wrong_write_length_is_refused(void **state)
{
	const int *fd = *state;
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_dealloc_pd core;
	} cmd = {
		.hdr = { .command = IB_USER_VERBS_CMD_DEALLOC_PD,
			 .in_words = sizeof(cmd) / 4 + 1 },
	};

	assert_int_equal(write(*fd, &cmd, sizeof(cmd)), -1);
	assert_int_equal(errno, EINVAL);
	cmd.hdr.in_words = sizeof(cmd.hdr) / 4;
	assert_int_equal(write(*fd, &cmd, sizeof(cmd.hdr)), -1);
	assert_int_equal(errno, ENOSPC);
}

static void uverbs_shim_log_contains_driver_data(void **state)
{
	const uint64_t driver[2] = { 0x7f0011223344, htole64(0x1122) };
	union message msg = message(UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE);
	const int *fd = *state;

	add_attr(&msg, UVERBS_ATTR_CREATE_CQ_HANDLE, 0, 0);
	add_attr(&msg, UVERBS_ATTR_CREATE_CQ_CQE, sizeof(uint32_t), 33);
	add_attr(&msg, UVERBS_ATTR_UHW_IN, sizeof(driver), (uintptr_t)driver);
	assert_int_equal(send_message(*fd, &msg), 0);
	assert_true(log_contains("ioctl CREATE_CQ depth=0x21 new=CQ1 "
				 "driver_in=<address>2211000000000000 = 0"));
}

static void uverbs_shim_mapping_is_memory(void **state)
{
	const int *fd = *state;
	char *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, *fd,
			 0x5000);

	assert_ptr_not_equal(map, MAP_FAILED);
	map[4095] = 1;
	assert_int_equal(munmap(map, 4096), 0);
	assert_true(log_contains("map MMAP length=4096 prot=3 offset=0x5000"));
}

static void uverbs_shim_write_mode_ioctl_returns_enotty(void **state)
{
	union message msg =
		message(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT);
	const int *fd = *state;
	uint32_t pd = 0;

	assert_int_equal(send_message(*fd, &msg), ENOTTY);
	assert_int_equal(alloc_pd(*fd, &pd), 0);
}

static void uverbs_shim_invoke_mode_accepts_only_invoke_write(void **state)
{
	union message msg =
		message(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT);
	const int *fd = *state;

	assert_int_equal(send_message(*fd, &msg), EPROTONOSUPPORT);
	msg = message(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);
	add_attr(&msg, UVERBS_ATTR_WRITE_CMD, sizeof(uint64_t),
		 IB_USER_VERBS_CMD_QUERY_DEVICE);
	assert_int_equal(send_message(*fd, &msg), ENOSPC);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, open_node, close_node)

int main(int argc, char **argv)
{
	const struct CMUnitTest ioctl_tests[] = {
		TEST(uverbs_shim_node_is_character_device),
		TEST(uverbs_shim_wrong_ioctl_header_is_refused),
		TEST(uverbs_shim_unknown_method_or_attribute_is_refused),
		TEST(uverbs_shim_stale_handle_returns_enoent),
		TEST(uverbs_shim_destroy_of_object_in_use_returns_ebusy),
		TEST(uverbs_shim_wrong_write_length_is_refused),
		TEST(uverbs_shim_log_contains_driver_data),
		TEST(uverbs_shim_mapping_is_memory),
	};
	const struct CMUnitTest write_tests[] = {
		TEST(uverbs_shim_write_mode_ioctl_returns_enotty),
		TEST(uverbs_shim_wrong_write_length_is_refused),
	};
	const struct CMUnitTest invoke_tests[] = {
		TEST(uverbs_shim_invoke_mode_accepts_only_invoke_write),
	};
	const char *way = argc > 1 ? argv[1] : "";

	if (!strcmp(way, "ioctl"))
		return cmocka_run_group_tests(ioctl_tests, NULL, NULL);
	if (!strcmp(way, "invoke"))
		return cmocka_run_group_tests(invoke_tests, NULL, NULL);
	if (!strcmp(way, "write"))
		return cmocka_run_group_tests(write_tests, NULL, NULL);
	(void)fprintf(stderr, "usage: uverbs_shim_test ioctl|invoke|write\n");
	return 2;
}
