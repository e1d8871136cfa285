/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sockets of the C library in a process that has loaded librspreload.so. */
#include "librdmacm/preload/preload_connection.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void sockets_transfer_by_all_functions(void **state)
{
	struct connection connection = connection_new();
	char bytes[8] = "";
	struct iovec iov[2] = { { .iov_base = bytes, .iov_len = 1 },
				{ .iov_base = bytes + 1, .iov_len = 1 } };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };

	assert_int_equal(write(connection.client, "ab", 2), 2);
	assert_int_equal(read(connection.server, bytes, 8), 2);
	assert_int_equal(writev(connection.client, iov, 2), 2);
	assert_int_equal(recv(connection.server, bytes, 8, MSG_PEEK), 2);
	assert_int_equal(readv(connection.server, iov, 2), 2);
	assert_int_equal(sendmsg(connection.client, &msg, 0), 2);
	memset(bytes, 0, sizeof(bytes));
	assert_int_equal(recvmsg(connection.server, &msg, 0), 2);
	assert_memory_equal(bytes, "ab", 2);
	assert_int_equal(send(connection.client, "c", 1, 0), 1);
	assert_int_equal(recvfrom(connection.server, bytes, 8, 0, NULL, NULL),
			 1);
	assert_int_equal(shutdown(connection.client, SHUT_WR), 0);
	assert_int_equal(read(connection.server, bytes, 8), 0);
	connection_close(connection);
}

static void duplicates_refer_to_same_socket(void **state)
{
	struct connection connection = connection_new();
	int copy = dup(connection.client), other = open("/dev/null", O_RDWR);
	char byte;

	assert_int_equal(dup2(copy, other), other);
	assert_int_equal(close(connection.client), 0);
	connection.client = fcntl(copy, F_DUPFD_CLOEXEC, 100);
	assert_true(connection.client >= 100);
	assert_int_equal(close(copy), 0);
	assert_int_equal(write(other, "x", 1), 1);
	assert_int_equal(read(connection.server, &byte, 1), 1);
	assert_int_equal(close(other), 0);
	assert_int_equal(write(connection.client, "y", 1), 1);
	assert_int_equal(read(connection.server, &byte, 1), 1);
	assert_int_equal(byte, 'y');
	connection_close(connection);
}

static void select_and_poll_report_socket_and_pipe(void **state)
{
	struct connection connection = connection_new();
	struct pollfd fds[2];
	fd_set reads;
	int pipe_fds[2], nr;

	assert_int_equal(pipe(pipe_fds), 0);
	fds[0] = (struct pollfd){ .fd = connection.server, .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = pipe_fds[0], .events = POLLIN };
	assert_int_equal(poll(fds, 2, 0), 0);
	assert_int_equal(write(connection.client, "x", 1), 1);
	assert_int_equal(poll(fds, 2, 20000), 1);
	assert_int_equal(fds[0].revents, POLLIN);
	assert_int_equal(write(pipe_fds[1], "x", 1), 1);
	FD_ZERO(&reads);
	FD_SET(connection.server, &reads);
	FD_SET(pipe_fds[0], &reads);
	nr = connection.server > pipe_fds[0] ? connection.server : pipe_fds[0];
	assert_int_equal(select(nr + 1, &reads, NULL, NULL, NULL), 2);
	assert_true(FD_ISSET(connection.server, &reads));
	assert_int_equal(close(pipe_fds[0]), 0);
	assert_int_equal(close(pipe_fds[1]), 0);
	connection_close(connection);
}

