/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzz target: a configuration file of the user-space device. The input up to
 * the first 0 is the name of an interface, the rest is the file. The target
 * looks up the configuration of an interface with that name and two addresses.
 */
#include <provider/log.h>

#include "fuzz/fuzz_target.h"
#include "fuzz/input_file.h"
#include "uroce/uroce_config.h"
#include "util/env.h"

const char *__wrap_env_path(const char *name);

const char *__wrap_env_path(const char *name)
{
	return NULL;
}

void verbs_log(const struct ibv_context *ctx, enum verbs_log_level level,
	       const char *fmt, ...)
{
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct uroce_netdev dev = {
		.nr_gids = 2,
		.gids = { { [10] = 0xff, 0xff, 192, 0, 2, 1 },
			  { 0x20, 0x01, 0x0d, 0xb8, [15] = 1 } },
	};
	char setting[UROCE_WISH_LEN];
	size_t at = 0;

	for (; at < len && data[at]; at++)
		if (at < sizeof(dev.name) - 1)
			dev.name[at] = (char)data[at];
	at += at < len;
	input_file_set(data + at, len - at);
	memset(setting, 'x', sizeof(setting));
	uroce_config_read("", setting);
	fuzz_assert(memchr(setting, '\0', sizeof(setting)));
	/* an empty setting gives no device to any interface */
	if (!*setting)
		fuzz_assert(!uroce_config_wants(setting, &dev, true));
	(void)uroce_config_wants(setting, &dev, false);
	return 0;
}
