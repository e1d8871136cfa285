/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A page of each side that the other side may map as well, in a file of
 * memfd_create(2) that is sealed against shrinking.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "local_bench.h"

#define PAGE	4096
#define NUMBER	2	 /* slot of this address, after those of queue pairs */
#define WARM_NS 50000000 /* the peer maps a page only after some use */

static void *make_page(const struct wire_end *end)
{
	int fd = wire_must(
		end,
		memfd_create("local_bench", MFD_CLOEXEC | MFD_ALLOW_SEALING),
		"memfd_create");
	void *page;

	wire_must(end, ftruncate(fd, PAGE), "ftruncate");
	wire_must(end, fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK), "F_ADD_SEALS");
	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		wire_die(end, "mmap");
	/* registration keeps the file; it could be closed after that */
	return page;
}

void local_mapped_open(struct local_bench *bench)
{
	const struct wire_end *end = bench->end;
	struct local_mapped *mapped = &bench->mapped;
	uint64_t start_ns;

	mapped->memory = make_page(end);
	mapped->mr = wire_need(
		end,
		ibv_reg_mr(bench->device.pd, mapped->memory, PAGE,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
				   IBV_ACCESS_REMOTE_READ |
				   IBV_ACCESS_REMOTE_ATOMIC),
		"reg_mr");
	end->shared->address[end->client][NUMBER] = (struct wire_address){
		.rkey = mapped->mr->rkey,
		.va = (uintptr_t)mapped->memory,
	};
	wire_meet(end);
	mapped->peer = end->shared->address[!end->client][NUMBER];
	start_ns = wire_now_ns();
	while (wire_now_ns() - start_ns < WARM_NS)
		local_write_word(bench, 0);
	wire_meet(end);
}

void local_mapped_close(struct local_bench *bench)
{
	wire_meet(bench->end);
	wire_must(bench->end, -ibv_dereg_mr(bench->mapped.mr), "dereg_mr");
	(void)munmap(bench->mapped.memory, PAGE);
}
