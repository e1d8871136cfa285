/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads the environment and the configuration file: see uroce_config.h. */
#include "uroce/uroce_config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <provider/log.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>

#include "uroce/shm/uroce_cma.h"
#include "util/env.h"
#include "util/fault_text.h"
#include "util/min.h"
#include "util/text_file.h"

/* Descriptors that the process must be allowed to have for each worker */
#define WORKER_FILES 128
#define FILE_LEN     4096
#define BLANKS	     " \t\r\v\f"
#define SEPARATORS   ", \t\r\v\f"

/* Returns the value of "devices = value", or NULL; modifies @line. */
static char *value_of(char *line)
{
	char *equals = strchr(line, '=');
	char *save, *key;

	if (!equals)
		return NULL;
	*equals = '\0';
	key = strtok_r(line, BLANKS, &save);
	if (!key || strcmp(key, "devices") != 0 ||
	    strtok_r(NULL, BLANKS, &save))
		return NULL;
	return equals + 1;
}

static void read_line(const char *file, char *line, char *wish)
{
	const char *value;

	line[strcspn(line, "#")] = '\0';
	if (!line[strspn(line, BLANKS)])
		return;
	value = value_of(line);
	if (value && strlen(value) < UROCE_WISH_LEN)
		memcpy(wish, value, strlen(value) + 1);
	else
		verbs_log(NULL, VERBS_LOG_WARN,
			  "%s: ignoring a line that is not \"devices = ...\"",
			  file);
}

