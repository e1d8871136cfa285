/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Objects that calls use: whether they exist, and whether they belong to the
 * context of the call. api/ calls this for each object of a control call before
 * it reads the object, so no op has checks of its own. The op of
 * ibv_bind_mw(3), which programs call directly, has.
 */
#include <string.h>

#include "layers/validate/validate.h"
#include "layers/validate/validate_objects.h"
#include "layers/validate/validate_report.h"

/* Functions that programs call through the table of a context. */
#define TABLE_PREFIX "verbs_api_"

static void use_add_function(struct explain_text *text, const char *function)
{
	if (strncmp(function, TABLE_PREFIX, strlen(TABLE_PREFIX)) == 0)
		explain_add(text, "ibv_%s", function + strlen(TABLE_PREFIX));
	else
		explain_add(text, "%s", function);
}

bool validate_object_exists(const char *function, enum layers_kind kind,
			    const void *object)
{
	const struct layers_record *record = layers_record_find(object);
	struct explain_text text = {};
	struct validate_gone gone;

	if ((record && record->kind == kind) ||
	    !validate_find_gone(kind, object, &gone))
		return true;
	use_add_function(&text, function);
	explain_add(&text, "(%s): ", gone.ctx->device->name);
	validate_add_object(&text, kind, gone.number);
	explain_add(&text, " was destroyed before");
	validate_report(AV_LT_003, gone.ctx, &text);
	return false;
}

void validate_object_is_foreign(const char *function,
				const struct ibv_context *ctx,
				enum layers_kind kind, const void *object)
{
	const struct layers_record *record = layers_record_find(object);
	struct explain_text text = {};

	use_add_function(&text, function);
	explain_add(&text, "(%s): ", ctx->device->name);
	if (record && record->kind == kind)
		validate_add_object(&text, kind, VALIDATE_LOAD(record->number));
	else
		validate_add_kind(&text, kind);
	explain_add(&text, " belongs to another context; make one for each "
			   "context");
	validate_report(AV_LT_008, ctx, &text);
}

/* An imported context may use the objects of another one. */
static bool bind_window_is_foreign(const struct ibv_qp *qp,
				   const struct ibv_mw *mw)
{
	const struct layers_record *record = layers_record_find(mw);
	const struct ibv_context *ctx = record ? VALIDATE_LOAD(record->ctx)
					       : NULL;

	return ctx && ctx != qp->context && validate_knows_keys(ctx) &&
	       validate_knows_keys(qp->context);
}

bool validate_bind_objects(const char *function, const struct ibv_qp *qp,
			   const struct ibv_mw *mw, const struct ibv_mr *mr)
{
	if (!validate_object_exists(function, LAYERS_MW, mw) ||
	    (mr && !validate_object_exists(function, LAYERS_MR, mr)))
		return false;
	if (__builtin_expect(bind_window_is_foreign(qp, mw), 0))
		validate_object_is_foreign(function, qp->context, LAYERS_MW,
					   mw);
	return true;
}
