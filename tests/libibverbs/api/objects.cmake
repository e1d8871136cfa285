# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Tests of the exported functions on an open device of the fake provider, with
# the real core/ and fakes of the floors below it (../core/CMakeLists.txt).
include(${PROJECT_SOURCE_DIR}/tests/support/alloc_fail.cmake)

add_library(verbs_api_fixture STATIC api_fixture.c no_neigh.c)
target_include_directories(verbs_api_fixture PRIVATE
  ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(verbs_api_fixture PUBLIC verbs_fakes)

# api_test(NAME [WRAP symbol...])
function(api_test name)
  cmake_parse_arguments(A "" "" "WRAP" ${ARGN})
  verbs_test(${name} SOURCES ${name}.c FLOORS api core util
    WRAP ${ALLOC_FAIL_WRAP} ${A_WRAP} LIBS verbs_api_fixture)
endfunction()

api_test(device_test WRAP verbs_library_init)
api_test(fork_test)
api_test(mr_fork_test WRAP verbs_fork_guard_add verbs_fork_guard_remove)
api_test(context_test WRAP verbs_open_node verbs_core_import verbs_library_init)
foreach(name abi_tables_test every_verb_test misuse_null_test
        misuse_attr_test misuse_foreign_test misuse_bits_test query_device_test
        port_test gid_test pd_test td_test parent_domain_test mr_test
        mr_ex_test mw_test dm_test dmah_test buf_test ah_test mcast_test
        xrcd_test cq_test comp_channel_test async_event_test srq_test qp_test
        qp_objects_test wq_test flow_test flow_action_test counters_test
        comp_cntr_test)
  api_test(${name})
endforeach()

api_test(destroy_event_test WRAP pthread_cond_wait)

# Without the counter of allocations, whose lock would order the threads.
verbs_test(list_stress_test SOURCES list_stress_test.c FLOORS api core util
  WRAP verbs_open_node LIBS verbs_api_fixture)

set_tests_properties(list_stress_test cq_test srq_test qp_test
  destroy_event_test PROPERTIES LABELS threads)

# Each function is called in a test of misuse, or is an exception of the script.
file(GLOB misuse_tests CONFIGURE_DEPENDS *_test.c)
add_test(NAME misuse.list
         COMMAND ${Python3_EXECUTABLE}
                 ${CMAKE_CURRENT_SOURCE_DIR}/check_misuse.py ${misuse_tests})

# The inline functions without the library.
verbs_test(inline_lacks_test SOURCES inline_lacks_test.c)
add_test(NAME inline_lacks.list
         COMMAND ${Python3_EXECUTABLE}
                 ${CMAKE_CURRENT_SOURCE_DIR}/check_lacks.py
                 ${CMAKE_CURRENT_SOURCE_DIR}/inline_lacks_test.c)
