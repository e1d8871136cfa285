/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The rules of UROCE_WIRE_FAULTS:
 *
 *	settings = item { ";" item }
 *	item     = "" | "seed=" NUMBER | rule
 *	rule     = action "@" selector { "," selector }
 *	action   = "drop" | "dup" | "corrupt" | "delay=" TIME [ ".." TIME ]
 *	         | "reorder=" NUMBER
 *	selector = "qpn=" NUMBER | "bytes=" NUMBER [ "-" NUMBER ]
 *	         | those of util/fault_choice.h
 */
#ifndef UROCE_BAD_WIRE_RULES_H
#define UROCE_BAD_WIRE_RULES_H

#include "util/fault_choice.h"

#define UROCE_MAX_WIRE_RULES 16U

enum uroce_wire_action {
	UROCE_WIRE_DROP,
	UROCE_WIRE_DUP,
	UROCE_WIRE_CORRUPT,
	UROCE_WIRE_DELAY,
	UROCE_WIRE_REORDER,
};

struct uroce_wire_rule {
	enum uroce_wire_action action;
	uint64_t min_ns, max_ns; /* DELAY */
	uint32_t nr_later;	 /* REORDER: packets that overtake this one */
	bool has_qpn, has_bytes;
	uint64_t qpn;
	uint64_t min_bytes, max_bytes; /* from the BTH to the ICRC */
	struct fault_choice choice;
	struct fault_text text;
};

struct uroce_wire_rules {
	uint64_t seed;
	unsigned int nr;
	struct uroce_wire_rule rules[UROCE_MAX_WIRE_RULES];
};

/**
 * uroce_wire_rules_parse() - read the rules
 * @text: the texts of the rules point into it
 * @ret_wrong: the item with the first mistake
 *
 * Return: NULL, or what is wrong with it.
 */
const char *uroce_wire_rules_parse(const char *text,
				   struct uroce_wire_rules *ret_rules,
				   struct fault_text *ret_wrong);

#endif
