/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The table of mapped files, and the queue of messages for it. The peer selects
 * the file that it sends; a wrong one has no other effect than that this
 * process writes to a file of the peer.
 */
#include "uroce/shm/uroce_mapping.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "uroce/shm/uroce_memfd.h"

struct uroce_mapping_news {
	struct uroce_mapping_news *next;
	struct uroce_mapping mapping; /* memory is NULL: end of share */
};

int uroce_mappings_open(struct uroce_mappings *mappings)
{
	*mappings = (struct uroce_mappings){
		.table = calloc(UROCE_SHARES, sizeof(*mappings->table)),
	};
	return mappings->table ? 0 : -ENOMEM;
}

static void unmap(struct uroce_mapping *mapping)
{
	if (mapping->memory)
		(void)munmap(mapping->memory, mapping->bytes);
	*mapping = (struct uroce_mapping){};
}

/* Return: the queued messages, in the order of their arrival. */
static struct uroce_mapping_news *take_news(struct uroce_mappings *mappings)
{
	/* pairs with the release in mapping_push() */
	struct uroce_mapping_news *news =
		__atomic_exchange_n(&mappings->news, NULL, __ATOMIC_ACQUIRE);
	struct uroce_mapping_news *first = NULL;

	while (news) {
		struct uroce_mapping_news *next = news->next;

		news->next = first;
		first = news;
		news = next;
	}
	return first;
}

void uroce_mappings_close(struct uroce_mappings *mappings)
{
	if (!mappings->table)
		return;
	uroce_mappings_update(mappings);
	for (uint32_t i = 0; i < UROCE_SHARES; i++)
		unmap(&mappings->table[i]);
	free(mappings->table);
	mappings->table = NULL;
}

void uroce_mappings_forget(struct uroce_mappings *mappings)
{
	struct uroce_mapping_news *news = take_news(mappings);

	while (news) {
		struct uroce_mapping_news *next = news->next;

		free(news);
		news = next;
	}
	free(mappings->table);
	mappings->table = NULL;
}

bool uroce_mappings_want(struct uroce_mappings *mappings, uint64_t share)
{
	struct uroce_mapping *mapping = &mappings->table[share % UROCE_SHARES];

	if (mapping->share == share)
		return false;
	unmap(mapping);
	mapping->share = share;
	__atomic_fetch_add(&mappings->asked, 1, __ATOMIC_RELAXED);
	return true;
}

static void mapping_learn(struct uroce_mappings *mappings,
			  struct uroce_mapping *received)
{
	struct uroce_mapping *mapping =
		&mappings->table[received->share % UROCE_SHARES];

	/* the entry is in use for another share, or is mapped already */
	if (mapping->share != received->share ||
	    (received->memory && mapping->memory)) {
		unmap(received);
		return;
	}
	unmap(mapping);
	if (received->memory)
		*mapping = *received;
}

void uroce_mappings_update(struct uroce_mappings *mappings)
{
	struct uroce_mapping_news *news;

	if (!mappings->table || !uroce_mappings_has_news(mappings))
		return;
	news = take_news(mappings);
	while (news) {
		struct uroce_mapping_news *next = news->next;

		mapping_learn(mappings, &news->mapping);
		free(news);
		news = next;
	}
}

/* Each request allows two messages, FILE and FILE_GONE. */
static bool mapping_is_expected(struct uroce_mappings *mappings)
{
	uint32_t asked = __atomic_load_n(&mappings->asked, __ATOMIC_RELAXED);

	return mappings->table && mappings->nr_messages++ / 2 < asked;
}

static int mapping_push(struct uroce_mappings *mappings,
			const struct uroce_mapping *mapping)
{
	struct uroce_mapping_news *news = malloc(sizeof(*news));

	if (!news)
		return -ENOMEM;
	news->mapping = *mapping;
	news->next = __atomic_load_n(&mappings->news, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&mappings->news, &news->next, news,
					    true, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		continue;
	return 0;
}

int uroce_mappings_given(struct uroce_mappings *mappings, uint64_t share,
			 int fd)
{
	struct uroce_mapping mapping = { .share = share };
	void *memory = NULL;

	if (!mapping_is_expected(mappings))
		return -EPROTO;
	/* without a mapping, the peer executes the requests */
	if (uroce_memfd_size(fd, &mapping.bytes) || mapping.bytes > SIZE_MAX ||
	    uroce_memfd_map(fd, mapping.bytes, PROT_READ | PROT_WRITE, &memory))
		return 0;
	mapping.memory = memory;
	if (mapping_push(mappings, &mapping))
		unmap(&mapping);
	return 0;
}

int uroce_mappings_gone(struct uroce_mappings *mappings, uint64_t share)
{
	const struct uroce_mapping mapping = { .share = share };

	if (!mapping_is_expected(mappings))
		return -EPROTO;
	/* on -ENOMEM it stays mapped until its entry is reused: harmless */
	(void)mapping_push(mappings, &mapping);
	return 0;
}
