/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks the ports of open devices: the port state, and whether the GID table
 * has an address that programs can use. Also sets which devices are usable.
 */
#include <arpa/inet.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "tools/doctor/doctor.h"

#define DOCTOR_NETDEV_LEN (IF_NAMESIZE + 1)

/* ------------------------------------------------------------------------ */
/* GIDs                                                                      */
/* ------------------------------------------------------------------------ */

static bool doctor_gid_is_link_local(const struct ibv_gid_entry *entry)
{
	return entry->gid.raw[0] == 0xfe && (entry->gid.raw[1] & 0xc0) == 0x80;
}

static bool doctor_gid_is_ipv4(const struct ibv_gid_entry *entry)
{
	static const uint8_t prefix[12] = { [10] = 0xff, [11] = 0xff };

	return memcmp(entry->gid.raw, prefix, sizeof(prefix)) == 0;
}

/*
 * Ranks a GID. A higher rank means: forwarded by routers, and supported by more
 * peers.
 */
static int doctor_gid_rank(const struct ibv_gid_entry *entry)
{
	if (entry->gid_type != IBV_GID_TYPE_ROCE_V2)
		return doctor_gid_is_link_local(entry) ? 0 : 1;
	if (doctor_gid_is_link_local(entry))
		return 2;
	return doctor_gid_is_ipv4(entry) ? 4 : 3;
}

static bool doctor_port_uses_roce_gids(const struct doctor_device *device,
				       const struct doctor_port *port)
{
	return port->attr.link_layer == IBV_LINK_LAYER_ETHERNET &&
	       device->transport == IBV_TRANSPORT_IB;
}

static void doctor_port_choose_gid(struct doctor_port *port)
{
	for (size_t i = 0; i < port->nr_gids; i++)
		if (!port->best_gid || doctor_gid_rank(&port->gids[i]) >
					       doctor_gid_rank(port->best_gid))
			port->best_gid = &port->gids[i];
}

/*
 * The entries are sorted by index. A table without holes starts at index 0 and
 * has no gap.
 */
static bool doctor_port_gids_have_holes(const struct doctor_port *port)
{
	return port->nr_gids > 0 &&
	       port->gids[port->nr_gids - 1].gid_index >= port->nr_gids;
}

/* ------------------------------------------------------------------------ */
/* The network interface of a port                                           */
/* ------------------------------------------------------------------------ */

static bool doctor_port_first_netdev(const struct doctor *doctor,
				     const struct doctor_device *device,
				     char name[DOCTOR_NETDEV_LEN])
{
	struct doctor_dir_list names;
	bool found;

	doctor_system_list(&doctor->system, &names,
			   "/sys/class/infiniband/%s/device/net", device->name);
	found = names.count > 0 &&
		strlen(names.entries[0]->d_name) < DOCTOR_NETDEV_LEN;
	if (found)
		(void)snprintf(name, DOCTOR_NETDEV_LEN, "%s",
			       names.entries[0]->d_name);
	doctor_dir_list_free(&names);
	return found;
}

static bool doctor_port_find_netdev(const struct doctor *doctor,
				    const struct doctor_device *device,
				    const struct doctor_port *port,
				    char name[DOCTOR_NETDEV_LEN])
{
	const struct doctor_system *system = &doctor->system;

	*name = '\0';
	if (!device->in_kernel && strncmp(device->name, "uroce_", 6) == 0) {
		(void)snprintf(name, DOCTOR_NETDEV_LEN, "%s", device->name + 6);
		return true;
	}
	for (size_t i = 0; i < port->nr_gids; i++)
		if (port->gids[i].ndev_ifindex != 0 &&
		    if_indextoname(port->gids[i].ndev_ifindex, name))
			return true;
	if (doctor_system_read(system, name, DOCTOR_NETDEV_LEN,
			       "/sys/class/infiniband/%s/ports/%u/gid_attrs/"
			       "ndevs/0",
			       device->name, port->number) == 0 &&
	    *name)
		return true;
	/* soft-RoCE and soft-iWARP */
	if (doctor_system_read(system, name, DOCTOR_NETDEV_LEN,
			       "/sys/class/infiniband/%s/parent",
			       device->name) == 0 &&
	    *name)
		return true;
	return doctor_port_first_netdev(doctor, device, name);
}

/* ------------------------------------------------------------------------ */
/* Port states */
/* ------------------------------------------------------------------------ */

