# The libraries that we build on. What is missing is told in one message, with Debian's name for it.
find_package(fmt QUIET)
find_package(ZLIB QUIET)
find_package(simdjson QUIET)
find_package(CLI11 QUIET)
find_library(ISL_LIBRARY isl)
# The archive if there is one: the digest that we use is a few kilobytes of it, while the shared library
# takes half of the time that the program needs to start, and Python may have loaded another one.
find_library(CRYPTO_LIBRARY NAMES libcrypto.a crypto)
find_path(CRYPTO_HEADERS openssl/sha.h)

set(missing "")
foreach(need IN ITEMS fmt_FOUND=libfmt-dev ZLIB_FOUND=zlib1g-dev simdjson_FOUND=libsimdjson-dev CLI11_FOUND=libcli11-dev
                      ISL_LIBRARY=libisl-dev CRYPTO_LIBRARY=libssl-dev CRYPTO_HEADERS=libssl-dev)
  string(REPLACE "=" ";" need ${need})
  list(GET need 0 found)
  list(GET need 1 package)
  if(NOT ${found})
    list(APPEND missing ${package})
  endif()
endforeach()
if(missing)
  list(REMOVE_DUPLICATES missing)
  list(JOIN missing " " missing)
  message(FATAL_ERROR "libraries are missing; on Debian and its relatives: apt-get install ${missing}")
endif()
