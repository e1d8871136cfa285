/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The rules of UROCE_WIRE_FAULTS:
 *
 *	settings = item { ";" item }
 *	item     = "" | "seed=" NUMBER | "@" FILE | rule
 *	rule     = action "@" selector { "," selector } | link
 *	action   = "drop" | "dup" | "corrupt" | "delay=" TIME [ ".." TIME ]
 *	         | "reorder=" NUMBER | link
 *	link     = "link=" RATE [ "+" TIME ] | "link=+" TIME
 *	selector = "qpn=" NUMBER | "bytes=" NUMBER [ "-" NUMBER ]
 *	         | "from=" prefix | "to=" prefix
 *	         | those of util/fault_choice.h
 *	prefix   = ADDRESS [ "/" BITS ]
 *
 * A file has such settings without "@" FILE.
 */
#ifndef UROCE_BAD_WIRE_RULES_H
#define UROCE_BAD_WIRE_RULES_H

#include "uroce/wire/uroce_address.h"
#include "util/fault_choice.h"

#define UROCE_MAX_WIRE_RULES 64U
/* Of the texts of all files, each with a NUL. */
#define UROCE_WIRE_FILE_BYTES	 65536U
#define UROCE_MAX_WIRE_LINK_RATE UINT64_C(1000000000000) /* bits per second */
#define UROCE_MAX_WIRE_LINK_NS	 UINT64_C(1000000000000)

enum uroce_wire_action {
	UROCE_WIRE_DROP,
	UROCE_WIRE_DUP,
	UROCE_WIRE_CORRUPT,
	UROCE_WIRE_DELAY,
	UROCE_WIRE_REORDER,
	UROCE_WIRE_LINK,
};

/* Addresses; all 0: each address. */
struct uroce_wire_prefix {
	bool is_set;
	uint8_t gid[UROCE_GID_LEN]; /* IPv4: ::ffff:ADDRESS */
	unsigned int bits;	    /* of the GID */
};

struct uroce_wire_rule {
	enum uroce_wire_action action;
	uint64_t min_ns, max_ns; /* DELAY */
	uint32_t nr_later;	 /* REORDER: packets that overtake this one */
	uint64_t rate;		 /* LINK: bits per second; 0: no limit */
	uint64_t link_ns;	 /* LINK: delay */
	bool has_qpn, has_bytes;
	uint64_t qpn;
	uint64_t min_bytes, max_bytes; /* from the BTH to the ICRC */
	struct uroce_wire_prefix from, to;
	struct fault_choice choice;
	struct fault_text text;
};

struct uroce_wire_rules {
	uint64_t seed;
	unsigned int nr;
	struct uroce_wire_rule rules[UROCE_MAX_WIRE_RULES];
	size_t file_bytes; /* at @file_text that are in use */
	char file_text[UROCE_WIRE_FILE_BYTES];
};

/* The item with the first mistake. */
struct uroce_wire_mistake {
	struct fault_text item;
	struct fault_text file; /* that has it; empty: the variable */
	unsigned int line_nr;	/* from 1 */
};

/**
 * uroce_wire_rules_parse() - read the rules, and the files that they name
 * @text: the texts of the rules point into it, or into @ret_rules->file_text
 * @ret_wrong: valid if there is a mistake
 *
 * Return: NULL, or what is wrong.
 */
const char *uroce_wire_rules_parse(const char *text,
				   struct uroce_wire_rules *ret_rules,
				   struct uroce_wire_mistake *ret_wrong);

/** uroce_wire_prefix_has() - whether an address is among those of a prefix */
bool uroce_wire_prefix_has(const struct uroce_wire_prefix *prefix,
			   const uint8_t gid[UROCE_GID_LEN]);

#endif
