# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# verbs_static_providers(SOURCE_VAR FLAGS_VAR)
#
# For libibverbs.a: writes verbs_provider_all.c, which implements the keyword "all"
# of RDMA_STATIC_PROVIDERS. It is an object file of its own because it refers to
# every provider. FLAGS_VAR receives the linker flags of all providers for
# libibverbs.pc.
function(verbs_static_providers source_var flags_var)
  get_property(names GLOBAL PROPERTY VERBS_PROVIDERS)
  set(declarations "")
  set(members "")
  set(flags "")
  foreach(name ${names})
    string(APPEND declarations
      "extern const struct verbs_device_ops verbs_provider_${name};\n")
    string(APPEND members "\t&verbs_provider_${name},\n")
    string(APPEND flags "-l${name}-anyverbs${ANYVERBS_ABI} ")
  endforeach()

  set(source ${CMAKE_CURRENT_BINARY_DIR}/verbs_provider_all.c)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT
"/* All providers of a static build. */
#include <provider/provider.h>

@declarations@extern const struct verbs_device_ops verbs_provider_all;

static const struct verbs_device_ops *const members[] = {
@members@	NULL,
};

const struct verbs_device_ops verbs_provider_all = {
	.provider_abi = VERBS_PROVIDER_ABI,
	.members = members,
};
")
  set(${source_var} ${source} PARENT_SCOPE)
  set(${flags_var} "${flags}" PARENT_SCOPE)
endfunction()
