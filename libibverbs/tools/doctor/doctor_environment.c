/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks environment variables: those that change the behavior of the library,
 * those without effect, and unknown ones.
 */
#include <arpa/inet.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/doctor/doctor.h"

/* All variables with one of these prefixes that a libibverbs reads. */
static const char *const prefixes[] = { "IBV_", "RDMAV_", "UROCE_", "VERBS_" };
static const char *const known[] = {
	"IBV_DRIVERS",
	"IBV_FORK_SAFE",
	"IBV_SHOW_WARNINGS",
	"RDMAV_ALLOW_DISASSOC_DESTROY",
	"RDMAV_DRIVERS",
	"RDMAV_FORK_SAFE",
	"RDMAV_HUGEPAGES_SAFE",
	"UROCE_CHAOS",
	"UROCE_CMA",
	"UROCE_DEVICES",
	"UROCE_LOCAL",
	"UROCE_PCAP",
	"UROCE_RNDV",
	"UROCE_SPLIT",
	"UROCE_WIRE_FAULTS",
	"UROCE_WORKERS",
	"VERBS_EXPLAIN",
	"VERBS_FAULT",
	"VERBS_LAYERS",
	"VERBS_LOG_FILE",
	"VERBS_LOG_LEVEL",
	"VERBS_TRACE",
	"VERBS_VALIDATE",
};

#define NR(array) (sizeof(array) / sizeof((array)[0]))

