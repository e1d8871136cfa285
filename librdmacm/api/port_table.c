/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ports of the port spaces. Called by id_bind.c, id_accept.c and id_object.c.
 */
#include "api/port_table.h"

#include "api/cm_device_list.h"
#include "api/host_clock.h"
#include "api/ip_address.h"
#include "cm/cm_service.h"

#include "util/lock.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PORT_RANGE_FILE		"/proc/sys/net/ipv4/ip_local_port_range"
#define PORT_DEFAULT_FIRST	32768
#define PORT_DEFAULT_LAST	60999
#define PORT_FIRST_UNPRIVILEGED 1024
#define PORT_NR_BUCKETS		1024 /* a power of two */

/* A service id of this process on a device; ids with one port share it. */
struct port_claim {
	struct list_node node;
	struct own_device *device;
	union ibv_gid gid; /* zeros: every address */
	uint64_t service_id;
	unsigned int nr_bindings;
};

static struct verbs_mutex port_mutex = VERBS_MUTEX_INIT;
/* Bindings by the lowest bits of their ports */
static struct list_node port_buckets[PORT_NR_BUCKETS] GUARDED_BY(port_mutex);
static struct list_node
	port_claims GUARDED_BY(port_mutex) = LIST_INIT(port_claims);

/* What port_table_start() has read */
static pthread_once_t port_once = PTHREAD_ONCE_INIT;
static unsigned int port_range_first = PORT_DEFAULT_FIRST;
static unsigned int port_range_last = PORT_DEFAULT_LAST;

static struct list_node *port_bucket_locked(uint16_t port) REQUIRES(port_mutex)
{
	return &port_buckets[port & (PORT_NR_BUCKETS - 1)];
}

static const struct sockaddr *
binding_address(const struct port_binding *binding)
{
	return (const struct sockaddr *)&binding->address;
}

static uint64_t binding_service_id(const struct port_binding *binding)
{
	return cm_service_id(binding->port_space, binding->port);
}

/* The rules of the kernel; is_reusable decides before. */
static int binding_compare(const struct port_binding *left,
			   const struct port_binding *right)
{
	const struct sockaddr *left_address = binding_address(left);
	const struct sockaddr *right_address = binding_address(right);

	if (left->is_family_only && right->is_family_only &&
	    left_address->sa_family != right_address->sa_family)
		return 0;
	if (ip_address_is_any(left_address) || ip_address_is_any(right_address))
		return -EADDRNOTAVAIL;
	return ip_address_equal(left_address, right_address) ? -EADDRINUSE : 0;
}

static int binding_check_locked(const struct port_binding *binding)
	REQUIRES(port_mutex)
{
	struct list_node *node;
	int ret;

	list_for_each (node, port_bucket_locked(binding->port)) {
		const struct port_binding *other =
			list_entry(node, struct port_binding, node);

		if (other == binding || other->port != binding->port ||
		    other->port_space != binding->port_space ||
		    (other->is_reusable && binding->is_reusable))
			continue;
		ret = binding_compare(binding, other);
		if (ret)
			return ret;
	}
	return 0;
}

static struct port_claim *claim_find_locked(const struct own_device *device,
					    const union ibv_gid *gid,
					    uint64_t service_id)
	REQUIRES(port_mutex)
{
	struct list_node *node;

	list_for_each (node, &port_claims) {
		struct port_claim *claim =
			list_entry(node, struct port_claim, node);

		if (claim->device == device &&
		    claim->service_id == service_id &&
		    memcmp(&claim->gid, gid, sizeof(*gid)) == 0)
			return claim;
	}
	return NULL;
}

static int claim_get_locked(struct own_device *device, const union ibv_gid *gid,
			    uint64_t service_id) REQUIRES(port_mutex)
{
	struct port_claim *claim = claim_find_locked(device, gid, service_id);
	int ret;

	if (!claim) {
		claim = calloc(1, sizeof(*claim));
		if (!claim)
			return -ENOMEM;
		ret = device->gsi_ops->claim_service(device->gsi, gid,
						     service_id);
		if (ret) {
			free(claim);
			return -ret;
		}
		claim->device = device;
		claim->gid = *gid;
		claim->service_id = service_id;
		list_add_tail(&port_claims, &claim->node);
	}
	claim->nr_bindings++;
	return 0;
}

static void claim_put_locked(struct own_device *device,
			     const union ibv_gid *gid, uint64_t service_id)
	REQUIRES(port_mutex)
{
	struct port_claim *claim = claim_find_locked(device, gid, service_id);

	if (!claim || --claim->nr_bindings)
		return;
	device->gsi_ops->release_service(device->gsi, gid, service_id);
	list_del(&claim->node);
	free(claim);
}

static void binding_gid(const struct port_binding *binding,
			union ibv_gid *ret_gid)
{
	memset(ret_gid, 0, sizeof(*ret_gid));
	if (binding->device)
		ip_address_to_gid(binding_address(binding), ret_gid);
}

