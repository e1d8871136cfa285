/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Diagnoses why the library does not list a kernel device whose node can be
 * opened: its provider is not installed, of an unsupported release, not
 * configured, or rejects the device. Also finds driver files that name a
 * missing provider.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/doctor/doctor.h"

/* Kernel drivers and modules whose providers have another name. */
static const struct {
	const char *driver, *provider;
} provider_names[] = {
	{ "mlx5_core", "mlx5" },   { "mlx4_core", "mlx4" },
	{ "ib_mthca", "mthca" },   { "bnxt_en", "bnxt_re" },
	{ "ice", "irdma" },	   { "i40e", "irdma" },
	{ "idpf", "irdma" },	   { "iw_cxgb4", "cxgb4" },
	{ "qede", "qedr" },	   { "be2net", "ocrdma" },
	{ "hfi1", "hfi1verbs" },   { "ib_qib", "ipathverbs" },
	{ "hns3", "hns" },	   { "hns_roce_hw_v2", "hns" },
	{ "ionic_rdma", "ionic" }, { "mana_ib", "mana" },
};

/* Devices without a parent device are identified by their names. */
static const char *const virtual_devices[] = { "rxe", "siw" };

/* Releases of the provider modules that AnyVerbs can load. */
static const char *const releases[] = { "anyverbs1", "rdmav34", "rdmav57",
					"rdmav59",   "rdmav64", "rdmav65" };

#define NR(array)		 (sizeof(array) / sizeof((array)[0]))
#define DOCTOR_PROVIDER_NAME_LEN 64

/* "no provider for rxe0 (kernel driver rxe, ABI 2)" */
static bool
doctor_provider_name_from_messages(const struct doctor *doctor,
				   const char *device,
				   char name[DOCTOR_PROVIDER_NAME_LEN])
{
	char wanted[128];
	const char *start;
	size_t len;

	(void)snprintf(wanted, sizeof(wanted),
		       "no provider for %s (kernel driver ", device);
	start = strstr(doctor->library.messages, wanted);
	if (!start)
		return false;
	start += strlen(wanted);
	len = strcspn(start, ",)\n");
	if (len == 0 || len >= DOCTOR_PROVIDER_NAME_LEN ||
	    strncmp(start, "unknown", len) == 0)
		return false;
	memcpy(name, start, len);
	name[len] = '\0';
	return true;
}

static bool doctor_provider_find_name(const struct doctor *doctor,
				      const char *device,
				      char name[DOCTOR_PROVIDER_NAME_LEN])
{
	if (doctor_provider_name_from_messages(doctor, device, name))
		return true;
	for (size_t i = 0; i < NR(virtual_devices); i++)
		if (strncmp(device, virtual_devices[i], 3) == 0) {
			(void)snprintf(name, DOCTOR_PROVIDER_NAME_LEN, "%s",
				       virtual_devices[i]);
			return true;
		}
	if (!doctor_system_read_link(
		    &doctor->system, name, DOCTOR_PROVIDER_NAME_LEN,
		    "/sys/class/infiniband/%s/device/driver", device))
		return false;
	for (size_t i = 0; i < NR(provider_names); i++)
		if (strcmp(provider_names[i].driver, name) == 0)
			(void)snprintf(name, DOCTOR_PROVIDER_NAME_LEN, "%s",
				       provider_names[i].provider);
	return true;
}

/* ------------------------------------------------------------------------ */
/* Installed modules */
/* ------------------------------------------------------------------------ */

/*
 * Modules of one provider: one that the library can load, and one of another
 * release.
 */
struct provider_modules {
	const struct doctor *doctor;
	const char *name;
	char usable[PATH_MAX], other[PATH_MAX];
};

static bool doctor_provider_release_is_known(const char *file, const char *name)
{
	char known[NAME_MAX];

	for (size_t i = 0; i < NR(releases); i++) {
		(void)snprintf(known, sizeof(known), "lib%s-%s.so", name,
			       releases[i]);
		if (strcmp(file, known) == 0)
			return true;
	}
	return false;
}

static void doctor_provider_find_modules(void *arg, const char *folder)
{
	struct provider_modules *modules = arg;
	struct doctor_dir_list files;
	char pattern[NAME_MAX];

	(void)snprintf(pattern, sizeof(pattern), "lib%s-*.so", modules->name);
	doctor_system_list(&modules->doctor->system, &files, "%s", folder);
	for (int i = 0; i < files.count; i++) {
		const char *file = files.entries[i]->d_name;
		char *found = modules->other;

		if (fnmatch(pattern, file, 0) != 0)
			continue;
		/* The releases that another library supports are unknown. */
		if (!modules->doctor->library.is_anyverbs ||
		    doctor_provider_release_is_known(file, modules->name))
			found = modules->usable;
		if (!*found)
			(void)snprintf(found, PATH_MAX, "%s/%s", folder, file);
	}
	doctor_dir_list_free(&files);
}

