/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Adapters on PCI that could do RDMA but do not, since a module is missing: the
 * RDMA half of a driver whose Ethernet half is there, or the driver as a whole.
 * Which module drives a function is asked of the kernel's own modules.alias.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/doctor/doctor.h"

/* Drivers of adapters, and the module that adds RDMA. */
static const struct {
	const char *driver, *rdma;
} halves[] = {
	{ "mlx5_core", "mlx5_ib" },   { "mlx4_core", "mlx4_ib" },
	{ "ice", "irdma" },	      { "idpf", "irdma" },
	{ "bnxt_en", "bnxt_re" },     { "qede", "qedr" },
	{ "cxgb4", "iw_cxgb4" },      { "be2net", "ocrdma" },
	{ "hns3", "hns_roce_hw_v2" }, { "ionic", "ionic_rdma" },
	{ "mana", "mana_ib" },
};

/* Drivers that are one module. */
static const char *const wholes[] = { "efa",  "erdma",	"vmw_pvrdma",
				      "hfi1", "ib_qib", "ib_mthca" };

#define NR(array) (sizeof(array) / sizeof((array)[0]))

static const char *rdma_half(const char *driver)
{
	for (size_t i = 0; i < NR(halves); i++)
		if (strcmp(halves[i].driver, driver) == 0)
			return halves[i].rdma;
	return NULL;
}

static bool is_rdma_driver(const char *module)
{
	for (size_t i = 0; i < NR(wholes); i++)
		if (strcmp(wholes[i], module) == 0)
			return true;
	return rdma_half(module) != NULL;
}

struct alias_search {
	const char *modalias;
	char module[64];
};

/* "alias pci:v000015B3d00001017sv*sd*bc*sc*i* mlx5_core" */
static bool find_alias(void *arg, char *line)
{
	struct alias_search *search = arg;
	char *save, *word = strtok_r(line, " ", &save);
	const char *pattern, *module;

	if (!word || strcmp(word, "alias") != 0)
		return true;
	pattern = strtok_r(NULL, " ", &save);
	module = strtok_r(NULL, " ", &save);
	if (!pattern || !module || strncmp(pattern, "pci:", 4) != 0 ||
	    !is_rdma_driver(module) ||
	    fnmatch(pattern, search->modalias, 0) != 0)
		return true;
	(void)snprintf(search->module, sizeof(search->module), "%s", module);
	return false;
}

static void check_without_driver(struct doctor *doctor, const char *function)
{
	struct alias_search search = {};
	struct doctor_finding *finding;
	char modalias[256], release[128];

	if (doctor_world_read(&doctor->world, modalias, sizeof(modalias),
			      "/sys/bus/pci/devices/%s/modalias", function) ||
	    doctor_world_read(&doctor->world, release, sizeof(release),
			      "/proc/sys/kernel/osrelease"))
		return;
	search.modalias = modalias;
	(void)doctor_world_lines(&doctor->world, find_alias, &search,
				 "/lib/modules/%s/modules.alias", release);
	if (!*search.module)
		return;
	finding = doctor_add(&doctor->findings, DOCTOR_PCI_NO_DRIVER, NULL, 0,
			     "The PCI device %s is an adapter of the kernel "
			     "module %s, but has no driver.",
			     function, search.module);
	doctor_cure(finding, "modprobe %s", search.module);
}

static void check_half(struct doctor *doctor, const char *function,
		       const char *driver, const char *rdma)
{
	struct doctor_finding *finding;
	char buf[256];

	if (doctor_world_exists(&doctor->world, "/sys/module/%s", rdma) ||
	    doctor_world_exists(&doctor->world,
				"/sys/bus/pci/devices/%s/infiniband", function))
		return;
	finding =
		doctor_add(&doctor->findings, DOCTOR_PCI_RDMA_MODULE, NULL, 0,
			   "The PCI device %s has the driver %s; if it can do "
			   "RDMA, that takes the module %s as well, which is "
			   "not loaded.",
			   function, driver, rdma);
	if (!doctor_has_kernel_module(doctor, rdma))
		doctor_cure(finding, "%s",
			    doctor_install(doctor, buf, sizeof(buf),
					   "linux-modules-extra-$(uname -r)",
					   "kernel-modules-$(uname -r)"));
	doctor_cure(finding, "modprobe %s", rdma);
}

void doctor_check_pci(struct doctor *doctor)
{
	struct doctor_names names;

	doctor_world_list(&doctor->world, &names, "/sys/bus/pci/devices");
	for (int i = 0; i < names.count; i++) {
		const char *function = names.entries[i]->d_name;
		const char *rdma;
		char driver[64];

		if (!doctor_world_link(&doctor->world, driver, sizeof(driver),
				       "/sys/bus/pci/devices/%s/driver",
				       function)) {
			check_without_driver(doctor, function);
			continue;
		}
		rdma = rdma_half(driver);
		if (rdma)
			check_half(doctor, function, driver, rdma);
	}
	doctor_names_free(&names);
}
