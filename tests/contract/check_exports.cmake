# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Checks that a module exports its provider and no other symbol:
# -DNM= -DMODULE= -DNAME=
execute_process(COMMAND ${NM} -D --defined-only ${MODULE}
                OUTPUT_VARIABLE symbols RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${NM} ${MODULE}: ${result}")
endif()
string(REGEX REPLACE "[0-9a-f]+ [A-Z] " "" symbols "${symbols}")
string(STRIP "${symbols}" symbols)
if(NOT symbols STREQUAL "verbs_provider_${NAME}")
  message(FATAL_ERROR "${MODULE} exports: ${symbols}")
endif()
