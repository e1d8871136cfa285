/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The providers that modules of existing releases have registered. Filled by
 * foreign_register.c; looked up by foreign_device.c.
 */
#include "foreign/foreign_provider.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stddef.h>

#include "core/provider_registry.h"
#include "util/lock.h"

/* Taken before registry_mutex; held for look-ups and registration only. */
static struct verbs_mutex pool_mutex = VERBS_MUTEX_INIT;
/* In static memory: a constructor must not fail for the lack of it. */
static struct foreign_provider pool[VERBS_MAX_PROVIDERS] GUARDED_BY(pool_mutex);
static size_t nr_pool GUARDED_BY(pool_mutex);

static struct foreign_provider *
find_locked(const struct foreign_device_ops *theirs) REQUIRES(pool_mutex)
{
	for (size_t i = 0; i < nr_pool; i++) {
		if (pool[i].theirs == theirs)
			return &pool[i];
	}
	return NULL;
}

/* The caller counts it in when it is to stay. NULL: the pool is full. */
static struct foreign_provider *
prepare_locked(const struct foreign_device_ops *theirs,
	       const struct verbs_device_ops *ours,
	       const struct foreign_variant *variant, unsigned int release)
	REQUIRES(pool_mutex)
{
	struct foreign_provider *provider;

	if (nr_pool == VERBS_MAX_PROVIDERS)
		return NULL;
	provider = &pool[nr_pool];
	*provider = (struct foreign_provider){
		.ours = *ours,
		.theirs = theirs,
		.variant = variant,
		.release = release,
		.told = ATOMIC_FLAG_INIT,
	};
	provider->ours.name = theirs->name;
	return provider;
}

int foreign_provider_add(const struct foreign_device_ops *theirs,
			 const struct verbs_device_ops *ours,
			 const struct foreign_variant *variant,
			 unsigned int release)
{
	struct foreign_provider *provider;
	int ret = -EALREADY;

	verbs_mutex_lock(&pool_mutex);
	if (!find_locked(theirs)) {
		provider = prepare_locked(theirs, ours, variant, release);
		ret = provider ? verbs_provider_register(&provider->ours)
			       : -ENOSPC;
		if (ret == 0)
			nr_pool++;
	}
	verbs_mutex_unlock(&pool_mutex);
	return ret;
}

static const struct link_map *module_of(const void *address)
{
	struct link_map *map;
	Dl_info info;

	if (dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) == 0)
		return NULL;
	return map;
}

/* Entries never change, so pointers to them outlive the mutex. */
static size_t snapshot(const struct foreign_provider **ret_all)
{
	size_t count;

	verbs_mutex_lock(&pool_mutex);
	count = nr_pool;
	for (size_t i = 0; i < count; i++)
		ret_all[i] = &pool[i];
	verbs_mutex_unlock(&pool_mutex);
	return count;
}

/* Another thread may have been quicker. */
static const struct foreign_provider *
add_sibling(const struct foreign_device_ops *theirs,
	    const struct foreign_provider *sibling)
{
	struct foreign_provider *provider;

	verbs_mutex_lock(&pool_mutex);
	provider = find_locked(theirs);
	if (!provider) {
		provider = prepare_locked(theirs, &sibling->ours,
					  sibling->variant, sibling->release);
		if (provider)
			nr_pool++;
	}
	verbs_mutex_unlock(&pool_mutex);
	return provider;
}

/*
 * The mutex is not held while the dynamic linker is asked: a constructor comes
 * here with the linker's lock held.
 */
const struct foreign_provider *
foreign_provider_of_module(const struct foreign_device_ops *theirs)
{
	const struct foreign_provider *all[VERBS_MAX_PROVIDERS];
	const struct link_map *module = module_of(theirs);
	size_t count = snapshot(all);

	if (!module)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		if (all[i]->theirs == theirs)
			return all[i];
	}
	for (size_t i = 0; i < count; i++) {
		if (module_of(all[i]->theirs) == module)
			return add_sibling(theirs, all[i]);
	}
	return NULL;
}