static void read_file(const char *file, char *wish)
{
	char text[FILE_LEN], *save;
	ssize_t len;

	len = text_file_read_at(AT_FDCWD, file, text, sizeof(text));
	if (len < 0) {
		if (len != -ENOENT)
			verbs_log(NULL, VERBS_LOG_WARN, "%s: %s", file,
				  strerror((int)-len));
		return;
	}
	for (char *line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		read_line(file, line, wish);
}

void uroce_config_read(const char *file, char ret_wish[UROCE_WISH_LEN])
{
	const char *value = env_path(UROCE_DEVICES_VARIABLE);

	ret_wish[0] = '\0';
	if (!value || !*value) {
		read_file(file, ret_wish);
	} else if (strlen(value) < UROCE_WISH_LEN) {
		memcpy(ret_wish, value, strlen(value) + 1);
	} else {
		verbs_log(NULL, VERBS_LOG_WARN, "%s is too long",
			  UROCE_DEVICES_VARIABLE);
	}
}

/* Whether @word is an address of the interface. */
static bool has_address(const struct uroce_netdev *dev, const char *word)
{
	uint8_t gid[UROCE_GID_LEN] = { [10] = 0xff, [11] = 0xff };

	if (inet_pton(AF_INET, word, gid + 12) != 1 &&
	    inet_pton(AF_INET6, word, gid) != 1)
		return false;
	return uroce_netdev_has_gid(dev, gid);
}

bool uroce_config_is_on(const struct uroce_netdev *dev, const char *word)
{
	return strcmp(word, dev->name) == 0 || has_address(dev, word);
}

bool uroce_config_wants(const char *wish, const struct uroce_netdev *dev,
			bool only_loopback)
{
	char words[UROCE_WISH_LEN], *save;

	memcpy(words, wish, strlen(wish) + 1);
	for (char *word = strtok_r(words, SEPARATORS, &save); word;
	     word = strtok_r(NULL, SEPARATORS, &save)) {
		if (uroce_config_is_on(dev, word))
			return true;
		if (strcmp(word, "auto") == 0 &&
		    (!dev->loopback || only_loopback))
			return true;
	}
	return false;
}

#define ALNUM                        \
	"abcdefghijklmnopqrstuvwxyz" \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZ" \
	"0123456789"

/* Return: the reason why @name cannot be the name of a device, or NULL. */
static const char *name_fault(const char *name)
{
	size_t len = strlen(name);

	if (!len || len >= IBV_SYSFS_NAME_MAX)
		return "a name has 1 to 63 characters";
	/* programs write "DEVICE:PORT", and names are parts of paths */
	if (!strspn(name, ALNUM) || strspn(name, ALNUM "_-.") != len)
		return "a name has letters, digits, '_', '-' and '.', and "
		       "begins with a letter or digit";
	if (strncmp(name, UROCE_NAME_PREFIX, strlen(UROCE_NAME_PREFIX)) == 0)
		return "names with " UROCE_NAME_PREFIX " are not for choice";
	return NULL;
}

static bool name_is_listed(const char *const *names, size_t nr,
			   const char *name)
{
	for (size_t i = 0; i < nr; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

int uroce_config_for_each_name(const char *wish, bool reports,
			       uroce_config_name_fn *fn, void *arg)
{
	char words[UROCE_WISH_LEN], *save;
	/* an entry has at least a letter, '=' and a separator */
	const char *names[UROCE_WISH_LEN / 3 + 1];
	size_t nr = 0;
	int ret = 0;

	memcpy(words, wish, strlen(wish) + 1);
	for (char *word = strtok_r(words, SEPARATORS, &save); word && !ret;
	     word = strtok_r(NULL, SEPARATORS, &save)) {
		char *interface = strchr(word, '=');
		const char *fault;

		if (!interface)
			continue;
		*interface++ = '\0';
		fault = name_fault(word);
		if (!fault && name_is_listed(names, nr, word))
			fault = "an earlier entry has this name";
		if (!fault) {
			names[nr++] = word;
			ret = fn(arg, word, interface);
		} else if (reports) {
			verbs_log(NULL, VERBS_LOG_WARN,
				  UROCE_DEVICES_VARIABLE
				  ": ignoring \"%s=%s\": %s",
				  word, interface, fault);
		}
	}
	return ret;
}

static bool config_has_wire_faults(void)
{
	const char *faults = env_path("UROCE_WIRE_FAULTS");

	return faults && *faults;
}

/* Return: whether the variable is a number; @ret_seed: 0 if it is unset. */
static bool config_parse_chaos(uint64_t *ret_seed)
{
	const char *value = env_path(UROCE_CHAOS_VARIABLE);

	*ret_seed = 0;
	return !value || !*value ||
	       fault_parse_number((struct fault_text){ value, strlen(value) },
				  ret_seed);
}

/* Both act on packets and CQs of the network, and each has one state. */
static bool config_has_disorder(void)
{
	uint64_t seed;

	return config_has_wire_faults() ||
	       (config_parse_chaos(&seed) && seed > 0);
}

bool uroce_config_local(void)
{
	const char *value = env_path(UROCE_LOCAL_VARIABLE);

	if (config_has_disorder())
		return false; /* it acts on packets only */
	if (!value || !*value || strcmp(value, "auto") == 0)
		return true;
	if (strcmp(value, "none") != 0)
		verbs_log(NULL, VERBS_LOG_WARN,
			  "%s is neither auto nor none: ignored",
			  UROCE_LOCAL_VARIABLE);
	return strcmp(value, "none") != 0;
}

/* A value of a variable; the first row of a table is the default. */
struct choice {
	const char *name;
	unsigned int value;
};

static unsigned int config_choose(const char *value,
				  const struct choice *choices, size_t nr,
				  const char *complaint)
{
	for (size_t i = 0; value && i < nr; i++)
		if (strcmp(value, choices[i].name) == 0)
			return choices[i].value;
	if (value && *value)
		verbs_log(NULL, VERBS_LOG_WARN, "%s: ignored", complaint);
	return choices[0].value;
}

unsigned int uroce_config_cma_kinds(void)
{
	static const struct choice choices[] = {
		{ "auto", UROCE_CMA_VM | UROCE_CMA_MEM },
		{ "none", 0 },
		{ "vm", UROCE_CMA_VM },
		{ "mem", UROCE_CMA_MEM },
	};

	return config_choose(env_path(UROCE_CMA_VARIABLE), choices,
			     sizeof(choices) / sizeof(choices[0]),
			     UROCE_CMA_VARIABLE
			     " is neither auto, none, vm nor mem");
}

/*
 * A worker for each processor, but together they get at most a quarter of the
 * descriptors that the process may have. A worker needs about 30, of which 16
 * are copies of the sockets of all slots (udp/uroce_slots.h).
 */
static uint32_t default_workers(void)
{
	struct rlimit files;
	cpu_set_t cpus;
	uint32_t nr;

	if (sched_getaffinity(0, sizeof(cpus), &cpus) ||
	    getrlimit(RLIMIT_NOFILE, &files))
		return 1;
	nr = min_u32((uint32_t)CPU_COUNT(&cpus), UROCE_MAX_WORKERS);
	if (files.rlim_cur / WORKER_FILES < nr)
		nr = (uint32_t)(files.rlim_cur / WORKER_FILES);
	return nr ? nr : 1;
}

uint32_t uroce_config_workers(void)
{
	long nr = env_long(UROCE_WORKERS_VARIABLE, 0);

	if (nr < 0 || nr > UROCE_MAX_WORKERS)
		verbs_log(NULL, VERBS_LOG_WARN,
			  UROCE_WORKERS_VARIABLE " is not between 1 and %d: "
						 "ignored",
			  UROCE_MAX_WORKERS);
	if (config_has_disorder())
		return 1; /* each port has links, and each engine late data */
	return nr > 0 && nr <= UROCE_MAX_WORKERS ? (uint32_t)nr
						 : default_workers();
}

uint64_t uroce_config_chaos(void)
{
	uint64_t seed;

	if (config_parse_chaos(&seed))
		return seed;
	verbs_log(NULL, VERBS_LOG_WARN,
		  UROCE_CHAOS_VARIABLE " is not a number: ignored");
	return 0;
}

enum uroce_shm_rndv uroce_config_rndv(void)
{
	static const struct choice choices[] = {
		{ "auto", UROCE_SHM_RNDV_TRY },
		{ "never", UROCE_SHM_RNDV_NEVER },
		{ "always", UROCE_SHM_RNDV_ALWAYS },
	};

	if (env_path(UROCE_OLD_RNDV_VARIABLE))
		verbs_log(NULL, VERBS_LOG_WARN,
			  "uroce: ignoring " UROCE_OLD_RNDV_VARIABLE
			  ", which is now " UROCE_RNDV_VARIABLE);
	return (enum uroce_shm_rndv)config_choose(
		env_path(UROCE_RNDV_VARIABLE), choices,
		sizeof(choices) / sizeof(choices[0]),
		UROCE_RNDV_VARIABLE " is neither auto, never nor always");
}
