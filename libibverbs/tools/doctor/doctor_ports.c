/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ports of devices that could be opened: are they up, and do they have
 * addresses (GIDs) that programs can use. Decides in passing which devices are
 * usable.
 */
#include <arpa/inet.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "tools/doctor/doctor.h"

#define NETDEV_LEN (IF_NAMESIZE + 1)

/* ------------------------------------------------------------------------ */
/* GIDs                                                                      */
/* ------------------------------------------------------------------------ */

static bool is_link_local(const struct ibv_gid_entry *entry)
{
	return entry->gid.raw[0] == 0xfe && (entry->gid.raw[1] & 0xc0) == 0x80;
}

static bool is_ipv4(const struct ibv_gid_entry *entry)
{
	static const uint8_t prefix[12] = { [10] = 0xff, [11] = 0xff };

	return memcmp(entry->gid.raw, prefix, sizeof(prefix)) == 0;
}

/* Higher is better: what routers forward, and most peers have. */
static int rank(const struct ibv_gid_entry *entry)
{
	if (entry->gid_type != IBV_GID_TYPE_ROCE_V2)
		return is_link_local(entry) ? 0 : 1;
	if (is_link_local(entry))
		return 2;
	return is_ipv4(entry) ? 4 : 3;
}

static bool has_gid_addresses(const struct doctor_device *device,
			      const struct doctor_port *port)
{
	return port->attr.link_layer == IBV_LINK_LAYER_ETHERNET &&
	       device->transport == IBV_TRANSPORT_IB;
}

static void choose_gid(struct doctor_port *port)
{
	for (size_t i = 0; i < port->nr_gids; i++)
		if (!port->best_gid ||
		    rank(&port->gids[i]) > rank(port->best_gid))
			port->best_gid = &port->gids[i];
}

/* Entries are given by index; they begin with 0 and have no gap. */
static bool has_holes(const struct doctor_port *port)
{
	return port->nr_gids > 0 &&
	       port->gids[port->nr_gids - 1].gid_index >= port->nr_gids;
}

/* ------------------------------------------------------------------------ */
/* The network interface of a port                                           */
/* ------------------------------------------------------------------------ */

static bool first_in_folder(const struct doctor *doctor,
			    const struct doctor_device *device,
			    char name[NETDEV_LEN])
{
	struct doctor_names names;
	bool found;

	doctor_world_list(&doctor->world, &names,
			  "/sys/class/infiniband/%s/device/net", device->name);
	found = names.count > 0 &&
		strlen(names.entries[0]->d_name) < NETDEV_LEN;
	if (found)
		(void)snprintf(name, NETDEV_LEN, "%s",
			       names.entries[0]->d_name);
	doctor_names_free(&names);
	return found;
}

static bool find_netdev(const struct doctor *doctor,
			const struct doctor_device *device,
			const struct doctor_port *port, char name[NETDEV_LEN])
{
	const struct doctor_world *world = &doctor->world;

	*name = '\0';
	if (!device->in_kernel && strncmp(device->name, "uroce_", 6) == 0) {
		(void)snprintf(name, NETDEV_LEN, "%s", device->name + 6);
		return true;
	}
	for (size_t i = 0; i < port->nr_gids; i++)
		if (port->gids[i].ndev_ifindex != 0 &&
		    if_indextoname(port->gids[i].ndev_ifindex, name))
			return true;
	if (doctor_world_read(world, name, NETDEV_LEN,
			      "/sys/class/infiniband/%s/ports/%u/gid_attrs/"
			      "ndevs/0",
			      device->name, port->number) == 0 &&
	    *name)
		return true;
	/* soft-RoCE and soft-iWARP */
	if (doctor_world_read(world, name, NETDEV_LEN,
			      "/sys/class/infiniband/%s/parent",
			      device->name) == 0 &&
	    *name)
		return true;
	return first_in_folder(doctor, device, name);
}

/* ------------------------------------------------------------------------ */
/* States                                                                    */
/* ------------------------------------------------------------------------ */

static void add_taken(struct doctor *doctor, const struct doctor_device *device,
		      const struct doctor_port *port)
{
	struct doctor_finding *finding;

	finding = doctor_add(&doctor->findings, DOCTOR_UROCE_PORT_TAKEN,
			     device->name, port->number,
			     "UDP port 4791 cannot be had: another user, or "
			     "soft-RoCE of the kernel, has it.");
	doctor_cure(finding, "ss -lunp sport = :4791   # who");
	doctor_cure(finding, "rdma link   # is there an rxe device?");
}

