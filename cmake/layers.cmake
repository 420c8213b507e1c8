# The layers of the house: one folder, one namespace, one target; a folder sees only folders before it.
#
# Each layer's headers are offered under build/include-<layer>/, as a link to its own folder and to
# those of the layers below it. So `#include "passes/pass.h"` in src/ir is a file that does not exist:
# the wrong include fails to compile, not only to link.
set(SDFGOPT_LAYERS support symbolic sets ir io analysis passes interp verify report)
# On top of all layers, side by side: the command line, and the Python extension.
set(SDFGOPT_FRONTS cli python)

# build/include-<name>/: what `name` may include.
function(sdfgopt_view name)
  set(view ${CMAKE_BINARY_DIR}/include-${name})
  file(MAKE_DIRECTORY ${view})
  foreach(layer IN LISTS SDFGOPT_LAYERS)
    file(CREATE_LINK ${CMAKE_SOURCE_DIR}/src/${layer} ${view}/${layer} SYMBOLIC)
    if(layer STREQUAL name)
      break()
    endif()
  endforeach()
  if(name IN_LIST SDFGOPT_FRONTS)
    file(CREATE_LINK ${CMAKE_SOURCE_DIR}/src/${name} ${view}/${name} SYMBOLIC)
  endif()
endfunction()

function(sdfgopt_layer name)
  cmake_parse_arguments(ARG "" "" "LIBRARIES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  add_library(sdfgopt_${name} STATIC ${sources})
  foreach(layer IN LISTS SDFGOPT_LAYERS)
    if(layer STREQUAL name)
      break()
    endif()
    target_link_libraries(sdfgopt_${name} PUBLIC sdfgopt_${layer})
  endforeach()
  sdfgopt_view(${name})
  # BEFORE + PRIVATE: a layer must not see more through what it links.
  target_include_directories(sdfgopt_${name} PRIVATE ${CMAKE_BINARY_DIR}/include-${name})
  target_link_libraries(sdfgopt_${name} PUBLIC ${ARG_LIBRARIES})
endfunction()

# A program on top of all layers: tests, benchmarks, the command line.
function(sdfgopt_program name)
  add_executable(${name} ${ARGN})
  target_include_directories(${name} PRIVATE ${CMAKE_BINARY_DIR}/include-cli)
  target_link_libraries(${name} PRIVATE sdfgopt_cli)
endfunction()

# Defines SDFGOPT_SOURCE_DIR in a program: by a header, since ccache is told to make the paths on command lines
# relative.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/source_dir.h
     CONTENT "#define SDFGOPT_SOURCE_DIR \"@CMAKE_SOURCE_DIR@\"\n" @ONLY)
function(sdfgopt_knows_source_dir name)
  target_compile_options(${name} PRIVATE -include ${CMAKE_BINARY_DIR}/source_dir.h)
endfunction()
