/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Why the library does not list a device that the kernel has and whose node can
 * be opened: its provider is not installed, of another release, not configured,
 * or does not like the device. And driver files that lead nowhere.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/doctor/doctor.h"

/* Kernel drivers, and modules of the kernel, whose providers have other names.
 */
static const struct {
	const char *driver, *provider;
} names[] = {
	{ "mlx5_core", "mlx5" },   { "mlx4_core", "mlx4" },
	{ "ib_mthca", "mthca" },   { "bnxt_en", "bnxt_re" },
	{ "ice", "irdma" },	   { "i40e", "irdma" },
	{ "idpf", "irdma" },	   { "iw_cxgb4", "cxgb4" },
	{ "qede", "qedr" },	   { "be2net", "ocrdma" },
	{ "hfi1", "hfi1verbs" },   { "ib_qib", "ipathverbs" },
	{ "hns3", "hns" },	   { "hns_roce_hw_v2", "hns" },
	{ "ionic_rdma", "ionic" }, { "mana_ib", "mana" },
};

/* Devices without a parent are known by their names. */
static const char *const virtual_ones[] = { "rxe", "siw" };

/* Suffixes of modules that AnyVerbs loads. */
static const char *const releases[] = { "anyverbs1", "rdmav34", "rdmav57",
					"rdmav59",   "rdmav64", "rdmav65" };

#define NR(array) (sizeof(array) / sizeof((array)[0]))
#define NAME_LEN  64

/* "no provider for rxe0 (kernel driver rxe, ABI 2)" */
static bool name_from_library(const struct doctor *doctor, const char *device,
			      char name[NAME_LEN])
{
	char wanted[128];
	const char *start;
	size_t len;

	(void)snprintf(wanted, sizeof(wanted),
		       "no provider for %s (kernel driver ", device);
	start = strstr(doctor->library.said, wanted);
	if (!start)
		return false;
	start += strlen(wanted);
	len = strcspn(start, ",)\n");
	if (len == 0 || len >= NAME_LEN || strncmp(start, "unknown", len) == 0)
		return false;
	memcpy(name, start, len);
	name[len] = '\0';
	return true;
}

static bool provider_name(const struct doctor *doctor, const char *device,
			  char name[NAME_LEN])
{
	if (name_from_library(doctor, device, name))
		return true;
	for (size_t i = 0; i < NR(virtual_ones); i++)
		if (strncmp(device, virtual_ones[i], 3) == 0) {
			(void)snprintf(name, NAME_LEN, "%s", virtual_ones[i]);
			return true;
		}
	if (!doctor_world_link(&doctor->world, name, NAME_LEN,
			       "/sys/class/infiniband/%s/device/driver",
			       device))
		return false;
	for (size_t i = 0; i < NR(names); i++)
		if (strcmp(names[i].driver, name) == 0)
			(void)snprintf(name, NAME_LEN, "%s", names[i].provider);
	return true;
}

/* ------------------------------------------------------------------------ */
/* What is installed                                                         */
/* ------------------------------------------------------------------------ */

/* Modules of a name: one of a release that can be loaded, and one that not. */
struct installed {
	const struct doctor *doctor;
	const char *name;
	char usable[PATH_MAX], other[PATH_MAX];
};

static bool is_known_release(const char *file, const char *name)
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

static void look_into(void *arg, const char *folder)
{
	struct installed *installed = arg;
	struct doctor_names files;
	char pattern[NAME_MAX];

	(void)snprintf(pattern, sizeof(pattern), "lib%s-*.so", installed->name);
	doctor_world_list(&installed->doctor->world, &files, "%s", folder);
	for (int i = 0; i < files.count; i++) {
		const char *file = files.entries[i]->d_name;
		char *found = installed->other;

		if (fnmatch(pattern, file, 0) != 0)
			continue;
		/* which releases another library knows, it does not tell */
		if (!installed->doctor->library.ours ||
		    is_known_release(file, installed->name))
			found = installed->usable;
		if (!*found)
			(void)snprintf(found, PATH_MAX, "%s/%s", folder, file);
	}
	doctor_names_free(&files);
}

/* ------------------------------------------------------------------------ */
/* What is configured                                                        */
/* ------------------------------------------------------------------------ */

struct config_line {
	const struct doctor *doctor;
	void (*visit)(struct config_line *line, const char *name);
	const char *file;
	const char *wanted; /* name that is looked for, */
	bool found;	    /* and whether it was */
	struct doctor_findings *findings;
};

static bool take_line(void *arg, char *text)
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

static void each_config_line(struct config_line *line)
{
	struct doctor_names files;

	doctor_world_list(&line->doctor->world, &files, "%s",
			  doctor_config_dir(line->doctor));
	for (int i = 0; i < files.count; i++) {
		line->file = files.entries[i]->d_name;
		(void)doctor_world_lines(
			&line->doctor->world, take_line, line, "%s/%s",
			doctor_config_dir(line->doctor), line->file);
	}
	doctor_names_free(&files);
}

/* "rxe", or "rxe-rdmav34", which chooses a module */
static void is_wanted(struct config_line *line, const char *name)
{
	size_t len = strlen(line->wanted);

	if (strncmp(name, line->wanted, len) == 0 &&
	    (name[len] == '\0' || name[len] == '-'))
		line->found = true;
}

