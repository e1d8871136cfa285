// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: one end in its process. node_execute() runs a
 * call of the client on the objects of this end; the calls for completions,
 * events and work requests are in conform_node_post.c.
 */
#include "conform_call.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CAP_FLUSH_GLOBAL (UINT64_C(1) << 38)
#define CAP_ATOMIC_WRITE (UINT64_C(1) << 40)
#define CAP_MW_2	 (IBV_DEVICE_MEM_WINDOW_TYPE_2A | IBV_DEVICE_MEM_WINDOW_TYPE_2B)

/* A byte that the server watches: server_spin_byte(). */
struct node_spin {
	const uint8_t *byte, *from;
	uint8_t value;
	size_t length;
	uint8_t *copy;
	pthread_t thread; /* --self */
	bool is_thread, seen;
};

/* -- objects -- */

struct object *node_object(struct node *node, int id, enum object_kind kind)
{
	if (id < 0 || id >= node->nr_objects || node->object[id].kind != kind)
		return NULL;
	return &node->object[id];
}

void *node_ptr(struct node *node, int id, enum object_kind kind)
{
	struct object *object = node_object(node, id, kind);

	return object ? object->ptr : NULL;
}

static void *node_context_pointer(int id)
{
	return (void *)(intptr_t)id;
}

struct object *node_add(struct node *node, struct reply *reply,
			enum object_kind kind, void *ptr)
{
	struct object *object = &node->object[node->nr_objects];

	if (!ptr) {
		reply->error = errno ? errno : EINVAL;
		return NULL;
	}
	*object = (struct object){ .kind = kind, .ptr = ptr };
	reply->object = node->nr_objects++;
	return object;
}

int node_errno(int result)
{
	return result < 0 ? errno : result;
}

static int node_destroy(struct node *node, int id)
{
	struct object *object;
	int err;

	if (id < 0 || id >= node->nr_objects)
		return EBADF;
	object = &node->object[id];
	switch (object->kind) {
	case OBJECT_PD:
		err = ibv_dealloc_pd(object->ptr);
		break;
	case OBJECT_MR:
		err = ibv_dereg_mr(object->ptr);
		break;
	case OBJECT_CHANNEL:
		err = ibv_destroy_comp_channel(object->ptr);
		break;
	case OBJECT_CQ:
		err = ibv_destroy_cq(object->ptr);
		break;
	case OBJECT_SRQ:
		err = ibv_destroy_srq(object->ptr);
		break;
	case OBJECT_QP:
		err = ibv_destroy_qp(object->ptr);
		break;
	case OBJECT_AH:
		err = ibv_destroy_ah(object->ptr);
		break;
	case OBJECT_MW:
		err = ibv_dealloc_mw(object->ptr);
		break;
	case OBJECT_DM:
		err = ibv_free_dm(object->ptr);
		break;
	case OBJECT_XRCD:
		err = ibv_close_xrcd(object->ptr);
		break;
	default:
		return EBADF;
	}
	err = node_errno(err);
	if (!err) {
		free(object->kept);
		*object = (struct object){};
	}
	return err;
}

/* -- memory -- */

static void node_mr_new(struct node *node, const struct call *call,
			struct reply *reply)
{
	struct ibv_pd *pd = node_ptr(node, call->pd, OBJECT_PD);
	struct ibv_mr *mr;

	if (call->kind == CALL_MR_NULL)
		mr = ibv_alloc_null_mr(pd);
	else if (call->kind == CALL_MR_DM)
		mr = ibv_reg_dm_mr(pd, node_ptr(node, call->object, OBJECT_DM),
				   call->addr, call->length, call->access);
	else
		mr = ibv_reg_mr(pd, (void *)(uintptr_t)call->addr, call->length,
				(int)call->access);
	if (!node_add(node, reply, OBJECT_MR, mr))
		return;
	reply->lkey = mr->lkey;
	reply->rkey = mr->rkey;
}

static void node_dm_new(struct node *node, const struct call *call,
			struct reply *reply)
{
	struct ibv_alloc_dm_attr attr = {
		.length = call->length,
		.log_align_req = (uint32_t)call->nr,
	};

	(void)node_add(node, reply, OBJECT_DM, ibv_alloc_dm(node->ctx, &attr));
}

static void node_dm_copy(struct node *node, const struct call *call,
			 struct reply *reply)
{
	struct ibv_dm *dm = node_ptr(node, call->object, OBJECT_DM);
	void *memory = (void *)(uintptr_t)call->addr;

