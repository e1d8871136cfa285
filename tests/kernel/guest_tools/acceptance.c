/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * acceptance DEVICE - runs the operations that fail first if a library and a
 * provider module are incompatible: every step depends on the layout of structs
 * that both use. Prints one line a step, "ok NAME" or "FAIL NAME: ERRNO", after
 * the file that serves the data path:
 *
 * 	module /usr/lib/x86_64-linux-gnu/libibverbs/librxe-rdmav34.so
 *
 * Exit code 0 if all steps succeeded.
 */
#define _GNU_SOURCE
#include <infiniband/verbs.h>

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct objects {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_cq *cq;
	struct ibv_cq_ex *cq_ex;
	struct ibv_srq *srq;
	struct ibv_qp *qp;
	struct ibv_qp *qp_ex;
	char memory[64];
};

static int nr_failed;

static bool report_step(const char *name, bool good)
{
	int error = errno;

	if (good) {
		printf("ok %s\n", name);
	} else {
		printf("FAIL %s: %s\n", name, strerrorname_np(error));
		nr_failed++;
	}
	errno = 0;
	return good;
}

/*
 * A step whose function returns 0 or an errno value, and may leave errno alone.
 */
static bool returns_0(const char *name, int result)
{
	if (result > 0)
		errno = result;
	return report_step(name, result == 0);
}

static struct ibv_context *open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = NULL;
	int i;

	for (i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			context = ibv_open_device(list[i]);
	if (list)
		ibv_free_device_list(list);
	return context;
}

static void print_module(const struct ibv_context *context)
{
	const char *name = "unknown";
	Dl_info info;

	if (dladdr((void *)context->ops.poll_cq, &info) && info.dli_fname)
		name = info.dli_fname;
	printf("module %s\n", name);
}

static void query_attributes(struct objects *o)
{
	struct ibv_device_attr device = {};
	struct ibv_device_attr_ex device_ex = {};
	struct ibv_port_attr port = {};
	union ibv_gid gid;

	returns_0("query_device", ibv_query_device(o->context, &device));
	returns_0("query_device_ex",
		  ibv_query_device_ex(o->context, NULL, &device_ex));
	report_step(
		"both queries agree",
		device.max_qp_wr > 0 &&
			!memcmp(&device, &device_ex.orig_attr, sizeof(device)));
	returns_0("query_port", ibv_query_port(o->context, 1, &port));
	report_step("the port is up", port.state == IBV_PORT_ACTIVE);
	returns_0("query_gid", ibv_query_gid(o->context, 1, 0, &gid));
}

static struct ibv_qp *create_qp(struct objects *o, bool extended)
{
	struct ibv_qp_init_attr_ex init = {
		.send_cq = o->cq,
		.recv_cq = o->cq,
		.cap = { .max_send_wr = 4,
			 .max_recv_wr = 4,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.qp_type = IBV_QPT_RC,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = o->pd,
	};

	if (extended) {
		init.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
		init.send_ops_flags = IBV_QP_EX_WITH_SEND |
				      IBV_QP_EX_WITH_RDMA_WRITE;
	}
	return ibv_create_qp_ex(o->context, &init);
}

static void create_objects(struct objects *o)
{
	struct ibv_cq_init_attr_ex cq = { .cqe = 8 };
	struct ibv_srq_init_attr srq = { .attr = { .max_wr = 4,
						   .max_sge = 1 } };

	o->pd = ibv_alloc_pd(o->context);
	if (!report_step("alloc_pd", o->pd))
		return;
	o->mr = ibv_reg_mr(o->pd, o->memory, sizeof(o->memory),
			   IBV_ACCESS_LOCAL_WRITE);
	report_step("reg_mr", o->mr && o->mr->length == sizeof(o->memory));
	o->cq = ibv_create_cq(o->context, 8, o, NULL, 0);
	report_step("create_cq", o->cq && o->cq->cq_context == o);
	o->cq_ex = ibv_create_cq_ex(o->context, &cq);
	report_step("create_cq_ex", o->cq_ex);
	o->srq = ibv_create_srq(o->pd, &srq);
	report_step("create_srq", o->srq);
	if (!o->cq)
		return;
	o->qp = create_qp(o, false);
	report_step("create_qp", o->qp);
	o->qp_ex = create_qp(o, true);
	report_step("create_qp_ex with send operations", o->qp_ex);
}

static void use_objects(struct objects *o)
{
	struct ibv_poll_cq_attr poll = {};
	struct ibv_wc wc;

	if (o->cq)
		report_step("poll_cq", ibv_poll_cq(o->cq, 1, &wc) == 0);
	if (o->cq_ex)
		report_step("start_poll finds nothing",
			    ibv_start_poll(o->cq_ex, &poll) == ENOENT);
	if (o->qp)
		report_step("qp_to_qp_ex of a basic QP is NULL",
			    !ibv_qp_to_qp_ex(o->qp));
	if (o->qp_ex)
		report_step("qp_to_qp_ex", ibv_qp_to_qp_ex(o->qp_ex));
}

static void destroy_objects(struct objects *o)
{
	if (o->qp_ex)
		returns_0("destroy_qp of the extended QP",
			  ibv_destroy_qp(o->qp_ex));
	if (o->qp)
		returns_0("destroy_qp", ibv_destroy_qp(o->qp));
	if (o->srq)
		returns_0("destroy_srq", ibv_destroy_srq(o->srq));
	if (o->cq_ex)
		returns_0("destroy_cq of the extended CQ",
			  ibv_destroy_cq(ibv_cq_ex_to_cq(o->cq_ex)));
	if (o->cq)
		returns_0("destroy_cq", ibv_destroy_cq(o->cq));
	if (o->mr)
		returns_0("dereg_mr", ibv_dereg_mr(o->mr));
	if (o->pd)
		returns_0("dealloc_pd", ibv_dealloc_pd(o->pd));
	returns_0("close_device", ibv_close_device(o->context));
}

int main(int argc, char **argv)
{
	struct objects o = {};

	if (argc != 2)
		return 2;
	/* The output before a crash must not be lost. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	o.context = open_device(argv[1]);
	if (!report_step("open_device", o.context))
		return 1;
	print_module(o.context);
	query_attributes(&o);
	create_objects(&o);
	use_objects(&o);
	destroy_objects(&o);
	return nr_failed ? 1 : 0;
}
