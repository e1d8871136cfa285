/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * churn ROUNDS GID_INDEX idle|connected - queue pairs are made and destroyed.
 *
 * ROUNDS queue pairs, one after the other; "connected" ones enter RTR and RTS
 * (each is its own peer). There are fewer numbers of queue pairs than rounds,
 * so numbers return. None of a connected queue pair may return within
 * QUARANTINE_US, while packets for the old queue pair may still arrive.
 */
#include "peer.h"

#define TIMEOUT	      14 /* 67 ms */
#define RETRIES	      1
#define QUARANTINE_US 1000000
#define NR_NUMBERS    (1 << 24)

static uint64_t *destroyed_us; /* by number; 0: not yet */

static void churn_one(struct ibv_cq *cq, bool connects)
{
	struct ibv_qp *qp = peer_qp(cq, 1);
	uint32_t qpn = qp->qp_num;
	struct peer_address own;

	NEED(qpn < NR_NUMBERS);
	if (connects) {
		NEED(!destroyed_us[qpn] ||
		     peer_now_us() >= destroyed_us[qpn] + QUARANTINE_US);
		own = peer_address(qp, NULL);
		peer_connect(qp, &own, &own, TIMEOUT, RETRIES);
		destroyed_us[qpn] = peer_now_us();
	}
	NEED(ibv_destroy_qp(qp) == 0);
}

int main(int argc, char **argv)
{
	struct ibv_cq *cq;
	uint64_t start_us;
	bool connects;
	long rounds;

	NEED(argc == 4);
	rounds = strtol(argv[1], NULL, 10);
	connects = strcmp(argv[3], "connected") == 0;
	destroyed_us = calloc(NR_NUMBERS, sizeof(*destroyed_us));
	NEED(destroyed_us);
	peer_open(atoi(argv[2]));
	cq = ibv_create_cq(peer_ctx, 1, NULL, NULL, 0);
	NEED(cq);
	start_us = peer_now_us();
	for (long i = 0; i < rounds; i++)
		churn_one(cq, connects);
	printf("%ld %s queue pairs in %.1f s\n", rounds, argv[3],
	       (double)(peer_now_us() - start_us) / 1e6);
	NEED(ibv_destroy_cq(cq) == 0);
	free(destroyed_us);
	peer_close();
	return 0;
}