static void ppoll_and_pselect_report_socket(void **state)
{
	struct connection connection = connection_new();
	const struct timespec no_time = { 0 }, invalid = { .tv_nsec = -1 };
	struct pollfd poll_fd = { .fd = connection.server, .events = POLLIN };
	fd_set set;

	assert_int_equal(ppoll(&poll_fd, 1, &no_time, NULL), 0);
	errno = 0;
	assert_int_equal(ppoll(&poll_fd, 1, &invalid, NULL), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(write(connection.client, "x", 1), 1);
	assert_int_equal(ppoll(&poll_fd, 1, NULL, NULL), 1);
	assert_int_equal(poll_fd.revents, POLLIN);
	FD_ZERO(&set);
	FD_SET(connection.server, &set);
	assert_int_equal(
		pselect(connection.server + 1, &set, NULL, NULL, NULL, NULL),
		1);
	assert_true(FD_ISSET(connection.server, &set));
	connection_close(connection);
}

static void messages_transfer_by_recvmmsg_and_sendmmsg(void **state)
{
	struct connection connection = connection_new();
	char sent[] = "abcd", received[4];
	struct iovec iov[4];
	struct mmsghdr msgs[4];
	struct timespec no_time = { 0 };

	memset(msgs, 0, sizeof(msgs));
	for (int i = 0; i < 4; i++) {
		iov[i] = (struct iovec){ &sent[i], 1 };
		msgs[i].msg_hdr.msg_iov = &iov[i];
		msgs[i].msg_hdr.msg_iovlen = 1;
	}
	assert_int_equal(sendmmsg(connection.client, msgs, 4, 0), 4);
	assert_int_equal(msgs[3].msg_len, 1);
	for (int i = 0; i < 4; i++)
		iov[i].iov_base = &received[i];
	assert_int_equal(recvmmsg(connection.server, msgs, 1, 0, NULL), 1);
	/* One message, since the time is over after it */
	assert_int_equal(recvmmsg(connection.server, &msgs[1], 3, 0, &no_time),
			 1);
	assert_int_equal(recvmmsg(connection.server, &msgs[2], 2, 0, NULL), 2);
	assert_memory_equal(received, sent, 4);
	errno = 0;
	assert_int_equal(
		recvmmsg(connection.server, msgs, 4, MSG_DONTWAIT, NULL), -1);
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(write(connection.client, "x", 1), 1);
	assert_int_equal(
		recvmmsg(connection.server, msgs, 4, MSG_WAITFORONE, NULL), 1);
	connection_close(connection);
}

/* The descriptor is that of an empty file, in which data would be lost. */
static void splice_and_sendfile_from_socket_are_refused(void **state)
{
	struct connection connection = connection_new();
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], "x", 1), 1);
	errno = 0;
	assert_int_equal(splice(fds[0], NULL, connection.client, NULL, 1, 0),
			 -1);
	assert_int_equal(errno, EINVAL);
	errno = 0;
	assert_int_equal(splice(connection.client, NULL, fds[1], NULL, 1, 0),
			 -1);
	assert_int_equal(errno, EINVAL);
	errno = 0;
	assert_int_equal(sendfile(fds[1], connection.client, NULL, 1), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(close(fds[0]), 0);
	assert_int_equal(close(fds[1]), 0);
	connection_close(connection);
}

/* The range has no descriptor of the RDMA libraries. */
static void close_range_closes_sockets_and_epoll_sets(void **state)
{
	struct connection connection = connection_new();
	int set = fcntl(epoll_create1(EPOLL_CLOEXEC), F_DUPFD, 500);
	int copy = fcntl(connection.server, F_DUPFD, 501);
	struct epoll_event event;
	char byte;

	assert_true(set >= 500);
	epoll_add(set, copy, EPOLLIN);
	assert_int_equal(close(connection.server), 0);
	connection.server = fcntl(copy, F_DUPFD, 600);
	assert_int_equal(close_range(500, 599, 0), 0);
	errno = 0;
	assert_int_equal(write(copy, "x", 1), -1);
	assert_int_equal(errno, EBADF);
	errno = 0;
	assert_int_equal(epoll_wait(set, &event, 1, 0), -1);
	assert_int_equal(errno, EBADF);
	assert_int_equal(write(connection.client, "x", 1), 1);
	assert_int_equal(read(connection.server, &byte, 1), 1);
	connection_close(connection);
}