	if (call->flag)
		reply->error = node_errno(ibv_memcpy_to_dm(
			dm, call->copy_addr, memory, call->length));
	else
		reply->error = node_errno(ibv_memcpy_from_dm(
			memory, dm, call->copy_addr, call->length));
}

static void node_mr_rereg(struct node *node, const struct call *call,
			  struct reply *reply)
{
	struct ibv_mr *mr = node_ptr(node, call->object, OBJECT_MR);

	reply->nr = ibv_rereg_mr(
		mr, call->mask, node_ptr(node, call->pd, OBJECT_PD),
		(void *)(uintptr_t)call->addr, call->length, (int)call->access);
	reply->lkey = mr->lkey;
	reply->rkey = mr->rkey;
}

static void node_mw_bind(struct node *node, const struct call *call,
			 struct reply *reply)
{
	struct ibv_mw *mw = node_ptr(node, call->mw, OBJECT_MW);
	struct ibv_mw_bind bind = {
		.wr_id = call->wr_id,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_info = {
			.mr = node_ptr(node, call->mr, OBJECT_MR),
			.addr = call->addr,
			.length = call->length,
			.mw_access_flags = call->access,
		},
	};

	reply->error = node_errno(ibv_bind_mw(
		node_ptr(node, call->object, OBJECT_QP), mw, &bind));
	reply->rkey = mw->rkey;
}

/* -- queues -- */

static void node_channel_new(struct node *node, struct reply *reply)
{
	struct ibv_comp_channel *channel = ibv_create_comp_channel(node->ctx);

	if (node_add(node, reply, OBJECT_CHANNEL, channel))
		(void)fcntl(channel->fd, F_SETFL, O_NONBLOCK);
}

static void node_xrcd_new(struct node *node, struct reply *reply)
{
	struct ibv_xrcd_init_attr attr = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = -1,
		.oflags = O_CREAT,
	};

	(void)node_add(node, reply, OBJECT_XRCD,
		       ibv_open_xrcd(node->ctx, &attr));
}

static void node_srq_new(struct node *node, const struct call *call,
			 struct reply *reply)
{
	struct ibv_srq_init_attr attr = {
		.srq_context = node_context_pointer(node->nr_objects),
		.attr = call->srq_attr,
	};
	struct ibv_srq_init_attr_ex xrc = {
		.srq_context = attr.srq_context,
		.attr = attr.attr,
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			     IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
		.srq_type = IBV_SRQT_XRC,
		.pd = node_ptr(node, call->pd, OBJECT_PD),
		.xrcd = node_ptr(node, call->xrcd, OBJECT_XRCD),
		.cq = node_ptr(node, call->recv_cq, OBJECT_CQ),
	};
	struct ibv_srq *srq = xrc.xrcd ? ibv_create_srq_ex(node->ctx, &xrc)
				       : ibv_create_srq(xrc.pd, &attr);

	if (node_add(node, reply, OBJECT_SRQ, srq) && xrc.xrcd)
		reply->error = node_errno(ibv_get_srq_num(srq, &reply->num));
}

static uint64_t node_send_ops(const struct node *node, enum ibv_qp_type type)
{
	const struct ibv_device_attr *attr = &node->device.orig_attr;
	const uint64_t caps_ex = node->device.device_cap_flags_ex;
	bool iwarp = node->ctx->device->transport_type == IBV_TRANSPORT_IWARP;
	uint64_t ops = IBV_QP_EX_WITH_SEND;

	if (!iwarp)
		ops |= IBV_QP_EX_WITH_SEND_WITH_IMM;
	if (type == IBV_QPT_UD)
		return ops;
	ops |= IBV_QP_EX_WITH_RDMA_WRITE;
	if (!iwarp)
		ops |= IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM;
	if (type == IBV_QPT_UC)
		return ops;
	ops |= IBV_QP_EX_WITH_RDMA_READ;
	if (attr->atomic_cap != IBV_ATOMIC_NONE)
		ops |= IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |
		       IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD;
	if (type == IBV_QPT_XRC_SEND)
		return ops;
	if (attr->device_cap_flags & CAP_MW_2)
		ops |= IBV_QP_EX_WITH_BIND_MW;
	if (attr->device_cap_flags & IBV_DEVICE_MEM_MGT_EXTENSIONS)
		ops |= IBV_QP_EX_WITH_LOCAL_INV | IBV_QP_EX_WITH_SEND_WITH_INV;
	if (caps_ex & CAP_FLUSH_GLOBAL)
		ops |= IBV_QP_EX_WITH_FLUSH;
	if (caps_ex & CAP_ATOMIC_WRITE)
		ops |= IBV_QP_EX_WITH_ATOMIC_WRITE;
	return ops;
}

