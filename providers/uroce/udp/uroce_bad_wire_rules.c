/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See uroce_bad_wire_rules.h. Functions return NULL, or a message. */
#include "uroce/udp/uroce_bad_wire_rules.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "util/text_file.h"

/* ------------------------------------------------------------------------ */
/* Addresses                                                                 */
/* ------------------------------------------------------------------------ */

static bool wire_parse_prefix(struct fault_text text,
			      struct uroce_wire_prefix *prefix)
{
	struct fault_text bits = text;
	struct fault_text address = fault_text_cut(&bits, '/');
	char word[INET6_ADDRSTRLEN];
	uint64_t nr, width = 128;

	if (!fault_text_copy(address, word, sizeof(word)))
		return false;
	if (inet_pton(AF_INET, word, prefix->gid + UROCE_GID_IPV4_AT) == 1) {
		memset(prefix->gid + 10, 0xff, 2); /* all others are 0 */
		width = 32;
	} else if (inet_pton(AF_INET6, word, prefix->gid) != 1) {
		return false;
	}
	nr = width;
	if (memchr(text.start, '/', text.len) &&
	    (!fault_parse_number(bits, &nr) || nr > width))
		return false;
	prefix->bits = (unsigned int)(128 - width + nr);
	prefix->is_set = true;
	return true;
}

bool uroce_wire_prefix_has(const struct uroce_wire_prefix *prefix,
			   const uint8_t gid[UROCE_GID_LEN])
{
	unsigned int bytes = prefix->bits / 8, bits = prefix->bits % 8;
	bool is_ipv4 = prefix->bits >= 8 * UROCE_GID_IPV4_AT &&
		       uroce_gid_is_ipv4(prefix->gid);

	if (!prefix->is_set)
		return true;
	/* ::/0 has no IPv4 address */
	return is_ipv4 == uroce_gid_is_ipv4(gid) &&
	       memcmp(prefix->gid, gid, bytes) == 0 &&
	       (!bits || (prefix->gid[bytes] ^ gid[bytes]) >> (8 - bits) == 0);
}

/* ------------------------------------------------------------------------ */
/* Rules                                                                     */
/* ------------------------------------------------------------------------ */

static bool wire_parse_link(struct fault_text text,
			    struct uroce_wire_rule *rule)
{
	bool has_time = memchr(text.start, '+', text.len);
	struct fault_text time = text;
	struct fault_text rate = fault_text_cut(&time, '+');

	if (has_time && (!fault_parse_time(time, &rule->link_ns) ||
			 rule->link_ns > UROCE_MAX_WIRE_LINK_NS))
		return false;
	if (has_time && !rate.len)
		return true;
	return fault_parse_rate(rate, &rule->rate) && rule->rate > 0 &&
	       rule->rate <= UROCE_MAX_WIRE_LINK_RATE;
}

static const char *wire_parse_action(struct fault_text text,
				     struct uroce_wire_rule *rule)
{
	static const struct {
		const char *name;
		enum uroce_wire_action action;
	} plain[] = {
		{ "drop", UROCE_WIRE_DROP },
		{ "dup", UROCE_WIRE_DUP },
		{ "corrupt", UROCE_WIRE_CORRUPT },
	};
	struct fault_setting setting = fault_text_split(text);

	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		rule->action = plain[i].action;
		if (fault_text_is(text, plain[i].name))
			return NULL;
	}
	if (fault_text_is(setting.key, "delay")) {
		rule->action = UROCE_WIRE_DELAY;
		return fault_parse_times(setting.value, &rule->min_ns,
					 &rule->max_ns)
			       ? NULL
			       : "delay= needs a time such as 100us..1ms";
	}
	if (fault_text_is(setting.key, "reorder")) {
		rule->action = UROCE_WIRE_REORDER;
		return fault_parse_u32(setting.value, &rule->nr_later)
			       ? NULL
			       : "reorder= needs a number of packets, from 1";
	}
	if (fault_text_is(setting.key, "link")) {
		rule->action = UROCE_WIRE_LINK;
		return wire_parse_link(setting.value, rule)
			       ? NULL
			       : "link= needs a rate up to 1000gbit, a delay "
				 "up to 1000s, or both, such as 200mbit+5ms";
	}
	return "unknown action; there are drop, dup, corrupt, delay=, "
	       "reorder= and link=";
}

static const char *wire_parse_address(struct fault_text text,
				      struct uroce_wire_prefix *prefix)
{
	if (prefix->is_set)
		return "the selector is there twice";
	return wire_parse_prefix(text, prefix)
		       ? NULL
		       : "from= and to= need an address such as 192.0.2.1 or "
			 "2001:db8::/32";
}

