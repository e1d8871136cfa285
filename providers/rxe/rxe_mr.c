/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory regions. The driver decides which operations exist: without
 * re-registration (before 6.5), advice or dma-buf the command returns
 * -EOPNOTSUPP, which these functions return.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <provider/kernel.h>
#include <stdlib.h>

#include "rxe/rxe.h"
#include "soft/soft.h"

int rxe_reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
	       int access, struct ibv_mr **ret_mr)
{
	return soft_reg_mr(pd, addr, length, iova, access, NULL, ret_mr);
}

int rxe_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length,
		      uint64_t iova, int fd, int access, struct ibv_mr **ret_mr)
{
	struct verbs_mr *vmr;
	int err;

	vmr = malloc(sizeof(*vmr));
	if (!vmr)
		return -ENOMEM;
	*vmr = (struct verbs_mr){};

	err = verbs_cmd_reg_dmabuf_mr(pd, offset, length, iova, fd, access, vmr,
				      NULL);
	if (err) {
		free(vmr);
		return err;
	}
	*ret_mr = &vmr->ibv_mr;
	return 0;
}

int rxe_rereg_mr(struct verbs_mr *vmr, int flags, struct ibv_pd *pd, void *addr,
		 size_t length, int access)
{
	return verbs_cmd_rereg_mr(vmr, flags, pd, addr, length, (uintptr_t)addr,
				  access, NULL);
}

int rxe_advise_mr(struct ibv_pd *pd, enum ibv_advise_mr_advice advice,
		  uint32_t flags, struct ibv_sge *sg_list, uint32_t num_sge)
{
	return verbs_cmd_advise_mr(pd, advice, flags, sg_list, num_sge);
}
