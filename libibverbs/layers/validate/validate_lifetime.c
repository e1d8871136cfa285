/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ops that make and destroy protection domains, windows and address handles.
 * Without memory for its record, an object is unknown.
 */
#include "layers/fault/fault.h"
#include "layers/validate/validate.h"
#include "layers/validate/validate_objects.h"
#include "layers/validate/validate_report.h"

/* Objects that are not known may use the object, too. */
void validate_busy(const char *function, const struct ibv_context *ctx,
		   const void *object, int error)
{
	struct explain_text text = {};
	struct validate_found found;

	if (error != -EBUSY || fault_was_injected())
		return;
	found = validate_objects_find_users(object);
	if (found.nr == 0)
		return;
	explain_add(&text, "%s(%s): the object is used by ", function,
		    ctx->device->name);
	validate_add_found(&text, &found);
	validate_report(AV_LT_002, ctx, &text);
}

static void lifetime_add_pd(struct ibv_context *ctx, const struct ibv_pd *pd,
			    const struct ibv_pd *parent)
{
	(void)layers_record_add(&(const struct layers_made){
		.object = pd,
		.kind = LAYERS_PD,
		.ctx = ctx,
		.used = { parent },
		.number = pd->handle,
	});
}

/* A parent domain uses its PD, which is no parent domain. */
const struct ibv_pd *validate_root_pd(const struct ibv_pd *pd)
{
	const struct layers_record *record = layers_record_find(pd);

	if (!record)
		return NULL;
	return record->used[0] ? record->used[0] : pd;
}

static int validate_alloc_pd(struct ibv_context *ctx, struct ibv_pd **ret_pd)
{
	int ret = validate_below(ctx)->alloc_pd(ctx, ret_pd);

	if (ret == 0)
		lifetime_add_pd(ctx, *ret_pd, NULL);
	return ret;
}

static int
validate_alloc_parent_domain(struct ibv_context *ctx,
			     struct ibv_parent_domain_init_attr *attr,
			     struct ibv_pd **ret_pd)
{
	int ret = validate_below(ctx)->alloc_parent_domain(ctx, attr, ret_pd);

	if (ret == 0)
		lifetime_add_pd(ctx, *ret_pd, attr->pd);
	return ret;
}

static int validate_dealloc_pd(struct ibv_pd *pd)
{
	struct ibv_context *ctx = pd->context;
	struct layers_mark mark = layers_record_mark(pd);
	int ret = validate_below(ctx)->dealloc_pd(pd);

	if (ret == 0)
		layers_record_drop(mark);
	else
		validate_busy("ibv_dealloc_pd", ctx, pd, ret);
	return ret;
}

static int validate_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type,
			     struct ibv_mw **ret_mw)
{
	int ret = validate_below(pd->context)->alloc_mw(pd, type, ret_mw);

	if (ret == 0)
		(void)layers_record_add(&(const struct layers_made){
			.object = *ret_mw,
			.kind = LAYERS_MW,
			.ctx = pd->context,
			.used = { pd },
			.number = (*ret_mw)->rkey,
		});
	return ret;
}

static int validate_dealloc_mw(struct ibv_mw *mw)
{
	struct layers_mark mark = layers_record_mark(mw);
	int ret = validate_below(mw->context)->dealloc_mw(mw);

	if (ret == 0)
		layers_record_drop(mark);
	return ret;
}

static int validate_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr,
			      struct ibv_ah **ret_ah)
{
	int ret = validate_below(pd->context)->create_ah(pd, attr, ret_ah);

	if (ret == 0)
		(void)layers_record_add(&(const struct layers_made){
			.object = *ret_ah,
			.kind = LAYERS_AH,
			.ctx = pd->context,
			.used = { pd },
			.number = (*ret_ah)->handle,
			.dgid = attr->is_global ? attr->grh.dgid
						: (union ibv_gid){},
		});
	else if (ret < 0)
		validate_create_ah_failed(pd, attr, -ret);
	return ret;
}

static int validate_destroy_ah(struct ibv_ah *ah)
{
	struct layers_mark mark = layers_record_mark(ah);
	int ret;

	validate_ah_goes(ah);
	ret = validate_below(ah->context)->destroy_ah(ah);
	if (ret == 0)
		layers_record_drop(mark);
	return ret;
}

void validate_replace_object_ops(struct verbs_context_ops *table)
{
	LAYERS_REPLACE(table, validate, alloc_pd);
	LAYERS_REPLACE(table, validate, alloc_parent_domain);
	LAYERS_REPLACE(table, validate, dealloc_pd);
	LAYERS_REPLACE(table, validate, alloc_mw);
	LAYERS_REPLACE(table, validate, dealloc_mw);
	LAYERS_REPLACE(table, validate, create_ah);
	LAYERS_REPLACE(table, validate, destroy_ah);
}
