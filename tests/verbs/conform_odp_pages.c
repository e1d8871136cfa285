// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: on-demand regions of memory that a child process
 * inherits, and regions in huge pages, and long messages of two queue pairs of
 * which one accesses an invalid page.
 */
#include "conform.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ODP_PAGE   4096u
#define ODP_LENGTH (32 * ODP_PAGE)
#define ODP_ACCESS (CONFORM_ALL_ACCESS | (unsigned int)IBV_ACCESS_ON_DEMAND)
#define HUGE_BYTES (2u << 20) /* of a huge page */

/* @mem of the client, whose process sees it only at the address of the SGEs. */
static struct mem odp_private_view(const struct mem *mem)
{
	struct mem same = *mem;

	same.view = (uint8_t *)(uintptr_t)mem->addr;
	return same;
}

/* SEND, WRITE and READ between private memory of the client and the server. */
static void odp_move_private(struct pair pair, struct mem *client,
			     struct mem *server, uint32_t length, uint32_t seed)
{
	struct work work = work_send(client, 1, length);

	mem_fill(client, 1, length, seed);
	post_recv(pair.server, server, 0, length, 1);
	post(pair.client, &work);
	poll_success(pair.server->recv_cq, 1);
	poll_success(pair.client->send_cq, 0);
	mem_require(server, 0, length, seed);

	mem_fill(client, 2, length, seed + 1);
	work = work_rdma(IBV_WR_RDMA_WRITE, client, 2, length, server, 3);
	post(pair.client, &work);
	poll_success(pair.client->send_cq, 0);
	mem_require(server, 3, length, seed + 1);

	mem_fill(server, 0, length, seed + 2);
	work = work_rdma(IBV_WR_RDMA_READ, client, 5, length, server, 0);
	post(pair.client, &work);
	poll_success(pair.client->send_cq, 0);
	mem_require(client, 5, length, seed + 2);
}

/* -- fork -- */

static bool odp_has_value(const struct mem *mem, uint8_t value)
{
	for (size_t i = 0; i < mem->length; i++)
		if (mem->view[i] != value)
			return false;
	return true;
}

/* Waits for the end of @fd; then the memory must be as it was at the fork. */
static void odp_run_child(const struct mem *mem, int fd)
{
	char byte;
	bool same;

	same = read(fd, &byte, 1) == 0 && odp_has_value(mem, 7);
	memset(mem->view, 9, mem->length);
	_exit(same && odp_has_value(mem, 9) ? 0 : 1);
}

/* Returns the child; it continues when the parent closes @ret_fd. */
static pid_t odp_fork(const struct mem *mem, int *ret_fd)
{
	int fd[2];
	pid_t pid;

	REQUIRE_EQUAL(pipe(fd), 0);
	pid = fork();
	if (pid == 0) {
		(void)close(fd[1]);
		odp_run_child(mem, fd[0]);
	}
	(void)close(fd[0]);
	*ret_fd = fd[1];
	REQUIRE(pid > 0);
	return pid;
}

/*
 * Unlike pinned memory (ibv_fork_init()), a child inherits the pages. Each
 * process has copies of its own; the device accesses those of the parent.
 */
static void odp_fork_leaves_pages_to_both(void)
{
	struct pair pair = pair_new(NULL, NULL);
	struct mem *mem = mem_new(CLIENT, ODP_LENGTH, ODP_ACCESS);
	struct mem *server = mem_new(SERVER, ODP_LENGTH, ODP_ACCESS);
	struct mem client = odp_private_view(mem);
	int fd = -1, status = -1;
	pid_t pid;

	mem_pages(mem, 0, ODP_LENGTH, PAGES_PRIVATE);
	memset(client.view, 7, ODP_LENGTH);
	pid = odp_fork(&client, &fd);
	odp_move_private(pair, &client, server, 100, 1);
	odp_move_private(pair, &client, server, 100000, 4);
	(void)close(fd);
	REQUIRE_EQUAL(waitpid(pid, &status, 0), pid);
	REQUIRE_EQUAL(status, 0);
	mem_require(&client, 5, 100000, 6);
	odp_move_private(pair, &client, server, 100000, 7);
}

/* -- huge pages -- */

/* A huge page of the client in @mem, registered with @access. */
static struct mem *odp_register_huge(const struct mem *mem, size_t offset,
				     unsigned int access)
{
	struct mem part = odp_private_view(mem);

	part.addr += offset;
	part.view += offset;
	part.length = HUGE_BYTES;
	return mem_again(&part, false, access);
}

static void odp_huge_pages_are_accessed(void)
{
	const unsigned int huge = CONFORM_ALL_ACCESS | IBV_ACCESS_HUGETLB;
	struct pair pair = pair_new(NULL, NULL);
	struct mem *mem = mem_new(CLIENT, 2 * HUGE_BYTES, ODP_ACCESS);
	struct mem *server = mem_new(SERVER, HUGE_BYTES, ODP_ACCESS);
	size_t offset = -mem->addr % HUGE_BYTES;
	struct ibv_sge list;

	if (mem_pages_try(mem, offset, HUGE_BYTES, PAGES_HUGE))
		conform_skip("no huge pages");
	odp_move_private(pair, odp_register_huge(mem, offset, huge), server,
			 1000000, 1);
	mem = odp_register_huge(mem, offset,
				huge | (unsigned int)IBV_ACCESS_ON_DEMAND);
	list = sge(mem, 100, 3 * ODP_PAGE);
	REQUIRE_EQUAL(mr_advise(CLIENT, 0, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE,
				IBV_ADVISE_MR_FLAG_FLUSH, &list),
		      0);
	odp_move_private(pair, mem, server, 1000000, 4);
}

/* -- two streams -- */

static void odp_streams_fail_apart(void)
{
	struct pair bad = pair_new(NULL, NULL), good = pair_new(NULL, NULL);
	struct mem *from = mem_new(CLIENT, ODP_LENGTH, CONFORM_ALL_ACCESS);
	struct mem *to = mem_new(SERVER, ODP_LENGTH, ODP_ACCESS);
	struct mem *kept = mem_new(SERVER, ODP_LENGTH, ODP_ACCESS);
	struct work work[2] = {
		work_rdma(IBV_WR_RDMA_WRITE, from, 0, ODP_LENGTH, to, 0),
		work_rdma(IBV_WR_RDMA_WRITE, from, 0, ODP_LENGTH, kept, 0),
	};

	for (uint32_t page = 1; page < ODP_LENGTH / ODP_PAGE; page += 5) {
		conform_context("page %u", page);
		mem_pages(to, page * ODP_PAGE, ODP_PAGE, PAGES_UNMAPPED);
		mem_fill(from, 0, ODP_LENGTH, page);
		post(good.client, &work[1]);
		post(bad.client, &work[0]);
		post(good.client, &work[1]);
		poll_status(bad.client->send_cq, IBV_WC_REM_ACCESS_ERR);
		poll_success(good.client->send_cq, 0);
		poll_success(good.client->send_cq, 0);
		mem_require(kept, 0, ODP_LENGTH, page);
		event_require(SERVER, IBV_EVENT_QP_ACCESS_ERR, bad.server->id);
		bad = pair_new(NULL, NULL);
	}
}

const struct conform_test conform_odp_pages[] = {
	{ "odp.fork_leaves_pages_to_both", odp_fork_leaves_pages_to_both,
	  NEED_ODP },
	{ "odp.huge_pages_are_accessed", odp_huge_pages_are_accessed,
	  NEED_ODP },
	{ "odp.streams_fail_apart", odp_streams_fail_apart, NEED_ODP },
	{},
};
