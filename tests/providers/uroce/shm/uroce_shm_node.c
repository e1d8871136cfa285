/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* fork(2), two pipes, and a thread with poll(2). */
#include <pthread.h>

#include "uroce_shm_node.h"

#include <dirent.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "uroce/roce/uroce_channel.h"
#include "uroce/shm/uroce_shm_directory_layout.h"
#include "uroce/shm/uroce_shm_ring.h"

void node_start(struct node *node, void (*fn)(struct node *node, uint32_t arg),
		uint32_t arg)
{
	int to[2], from[2];

	assert_int_equal(pipe(to), 0);
	assert_int_equal(pipe(from), 0);
	(void)fflush(NULL);
	node->pid = fork();
	assert_true(node->pid >= 0);
	if (!node->pid) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)close(to[1]);
		(void)close(from[0]);
		*node = (struct node){ .to = from[1], .from = to[0] };
		fn(node, arg);
		_exit(0);
	}
	(void)close(to[0]);
	(void)close(from[1]);
	node->to = to[1];
	node->from = from[0];
}

/* For tests and children; the death of a child ends the test as well. */
void node_go(const struct node *node)
{
	CHECK(write(node->to, "", 1) == 1);
}

void node_wait(const struct node *node)
{
	char byte;

	CHECK(read(node->from, &byte, 1) == 1);
}

static int reap(struct node *node)
{
	int status;

	assert_int_equal(waitpid(node->pid, &status, 0), node->pid);
	(void)close(node->to);
	(void)close(node->from);
	return status;
}

void nodes_meet(const struct node *nodes, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		node_wait(&nodes[i]);
	for (uint32_t i = 0; i < nr; i++)
		node_go(&nodes[i]);
}

void node_meet(const struct node *node)
{
	node_go(node);
	node_wait(node);
}

void node_end(struct node *node)
{
	assert_int_equal(reap(node), 0);
}

void node_kill(struct node *node)
{
	assert_int_equal(kill(node->pid, SIGKILL), 0);
	assert_true(WIFSIGNALED(reap(node)));
}

void side_gid(uint32_t slot, uint8_t *ret_gid)
{
	memset(ret_gid, 0, UROCE_GID_LEN);
	ret_gid[0] = (uint8_t)slot;
}

static bool is_ours(void *arg, const uint8_t *gid)
{
	const struct side *side = arg;

	return gid[0] == side->slot;
}

void side_open(struct side *side, uint32_t slot)
{
	struct uroce_shm_config config = {
		.slot = slot,
		.patience_ms = SIDE_PATIENCE_MS,
		.shares = &side->shares,
		.is_ours = is_ours,
		.arg = side,
	};

	*side = (struct side){ .slot = slot, .stop = -1 };
	uroce_shares_init(&side->shares);
	uroce_shares_open(&side->shares);
	CHECK(uroce_shm_open(&config, &side->shm) == 0);
}

static void *serve(void *arg)
{
	struct side *side = arg;
	struct pollfd fds[] = {
		{ .fd = side->stop, .events = POLLIN },
		{ .fd = uroce_shm_fd(side->shm), .events = POLLIN },
	};

	for (;;) {
		CHECK(poll(fds, 2, -1) > 0);
		if (fds[0].revents)
			return NULL;
		uroce_shm_serve(side->shm);
	}
}

void side_serve(struct side *side)
{
	side->stop = eventfd(0, EFD_CLOEXEC);
	CHECK(side->stop >= 0);
	CHECK(pthread_create(&side->thread, NULL, serve, side) == 0);
}

void side_stop_serving(struct side *side)
{
	uint64_t one = 1;

	if (side->stop < 0)
		return;
	CHECK(write(side->stop, &one, sizeof(one)) == sizeof(one));
	CHECK(pthread_join(side->thread, NULL) == 0);
	(void)close(side->stop);
	side->stop = -1;
}

void side_close(struct side *side)
{
	side_stop_serving(side);
	uroce_shm_close(side->shm);
	uroce_shares_fini(&side->shares);
}

struct uroce_channel *side_connect(struct side *side, uint32_t slot)
{
	struct uroce_channel *channel;
	uint8_t gid[UROCE_GID_LEN];

	side_gid(slot, gid);
	CHECK(uroce_shm_connect(side->shm, slot, gid, &channel) == 0);
	return channel;
}

static void fill(uint8_t *data, uint32_t psn, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++)
		data[i] = (uint8_t)(psn * 5 + i);
}

void side_put(struct side *side, struct uroce_channel *channel, uint32_t psn,
	      uint32_t len)
{
	struct uroce_packet packet = {
		.opcode = UROCE_SEND_ONLY,
		.psn = psn,
		.payload_len = len,
	};
	uint8_t data[UROCE_CHANNEL_MTU];
	struct iovec iov = { data, len };

	fill(data, psn, len);
	CHECK(uroce_shm_has_room(channel));
	uroce_shm_put(channel, &packet, &iov, 1);
	uroce_shm_flush(side->shm);
}

static void on_packet(struct got *got, struct uroce_channel *channel,
		      const struct uroce_packet *packet)
{
	uint8_t data[UROCE_CHANNEL_MTU];

	CHECK(packet->opcode == UROCE_SEND_ONLY);
	fill(data, packet->psn, packet->payload_len);
	CHECK(!memcmp(data, packet->payload, packet->payload_len));
	CHECK(got->nr < MAX_GOT);
	got->psn[got->nr] = packet->psn;
	got->channel[got->nr] = channel;
	got->nr++;
}

uint32_t side_take(struct side *side, struct got *got)
{
	struct uroce_channel *channel;
	struct uroce_eager_entry eager;
	uint32_t nr = 0;

	uroce_shm_begin(side->shm);
	while ((channel = uroce_shm_take(side->shm, &eager))) {
		struct uroce_packet packet;
		bool is_packet = !uroce_shm_ring_decode(&eager, &packet);

		if (is_packet)
			on_packet(got, channel, &packet);
		uroce_shm_done(channel, &eager, is_packet);
		nr += is_packet;
	}
	return nr;
}

void side_receive(struct side *side, struct got *got, uint32_t nr)
{
	while (got->nr < nr)
		if (!side_take(side, got))
			(void)sched_yield();
}

struct uroce_channel *side_wait_lost(struct side *side, struct got *got)
{
	struct uroce_channel *channel;

	for (;;) {
		(void)side_take(side, got);
		channel = uroce_shm_take_failed(side->shm);
		if (channel)
			return channel;
		(void)sched_yield();
	}
}

uint32_t nr_open_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	uint32_t nr = 0;

	CHECK(dir);
	while (readdir(dir))
		nr++;
	(void)closedir(dir);
	return nr;
}

uint32_t nr_mappings_of(const char *name)
{
	FILE *file = fopen("/proc/self/maps", "re");
	char line[512], wanted[64];
	uint32_t nr = 0;

	CHECK(file);
	(void)snprintf(wanted, sizeof(wanted), "memfd:%s", name);
	while (fgets(line, sizeof(line), file))
		nr += strstr(line, wanted) != NULL;
	(void)fclose(file);
	return nr;
}

uint32_t nr_rings(void)
{
	FILE *file = fopen("/proc/self/maps", "re");
	unsigned long begin, end;
	char line[512];
	uint32_t nr = 0;

	CHECK(file);
	/* directories have another memfd */
	while (fgets(line, sizeof(line), file))
		nr += strstr(line, "memfd:uroce") &&
		      sscanf(line, "%lx-%lx", &begin, &end) == 2 &&
		      end - begin < sizeof(struct uroce_shm_directory_memory);
	(void)fclose(file);
	return nr;
}
