/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A program that is not linked with libibverbs but loads it and looks up every
 * function by name and version, as NCCL does:
 *
 * 	by_version table FILE [NODE]
 * 		look up every row of tests/abi/symbols.tsv up to IBVERBS_1.NODE,
 * 		with dlvsym and dlsym
 * 	by_version traffic DEVICE GID_INDEX
 * 		RC traffic through such pointers only
 *
 * Inline functions of the header that call an exported function are not used,
 * because the program would not link.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <infiniband/verbs.h>

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LEN   65536
#define DEPTH 16

static void *library;

/* -- table -- */

struct count {
	unsigned int names, defaults, bad;
};

static void report_row(struct count *count, const char *name, const char *node,
		       const char *why)
{
	printf("FAIL %s@%s: %s\n", name, node, why);
	count->bad++;
}

/* A plain dlsym() returns the default version. */
static void check_row(struct count *count, const char *name, const char *node,
		      const char *binding)
{
	void *exact = dlvsym(library, name, node);
	void *plain = dlsym(library, name);
	bool is_default = strcmp(binding, "@@") == 0;

	count->names++;
	count->defaults += is_default;
	if (!exact)
		report_row(count, name, node, "dlvsym returns NULL");
	else if (is_default && plain != exact)
		report_row(count, name, node, "dlsym returns another address");
	else if (!is_default && plain == exact &&
		 strcmp(name, "ibv_register_driver") != 0)
		report_row(count, name, node, "dlsym returns an old version");
}

static int check_table(const char *path, int max_node)
{
	struct count count = {};
	char line[1024];
	FILE *file = fopen(path, "re");

	if (!file) {
		printf("FAIL %s: errno %d\n", path, errno);
		return 1;
	}
	while (fgets(line, sizeof(line), file)) {
		char name[128], node[32], binding[3];
		int minor;

		if (line[0] == '#' ||
		    sscanf(line, "%127[^\t]\t%31[^\t]\t%2[^\t]", name, node,
			   binding) != 3 ||
		    sscanf(node, "IBVERBS_1.%d", &minor) != 1)
			continue;
		if (minor <= max_node)
			check_row(&count, name, node, binding);
	}
	(void)fclose(file);
	if (dlvsym(library, "ibv_alloc_pd", "IBVERBS_1.5"))
		report_row(&count, "ibv_alloc_pd", "IBVERBS_1.5", "exists");
	printf("%u names, %u of them defaults, %u wrong\n", count.names,
	       count.defaults, count.bad);
	return count.bad || !count.names;
}

/* -- the functions that NCCL loads, each with its exact version -- */

#define FUNCTIONS(F)                           \
	F(ibv_get_device_list, "IBVERBS_1.1")  \
	F(ibv_free_device_list, "IBVERBS_1.1") \
	F(ibv_get_device_name, "IBVERBS_1.1")  \
	F(ibv_open_device, "IBVERBS_1.1")      \
	F(ibv_close_device, "IBVERBS_1.1")     \
	F(ibv_get_async_event, "IBVERBS_1.1")  \
	F(ibv_ack_async_event, "IBVERBS_1.1")  \
	F(ibv_query_device, "IBVERBS_1.1")     \
	F(ibv_query_gid, "IBVERBS_1.1")        \
	F(ibv_query_qp, "IBVERBS_1.1")         \
	F(ibv_alloc_pd, "IBVERBS_1.1")         \
	F(ibv_dealloc_pd, "IBVERBS_1.1")       \
	F(ibv_dereg_mr, "IBVERBS_1.1")         \
	F(ibv_create_cq, "IBVERBS_1.1")        \
	F(ibv_destroy_cq, "IBVERBS_1.1")       \
	F(ibv_create_qp, "IBVERBS_1.1")        \
	F(ibv_modify_qp, "IBVERBS_1.1")        \
	F(ibv_destroy_qp, "IBVERBS_1.1")       \
	F(ibv_fork_init, "IBVERBS_1.1")        \
	F(ibv_event_type_str, "IBVERBS_1.1")   \
	F(ibv_reg_mr_iova2, "IBVERBS_1.8")     \
	F(ibv_query_ece, "IBVERBS_1.10")       \
	F(ibv_set_ece, "IBVERBS_1.10")         \
	F(ibv_reg_dmabuf_mr, "IBVERBS_1.12")

#define POINTER(name, version) static __typeof__(name) *p_##name;
FUNCTIONS(POINTER)