/* Returns the value of a variable; NULL if it is unset or empty. */
static const char *doctor_env_value(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

static bool doctor_env_is_on(const char *name)
{
	const char *value = getenv(name);

	return value && strcmp(value, "0") != 0;
}

/* ------------------------------------------------------------------------ */
/* Unknown variables, and variables without effect */
/* ------------------------------------------------------------------------ */

static bool doctor_env_is_known(const char *name, size_t len)
{
	for (size_t i = 0; i < NR(known); i++)
		if (strlen(known[i]) == len && memcmp(known[i], name, len) == 0)
			return true;
	return false;
}

static void doctor_env_check_names(struct doctor *doctor)
{
	for (char **entry = environ; entry && *entry; entry++) {
		size_t len = strcspn(*entry, "=");
		struct doctor_finding *finding;
		bool has_prefix = false;
		char quoted[256];
		char name[128];

		for (size_t i = 0; i < NR(prefixes); i++)
			if (strncmp(*entry, prefixes[i], strlen(prefixes[i])) ==
			    0)
				has_prefix = true;
		if (!has_prefix || doctor_env_is_known(*entry, len) ||
		    len >= sizeof(name))
			continue;
		memcpy(name, *entry, len);
		name[len] = '\0';
		finding = doctor_finding_add(
			&doctor->findings, DOCTOR_ENV_UNKNOWN, NULL, 0,
			"The variable %s is set, but the library does not read "
			"it. Check its spelling.",
			name);
		doctor_finding_add_fix(
			finding, "unset %s",
			doctor_shell_quote(quoted, sizeof(quoted), name));
	}
}

static void doctor_env_add_ignored(struct doctor *doctor, const char *name,
				   const char *reason)
{
	struct doctor_finding *finding = doctor_finding_add(
		&doctor->findings, DOCTOR_ENV_IGNORED, NULL, 0,
		"%s is set, but has no effect: %s.", name, reason);

	doctor_finding_add_fix(finding, "unset %s", name);
}

static void doctor_env_check_ignored(struct doctor *doctor)
{
	static const char *const fork_names[] = { "RDMAV_FORK_SAFE",
						  "IBV_FORK_SAFE" };
	bool fork_safe = false;

	for (size_t i = 0; i < NR(fork_names); i++) {
		if (!doctor_env_is_on(fork_names[i]))
			continue;
		fork_safe = true;
		if (doctor->library.fork_init_unneeded)
			doctor_env_add_ignored(
				doctor, fork_names[i],
				"this kernel copies registered pages when "
				"a program forks");
	}
	if (getenv("RDMAV_HUGEPAGES_SAFE") && !fork_safe)
		doctor_env_add_ignored(doctor, "RDMAV_HUGEPAGES_SAFE",
				       "it needs RDMAV_FORK_SAFE, or a program "
				       "that calls ibv_fork_init()");
	if (doctor_env_value("RDMAV_DRIVERS") &&
	    doctor_env_value("IBV_DRIVERS"))
		doctor_env_add_ignored(doctor, "IBV_DRIVERS",
				       "RDMAV_DRIVERS replaces it");
	if (doctor_env_value("VERBS_LOG_LEVEL") &&
	    !doctor_env_value("VERBS_LOG_FILE"))
		doctor_env_add_ignored(doctor, "VERBS_LOG_LEVEL",
				       "set VERBS_LOG_FILE to enable the log");
	if (doctor_env_value("VERBS_LOG_FILE") &&
	    !doctor_env_value("VERBS_LOG_LEVEL"))
		doctor_env_add_ignored(doctor, "VERBS_LOG_FILE",
				       "set VERBS_LOG_LEVEL to enable the log");
	if (doctor_env_value("UROCE_DEVICES") && !doctor->library.is_anyverbs)
		doctor_env_add_ignored(doctor, "UROCE_DEVICES",
				       "this library has no user-space device");
}

/* ------------------------------------------------------------------------ */
/* Variables that name a provider, a netdev or a folder */
/* ------------------------------------------------------------------------ */

/* Calls @visit for each word of a list. */
static void
doctor_env_for_each_word(const char *list, const char *separators,
			 void (*visit)(struct doctor *doctor,
				       const char *variable, const char *word),
			 struct doctor *doctor, const char *variable)
{
	char word[PATH_MAX];
	size_t len;

	for (; *list; list += len + (list[len] != '\0')) {
		len = strcspn(list, separators);
		if (len == 0 || len >= sizeof(word))
			continue;
		memcpy(word, list, len);
		word[len] = '\0';
		visit(doctor, variable, word);
	}
}

static void doctor_env_check_driver(struct doctor *doctor, const char *variable,
				    const char *name)
{
	struct doctor_finding *finding;
	const char *reason;

	/* the library loads a path without a search */
	if (strchr(name, '/') || doctor_has_provider(doctor, name))
		return;
	finding = doctor_finding_add(&doctor->findings,
				     DOCTOR_ENV_DRIVER_MISSING, NULL, 0,
				     "%s names the provider %s, which is not "
				     "installed.",
				     variable, name);
	doctor_finding_add_fix(finding, "unset %s", variable);
	reason = strstr(doctor->library.messages, name);
	if (reason) {
		char line[512];

		(void)snprintf(line, sizeof(line), "%.*s",
			       (int)strcspn(reason, "\n"), reason);
		doctor_finding_set_reason(finding, line);
	}
}

static bool doctor_env_uroce_is_listed(const struct doctor *doctor,
				       const char *netdev)
{
	for (size_t i = 0; i < doctor->nr_devices; i++) {
		const struct doctor_device *device = &doctor->devices[i];

		if (device->listed && strncmp(device->name, "uroce_", 6) == 0 &&
		    strcmp(device->name + 6, netdev) == 0)
			return true;
	}
	return false;
}

static void doctor_env_check_netdev_up(struct doctor *doctor,
				       const char *variable, const char *name)
{
	struct doctor_finding *finding;

	if (doctor_netdev_is_up(doctor, name) ||
	    doctor_env_uroce_is_listed(doctor, name))
		return;
	finding = doctor_finding_add(
		&doctor->findings, DOCTOR_UROCE_INTERFACE, NULL, 0,
		"%s names the network interface %s, which is down.", variable,
		name);
	doctor_finding_add_fix(finding, "ip link set %s up", name);
}

static bool doctor_env_is_ip_address(const char *text)
{
	unsigned char address[16];

	return inet_pton(AF_INET, text, address) == 1 ||
	       inet_pton(AF_INET6, text, address) == 1;
}

/* @word is an interface, or NAME=INTERFACE. */
static void doctor_env_check_netdev(struct doctor *doctor, const char *variable,
				    const char *word)
{
	const char *chosen = strchr(word, '=');
	const char *name = chosen ? chosen + 1 : word;
	struct doctor_finding *finding;

	if (!chosen && (strcmp(name, "auto") == 0 || strcmp(name, "none") == 0))
		return;
	if (doctor_env_is_ip_address(name))
		return;
	if (if_nametoindex(name) != 0) {
		doctor_env_check_netdev_up(doctor, variable, name);
		return;
	}
	finding = doctor_finding_add(&doctor->findings, DOCTOR_UROCE_INTERFACE,
				     NULL, 0,
				     "%s names %s, which is neither a network "
				     "interface nor an IP address.",
				     variable, name);
	doctor_finding_add_fix(finding,
			       "ip -brief address   # list interfaces");
	doctor_finding_add_fix(finding, "export UROCE_DEVICES=auto");
}

static void doctor_env_check_sysfs_path(struct doctor *doctor)
{
	const char *sysfs = doctor->system.sysfs;
	struct doctor_finding *finding;

	if (strcmp(sysfs, "/sys") == 0)
		return;
	finding = doctor_finding_add(
		&doctor->findings, DOCTOR_ENV_SYSFS_PATH, NULL, 0,
		"The library searches devices in %s instead of /sys, because "
		"SYSFS_PATH is set.",
		sysfs);
	doctor_finding_add_fix(finding, "unset SYSFS_PATH");
}

void doctor_check_environment(struct doctor *doctor)
{
	const char *variable = "RDMAV_DRIVERS";
	const char *list = doctor_env_value(variable);

	doctor_env_check_sysfs_path(doctor);
	if (!list) {
		variable = "IBV_DRIVERS";
		list = doctor_env_value(variable);
	}
	if (list)
		doctor_env_for_each_word(list, ":;", doctor_env_check_driver,
					 doctor, variable);
	list = doctor_env_value("UROCE_DEVICES");
	if (list && doctor->library.is_anyverbs)
		doctor_env_for_each_word(list, ", \t\n",
					 doctor_env_check_netdev, doctor,
					 "UROCE_DEVICES");
	doctor_env_check_ignored(doctor);
	doctor_env_check_names(doctor);
}
