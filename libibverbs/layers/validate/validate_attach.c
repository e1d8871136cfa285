/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Enables the layer validate, and begins and ends it for each context. */
#include "layers/validate/validate.h"
#include "layers/validate/validate_objects.h"
#include "layers/validate/validate_report.h"
#include "layers/validate/validate_settings.h"

bool validate_is_on;

void validate_request(const char *text)
{
	static struct validate_settings settings;

	validate_is_on = validate_settings_parse(text, &settings);
	if (validate_is_on)
		validate_report_start(&settings);
}

void validate_forked(void)
{
	validate_report_forked();
}

void validate_attach(struct ibv_context *ctx)
{
	struct verbs_ex_private *priv = verbs_priv(ctx);

	layers_context(ctx)->below_validate = priv->ops;
	layers_context(ctx)->knows_keys = !priv->dev->provider->foreign &&
					  !priv->kernel.imported;
	atomic_init(&layers_context(ctx)->is_partly_seen,
		    priv->kernel.imported);
	validate_replace_object_ops(&priv->ops);
	validate_replace_made_ops(&priv->ops);
	validate_replace_memory_ops(&priv->ops);
	validate_replace_queue_ops(&priv->ops);
	validate_replace_event_ops(&priv->ops);
	validate_replace_data_ops(&priv->ops);
}

void validate_detach(struct ibv_context *ctx)
{
	struct validate_found found = validate_objects_find_all(ctx);
	struct explain_text text = {};

	if (found.nr == 0)
		return;
	explain_add(&text, "ibv_close_device(%s): the context still has ",
		    ctx->device->name);
	validate_add_found(&text, &found);
	explain_add(&text, "; destroy them before");
	validate_report(AV_LT_001, ctx, &text);
}