static void node_qp_new(struct node *node, const struct call *call,
			struct reply *reply)
{
	struct ibv_pd *pd = node_ptr(node, call->pd, OBJECT_PD);
	struct ibv_qp_init_attr_ex attr = {
		.qp_context = node_context_pointer(node->nr_objects),
		.send_cq = node_ptr(node, call->send_cq, OBJECT_CQ),
		.recv_cq = node_ptr(node, call->recv_cq, OBJECT_CQ),
		.srq = node_ptr(node, call->srq, OBJECT_SRQ),
		.cap = call->cap,
		.qp_type = (enum ibv_qp_type)call->type,
		.sq_sig_all = call->flag,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = pd,
	};
	struct object *object;
	struct ibv_qp *qp;

	if (attr.qp_type == IBV_QPT_XRC_RECV) {
		attr.comp_mask = IBV_QP_INIT_ATTR_XRCD;
		attr.xrcd = node_ptr(node, call->xrcd, OBJECT_XRCD);
		qp = ibv_create_qp_ex(node->ctx, &attr);
	} else if (call->wr_api) {
		attr.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
		attr.send_ops_flags = node_send_ops(node, attr.qp_type);
		qp = ibv_create_qp_ex(node->ctx, &attr);
	} else {
		/* struct ibv_qp_init_attr_ex begins like this one */
		qp = ibv_create_qp(pd, (struct ibv_qp_init_attr *)&attr);
	}
	object = node_add(node, reply, OBJECT_QP, qp);
	if (!object)
		return;
	object->send_ops = attr.send_ops_flags;
	reply->num = qp->qp_num;
	reply->cap = attr.cap;
}

static void node_qp_query(struct node *node, const struct call *call,
			  struct reply *reply)
{
	const int mask = IBV_QP_STATE | IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS |
			 IBV_QP_PORT | IBV_QP_QKEY | IBV_QP_AV |
			 IBV_QP_PATH_MTU | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			 IBV_QP_RNR_RETRY | IBV_QP_RQ_PSN | IBV_QP_SQ_PSN |
			 IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER |
			 IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_CAP |
			 IBV_QP_DEST_QPN;
	struct ibv_qp_init_attr init;

	reply->error =
		node_errno(ibv_query_qp(node_ptr(node, call->object, OBJECT_QP),
					&reply->qp_attr, mask, &init));
}

static void node_qp_modify(struct node *node, const struct call *call,
			   struct reply *reply)
{
	struct ibv_qp_attr attr = call->qp_attr;

	reply->error = node_errno(ibv_modify_qp(
		node_ptr(node, call->object, OBJECT_QP), &attr, call->mask));
}

static void node_qp_limit(struct node *node, const struct call *call,
			  struct reply *reply)
{
	struct ibv_qp_rate_limit_attr attr = call->rate_limit;

	reply->error = node_errno(ibv_modify_qp_rate_limit(
		node_ptr(node, call->object, OBJECT_QP), &attr));
}

/* 239.1.1.@nr as a GID */
static union ibv_gid node_group(int nr)
{
	union ibv_gid gid = { .raw = { [10] = 0xff, [11] = 0xff, 239, 1, 1 } };

	gid.raw[15] = (uint8_t)nr;
	return gid;
}

static void node_qp_mcast(struct node *node, const struct call *call,
			  struct reply *reply)
{
	struct ibv_qp *qp = node_ptr(node, call->object, OBJECT_QP);
	union ibv_gid gid = node_group(call->nr);

	reply->error = node_errno(call->flag ? ibv_attach_mcast(qp, &gid, 0)
					     : ibv_detach_mcast(qp, &gid, 0));
}

static void node_ah_new(struct node *node, const struct call *call,
			struct reply *reply)
{
	struct ibv_ah_attr attr = {
		.is_global = 1,
		.port_num = 1,
		.grh = {
			.dgid = call->nr ? node_group(call->nr) : node->gid,
			.sgid_index = (uint8_t)conform_options.gid_index,
			.hop_limit = 64,
		},
	};
	struct ibv_pd *pd = node_ptr(node, call->pd, OBJECT_PD);

