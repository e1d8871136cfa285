/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See soft_fake.h. */
#include "providers/soft_fake.h"

#include <provider/kernel.h>
#include <provider/provider.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MEMFD_LEN  (1 << 24)
#define RINGS_NAME "soft_rings"

struct soft_fake soft;

void soft_fake_start(void)
{
	soft = (struct soft_fake){
		.fd = memfd_create(RINGS_NAME, MFD_CLOEXEC),
	};
	assert_true(soft.fd >= 0);
	assert_int_equal(ftruncate(soft.fd, MEMFD_LEN), 0);
}

/* Rings that are still mapped. */
static unsigned int ring_mappings_count(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned int nr = 0;
	char line[512];

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps))
		nr += strstr(line, RINGS_NAME) != NULL;
	assert_int_equal(fclose(maps), 0);
	return nr;
}

int soft_fake_end(void)
{
	assert_int_equal(ring_mappings_count(), 0);
	assert_int_equal(soft.nr_created, soft.nr_destroyed);
	assert_int_equal(soft.nr_inits, 0);
	return close(soft.fd);
}

void *soft_fake_map(size_t len, uint64_t *ret_offset, size_t *ret_len)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *map;

	len = (len + page - 1) / page * page;
	assert_true(soft.next_offset + len <= MEMFD_LEN);
	map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, soft.fd,
		   (off_t)soft.next_offset);
	assert_ptr_not_equal(map, MAP_FAILED);
	*ret_offset = soft.next_offset;
	*ret_len = len;
	soft.next_offset += len;
	return map;
}

int soft_fake_err(void)
{
	int err = soft.err;

	soft.err = 0;
	return err;
}

int soft_fake_created(void)
{
	int err = soft_fake_err();

	if (!err)
		soft.nr_created++;
	return err;
}

int soft_fake_destroyed(void)
{
	int err = soft_fake_err();

	if (!err)
		soft.nr_destroyed++;
	return err;
}

/* -- functions of the library -- */

struct verbs_context *verbs_context_new(struct verbs_device *dev,
					struct verbs_cmd_file cmd_file,
					size_t size)
{
	return calloc(1, size);
}

void verbs_context_free(struct verbs_context *vctx)
{
	free(vctx);
}

void verbs_context_set_ops(struct verbs_context *vctx,
			   const struct verbs_context_ops *ops)
{
}

void verbs_init_cq(struct ibv_cq *cq, struct ibv_context *ctx,
		   struct ibv_comp_channel *channel, void *cq_context)
{
	cq->context = ctx;
	cq->channel = channel;
	cq->cq_context = cq_context;
	soft.nr_inits++;
}

void verbs_init_srq(struct verbs_srq *vsrq, struct ibv_context *ctx,
		    const struct ibv_srq_init_attr_ex *attr)
{
	vsrq->srq.context = ctx;
	vsrq->srq.pd = attr->pd;
	soft.nr_inits++;
}

void verbs_init_qp(struct verbs_qp *vqp, struct ibv_context *ctx,
		   const struct ibv_qp_init_attr_ex *attr)
{
	vqp->qp.context = ctx;
	vqp->qp.pd = attr->pd;
	vqp->qp.qp_type = attr->qp_type;
	vqp->qp.state = IBV_QPS_RESET;
	soft.nr_inits++;
}

void verbs_fini_cq(struct ibv_cq *cq)
{
	soft.nr_inits--;
}

void verbs_fini_srq(struct ibv_srq *srq)
{
	soft.nr_inits--;
}

void verbs_fini_qp(struct ibv_qp *qp)
{
	soft.nr_inits--;
}

static void event_count_check(const struct verbs_event_count *raised)
{
	assert_int_equal(raised->async_events, 3);
	soft.nr_waits++;
}

void verbs_wait_cq_acked(struct ibv_cq *cq,
			 const struct verbs_event_count *raised)
{
	event_count_check(raised);
}

void verbs_wait_srq_acked(struct ibv_srq *srq,
			  const struct verbs_event_count *raised)
{
	event_count_check(raised);
}

void verbs_wait_qp_acked(struct ibv_qp *qp,
			 const struct verbs_event_count *raised)
{
	event_count_check(raised);
}

void verbs_log(const struct ibv_context *ctx, enum verbs_log_level level,
	       const char *fmt, ...)
{
}

/* -- commands -- */

int verbs_cmd_query_port(struct ibv_context *ctx, uint8_t port_num,
			 struct ibv_port_attr *attr)
{
	attr->state = IBV_PORT_ACTIVE;
	return soft_fake_err();
}

int verbs_cmd_alloc_pd(struct ibv_context *ctx, struct ibv_pd *pd,
		       const struct verbs_udata *udata)
{
	pd->context = ctx;
	return soft_fake_created();
}

int verbs_cmd_dealloc_pd(struct ibv_pd *pd)
{
	return soft_fake_destroyed();
}

int verbs_cmd_dereg_mr(struct verbs_mr *vmr)
{
	return soft_fake_destroyed();
}

int verbs_cmd_destroy_cq(struct ibv_cq *cq,
			 struct verbs_event_count *ret_raised)
{
	*ret_raised = (struct verbs_event_count){ .async_events = 3 };
	return soft_fake_destroyed();
}

int verbs_cmd_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *ret_attr)
{
	return soft_fake_err();
}

int verbs_cmd_destroy_srq(struct ibv_srq *srq,
			  struct verbs_event_count *ret_raised)
{
	*ret_raised = (struct verbs_event_count){ .async_events = 3 };
	return soft_fake_destroyed();
}

int verbs_cmd_modify_qp(struct ibv_qp *qp, const struct ibv_qp_attr *attr,
			int attr_mask, const struct verbs_udata *udata)
{
	return soft_fake_err();
}

int verbs_cmd_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
		       int attr_mask, struct ibv_qp_init_attr *init_attr)
{
	return soft_fake_err();
}

int verbs_cmd_destroy_qp(struct ibv_qp *qp,
			 struct verbs_event_count *ret_raised)
{
	*ret_raised = (struct verbs_event_count){ .async_events = 3 };
	return soft_fake_destroyed();
}

int verbs_cmd_ring_send_doorbell(struct ibv_qp *qp)
{
	soft.nr_doorbells++;
	return soft.doorbell_err;
}
