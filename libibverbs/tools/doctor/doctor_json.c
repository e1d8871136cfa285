/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Prints the report as JSON. The manual page describes the document. While
 * "schema" is 1, no member is removed or changes its meaning. Schema 1 has
 * older names for the status, for DOCTOR_DEGRADED ("limping") and for the fixes
 * ("cures").
 */
#include <arpa/inet.h>
#include <string.h>
#include <sys/utsname.h>

#include "tools/doctor/doctor_report.h"
#include "tools/json_out.h"

#define DOCTOR_JSON_SCHEMA 1

static const char *doctor_json_status_name(enum doctor_status status)
{
	switch (status) {
	case DOCTOR_USABLE:
		return "usable";
	case DOCTOR_UNUSABLE:
		return "unusable";
	case DOCTOR_DEGRADED:
		break;
	}
	return "limping";
}

static void doctor_json_limit(struct json_out *json, const char *key,
			      unsigned long limit)
{
	if (limit == ULONG_MAX)
		json_null(json, key);
	else
		json_uint(json, key, limit);
}

static void doctor_json_machine(struct json_out *json,
				const struct doctor *doctor)
{
	struct utsname names;

	json_object(json, "library");
	json_string(json, "path", doctor->library.path);
	json_bool(json, "anyverbs", doctor->library.is_anyverbs);
	json_object_end(json);
	if (uname(&names) == 0)
		json_string(json, "kernel", names.release);
	else
		json_null(json, "kernel");
	json_bool(json, "container", doctor->in_container);
	json_object(json, "limits");
	doctor_json_limit(json, "memlock", doctor->limits.memlock);
	json_bool(json, "memlock_applies", !doctor->limits.memlock_exempt);
	doctor_json_limit(json, "nofile", doctor->limits.nofile);
	json_object_end(json);
}

static void doctor_json_port(struct json_out *json,
			     const struct doctor_port *port)
{
	char address[INET6_ADDRSTRLEN];

	json_object(json, NULL);
	json_uint(json, "port", port->number);
	json_bool(json, "usable", port->usable);
	if (port->query_error)
		json_null(json, "state");
	else
		json_string(json, "state",
			    ibv_port_state_str(port->attr.state));
	json_uint(json, "gids", port->nr_gids);
	if (port->best_gid && inet_ntop(AF_INET6, port->best_gid->gid.raw,
					address, sizeof(address))) {
		json_uint(json, "gid_index", port->best_gid->gid_index);
		json_string(json, "gid", address);
	} else {
		json_null(json, "gid_index");
		json_null(json, "gid");
	}
	json_object_end(json);
}

static void doctor_json_devices(struct json_out *json,
				const struct doctor *doctor)
{
	json_array(json, "devices");
	for (size_t i = 0; i < doctor->nr_devices; i++) {
		const struct doctor_device *device = &doctor->devices[i];

		if (!device->selected)
			continue;
		json_object(json, NULL);
		json_string(json, "name", device->name);
		json_bool(json, "usable", device->usable);
		json_bool(json, "user_space", !device->in_kernel);
		json_bool(json, "listed", device->listed);
		json_array(json, "missing_features");
		for (size_t k = 0; device->missing[k]; k++)
			json_string(json, NULL, device->missing[k]);
		json_array_end(json);
		json_array(json, "ports");
		for (size_t k = 0; k < device->nr_ports; k++)
			if (!doctor->only_port ||
			    device->ports[k].number == doctor->only_port)
				doctor_json_port(json, &device->ports[k]);
		json_array_end(json);
		json_object_end(json);
	}
	json_array_end(json);
}

static void doctor_json_finding(struct json_out *json,
				const struct doctor_finding *finding)
{
	json_object(json, NULL);
	json_string(json, "id", doctor_kinds[finding->id].id);
	json_string(json, "severity", doctor_severity_name(finding->severity));
	json_string(json, "device", *finding->device ? finding->device : NULL);
	if (finding->port)
		json_uint(json, "port", finding->port);
	else
		json_null(json, "port");
	json_string(json, "text", finding->text);
	json_string(json, "reason",
		    finding->has_reason ? finding->reason : NULL);
	json_array(json, "cures");
	for (size_t i = 0; i < finding->nr_fixes; i++)
		json_string(json, NULL, finding->fixes[i]);
	json_array_end(json);
	json_object_end(json);
}

int doctor_print_json(const struct doctor *doctor, FILE *file)
{
	enum doctor_status status = doctor_status(doctor);
	struct json_out json;

	json_begin(&json, file);
	json_object(&json, NULL);
	json_uint(&json, "schema", DOCTOR_JSON_SCHEMA);
	json_string(&json, "verdict", doctor_json_status_name(status));
	json_uint(&json, "exit_status", status);
	doctor_json_machine(&json, doctor);
	doctor_json_devices(&json, doctor);
	json_array(&json, "findings");
	for (size_t i = 0; i < doctor->findings.count; i++)
		doctor_json_finding(&json, &doctor->findings.list[i]);
	json_array_end(&json);
	json_object_end(&json);
	return json_end(&json);
}
