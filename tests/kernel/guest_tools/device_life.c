/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * device_life DEVICE GID_INDEX - one process that uses a device while it is
 * removed and comes back. It reads words from standard input and prints one
 * line for each, which begins with the word:
 *
 * 	list	is the device listed?
 * 	keep	get a list and keep it
 * 	kept	open the device of the kept list, and free that list
 * 	open	open the device, connect an RC QP to itself
 * 	traffic	a hundred sends, received and compared
 * 	flood	sends without polling, so that the QP stays busy
 * 	poke	queries and registrations, with any result
 * 	close	destroy everything, in order
 * 	fds	the number of descriptors of the process
 *
 * A word that takes more than ten seconds ends the process: that is a hang.
 */
#define _GNU_SOURCE
#include <infiniband/verbs.h>

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEPTH  64
#define LENGTH 256

/* Attributes of each step of a connection. */
static const int to_init = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			   IBV_QP_ACCESS_FLAGS;
static const int to_rtr = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			  IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			  IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
static const int to_rts = IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			  IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
			  IBV_QP_MAX_QP_RD_ATOMIC;

static const char *name;
static int gid_index;
static struct ibv_device **kept;
static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_mr *mr;
static struct ibv_comp_channel *channel;
static struct ibv_cq *cq;
static struct ibv_qp *qp;
/* The first half is the source, the second half the target. */
static unsigned char buffer[2 * LENGTH];

static struct ibv_device *find(struct ibv_device **list)
{
	for (; list && *list; list++)
		if (!strcmp(ibv_get_device_name(*list), name))
			return *list;
	return NULL;
}

static const char *list_word(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	int found = find(list) != NULL;

	if (!list)
		return strerrorname_np(errno);
	ibv_free_device_list(list);
	return found ? "yes" : "no";
}

static int connect_to_itself(void)
{
	struct ibv_port_attr port;
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = IBV_ACCESS_LOCAL_WRITE,
	};

	if (ibv_modify_qp(qp, &attr, to_init))
		return -1;
	if (ibv_query_port(context, 1, &port))
		return -1;
	attr = (struct ibv_qp_attr) {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = port.active_mtu,
		.dest_qp_num = qp->qp_num,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 12,
		.ah_attr = {
			.is_global = 1,
			.port_num = 1,
			.grh = { .hop_limit = 1, .sgid_index = gid_index },
		},
	};
	if (ibv_query_gid(context, 1, gid_index, &attr.ah_attr.grh.dgid))
		return -1;
	if (ibv_modify_qp(qp, &attr, to_rtr))
		return -1;
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = 1,
	};
	return ibv_modify_qp(qp, &attr, to_rts);
}

static const char *open_word(struct ibv_device *device)
{
	struct ibv_qp_init_attr init = {
		.cap = {
			.max_send_wr = DEPTH,
			.max_recv_wr = DEPTH,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
		.qp_type = IBV_QPT_RC,
	};

	if (!device)
		return "not listed";
	context = ibv_open_device(device);
	if (!context)
		return strerrorname_np(errno);
	pd = ibv_alloc_pd(context);
	if (!pd)
		return "no PD";
	mr = ibv_reg_mr(pd, buffer, sizeof(buffer), IBV_ACCESS_LOCAL_WRITE);
	channel = ibv_create_comp_channel(context);
	if (!mr || !channel)
		return "no MR or channel";
	cq = ibv_create_cq(context, 2 * DEPTH, NULL, channel, 0);
	if (!cq)
		return "no CQ";
	init.send_cq = cq;
	init.recv_cq = cq;
	qp = ibv_create_qp(pd, &init);
	if (!qp || connect_to_itself())
		return "no connected QP";
	return "ok";
}

static const char *open_listed(struct ibv_device **list)
{
	const char *answer = open_word(find(list));

	if (list)
		ibv_free_device_list(list);
	return answer;
}

static int post_recv(void)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)buffer + LENGTH,
		.length = LENGTH,
		.lkey = mr->lkey,
	};
	struct ibv_recv_wr *bad, wr = { .sg_list = &sge, .num_sge = 1 };

	return ibv_post_recv(qp, &wr, &bad);
}

