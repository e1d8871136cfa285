# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Tests of the commands that foreign providers call, with a fake kernel and with
# buffers in the format of the providers.
set(CMD ${PROJECT_SOURCE_DIR}/libibverbs/foreign)
set(SUPPORT ${PROJECT_SOURCE_DIR}/tests/support)

include(${SUPPORT}/alloc_fail.cmake)

# The linker takes only the objects from this archive that a test needs.
file(GLOB CMD_SOURCES CONFIGURE_DEPENDS ${CMD}/foreign_cmd*.c)
add_library(verbs_foreign_cmds STATIC
  foreign_cmd_test.c
  ${CMD_SOURCES}
  ${CMD}/foreign_heap.c
  ${CMD}/foreign_ioctl.c
  ${CMD}/foreign_port_attr.c
  ${CMD}/foreign_udata.c
  ${CMD}/foreign_variant.c
  ${PROJECT_SOURCE_DIR}/libibverbs/core/object_life.c
  ${SUPPORT}/fake_kernel.c
  ${SUPPORT}/foreign_caller.c)
target_include_directories(verbs_foreign_cmds PRIVATE
  ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(verbs_foreign_cmds PUBLIC PkgConfig::CMOCKA)

foreach(name
    foreign_cmd_ah
    foreign_cmd_comp_cntr
    foreign_cmd_context
    foreign_cmd_cq
    foreign_cmd_cq_attr
    foreign_cmd_device
    foreign_cmd_dm
    foreign_cmd_flow
    foreign_cmd_mr
    foreign_cmd_open_qp
    foreign_cmd_pd
    foreign_cmd_port
    foreign_cmd_post
    foreign_cmd_qp
    foreign_cmd_qp_attr
    foreign_cmd_srq
    foreign_cmd_wq
    foreign_ioctl
    foreign_udata)
  verbs_test(${name}_test
    SOURCES ${name}_test.c
    FLOORS kernel util
    LIBS verbs_foreign_cmds
    WRAP ioctl write)
endforeach()

verbs_test(foreign_cmd_destroy_test
  SOURCES foreign_cmd_destroy_test.c
  FLOORS kernel util
  LIBS verbs_foreign_cmds
  WRAP ioctl write pthread_cond_wait)
verbs_test(foreign_heap_test
  SOURCES foreign_heap_test.c ${SUPPORT}/alloc_fail.c
  LIBS verbs_foreign_cmds
  WRAP open ioctl mmap munmap close ${ALLOC_FAIL_WRAP})
