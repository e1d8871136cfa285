/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by the files of this folder: the conversion from a shadow to the real
 * object, the export of a function with its old version, and the slots of the
 * data path.
 */
#ifndef COMPAT_COMPAT_SHADOW_H
#define COMPAT_COMPAT_SHADOW_H

#include <errno.h>
#include <stdlib.h>

#include "compat/compat_1_0.h"

/*
 * Exports compat_<name>() as <name>@IBVERBS_1.0. Use it behind the definition,
 * in the same file. It is an assembler directive because clang lacks gcc's
 * attribute. The single @ makes the version hidden, since new programs are
 * never linked with it. Without COMPAT_WITH_VERSIONS, as in unit tests,
 * nothing is exported.
 */
#ifdef COMPAT_WITH_VERSIONS
#define COMPAT_EXPORT(name) \
	__asm__(".symver compat_" #name "," #name "@IBVERBS_1.0");
#else
#define COMPAT_EXPORT(name)
#endif

/*
 * Returns the real object, or NULL for NULL, which the current functions
 * reject with EINVAL.
 */
static inline struct ibv_context *
compat_real_context(const struct ibv_context_1_0 *context)
{
	return context ? context->real_context : NULL;
}

static inline struct ibv_pd *compat_real_pd(const struct ibv_pd_1_0 *pd)
{
	return pd ? pd->real_pd : NULL;
}

static inline struct ibv_cq *compat_real_cq(const struct ibv_cq_1_0 *cq)
{
	return cq ? cq->real_cq : NULL;
}

static inline struct ibv_srq *compat_real_srq(const struct ibv_srq_1_0 *srq)
{
	return srq ? srq->real_srq : NULL;
}

static inline struct ibv_qp *compat_real_qp(const struct ibv_qp_1_0 *qp)
{
	return qp ? qp->real_qp : NULL;
}

/* Frees a shadow whose real object could not be created; keeps errno. */
static inline void *compat_shadow_drop(void *shadow)
{
	int err = errno;

	free(shadow);
	errno = err;
	return NULL;
}

/* The slots of struct ibv_context_ops_1_0 that programs call. */
int compat_poll_cq(struct ibv_cq_1_0 *cq, int num_entries, struct ibv_wc *wc);
int compat_req_notify_cq(struct ibv_cq_1_0 *cq, int solicited_only);
int compat_post_send(struct ibv_qp_1_0 *qp, struct ibv_send_wr_1_0 *wr,
		     struct ibv_send_wr_1_0 **bad_wr);
int compat_post_recv(struct ibv_qp_1_0 *qp, struct ibv_recv_wr_1_0 *wr,
		     struct ibv_recv_wr_1_0 **bad_wr);
int compat_post_srq_recv(struct ibv_srq_1_0 *srq, struct ibv_recv_wr_1_0 *wr,
			 struct ibv_recv_wr_1_0 **bad_wr);

/** compat_device_get() - take a reference on a device shadow */
void compat_device_get(struct ibv_device_1_0 *device);

/** compat_device_put() - drop a reference; the last one frees the shadow */
void compat_device_put(struct ibv_device_1_0 *device);

/**
 * compat_context_of() - return a 1.0 context as a current one
 *
 * For use as the context of a completion channel and for its mutex only.
 */
static inline struct ibv_context *
compat_context_of(struct ibv_context_1_0 *context)
{
	return (struct ibv_context *)(void *)context;
}

#endif
