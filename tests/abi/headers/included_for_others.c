/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of other headers that programs use with no other #include than
 * <infiniband/verbs.h>, which has always included these headers.
 */
#include <infiniband/verbs.h>

#ifdef __cplusplus
#include <utility>

#if __cplusplus >= 201103L
static_assert(std::numeric_limits<uint8_t>::max() == 255, "<limits>");
#endif
#endif

int included_for_others(struct ibv_context *context);

int included_for_others(struct ibv_context *context)
{
	struct ibv_port_attr attr;
	pthread_t self = pthread_self();
	struct timespec now;
	ssize_t bytes = 0;
	__be32 be = 0;
	__u64 number = be;
	size_t at = offsetof(struct ibv_port_attr, lid);
	uint64_t mask = UINT64_C(1) << 40;

	memset(&attr, 0, sizeof(attr));
	memset(&now, 0, sizeof(now));
	errno = 0;
	if (!pthread_equal(self, self) || bytes || number || !at || !mask)
		return EINVAL;
	return ibv_query_port(context, 1, &attr);
}