	(void)node_add(node, reply, OBJECT_AH, ibv_create_ah(pd, &attr));
}

/* -- watching a byte -- */

static void *node_spin_run(void *arg)
{
	struct node_spin *spin = arg;
	uint64_t end = conform_now_ns() + CONFORM_WAIT_MS * UINT64_C(1000000);

	for (;;) {
		for (int i = 0; i < 100000; i++) {
			if (__atomic_load_n(spin->byte, __ATOMIC_ACQUIRE) !=
			    spin->value)
				continue;
			memcpy(spin->copy, spin->from, spin->length);
			spin->seen = true;
			return NULL;
		}
		if (conform_now_ns() > end)
			return NULL;
	}
}

static void node_spin(struct node *node, const struct call *call,
		      struct reply *reply)
{
	struct node_spin *spin = calloc(1, sizeof(*spin));

	if (!spin || node->spin || call->length > NODE_SPIN_BYTES) {
		free(spin);
		reply->error = EBUSY;
		return;
	}
	spin->byte = (const uint8_t *)(uintptr_t)call->addr;
	spin->from = (const uint8_t *)(uintptr_t)call->copy_addr;
	spin->value = call->flag;
	spin->length = call->length;
	spin->copy = node->spin_copy;
	spin->is_thread =
		conform_options.self &&
		!pthread_create(&spin->thread, NULL, node_spin_run, spin);
	node->spin = spin;
}

static void node_spin_result(struct node *node, struct reply *reply)
{
	struct node_spin *spin = node->spin;

	if (!spin) {
		reply->error = EINVAL;
		return;
	}
	if (spin->is_thread)
		(void)pthread_join(spin->thread, NULL);
	reply->error = spin->seen ? 0 : ETIMEDOUT;
	free(spin);
	node->spin = NULL;
}

void node_spin_now(struct node *node)
{
	if (node->spin && !node->spin->is_thread)
		(void)node_spin_run(node->spin);
}

/* -- the end as a whole -- */

/* All objects of the test are destroyed, except those that failed to be. */
static void node_end_test(struct node *node, struct reply *reply)
{
	if (node->spin)
		node_spin_result(node, reply);
	reply->error = node_pages_end(node);
	node_forget_events(node);
	while (node->nr_objects > 1 &&
	       node->object[node->nr_objects - 1].kind == OBJECT_NONE)
		node->nr_objects--;
}

static void node_execute_control(struct node *node, const struct call *call,
				 struct reply *reply)
{
	struct ibv_srq_attr srq_attr = call->srq_attr;

	switch (call->kind) {
	case CALL_CQ_RESIZE:
		node_cq_resize(node, call, reply);
		break;
	case CALL_CQ_NOTIFY:
		reply->error = node_errno(ibv_req_notify_cq(
			node_ptr(node, call->object, OBJECT_CQ), call->flag));
		break;
	case CALL_SRQ_MODIFY:
		reply->error = node_errno(
			ibv_modify_srq(node_ptr(node, call->object, OBJECT_SRQ),
				       &srq_attr, call->mask));
		break;
	case CALL_SRQ_QUERY:
		reply->error = node_errno(
			ibv_query_srq(node_ptr(node, call->object, OBJECT_SRQ),
				      &reply->srq_attr));
		break;
	case CALL_QP_MODIFY:
		node_qp_modify(node, call, reply);
		break;
	case CALL_QP_LIMIT:
		node_qp_limit(node, call, reply);
		break;
	case CALL_QP_QUERY:
		node_qp_query(node, call, reply);
		break;
	case CALL_QP_MCAST:
		node_qp_mcast(node, call, reply);
		break;
	case CALL_MR_REREG:
		node_mr_rereg(node, call, reply);
		break;
	case CALL_MR_ADVISE:
		node_mr_advise(node, call, reply);
		break;
	case CALL_PAGES:
		node_pages_set(node, call, reply);
		break;
	case CALL_DM_COPY:
		node_dm_copy(node, call, reply);
		break;
	case CALL_MW_BIND:
		node_mw_bind(node, call, reply);
		break;
	case CALL_DESTROY:
		reply->error = node_destroy(node, call->object);
		break;
	case CALL_HELLO:
		reply->addr = (uintptr_t)node->arena;
		break;
	case CALL_END_TEST:
		node_end_test(node, reply);
		break;
	case CALL_SPIN:
		node_spin(node, call, reply);
		break;
	case CALL_SPIN_RESULT:
		node_spin_result(node, reply);
		break;
	default:
		reply->error = ENOSYS;
		break;
	}
}