/* ------------------------------------------------------------------------ */
/* Configuration */
/* ------------------------------------------------------------------------ */

struct config_line {
	const struct doctor *doctor;
	void (*visit)(struct config_line *line, const char *name);
	const char *file;
	const char *wanted; /* name to find */
	bool found;	    /* result */
	struct doctor_findings *findings;
};

static bool doctor_config_parse_line(void *arg, char *text)
{
	struct config_line *line = arg;
	char *save, *word = strtok_r(text, " ", &save);

	if (word && strcmp(word, "driver") == 0) {
		word = strtok_r(NULL, " ", &save);
		if (word)
			line->visit(line, word);
	}
	return true;
}

static void doctor_config_for_each_driver(struct config_line *line)
{
	struct doctor_dir_list files;

	doctor_system_list(&line->doctor->system, &files, "%s",
			   doctor_config_dir(line->doctor));
	for (int i = 0; i < files.count; i++) {
		line->file = files.entries[i]->d_name;
		(void)doctor_system_for_each_line(
			&line->doctor->system, doctor_config_parse_line, line,
			"%s/%s", doctor_config_dir(line->doctor), line->file);
	}
	doctor_dir_list_free(&files);
}

/* Matches "rxe" and "rxe-rdmav34", which selects a module. */
static void doctor_config_match_name(struct config_line *line, const char *name)
{
	size_t len = strlen(line->wanted);

	if (strncmp(name, line->wanted, len) == 0 &&
	    (name[len] == '\0' || name[len] == '-'))
		line->found = true;
}

/* The variable configures a provider like a driver file does. */
static void doctor_config_read_variable(struct config_line *line)
{
	const char *list = getenv("RDMAV_DRIVERS");
	char name[DOCTOR_PROVIDER_NAME_LEN];
	size_t len;

	if (!list)
		list = getenv("IBV_DRIVERS");
	for (; list && *list; list += len + (list[len] != '\0')) {
		len = strcspn(list, ":;");
		if (len == 0 || len >= sizeof(name))
			continue;
		memcpy(name, list, len);
		name[len] = '\0';
		line->visit(line, name);
	}
}

static bool doctor_provider_is_configured(const struct doctor *doctor,
					  const char *name)
{
	struct config_line line = { .doctor = doctor,
				    .visit = doctor_config_match_name,
				    .wanted = name };

	doctor_config_for_each_driver(&line);
	doctor_config_read_variable(&line);
	return line.found;
}

static void doctor_config_add_stale(struct config_line *line, const char *name)
{
	struct doctor_finding *finding;
	char path[PATH_MAX], quoted[DOCTOR_FIX_LEN - 16];

	if (*name == '/' || doctor_has_provider(line->doctor, name))
		return;
	(void)snprintf(path, sizeof(path), "%s/%s",
		       doctor_config_dir(line->doctor), line->file);
	finding = doctor_finding_add(
		line->findings, DOCTOR_DRIVER_FILE_STALE, NULL, 0,
		"%s names the provider %s, which is not installed.", path,
		name);
	doctor_finding_add_fix(
		finding, "rm %s",
		doctor_shell_quote(quoted, sizeof(quoted), path));
}

/* ------------------------------------------------------------------------ */
/* Findings                                                                  */
/* ------------------------------------------------------------------------ */

/* Joins the library's messages that contain @name; false if there are none. */
static bool doctor_provider_collect_messages(const struct doctor *doctor,
					     const char *name, char *buf,
					     size_t size)
{
	const char *line = doctor->library.messages;
	size_t used = 0, len;

	for (; *line; line += len + (line[len] != '\0')) {
		len = strcspn(line, "\n");
		if (!memmem(line, len, name, strlen(name)) ||
		    used + len + 3 > size)
			continue;
		if (used > 0) {
			memcpy(buf + used, "; ", 2);
			used += 2;
		}
		memcpy(buf + used, line, len);
		used += len;
	}
	buf[used] = '\0';
	return used > 0;
}

static void doctor_provider_add_missing(struct doctor *doctor,
					const char *device, const char *name)
{
	struct doctor_finding *finding;

	finding = doctor_finding_add(
		&doctor->findings, DOCTOR_PROVIDER_MISSING, device, 0,
		"No provider for this device is installed%s%s.",
		*name ? "; its name is " : "", name);
	doctor_finding_add_install(doctor, finding, "ibverbs-providers",
				   "libibverbs");
}