static const char *wire_parse_selector(struct fault_text text,
				       struct uroce_wire_rule *rule)
{
	struct fault_setting setting = fault_text_split(text);
	const char *message;

	if (fault_choice_parse(setting, &rule->choice, &message))
		return message;
	if (fault_text_is(setting.key, "qpn")) {
		rule->has_qpn = true;
		return fault_parse_positive(setting.value, &rule->qpn)
			       ? NULL
			       : "qpn= needs the number of a queue pair";
	}
	if (fault_text_is(setting.key, "bytes")) {
		rule->has_bytes = true;
		return fault_parse_bytes(setting.value, &rule->min_bytes,
					 &rule->max_bytes)
			       ? NULL
			       : "bytes= needs a number or a range such as "
				 "1-4096";
	}
	if (fault_text_is(setting.key, "from"))
		return wire_parse_address(setting.value, &rule->from);
	if (fault_text_is(setting.key, "to"))
		return wire_parse_address(setting.value, &rule->to);
	return "unknown selector; there are qpn=, bytes=, from=, to=, nth=, "
	       "every=, p=, after=, before= and limit=";
}

static const char *wire_parse_rule(struct fault_text text,
				   struct uroce_wire_rule *rule)
{
	struct fault_text rest = text;
	const char *message =
		wire_parse_action(fault_text_cut(&rest, '@'), rule);

	if (message)
		return message;
	if (!memchr(text.start, '@', text.len))
		return rule->action == UROCE_WIRE_LINK
			       ? NULL
			       : "a rule needs \"@\" and selectors";
	for (bool is_last = false; !is_last;) {
		is_last = !memchr(rest.start, ',', rest.len);
		message = wire_parse_selector(fault_text_cut(&rest, ','), rule);
		if (message)
			return message;
	}
	return fault_choice_check(&rule->choice);
}

static const char *wire_parse_item(struct fault_text text,
				   struct uroce_wire_rules *rules)
{
	struct fault_setting setting = fault_text_split(text);
	struct uroce_wire_rule *rule = &rules->rules[rules->nr];

	if (fault_text_is(setting.key, "seed"))
		return fault_parse_number(setting.value, &rules->seed)
			       ? NULL
			       : "seed= needs a number";
	if (rules->nr == UROCE_MAX_WIRE_RULES)
		return "too many rules";
	rules->nr++;
	rule->text = text;
	return wire_parse_rule(text, rule);
}

/* ------------------------------------------------------------------------ */
/* Files                                                                     */
/* ------------------------------------------------------------------------ */

/* Reads the file "@PATH" behind the files before it, and its items. */
static const char *wire_parse_file(struct fault_text item,
				   struct uroce_wire_rules *rules,
				   struct uroce_wire_mistake *wrong)
{
	char *text = rules->file_text + rules->file_bytes;
	size_t room = sizeof(rules->file_text) - rules->file_bytes;
	struct fault_text name = { item.start + 1, item.len - 1 };
	const char *message = NULL;
	struct fault_items items;
	char path[PATH_MAX];
	ssize_t len;

	name = fault_text_trim(name);
	if (!fault_text_copy(name, path, sizeof(path)))
		return "@ needs the name of a file";
	len = room ? text_file_read_at(AT_FDCWD, path, text, room) : -EOVERFLOW;
	if (len == -EOVERFLOW)
		return "the files have more than 64 KiB";
	if (len < 0)
		return strerror((int)-len);
	if (memchr(text, '\0', (size_t)len))
		return "the file is no text";
	rules->file_bytes += (size_t)len + 1;
	items = fault_items_begin(text);
	while (!message && fault_items_next(&items, &wrong->item)) {
		wrong->file = name;
		wrong->line_nr = items.line_nr;
		message = wrong->item.start[0] == '@'
				  ? "a file of rules cannot name another file"
				  : wire_parse_item(wrong->item, rules);
	}
	return message;
}

const char *uroce_wire_rules_parse(const char *text,
				   struct uroce_wire_rules *ret_rules,
				   struct uroce_wire_mistake *ret_wrong)
{
	struct fault_items items = fault_items_begin(text);
	const char *message = NULL;

	memset(ret_rules, 0, sizeof(*ret_rules));
	memset(ret_wrong, 0, sizeof(*ret_wrong));
	while (!message && fault_items_next(&items, &ret_wrong->item)) {
		ret_wrong->file.len = 0;
		ret_wrong->line_nr = items.line_nr;
		message = ret_wrong->item.start[0] == '@'
				  ? wire_parse_file(ret_wrong->item, ret_rules,
						    ret_wrong)
				  : wire_parse_item(ret_wrong->item, ret_rules);
	}
	return message;
}
