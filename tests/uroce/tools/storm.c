/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * storm PROCESSES GID_INDEX SECONDS SEED - processes that are killed all the
 * time, each connected with each.
 *
 * Places 0 to PROCESSES - 1 have one process each. At random moments one of
 * them, and at times half of them, are killed with SIGKILL, and new processes
 * take their places, with the slots, QPNs and memory of the dead ones. All
 * others must get their errors in time, connect with the new ones, and never
 * receive a word that is not for them. The process in place 0 is never killed:
 * when all others are gone it must not be larger than before its first
 * connection.
 */
#include "storm_link.h"

#include <dirent.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define MEAN_GAP_MS  20 /* between kills; longer if processes die too early */
#define MAX_GAP_MS   2000
#define HALF_OF_THEM 12 /* one of so many times */
#define CQ_DEPTH     32768
/*
 * uroce joins the port with 16 sockets at once, which may become necessary
 * twice for 32 processes, and keeps 8 sockets for source addresses that it has
 * used.
 */
#define PORT_SOCKETS (2 * 16 + 8)
#define SETTLE_US    5000000
#define SLEEP_MS     5
#define LARGER_KB    4096

static uint32_t nr_places;
static struct link *links[MAX_PLACES], *lost_links;
static struct ibv_comp_channel *channel;
static struct read_target read_target;

static void lose_link(uint32_t place)
{
	struct link *link = links[place];

	links[place] = NULL;
	if (!link->connected) {
		link_free(link);
		return;
	}
	link->next = lost_links;
	lost_links = link;
	link_lose(link);
}

static void connect_link(struct link *link)
{
	peer_connect(link->qp, &link->offer.target, &link->other.target,
		     TIMEOUT, RETRIES);
	link->connected = true;
	__atomic_store_n(&board->offers[self][link->place].up, 1,
			 __ATOMIC_SEQ_CST);
	board_add(&board->connections, 1);
}

/* Advances the connection to a place whose process is new or has responded. */
static void update_link(uint32_t place)
{
	uint32_t generation = board_generation_at(place);
	struct link *link = links[place];
	struct offer other;

	if (link && link->generation != generation) {
		lose_link(place);
		link = NULL;
	}
	if (!link && generation)
		link = links[place] = link_new(place, generation, &read_target);
	if (!link || link->started ||
	    !board_get_offer(&board->offers[place][self],
			     board_label(generation, self_generation), &other))
		return;
	link->other = other;
	if (!link->connected)
		connect_link(link);
	if (!other.up)
		return;
	link->started = true;
	for (uint64_t slot = 0; slot < DEPTH; slot++)
		link_request(link, slot);
}

static bool poll_some(void)
{
	struct ibv_wc wc[32];
	int nr = ibv_poll_cq(link_cq, 32, wc);

	NEED(nr >= 0);
	for (int i = 0; i < nr; i++)
		link_complete(&wc[i]);
	return nr;
}

static void update_links(void)
{
	struct link **at = &lost_links;

	for (uint32_t place = 0; place < nr_places; place++)
		if (place != self)
			update_link(place);
	while (*at) {
		struct link *link = *at;

		/* this process may be late, not its errors */
		while (link_is_late(link) && poll_some())
			continue;
		if (link_is_over(link)) {
			*at = link->next;
			link_free(link);
		} else {
			at = &link->next;
		}
	}
}

/* Every second place sleeps when there is no work. */
static void wait_for_event(void)
{
	struct pollfd event = { .fd = channel->fd, .events = POLLIN };
	struct ibv_cq *cq;
	void *arg;

	if (self % 2) {
		(void)sched_yield();
		return;
	}
	NEED(ibv_req_notify_cq(link_cq, 0) == 0);
	if (!poll_some() && poll(&event, 1, SLEEP_MS) == 1) {
		NEED(ibv_get_cq_event(channel, &cq, &arg) == 0);
		ibv_ack_cq_events(cq, 1);
	}
}