static void doctor_port_add_udp_taken(struct doctor *doctor,
				      const struct doctor_device *device,
				      const struct doctor_port *port)
{
	struct doctor_finding *finding;

	finding = doctor_finding_add(
		&doctor->findings, DOCTOR_UROCE_PORT_TAKEN, device->name,
		port->number,
		"UDP port 4791 is in use by a process of another user, or by "
		"the kernel's soft-RoCE.");
	doctor_finding_add_fix(finding,
			       "ss -lunp sport = :4791   # find the process");
	doctor_finding_add_fix(finding, "rdma link   # look for an rxe device");
}

static void doctor_port_add_no_sm(struct doctor *doctor,
				  const struct doctor_device *device,
				  const struct doctor_port *port)
{
	struct doctor_finding *finding;

	finding = doctor_finding_add(
		&doctor->findings, DOCTOR_PORT_NO_SM, device->name,
		port->number,
		"The port has a link, but no subnet manager has activated it "
		"(state %s). Run a subnet manager on one host or switch of the "
		"network.",
		ibv_port_state_str(port->attr.state));
	doctor_finding_add_fix(finding,
			       "systemctl start opensm   # on one host");
}

static void doctor_port_add_down(struct doctor *doctor,
				 const struct doctor_device *device,
				 const struct doctor_port *port)
{
	struct doctor_finding *finding;
	char netdev[DOCTOR_NETDEV_LEN];
	bool known = doctor_port_find_netdev(doctor, device, port, netdev);

	if (known && !doctor_netdev_is_up(doctor, netdev)) {
		finding = doctor_finding_add(&doctor->findings,
					     DOCTOR_PORT_DOWN, device->name,
					     port->number,
					     "The port is down, because its "
					     "network interface %s is down.",
					     netdev);
		doctor_finding_add_fix(finding, "ip link set %s up", netdev);
		return;
	}
	finding = doctor_finding_add(
		&doctor->findings, DOCTOR_PORT_DOWN, device->name, port->number,
		"The port has no link (state %s). Check the cable, the switch "
		"and the remote port.",
		ibv_port_state_str(port->attr.state));
	if (known)
		doctor_finding_add_fix(finding, "ip link show %s", netdev);
	else
		doctor_finding_add_fix(finding, "rdma link show %s/%u",
				       device->name, port->number);
}

static void doctor_port_check_state(struct doctor *doctor,
				    const struct doctor_device *device,
				    const struct doctor_port *port)
{
	char netdev[DOCTOR_NETDEV_LEN];

	if (port->attr.state == IBV_PORT_ACTIVE ||
	    port->attr.state == IBV_PORT_ACTIVE_DEFER)
		return;
	if (!device->in_kernel &&
	    doctor_port_find_netdev(doctor, device, port, netdev) &&
	    doctor_netdev_is_up(doctor, netdev))
		doctor_port_add_udp_taken(doctor, device, port);
	else if (port->attr.link_layer == IBV_LINK_LAYER_INFINIBAND &&
		 (port->attr.state == IBV_PORT_INIT ||
		  port->attr.state == IBV_PORT_ARMED))
		doctor_port_add_no_sm(doctor, device, port);
	else
		doctor_port_add_down(doctor, device, port);
}

/* ------------------------------------------------------------------------ */
/* GID table */
/* ------------------------------------------------------------------------ */

static void doctor_port_add_address_fix(const struct doctor *doctor,
					const struct doctor_device *device,
					const struct doctor_port *port,
					struct doctor_finding *finding)
{
	char netdev[DOCTOR_NETDEV_LEN];

	if (!doctor_port_find_netdev(doctor, device, port, netdev))
		(void)snprintf(netdev, sizeof(netdev), "INTERFACE");
	doctor_finding_add_fix(finding, "ip address add ADDRESS/24 dev %s",
			       netdev);
}

static void doctor_port_add_gid_index(struct doctor *doctor,
				      const struct doctor_device *device,
				      const struct doctor_port *port)
{
	unsigned int best = port->best_gid->gid_index;
	struct doctor_finding *finding;
	char text[INET6_ADDRSTRLEN];

	(void)inet_ntop(AF_INET6, port->best_gid->gid.raw, text, sizeof(text));
	finding = doctor_finding_add(
		&doctor->findings, DOCTOR_GID_INDEX, device->name, port->number,
		"The best GID is at index %u (%s), not at index 0. Set this "
		"index in programs that take a GID index.",
		best, text);
	doctor_finding_add_fix(finding, "ibv_rc_pingpong -g %u ...", best);
	doctor_finding_add_fix(
		finding, "export NCCL_IB_GID_INDEX=%u UCX_IB_GID_INDEX=%u",
		best, best);
}

