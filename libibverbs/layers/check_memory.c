/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rules of ibv_reg_mr(3): access flags, the limit of locked memory,
 * and holes in the address range. Reads /proc/self/status and /proc/self/maps.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "layers/checks.h"
#include "layers/layers.h"

#define REMOTE_CHANGES \
	((unsigned int)(IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC))
#define LOCAL_CHANGES (REMOTE_CHANGES | (unsigned int)(IBV_ACCESS_LOCAL_WRITE))

static enum layers_rule memory_check_access(struct explain_text *text,
					    unsigned int access, int error)
{
	if ((access & REMOTE_CHANGES) && !(access & IBV_ACCESS_LOCAL_WRITE)) {
		explain_add(text, "%s requires IBV_ACCESS_LOCAL_WRITE",
			    access & IBV_ACCESS_REMOTE_WRITE
				    ? "IBV_ACCESS_REMOTE_WRITE"
				    : "IBV_ACCESS_REMOTE_ATOMIC");
		return AV_KY_008;
	}
	if ((access & (unsigned int)IBV_ACCESS_ON_DEMAND) &&
	    (error == EOPNOTSUPP || error == EINVAL)) {
		explain_add(text, "the device does not support "
				  "IBV_ACCESS_ON_DEMAND (on-demand paging)");
		return LAYERS_RULE_UNNAMED;
	}
	return LAYERS_RULE_NONE;
}

/* Returns the bytes of a line such as "VmPin:  64 kB", 0 if there is none. */
static uint64_t memory_read_status(FILE *file, const char *name)
{
	unsigned long long kilobytes;
	size_t len = strlen(name);
	char line[256];

	rewind(file);
	while (fgets(line, sizeof(line), file))
		if (strncmp(line, name, len) == 0 &&
		    sscanf(line + len, ": %llu kB", &kilobytes) == 1)
			return kilobytes * 1024;
	return 0;
}

/* Memory that registration has pinned, or that mlock(2) has locked. */
static uint64_t memory_count_pinned(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	uint64_t pinned, locked;

	if (!file)
		return 0;
	pinned = memory_read_status(file, "VmPin");
	locked = memory_read_status(file, "VmLck");
	(void)fclose(file);
	return pinned > locked ? pinned : locked;
}

static enum layers_rule memory_check_limit(struct explain_text *text,
					   size_t length)
{
	uint64_t pinned = memory_count_pinned();
	struct rlimit limit;
	uint64_t sum;

	if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 ||
	    limit.rlim_cur == RLIM_INFINITY)
		return LAYERS_RULE_NONE;
	if (!__builtin_add_overflow(pinned, length, &sum) &&
	    sum <= limit.rlim_cur)
		return LAYERS_RULE_NONE;
	explain_add(text,
		    "RLIMIT_MEMLOCK is %" PRIu64 " bytes, %" PRIu64
		    " are pinned, and this region needs %zu more; raise the "
		    "limit (ulimit -l, LimitMEMLOCK= of systemd)",
		    (uint64_t)limit.rlim_cur, pinned, length);
	return LAYERS_RULE_UNNAMED;
}

/*
 * Compares the lines of /proc/self/maps, which are sorted, with the range.
 *
 * Return: whether the range has a page that is not mapped, or, with @writes,
 * is not writable.
 */
static bool memory_find_hole(FILE *maps, uintptr_t begin, uintptr_t end,
			     bool writes, uintptr_t *ret_hole,
			     bool *ret_is_mapped)
{
	uintptr_t first, last;
	char line[512];
	char rights[5];

	while (begin < end && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s", &first, &last,
			   rights) != 3 ||
		    last <= begin)
			continue;
		if (first > begin)
			break;
		if (rights[0] != 'r' || (writes && rights[1] != 'w')) {
			*ret_hole = begin;
			*ret_is_mapped = true;
			return true;
		}
		begin = last;
	}
	*ret_hole = begin;
	*ret_is_mapped = false;
	return begin < end;
}

static enum layers_rule memory_check_range(struct explain_text *text,
					   const void *addr, size_t length,
					   unsigned int access)
{
	uintptr_t begin = (uintptr_t)addr, end, hole;
	bool is_mapped, has_hole;
	FILE *maps;

	if (__builtin_add_overflow(begin, length, &end)) {
		explain_add(text, "the range ends behind the highest address");
		return LAYERS_RULE_UNNAMED;
	}
	maps = fopen("/proc/self/maps", "re");
	if (!maps)
		return LAYERS_RULE_NONE;
	has_hole = memory_find_hole(maps, begin, end, access & LOCAL_CHANGES,
				    &hole, &is_mapped);
	(void)fclose(maps);
	if (!has_hole)
		return LAYERS_RULE_NONE;
	explain_add(text,
		    "the memory at 0x%" PRIxPTR ", offset %zu of the "
		    "region, is %s",
		    hole, (size_t)(hole - begin),
		    is_mapped ? "mapped without the right to write, which the "
				"access flags need"
			      : "not mapped");
	return AV_KY_009;
}

static enum layers_rule memory_check_size(struct explain_text *text,
					  struct ibv_context *ctx,
					  size_t length)
{
	struct ibv_device_attr_ex attr = {};

	if (length == 0) {
		explain_add(text, "the length is 0");
		return LAYERS_RULE_UNNAMED;
	}
	if (LAYERS_CALL_BELOW(ctx, query_device, ctx, NULL, &attr,
			      sizeof(attr)) != 0 ||
	    !attr.orig_attr.max_mr_size || length <= attr.orig_attr.max_mr_size)
		return LAYERS_RULE_NONE;
	explain_add(text,
		    "the length is above max_mr_size of the device, which "
		    "is %" PRIu64,
		    attr.orig_attr.max_mr_size);
	return LAYERS_RULE_UNNAMED;
}

enum layers_rule check_reg_mr(struct explain_text *text,
			      struct ibv_context *ctx, const void *addr,
			      size_t length, unsigned int access, int error)
{
	enum layers_rule rule = memory_check_access(text, access, error);

	if (!rule && (error == ENOMEM || error == EPERM))
		rule = memory_check_limit(text, length);
	if (!rule)
		rule = memory_check_size(text, ctx, length);
	return rule ? rule : memory_check_range(text, addr, length, access);
}
