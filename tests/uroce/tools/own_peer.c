/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * own_peer [full] ROUNDS GID_INDEX SEED - connects two RC queue pairs of this
 * process, and compares the data of ROUNDS messages. With "full", the process
 * has no descriptor left when it connects them.
 */
#include "peer.h"

#define MESSAGE	 3000
#define LIMIT_US UINT64_C(60000000)
#define TIMEOUT	 14 /* 67 ms */
#define RETRIES	 7

static struct ibv_cq *cq;
static struct ibv_mr *mr;
static unsigned char *memory; /* a message to send, one to receive */

static void await_completions(uint32_t nr)
{
	uint64_t until = peer_now_us() + LIMIT_US;
	struct ibv_wc wc;
	int got;

	while (nr) {
		got = ibv_poll_cq(cq, 1, &wc);
		NEED(got >= 0 && peer_now_us() < until);
		if (!got)
			continue;
		NEED(wc.status == IBV_WC_SUCCESS);
		nr--;
	}
}

static void send_message(struct ibv_qp *from, struct ibv_qp *to, uint32_t round)
{
	const struct peer_address none = {};

	memset(memory, (int)(round % 255 + 1), MESSAGE);
	memset(memory + MESSAGE, 0, MESSAGE);
	peer_receive(to, mr, round, memory + MESSAGE, MESSAGE);
	peer_request(from, IBV_WR_SEND, mr, round, memory, MESSAGE, &none);
	await_completions(2);
	NEED(memcmp(memory, memory + MESSAGE, MESSAGE) == 0);
}

static void use_all_descriptors(void)
{
	while (dup(STDIN_FILENO) >= 0)
		continue;
	NEED(errno == EMFILE);
}

int main(int argc, char **argv)
{
	struct peer_address left_address, right_address;
	struct ibv_qp *left, *right;
	bool full = argc == 5 && strcmp(argv[1], "full") == 0;
	uint32_t rounds;

	NEED(argc == 4 || full);
	argv += full;
	rounds = (uint32_t)atoi(argv[1]);
	srandom((unsigned int)atoi(argv[3]));
	peer_open(atoi(argv[2]));
	memory = calloc(2, MESSAGE);
	NEED(memory);
	mr = ibv_reg_mr(peer_pd, memory, (size_t)2 * MESSAGE, PEER_ACCESS);
	NEED(mr);
	cq = ibv_create_cq(peer_ctx, 16, NULL, NULL, 0);
	NEED(cq);
	left = peer_qp(cq, 4);
	right = peer_qp(cq, 4);
	left_address = peer_address(left, mr);
	right_address = peer_address(right, mr);
	if (full)
		use_all_descriptors();
	peer_connect(left, &left_address, &right_address, TIMEOUT, RETRIES);
	peer_connect(right, &right_address, &left_address, TIMEOUT, RETRIES);
	for (uint32_t i = 0; i < rounds; i++)
		send_message(i % 2 ? left : right, i % 2 ? right : left, i);
	NEED(ibv_destroy_qp(left) == 0);
	NEED(ibv_destroy_qp(right) == 0);
	NEED(ibv_dereg_mr(mr) == 0);
	NEED(ibv_destroy_cq(cq) == 0);
	peer_close();
	printf("in order: %u messages\n", rounds);
	return 0;
}
