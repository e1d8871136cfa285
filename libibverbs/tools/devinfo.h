/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_devinfo: devinfo_query.c queries a device; devinfo_text.c and
 * devinfo_json.c print the result. The attributes that are plain numbers are
 * listed in the tables of devinfo_fields.c. Both output forms use these tables
 * and thus the same names.
 */
#ifndef TOOLS_DEVINFO_H
#define TOOLS_DEVINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#include "tools/json_out.h"

/** Highest port number that ibv_query_port() accepts. */
#define DEVINFO_MAX_PORTS 255

/** A device and the results of all queries. */
struct devinfo {
	struct ibv_context *context;
	struct ibv_device_attr_ex attr;
	char board_id[64]; /* empty: the device has none */
	unsigned int nr_ports;
	unsigned int first_port; /* first port to print */
	unsigned int last_port;
	struct ibv_port_attr *ports; /* [0] is port 1 */
	struct ibv_gid_entry *gids;  /* valid entries of all ports */
	size_t nr_gids;
};

/**
 * devinfo_query() - open a device and query its attributes
 * @port: the only port to print; 0 means all ports
 * @gids: query the GID tables as well
 *
 * On success, release @ret_info with devinfo_free().
 *
 * Return: 0, or -errno after a message on standard error.
 */
int devinfo_query(struct ibv_device *device, unsigned int port, bool gids,
		  struct devinfo *ret_info);

/** devinfo_free() - free a query result and close the device */
void devinfo_free(struct devinfo *info);

/**
 * devinfo_print_text() - print a device as text
 * @verbose: print all attributes instead of the most important ones
 */
void devinfo_print_text(const struct devinfo *info, bool verbose);

/** devinfo_print_json() - print a device as one element of a JSON array */
void devinfo_print_json(struct json_out *json, const struct devinfo *info);

/** Number formats of the text form. */
enum devinfo_format {
	DEVINFO_SIGNED,
	DEVINFO_UNSIGNED,
	DEVINFO_HEX,	  /* 0x1f */
	DEVINFO_HEX2,	  /* 0x1f, at least two digits */
	DEVINFO_HEX4,	  /* 0x001f */
	DEVINFO_HEX8,	  /* 0x0000001f */
	DEVINFO_HEX_UPPER /* 0x1F */
};

/** A numeric struct member. A table of fields ends with a NULL name. */
struct devinfo_field {
	const char *name;
	uint16_t offset;
	uint8_t size; /* 1, 2, 4 or 8 */
	enum devinfo_format format;
};

/* members of struct ibv_device_attr_ex, in output order */
extern const struct devinfo_field devinfo_identity_fields[];
extern const struct devinfo_field devinfo_size_fields[];
extern const struct devinfo_field devinfo_queue_fields[];
extern const struct devinfo_field devinfo_object_fields[];
extern const struct devinfo_field devinfo_srq_fields[]; /* if max_srq > 0 */
extern const struct devinfo_field devinfo_misc_fields[];
extern const struct devinfo_field devinfo_rss_fields[];
extern const struct devinfo_field devinfo_tm_fields[];
/* members of struct ibv_port_attr: printed always, then if verbose */
extern const struct devinfo_field devinfo_lid_fields[];
extern const struct devinfo_field devinfo_port_flag_fields[];
extern const struct devinfo_field devinfo_port_counter_fields[];

/** devinfo_field_value() - read the value of @field from the struct at @from */
uint64_t devinfo_field_value(const struct devinfo_field *field,
			     const void *from);

#endif
