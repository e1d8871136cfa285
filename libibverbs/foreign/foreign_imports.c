/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads the dynamic section of a module that the dynamic linker has mapped. The
 * symbol table does not contain its length, so the relocations are read
 * instead: every imported symbol has one. Called by foreign_detect.c.
 */
#include "foreign/foreign_imports.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if __ELF_NATIVE_CLASS == 64
#define RELOC_SYMBOL(info) ELF64_R_SYM(info)
#else
#define RELOC_SYMBOL(info) ELF32_R_SYM(info)
#endif

/* Tables that the dynamic section points to. */
struct dynamic {
	const ElfW(Sym) * symbols;
	const char *strings;
	size_t strings_len;
	/* REL, RELA, and the PLT relocations, which have either format */
	const char *tables[3];
	size_t lens[3];
	bool calls_have_addend;
};

enum {
	TABLE_RELA,
	TABLE_REL,
	TABLE_CALLS,
};

/*
 * Some dynamic linkers convert the offsets of the section to addresses, some of
 * them only on some machines. A module is never mapped at 0, so a value below
 * its load address is an offset.
 */
static const void *foreign_imports_address_of(const struct link_map *map,
					      uintptr_t value)
{
	return (const void *)(value < map->l_addr ? map->l_addr + value
						  : value);
}

static struct dynamic foreign_imports_read_dynamic(const struct link_map *map)
{
	struct dynamic dynamic = {};

	for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL;
	     entry++) {
		const void *pointer =
			foreign_imports_address_of(map, entry->d_un.d_ptr);
		size_t value = entry->d_un.d_val;

		switch (entry->d_tag) {
		case DT_SYMTAB:
			dynamic.symbols = pointer;
			break;
		case DT_STRTAB:
			dynamic.strings = pointer;
			break;
		case DT_STRSZ:
			dynamic.strings_len = value;
			break;
		case DT_RELA:
			dynamic.tables[TABLE_RELA] = pointer;
			break;
		case DT_RELASZ:
			dynamic.lens[TABLE_RELA] = value;
			break;
		case DT_REL:
			dynamic.tables[TABLE_REL] = pointer;
			break;
		case DT_RELSZ:
			dynamic.lens[TABLE_REL] = value;
			break;
		case DT_JMPREL:
			dynamic.tables[TABLE_CALLS] = pointer;
			break;
		case DT_PLTRELSZ:
			dynamic.lens[TABLE_CALLS] = value;
			break;
		case DT_PLTREL:
			dynamic.calls_have_addend = value == DT_RELA;
			break;
		default:
			break;
		}
	}
	return dynamic;
}

static size_t foreign_imports_entry_len(const struct dynamic *dynamic,
					int table)
{
	if (table == TABLE_RELA ||
	    (table == TABLE_CALLS && dynamic->calls_have_addend))
		return sizeof(ElfW(Rela));
	return sizeof(ElfW(Rel));
}

void foreign_imports_visit(const struct link_map *map,
			   void (*visit)(void *arg, const char *name),
			   void *arg)
{
	struct dynamic dynamic = foreign_imports_read_dynamic(map);

	if (!dynamic.symbols || !dynamic.strings)
		return;
	for (int table = TABLE_RELA; table <= TABLE_CALLS; table++) {
		const char *start = dynamic.tables[table];
		size_t len = foreign_imports_entry_len(&dynamic, table);

		for (size_t at = 0; start && at + len <= dynamic.lens[table];
		     at += len) {
			/* Rela begins with the members of Rel. */
			const ElfW(Rel) *entry = (const void *)(start + at);
			const ElfW(Sym) *symbol =
				&dynamic.symbols[RELOC_SYMBOL(entry->r_info)];

			if (symbol->st_shndx == SHN_UNDEF &&
			    symbol->st_name != 0 &&
			    symbol->st_name < dynamic.strings_len)
				visit(arg, dynamic.strings + symbol->st_name);
		}
	}
}