/* The child shares the memory of the test, but not its descriptors. */
static void child_of_vfork_closes_no_socket_of_parent(void **state)
{
	struct connection connection = connection_new();
	int other = fcntl(STDERR_FILENO, F_DUPFD, 500), status;
	char byte;
	/* NOLINTNEXTLINE(clang-analyzer-security.insecureAPI.vfork) */
	pid_t pid = vfork();

	assert_true(pid >= 0);
	if (!pid) {
		(void)dup2(connection.server, other);
		(void)close(connection.client);
		(void)close_range((unsigned int)connection.server,
				  (unsigned int)connection.server, 0);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(write(connection.client, "x", 1), 1);
	assert_int_equal(read(connection.server, &byte, 1), 1);
	assert_int_equal(close(other), 0);
	connection_close(connection);
}

static void accepted_socket_has_own_flags(void **state)
{
	int listener = test_listen(), on = 1;
	struct connection connection = { .client = socket(AF_INET, SOCK_STREAM,
							  0) };
	struct pollfd fds = { .fd = listener, .events = POLLIN };
	char byte;

	assert_int_equal(ioctl(listener, FIONBIO, &on), 0);
	assert_int_equal(accept(listener, NULL, NULL), -1);
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(test_connect(connection.client), 0);
	assert_int_equal(poll(&fds, 1, 20000), 1);
	connection.server = accept4(listener, NULL, NULL, 0);
	assert_int_equal(fcntl(connection.server, F_GETFL), O_RDWR);
	assert_int_equal(fcntl(connection.server, F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(read(connection.server, &byte, 1), -1);
	assert_int_equal(errno, EAGAIN);
	connection_close(connection);
	assert_int_equal(close(listener), 0);
}

static void sendfile_moves_offset(void **state)
{
	struct connection connection = connection_new();
	FILE *file = tmpfile();
	off_t offset = 2;
	char bytes[8];

	assert_non_null(file);
	assert_int_equal(write(fileno(file), "012345", 6), 6);
	assert_int_equal(lseek(fileno(file), 1, SEEK_SET), 1);
	assert_int_equal(sendfile(connection.client, fileno(file), &offset, 3),
			 3);
	assert_int_equal(offset, 5);
	assert_int_equal(sendfile(connection.client, fileno(file), NULL, 99),
			 5);
	assert_int_equal(lseek(fileno(file), 0, SEEK_CUR), 6);
	assert_int_equal(recv(connection.server, bytes, 8, MSG_WAITALL), 8);
	assert_memory_equal(bytes, "23412345", 8);
	assert_int_equal(fclose(file), 0);
	connection_close(connection);
}

static void epoll_reports_socket_and_pipe(void **state)
{
	struct connection connection = connection_new();
	int set = epoll_create1(EPOLL_CLOEXEC), pipe_fds[2];
	struct epoll_event events[4];
	uint64_t sum;

	assert_int_equal(pipe(pipe_fds), 0);
	epoll_add(set, pipe_fds[0], EPOLLIN);
	epoll_add(set, connection.server, EPOLLIN);
	assert_int_equal(epoll_wait(set, events, 4, 0), 0);
	assert_int_equal(
		epoll_ctl(set, EPOLL_CTL_ADD, connection.server, &events[0]),
		-1);
	assert_int_equal(errno, EEXIST);
	assert_int_equal(write(connection.client, "x", 1), 1);
	assert_int_equal(epoll_wait(set, events, 4, -1), 1);
	assert_int_equal(events[0].events, EPOLLIN);
	assert_int_equal(events[0].data.u64,
			 1000u + (unsigned int)connection.server);
	assert_int_equal(write(pipe_fds[1], "x", 1), 1);
	assert_int_equal(epoll_pwait(set, events, 4, -1, NULL), 2);
	sum = events[0].data.u64 + events[1].data.u64;
	assert_int_equal(sum, 2000u + (unsigned int)connection.server +
				      (unsigned int)pipe_fds[0]);
	assert_int_equal(epoll_ctl(set, EPOLL_CTL_DEL, connection.server, NULL),
			 0);
	assert_int_equal(epoll_wait(set, events, 4, -1), 1);
	assert_int_equal(events[0].data.u64, 1000u + (unsigned int)pipe_fds[0]);
	epoll_add(set, connection.server, EPOLLIN);
	assert_int_equal(close(set), 0);
	assert_int_equal(close(pipe_fds[0]), 0);
	assert_int_equal(close(pipe_fds[1]), 0);
	connection_close(connection);
}

static void epoll_edge_of_socket_is_reported_once(void **state)
{
	struct connection connection = connection_new();
	int set = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event event;
	char bytes[2];

	epoll_add(set, connection.server, EPOLLIN | EPOLLET);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(write(connection.client, "x", 1), 1);
		assert_int_equal(epoll_wait(set, &event, 1, -1), 1);
		assert_int_equal(event.events, EPOLLIN);
		assert_int_equal(epoll_wait(set, &event, 1, 0), 0);
	}
	assert_int_equal(read(connection.server, bytes, 2), 2);
	assert_int_equal(close(set), 0);
	connection_close(connection);
}

static void epoll_oneshot_of_socket_is_reported_once(void **state)
{
	struct connection connection = connection_new();
	int set = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event event;

	epoll_add(set, connection.client, EPOLLOUT | EPOLLONESHOT);
	assert_int_equal(epoll_wait(set, &event, 1, -1), 1);
	assert_int_equal(epoll_wait(set, &event, 1, 0), 0);
	event.events = EPOLLOUT | EPOLLONESHOT;
	assert_int_equal(
		epoll_ctl(set, EPOLL_CTL_MOD, connection.client, &event), 0);
	assert_int_equal(epoll_wait(set, &event, 1, -1), 1);
	assert_int_equal(close(set), 0);
	connection_close(connection);
}

#if __GLIBC_PREREQ(2, 35)
static void epoll_pwait2_reports_socket(void **state)
{
	struct connection connection = connection_new();
	const struct timespec no_time = { 0 }, invalid = { .tv_sec = -1 };
	int set = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event event;

	epoll_add(set, connection.server, EPOLLIN);
	assert_int_equal(epoll_pwait2(set, &event, 1, &no_time, NULL), 0);
	errno = 0;
	assert_int_equal(epoll_pwait2(set, &event, 1, &invalid, NULL), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(write(connection.client, "x", 1), 1);
	assert_int_equal(epoll_pwait2(set, &event, 1, NULL, NULL), 1);
	assert_int_equal(close(set), 0);
	connection_close(connection);
}
#endif

static void epoll_forgets_closed_socket(void **state)
{
	struct connection connection = connection_new();
	int set = epoll_create1(0), copy = dup(connection.server);
	struct epoll_event event;

	epoll_add(set, copy, EPOLLIN);
	assert_int_equal(write(connection.client, "x", 1), 1);
	assert_int_equal(epoll_wait(set, &event, 1, -1), 1);
	assert_int_equal(close(copy), 0);
	assert_int_equal(epoll_wait(set, &event, 1, 0), 0);
	assert_int_equal(close(set), 0);
	connection_close(connection);
}

/* A child without the library listens by TCP until its pipe is closed. */
static pid_t start_tcp_server(int *ret_pipe)
{
	static const char script[] =
		"import os, socket\n"
		"s = socket.create_server(('127.0.0.1', 7480))\n"
		"os.write(1, b'x')\n"
		"c = s.accept()[0]\n"
		"c.send(c.recv(1))\n"
		"c.recv(1)\n";
	int fds[2];
	pid_t pid;
	char byte;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		(void)unsetenv("LD_PRELOAD");
		(void)dup2(fds[1], 1);
		(void)execlp("python3", "python3", "-c", script, (char *)NULL);
		_exit(127);
	}
	assert_int_equal(close(fds[1]), 0);
	assert_int_equal(read(fds[0], &byte, 1), 1);
	*ret_pipe = fds[0];
	return pid;
}

static void check_tcp_echo(int fd)
{
	char byte = 'x';

	assert_false(is_rsocket(fd));
	assert_int_equal(write(fd, &byte, 1), 1);
	assert_int_equal(read(fd, &byte, 1), 1);
	assert_int_equal(close(fd), 0);
}

static void connect_to_server_of_tcp_uses_tcp(void **state)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0), pipe_fd, status;
	pid_t pid = start_tcp_server(&pipe_fd);

	assert_int_equal(test_connect(fd), 0);
	check_tcp_echo(fd);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(close(pipe_fd), 0);
}

