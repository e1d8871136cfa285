/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_devinfo: devinfo_query.c asks a device what it is, devinfo_print_text.c
 * and devinfo_print_json.c print that. Attributes that are plain numbers are in
 * the tables of devinfo_fields.c, under the same names in both forms.
 */
#ifndef TOOLS_DEVINFO_H
#define TOOLS_DEVINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#include "tools/json_out.h"

/** Ports that ibv_query_port() can name. */
#define DEVINFO_MAX_PORTS 255

/** A device and all of its answers. */
struct devinfo {
	struct ibv_context *context;
	struct ibv_device_attr_ex attr;
	char board_id[64]; /* empty: there is none */
	unsigned int nr_ports;
	unsigned int first_port; /* of those to be shown */
	unsigned int last_port;
	struct ibv_port_attr *ports; /* [0] is port 1 */
	struct ibv_gid_entry *gids;  /* valid ones, of all ports */
	size_t nr_gids;
};

/**
 * devinfo_query() - open a device and ask it
 * @port: the only one to be shown; 0 means all
 * @gids: ask for GIDs, too
 *
 * Return: 0 and what devinfo_free() frees; -errno after a message on standard
 * error.
 */
int devinfo_query(struct ibv_device *device, unsigned int port, bool gids,
		  struct devinfo *ret_info);

/** devinfo_free() - free what devinfo_query() gave, and close the device */
void devinfo_free(struct devinfo *info);

/** devinfo_print_text() - print for people; @verbose: all there is */
void devinfo_print_text(const struct devinfo *info, bool verbose);

/** devinfo_print_json() - print as an element of an array */
void devinfo_print_json(struct json_out *json, const struct devinfo *info);

/** How the text form prints a number. */
enum devinfo_format {
	DEVINFO_SIGNED,
	DEVINFO_UNSIGNED,
	DEVINFO_HEX,	  /* 0x1f */
	DEVINFO_HEX2,	  /* 0x1f, at least two digits */
	DEVINFO_HEX4,	  /* 0x001f */
	DEVINFO_HEX8,	  /* 0x0000001f */
	DEVINFO_HEX_UPPER /* 0x1F */
};

/** A number in a struct; a table ends with a name of NULL. */
struct devinfo_field {
	const char *name;
	uint16_t offset;
	uint8_t size; /* 1, 2, 4 or 8 */
	enum devinfo_format format;
};

/* of struct ibv_device_attr_ex, in the order of the output */
extern const struct devinfo_field devinfo_identity_fields[];
extern const struct devinfo_field devinfo_size_fields[];
extern const struct devinfo_field devinfo_queue_fields[];
extern const struct devinfo_field devinfo_object_fields[];
extern const struct devinfo_field devinfo_srq_fields[]; /* if it has SRQs */
extern const struct devinfo_field devinfo_misc_fields[];
extern const struct devinfo_field devinfo_rss_fields[];
extern const struct devinfo_field devinfo_tm_fields[];
/* of struct ibv_port_attr: what is always shown, and the rest */
extern const struct devinfo_field devinfo_lid_fields[];
extern const struct devinfo_field devinfo_port_flag_fields[];
extern const struct devinfo_field devinfo_port_counter_fields[];

/** devinfo_field_value() - the value of a field of the struct at @from */
uint64_t devinfo_field_value(const struct devinfo_field *field,
			     const void *from);

#endif