/* Macros in the header, so these have the types of their first release. */
static struct ibv_mr *(*p_ibv_reg_mr)(struct ibv_pd *pd, void *addr,
				      size_t length, int access);
static int (*p_ibv_query_port)(struct ibv_context *context, uint8_t port_num,
			       struct ibv_port_attr *attr);

static void *get_function(const char *name, const char *version)
{
	void *function = dlvsym(library, name, version);

	if (!function) {
		printf("FAIL %s@%s: %s\n", name, version, dlerror());
		exit(1);
	}
	return function;
}

static void load_functions(void)
{
#define LOAD(name, version) *(void **)&p_##name = get_function(#name, version);
	FUNCTIONS(LOAD)
	*(void **)&p_ibv_reg_mr = get_function("ibv_reg_mr", "IBVERBS_1.1");
	*(void **)&p_ibv_query_port =
		get_function("ibv_query_port", "IBVERBS_1.1");
}

/* -- traffic -- */

#define NEED(condition)                                                   \
	do {                                                              \
		if (!(condition)) {                                       \
			printf("FAIL line %d: %s (errno %d)\n", __LINE__, \
			       #condition, errno);                        \
			return false;                                     \
		}                                                         \
	} while (0)

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_mr *mr, *relaxed;
static struct ibv_cq *cq;
static struct ibv_qp *a, *b;
static union ibv_gid gid;
static int gid_index;
static char *from, *to;

static bool open_device(const char *name)
{
	struct ibv_device_attr attr;
	struct ibv_port_attr port;
	struct ibv_device **list;
	int count;

	NEED(p_ibv_fork_init() == 0);
	NEED(list = p_ibv_get_device_list(&count));
	for (int i = 0; i < count; i++) {
		if (strcmp(p_ibv_get_device_name(list[i]), name) == 0)
			ctx = p_ibv_open_device(list[i]);
	}
	p_ibv_free_device_list(list);
	NEED(ctx);
	NEED(p_ibv_query_device(ctx, &attr) == 0);
	printf("device: %d %d\n", attr.max_qp, attr.phys_port_cnt);
	memset(&port, 0, sizeof(port));
	NEED(p_ibv_query_port(ctx, 1, &port) == 0);
	printf("port: %d %d %d\n", port.state, port.active_mtu,
	       port.link_layer);
	NEED(p_ibv_query_gid(ctx, 1, gid_index, &gid) == 0);
	return true;
}

/*
 * NCCL's test for dma-buf support: the errno for a descriptor that is no
 * dma-buf.
 */
static bool make_objects(void)
{
	struct ibv_qp_init_attr init = {
		.cap = { .max_send_wr = DEPTH,
			 .max_recv_wr = DEPTH,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.qp_type = IBV_QPT_RC,
	};
	int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
		     IBV_ACCESS_REMOTE_READ;

	NEED(pd = p_ibv_alloc_pd(ctx));
	errno = 0;
	NEED(!p_ibv_reg_dmabuf_mr(pd, 0, 0, 0, -1, 0));
	printf("dma-buf: %s\n", strerror(errno));
	NEED(posix_memalign((void **)&from, 4096, 2 * LEN) == 0);
	to = from + LEN;
	NEED(mr = p_ibv_reg_mr(pd, from, LEN, access));
	NEED(relaxed = p_ibv_reg_mr_iova2(pd, to, LEN, (uintptr_t)to,
					  (unsigned int)access |
						  IBV_ACCESS_RELAXED_ORDERING));
	NEED(relaxed->addr == to && relaxed->length == LEN);
	NEED(cq = p_ibv_create_cq(ctx, 2 * DEPTH, NULL, NULL, 0));
	init.send_cq = cq;
	init.recv_cq = cq;
	NEED(a = p_ibv_create_qp(pd, &init));
	NEED(b = p_ibv_create_qp(pd, &init));
	return true;
}

static bool connect_to(struct ibv_qp *qp, uint32_t dest)
{
	struct ibv_qp_init_attr init;
	struct ibv_ece ece = {};
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE,
	};
	int ret;

	NEED(p_ibv_modify_qp(qp, &attr,
			     IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				     IBV_QP_ACCESS_FLAGS) == 0);
	ret = p_ibv_query_ece(qp, &ece);
	printf("query_ece: %s\n", strerror(ret));
	ret = p_ibv_set_ece(qp, &ece);
	printf("set_ece: %s\n", strerror(ret));
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = dest,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 12,
		.ah_attr = { .is_global = 1, .port_num = 1 },
	};
	attr.ah_attr.grh.dgid = gid;
	attr.ah_attr.grh.sgid_index = (uint8_t)gid_index;
	attr.ah_attr.grh.hop_limit = 255;
	NEED(p_ibv_modify_qp(qp, &attr,
			     IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
				     IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				     IBV_QP_MAX_DEST_RD_ATOMIC |
				     IBV_QP_MIN_RNR_TIMER) == 0);
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS,
		.timeout = 18,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = 1,
	};
	NEED(p_ibv_modify_qp(qp, &attr,
			     IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				     IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
				     IBV_QP_MAX_QP_RD_ATOMIC) == 0);
	NEED(p_ibv_query_qp(qp, &attr, IBV_QP_STATE, &init) == 0);
	NEED(attr.qp_state == IBV_QPS_RTS);
	return true;
}

