/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Registration of modules of rdma-core releases: their constructor calls
 * verbs_register_driver_<node>(). This happens while the library loads a module
 * (core/provider_module.c), or before any other use of the library if the
 * program is linked to a vendor library.
 *
 * A registered provider becomes a provider of this library, with the hooks of
 * foreign_device.c. If its release cannot be determined, the provider is
 * refused with a warning: a wrong release would lead to calls of wrong
 * functions.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "core/log.h"
#include "foreign/foreign_detect.h"
#include "foreign/foreign_device.h"
#include "foreign/foreign_export.h"
#include "foreign/foreign_provider.h"
#include "foreign/foreign_register.h"

/*
 * v34 and v35 have different op tables and are obsolete. A module is refused
 * only if it is known to be of one of them.
 */
#define OLDEST_RELEASE 36

/* Returns the variant that contains the whole of @range, or NULL. */
static const struct foreign_variant *
foreign_register_variant_of(unsigned int node,
			    const struct foreign_range *range)
{
	for (size_t i = 0; i < FOREIGN_NR_VARIANTS; i++) {
		const struct foreign_variant *variant = &foreign_variants[i];

		if (variant->node == node && variant->oldest <= range->oldest &&
		    variant->newest >= range->newest)
			return variant;
	}
	return NULL;
}

/* Returns all releases of a node. The first one has the number of the node. */
static struct foreign_range foreign_register_range_of(unsigned int node)
{
	struct foreign_range range = { .oldest = node, .newest = node };

	for (size_t i = 0; i < FOREIGN_NR_VARIANTS; i++) {
		if (foreign_variants[i].node == node &&
		    foreign_variants[i].newest > range.newest)
			range.newest = foreign_variants[i].newest;
	}
	return range;
}

/* Returns the value for foreign_release(). */
static unsigned int
foreign_register_release_of(const struct foreign_range *range)
{
	return foreign_qp_layout(range->oldest) ==
			       foreign_qp_layout(range->newest)
		       ? range->oldest
		       : 0;
}

static void foreign_register_driver(unsigned int node,
				    const struct foreign_device_ops *module_ops)
{
	struct foreign_range range = foreign_register_range_of(node);
	const struct foreign_variant *variant;
	int ret;

	if (!module_ops || !module_ops->name || !module_ops->alloc_context ||
	    !module_ops->alloc_device ||
	    (!module_ops->match_table && !module_ops->match_device)) {
		verbs_warn("provider %s: its op table is incomplete",
			   module_ops && module_ops->name ? module_ops->name
							  : "unknown");
		return;
	}
	foreign_detect(module_ops, module_ops->name, node, &range);
	if (range.oldest < OLDEST_RELEASE && range.newest >= OLDEST_RELEASE)
		range.oldest = OLDEST_RELEASE;
	variant = foreign_register_variant_of(node, &range);
	if (!variant) {
		if (range.oldest == range.newest)
			verbs_warn("provider %s: rdma-core release %u is not "
				   "supported",
				   module_ops->name, range.oldest);
		else
			verbs_warn(
				"provider %s: built for an rdma-core release "
				"from %u to %u, which have different ABIs",
				module_ops->name, range.oldest, range.newest);
		return;
	}
	ret = foreign_provider_add(module_ops, &foreign_device_template,
				   variant,
				   foreign_register_release_of(&range));
	if (ret == -EALREADY)
		verbs_warn("provider %s: registers twice", module_ops->name);
	else if (ret == -EEXIST)
		verbs_warn("provider %s: a provider of this name exists",
			   module_ops->name);
	else if (ret)
		verbs_warn("provider %s: %s", module_ops->name, strerror(-ret));
}

/* -- functions that constructors call -- */

void foreign_register_driver_34(const struct foreign_device_ops *ops)
{
	foreign_register_driver(34, ops);
}
FOREIGN_EXPORT(foreign_register_driver_34, verbs_register_driver_34, 34)

void foreign_register_driver_57(const struct foreign_device_ops *ops)
{
	foreign_register_driver(57, ops);
}
FOREIGN_EXPORT(foreign_register_driver_57, verbs_register_driver_57, 57)

void foreign_register_driver_59(const struct foreign_device_ops *ops)
{
	foreign_register_driver(59, ops);
}
FOREIGN_EXPORT(foreign_register_driver_59, verbs_register_driver_59, 59)

void foreign_register_driver_64(const struct foreign_device_ops *ops)
{
	foreign_register_driver(64, ops);
}
FOREIGN_EXPORT(foreign_register_driver_64, verbs_register_driver_64, 64)

void foreign_register_driver_65(const struct foreign_device_ops *ops)
{
	foreign_register_driver(65, ops);
}
FOREIGN_EXPORT(foreign_register_driver_65, verbs_register_driver_65, 65)