static void doctor_provider_add_release(struct doctor *doctor,
					const char *device,
					const struct provider_modules *modules)
{
	struct doctor_finding *finding;

	finding = doctor_finding_add(
		&doctor->findings, DOCTOR_PROVIDER_RELEASE, device, 0,
		"The only installed provider for this device, %s, is of a "
		"release that the library cannot load.",
		modules->other);
	doctor_finding_add_install(doctor, finding, "ibverbs-providers",
				   "libibverbs");
}

static void
doctor_provider_add_not_configured(struct doctor *doctor, const char *device,
				   const struct provider_modules *modules)
{
	const char *folder = doctor_config_dir(doctor);
	struct doctor_finding *finding;

	finding = doctor_finding_add(
		&doctor->findings, DOCTOR_PROVIDER_NOT_CONFIGURED, device, 0,
		"The provider for this device is installed (%s), "
		"but no file in %s names it.",
		modules->usable, folder);
	doctor_finding_add_fix(finding, "mkdir -p %s", folder);
	doctor_finding_add_fix(finding, "echo \"driver %s\" > %s/%s.driver",
			       modules->name, folder, modules->name);
}

/*
 * Both libraries print a message about the ABI. AnyVerbs prints none for its
 * own modules.
 */
static bool doctor_provider_message_is_abi(const struct doctor *doctor,
					   const char *name,
					   const char *messages)
{
	char complaint[DOCTOR_PROVIDER_NAME_LEN + 16];

	if (strstr(messages, "ABI of ") || strstr(messages, "driver's ABI"))
		return true;
	(void)snprintf(complaint, sizeof(complaint), "provider %s:", name);
	return doctor->library.is_anyverbs && *messages &&
	       !strstr(messages, complaint);
}

static void doctor_provider_add_refused(struct doctor *doctor,
					const char *device,
					const struct provider_modules *modules)
{
	struct doctor_finding *finding;
	char messages[1024];

	if (!doctor_provider_collect_messages(doctor, modules->name, messages,
					      sizeof(messages)))
		(void)doctor_provider_collect_messages(doctor, device, messages,
						       sizeof(messages));
	if (doctor_provider_message_is_abi(doctor, modules->name, messages)) {
		finding = doctor_finding_add(
			&doctor->findings, DOCTOR_PROVIDER_ABI, device, 0,
			"The provider %s does not support the ABI version of "
			"the kernel driver. Update the older of the two.",
			modules->usable);
		doctor_finding_add_install(doctor, finding, "ibverbs-providers",
					   "libibverbs");
	} else {
		finding = doctor_finding_add(&doctor->findings,
					     DOCTOR_PROVIDER_BROKEN, device, 0,
					     "The provider %s cannot be "
					     "loaded, or rejects this device.",
					     modules->usable);
		doctor_finding_add_fix(finding, "ldd -r %s", modules->usable);
	}
	if (*messages)
		doctor_finding_set_reason(finding, messages);
}

static void doctor_provider_check_device(struct doctor *doctor,
					 const char *device)
{
	struct provider_modules modules = { .doctor = doctor };
	char name[DOCTOR_PROVIDER_NAME_LEN];

	if (!doctor_provider_find_name(doctor, device, name)) {
		doctor_provider_add_missing(doctor, device, "");
		return;
	}
	modules.name = name;
	doctor_provider_for_each_folder(doctor, doctor_provider_find_modules,
					&modules);
	if (!*modules.usable && *modules.other)
		doctor_provider_add_release(doctor, device, &modules);
	else if (!*modules.usable)
		doctor_provider_add_missing(doctor, device, name);
	else if (!doctor_provider_is_configured(doctor, name))
		doctor_provider_add_not_configured(doctor, device, &modules);
	else
		doctor_provider_add_refused(doctor, device, &modules);
}

void doctor_check_providers(struct doctor *doctor)
{
	struct config_line line = { .doctor = doctor,
				    .visit = doctor_config_add_stale,
				    .findings = &doctor->findings };

	for (size_t i = 0; i < doctor->nr_devices; i++) {
		const struct doctor_device *device = &doctor->devices[i];

		if (device->selected && *device->uverbs && !device->listed &&
		    !doctor->library.list_error &&
		    !doctor_has_error(&doctor->findings, device->name) &&
		    !doctor_has_finding(&doctor->findings,
					DOCTOR_NODES_NO_FOLDER, NULL))
			doctor_provider_check_device(doctor, device->name);
	}
	doctor_config_for_each_driver(&line);
}
