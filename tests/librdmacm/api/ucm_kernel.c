/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel of ucm_kernel.h: each descriptor is an eventfd with a queue. */
#include "librdmacm/api/ucm_kernel.h"

#include "librdmacm/api/api_net.h"

#include <errno.h>
#include <infiniband/ib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#define NR_FILES  8
#define NR_IDS	  16
#define NR_EVENTS 64
#define NR_JOINS  4

struct kernel_id {
	bool is_used;
	int fd;
	uint64_t uid;
	uint32_t nr_reported;
	struct sockaddr_in src, dst;
};

struct kernel_event {
	uint32_t id; /* that counts the event */
	int join;    /* -1: none */
	struct ucma_abi_event_resp response;
};

struct kernel_join {
	uint64_t uid;
	uint32_t id;
	uint32_t nr_reported;
};

struct ucm_kernel ucm_kernel;
static int files[NR_FILES]; /* descriptors; 0: none */
static struct kernel_id ids[NR_IDS];
static struct kernel_event events[NR_EVENTS];
static size_t nr_events;
static struct kernel_join joins[NR_JOINS];
static uint32_t nr_joins, last_id;

ssize_t __real_write(int fd, const void *buf, size_t count);
ssize_t __wrap_write(int fd, const void *buf, size_t count);

static bool is_kernel_fd(int fd)
{
	int *file = files;

	while (file < files + NR_FILES && *file != fd)
		file++;
	return file < files + NR_FILES;
}

static int kernel_open(int *ret_fd)
{
	int *file = files;

	while (file < files + NR_FILES && *file)
		file++;
	assert_true(file < files + NR_FILES);
	*file = eventfd(0, EFD_SEMAPHORE | EFD_NONBLOCK | EFD_CLOEXEC);
	assert_true(*file > 0);
	ucm_kernel.nr_files++;
	*ret_fd = *file;
	return 0;
}

int ucm_kernel_setup(void **state)
{
	(void)api_net_reset(state);
	api_net.nr_devices = 3;
	api_net.open_node = kernel_open;
	memset(&ucm_kernel, 0, sizeof(ucm_kernel));
	memset(files, 0, sizeof(files));
	memset(ids, 0, sizeof(ids));
	nr_events = 0;
	nr_joins = 0;
	return 0;
}

int ucm_kernel_teardown(void **state)
{
	assert_int_equal(ucm_kernel.nr_ids, 0);
	assert_int_equal(api_net.nr_claims, 0);
	assert_int_equal(api_net.nr_pds, 0);
	assert_int_equal(api_net.nr_qps, 0);
	return 0;
}

struct sockaddr *ucm_kernel_address(uint8_t host, uint16_t port)
{
	struct sockaddr *address = api_net_address(0, port);

	((struct sockaddr_in *)(void *)address)->sin_addr.s_addr =
		htonl(0x0a000000U + host);
	return address;
}

const void *ucm_kernel_last(uint32_t number)
{
	assert_true(ucm_kernel.nr_commands[number]);
	return ucm_kernel.last[number];
}

/* -- ids -- */

static struct kernel_id *id_find(uint32_t number)
{
	return number < NR_IDS && ids[number].is_used ? &ids[number] : NULL;
}

static uint32_t id_new(int fd, uint64_t uid)
{
	uint32_t number = 0;

	while (number < NR_IDS && ids[number].is_used)
		number++;
	assert_true(number < NR_IDS);
	ids[number] = (struct kernel_id){
		.is_used = true,
		.fd = fd,
		.uid = uid,
	};
	ucm_kernel.nr_ids++;
	return number;
}

/* -- events -- */

struct ucma_abi_event_resp ucm_kernel_event(enum rdma_cm_event_type type,
					    int status)
{
	return (struct ucma_abi_event_resp){
		.event = (uint32_t)type,
		.status = (uint32_t)status,
	};
}

static void event_queue(uint32_t number, int join,
			const struct ucma_abi_event_resp *response)
{
	assert_true(nr_events < NR_EVENTS);
	events[nr_events++] = (struct kernel_event){
		.id = number,
		.join = join,
		.response = *response,
	};
	assert_int_equal(eventfd_write(ids[number].fd, 1), 0);
}