bool port_binding_covers(const struct port_binding *binding,
			 const struct own_device *device)
{
	return device->gsi && (!binding->device || binding->device == device);
}

/* Releases the claims on all devices before @end. */
static void binding_release_locked(const struct port_binding *binding,
				   const struct own_device *end)
	REQUIRES(port_mutex)
{
	union ibv_gid gid;

	binding_gid(binding, &gid);
	for (struct own_device *device = device_first(); device != end;
	     device = device_next(device)) {
		if (port_binding_covers(binding, device))
			claim_put_locked(device, &gid,
					 binding_service_id(binding));
	}
}

static int binding_claim_locked(struct port_binding *binding)
	REQUIRES(port_mutex)
{
	union ibv_gid gid;
	int ret;

	binding_gid(binding, &gid);
	for (struct own_device *device = device_first(); device;
	     device = device_next(device)) {
		if (!port_binding_covers(binding, device))
			continue;
		ret = claim_get_locked(device, &gid,
				       binding_service_id(binding));
		if (ret) {
			binding_release_locked(binding, device);
			return ret;
		}
	}
	binding->has_claims = true;
	return 0;
}

static int port_try_locked(struct port_binding *binding, uint16_t port,
			   bool is_claimed) REQUIRES(port_mutex)
{
	int ret;

	binding->port = port;
	ret = binding_check_locked(binding);
	if (!ret && is_claimed)
		ret = binding_claim_locked(binding);
	if (ret)
		return ret;
	ip_address_set_port((struct sockaddr *)&binding->address, port);
	list_add_tail(port_bucket_locked(port), &binding->node);
	return 0;
}

static void port_range_read(void)
{
	FILE *file = fopen(PORT_RANGE_FILE, "re");
	char line[64] = "";
	char *end;

	if (!file)
		return;
	if (fgets(line, sizeof(line), file)) {
		unsigned long first = strtoul(line, &end, 10);
		unsigned long last = strtoul(end, NULL, 10);

		if (first && first <= last && last <= UINT16_MAX) {
			port_range_first = (unsigned int)first;
			port_range_last = (unsigned int)last;
		}
	}
	(void)fclose(file);
}

static void port_table_start(void)
{
	verbs_mutex_lock(&port_mutex);
	for (size_t i = 0; i < PORT_NR_BUCKETS; i++)
		list_init(&port_buckets[i]);
	verbs_mutex_unlock(&port_mutex);
	port_range_read();
}

/* Any port, from a random one on */
static int port_find_locked(struct port_binding *binding, bool is_claimed)
	REQUIRES(port_mutex)
{
	unsigned int nr = port_range_last - port_range_first + 1;
	unsigned int start = host_random() % nr;

	for (unsigned int i = 0; i < nr; i++) {
		unsigned int port = port_range_first + (start + i) % nr;
		int ret = port_try_locked(binding, (uint16_t)port, is_claimed);

		if (ret != -EADDRINUSE && ret != -EADDRNOTAVAIL)
			return ret;
	}
	return -EADDRNOTAVAIL;
}

static bool process_may_bind_low_ports(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	return syscall(SYS_capget, &header, data) == 0 &&
	       (data[0].effective & (1U << CAP_NET_BIND_SERVICE));
}

int port_binding_add(struct port_binding *binding, bool is_claimed)
{
	uint16_t port = ip_address_port(binding_address(binding));
	int ret;

	if (port && port < PORT_FIRST_UNPRIVILEGED &&
	    !process_may_bind_low_ports())
		return -EACCES;
	(void)pthread_once(&port_once, port_table_start);
	verbs_mutex_lock(&port_mutex);
	if (port)
		ret = port_try_locked(binding, port, is_claimed);
	else
		ret = port_find_locked(binding, is_claimed);
	verbs_mutex_unlock(&port_mutex);
	return ret;
}

int port_binding_claim(struct port_binding *binding)
{
	bool was_reusable = binding->is_reusable;
	int ret;

	verbs_mutex_lock(&port_mutex);
	/* To listen, the port must belong to one id. */
	binding->is_reusable = false;
	ret = binding_check_locked(binding);
	if (ret)
		ret = -EADDRNOTAVAIL;
	else if (!binding->has_claims)
		ret = binding_claim_locked(binding);
	if (ret)
		binding->is_reusable = was_reusable;
	verbs_mutex_unlock(&port_mutex);
	return ret;
}

void port_binding_remove(struct port_binding *binding)
{
	verbs_mutex_lock(&port_mutex);
	if (!list_empty(&binding->node)) {
		list_del(&binding->node);
		if (binding->has_claims)
			binding_release_locked(binding, NULL);
		binding->has_claims = false;
		binding->port = 0;
	}
	verbs_mutex_unlock(&port_mutex);
}
