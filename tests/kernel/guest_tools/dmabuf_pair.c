/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * dmabuf_pair DEVICE GID_INDEX [fake] - checks memory regions in a dma-buf: two
 * queue pairs of this process exchange data between the dma-buf and ordinary
 * memory. Each access must be between DMA_BUF_SYNC_START and DMA_BUF_SYNC_END.
 * The dma-buf is one of /dev/udmabuf; or with "fake" a memory file for which
 * this program implements DMA_BUF_IOCTL_SYNC.
 *
 * Prints "ok NAME" or "FAIL NAME: WHY" for each check.
 */
#define _GNU_SOURCE
#include <infiniband/verbs.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/udmabuf.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define BYTES	  (2u << 20) /* of the dma-buf, and of ordinary memory */
#define OFFSET	  0x3040u    /* of the region in the dma-buf */
#define LENGTH	  (1u << 20) /* of the region */
#define IOVA	  UINT64_C(0x7000000000040)
#define LIMIT_S	  60
#define RD_ATOMIC 16
#define ACCESS                                              \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
	 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

#define NEED(condition)                                                    \
	do {                                                               \
		if (!(condition)) {                                        \
			printf("FAIL %s: line %d: %s (errno %d)\n", check, \
			       __LINE__, #condition, errno);               \
			exit(1);                                           \
		}                                                          \
	} while (0)

static const char *check = "set-up";
static ino_t fake_inode; /* of the memory file; 0: not faked */
static uint32_t nr_begun, nr_ended;

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_qp *qp[2];
static struct ibv_mr *dma_mr, *mr;
static union ibv_gid gid;
static uint8_t gid_index;
static int memory_fd, dmabuf;
static uint8_t *dma;	/* the region, as the application has mapped it */
static uint8_t *memory; /* ordinary */

/* The library calls this function instead of that of libc. */
int ioctl(int fd, unsigned long request, ...)
{
	struct stat status;
	va_list args;
	void *arg;
	long ret;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (request != DMA_BUF_IOCTL_SYNC)
		return (int)syscall(SYS_ioctl, fd, request, arg);
	if (fake_inode && fstat(fd, &status) == 0 &&
	    status.st_ino == fake_inode)
		ret = 0;
	else
		ret = syscall(SYS_ioctl, fd, request, arg);
	if (ret == 0 &&
	    (((struct dma_buf_sync *)arg)->flags & DMA_BUF_SYNC_END))
		nr_ended++;
	else if (ret == 0)
		nr_begun++;
	return (int)ret;
}

static void passed(void)
{
	printf("ok %s\n", check);
}

static void make_dmabuf(bool fake)
{
	struct udmabuf_create create = { .flags = UDMABUF_FLAGS_CLOEXEC,
					 .size = BYTES };
	struct stat status;
	int device;

	memory_fd = memfd_create("memory", MFD_ALLOW_SEALING);
	NEED(memory_fd >= 0 && ftruncate(memory_fd, BYTES) == 0);
	NEED(fcntl(memory_fd, F_ADD_SEALS, F_SEAL_SHRINK) == 0);
	dma = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, memory_fd,
		   0);
	NEED(dma != MAP_FAILED);
	dma += OFFSET;
	if (fake) {
		NEED(fstat(memory_fd, &status) == 0);
		fake_inode = status.st_ino;
		dmabuf = dup(memory_fd);
		return;
	}
	device = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
	NEED(device >= 0);
	create.memfd = (uint32_t)memory_fd;
	dmabuf = ioctl(device, UDMABUF_CREATE, &create);
	NEED(dmabuf >= 0);
	NEED(close(device) == 0);
}

static unsigned int count_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int nr = 0;

	NEED(dir);
	while (readdir(dir))
		nr++;
	NEED(closedir(dir) == 0);
	return nr;
}

