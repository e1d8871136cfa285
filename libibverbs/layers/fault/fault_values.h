/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Texts and numbers of the language of VERBS_FAULT (fault_rules.h). */
#ifndef LAYERS_FAULT_VALUES_H
#define LAYERS_FAULT_VALUES_H

#include "layers/fault/fault_rules.h"

/** fault_text_trim() - remove the blanks around a text */
struct fault_text fault_text_trim(struct fault_text text);

/**
 * fault_text_cut() - remove the part before the first @separator from @rest
 *
 * Without a separator, @rest becomes empty.
 *
 * Return: that part, without blanks around it.
 */
struct fault_text fault_text_cut(struct fault_text *rest, char separator);

/** fault_text_is() - compare with a string */
bool fault_text_is(struct fault_text text, const char *word);

/** fault_text_copy() - copy; Return: whether it is not empty and fits */
bool fault_text_copy(struct fault_text text, char *to, size_t size);

/* Each function returns whether the text is correct. */
bool fault_parse_number(struct fault_text text, uint64_t *ret_number);
bool fault_parse_positive(struct fault_text text, uint64_t *ret_number);
bool fault_parse_u32(struct fault_text text, uint32_t *ret_number); /* > 0 */

/** fault_parse_time() - "50us" */
bool fault_parse_time(struct fault_text text, uint64_t *ret_ns);

/** fault_parse_times() - "50us" or "50us..2ms", for an action */
bool fault_parse_times(struct fault_text text, struct fault_rule *rule);

/** fault_parse_bytes() - "8" or "1-4096", for a selector */
bool fault_parse_bytes(struct fault_text text, struct fault_rule *rule);

/** fault_parse_p() - "0.01" or "1%", at most 9 digits after the point */
bool fault_parse_p(struct fault_text text, double *ret_p);

#endif