/* These inline functions use only the op table of the context. */
static bool poll_completions(int count)
{
	struct ibv_wc wc;

	for (int ms = 0; count && ms < 60000; ms++) {
		int nr = ibv_poll_cq(cq, 1, &wc);

		NEED(nr >= 0);
		if (nr == 0) {
			usleep(1000);
			continue;
		}
		NEED(wc.status == IBV_WC_SUCCESS);
		count--;
	}
	NEED(count == 0);
	return true;
}

/* Data, then its size as an immediate, as NCCL sends it. */
static bool write_with_imm(uint32_t size)
{
	struct ibv_sge sge = { .addr = (uintptr_t)from, .length = size };
	struct ibv_recv_wr recv = {}, *bad_recv;
	struct ibv_send_wr wr[2] = {
		{ .opcode = IBV_WR_RDMA_WRITE, .next = &wr[1] },
		{ .opcode = IBV_WR_RDMA_WRITE_WITH_IMM,
		  .send_flags = IBV_SEND_SIGNALED },
	};
	struct ibv_send_wr *bad;

	memset(from, (int)('a' + size % 26), LEN);
	memset(to, 0, LEN);
	sge.lkey = mr->lkey;
	wr[0].sg_list = &sge;
	wr[0].num_sge = 1;
	wr[0].wr.rdma.remote_addr = (uintptr_t)to;
	wr[0].wr.rdma.rkey = relaxed->rkey;
	wr[1].imm_data = htobe32(size);
	wr[1].wr.rdma = wr[0].wr.rdma;
	NEED(ibv_post_recv(b, &recv, &bad_recv) == 0);
	NEED(ibv_post_send(a, wr, &bad) == 0);
	if (!poll_completions(2))
		return false;
	NEED(memcmp(from, to, size) == 0);
	NEED(size == LEN || to[size] == 0);
	printf("%u bytes arrived\n", size);
	return true;
}

static bool close_all(void)
{
	NEED(p_ibv_destroy_qp(a) == 0);
	NEED(p_ibv_destroy_qp(b) == 0);
	NEED(p_ibv_destroy_cq(cq) == 0);
	NEED(p_ibv_dereg_mr(mr) == 0);
	NEED(p_ibv_dereg_mr(relaxed) == 0);
	NEED(p_ibv_dealloc_pd(pd) == 0);
	NEED(p_ibv_close_device(ctx) == 0);
	printf("%s\n", p_ibv_event_type_str(IBV_EVENT_PORT_ERR));
	free(from);
	return true;
}

static bool traffic(const char *device)
{
	load_functions();
	if (!open_device(device) || !make_objects() ||
	    !connect_to(a, b->qp_num) || !connect_to(b, a->qp_num))
		return false;
	for (uint32_t size = 1; size <= LEN; size *= 4) {
		if (!write_with_imm(size))
			return false;
	}
	return close_all();
}

int main(int argc, char **argv)
{
	(void)setvbuf(stdout, NULL, _IOLBF, 0);
	library = dlopen("libibverbs.so.1", RTLD_NOW);
	if (!library) {
		printf("FAIL %s\n", dlerror());
		return 1;
	}
	if (argc >= 3 && strcmp(argv[1], "table") == 0)
		return check_table(argv[2], argc > 3 ? atoi(argv[3]) : 999);
	if (argc != 4 || strcmp(argv[1], "traffic") != 0)
		return 2;
	gid_index = atoi(argv[3]);
	return !traffic(argv[2]);
}