/*
 * Return: whether the descriptor is a socket of the UDP port; their number
 * grows with the number of processes.
 */
static bool is_of_port(int fd)
{
	int type, domain;
	socklen_t len = sizeof(type);

	return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) == 0 &&
	       getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) == 0 &&
	       type == SOCK_DGRAM && domain != AF_UNIX;
}

struct size {
	uint32_t files, port_sockets, threads;
	long kb;
};

static struct size own_size(void)
{
	struct size size = {};
	struct dirent *entry;
	DIR *dir;
	FILE *file;
	long pages = 0;

	dir = opendir("/proc/self/fd");
	NEED(dir);
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.' && is_of_port(atoi(entry->d_name)))
			size.port_sockets++;
		else
			size.files++;
	closedir(dir);
	dir = opendir("/proc/self/task");
	NEED(dir);
	while (readdir(dir))
		size.threads++;
	closedir(dir);
	file = fopen("/proc/self/statm", "re");
	NEED(file && fscanf(file, "%*s %ld", &pages) == 1);
	fclose(file);
	size.kb = pages * (sysconf(_SC_PAGESIZE) / 1024);
	return size;
}

/* Place 0 checks its size when it is the last process. */
static void assert_size(const struct size *before)
{
	uint64_t until = peer_now_us() + SETTLE_US;
	struct size now;

	do { /* the helper thread closes unused descriptors */
		(void)poll_some();
		(void)malloc_trim(0);
		now = own_size();
	} while (now.files > before->files && peer_now_us() < until);
	printf("alone again: %u descriptors, %u of the port, %u threads, "
	       "%ld kB; before: %u, %u, %u, %ld\n",
	       now.files, now.port_sockets, now.threads, now.kb, before->files,
	       before->port_sockets, before->threads, before->kb);
	NEED(now.files == before->files && now.threads == before->threads);
	NEED(now.port_sockets <= before->port_sockets + PORT_SOCKETS);
	NEED(now.kb <= before->kb + LARGER_KB);
}

static bool is_alone(void)
{
	if (!__atomic_load_n(&board->the_end, __ATOMIC_ACQUIRE))
		return false;
	for (uint32_t place = 1; place < nr_places; place++)
		if (links[place])
			return false;
	return !lost_links;
}

/*
 * The process must have one of the first slots, from 1 to the number of
 * processes: the others of these are in use, and no process has slot 0.
 */
static void assert_slot(void)
{
	struct ibv_qp *qp = peer_qp(link_cq, 1);

	if (qp->qp_num >> 16 > nr_places) {
		fprintf(stderr, "slot %u of %u\n", qp->qp_num >> 16, nr_places);
		exit(1);
	}
	NEED(ibv_destroy_qp(qp) == 0);
}

static void open_device(int gid_index, unsigned char *memory)
{
	struct ibv_mr *mr;

	peer_open(gid_index);
	channel = ibv_create_comp_channel(peer_ctx);
	NEED(channel);
	link_cq = ibv_create_cq(peer_ctx, CQ_DEPTH, NULL, channel, 0);
	NEED(link_cq);
	fill(memory, word_of(self, self_generation, NO_PLACE, 0, 0));
	mr = ibv_reg_mr(peer_pd, memory, LONGEST, IBV_ACCESS_REMOTE_READ);
	NEED(mr);
	read_target = (struct read_target){ (uintptr_t)memory, mr->rkey };
	assert_slot();
}

static int run_process(int gid_index)
{
	static unsigned char memory[LONGEST];
	struct size before;

	srandom((unsigned int)getpid());
	open_device(gid_index, memory);
	before = own_size();
	__atomic_store_n(&board->places[self].generation, self_generation,
			 __ATOMIC_RELEASE);
	while (!is_alone()) {
		update_links();
		if (!poll_some())
			wait_for_event();
		board_add(&board->messages, nr_messages);
		nr_messages = 0;
	}
	assert_size(&before);
	return 0;
}