static int reg_errno(int fd, uint64_t offset, size_t length, uint64_t iova,
		     int access)
{
	struct ibv_mr *made;

	errno = 0;
	made = ibv_reg_dmabuf_mr(pd, offset, length, iova, fd, access);
	if (!made)
		return errno;
	NEED(ibv_dereg_mr(made) == 0);
	return 0;
}

static void check_errors(void)
{
	unsigned int nr = count_descriptors();
	int pipes[2], sealed;

	check = "a bad descriptor, range or flag is refused";
	NEED(pipe(pipes) == 0);
	NEED(reg_errno(-1, 0, 4096, 0, ACCESS) == EBADF);
	NEED(reg_errno(pipes[0], 0, 4096, 0, ACCESS) == EINVAL);
	NEED(close(pipes[0]) == 0 && close(pipes[1]) == 0);
	NEED(reg_errno(dmabuf, 0, 0, 0, ACCESS) == EINVAL);
	NEED(reg_errno(dmabuf, 0, BYTES + 1, 0, ACCESS) == EINVAL);
	NEED(reg_errno(dmabuf, BYTES, 1, 0, ACCESS) == EINVAL);
	NEED(reg_errno(dmabuf, UINT64_MAX - 4095, 8192, 0, ACCESS) == EINVAL);
	NEED(reg_errno(dmabuf, 0, 4096, UINT64_MAX - 4095, ACCESS) == 0 ||
	     errno == EINVAL);
	NEED(reg_errno(dmabuf, 0, 8192, UINT64_MAX - 4095, ACCESS) == EINVAL);
	NEED(reg_errno(dmabuf, 64, 4096, 0, ACCESS) == EINVAL);
	NEED(reg_errno(dmabuf, 0, 4096, 0, IBV_ACCESS_REMOTE_WRITE) == EINVAL);
	NEED(reg_errno(dmabuf, 0, 4096, 0, IBV_ACCESS_MW_BIND) == EINVAL);
	NEED(reg_errno(dmabuf, 0, 4096, 0, IBV_ACCESS_ZERO_BASED) == EINVAL);
	NEED(reg_errno(dmabuf, 0, 4096, 0, IBV_ACCESS_ON_DEMAND) == EOPNOTSUPP);
	NEED(reg_errno(dmabuf, 0, BYTES, 0, ACCESS) == 0);
	NEED(reg_errno(dmabuf, BYTES - 1, 1, 4095, 0) == 0);
	NEED(count_descriptors() == nr);
	passed();
	if (!fake_inode)
		return;
	check = "a buffer that cannot be mapped is not supported";
	sealed = memfd_create("sealed", MFD_ALLOW_SEALING);
	NEED(sealed >= 0 && ftruncate(sealed, BYTES) == 0);
	NEED(fcntl(sealed, F_ADD_SEALS, F_SEAL_WRITE) == 0);
	{
		ino_t inode = fake_inode;
		struct stat status;

		NEED(fstat(sealed, &status) == 0);
		fake_inode = status.st_ino;
		NEED(reg_errno(sealed, 0, 4096, 0, ACCESS) == EOPNOTSUPP);
		fake_inode = inode;
	}
	NEED(close(sealed) == 0);
	NEED(count_descriptors() == nr);
	passed();
}

static struct ibv_qp *new_qp(void)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = cq,
		.recv_cq = cq,
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 8,
			 .max_recv_wr = 8,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};
	struct ibv_qp *made = ibv_create_qp(pd, &attr);

	NEED(made);
	return made;
}

