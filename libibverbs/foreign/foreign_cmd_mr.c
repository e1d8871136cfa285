/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory regions, for foreign providers. Calls kernel/cmd_mr.c.
 * ibv_cmd_query_mr() and ibv_cmd_reg_dmabuf_mr() fill the public members of the
 * region here; after ibv_reg_mr() and ibv_reg_mr_ex(), api/ does it.
 */
#include <provider/kernel.h>
#include <stdint.h>

#include "foreign/foreign_cmd.h"
#include "foreign/foreign_export.h"
#include "foreign/foreign_result.h"
#include "foreign/foreign_state.h"
#include "foreign/foreign_udata.h"

/* The first release that passes a chain of command buffers to reg_dmabuf_mr. */
#define RELEASE_DMABUF_LINK 54

static void foreign_cmd_mr_set_addr(struct verbs_mr *vmr, struct ibv_pd *pd,
				    void *addr)
{
	vmr->ibv_mr.pd = pd;
	vmr->ibv_mr.addr = addr;
}

int foreign_cmd_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
		       uint64_t hca_va, int access, struct verbs_mr *vmr,
		       const void *cmd, size_t cmd_size,
		       struct ib_uverbs_reg_mr_resp *resp, size_t resp_size)
{
	struct verbs_udata udata;
	int ret;

	ret = foreign_udata_init(cmd, cmd_size,
				 FOREIGN_CMD_LEN(ib_uverbs_reg_mr), resp,
				 resp_size, sizeof(*resp), &udata);
	if (!ret)
		ret = verbs_cmd_reg_mr(pd, addr, length, hca_va, access, vmr,
				       &udata);
	if (ret)
		return foreign_errno(ret);
	if (resp) {
		resp->mr_handle = vmr->ibv_mr.handle;
		resp->lkey = vmr->ibv_mr.lkey;
		resp->rkey = vmr->ibv_mr.rkey;
	}
	return 0;
}
FOREIGN_EXPORT_ALL(foreign_cmd_reg_mr, ibv_cmd_reg_mr)

int foreign_cmd_rereg_mr(struct verbs_mr *vmr, uint32_t flags, void *addr,
			 size_t length, uint64_t hca_va, int access,
			 struct ibv_pd *pd, const void *cmd, size_t cmd_size,
			 struct ib_uverbs_rereg_mr_resp *resp, size_t resp_size)
{
	struct verbs_udata udata;
	int ret;

	ret = foreign_udata_init(cmd, cmd_size,
				 FOREIGN_CMD_LEN(ib_uverbs_rereg_mr), resp,
				 resp_size, sizeof(*resp), &udata);
	if (!ret)
		ret = verbs_cmd_rereg_mr(vmr, (int)flags, pd, addr, length,
					 hca_va, access, &udata);
	if (ret)
		return foreign_errno(ret);
	if (resp) {
		resp->lkey = vmr->ibv_mr.lkey;
		resp->rkey = vmr->ibv_mr.rkey;
	}
	return 0;
}
FOREIGN_EXPORT_ALL(foreign_cmd_rereg_mr, ibv_cmd_rereg_mr)

int foreign_cmd_dereg_mr(struct verbs_mr *vmr)
{
	return foreign_errno(verbs_cmd_dereg_mr(vmr));
}
FOREIGN_EXPORT_ALL(foreign_cmd_dereg_mr, ibv_cmd_dereg_mr)

int foreign_cmd_query_mr(struct ibv_pd *pd, struct verbs_mr *vmr,
			 uint32_t mr_handle)
{
	int ret = verbs_cmd_query_mr(pd, mr_handle, vmr);

	if (!ret)
		foreign_cmd_mr_set_addr(vmr, pd, NULL);
	return foreign_errno(ret);
}
FOREIGN_EXPORT_ALL(foreign_cmd_query_mr, ibv_cmd_query_mr)

int foreign_cmd_advise_mr(struct ibv_pd *pd,
			  enum ib_uverbs_advise_mr_advice advice,
			  uint32_t flags, struct ibv_sge *sg_list,
			  uint32_t num_sge)
{
	return foreign_errno(
		verbs_cmd_advise_mr(pd, advice, flags, sg_list, num_sge));
}
FOREIGN_EXPORT_ALL(foreign_cmd_advise_mr, ibv_cmd_advise_mr)

int foreign_cmd_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length,
			      uint64_t iova, int fd, int access,
			      struct verbs_mr *vmr,
			      struct foreign_command_buffer *link)
{
	struct verbs_udata udata = {};
	struct foreign_link driver;
	int ret = foreign_link_collect(link, FOREIGN_METHOD_WITHOUT_UHW,
				       &driver, &udata);

	if (!ret)
		ret = verbs_cmd_reg_dmabuf_mr(pd, offset, length, iova, fd,
					      access, vmr, &udata);
	if (ret)
		return foreign_errno(ret);
	foreign_link_write_back(&driver);
	foreign_cmd_mr_set_addr(vmr, pd, (void *)(uintptr_t)offset);
	vmr->ibv_mr.length = length;
	return 0;
}
FOREIGN_EXPORT_FROM_57(foreign_cmd_reg_dmabuf_mr, ibv_cmd_reg_dmabuf_mr)

/*
 * Providers of older releases pass one argument less. For them, @link is an
 * arbitrary value of a register or of the stack.
 */
int foreign_cmd_reg_dmabuf_mr_34(struct ibv_pd *pd, uint64_t offset,
				 size_t length, uint64_t iova, int fd,
				 int access, struct verbs_mr *vmr,
				 struct foreign_command_buffer *link)
{
	if (foreign_release(pd->context) < RELEASE_DMABUF_LINK)
		link = NULL;
	return foreign_cmd_reg_dmabuf_mr(pd, offset, length, iova, fd, access,
					 vmr, link);
}
FOREIGN_EXPORT(foreign_cmd_reg_dmabuf_mr_34, ibv_cmd_reg_dmabuf_mr, 34)

int foreign_cmd_reg_mr_ex(struct ibv_pd *pd, struct verbs_mr *vmr,
			  struct ibv_mr_init_attr *attr)
{
	return foreign_errno(verbs_cmd_reg_mr_ex(pd, attr, vmr, NULL));
}
FOREIGN_EXPORT_FROM_59(foreign_cmd_reg_mr_ex, ibv_cmd_reg_mr_ex)
