/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rndv GID_INDEX KIND TIMES [NAME=VALUE] - long messages between two
 * processes.
 *
 * Kinds are "data" (all opcodes and kinds of queues, with contents compared;
 * "some": a part of that), "ends" (streams that the target ends in the middle),
 * "stops" (the other process is stopped meanwhile) and "kills" (it is killed).
 * NAME=VALUE is an environment variable for the other process, which is this
 * program with a descriptor as its only argument.
 */
#include "rndv_break.h"
#include "rndv_data.h"

#define KB	 1024u
#define MB	 (1024u * 1024u)
#define ODD	 (3 * MB + 5)
#define STOP_MS	 1000
#define NR(list) (sizeof(list) / sizeof((list)[0]))

enum kind { DATA, SOME, ENDS, STOPS, KILLS, NR_KINDS };

static const char *const kind_names[] = { "data", "some", "ends", "stops",
					  "kills" };

struct hello {
	enum kind kind;
	int gid_index;
	int times;
	uint64_t seed;
	char variable[64];
};

#define ONE(name) .opcodes = { name }, .nr_opcodes = 1
#define ALL                                                            \
	.opcodes = { IBV_WR_SEND, IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ, \
		     IBV_WR_RDMA_WRITE_WITH_IMM },                     \
	.nr_opcodes = 4

static const struct batch some_batches[] = {
	{ "all opcodes", MB, 2, 8, FROM_BOTH, ALL },
	{ "SEND with several SGEs", ODD, 1, 4, FROM_0, ONE(IBV_WR_SEND),
	  .several_sges = true },
};

/* Messages of all sizes, from either end. */
static const enum ibv_wr_opcode opcodes[] = {
	IBV_WR_SEND,	   IBV_WR_SEND_WITH_IMM,
	IBV_WR_RDMA_WRITE, IBV_WR_RDMA_WRITE_WITH_IMM,
	IBV_WR_RDMA_READ,
};

static const struct {
	uint32_t bytes;
	int depth;
} sizes[] = {
	{ 256 * KB, 1 }, { 256 * KB, 8 }, { MB, 8 },
	{ ODD, 1 },	 { ODD, 8 },	  { 64 * MB, 1 },
};

static const struct batch batches[] = {
	{ "many queue pairs", 256 * KB, 16, 4, FROM_BOTH, ALL },
	{ "longer messages", MB, 8, 4, FROM_BOTH, ALL },
	{ "several SGEs", MB + 1, 4, 8, FROM_BOTH, ALL, .several_sges = true },
	{ "longer receives", MB, 4, 8, FROM_BOTH, ONE(IBV_WR_SEND_WITH_IMM),
	  .longer = true },
	{ "several SGEs, longer receives", ODD, 2, 8, FROM_BOTH, ALL,
	  .several_sges = true, .longer = true },
	{ "SRQ", MB, 8, 4, FROM_BOTH, ONE(IBV_WR_SEND), .srq = true },
	{ "SRQ, longer receives", ODD, 4, 4, FROM_BOTH,
	  ONE(IBV_WR_SEND_WITH_IMM), .srq = true, .longer = true,
	  .several_sges = true },
	{ "other regions come and go", MB, 2, 8, FROM_BOTH, ALL,
	  .register_other_region = true },
	{ "other regions, one opcode", MB, 1, 16, FROM_0, ONE(IBV_WR_SEND),
	  .register_other_region = true },
	{ "regions, READ", ODD, 1, 16, FROM_1, ONE(IBV_WR_RDMA_READ),
	  .register_other_region = true },
};

static void run_sizes(struct end *end)
{
	for (size_t i = 0; i < NR(sizes) * NR(opcodes); i++) {
		struct batch batch = {
			.name = "one opcode",
			.bytes = sizes[i / NR(opcodes)].bytes,
			.depth = sizes[i / NR(opcodes)].depth,
			.nr_qps = 1,
			.from = (enum from)(i % 2),
			ONE(opcodes[i % NR(opcodes)]),
		};

		run_batch(end, &batch);
	}
}

static void run_batches(struct end *end, const struct batch *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		run_batch(end, &list[i]);
}

static void run_data(struct end *end, enum kind kind, int times)
{
	for (int i = 0; i < times; i++) {
		if (kind == DATA) {
			run_sizes(end);
			run_batches(end, batches, NR(batches));
		} else {
			run_batches(end, some_batches, NR(some_batches));
		}
	}
	if (end->side == 0)
		printf("%d batches arrived as sent\n", rndv_batch_nr);
}

/* Messages in flight continue when the other process continues. */
static void stop_and_continue(struct end *end)
{
	static const struct batch batch = {
		"a pause", MB, 4, 8, FROM_BOTH, ALL
	};
	struct pause pause;

	end->timeout = 16; /* 0.27 s */
	run_batch(end, &batch);
	if (end->side == 0)
		pause_begin(&pause, end->pid, STOP_MS);
	run_batch(end, &batch);
	if (end->side == 0)
		pause_end(&pause);
	end->timeout = 18;
}

static void run_kind(struct end *end, const struct hello *hello)
{
	switch (hello->kind) {
	case DATA:
	case SOME:
		run_data(end, hello->kind, hello->times);
		break;
	case ENDS:
		run_rounds(end, hello->times, false);
		break;
	case STOPS:
		stop_and_continue(end);
		run_rounds(end, hello->times, true);
		break;
	default: /* until the process is killed */
		keep_sending(end, SENDS);
	}
}

static int other_end(int fd)
{
	struct end end = { .side = 1, .fd = fd };
	struct hello hello;

	NEED(read(fd, &hello, sizeof(hello)) == sizeof(hello));
	NEED(!hello.variable[0] || putenv(hello.variable) == 0);
	srandom((unsigned int)getpid());
	peer_open(hello.gid_index);
	end.random = hello.seed;
	end_init(&end);
	run_kind(&end, &hello);
	end_barrier(&end);
	end_fini(&end);
	peer_close();
	return 0;
}

static void start(struct end *end, const struct hello *hello)
{
	end->pid = peer_spawn("/proc/self/exe", &end->fd);
	NEED(write(end->fd, hello, sizeof(*hello)) == sizeof(*hello));
}

static void kill_often(struct end *end, const struct hello *hello)
{
	for (int i = 0; i < hello->times; i++) {
		start(end, hello);
		kill_other(end, i % 2);
	}
	printf("killed %d times\n", hello->times);
}

static void run_both(struct end *end, const struct hello *hello)
{
	int status;

	start(end, hello);
	run_kind(end, hello);
	end_barrier(end);
	NEED(waitpid(end->pid, &status, 0) == end->pid && status == 0);
	close(end->fd);
}

int main(int argc, char **argv)
{
	struct end end = {};
	struct hello hello = {};

	if (argc == 2)
		return other_end(atoi(argv[1]));
	NEED(argc == 4 || argc == 5);
	hello.gid_index = atoi(argv[1]);
	hello.times = atoi(argv[3]);
	while (hello.kind < NR_KINDS &&
	       strcmp(argv[2], kind_names[hello.kind]) != 0)
		hello.kind++;
	NEED(hello.kind < NR_KINDS);
	if (argc == 5)
		snprintf(hello.variable, sizeof(hello.variable), "%s", argv[4]);
	srandom((unsigned int)getpid());
	end.random = hello.seed = peer_now_us();
	peer_open(hello.gid_index);
	end_init(&end);
	if (hello.kind == KILLS)
		kill_often(&end, &hello);
	else
		run_both(&end, &hello);
	end_fini(&end);
	peer_close();
	return 0;
}
