/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Completion counters, for foreign providers of v65. Calls
 * kernel/cmd_comp_cntr.c.
 */
#include <errno.h>
#include <provider/kernel.h>
#include <string.h>

#include "foreign/foreign_cmd.h"
#include "foreign/foreign_export.h"
#include "foreign/foreign_result.h"
#include "foreign/foreign_udata.h"

int foreign_cmd_query_comp_cntr_caps(struct ibv_context *ctx,
				     struct ibv_comp_cntr_caps *caps,
				     size_t caps_size)
{
	struct ibv_comp_cntr_caps all = {};
	int ret;

	/* The provider zeroes members that a later release appends. */
	if (caps_size < sizeof(all))
		return foreign_errno(-EINVAL);
	ret = verbs_cmd_query_comp_cntr_caps(ctx, &all);
	if (!ret)
		*caps = all;
	return foreign_errno(ret);
}
FOREIGN_EXPORT_FROM_65(foreign_cmd_query_comp_cntr_caps,
		       ibv_cmd_query_comp_cntr_caps)

int foreign_cmd_create_comp_cntr(struct ibv_context *ctx,
				 struct ibv_comp_cntr *cntr,
				 struct foreign_command_buffer *link)
{
	struct verbs_udata udata = {};
	struct foreign_link driver;
	int ret = foreign_link_collect(link, FOREIGN_METHOD_WITHOUT_UHW,
				       &driver, &udata);

	if (!ret)
		ret = verbs_cmd_create_comp_cntr(ctx, cntr, &udata);
	if (!ret)
		foreign_link_write_back(&driver);
	return foreign_errno(ret);
}
FOREIGN_EXPORT_FROM_65(foreign_cmd_create_comp_cntr, ibv_cmd_create_comp_cntr)

int foreign_cmd_destroy_comp_cntr(struct ibv_comp_cntr *cntr)
{
	return foreign_errno(verbs_cmd_destroy_comp_cntr(cntr));
}
FOREIGN_EXPORT_FROM_65(foreign_cmd_destroy_comp_cntr, ibv_cmd_destroy_comp_cntr)

int foreign_cmd_set_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t value)
{
	return foreign_errno(verbs_cmd_set_comp_cntr(cntr, value));
}
FOREIGN_EXPORT_FROM_65(foreign_cmd_set_comp_cntr, ibv_cmd_set_comp_cntr)

int foreign_cmd_set_err_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t value)
{
	return foreign_errno(verbs_cmd_set_err_comp_cntr(cntr, value));
}
FOREIGN_EXPORT_FROM_65(foreign_cmd_set_err_comp_cntr, ibv_cmd_set_err_comp_cntr)

int foreign_cmd_inc_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t amount)
{
	return foreign_errno(verbs_cmd_inc_comp_cntr(cntr, amount));
}
FOREIGN_EXPORT_FROM_65(foreign_cmd_inc_comp_cntr, ibv_cmd_inc_comp_cntr)

int foreign_cmd_inc_err_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t amount)
{
	return foreign_errno(verbs_cmd_inc_err_comp_cntr(cntr, amount));
}
FOREIGN_EXPORT_FROM_65(foreign_cmd_inc_err_comp_cntr, ibv_cmd_inc_err_comp_cntr)

int foreign_cmd_read_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t *value)
{
	return foreign_errno(verbs_cmd_read_comp_cntr(cntr, value));
}
FOREIGN_EXPORT_FROM_65(foreign_cmd_read_comp_cntr, ibv_cmd_read_comp_cntr)

int foreign_cmd_read_err_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t *value)
{
	return foreign_errno(verbs_cmd_read_err_comp_cntr(cntr, value));
}
FOREIGN_EXPORT_FROM_65(foreign_cmd_read_err_comp_cntr,
		       ibv_cmd_read_err_comp_cntr)

int foreign_cmd_qp_attach_comp_cntr(struct ibv_qp *qp,
				    struct ibv_comp_cntr *cntr,
				    struct ibv_qp_attach_comp_cntr_attr *attr)
{
	return foreign_errno(verbs_cmd_qp_attach_comp_cntr(qp, cntr, attr));
}
FOREIGN_EXPORT_FROM_65(foreign_cmd_qp_attach_comp_cntr,
		       ibv_cmd_qp_attach_comp_cntr)
