/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which slots the processes of this user have claimed, and by which names: read
 * from the kernel's list of unix sockets (sock_diag(7)), which says who created
 * each. Where the kernel has no such list (no CONFIG_UNIX_DIAG, netlink
 * forbidden, Linux before 5.3) the directory is empty and not complete.
 */
#ifndef UROCE_DIRECTORY_H
#define UROCE_DIRECTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "uroce/port/uroce_identity.h"

#define UROCE_DIRECTORY_SLOTS 256

struct uroce_directory_entry {
	uint32_t nr_claims; /* sockets with a member name for the slot */
	char suffix[UROCE_SUFFIX_SIZE]; /* of one of them */
};

struct uroce_directory {
	bool complete;
	struct uroce_directory_entry slots[UROCE_DIRECTORY_SLOTS];
};

/** uroce_directory_read() - read the kernel's list; any thread */
void uroce_directory_read(struct uroce_directory *ret_directory);

/**
 * uroce_directory_suffix() - the suffix of the names for a slot
 *
 * Return: it; "" for a slot of a directory that is not complete; NULL if no
 * process of this user has the slot.
 */
const char *uroce_directory_suffix(const struct uroce_directory *directory,
				   uint32_t slot);

#endif