void ucm_kernel_post_to(uint32_t number,
			const struct ucma_abi_event_resp *event)
{
	struct ucma_abi_event_resp response = *event;

	response.id = number;
	response.uid = ids[number].uid;
	event_queue(number, -1, &response);
}

void ucm_kernel_post(const struct ucma_abi_event_resp *event)
{
	ucm_kernel_post_to(last_id, event);
}

uint32_t ucm_kernel_post_request(const struct ucma_abi_event_resp *event)
{
	struct ucma_abi_event_resp response = *event;
	const struct kernel_id *listener = &ids[last_id];
	uint32_t number = id_new(listener->fd, 0);

	memcpy(&ids[number].src, ucm_kernel_address(3, API_NET_PORT),
	       sizeof(struct sockaddr_in));
	memcpy(&ids[number].dst, ucm_kernel_address(4, 555),
	       sizeof(struct sockaddr_in));
	response.id = number;
	response.uid = listener->uid;
	event_queue(last_id, -1, &response);
	return number;
}

void ucm_kernel_post_join(enum rdma_cm_event_type type, int status)
{
	struct ucma_abi_event_resp response = ucm_kernel_event(type, status);
	const struct kernel_join *join = &joins[nr_joins - 1];

	response.id = nr_joins - 1;
	response.uid = join->uid;
	response.param.ud.qp_num = 0xffffff;
	response.param.ud.ah_attr.is_global = 1;
	response.param.ud.ah_attr.grh.dgid[0] = 0xff;
	response.param.ud.ah_attr.dlid = 0xc001;
	event_queue(join->id, (int)(nr_joins - 1), &response);
}

static void event_remove(size_t i)
{
	memmove(&events[i], &events[i + 1],
		(--nr_events - i) * sizeof(events[0]));
}

/* Takes the first event of a descriptor; false: there is none. */
static bool event_take(int fd, struct kernel_event *ret_event)
{
	for (size_t i = 0; i < nr_events; i++) {
		if (ids[events[i].id].fd != fd)
			continue;
		*ret_event = events[i];
		event_remove(i);
		return true;
	}
	return false;
}

static void events_drop(uint32_t number)
{
	struct kernel_event event;
	eventfd_t ignored;
	size_t i = 0;

	while (i < nr_events) {
		event = events[i];
		if (event.id != number) {
			i++;
			continue;
		}
		event_remove(i);
		(void)eventfd_read(ids[number].fd, &ignored);
		/* The kernel rejects a request that was not fetched. */
		if (event.response.event == RDMA_CM_EVENT_CONNECT_REQUEST) {
			ids[event.response.id].is_used = false;
			ucm_kernel.nr_ids--;
		}
	}
}

/* -- commands -- */