static pid_t start(uint32_t place, uint32_t generation, int gid_index)
{
	pid_t pid = fork();

	NEED(pid >= 0);
	if (pid == 0) {
		NEED(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
		self = place;
		self_generation = generation;
		exit(run_process(gid_index));
	}
	return pid;
}

static void kill_process(uint32_t place, uint32_t generation, pid_t pid)
{
	struct place *at = &board->places[place];
	int status;

	__atomic_store_n(&at->killed, generation, __ATOMIC_RELEASE);
	NEED(kill(pid, SIGKILL) == 0);
	NEED(waitpid(pid, &status, 0) == pid);
	if (!WIFSIGNALED(status)) {
		fprintf(stderr, "place %u ended without a kill: %#x\n", place,
			status);
		exit(1);
	}
}

static void wait_for_kill(long mean_gap_ms)
{
	long us = random() % (2 * mean_gap_ms * 1000);
	struct timespec gap = {
		.tv_sec = us / 1000000,
		.tv_nsec = us % 1000000 * 1000,
	};

	(void)nanosleep(&gap, NULL);
	/* a process that ends on its own has printed the reason */
	NEED(waitpid(-1, NULL, WNOHANG) == 0);
}

/* On a busy machine two processes may need long to connect at all. */
static bool has_had_traffic(void)
{
	return __atomic_load_n(&board->connections, __ATOMIC_RELAXED) &&
	       __atomic_load_n(&board->losses, __ATOMIC_RELAXED) &&
	       __atomic_load_n(&board->messages, __ATOMIC_RELAXED);
}

static uint32_t run_storm(int gid_index, uint64_t until)
{
	long gap_ms = MEAN_GAP_MS;
	uint32_t generations[MAX_PLACES], nr_kills = 0;
	pid_t pids[MAX_PLACES];
	int status;

	for (uint32_t place = 0; place < nr_places; place++) {
		generations[place] = 1;
		pids[place] = start(place, 1, gid_index);
		while (!place && !board_generation_at(0))
			wait_for_kill(gap_ms); /* place 0 runs alone */
	}
	while (peer_now_us() < until || !has_had_traffic()) {
		uint32_t nr = random() % HALF_OF_THEM ? 1 : nr_places / 2;
		uint32_t place = (uint32_t)random();

		if (peer_now_us() >= until && gap_ms < MAX_GAP_MS)
			gap_ms *= 2;
		wait_for_kill(gap_ms);
		for (uint32_t i = 0; i < nr; i++) {
			uint32_t at = 1 + (place + i) % (nr_places - 1);

			kill_process(at, generations[at], pids[at]);
			pids[at] = start(at, ++generations[at], gid_index);
		}
		nr_kills += nr;
	}
	for (uint32_t place = 1; place < nr_places; place++)
		kill_process(place, generations[place], pids[place]);
	__atomic_store_n(&board->the_end, 1, __ATOMIC_RELEASE);
	NEED(waitpid(pids[0], &status, 0) == pids[0] && status == 0);
	return nr_kills + nr_places - 1;
}

int main(int argc, char **argv)
{
	uint32_t nr_kills;

	NEED(argc == 5);
	nr_places = (uint32_t)atoi(argv[1]);
	NEED(nr_places >= 2 && nr_places <= MAX_PLACES);
	message_bytes = nr_places > 8 ? 400 : LONGEST;
	srandom((unsigned int)atoi(argv[4]));
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	NEED(board != MAP_FAILED);
	nr_kills = run_storm(atoi(argv[2]),
			     peer_now_us() + (uint64_t)1000000 *
						     (uint64_t)atoi(argv[3]));
	NEED(has_had_traffic());
	printf("%u processes, %u killed: %" PRIu64 " connections, %" PRIu64
	       " lost, %" PRIu64 " messages, the last error came after %" PRIu64
	       " ms\n",
	       nr_places, nr_kills, board->connections, board->losses,
	       board->messages, board->slowest_us / 1000);
	return 0;
}