static void doctor_port_check_gids(struct doctor *doctor,
				   const struct doctor_device *device,
				   const struct doctor_port *port)
{
	struct doctor_finding *finding;

	if (!port->best_gid) {
		finding = doctor_finding_add(
			&doctor->findings, DOCTOR_GID_NONE, device->name,
			port->number,
			"The port has no GID, because its network interface "
			"has no IP address. Add an address.");
		doctor_port_add_address_fix(doctor, device, port, finding);
		return;
	}
	if (doctor_gid_rank(port->best_gid) < 2) {
		finding = doctor_finding_add(
			&doctor->findings, DOCTOR_GID_V1_ONLY, device->name,
			port->number,
			"All GIDs are RoCE v1 GIDs. Routers do not forward "
			"RoCE v1, and few peers use it.");
		doctor_port_add_address_fix(doctor, device, port, finding);
	} else if (doctor_gid_is_link_local(port->best_gid)) {
		finding = doctor_finding_add(
			&doctor->findings, DOCTOR_GID_LINK_LOCAL, device->name,
			port->number,
			"All GIDs are link-local. Peers behind a router are "
			"unreachable, and many programs need an IP address.");
		doctor_port_add_address_fix(doctor, device, port, finding);
	}
	if (doctor_port_gids_have_holes(port)) {
		finding = doctor_finding_add(
			&doctor->findings, DOCTOR_GID_HOLES, device->name,
			port->number,
			"The GID table has holes: of the indexes 0 to %u, %zu "
			"are in use. Programs that search the table may stop "
			"at a hole.",
			port->gids[port->nr_gids - 1].gid_index, port->nr_gids);
		doctor_finding_add_fix(finding, "export NCCL_IB_GID_INDEX=%u",
				       port->best_gid->gid_index);
	}
	if (port->best_gid->gid_index != 0 &&
	    doctor_gid_rank(port->best_gid) > 2)
		doctor_port_add_gid_index(doctor, device, port);
}

/* ------------------------------------------------------------------------ */

static void doctor_device_add_failures(struct doctor *doctor,
				       const struct doctor_device *device)
{
	struct doctor_finding *finding = NULL;

	if (device->open_error &&
	    !doctor_has_error(&doctor->findings, device->name))
		finding = doctor_finding_add(
			&doctor->findings, DOCTOR_OPEN_FAILED, device->name, 0,
			"The device is listed, but cannot be "
			"opened: %s.",
			strerror(device->open_error));
	else if (device->query_error)
		finding = doctor_finding_add(
			&doctor->findings, DOCTOR_QUERY_FAILED, device->name, 0,
			"The device is open, but querying it fails: %s.",
			strerror(device->query_error));
	else if (device->failed_object &&
		 !doctor_has_finding(&doctor->findings, DOCTOR_MEMLOCK_LOW,
				     NULL) &&
		 !doctor_has_finding(&doctor->findings, DOCTOR_CGROUP_RDMA,
				     device->name))
		finding = doctor_finding_add(
			&doctor->findings, DOCTOR_OBJECT_FAILED, device->name,
			0, "The device is open, but creating %s fails: %s.",
			device->failed_object, strerror(device->object_error));
	if (finding)
		doctor_finding_add_fix(finding, "dmesg | tail");
}

static void doctor_port_check(struct doctor *doctor,
			      const struct doctor_device *device,
			      struct doctor_port *port)
{
	struct doctor_finding *finding;

	if (port->query_error) {
		finding = doctor_finding_add(
			&doctor->findings, DOCTOR_QUERY_FAILED, device->name,
			port->number, "Querying the port fails: %s.",
			strerror(port->query_error));
		doctor_finding_add_fix(finding, "dmesg | tail");
		return;
	}
	doctor_port_check_state(doctor, device, port);
	port->usable = port->attr.state == IBV_PORT_ACTIVE ||
		       port->attr.state == IBV_PORT_ACTIVE_DEFER;
	if (!doctor_port_uses_roce_gids(device, port) || port->gid_error)
		return;
	doctor_port_choose_gid(port);
	doctor_port_check_gids(doctor, device, port);
	if (!port->best_gid)
		port->usable = false;
}

static void doctor_device_check_ports(struct doctor *doctor,
				      struct doctor_device *device)
{
	doctor_device_add_failures(doctor, device);
	if (device->open_error || device->query_error)
		return;
	for (size_t i = 0; i < device->nr_ports; i++) {
		struct doctor_port *port = &device->ports[i];

		if (doctor->only_port && port->number != doctor->only_port)
			continue;
		doctor_port_check(doctor, device, port);
		if (port->usable && !device->failed_object)
			device->usable = true;
	}
}

void doctor_check_ports(struct doctor *doctor)
{
	for (size_t i = 0; i < doctor->nr_devices; i++)
		if (doctor->devices[i].selected && doctor->devices[i].listed)
			doctor_device_check_ports(doctor, &doctor->devices[i]);
}