static void *response_at(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

static void respond(uint64_t address, const void *response, size_t len,
		    uint16_t room)
{
	if (ucm_kernel.skips_response) {
		ucm_kernel.skips_response = false;
		return;
	}
	assert_true(room >= len);
	memcpy(response_at(address), response, len);
}

static int run_create(int fd, const void *buf)
{
	const struct ucma_abi_create_id *command = buf;

	last_id = id_new(fd, command->uid);
	respond(command->response, &last_id, sizeof(last_id), command->out);
	return 0;
}

static int run_destroy(const void *buf)
{
	const struct ucma_abi_destroy_id *command = buf;
	struct kernel_id *id = id_find(command->id);

	if (!id)
		return ENOENT;
	events_drop(command->id);
	respond(command->response, &id->nr_reported, sizeof(id->nr_reported),
		command->out);
	id->is_used = false;
	ucm_kernel.nr_ids--;
	return 0;
}

static int run_bind(const void *buf)
{
	const struct ucma_abi_bind *command = buf;
	struct kernel_id *id = id_find(command->id);

	if (!id)
		return ENOENT;
	assert_int_equal(command->addr_size, sizeof(id->src));
	memcpy(&id->src, &command->addr, sizeof(id->src));
	if (ucm_kernel.port_in_use &&
	    ntohs(id->src.sin_port) == ucm_kernel.port_in_use) {
		ucm_kernel.port_in_use = 0;
		return EADDRINUSE;
	}
	if (!id->src.sin_port)
		id->src.sin_port = htons(40000);
	return 0;
}

static int run_resolve_addr(const void *buf)
{
	const struct ucma_abi_event_resp event =
		ucm_kernel_event(RDMA_CM_EVENT_ADDR_RESOLVED, 0);
	const struct ucma_abi_resolve_addr *command = buf;
	struct kernel_id *id = id_find(command->id);

	if (!id)
		return ENOENT;
	if (command->src_size)
		memcpy(&id->src, &command->src_addr, sizeof(id->src));
	memcpy(&id->dst, &command->dst_addr, sizeof(id->dst));
	ucm_kernel_post_to(command->id, &event);
	return 0;
}

static int run_resolve_route(const void *buf)
{
	const struct ucma_abi_event_resp event =
		ucm_kernel_event(RDMA_CM_EVENT_ROUTE_RESOLVED, 0);
	const struct ucma_abi_resolve_route *command = buf;

	ucm_kernel_post_to(command->id, &event);
	return 0;
}

static void address_as_gid(const struct sockaddr_in *address,
			   struct sockaddr_storage *ret_gid)
{
	struct sockaddr_ib ib = { .sib_family = AF_IB };
	union ibv_gid gid = { { 0 } };

	gid.raw[10] = 0xff;
	gid.raw[11] = 0xff;
	memcpy(&gid.raw[12], &address->sin_addr, 4);
	memcpy(&ib.sib_addr, &gid, sizeof(gid));
	memcpy(ret_gid, &ib, sizeof(ib));
}

static void query_addr(const struct kernel_id *id, bool wants_gids,
		       const struct ucma_abi_query *command)
{
	struct ucma_abi_query_addr_resp response = {
		.src_size = sizeof(id->src),
		.dst_size = id->dst.sin_family ? sizeof(id->dst) : 0,
		.ibdev_index = UINT32_MAX,
	};

	if (id->src.sin_addr.s_addr) {
		response.node_guid = htobe64(19);
		response.port_num = 2;
	}
	if (ucm_kernel.node_guid)
		response.node_guid = htobe64(ucm_kernel.node_guid);
	if (wants_gids) {
		response.src_size = sizeof(struct sockaddr_ib);
		response.dst_size = sizeof(struct sockaddr_ib);
		address_as_gid(&id->src, &response.src_addr);
		address_as_gid(&id->dst, &response.dst_addr);
	} else {
		memcpy(&response.src_addr, &id->src, sizeof(id->src));
		memcpy(&response.dst_addr, &id->dst, sizeof(id->dst));
	}
	if (ucm_kernel.src_size)
		response.src_size = ucm_kernel.src_size;
	respond(command->response, &response, sizeof(response), command->out);
}

struct path_response {
	uint32_t num_paths;
	uint32_t reserved;
	struct ibv_path_data path;
};

static int run_query(const void *buf)
{
	const struct ucma_abi_query *command = buf;
	const struct kernel_id *id = id_find(command->id);
	struct path_response path = {
		.num_paths = ucm_kernel.num_paths ? ucm_kernel.num_paths : 1,
		.path.flags = 0x43,
		.path.path.pkey = htobe16(0xffff),
	};

	if (!id)
		return ENOENT;
	if (command->option == UCMA_QUERY_PATH)
		respond(command->response, &path, sizeof(path), command->out);
	else
		query_addr(id, command->option == UCMA_QUERY_GID, command);
	return 0;
}

static int run_accept(const void *buf)
{
	const struct ucma_abi_accept *command = buf;
	struct kernel_id *id = id_find(command->id);

	if (!id)
		return ENOENT;
	if (command->conn_param.valid)
		id->uid = command->uid;
	return 0;
}

static int run_init_qp_attr(const void *buf)
{
	const struct ucma_abi_init_qp_attr *command = buf;
	struct ib_uverbs_qp_attr response = {
		.qp_state = command->qp_state,
		.port_num = 2,
		.qp_attr_mask = IBV_QP_STATE,
	};

	if (command->qp_state == IBV_QPS_INIT)
		response.qp_attr_mask |= IBV_QP_PORT;
	if (command->qp_state == IBV_QPS_RTR)
		response.qp_attr_mask |= IBV_QP_MAX_DEST_RD_ATOMIC;
	if (command->qp_state == IBV_QPS_RTS)
		response.qp_attr_mask |= IBV_QP_MAX_QP_RD_ATOMIC;
	response.max_dest_rd_atomic = 11;
	response.max_rd_atomic = 12;
	respond(command->response, &response, sizeof(response), command->out);
	return 0;
}

static int run_get_event(int fd, const void *buf)
{
	const struct ucma_abi_get_event *command = buf;
	struct kernel_event event;
	eventfd_t ignored;

	if (!event_take(fd, &event))
		return EAGAIN;
	(void)eventfd_read(fd, &ignored);
	ids[event.id].nr_reported++;
	if (event.join >= 0)
		joins[event.join].nr_reported++;
	respond(command->response, &event.response, sizeof(event.response),
		command->out);
	return 0;
}

static int run_migrate(int fd, const void *buf)
{
	const struct ucma_abi_migrate_id *command = buf;
	struct kernel_id *id = id_find(command->id);
	eventfd_t ignored;

	if (!id)
		return ENOENT;
	assert_int_equal(id->fd, (int)command->fd);
	for (size_t i = 0; i < nr_events; i++) {
		if (events[i].id != command->id)
			continue;
		(void)eventfd_read(id->fd, &ignored);
		assert_int_equal(eventfd_write(fd, 1), 0);
	}
	id->fd = fd;
	respond(command->response, &id->nr_reported, sizeof(id->nr_reported),
		command->out);
	return 0;
}

static int run_join(const void *buf)
{
	const struct ucma_abi_join_mcast *command = buf;

	assert_true(nr_joins < NR_JOINS);
	joins[nr_joins] = (struct kernel_join){
		.uid = command->uid,
		.id = command->id,
	};
	respond(command->response, &nr_joins, sizeof(nr_joins), command->out);
	nr_joins++;
	return 0;
}

static int run_leave(const void *buf)
{
	const struct ucma_abi_destroy_id *command = buf;

	assert_true(command->id < nr_joins);
	respond(command->response, &joins[command->id].nr_reported,
		sizeof(uint32_t), command->out);
	return 0;
}

static int run(int fd, uint32_t number, const void *buf)
{
	switch (number) {
	case UCMA_CMD_CREATE_ID:
		return run_create(fd, buf);
	case UCMA_CMD_DESTROY_ID:
		return run_destroy(buf);
	case UCMA_CMD_BIND:
		return run_bind(buf);
	case UCMA_CMD_RESOLVE_ADDR:
		return run_resolve_addr(buf);
	case UCMA_CMD_RESOLVE_ROUTE:
		return run_resolve_route(buf);
	case UCMA_CMD_QUERY:
		return run_query(buf);
	case UCMA_CMD_ACCEPT:
		return run_accept(buf);
	case UCMA_CMD_INIT_QP_ATTR:
		return run_init_qp_attr(buf);
	case UCMA_CMD_GET_EVENT:
		return run_get_event(fd, buf);
	case UCMA_CMD_MIGRATE_ID:
		return run_migrate(fd, buf);
	case UCMA_CMD_JOIN_MCAST:
		return run_join(buf);
	case UCMA_CMD_LEAVE_MCAST:
		return run_leave(buf);
	default:
		return 0;
	}
}

ssize_t __wrap_write(int fd, const void *buf, size_t count)
{
	struct ucma_abi_cmd_hdr header;
	int err;

	if (!is_kernel_fd(fd))
		return __real_write(fd, buf, count);
	assert_true(count >= sizeof(header));
	memcpy(&header, buf, sizeof(header));
	assert_true(header.cmd < UCM_KERNEL_MAX_COMMANDS);
	assert_true(count <= sizeof(ucm_kernel.last[0]));
	ucm_kernel.nr_commands[header.cmd]++;
	memcpy(ucm_kernel.last[header.cmd], buf, count);
	err = ucm_kernel.errors[header.cmd];
	ucm_kernel.errors[header.cmd] = 0;
	if (!err)
		err = run(fd, header.cmd, buf);
	if (!err)
		return (ssize_t)count;
	errno = err;
	return -1;
}
