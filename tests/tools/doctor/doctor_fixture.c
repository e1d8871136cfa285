/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A fake system made of files: see doctor_fixture.h. */
#include "tools/doctor/doctor_fixture.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int doctor_fixture_setup(void **state)
{
	struct doctor_fixture *fixture = calloc(1, sizeof(*fixture));
	struct doctor_system *system;

	assert_non_null(fixture);
	fake_sysfs_init(&fixture->fake);
	system = &fixture->doctor.system;
	snprintf(system->root, sizeof(system->root), "%s", fixture->fake.root);
	assert_true(strlen(fixture->fake.sysfs) < sizeof(system->sysfs));
	strcpy(system->sysfs, fixture->fake.sysfs);
	strcpy(fixture->doctor.library.path, "/opt/lib/libibverbs.so.1");
	fixture->doctor.library.is_anyverbs = true;
	fixture->doctor.memory = 1024ul * 1024;
	fixture->doctor.limits = (struct doctor_limits){ ULONG_MAX, ULONG_MAX,
							 ULONG_MAX, ULONG_MAX,
							 false };
	*state = fixture;
	return 0;
}

int doctor_fixture_teardown(void **state)
{
	struct doctor_fixture *fixture = *state;

	fake_sysfs_fini(&fixture->fake);
	doctor_free(&fixture->doctor);
	free(fixture);
	return 0;
}

void doctor_fixture_write(struct doctor_fixture *fixture, const char *path,
			  const char *fmt, ...)
{
	char text[16384];
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	assert_in_range(len, 0, sizeof(text) - 1);
	fake_sysfs_write(&fixture->fake, path, text);
}

void doctor_fixture_link(struct doctor_fixture *fixture, const char *path,
			 const char *target)
{
	char full[PATH_MAX];

	/* writing a file creates the folders; replace it by the link */
	fake_sysfs_write(&fixture->fake, path, "");
	snprintf(full, sizeof(full), "%s/%s", fixture->fake.root, path);
	assert_int_equal(unlink(full), 0);
	assert_int_equal(symlink(target, full), 0);
}

void doctor_fixture_set_modules(struct doctor_fixture *fixture,
				const char *names)
{
	char text[4096] = "", word[64];
	int used = 0, skip;

	doctor_fixture_write(fixture, "proc/sys/kernel/osrelease", "6.1.0\n");
	for (; sscanf(names, "%63s%n", word, &skip) == 1; names += skip)
		used += snprintf(text + used, sizeof(text) - (size_t)used,
				 "kernel/drivers/infiniband/%s.ko.xz: "
				 "kernel/drivers/infiniband/core/ib_core.ko\n",
				 word);
	doctor_fixture_write(fixture, "lib/modules/6.1.0/modules.dep", "%s",
			     text);
}

struct doctor_device *doctor_fixture_add_device(struct doctor_fixture *fixture,
						unsigned int n)
{
	struct doctor_device *device;
	char name[16], path[128];

	fake_sysfs_class(&fixture->fake, "6\n");
	fake_sysfs_device(&fixture->fake, n);
	/* device number of /dev/null, to which the test's node links */
	snprintf(path, sizeof(path), "sys/class/infiniband_verbs/uverbs%u/dev",
		 n);
	fake_sysfs_write(&fixture->fake, path, "1:3\n");
	doctor_read_devices(&fixture->doctor);
	snprintf(name, sizeof(name), "rxe%u", n);
	device = doctor_device_get(&fixture->doctor, name);
	assert_true(device->in_kernel && device->selected);
	return device;
}

struct doctor_device *
doctor_fixture_add_open_device(struct doctor_fixture *fixture, unsigned int n)
{
	struct doctor_device *device = doctor_fixture_add_device(fixture, n);

	device->listed = true;
	device->transport = IBV_TRANSPORT_IB;
	device->ports = calloc(2, sizeof(*device->ports));
	assert_non_null(device->ports);
	device->nr_ports = 1;
	device->ports[0].number = 1;
	device->ports[0].attr.state = IBV_PORT_ACTIVE;
	device->ports[0].attr.link_layer = IBV_LINK_LAYER_ETHERNET;
	return device;
}

void doctor_fixture_add_gid(struct doctor_device *device, uint32_t index,
			    const char *address, uint32_t type)
{
	struct doctor_port *port = &device->ports[0];
	struct ibv_gid_entry *entry;

	port->gids =
		realloc(port->gids, (port->nr_gids + 1) * sizeof(*port->gids));
	assert_non_null(port->gids);
	entry = &port->gids[port->nr_gids++];
	*entry = (struct ibv_gid_entry){
		.gid_index = index,
		.port_num = 1,
		.gid_type = type,
	};
	assert_int_equal(inet_pton(AF_INET6, address, entry->gid.raw), 1);
}

size_t doctor_fixture_count(const struct doctor_fixture *fixture,
			    enum doctor_id id)
{
	const struct doctor_findings *findings = &fixture->doctor.findings;
	size_t count = 0;

	for (size_t i = 0; i < findings->count; i++)
		if (findings->list[i].id == id)
			count++;
	return count;
}

const struct doctor_finding *doctor_fixture_find(struct doctor_fixture *fixture,
						 enum doctor_id id,
						 const char *device)
{
	const struct doctor_findings *findings = &fixture->doctor.findings;
	const struct doctor_finding *finding = NULL;

	for (size_t i = 0; i < findings->count; i++)
		if (findings->list[i].id == id)
			finding = &findings->list[i];
	if (!finding || doctor_fixture_count(fixture, id) != 1)
		fail_msg("%zu findings of kind %s",
			 doctor_fixture_count(fixture, id),
			 doctor_kinds[id].id);
	assert_string_equal(finding->device, device ? device : "");
	assert_in_range(strlen(finding->text), 20, sizeof(finding->text) - 2);
	assert_int_equal(finding->text[strlen(finding->text) - 1] == '.' ||
				 finding->text[strlen(finding->text) - 1] ==
					 '?',
			 1);
	assert_in_range(finding->nr_fixes, 1, DOCTOR_MAX_FIXES);
	return finding;
}

void assert_has_text(const struct doctor_finding *finding, const char *text)
{
	if (!strstr(finding->text, text))
		fail_msg("\"%s\" is not in: %s", text, finding->text);
}

void assert_has_fix(const struct doctor_finding *finding, const char *text)
{
	for (size_t i = 0; i < finding->nr_fixes; i++)
		if (strstr(finding->fixes[i], text))
			return;
	fail_msg("no fix has \"%s\"; the first is: %s", text,
		 finding->fixes[0]);
}

void assert_no_findings(const struct doctor_fixture *fixture)
{
	const struct doctor_findings *findings = &fixture->doctor.findings;

	if (findings->count > 0)
		fail_msg("unexpected: %s: %s",
			 doctor_kinds[findings->list[0].id].id,
			 findings->list[0].text);
}