/* The environment does what a file does. */
static void look_into_variable(struct config_line *line)
{
	const char *list = getenv("RDMAV_DRIVERS");
	char name[NAME_LEN];
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

static bool is_configured(const struct doctor *doctor, const char *name)
{
	struct config_line line = { .doctor = doctor,
				    .visit = is_wanted,
				    .wanted = name };

	each_config_line(&line);
	look_into_variable(&line);
	return line.found;
}

static void add_if_stale(struct config_line *line, const char *name)
{
	struct doctor_finding *finding;
	char path[PATH_MAX], quoted[DOCTOR_CURE_LEN - 16];

	if (*name == '/' || doctor_has_provider(line->doctor, name))
		return;
	(void)snprintf(path, sizeof(path), "%s/%s",
		       doctor_config_dir(line->doctor), line->file);
	finding =
		doctor_add(line->findings, DOCTOR_DRIVER_FILE_STALE, NULL, 0,
			   "%s names the provider %s, which is not installed.",
			   path, name);
	doctor_cure(finding, "rm %s",
		    doctor_quote(quoted, sizeof(quoted), path));
}

/* ------------------------------------------------------------------------ */
/* Findings                                                                  */
/* ------------------------------------------------------------------------ */

/* The library's lines about a name, joined; false if there are none. */
static bool said_about(const struct doctor *doctor, const char *name, char *buf,
		       size_t size)
{
	const char *line = doctor->library.said;
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

static void add_missing(struct doctor *doctor, const char *device,
			const char *name)
{
	struct doctor_finding *finding;
	char buf[256];

	finding = doctor_add(&doctor->findings, DOCTOR_PROVIDER_MISSING, device,
			     0,
			     "The library has no provider for this device%s%s.",
			     *name ? "; it is called " : "", name);
	doctor_cure(finding, "%s",
		    doctor_install(doctor, buf, sizeof(buf),
				   "ibverbs-providers", "libibverbs"));
}

static void add_release(struct doctor *doctor, const char *device,
			const struct installed *installed)
{
	struct doctor_finding *finding;
	char buf[256];

	finding = doctor_add(&doctor->findings, DOCTOR_PROVIDER_RELEASE, device,
			     0,
			     "The only provider for this device, %s, is of a "
			     "release that the library cannot load.",
			     installed->other);
	doctor_cure(finding, "%s",
		    doctor_install(doctor, buf, sizeof(buf),
				   "ibverbs-providers", "libibverbs"));
}

static void add_not_configured(struct doctor *doctor, const char *device,
			       const struct installed *installed)
{
	const char *folder = doctor_config_dir(doctor);
	struct doctor_finding *finding;

	finding = doctor_add(&doctor->findings, DOCTOR_PROVIDER_NOT_CONFIGURED,
			     device, 0,
			     "The provider for this device is installed (%s), "
			     "but no file in %s names it.",
			     installed->usable, folder);
	doctor_cure(finding, "mkdir -p %s", folder);
	doctor_cure(finding, "echo \"driver %s\" > %s/%s.driver",
		    installed->name, folder, installed->name);
}

/* Both libraries have a word for it; ours has none for its own modules. */
static bool is_about_abi(const struct doctor *doctor, const char *name,
			 const char *said)
{
	char complaint[NAME_LEN + 16];

	if (strstr(said, "ABI of ") || strstr(said, "driver's ABI"))
		return true;
	(void)snprintf(complaint, sizeof(complaint), "provider %s:", name);
	return doctor->library.ours && *said && !strstr(said, complaint);
}

static void add_refused(struct doctor *doctor, const char *device,
			const struct installed *installed)
{
	struct doctor_finding *finding;
	char said[1024], buf[256];

	if (!said_about(doctor, installed->name, said, sizeof(said)))
		(void)said_about(doctor, device, said, sizeof(said));
	if (is_about_abi(doctor, installed->name, said)) {
		finding = doctor_add(
			&doctor->findings, DOCTOR_PROVIDER_ABI, device, 0,
			"The provider %s is there, but does not "
			"know this version of the kernel's driver; "
			"one of them is too old.",
			installed->usable);
		doctor_cure(finding, "%s",
			    doctor_install(doctor, buf, sizeof(buf),
					   "ibverbs-providers", "libibverbs"));
	} else {
		finding = doctor_add(&doctor->findings, DOCTOR_PROVIDER_BROKEN,
				     device, 0,
				     "The provider %s is there, but cannot be "
				     "used for this device.",
				     installed->usable);
		doctor_cure(finding, "ldd -r %s", installed->usable);
	}
	if (*said)
		doctor_reason(finding, said);
}

static void check_device(struct doctor *doctor, const char *device)
{
	struct installed installed = { .doctor = doctor };
	char name[NAME_LEN];

	if (!provider_name(doctor, device, name)) {
		add_missing(doctor, device, "");
		return;
	}
	installed.name = name;
	doctor_provider_folders(doctor, look_into, &installed);
	if (!*installed.usable && *installed.other)
		add_release(doctor, device, &installed);
	else if (!*installed.usable)
		add_missing(doctor, device, name);
	else if (!is_configured(doctor, name))
		add_not_configured(doctor, device, &installed);
	else
		add_refused(doctor, device, &installed);
}

void doctor_check_providers(struct doctor *doctor)
{
	struct config_line line = { .doctor = doctor,
				    .visit = add_if_stale,
				    .findings = &doctor->findings };

	for (size_t i = 0; i < doctor->nr_devices; i++) {
		const struct doctor_device *device = &doctor->devices[i];

		if (device->selected && *device->uverbs && !device->listed &&
		    !doctor->library.list_error &&
		    !doctor_has_error(&doctor->findings, device->name) &&
		    !doctor_found(&doctor->findings, DOCTOR_NODES_NO_FOLDER,
				  NULL))
			check_device(doctor, device->name);
	}
	each_config_line(&line);
}