void node_execute(struct node *node, const struct call *call,
		  struct reply *reply)
{
	struct ibv_pd *pd = node_ptr(node, call->pd, OBJECT_PD);
	struct ibv_mw *mw;

	memset(reply, 0, offsetof(struct reply, wc));
	reply->object = -1;
	errno = 0;
	if (node->nr_objects == NODE_MAX_OBJECTS) {
		reply->error = ENOSPC;
		return;
	}
	switch (call->kind) {
	case CALL_PD_NEW:
		(void)node_add(node, reply, OBJECT_PD, ibv_alloc_pd(node->ctx));
		break;
	case CALL_MR_NEW:
	case CALL_MR_NULL:
	case CALL_MR_DM:
		node_mr_new(node, call, reply);
		break;
	case CALL_DM_NEW:
		node_dm_new(node, call, reply);
		break;
	case CALL_CHANNEL_NEW:
		node_channel_new(node, reply);
		break;
	case CALL_CQ_NEW:
		node_cq_new(node, call, reply);
		break;
	case CALL_XRCD_NEW:
		node_xrcd_new(node, reply);
		break;
	case CALL_SRQ_NEW:
		node_srq_new(node, call, reply);
		break;
	case CALL_QP_NEW:
		node_qp_new(node, call, reply);
		break;
	case CALL_AH_NEW:
		node_ah_new(node, call, reply);
		break;
	case CALL_MW_NEW:
		mw = ibv_alloc_mw(pd, (enum ibv_mw_type)call->type);
		if (node_add(node, reply, OBJECT_MW, mw))
			reply->rkey = mw->rkey;
		break;
	case CALL_CQ_NEW_EX:
		node_cq_new_ex(node, call, reply);
		break;
	case CALL_CQ_POLL_EX:
		node_cq_poll_ex(node, call, reply);
		break;
	case CALL_CQ_ACK:
		node_cq_ack(node, call, reply);
		break;
	case CALL_CQ_DESTROY_ACKING:
		node_cq_destroy_acking(node, call, reply);
		break;
	case CALL_CQ_EVENT:
		node_cq_event(node, call, reply);
		break;
	case CALL_CQ_POLL:
		node_cq_poll(node, call, reply);
		break;
	case CALL_POST_SEND:
		node_post_send(node, call, reply);
		break;
	case CALL_POST_RECV:
		node_post_recv(node, call, reply);
		break;
	case CALL_ASYNC_EVENT:
		node_async_event(node, call, reply);
		break;
	default:
		node_execute_control(node, call, reply);
		break;
	}
}

static struct ibv_context *node_open_context(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = NULL;

	for (int i = 0; list && list[i] && !ctx; i++) {
		if (strcmp(ibv_get_device_name(list[i]), name) == 0)
			ctx = ibv_open_device(list[i]);
	}
	if (list)
		ibv_free_device_list(list);
	return ctx;
}

bool node_open(struct node *node)
{
	struct reply reply = {};
	int err;

	node->ctx = node_open_context(conform_options.device);
	if (!node->ctx) {
		fprintf(stderr, "conform: cannot open %s: %s\n",
			conform_options.device, strerror(errno));
		return false;
	}
	err = ibv_query_device_ex(node->ctx, NULL, &node->device);
	if (!err)
		err = ibv_query_port(node->ctx, 1, &node->port);
	if (!err)
		err = ibv_query_gid(node->ctx, 1, conform_options.gid_index,
				    &node->gid);
	if (err) {
		fprintf(stderr, "conform: %s: error %d\n",
			conform_options.device, err);
		return false;
	}
	(void)fcntl(node->ctx->async_fd, F_SETFL, O_NONBLOCK);
	return node_add(node, &reply, OBJECT_PD, ibv_alloc_pd(node->ctx));
}

int node_close(struct node *node)
{
	int err = 0;

	while (node->nr_objects > 0) {
		node->nr_objects--;
		if (node->object[node->nr_objects].kind == OBJECT_NONE)
			continue;
		node->nr_objects++;
		err = node_destroy(node, node->nr_objects - 1);
		node->nr_objects--;
		if (err)
			fprintf(stderr, "conform: destroy at the end: %s\n",
				strerror(err));
	}
	return ibv_close_device(node->ctx) ? errno : err;
}