static void connect_nonblocking_to_server_of_tcp_uses_tcp(void **state)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	struct pollfd fds = { .fd = fd, .events = POLLOUT };
	int pipe_fd, status, error = -1;
	socklen_t len = sizeof(error);
	pid_t pid = start_tcp_server(&pipe_fd);

	assert_int_equal(test_connect(fd), -1);
	assert_int_equal(errno, EINPROGRESS);
	assert_int_equal(poll(&fds, 1, 20000), 1);
	assert_int_equal(fds.revents, POLLOUT);
	assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len), 0);
	assert_int_equal(error, 0);
	assert_int_equal(fcntl(fd, F_GETFL), O_RDWR | O_NONBLOCK);
	assert_int_equal(fcntl(fd, F_SETFL, 0), 0);
	check_tcp_echo(fd);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(close(pipe_fd), 0);
}

static void connect_in_epoll_set_to_server_of_tcp_uses_tcp(void **state)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	int set = epoll_create1(0), pipe_fd, status;
	struct epoll_event event;
	pid_t pid = start_tcp_server(&pipe_fd);

	assert_int_equal(test_connect(fd), -1);
	assert_int_equal(errno, EINPROGRESS);
	epoll_add(set, fd, EPOLLOUT);
	assert_int_equal(epoll_wait(set, &event, 1, 20000), 1);
	assert_int_equal(event.events, EPOLLOUT);
	assert_int_equal(event.data.u64, 1000u + (unsigned int)fd);
	assert_int_equal(close(set), 0);
	assert_int_equal(fcntl(fd, F_SETFL, 0), 0);
	check_tcp_echo(fd);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(close(pipe_fd), 0);
}

