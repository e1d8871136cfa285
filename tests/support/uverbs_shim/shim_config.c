/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The devices of this process, from the file that $UVERBS_SHIM names. A line is
 * "mode ioctl|invoke|write", "discovery netlink|sysfs", "nodes FOLDER", "log
 * FILE" or "device key=value ...". make_devices.py writes the file.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim.h"

static struct shim_config config;
static pthread_once_t once = PTHREAD_ONCE_INIT;

__attribute__((noreturn)) static void reject(const char *what)
{
	(void)fprintf(stderr, "uverbs_shim: %s\n", what);
	abort();
}

static void set_text(char *to, size_t room, const char *value)
{
	if (strlen(value) >= room)
		reject("a value is too long");
	(void)strcpy(to, value);
}

static void set_device_value(struct shim_device *device, const char *key,
			     const char *value)
{
	if (!strcmp(key, "name"))
		set_text(device->name, sizeof(device->name), value);
	else if (!strcmp(key, "uverbs"))
		set_text(device->uverbs, sizeof(device->uverbs), value);
	else if (!strcmp(key, "driver"))
		device->driver = shim_driver_find(value);
	else if (!strcmp(key, "driver_id"))
		device->driver_id = (uint32_t)strtoul(value, NULL, 0);
	else if (!strcmp(key, "minor"))
		device->minor_number = (uint32_t)strtoul(value, NULL, 0);
	else if (!strcmp(key, "abi"))
		device->abi = (uint32_t)strtoul(value, NULL, 0);
	else if (!strcmp(key, "node_type"))
		device->node_type = (uint32_t)strtoul(value, NULL, 0);
	else if (!strcmp(key, "guid"))
		device->guid = strtoull(value, NULL, 16);
	else if (!strcmp(key, "link"))
		device->is_ethernet = !strcmp(value, "ethernet");
	else
		reject("unknown key of a device");
}

static void add_device(char *words)
{
	struct shim_device *device = &config.devices[config.nr_devices];
	char *save = NULL;

	if (config.nr_devices ==
	    sizeof(config.devices) / sizeof(config.devices[0]))
		reject("too many devices");
	device->index = (uint32_t)config.nr_devices++;
	for (char *word = strtok_r(words, " \n", &save); word;
	     word = strtok_r(NULL, " \n", &save)) {
		char *equal = strchr(word, '=');

		if (!equal)
			reject("a word of a device line is not key=value");
		*equal = '\0';
		set_device_value(device, word, equal + 1);
	}
	if (!device->driver)
		reject("a device has an unknown driver");
}

static enum shim_mode mode_of(const char *word)
{
	if (!strcmp(word, "ioctl"))
		return SHIM_MODE_IOCTL;
	if (!strcmp(word, "invoke"))
		return SHIM_MODE_INVOKE;
	if (strcmp(word, "write") != 0)
		reject("unknown mode");
	return SHIM_MODE_WRITE;
}

static void read_line(char *line)
{
	char *value = strchr(line, ' ');

	line[strcspn(line, "\n")] = '\0';
	if (!*line)
		return;
	if (!value)
		reject("a line of the configuration has no value");
	*value++ = '\0';
	if (!strcmp(line, "device"))
		add_device(value);
	else if (!strcmp(line, "mode"))
		config.mode = mode_of(value);
	else if (!strcmp(line, "discovery"))
		config.no_netlink = !strcmp(value, "sysfs");
	else if (!strcmp(line, "nodes"))
		set_text(config.nodes, sizeof(config.nodes), value);
	else if (!strcmp(line, "log"))
		set_text(config.log, sizeof(config.log), value);
	else
		reject("unknown line of the configuration");
}

/* Without $UVERBS_SHIM the process has no devices and a kernel without RDMA. */
static void read_config(void)
{
	const char *path = getenv("UVERBS_SHIM");
	char line[512];
	FILE *file;

	if (!path)
		return;
	file = fopen(path, "re");
	if (!file)
		reject("cannot read the file that UVERBS_SHIM names");
	config.is_there = true;
	while (fgets(line, sizeof(line), file))
		read_line(line);
	(void)fclose(file); /* the file was only read */
}

const struct shim_config *shim_config(void)
{
	(void)pthread_once(&once, read_config); /* cannot fail */
	return &config;
}

const struct shim_device *shim_device_of_node(const char *uverbs)
{
	for (size_t i = 0; i < shim_config()->nr_devices; i++)
		if (!strcmp(config.devices[i].uverbs, uverbs))
			return &config.devices[i];
	return NULL;
}

const struct shim_device *shim_device_of_minor(uint32_t minor_number)
{
	for (size_t i = 0; i < shim_config()->nr_devices; i++)
		if (config.devices[i].minor_number == minor_number)
			return &config.devices[i];
	return NULL;
}
