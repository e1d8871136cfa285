/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options of ids. */
#include "api/api_err.h"
#include "api/cm_host.h"
#include "api/id_backend.h"
#include "api/kernel_id.h"

#include <errno.h>
#include <string.h>

#define OPTION_MAX_ACK_TIMEOUT 31

static int option_set_tos(struct own_id *own, const void *value, size_t len)
{
	if (len != sizeof(own->tos))
		return -EINVAL;
	memcpy(&own->tos, value, sizeof(own->tos));
	own->has_tos = true;
	return 0;
}

static int option_read_boolean(const void *value, size_t len, bool *ret_value)
{
	int number;

	if (len != sizeof(number))
		return -EINVAL;
	memcpy(&number, value, sizeof(number));
	*ret_value = number != 0;
	return 0;
}

static int option_set_reusable(struct own_id *own, const void *value,
			       size_t len)
{
	enum own_id_state state = host_id_state(own);
	bool is_reusable;
	int ret = option_read_boolean(value, len, &is_reusable);

	if (ret)
		return ret;
	if (state == OWN_ID_LISTEN || (!is_reusable && state != OWN_ID_IDLE))
		return -EINVAL;
	own->is_reusable = is_reusable;
	own->binding.is_reusable = is_reusable;
	return 0;
}

static int option_set_family_only(struct own_id *own, const void *value,
				  size_t len)
{
	enum own_id_state state = host_id_state(own);
	bool is_family_only;
	int ret = option_read_boolean(value, len, &is_family_only);

	if (ret)
		return ret;
	if (state != OWN_ID_IDLE && state != OWN_ID_ADDR_BOUND)
		return -EINVAL;
	own->is_family_only = is_family_only;
	own->has_family_only = true;
	own->binding.is_family_only = is_family_only;
	return 0;
}

static int option_set_ack_timeout(struct own_id *own, const void *value,
				  size_t len)
{
	uint8_t ack_timeout;

	if (len != sizeof(ack_timeout) || !own_id_is_connected_type(own))
		return -EINVAL;
	memcpy(&ack_timeout, value, sizeof(ack_timeout));
	if (ack_timeout > OPTION_MAX_ACK_TIMEOUT)
		return -EINVAL;
	own->ack_timeout = ack_timeout;
	own->has_ack_timeout = true;
	return 0;
}

/* Options that are set before an id has a part in the kernel are kept. */
static int option_set(struct own_id *own, int level, int name,
		      const void *value, size_t len)
{
	if (!value && len)
		return -EFAULT;
	/* Paths are for InfiniBand, so for ids of the kernel. */
	if (level == RDMA_OPTION_IB && name == RDMA_OPTION_IB_PATH)
		return -EINVAL;
	if (level != RDMA_OPTION_ID)
		return -ENOSYS;
	switch (name) {
	case RDMA_OPTION_ID_TOS:
		return option_set_tos(own, value, len);
	case RDMA_OPTION_ID_REUSEADDR:
		return option_set_reusable(own, value, len);
	case RDMA_OPTION_ID_AFONLY:
		return option_set_family_only(own, value, len);
	case RDMA_OPTION_ID_ACK_TIMEOUT:
		return option_set_ack_timeout(own, value, len);
	default:
		return -ENOSYS;
	}
}

int rdma_set_option(struct rdma_cm_id *id, int level, int optname, void *optval,
		    size_t optlen)
{
	struct own_id *own = own_id_of(id);
	int ret = 0;

	/* The kernel checks the options of its ids itself. */
	if (own->backend != &kernel_backend)
		ret = option_set(own, level, optname, optval, optlen);
	if (!ret && own->kernel)
		ret = kernel_id_set_option(own, level, optname, optval, optlen);
	return api_ret_minus1(ret);
}
