/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * join STEP... - opens the device, and checks how long that takes.
 *
 * Each step prints a line when it is complete; a failed step ends the program.
 * MS is a limit, and STATE is "active" or "down".
 *
 *	open=MS,STATE	open the device; then its port must have STATE
 *	fork=MS,STATE	likewise, and meanwhile make children with fork(), each
 *			within FORK_MS; they live until their process group,
 *			which is the one of this process, gets a signal
 *	close		close the device; the first open registers the handlers
 *			of fork()
 *	active=MS	wait for IBV_EVENT_PORT_ACTIVE and the state ACTIVE
 *	user=UID	change all user and group ids
 *	traffic=ROUNDS	exchange messages with another such process; print an
 *			address, and read the other address
 *	line		wait for a line of standard input
 */
#include "peer.h"

#include <grp.h>
#include <poll.h>
#include <pthread.h>

#define FORK_MS	     200
#define FORK_EACH_MS 50
#define MIN_FORKS    10	 /* some after the device was opened */
#define STEP_S	     5	 /* ends a step that does not return */
#define LINE_S	     120 /* likewise, if it reads a line */
#define MESSAGE	     3000
#define TIMEOUT	     14 /* 67 ms */
#define RETRIES	     7

static const char *step;
static int opened[2]; /* a pipe that is closed when the device is open */

static uint64_t now_ms(void)
{
	return peer_now_us() / 1000;
}

static bool port_is_active(void)
{
	struct ibv_port_attr port;

	NEED(ibv_query_port(peer_ctx, 1, &port) == 0);
	return port.state == IBV_PORT_ACTIVE;
}

static void *open_first(void *ret_ms)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	uint64_t start_ms = now_ms();

	NEED(list && list[0]);
	peer_ctx = ibv_open_device(list[0]);
	*(uint64_t *)ret_ms = now_ms() - start_ms;
	NEED(peer_ctx);
	ibv_free_device_list(list);
	return NULL;
}

static uint64_t fork_child(void)
{
	uint64_t start_ms = now_ms();
	pid_t pid = fork();

	NEED(pid >= 0);
	if (pid == 0) {
		(void)close(opened[1]);
		for (;;)
			(void)pause();
	}
	return now_ms() - start_ms;
}

static void *open_in_thread(void *ret_ms)
{
	(void)open_first(ret_ms);
	(void)close(opened[1]);
	return NULL;
}

static void open_and_fork(uint64_t *ret_ms)
{
	uint64_t fork_ms, longest_ms = 0;
	struct pollfd done;
	bool is_open = false;
	pthread_t thread;
	int nr = 0;

	NEED(setpgid(0, 0) == 0 && pipe(opened) == 0);
	done = (struct pollfd){ .fd = opened[0], .events = POLLIN };
	NEED(pthread_create(&thread, NULL, open_in_thread, ret_ms) == 0);
	do {
		fork_ms = fork_child();
		longest_ms = fork_ms > longest_ms ? fork_ms : longest_ms;
		nr++;
		if (poll(&done, is_open ? 0 : 1, FORK_EACH_MS))
			is_open = true;
	} while (!is_open || nr < MIN_FORKS);
	NEED(pthread_join(thread, NULL) == 0);
	printf("%s %d times, up to %d ms\n",
	       longest_ms < FORK_MS ? "forked" : "slow fork:", nr,
	       (int)longest_ms);
	NEED(longest_ms < FORK_MS);
}

static void check_open(const char *limits, bool forks)
{
	const char *state = strchr(limits, ',');
	uint64_t took_ms = 0;
	bool active, good;

	NEED(state);
	if (forks)
		open_and_fork(&took_ms);
	else
		(void)open_first(&took_ms);
	active = port_is_active();
	good = took_ms < (uint64_t)atoi(limits) &&
	       active == (strcmp(state, ",active") == 0);
	printf("%s after %d ms, %s\n",
	       good ? "opened" : "not as it must be:", (int)took_ms,
	       active ? "active" : "down");
	NEED(good);
}