static void connect_without_server_has_error_of_tcp(void **state)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	struct pollfd fds = { .fd = fd, .events = POLLOUT };
	int error = -1;
	socklen_t len = sizeof(error);

	assert_int_equal(test_connect(fd), -1);
	assert_int_equal(errno, EINPROGRESS);
	assert_int_equal(poll(&fds, 1, 20000), 1);
	assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len), 0);
	assert_int_equal(error, ECONNREFUSED);
	assert_int_equal(close(fd), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sockets_transfer_by_all_functions),
		cmocka_unit_test(duplicates_refer_to_same_socket),
		cmocka_unit_test(select_and_poll_report_socket_and_pipe),
		cmocka_unit_test(ppoll_and_pselect_report_socket),
		cmocka_unit_test(messages_transfer_by_recvmmsg_and_sendmmsg),
		cmocka_unit_test(splice_and_sendfile_from_socket_are_refused),
		cmocka_unit_test(close_range_closes_sockets_and_epoll_sets),
		cmocka_unit_test(child_of_vfork_closes_no_socket_of_parent),
		cmocka_unit_test(accepted_socket_has_own_flags),
		cmocka_unit_test(sendfile_moves_offset),
		cmocka_unit_test(epoll_reports_socket_and_pipe),
		cmocka_unit_test(epoll_edge_of_socket_is_reported_once),
		cmocka_unit_test(epoll_oneshot_of_socket_is_reported_once),
#if __GLIBC_PREREQ(2, 35)
		cmocka_unit_test(epoll_pwait2_reports_socket),
#endif
		cmocka_unit_test(epoll_forgets_closed_socket),
		cmocka_unit_test(
			connect_in_epoll_set_to_server_of_tcp_uses_tcp),
		cmocka_unit_test(connect_to_server_of_tcp_uses_tcp),
		cmocka_unit_test(connect_nonblocking_to_server_of_tcp_uses_tcp),
		cmocka_unit_test(connect_without_server_has_error_of_tcp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