static void connect_qp(struct ibv_qp *from, const struct ibv_qp *to)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = ACCESS,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = to->qp_num,
		.max_rd_atomic = RD_ATOMIC,
		.max_dest_rd_atomic = RD_ATOMIC,
		.min_rnr_timer = 1,
		.timeout = 18,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.ah_attr = { .is_global = 1,
			     .port_num = 1,
			     .grh = { .dgid = gid, .sgid_index = gid_index } },
	};

	NEED(ibv_modify_qp(from, &attr,
			   IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				   IBV_QP_ACCESS_FLAGS) == 0);
	attr.qp_state = IBV_QPS_RTR;
	NEED(ibv_modify_qp(from, &attr,
			   IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
				   IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				   IBV_QP_MAX_DEST_RD_ATOMIC |
				   IBV_QP_MIN_RNR_TIMER) == 0);
	attr.qp_state = IBV_QPS_RTS;
	NEED(ibv_modify_qp(from, &attr,
			   IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
				   IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				   IBV_QP_MAX_QP_RD_ATOMIC) == 0);
}

#define NO_OPCODE (-1)

/*
 * The opcode of the completion that promises that the accesses to the dma-buf
 * have ended. Data may be sent or read once more after other completions of the
 * message, since an ACK or a response can be lost.
 */
static int end_opcode(enum ibv_wr_opcode opcode, bool remote)
{
	switch (opcode) {
	case IBV_WR_SEND:
		return remote ? IBV_WC_RECV : IBV_WC_SEND;
	case IBV_WR_RDMA_WRITE:
		return IBV_WC_RDMA_WRITE;
	case IBV_WR_RDMA_READ:
		return remote ? NO_OPCODE : IBV_WC_RDMA_READ;
	default:
		return IBV_WC_FETCH_ADD;
	}
}

/* @ends: of end_opcode() */
static void await_completions(int nr, int ends)
{
	const time_t until = time(NULL) + LIMIT_S;
	struct ibv_wc wc;

	while (nr || nr_begun != nr_ended) {
		int got = ibv_poll_cq(cq, 1, &wc);

		NEED(got >= 0 && time(NULL) < until);
		if (!got)
			continue;
		NEED(wc.status == IBV_WC_SUCCESS);
		NEED((int)wc.opcode != ends || nr_begun == nr_ended);
		nr--;
	}
}

static struct ibv_sge sge_of(bool in_dmabuf, uint32_t offset, uint32_t length)
{
	return (struct ibv_sge){
		.addr = in_dmabuf ? IOVA + offset
				  : (uintptr_t)(memory + offset),
		.length = length,
		.lkey = in_dmabuf ? dma_mr->lkey : mr->lkey,
	};
}

/* A request of the first QP; @local and @remote: whether in the dma-buf. */
static void request(enum ibv_wr_opcode opcode, bool local, bool remote,
		    uint32_t from, uint32_t to, uint32_t length)
{
	struct ibv_sge sge = sge_of(local, from, length);
	struct ibv_sge there = sge_of(remote, to, length);
	struct ibv_send_wr *bad, wr = {
		.opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED,
		.sg_list = &sge,
		.num_sge = 1,
	};
	uint32_t begun = nr_begun;

	if (opcode == IBV_WR_SEND) {
		struct ibv_recv_wr *bad_recv,
			recv = { .sg_list = &there, .num_sge = 1 };

		NEED(ibv_post_recv(qp[1], &recv, &bad_recv) == 0);
	} else if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = there.addr;
		wr.wr.atomic.rkey = remote ? dma_mr->rkey : mr->rkey;
		wr.wr.atomic.compare_add = 5;
	} else {
		wr.wr.rdma.remote_addr = there.addr;
		wr.wr.rdma.rkey = remote ? dma_mr->rkey : mr->rkey;
	}
	NEED(ibv_post_send(qp[0], &wr, &bad) == 0);
	await_completions(opcode == IBV_WR_SEND ? 2 : 1,
			  end_opcode(opcode, remote));
	NEED(nr_begun > begun);
}

static void fill(uint8_t *at, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i++)
		at[i] = (uint8_t)random();
}

