/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzz target: responses of the kernel's connection manager. The first byte of
 * the input selects a command; the kernel writes the rest as its response, as
 * far as there is room. Another kernel may write less than it claims. One
 * number selects the parser of netlink responses.
 */
#include "fuzz/fuzz_target.h"
#include "kernel/ucm_chardev.h"
#include "kernel/ucm_cmd.h"
#include "kernel/ucm_event.h"
#include "kernel/ucm_query.h"

#include <endian.h>
#include <infiniband/ib.h>
#include <sys/types.h>

/* Not the number of an open descriptor */
#define FUZZ_FD 0x7ffc0000

#define HEADER_LEN 8

static struct fuzz_reader response;

ssize_t __real_write(int fd, const void *buf, size_t count);
ssize_t __wrap_write(int fd, const void *buf, size_t count);

ssize_t __wrap_write(int fd, const void *buf, size_t count)
{
	const uint8_t *command = buf, *bytes;
	/* CREATE_ID, number 0, has its uid before the address. */
	size_t address_at = HEADER_LEN;
	uint64_t address;
	uint32_t number;
	uint16_t room;
	size_t len;

	if (fd != FUZZ_FD)
		return __real_write(fd, buf, count);
	memcpy(&number, command, sizeof(number));
	memcpy(&room, command + 6, sizeof(room));
	if (!number)
		address_at += 8;
	fuzz_assert(address_at + sizeof(address) <= count);
	memcpy(&address, command + address_at, sizeof(address));
	bytes = fuzz_take(&response, room, &len);
	if (len)
		memcpy((void *)(uintptr_t)address, bytes, len);
	return (ssize_t)count;
}

static void read_private_data(const struct ucm_event *event, const void *data,
			      uint8_t len)
{
	const uint8_t *first = data;

	fuzz_assert(!len == !data);
	if (!len)
		return;
	fuzz_assert(first >= (const uint8_t *)event &&
		    first + len <= (const uint8_t *)(event + 1));
}

static void run_event(void)
{
	struct rdma_conn_param conn;
	struct rdma_ud_param ud;
	struct ucm_event event;

	if (ucm_cmd_get_event(FUZZ_FD, &event) != 0)
		return;
	conn = ucm_event_conn(&event);
	read_private_data(&event, conn.private_data, conn.private_data_len);
	ud = ucm_event_ud(&event);
	read_private_data(&event, ud.private_data, ud.private_data_len);
	(void)ucm_event_arg(&event);
}

static void check_address(const struct sockaddr_storage *addr)
{
	fuzz_assert(addr->ss_family == 0 || addr->ss_family == AF_INET ||
		    addr->ss_family == AF_INET6 || addr->ss_family == AF_IB);
}

static void run_addr(bool is_gid)
{
	struct ucm_addr addr;

	if ((is_gid ? ucm_cmd_query_gid(FUZZ_FD, 1, &addr)
		    : ucm_cmd_query_addr(FUZZ_FD, 1, &addr)) != 0)
		return;
	check_address(&addr.src);
	check_address(&addr.dst);
	fuzz_assert(addr.ibdev_index >= -1 && addr.ibdev_index < UINT32_MAX);
}

static void run_paths(void)
{
	struct ibv_sa_path_rec paths[UCM_MAX_PATHS];
	int nr = ucm_cmd_query_path(FUZZ_FD, 1, paths);

	fuzz_assert(nr <= UCM_MAX_PATHS);
	for (int i = 0; i < nr; i++) {
		fuzz_assert(paths[i].sl < 16 && paths[i].mtu < 64);
		fuzz_assert(be32toh(paths[i].flow_label) <= 0xfffff);
	}
}

static void run_services(void)
{
	struct ibv_sa_service_rec services[UCM_MAX_SERVICES];

	fuzz_assert(ucm_cmd_query_service(FUZZ_FD, 1, services) <=
		    UCM_MAX_SERVICES);
}

static void run_qp_attr(void)
{
	struct ibv_qp_attr attr;
	int mask;

	if (ucm_cmd_init_qp_attr(FUZZ_FD, 1, IBV_QPS_RTS, &attr, &mask) == 0)
		fuzz_assert(attr.qp_state == IBV_QPS_RTS && mask != -1);
}

/* A response by netlink */
static void run_chardev(void)
{
	struct ucm_chardev chardev;

	(void)ucm_chardev_parse(response.data, response.len, &chardev);
}

static void run_numbers(void)
{
	uint32_t number;

	if (ucm_cmd_create_id(FUZZ_FD, 1, RDMA_PS_TCP, IBV_QPT_RC, &number) ==
	    0)
		fuzz_assert(number != UINT32_MAX);
	if (ucm_cmd_destroy_id(FUZZ_FD, 1, &number) == 0)
		fuzz_assert(number != UINT32_MAX);
	if (ucm_cmd_migrate_id(FUZZ_FD, 1, 2, &number) == 0)
		fuzz_assert(number != UINT32_MAX);
	if (ucm_cmd_leave_mcast(FUZZ_FD, 1, &number) == 0)
		fuzz_assert(number != UINT32_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	response = (struct fuzz_reader){ data, len };
	switch (fuzz_take_u8(&response) % 8) {
	case 0:
		run_event();
		break;
	case 1:
		run_addr(false);
		break;
	case 2:
		run_addr(true);
		break;
	case 3:
		run_paths();
		break;
	case 4:
		run_services();
		break;
	case 5:
		run_qp_attr();
		break;
	case 6:
		run_chardev();
		break;
	default:
		run_numbers();
		break;
	}
	return 0;
}
