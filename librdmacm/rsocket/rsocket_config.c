/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The configuration files of rsockets: one number each. */
#include "rsocket/rsocket_config.h"

#include "rsocket/stream_wire.h"
#include "util/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define CONFIG_FOLDER	"/etc/rdma/rsocket"
#define CONFIG_TEXT_LEN 32

static struct rsocket_config config = {
	.recv_len = 131072,
	.send_len = 131072,
	.nr_sends = 384,
	.nr_recvs = 384,
	.max_inline = 64,
	.nr_iomaps = 0,
	.polling_time_us = 10,
};
static pthread_once_t config_once = PTHREAD_ONCE_INIT;

uint32_t rsocket_size_clamp(uint32_t value, uint32_t min, uint32_t max)
{
	if (value < min)
		return min;
	return value > max ? max : value;
}

static void config_read_number(int folder, const char *name, uint32_t *number)
{
	char text[CONFIG_TEXT_LEN], *end;
	unsigned long value;

	if (text_file_read_at(folder, name, text, sizeof(text)) <= 0 ||
	    text[0] < '0' || text[0] > '9')
		return;
	errno = 0;
	value = strtoul(text, &end, 0);
	if (errno || end == text || value > INT_MAX)
		return;
	*number = (uint32_t)value;
}

static void config_read(void)
{
	int folder = open(CONFIG_FOLDER, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (folder < 0)
		return;
	config_read_number(folder, "mem_default", &config.recv_len);
	config_read_number(folder, "wmem_default", &config.send_len);
	config_read_number(folder, "sqsize_default", &config.nr_sends);
	config_read_number(folder, "rqsize_default", &config.nr_recvs);
	config_read_number(folder, "inline_default", &config.max_inline);
	config_read_number(folder, "iomap_size", &config.nr_iomaps);
	config_read_number(folder, "polling_time", &config.polling_time_us);
	config.recv_len = rsocket_size_clamp(
		config.recv_len, RSOCKET_MIN_BUFFER, RSOCKET_MAX_BUFFER);
	config.send_len = rsocket_size_clamp(
		config.send_len, RSOCKET_MIN_BUFFER, RSOCKET_MAX_BUFFER);
	config.nr_sends = rsocket_size_clamp(config.nr_sends, RSOCKET_MIN_QUEUE,
					     RSOCKET_MAX_QUEUE);
	config.nr_recvs = rsocket_size_clamp(config.nr_recvs, RSOCKET_MIN_QUEUE,
					     RSOCKET_MAX_QUEUE);
	config.nr_iomaps = stream_iomaps_round(config.nr_iomaps);
	(void)close(folder);
}

const struct rsocket_config *rsocket_config_get(void)
{
	int saved_errno = errno;

	(void)pthread_once(&config_once, config_read);
	errno = saved_errno;
	return &config;
}
