# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Tests of the adapters with fake ops of a provider. The commands of kernel/ are
# fakes: adapt_port_speed.c, ../core/no_kernel.c.
set(ADAPT ${PROJECT_SOURCE_DIR}/libibverbs/foreign)
set(ADAPT_CORE ${PROJECT_SOURCE_DIR}/libibverbs/core)

file(GLOB ADAPT_SOURCES CONFIGURE_DEPENDS ${ADAPT}/foreign_adapt*.c)
add_library(verbs_adapt_fixture STATIC
  adapt_fixture.c adapt_port_speed.c ${ADAPT_SOURCES} ${ADAPT}/foreign_call.c
  ${ADAPT}/foreign_port_attr.c
  ${ADAPT_CORE}/object_life.c)
target_include_directories(verbs_adapt_fixture PRIVATE
  ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(verbs_adapt_fixture PUBLIC PkgConfig::CMOCKA)

foreach(group pd device dm ah cq srq qp wq flow comp_cntr)
  verbs_test(foreign_adapt_${group}_test SOURCES foreign_adapt_${group}_test.c
    LIBS verbs_adapt_fixture)
endforeach()
verbs_test(foreign_adapt_test SOURCES foreign_adapt_test.c
  LIBS verbs_adapt_fixture)
target_include_directories(foreign_adapt_test PRIVATE ${OP_NAMES})

# With the default ops of core/ below the adapters.
file(GLOB ADAPT_DEFAULTS CONFIGURE_DEPENDS ${ADAPT_CORE}/op_defaults*.c)
verbs_test(foreign_adapt_mr_test
  SOURCES foreign_adapt_mr_test.c ../core/no_kernel.c
          ${ADAPT_CORE}/op_table.c ${ADAPT_DEFAULTS}
  LIBS verbs_adapt_fixture)
