/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The whole library with modules of all private ABIs in one process: each name
 * in each node must refer to the function for that node.
 */
#include <dlfcn.h>
#include <infiniband/verbs.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libibverbs/foreign/node_module.h"

/* last: requires the headers above */
#include <cmocka.h>

struct module {
	const char *path;
	int node;
	size_t sz; /* on x86-64 */
	struct ibv_device **(*devices)(void);
	const struct node_module_calls *(*calls)(void);
};

static struct module modules[] = {
	{ .path = NODE_DIR "/34/libnode34-rdmav34.so", .node = 34, .sz = 648 },
	{ .path = NODE_DIR "/57/libnode57-rdmav57.so", .node = 57, .sz = 648 },
	{ .path = NODE_DIR "/59a/libnode59a-rdmav59.so",
	  .node = 59,
	  .sz = 672 },
	{ .path = NODE_DIR "/59b/libnode59b-rdmav59.so",
	  .node = 59,
	  .sz = 680 },
	{ .path = NODE_DIR "/64/libnode64-rdmav64.so", .node = 64, .sz = 696 },
	{ .path = NODE_DIR "/65/libnode65-rdmav65.so", .node = 65, .sz = 696 },
};

#define NR_MODULES (sizeof(modules) / sizeof(modules[0]))

static int load_all_modules(void **state)
{
	for (size_t i = 0; i < NR_MODULES; i++) {
		void *handle = dlopen(modules[i].path, RTLD_NOW | RTLD_LOCAL);

		if (!handle)
			fail_msg("%s", dlerror());
		*(void **)&modules[i].devices =
			dlsym(handle, "node_module_devices");
		*(void **)&modules[i].calls =
			dlsym(handle, "node_module_calls");
		assert_non_null(modules[i].devices);
		assert_non_null(modules[i].calls);
	}
	return 0;
}

static void use_context(struct ibv_context *ctx, const struct module *module)
{
	struct ibv_cq cq = { .context = ctx };
	struct ibv_port_attr attr;
	struct ibv_pd *pd;
	struct ibv_wc wc;

	assert_int_equal(ctx->num_comp_vectors, module->node);
#if defined(__x86_64__) && defined(__LP64__)
	assert_int_equal(verbs_get_ctx(ctx)->sz, module->sz);
#endif
	pd = ibv_alloc_pd(ctx);
	assert_non_null(pd);
	assert_ptr_equal(pd->context, ctx);
	assert_int_equal(module->calls()->nr_alloc_pd, 1);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
	assert_int_equal(module->calls()->nr_dealloc_pd, 1);
	assert_int_equal(ibv_query_port(ctx, 3, &attr), 0);
	assert_int_equal(attr.lid, module->node * 10 + 3);
	assert_int_equal(ibv_poll_cq(&cq, 1, &wc), module->node);
	assert_null(ibv_alloc_mw(&(struct ibv_pd){ .context = ctx },
				 IBV_MW_TYPE_1));
}

static void foreign_nodes_module_calls_functions_of_matching_node(void **state)
{
	for (size_t i = 0; i < NR_MODULES; i++) {
		const struct module *module = &modules[i];
		struct ibv_device **list = module->devices();
		struct ibv_context *ctx = ibv_open_device(list[0]);

		if (!ctx)
			fail_msg("%s: %m", module->path);
		use_context(ctx, module);
		assert_int_equal(ibv_close_device(ctx), 0);
		assert_int_equal(module->calls()->nr_free_context, 1);
		assert_false(module->calls()->damaged);
		assert_int_equal(module->calls()->nr_uninit_device, 0);
		ibv_free_device_list(list);
		assert_int_equal(module->calls()->nr_uninit_device, 1);
	}
}

static void foreign_nodes_contexts_of_all_modules_coexist(void **state)
{
	struct ibv_context *ctx[NR_MODULES];
	struct ibv_device **list[NR_MODULES];

	for (size_t i = 0; i < NR_MODULES; i++) {
		list[i] = modules[i].devices();
		ctx[i] = ibv_open_device(list[i][0]);
		assert_non_null(ctx[i]);
		ibv_free_device_list(list[i]);
	}
	for (size_t i = 0; i < NR_MODULES; i++) {
		struct ibv_port_attr attr;

		assert_int_equal(ibv_query_port(ctx[i], 1, &attr), 0);
		assert_int_equal(attr.lid, modules[i].node * 10 + 1);
	}
	for (size_t i = 0; i < NR_MODULES; i++)
		assert_int_equal(ibv_close_device(ctx[i]), 0);
}

/* Functions that never changed are exported as one function in all nodes. */
static void foreign_nodes_unchanged_function_is_same_in_all_nodes(void **state)
{
	static const char *const names[] = {
		"verbs_open_device",  "ibv_cmd_alloc_pd",  "execute_ioctl",
		"ibv_query_gid_type", "ibv_wr_opcode_str",
	};
	void *library = dlopen("libibverbs.so.1", RTLD_NOW | RTLD_NOLOAD);

	assert_non_null(library);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		void *first = dlvsym(library, names[i], "IBVERBS_PRIVATE_34");

		assert_non_null(first);
		assert_ptr_equal(
			dlvsym(library, names[i], "IBVERBS_PRIVATE_65"), first);
	}
	assert_int_equal(dlclose(library), 0);
}

/* The name of a symbol in @node: <n> stands for the number of the node. */
static void name_in_node(const char *pattern, int node, char *name, size_t size)
{
	const char *number = strstr(pattern, "<n>");

	if (number)
		(void)snprintf(name, size, "%.*s%d%s", (int)(number - pattern),
			       pattern, node, number + strlen("<n>"));
	else
		(void)snprintf(name, size, "%s", pattern);
}

static void foreign_nodes_symbol_is_exported_from_first_node_on(void **state)
{
	static const int nodes[] = { 34, 57, 59, 64, 65 };
	void *library = dlopen("libibverbs.so.1", RTLD_NOW | RTLD_NOLOAD);
	FILE *file = fopen(PRIVATE_SYMBOLS_TSV, "re");
	char line[256], pattern[128], name[128], version[32];
	size_t nr_rows = 0;

	assert_non_null(library);
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		int first;

		if (*line == '#')
			continue;
		nr_rows++;
		assert_int_equal(sscanf(line, "%127s %d", pattern, &first), 2);
		for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
			bool exported;

			name_in_node(pattern, nodes[i], name, sizeof(name));
			(void)snprintf(version, sizeof(version),
				       "IBVERBS_PRIVATE_%d", nodes[i]);
			exported = dlvsym(library, name, version) != NULL;
			if (exported != (nodes[i] >= first))
				fail_msg("%s@%s", name, version);
		}
	}
	assert_true(nr_rows > 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(dlclose(library), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			foreign_nodes_module_calls_functions_of_matching_node),
		cmocka_unit_test(foreign_nodes_contexts_of_all_modules_coexist),
		cmocka_unit_test(
			foreign_nodes_unchanged_function_is_same_in_all_nodes),
		cmocka_unit_test(
			foreign_nodes_symbol_is_exported_from_first_node_on),
	};

	return cmocka_run_group_tests(tests, load_all_modules, NULL);
}