static int post_send(void)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)buffer,
		.length = LENGTH,
		.lkey = mr->lkey,
	};
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	};

	return ibv_post_send(qp, &wr, &bad);
}

static const char *traffic_word(void)
{
	struct ibv_wc wc;
	int i, nr, done;

	for (i = 0; i < 100; i++) {
		memset(buffer, i, LENGTH);
		memset(buffer + LENGTH, ~i, LENGTH);
		if (post_recv() || post_send())
			return "post fails";
		for (done = 0; done < 2; done += nr) {
			nr = ibv_poll_cq(cq, 1, &wc);
			if (nr < 0)
				return "poll fails";
			if (nr && wc.status)
				return ibv_wc_status_str(wc.status);
		}
		if (memcmp(buffer, buffer + LENGTH, LENGTH))
			return "wrong contents";
	}
	return "ok";
}

static const char *flood_word(void)
{
	int i;

	for (i = 0; i < DEPTH / 2; i++)
		if ((i < DEPTH / 4 && post_recv()) || post_send())
			return "post fails";
	return "ok";
}

/*
 * The results depend on the progress of the removal; the calls only have to
 * return.
 */
static const char *poke_word(void)
{
	struct ibv_device_attr device;
	struct ibv_port_attr port;
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	struct ibv_cq *more_cq;
	struct ibv_mr *more_mr;
	struct ibv_pd *more_pd;
	struct ibv_wc wc[8];
	union ibv_gid gid;

	(void)ibv_query_device(context, &device);
	(void)ibv_query_port(context, 1, &port);
	(void)ibv_query_gid(context, 1, gid_index, &gid);
	(void)ibv_query_qp(qp, &attr, IBV_QP_STATE, &init);
	(void)ibv_poll_cq(cq, 8, wc);
	(void)ibv_req_notify_cq(cq, 0);
	(void)ibv_get_device_guid(context->device);
	more_pd = ibv_alloc_pd(context);
	if (more_pd)
		ibv_dealloc_pd(more_pd);
	more_mr = ibv_reg_mr(pd, buffer, LENGTH, 0);
	if (more_mr)
		ibv_dereg_mr(more_mr);
	more_cq = ibv_create_cq(context, 1, NULL, NULL, 0);
	if (more_cq)
		ibv_destroy_cq(more_cq);
	return "ok";
}

static const char *close_word(void)
{
	int error = 0;

	error |= ibv_destroy_qp(qp);
	error |= ibv_destroy_cq(cq);
	error |= ibv_destroy_comp_channel(channel);
	error |= ibv_dereg_mr(mr);
	error |= ibv_dealloc_pd(pd);
	error |= ibv_close_device(context);
	context = NULL;
	return error ? "refused" : "ok";
}

static const char *keep_word(void)
{
	kept = ibv_get_device_list(NULL);
	return find(kept) ? "ok" : "not listed";
}

static const char *fds_word(void)
{
	static char answer[16];
	DIR *dir = opendir("/proc/self/fd");
	int nr = 0;

	while (dir && readdir(dir))
		nr++;
	if (dir)
		closedir(dir);
	snprintf(answer, sizeof(answer), "%d", nr);
	return answer;
}

static const char *run_word(const char *word)
{
	if (!strcmp(word, "list"))
		return list_word();
	if (!strcmp(word, "keep"))
		return keep_word();
	if (!strcmp(word, "kept"))
		return open_listed(kept);
	if (!strcmp(word, "open"))
		return open_listed(ibv_get_device_list(NULL));
	if (!strcmp(word, "fds"))
		return fds_word();
	if (!context)
		return "not open";
	if (!strcmp(word, "traffic"))
		return traffic_word();
	if (!strcmp(word, "flood"))
		return flood_word();
	if (!strcmp(word, "poke"))
		return poke_word();
	if (!strcmp(word, "close"))
		return close_word();
	return "unknown";
}

int main(int argc, char **argv)
{
	char word[32];

	if (argc != 3) {
		fprintf(stderr, "usage: device_life DEVICE GID_INDEX\n");
		return 2;
	}
	name = argv[1];
	gid_index = atoi(argv[2]);
	while (scanf("%31s", word) == 1) {
		alarm(60);
		printf("%s %s\n", word, run_word(word));
		fflush(stdout);
		alarm(0);
	}
	return 0;
}
