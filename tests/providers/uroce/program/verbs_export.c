/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See verbs_export.h. */
#include "verbs_export.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "verbs_fixture.h"

#define ALL_ACCESS                                          \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
	 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)
#define LOCAL_BYTES 4096
#define QUIET_NS    30000000

static struct {
	uint8_t *memory, local[LOCAL_BYTES];
	struct ibv_mr *mr, *local_mr, *null_mr;
	struct ibv_context *second;
	struct ibv_pd *second_pd;
	struct ibv_dm *dm;
} side;

static void side_open(void)
{
	struct ibv_alloc_dm_attr attr = { .length = 4096 };

	fixture_set_up_on(fixture_open());
	side.memory = aligned_alloc(4096, EXPORT_BYTES);
	assert_non_null(side.memory);
	memset(side.memory, 1, EXPORT_BYTES);
	side.mr = ibv_reg_mr(fixture.pd, side.memory, EXPORT_BYTES, ALL_ACCESS);
	/* local read only */
	side.local_mr = ibv_reg_mr(fixture.pd, side.local, LOCAL_BYTES,
				   IBV_ACCESS_ZERO_BASED);
	side.null_mr = ibv_alloc_null_mr(fixture.pd);
	side.second = fixture_open();
	side.second_pd = ibv_alloc_pd(side.second);
	side.dm = ibv_alloc_dm(fixture.ctx, &attr);
	assert_non_null(side.mr);
	assert_non_null(side.local_mr);
	assert_non_null(side.null_mr);
	assert_non_null(side.second_pd);
	assert_non_null(side.dm);
}

static int side_dereg(void)
{
	return ibv_dereg_mr(side.mr) || ibv_dereg_mr(side.local_mr);
}

static int side_check(uint32_t offset, uint32_t bytes, uint8_t value)
{
	for (uint32_t i = 0; i < bytes; i++)
		if (side.memory[offset + i] != value)
			return 1;
	return 0;
}

/* After the end of the registration, nothing may write to the memory. */
static int side_quiet(void)
{
	const struct timespec nap = { .tv_nsec = QUIET_NS };

	if (side_dereg())
		return 1;
	memset(side.memory, 0xee, EXPORT_BYTES);
	(void)nanosleep(&nap, NULL);
	return side_check(0, EXPORT_BYTES, 0xee);
}

static int side_close(void)
{
	return ibv_close_device(side.second) || ibv_close_device(fixture.ctx);
}

static int side_connect(uint32_t qpn)
{
	const struct ibv_qp peer = { .qp_num = qpn };

	fixture_to_init(fixture.left);
	fixture_to_rtr(fixture.left, &peer);
	fixture_to_rts(fixture.left);
	return 0;
}

static int side_write(const struct export_request *request)
{
	memset(fixture.memory, request->value, 8);
	return (int)fixture_write(fixture.memory, request->address,
				  request->rkey);
}

static int side_execute(const struct export_request *request)
{
	switch (request->what) {
	case EXPORT_FILL:
		memset(side.memory, request->value, EXPORT_BYTES);
		memset(side.local, request->value, LOCAL_BYTES);
		return 0;
	case EXPORT_CHECK:
		return side_check(request->offset, request->bytes,
				  request->value);
	case EXPORT_DEREG:
		return side_dereg();
	case EXPORT_QUIET:
		return side_quiet();
	case EXPORT_REREG:
		return ibv_rereg_mr(side.mr, IBV_REREG_MR_CHANGE_ACCESS, NULL,
				    NULL, 0, 0);
	case EXPORT_CONNECT:
		return side_connect(request->qpn);
	case EXPORT_WRITE:
		return side_write(request);
	case EXPORT_REARM:
		fixture_rearm(fixture.left);
		return 0;
	case EXPORT_MIGRATE:
		fixture_migrate(fixture.left);
		return 0;
	case EXPORT_CLOSE:
		return side_close();
	default:
		return 0;
	}
}

static void send_objects(int fd)
{
	struct export_objects objects = {
		.pd = fixture.pd->handle,
		.mr = side.mr->handle,
		.local_mr = side.local_mr->handle,
		.null_mr = side.null_mr->handle,
		.second_pd = side.second_pd->handle,
		.dm = side.dm->handle,
		.qpn = fixture.left->qp_num,
		.address = (uintptr_t)side.memory,
	};
	struct iovec iov = { &objects, sizeof(objects) };
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {};
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &fixture.ctx->cmd_fd, sizeof(int));
	assert_int_equal(sendmsg(fd, &msg, 0), sizeof(objects));
}

int export_main(const char *text)
{
	struct export_request request = { .what = EXPORT_FILL };
	int fd = atoi(text);
	int result;

	side_open();
	send_objects(fd);
	while (request.what != EXPORT_END) {
		if (read(fd, &request, sizeof(request)) != sizeof(request))
			return 1;
		result = side_execute(&request);
		if (write(fd, &result, sizeof(result)) != sizeof(result))
			return 1;
	}
	return 0;
}

static void receive_objects(struct exporter *exporter)
{
	struct iovec iov = { &exporter->objects, sizeof(exporter->objects) };
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes),
	};
	const struct cmsghdr *cmsg;

	assert_int_equal(recvmsg(exporter->socket, &msg, MSG_CMSG_CLOEXEC),
			 sizeof(exporter->objects));
	cmsg = CMSG_FIRSTHDR(&msg);
	assert_non_null(cmsg);
	if (cmsg)
		memcpy(&exporter->cmd_fd, CMSG_DATA(cmsg), sizeof(int));
}

void exporter_start(struct exporter *exporter, char *setting)
{
	int fds[2];
	char text[16];

	assert_int_equal(
		socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds), 0);
	exporter->pid = fork();
	assert_true(exporter->pid >= 0);
	if (exporter->pid == 0) {
		(void)snprintf(text, sizeof(text), "%d", dup(fds[1]));
		if (setting)
			(void)putenv(setting);
		(void)execl("/proc/self/exe", "verbs_exporter", text,
			    (char *)NULL);
		_exit(1);
	}
	(void)close(fds[1]);
	exporter->socket = fds[0];
	receive_objects(exporter);
}

int exporter_tell(const struct exporter *exporter,
		  const struct export_request *request)
{
	int result = -1;

	assert_int_equal(write(exporter->socket, request, sizeof(*request)),
			 sizeof(*request));
	assert_int_equal(read(exporter->socket, &result, sizeof(result)),
			 sizeof(result));
	return result;
}

void exporter_connect(const struct exporter *exporter, struct ibv_qp *qp)
{
	const struct ibv_qp peer = { .qp_num = exporter->objects.qpn };
	const struct export_request request = {
		.what = EXPORT_CONNECT,
		.qpn = qp->qp_num,
	};

	fixture_to_init(qp);
	fixture_to_rtr(qp, &peer);
	assert_int_equal(exporter_tell(exporter, &request), 0);
	fixture_to_rts(qp);
}

void exporter_stop(struct exporter *exporter)
{
	const struct export_request request = { .what = EXPORT_END };

	(void)send(exporter->socket, &request, sizeof(request), MSG_NOSIGNAL);
	(void)close(exporter->socket);
	assert_int_equal(waitpid(exporter->pid, NULL, 0), exporter->pid);
}
