# What the wheel holds: the extension, the program, and in lib/ the shared libraries that they need and that a
# machine may not have. Excepted is what every machine with a wheel's Python has (the libraries that the manylinux
# standard counts on).
#
# The old kind of run path (DT_RPATH), because it counts for the libraries of the libraries as well: libisl needs libgmp.
target_link_options(_core PRIVATE -Wl,--disable-new-dtags)
target_link_options(sdfg-opt PRIVATE -Wl,--disable-new-dtags)
set_target_properties(_core PROPERTIES INSTALL_RPATH "$ORIGIN/lib")
set_target_properties(sdfg-opt PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
install(TARGETS _core DESTINATION sdfgopt COMPONENT python)
install(TARGETS sdfg-opt DESTINATION sdfgopt/bin COMPONENT python)

# libcrypto is here only where there is no archive of it, and then Python has loaded one already, by the same name.
set(everywhere "^(lib(c|m|dl|rt|pthread|stdc\\+\\+|gcc_s|z|crypto)\\.so|ld-linux)")
# Not install(RUNTIME_DEPENDENCY_SET): it would install links beside the files, and a wheel has no links.
install(CODE "
  file(GET_RUNTIME_DEPENDENCIES
    EXECUTABLES $<TARGET_FILE:sdfg-opt> MODULES $<TARGET_FILE:_core>
    PRE_EXCLUDE_REGEXES [[${everywhere}]] RESOLVED_DEPENDENCIES_VAR libraries)
  foreach(library IN LISTS libraries)
    get_filename_component(name \${library} NAME)
    file(REAL_PATH \${library} file)
    message(STATUS \"Bundling: \${file}\")
    file(MAKE_DIRECTORY \${CMAKE_INSTALL_PREFIX}/sdfgopt/lib)
    file(COPY_FILE \${file} \${CMAKE_INSTALL_PREFIX}/sdfgopt/lib/\${name})
  endforeach()" COMPONENT python)