static void add_no_sm(struct doctor *doctor, const struct doctor_device *device,
		      const struct doctor_port *port)
{
	struct doctor_finding *finding;

	finding = doctor_add(&doctor->findings, DOCTOR_PORT_NO_SM, device->name,
			     port->number,
			     "The port has a link, but no subnet manager has "
			     "made it active (state %s). One host of the "
			     "network, or a switch, must run one.",
			     ibv_port_state_str(port->attr.state));
	doctor_cure(finding, "systemctl start opensm   # on one host");
}

static void add_down(struct doctor *doctor, const struct doctor_device *device,
		     const struct doctor_port *port)
{
	struct doctor_finding *finding;
	char netdev[NETDEV_LEN];
	bool known = find_netdev(doctor, device, port, netdev);

	if (known && !doctor_netdev_is_up(doctor, netdev)) {
		finding = doctor_add(&doctor->findings, DOCTOR_PORT_DOWN,
				     device->name, port->number,
				     "The port is down, since its network "
				     "interface %s is.",
				     netdev);
		doctor_cure(finding, "ip link set %s up", netdev);
		return;
	}
	finding = doctor_add(&doctor->findings, DOCTOR_PORT_DOWN, device->name,
			     port->number,
			     "The port has no link (state %s): look at cable, "
			     "switch and the other end.",
			     ibv_port_state_str(port->attr.state));
	if (known)
		doctor_cure(finding, "ip link show %s", netdev);
	else
		doctor_cure(finding, "rdma link show %s/%u", device->name,
			    port->number);
}

static void check_state(struct doctor *doctor,
			const struct doctor_device *device,
			const struct doctor_port *port)
{
	char netdev[NETDEV_LEN];

	if (port->attr.state == IBV_PORT_ACTIVE ||
	    port->attr.state == IBV_PORT_ACTIVE_DEFER)
		return;
	if (!device->in_kernel && find_netdev(doctor, device, port, netdev) &&
	    doctor_netdev_is_up(doctor, netdev))
		add_taken(doctor, device, port);
	else if (port->attr.link_layer == IBV_LINK_LAYER_INFINIBAND &&
		 (port->attr.state == IBV_PORT_INIT ||
		  port->attr.state == IBV_PORT_ARMED))
		add_no_sm(doctor, device, port);
	else
		add_down(doctor, device, port);
}

/* ------------------------------------------------------------------------ */
/* Addresses                                                                 */
/* ------------------------------------------------------------------------ */

static void cure_by_address(const struct doctor *doctor,
			    const struct doctor_device *device,
			    const struct doctor_port *port,
			    struct doctor_finding *finding)
{
	char netdev[NETDEV_LEN];

	if (!find_netdev(doctor, device, port, netdev))
		(void)snprintf(netdev, sizeof(netdev), "INTERFACE");
	doctor_cure(finding, "ip address add ADDRESS/24 dev %s", netdev);
}

static void add_index(struct doctor *doctor, const struct doctor_device *device,
		      const struct doctor_port *port)
{
	unsigned int best = port->best_gid->gid_index;
	struct doctor_finding *finding;
	char text[INET6_ADDRSTRLEN];

	(void)inet_ntop(AF_INET6, port->best_gid->gid.raw, text, sizeof(text));
	finding = doctor_add(
		&doctor->findings, DOCTOR_GID_INDEX, device->name, port->number,
		"GID index 0 is not the best: %s, index %u, can be "
		"routed. Programs that ask for an index should get "
		"that one.",
		text, best);
	doctor_cure(finding, "ibv_rc_pingpong -g %u ...", best);
	doctor_cure(finding, "export NCCL_IB_GID_INDEX=%u UCX_IB_GID_INDEX=%u",
		    best, best);
}

