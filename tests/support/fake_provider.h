/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Replaces a provider and its device: its operations return the values that the
 * test has put into fake_provider, and record their arguments there. Only one
 * thread may use it at a time.
 *
 * It claims the devices of support/fake_discover.h by their kernel driver, and
 * can list devices that exist only in user space.
 */
#ifndef SUPPORT_FAKE_PROVIDER_H
#define SUPPORT_FAKE_PROVIDER_H

#include <provider/provider.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define FAKE_PROVIDER_MAX_OFFERS 4

/* Arguments of the last call of an operation; unused members are zero. */
struct fake_args {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	void *addr;
	size_t length;
	uint64_t iova;
	uint64_t offset;
	int access;
	int flags;
	int fd;
	uint32_t port_num;
	size_t size;
	size_t max_entries;
	enum ibv_mw_type mw_type;
	enum ibv_advise_mr_advice advice;
	struct ibv_sge *sg_list;
	uint32_t num_sge;
	const void *attr;   /* the caller's pointer */
	const void *object; /* a second pointer of the caller, beside attr */
	uint32_t handle;
	uint64_t value;
	enum ibv_wr_opcode opcode;
	const union ibv_gid *gid;
	uint16_t lid;
	int attr_mask;
	int cqe;
	bool extended;
	const struct ibv_query_device_ex_input *input;
	struct ibv_mr_init_attr mr_attr;
	struct ibv_cq_init_attr_ex cq_attr;
	struct ibv_srq_init_attr_ex srq_attr;
	struct ibv_qp_init_attr_ex qp_attr;
};

struct fake_provider {
	/* Results. Failures are -errno, 0 is success. */
	int open_ret;	   /* open_context(), before it makes a context */
	int open_ret_late; /* open_context(), after it has made a context */
	int alloc_async_fd_ret;
	int ret;	      /* every other operation that can fail */
	int cmd_file;	      /* is_cmd_file() is true for this descriptor */
	int list_devices_ret; /* list_devices(), after it added the offers */
	const char *offers[FAKE_PROVIDER_MAX_OFFERS]; /* up to a NULL */
	__be64 offer_guid;
	struct ibv_device_attr_ex device_attr;
	struct ibv_port_attr port_attr;
	const struct ibv_gid_entry
		*gids; /* entry i is at slot i; gid_index is ignored */
	size_t nr_gids;
	const __be16 *pkeys;
	size_t nr_pkeys;
	struct ibv_srq_attr srq_attr; /* of create_srq() and query_srq() */
	struct ibv_qp_cap qp_cap;     /* of create_qp() */
	struct ibv_qp_attr qp_attr;   /* of query_qp() */
	uint32_t qp_mask;	      /* more of enum verbs_qp_mask */
	struct ibv_ece ece;	      /* of query_ece() */
	struct ibv_comp_cntr_caps comp_cntr_caps;
	int buf_dmabuf_fd; /* of alloc_buf(); -1 after a reset */
	uint64_t value;	   /* of other operations that return one number */
	struct verbs_event_count raised; /* of the destroy functions */

	/* Recorded calls. */
	unsigned int nr_opens;	/* contexts that were made */
	unsigned int nr_closes; /* contexts that were closed */
	unsigned int
		nr_objects;  /* PDs, MRs and so on that were not freed yet */
	const char *last_op; /* for example "reg_mr" */
	struct fake_args args;
	struct ibv_cq *event_cq;      /* of cq_event() */
	struct ibv_async_event event; /* of async_event() */
	int last_cmd_fd;	      /* of open_context() */

	/* Writing ends of the event pipes of the last context and channel. */
	int async_write_fd;
	int comp_write_fd;
};

extern struct fake_provider fake_provider;

/* Claims FAKE_DRIVER_ID with FAKE_ABI_VERSION; lists the offered devices. */
extern const struct verbs_device_ops verbs_provider_fake;

/*
 * Operations of the fake provider, which tests merge over the defaults of other
 * contexts: device and domains, memory, queues, flows and counters. The table
 * lacks the data path (except post_srq_ops), get_srq_num and qp_to_ex, whose
 * default reads the object.
 */
extern const struct verbs_context_ops fake_provider_ops;
extern const struct verbs_context_ops fake_provider_memory_ops;
extern const struct verbs_context_ops fake_provider_queue_ops;
extern const struct verbs_context_ops fake_provider_flow_ops;

/**
 * fake_provider_reset() - restore initial results and records; close the pipes
 */
void fake_provider_reset(void);

#endif
