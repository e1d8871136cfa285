/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Helpers that several checks use: modules of the running kernel, installed
 * providers, network interfaces, and the package manager.
 */
#include <fnmatch.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tools/doctor/doctor.h"

/* ------------------------------------------------------------------------ */
/* Kernel modules */
/* ------------------------------------------------------------------------ */

struct module_search {
	const char *name;
	bool found;
};

/* The names of module files may contain - in place of _. */
static bool doctor_module_names_equal(const char *a, const char *b, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (a[i] != b[i] && !(a[i] == '-' && b[i] == '_') &&
		    !(a[i] == '_' && b[i] == '-'))
			return false;
	return true;
}

/* "kernel/drivers/infiniband/core/ib_uverbs.ko.xz: ..." */
static bool doctor_module_match_line(void *arg, char *line)
{
	struct module_search *search = arg;
	size_t len = strlen(search->name);
	const char *file;

	line[strcspn(line, ":")] = '\0';
	file = strrchr(line, '/');
	file = file ? file + 1 : line;
	search->found = strncmp(file + strnlen(file, len), ".ko", 3) == 0 &&
			doctor_module_names_equal(file, search->name, len);
	return !search->found;
}

int doctor_read_release(const struct doctor *doctor, char *buf, size_t size)
{
	return doctor_system_read(&doctor->system, buf, size,
				  "/proc/sys/kernel/osrelease");
}

bool doctor_has_kernel_module(const struct doctor *doctor, const char *name)
{
	static const char *const files[] = { "modules.dep", "modules.builtin" };
	struct module_search search = { .name = name };
	char release[128];

	if (doctor_read_release(doctor, release, sizeof(release)))
		return false;
	for (size_t i = 0; i < 2 && !search.found; i++)
		(void)doctor_system_for_each_line(
			&doctor->system, doctor_module_match_line, &search,
			"/lib/modules/%s/%s", release, files[i]);
	return search.found;
}

/* ------------------------------------------------------------------------ */
/* Providers                                                                 */
/* ------------------------------------------------------------------------ */

static void doctor_provider_visit_path(const char *folders,
				       void (*visit)(void *arg,
						     const char *folder),
				       void *arg)
{
	char folder[PATH_MAX];
	size_t len;

	for (; *folders; folders += len + (folders[len] != '\0')) {
		len = strcspn(folders, ":");
		if (len == 0 || len >= sizeof(folder))
			continue;
		memcpy(folder, folders, len);
		folder[len] = '\0';
		visit(arg, folder);
	}
}

void doctor_provider_for_each_folder(const struct doctor *doctor,
				     void (*visit)(void *arg,
						   const char *folder),
				     void *arg)
{
	const char *slash = strrchr(doctor->library.path, '/');
	char beside[PATH_MAX];
	int len;

	len = snprintf(beside, sizeof(beside), "%.*s/libibverbs",
		       slash ? (int)(slash - doctor->library.path) : 0,
		       doctor->library.path);
	if (slash && len > 0 && (size_t)len < sizeof(beside))
		visit(arg, beside);
	doctor_provider_visit_path(VERBS_PROVIDER_DIR, visit, arg);
	doctor_provider_visit_path(VERBS_FOREIGN_PROVIDER_DIR, visit, arg);
}

const char *doctor_config_dir(const struct doctor *doctor)
{
	static const char own[] = IBV_CONFIG_DIR;

	return doctor->library.is_anyverbs ? own : "/etc/libibverbs.d";
}

struct provider_search {
	const struct doctor *doctor;
	char pattern[NAME_MAX];
	bool found;
};

static void doctor_provider_match_folder(void *arg, const char *folder)
{
	struct provider_search *search = arg;
	struct doctor_dir_list names;

	doctor_system_list(&search->doctor->system, &names, "%s", folder);
	for (int i = 0; i < names.count; i++)
		if (fnmatch(search->pattern, names.entries[i]->d_name, 0) == 0)
			search->found = true;
	doctor_dir_list_free(&names);
}

bool doctor_has_provider(const struct doctor *doctor, const char *name)
{
	struct provider_search search = { .doctor = doctor };
	int len;

	if (name[strcspn(name, "*?[\\")] != '\0')
		return false;
	/* the file name contains the release, e.g. rxe-rdmav34 */
	len = snprintf(search.pattern, sizeof(search.pattern), "lib%s%s.so",
		       name, strchr(name, '-') ? "" : "-*");
	if (len < 0 || (size_t)len >= sizeof(search.pattern))
		return false;
	doctor_provider_for_each_folder(doctor, doctor_provider_match_folder,
					&search);
	return search.found;
}

/* ------------------------------------------------------------------------ */
/* Network interfaces and the package manager */
/* ------------------------------------------------------------------------ */

bool doctor_netdev_find_up(const struct doctor *doctor, char name[16 + 1])
{
	struct doctor_dir_list names;
	bool found = false;

	doctor_system_list(&doctor->system, &names, "/sys/class/net");
	for (int i = 0; i < names.count && !found; i++) {
		const char *netdev = names.entries[i]->d_name;
		unsigned long flags;

		if (strlen(netdev) > 16 || strcmp(netdev, "lo") == 0 ||
		    doctor_system_read_number(&doctor->system, &flags,
					      "/sys/class/net/%s/flags",
					      netdev))
			continue;
		found = flags & IFF_UP;
		if (found)
			(void)snprintf(name, 16 + 1, "%s", netdev);
	}
	doctor_dir_list_free(&names);
	return found;
}

/* sysfs may belong to another network namespace, so the ioctl comes first. */
bool doctor_netdev_is_up(const struct doctor *doctor, const char *name)
{
	struct ifreq request = {};
	unsigned long flags;
	int fd, ret = -1;

	(void)snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd >= 0) {
		ret = ioctl(fd, SIOCGIFFLAGS, &request);
		(void)close(fd); /* nothing was written */
	}
	if (ret == 0)
		return request.ifr_flags & IFF_UP;
	return doctor_system_read_number(&doctor->system, &flags,
					 "/sys/class/net/%s/flags",
					 name) == 0 &&
	       (flags & IFF_UP);
}

static bool doctor_os_match_debian(void *arg, char *line)
{
	bool *debian = arg;

	if (strncmp(line, "ID=", 3) == 0 || strncmp(line, "ID_LIKE=", 8) == 0)
		*debian |= strstr(line, "debian") || strstr(line, "ubuntu");
	return true;
}

void doctor_finding_add_install(const struct doctor *doctor,
				struct doctor_finding *finding,
				const char *debian, const char *fedora)
{
	bool is_apt = false;

	(void)doctor_system_for_each_line(&doctor->system,
					  doctor_os_match_debian, &is_apt,
					  "/etc/os-release");
	doctor_finding_add_fix(finding, "%s install %s",
			       is_apt ? "apt-get" : "dnf",
			       is_apt ? debian : fedora);
}
