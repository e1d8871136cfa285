/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds PCI adapters that could do RDMA but lack a kernel module: the RDMA
 * module of a driver whose Ethernet module is loaded, or the whole driver.
 * modules.alias of the running kernel says which module drives a PCI function.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/doctor/doctor.h"

/* Drivers of adapters, and the additional module for RDMA. */
static const struct {
	const char *driver, *rdma;
} split_drivers[] = {
	{ "mlx5_core", "mlx5_ib" },   { "mlx4_core", "mlx4_ib" },
	{ "ice", "irdma" },	      { "idpf", "irdma" },
	{ "bnxt_en", "bnxt_re" },     { "qede", "qedr" },
	{ "cxgb4", "iw_cxgb4" },      { "be2net", "ocrdma" },
	{ "hns3", "hns_roce_hw_v2" }, { "ionic", "ionic_rdma" },
	{ "mana", "mana_ib" },
};

/* Drivers that consist of one module. */
static const char *const single_drivers[] = { "efa",  "erdma",	"vmw_pvrdma",
					      "hfi1", "ib_qib", "ib_mthca" };

#define NR(array) (sizeof(array) / sizeof((array)[0]))

static const char *doctor_pci_rdma_module(const char *driver)
{
	for (size_t i = 0; i < NR(split_drivers); i++)
		if (strcmp(split_drivers[i].driver, driver) == 0)
			return split_drivers[i].rdma;
	return NULL;
}

static bool doctor_pci_is_rdma_driver(const char *module)
{
	for (size_t i = 0; i < NR(single_drivers); i++)
		if (strcmp(single_drivers[i], module) == 0)
			return true;
	return doctor_pci_rdma_module(module) != NULL;
}

struct alias_search {
	const char *modalias;
	char module[64];
};

/* "alias pci:v000015B3d00001017sv*sd*bc*sc*i* mlx5_core" */
static bool doctor_pci_match_alias(void *arg, char *line)
{
	struct alias_search *search = arg;
	char *save, *word = strtok_r(line, " ", &save);
	const char *pattern, *module;

	if (!word || strcmp(word, "alias") != 0)
		return true;
	pattern = strtok_r(NULL, " ", &save);
	module = strtok_r(NULL, " ", &save);
	if (!pattern || !module || strncmp(pattern, "pci:", 4) != 0 ||
	    !doctor_pci_is_rdma_driver(module) ||
	    fnmatch(pattern, search->modalias, 0) != 0)
		return true;
	(void)snprintf(search->module, sizeof(search->module), "%s", module);
	return false;
}

static void doctor_pci_check_no_driver(struct doctor *doctor,
				       const char *function)
{
	struct alias_search search = {};
	struct doctor_finding *finding;
	char modalias[256], release[128];

	if (doctor_system_read(&doctor->system, modalias, sizeof(modalias),
			       "/sys/bus/pci/devices/%s/modalias", function) ||
	    doctor_read_release(doctor, release, sizeof(release)))
		return;
	search.modalias = modalias;
	(void)doctor_system_for_each_line(
		&doctor->system, doctor_pci_match_alias, &search,
		"/lib/modules/%s/modules.alias", release);
	if (!*search.module)
		return;
	finding = doctor_finding_add(&doctor->findings, DOCTOR_PCI_NO_DRIVER,
				     NULL, 0,
				     "The PCI device %s has no driver. The "
				     "kernel module %s supports it.",
				     function, search.module);
	doctor_finding_add_fix(finding, "modprobe %s", search.module);
}

static void doctor_pci_check_rdma_module(struct doctor *doctor,
					 const char *function,
					 const char *driver, const char *rdma)
{
	struct doctor_finding *finding;

	if (doctor_system_exists(&doctor->system, "/sys/module/%s", rdma) ||
	    doctor_system_exists(&doctor->system,
				 "/sys/bus/pci/devices/%s/infiniband",
				 function))
		return;
	finding = doctor_finding_add(
		&doctor->findings, DOCTOR_PCI_RDMA_MODULE, NULL, 0,
		"The PCI device %s has the driver %s. If the adapter supports "
		"RDMA, it also needs the module %s, which is not loaded.",
		function, driver, rdma);
	if (!doctor_has_kernel_module(doctor, rdma))
		doctor_finding_add_install(doctor, finding,
					   "linux-modules-extra-$(uname -r)",
					   "kernel-modules-$(uname -r)");
	doctor_finding_add_fix(finding, "modprobe %s", rdma);
}

void doctor_check_pci(struct doctor *doctor)
{
	struct doctor_dir_list names;

	doctor_system_list(&doctor->system, &names, "/sys/bus/pci/devices");
	for (int i = 0; i < names.count; i++) {
		const char *function = names.entries[i]->d_name;
		const char *rdma;
		char driver[64];

		if (!doctor_system_read_link(
			    &doctor->system, driver, sizeof(driver),
			    "/sys/bus/pci/devices/%s/driver", function)) {
			doctor_pci_check_no_driver(doctor, function);
			continue;
		}
		rdma = doctor_pci_rdma_module(driver);
		if (rdma)
			doctor_pci_check_rdma_module(doctor, function, driver,
						     rdma);
	}
	doctor_dir_list_free(&names);
}
