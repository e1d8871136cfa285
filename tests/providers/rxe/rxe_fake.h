/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fake kernel for the unit tests of the rxe provider: the verbs_cmd_* functions
 * that it imports, rings in a memfd, and a record of the calls. A test sets the
 * results of the next commands in `fake`, calls the provider, and checks the
 * rings from the kernel's side.
 */
#ifndef TESTS_RXE_FAKE_H
#define TESTS_RXE_FAKE_H

#include "providers/soft_fake.h"
#include "rxe/rxe.h"

#define FAKE_CAP_FLUSH	      (UINT64_C(1) << 38)
#define FAKE_CAP_ATOMIC_WRITE (UINT64_C(1) << 40)

/* A ring that the fake kernel has allocated, mapped for the test. */
struct fake_ring {
	struct rxe_queue_buf *buf;
	struct mminfo info;
	uint32_t mask;
	uint32_t log2_elem_size;
	size_t map_len; /* of the test's mapping */
};

struct fake_kernel {
	struct rxe_context ctx;

	/* Results of commands. */
	uint64_t device_caps; /* device_cap_flags_ex */
	uint64_t fw_ver;      /* of query_device */
	uint32_t ah_num;      /* 0: like a kernel before 5.16 */
	union ibv_gid sgid;   /* of every slot */
	int resolve_err;      /* of ibv_resolve_eth_l2_from_gid() */
	/* Changes the next ring that is allocated. */
	void (*spoil_ring)(struct fake_ring *ring);

	/* Calls and arguments so far. */
	unsigned int nr_device_queries;
	unsigned int nr_gid_queries;
	uint64_t srq_info_addr; /* of the last modify_srq */
	int reg_access, rereg_flags;

	/* Rings of the objects created last. */
	struct fake_ring sq, rq, cq, srq;
};

extern struct fake_kernel fake;

/* To be called before and after each test. */
int fake_setup(void **state);
int fake_teardown(void **state);

struct ibv_context *fake_context(void);

/* A ring of @mask + 1 elements of 1 << @log2_elem_size bytes in the memfd. */
void fake_ring_make(struct fake_ring *ring, uint32_t mask,
		    uint32_t log2_elem_size);
void fake_ring_unmap(struct fake_ring *ring);
void *fake_ring_elem(const struct fake_ring *ring, uint32_t index);

/* Writes a CQE as the kernel does. */
void fake_cq_push(const struct ib_uverbs_wc *wc);

struct fake_qp_args {
	enum ibv_qp_type type; /* 0: RC */
	uint32_t send_wr, recv_wr, send_sge, recv_sge, inline_data;
	uint64_t send_ops; /* 0: no ibv_wr_*() */
	struct ibv_srq *srq;
	bool reset; /* leave the QP in RESET instead of RTS */
};

/* Creates a QP, in RTS unless args->reset; creation must succeed. */
struct rxe_qp *fake_qp_new(const struct fake_qp_args *args);
void fake_qp_free(struct rxe_qp *qp);

/* The WQE in slot @index of the send ring created last. */
struct rxe_send_wqe *fake_send_wqe(uint32_t index);

#endif