/* @from_dma: the data goes from the dma-buf to ordinary memory, or back. */
static void check_operation(enum ibv_wr_opcode opcode, const char *name,
			    bool from_dma, uint32_t bytes)
{
	bool left_is_dma = from_dma == (opcode != IBV_WR_RDMA_READ);

	check = name;
	fill(from_dma ? dma : memory, bytes);
	request(opcode, left_is_dma, !left_is_dma, 0, 0, bytes);
	NEED(memcmp(dma, memory, bytes) == 0);
}

static void check_data(void)
{
	static const uint32_t sizes[] = { 1, 8, 3000, 65536, 700000 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint32_t n = sizes[i];

		check_operation(IBV_WR_SEND, "SEND from the dma-buf", true, n);
		check_operation(IBV_WR_SEND, "SEND to the dma-buf", false, n);
		check_operation(IBV_WR_RDMA_WRITE, "WRITE from the dma-buf",
				true, n);
		check_operation(IBV_WR_RDMA_WRITE, "WRITE to the dma-buf",
				false, n);
		check_operation(IBV_WR_RDMA_READ, "READ from the dma-buf", true,
				n);
		check_operation(IBV_WR_RDMA_READ, "READ to the dma-buf", false,
				n);
	}
	check = "data of all operations and sizes arrives";
	passed();
}

static void check_atomic(void)
{
	uint64_t value = 70, result;

	check = "an atomic operation on the dma-buf";
	memcpy(dma, &value, sizeof(value));
	request(IBV_WR_ATOMIC_FETCH_AND_ADD, true, true, 64, 0, sizeof(value));
	memcpy(&result, dma, sizeof(result));
	NEED(result == value + 5);
	memcpy(&result, dma + 64, sizeof(result));
	NEED(result == value);
	passed();
}

static void check_end(void)
{
	unsigned int descriptors;

	check = "re-registration is refused";
	NEED(ibv_rereg_mr(dma_mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
			  ACCESS) != 0 &&
	     errno == EINVAL);
	request(IBV_WR_RDMA_WRITE, false, true, 0, 0, 8);
	passed();
	check = "nothing is left after deregistration";
	descriptors = count_descriptors();
	NEED(ibv_dereg_mr(dma_mr) == 0);
	NEED(count_descriptors() == descriptors - 1);
	passed();
}

static void open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	int i = 0;

	NEED(list);
	while (list[i] && strcmp(ibv_get_device_name(list[i]), name) != 0)
		i++;
	NEED(list[i]);
	ctx = ibv_open_device(list[i]);
	NEED(ctx);
	ibv_free_device_list(list);
	NEED(ibv_query_gid(ctx, 1, gid_index, &gid) == 0);
	pd = ibv_alloc_pd(ctx);
	cq = ibv_create_cq(ctx, 16, NULL, NULL, 0);
	NEED(pd && cq);
}

int main(int argc, char **argv)
{
	NEED(argc == 3 || argc == 4);
	gid_index = (uint8_t)atoi(argv[2]);
	make_dmabuf(argc == 4);
	open_device(argv[1]);
	check_errors();
	memory = calloc(1, BYTES);
	NEED(memory);
	mr = ibv_reg_mr(pd, memory, BYTES, ACCESS);
	qp[0] = new_qp();
	qp[1] = new_qp();
	connect_qp(qp[0], qp[1]);
	connect_qp(qp[1], qp[0]);
	dma_mr = ibv_reg_dmabuf_mr(pd, OFFSET, LENGTH, IOVA, dmabuf, ACCESS);
	NEED(mr && dma_mr);
	/* the region keeps a reference of its own */
	NEED(close(dmabuf) == 0);
	check_data();
	check_atomic();
	check_end();
	NEED(ibv_destroy_qp(qp[0]) == 0 && ibv_destroy_qp(qp[1]) == 0);
	NEED(ibv_dereg_mr(mr) == 0 && ibv_destroy_cq(cq) == 0);
	NEED(ibv_dealloc_pd(pd) == 0 && ibv_close_device(ctx) == 0);
	return 0;
}
