/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Time to connect two processes of a host that sleep while they wait: an RC
 * connection of librdmacm, and a TCP connection, in turns. The passive side
 * sends one byte when the connection is established. connect_bench [ROUNDS]
 * prints the medians, a line for each bar of the plot (README.md).
 */
#include <arpa/inet.h>
#include <err.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RDMA_PORT	   "7471"
#define ADDRESS		   "127.0.0.1"
#define MAX_ROUNDS	   10000
#define RESOLVE_TIMEOUT_MS 2000

enum step { STEP_CONNECT, STEP_FIRST_BYTE, NR_STEPS };

/* Microseconds of each round; STEP_FIRST_BYTE begins before the socket exists.
 */
static double rdma_us[NR_STEPS][MAX_ROUNDS], tcp_us[NR_STEPS][MAX_ROUNDS];

static double now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

/* ------------------------------------------------------------------------ */
/* librdmacm */
/* ------------------------------------------------------------------------ */

static struct ibv_qp_init_attr qp_attr(void)
{
	return (struct ibv_qp_init_attr){
		.cap = { .max_send_wr = 1,
			 .max_recv_wr = 1,
			 .max_send_sge = 1,
			 .max_recv_sge = 1,
			 .max_inline_data = 1 },
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
	};
}

static struct rdma_addrinfo *rdma_address(int flags)
{
	struct rdma_addrinfo hints = { .ai_flags = flags | RAI_NUMERICHOST,
				       .ai_port_space = RDMA_PS_TCP };
	struct rdma_addrinfo *info;

	if (rdma_getaddrinfo(ADDRESS, RDMA_PORT, &hints, &info))
		err(1, "rdma_getaddrinfo");
	return info;
}

static struct rdma_cm_id *rdma_serve_begin(void)
{
	struct rdma_addrinfo *info = rdma_address(RAI_PASSIVE);
	struct ibv_qp_init_attr attr = qp_attr();
	struct rdma_cm_id *listener;

	if (rdma_create_ep(&listener, info, NULL, &attr))
		err(1, "rdma_create_ep");
	if (rdma_listen(listener, 0))
		err(1, "rdma_listen");
	rdma_freeaddrinfo(info);
	return listener;
}

static void rdma_serve_one(struct rdma_cm_id *listener)
{
	struct rdma_cm_id *id;
	struct ibv_wc wc;
	char byte = 0;

	if (rdma_get_request(listener, &id) || rdma_accept(id, NULL))
		err(1, "rdma_accept");
	if (rdma_post_send(id, NULL, &byte, 1, NULL, IBV_SEND_INLINE) ||
	    rdma_get_send_comp(id, &wc) != 1 || wc.status)
		err(1, "rdma_post_send");
	(void)rdma_disconnect(id); /* both sides disconnect */
	rdma_destroy_ep(id);
}

static void rdma_connect_one(const struct rdma_addrinfo *info, size_t round)
{
	struct ibv_qp_init_attr attr = qp_attr();
	struct rdma_conn_param param = {};
	double begin = now_us(), connect;
	struct rdma_cm_id *id;
	struct ibv_wc wc;
	struct ibv_mr *mr;
	char byte;

	if (rdma_create_id(NULL, &id, NULL, RDMA_PS_TCP) ||
	    rdma_resolve_addr(id, NULL, info->ai_dst_addr,
			      RESOLVE_TIMEOUT_MS) ||
	    rdma_resolve_route(id, RESOLVE_TIMEOUT_MS) ||
	    rdma_create_qp(id, NULL, &attr))
		err(1, "rdma_create_qp");
	mr = rdma_reg_msgs(id, &byte, 1);
	if (!mr || rdma_post_recv(id, NULL, &byte, 1, mr))
		err(1, "rdma_post_recv");
	connect = now_us();
	if (rdma_connect(id, &param))
		err(1, "rdma_connect");
	rdma_us[STEP_CONNECT][round] = now_us() - connect;
	if (rdma_get_recv_comp(id, &wc) != 1 || wc.status)
		err(1, "rdma_get_recv_comp");
	rdma_us[STEP_FIRST_BYTE][round] = now_us() - begin;
	(void)rdma_disconnect(id);
	(void)rdma_dereg_mr(mr);
	rdma_destroy_ep(id);
}

/* ------------------------------------------------------------------------ */
/* TCP */
/* ------------------------------------------------------------------------ */

static int tcp_serve_begin(struct sockaddr_in *address)
{
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t len = sizeof(*address);

	*address = (struct sockaddr_in){ .sin_family = AF_INET };
	address->sin_addr.s_addr = inet_addr(ADDRESS);
	if (listener < 0 || bind(listener, (struct sockaddr *)address, len) ||
	    listen(listener, 8) ||
	    getsockname(listener, (struct sockaddr *)address, &len))
		err(1, "listen");
	return listener;
}

static void tcp_serve_one(int listener)
{
	int fd = accept(listener, NULL, NULL);

	if (fd < 0 || write(fd, "", 1) != 1)
		err(1, "accept");
	close(fd);
}

static void tcp_connect_one(const struct sockaddr_in *address, size_t round)
{
	double begin = now_us(), connected;
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	char byte;

	connected = now_us();
	if (fd < 0 ||
	    connect(fd, (const struct sockaddr *)address, sizeof(*address)))
		err(1, "connect");
	tcp_us[STEP_CONNECT][round] = now_us() - connected;
	if (read(fd, &byte, 1) != 1)
		err(1, "read");
	tcp_us[STEP_FIRST_BYTE][round] = now_us() - begin;
	close(fd);
}

/* ------------------------------------------------------------------------ */
/* Both */
/* ------------------------------------------------------------------------ */

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare);
	return values[count / 2];
}

static void print_result(size_t rounds)
{
	static const char *const names[NR_STEPS] = {
		"connect() or rdma_connect()",
		"socket() or rdma_create_id() to first byte",
	};

	printf("quantity\twho\tvalue\tunit\n");
	for (size_t i = 0; i < NR_STEPS; i++) {
		printf("%s\tTCP\t%.1f\tus\n", names[i],
		       median(tcp_us[i], rounds));
		printf("%s\turoce\t%.1f\tus\n", names[i],
		       median(rdma_us[i], rounds));
	}
}

int main(int argc, char **argv)
{
	size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
	struct sockaddr_in address;
	struct rdma_addrinfo *info;
	int listener, ready[2];
	int status;
	char byte;
	pid_t pid;

	if (rounds < 1 || rounds > MAX_ROUNDS || pipe(ready))
		errx(2, "usage: connect_bench [ROUNDS], at most %d",
		     MAX_ROUNDS);
	listener = tcp_serve_begin(&address);
	pid = fork();
	if (pid == 0) {
		struct rdma_cm_id *id;

		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		id = rdma_serve_begin();
		if (write(ready[1], "", 1) != 1)
			err(1, "write");
		for (size_t i = 0; i < rounds; i++) {
			rdma_serve_one(id);
			tcp_serve_one(listener);
		}
		rdma_destroy_ep(id);
		return 0;
	}
	close(ready[1]);
	if (pid < 0 || read(ready[0], &byte, 1) != 1)
		err(1, "fork");
	info = rdma_address(0);
	for (size_t i = 0; i < rounds; i++) {
		rdma_connect_one(info, i);
		tcp_connect_one(&address, i);
	}
	rdma_freeaddrinfo(info);
	if (waitpid(pid, &status, 0) != pid || status)
		errx(1, "the passive side failed");
	print_result(rounds);
	return 0;
}
