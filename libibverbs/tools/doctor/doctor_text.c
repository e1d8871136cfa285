/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Prints the report as text: one line for each device, the findings sorted by
 * severity, and a summary. Sentences are wrapped. Commands are not, so that
 * they can be copied.
 */
#include <arpa/inet.h>
#include <string.h>

#include "tools/doctor/doctor_report.h"

#define DOCTOR_TEXT_COLUMNS 79

enum doctor_status doctor_status(const struct doctor *doctor)
{
	if (!doctor_any_usable(doctor))
		return DOCTOR_UNUSABLE;
	for (size_t i = 0; i < doctor->findings.count; i++)
		if (doctor->findings.list[i].severity >= DOCTOR_WARNING)
			return DOCTOR_DEGRADED;
	return DOCTOR_USABLE;
}

/*
 * Prints words in lines that start with @indent blanks. A longer word exceeds
 * the line.
 */
static void doctor_text_fold(FILE *file, size_t indent, const char *text)
{
	size_t column = 0, len;

	for (; *text; text += len) {
		text += strspn(text, " ");
		len = strcspn(text, " ");
		if (len == 0)
			break;
		if (column > 0 && column + 1 + len > DOCTOR_TEXT_COLUMNS) {
			(void)fputc('\n', file);
			column = 0;
		}
		if (column == 0)
			column = (size_t)fprintf(file, "%*s", (int)indent, "");
		else
			column += (size_t)fprintf(file, " ");
		column += (size_t)fprintf(file, "%.*s", (int)len, text);
	}
	(void)fputc('\n', file);
}

static void doctor_text_print_port(FILE *file, const struct doctor_port *port)
{
	const struct ibv_gid_entry *gid = port->best_gid;
	char address[INET6_ADDRSTRLEN];

	if (port->query_error) {
		(void)fprintf(file, "  port %u: query failed\n", port->number);
		return;
	}
	(void)fprintf(file, "  port %u: %s", port->number,
		      ibv_port_state_str(port->attr.state));
	if (gid && inet_ntop(AF_INET6, gid->gid.raw, address, sizeof(address)))
		(void)fprintf(file, ", GID index %u is %s", gid->gid_index,
			      address);
	(void)fputc('\n', file);
}

static void doctor_text_print_missing(FILE *file,
				      const struct doctor_device *device)
{
	char text[256] = "not supported:";

	for (size_t i = 0; device->missing[i]; i++) {
		size_t len = strlen(text);

		(void)snprintf(text + len, sizeof(text) - len, "%s %s",
			       i == 0 ? "" : ",", device->missing[i]);
	}
	if (device->missing[0])
		doctor_text_fold(file, 2, text);
}

static void doctor_text_print_device(const struct doctor *doctor, FILE *file,
				     const struct doctor_device *device)
{
	(void)fprintf(file, "%s: %s%s\n", device->name,
		      device->usable ? "can be used" : "cannot be used",
		      device->in_kernel ? "" : ", in user space");
	doctor_text_print_missing(file, device);
	for (size_t i = 0; i < device->nr_ports; i++)
		if (!doctor->only_port ||
		    device->ports[i].number == doctor->only_port)
			doctor_text_print_port(file, &device->ports[i]);
}

static void doctor_text_print_finding(FILE *file,
				      const struct doctor_finding *finding)
{
	(void)fprintf(file, "\n%s: %s", doctor_severity_name(finding->severity),
		      doctor_kinds[finding->id].id);
	if (*finding->device)
		(void)fprintf(file, ": %s", finding->device);
	if (finding->port)
		(void)fprintf(file, " port %u", finding->port);
	(void)fputc('\n', file);
	doctor_text_fold(file, 2, finding->text);
	if (finding->has_reason) {
		(void)fprintf(file, "  Messages of the library:\n");
		doctor_text_fold(file, 4, finding->reason);
	}
	for (size_t i = 0; i < finding->nr_fixes; i++)
		(void)fprintf(file, "%s%s\n", i == 0 ? "  fix: " : "       ",
			      finding->fixes[i]);
}

void doctor_print_text(const struct doctor *doctor, FILE *file)
{
	size_t nr_usable = 0, nr_selected = 0;

	for (size_t i = 0; i < doctor->nr_devices; i++) {
		const struct doctor_device *device = &doctor->devices[i];

		if (!device->selected)
			continue;
		nr_selected++;
		if (device->usable)
			nr_usable++;
		doctor_text_print_device(doctor, file, device);
	}
	if (nr_selected == 0)
		(void)fprintf(file, "No RDMA device found.\n");
	for (size_t i = 0; i < doctor->findings.count; i++)
		doctor_text_print_finding(file, &doctor->findings.list[i]);
	(void)fprintf(file, "\n%zu of %zu device%s can be used.\n", nr_usable,
		      nr_selected, nr_selected == 1 ? "" : "s");
}