static void check_gids(struct doctor *doctor,
		       const struct doctor_device *device,
		       const struct doctor_port *port)
{
	struct doctor_finding *finding;

	if (!port->best_gid) {
		finding =
			doctor_add(&doctor->findings, DOCTOR_GID_NONE,
				   device->name, port->number,
				   "The port has no GID, which is its address: "
				   "its network interface has no IP address.");
		cure_by_address(doctor, device, port, finding);
		return;
	}
	if (rank(port->best_gid) < 2) {
		finding = doctor_add(&doctor->findings, DOCTOR_GID_V1_ONLY,
				     device->name, port->number,
				     "All GIDs are of RoCE v1, which no router "
				     "forwards and few peers use.");
		cure_by_address(doctor, device, port, finding);
	} else if (is_link_local(port->best_gid)) {
		finding =
			doctor_add(&doctor->findings, DOCTOR_GID_LINK_LOCAL,
				   device->name, port->number,
				   "The only GIDs are link-local: peers behind "
				   "a router cannot be reached, and many "
				   "programs want an IP address.");
		cure_by_address(doctor, device, port, finding);
	}
	if (has_holes(port)) {
		finding = doctor_add(
			&doctor->findings, DOCTOR_GID_HOLES, device->name,
			port->number,
			"The table of GIDs has holes: of the "
			"indexes 0 to %u, %zu are in use. Programs "
			"that try one after the other may stop at "
			"a hole.",
			port->gids[port->nr_gids - 1].gid_index, port->nr_gids);
		doctor_cure(finding, "export NCCL_IB_GID_INDEX=%u",
			    port->best_gid->gid_index);
	}
	if (port->best_gid->gid_index != 0 && rank(port->best_gid) > 2)
		add_index(doctor, device, port);
}

/* ------------------------------------------------------------------------ */

static void add_failures(struct doctor *doctor,
			 const struct doctor_device *device)
{
	struct doctor_finding *finding = NULL;

	if (device->open_error &&
	    !doctor_has_error(&doctor->findings, device->name))
		finding = doctor_add(&doctor->findings, DOCTOR_OPEN_FAILED,
				     device->name, 0,
				     "The device is listed, but cannot be "
				     "opened: %s.",
				     strerror(device->open_error));
	else if (device->query_error)
		finding = doctor_add(&doctor->findings, DOCTOR_QUERY_FAILED,
				     device->name, 0,
				     "The device is open, but does not answer: "
				     "%s.",
				     strerror(device->query_error));
	else if (device->failed_step &&
		 !doctor_found(&doctor->findings, DOCTOR_MEMLOCK_LOW, NULL) &&
		 !doctor_found(&doctor->findings, DOCTOR_CGROUP_RDMA,
			       device->name))
		finding = doctor_add(&doctor->findings, DOCTOR_OBJECT_FAILED,
				     device->name, 0,
				     "The device is open, but %s cannot be "
				     "made: %s.",
				     device->failed_step,
				     strerror(device->step_error));
	if (finding)
		doctor_cure(finding, "dmesg | tail");
}

static void check_port(struct doctor *doctor,
		       const struct doctor_device *device,
		       struct doctor_port *port)
{
	struct doctor_finding *finding;

	if (port->query_error) {
		finding = doctor_add(&doctor->findings, DOCTOR_QUERY_FAILED,
				     device->name, port->number,
				     "The port does not answer: %s.",
				     strerror(port->query_error));
		doctor_cure(finding, "dmesg | tail");
		return;
	}
	check_state(doctor, device, port);
	port->usable = port->attr.state == IBV_PORT_ACTIVE ||
		       port->attr.state == IBV_PORT_ACTIVE_DEFER;
	if (!has_gid_addresses(device, port) || port->gid_error)
		return;
	choose_gid(port);
	check_gids(doctor, device, port);
	if (!port->best_gid)
		port->usable = false;
}

static void check_device(struct doctor *doctor, struct doctor_device *device)
{
	add_failures(doctor, device);
	if (device->open_error || device->query_error)
		return;
	for (size_t i = 0; i < device->nr_ports; i++) {
		struct doctor_port *port = &device->ports[i];

		if (doctor->only_port && port->number != doctor->only_port)
			continue;
		check_port(doctor, device, port);
		if (port->usable && !device->failed_step)
			device->usable = true;
	}
}

void doctor_check_ports(struct doctor *doctor)
{
	for (size_t i = 0; i < doctor->nr_devices; i++)
		if (doctor->devices[i].selected && doctor->devices[i].listed)
			check_device(doctor, &doctor->devices[i]);
}