static void check_becomes_active(int limit_ms)
{
	struct pollfd ready = { .fd = peer_ctx->async_fd, .events = POLLIN };
	uint64_t start_ms = now_ms();
	struct ibv_async_event event;

	do {
		int left_ms = limit_ms - (int)(now_ms() - start_ms);

		NEED(left_ms > 0 && poll(&ready, 1, left_ms) == 1);
		NEED(ibv_get_async_event(peer_ctx, &event) == 0);
		ibv_ack_async_event(&event);
	} while (event.event_type != IBV_EVENT_PORT_ACTIVE);
	NEED(port_is_active());
	printf("became active after %d ms\n", (int)(now_ms() - start_ms));
}

static void change_user(unsigned int id)
{
	NEED(setgroups(0, NULL) == 0 && setgid(id) == 0 && setuid(id) == 0);
	printf("changed to user %u\n", id);
}

static void read_line(char *ret_line, int size)
{
	alarm(LINE_S);
	NEED(fgets(ret_line, size, stdin));
	alarm(STEP_S);
}

static void exchange_addresses(const struct peer_address *own,
			       struct peer_address *ret_other)
{
	char line[2 * sizeof(*own) + 2];

	printf("address ");
	for (size_t i = 0; i < sizeof(*own); i++)
		printf("%02x", ((const unsigned char *)own)[i]);
	printf("\n");
	read_line(line, sizeof(line));
	for (size_t i = 0; i < sizeof(*own); i++)
		NEED(sscanf(line + 2 * i, "%2hhx",
			    (unsigned char *)ret_other + i) == 1);
}

static void send_and_receive(struct ibv_qp *qp, struct ibv_mr *mr,
			     unsigned char *memory, int round)
{
	const struct peer_address none = {};
	struct ibv_wc wc;
	int nr = 0;

	memset(memory, round, MESSAGE);
	peer_request(qp, IBV_WR_SEND, mr, 0, memory, MESSAGE, &none);
	while (nr < 2) {
		int got = ibv_poll_cq(qp->send_cq, 1, &wc);

		NEED(got >= 0 && (!got || wc.status == IBV_WC_SUCCESS));
		nr += got;
	}
	NEED(memcmp(memory, memory + MESSAGE, MESSAGE) == 0);
}

static void run_traffic(int rounds)
{
	static unsigned char memory[2 * MESSAGE];
	struct peer_address own, other;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;

	peer_gid_index = 1;
	peer_pd = ibv_alloc_pd(peer_ctx);
	cq = ibv_create_cq(peer_ctx, 16, NULL, NULL, 0);
	NEED(peer_pd && cq);
	mr = ibv_reg_mr(peer_pd, memory, sizeof(memory), PEER_ACCESS);
	NEED(mr);
	qp = peer_qp(cq, 4);
	own = peer_address(qp, mr);
	exchange_addresses(&own, &other);
	peer_receive(qp, mr, 0, memory + MESSAGE, MESSAGE);
	peer_connect(qp, &own, &other, TIMEOUT, RETRIES);
	for (int i = 1; i <= rounds; i++) {
		send_and_receive(qp, mr, memory, i);
		peer_receive(qp, mr, 0, memory + MESSAGE, MESSAGE);
	}
	printf("exchanged %d messages\n", rounds);
}

static bool has_name(const char *name, const char **ret_value)
{
	size_t len = strlen(name);

	*ret_value = step + len;
	return strncmp(step, name, len) == 0;
}

static void run_step(void)
{
	const char *value;
	char line[2];

	if (has_name("open=", &value))
		check_open(value, false);
	else if (has_name("fork=", &value))
		check_open(value, true);
	else if (has_name("close", &value))
		NEED(ibv_close_device(peer_ctx) == 0);
	else if (has_name("active=", &value))
		check_becomes_active(atoi(value));
	else if (has_name("user=", &value))
		change_user((unsigned int)atoi(value));
	else if (has_name("traffic=", &value))
		run_traffic(atoi(value));
	else if (has_name("line", &value))
		read_line(line, sizeof(line));
	else
		NEED(false);
}

int main(int argc, char **argv)
{
	NEED(setvbuf(stdout, NULL, _IOLBF, 0) == 0);
	for (int i = 1; i < argc; i++) {
		step = argv[i];
		alarm(STEP_S);
		run_step();
	}
	return 0;
}
