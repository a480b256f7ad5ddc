# The header libraries that Tutti is built with: {fmt}, JSON for Modern C++, CLI11.
#
# Those that CMake does not find are Debian 12's, unpacked in the build folder: nothing has to be
# installed, but a network is needed.
set(TUTTI_DEBIAN http://deb.debian.org/debian/pool/main CACHE STRING
  "Where header libraries come from that are not found")

function(tutti_fetch_headers target package sha256)
  set(folder ${PROJECT_BINARY_DIR}/headers/${target})
  if(NOT EXISTS ${folder}/usr/include)
    get_filename_component(file ${package} NAME)
    set(archive ${PROJECT_BINARY_DIR}/headers/${file})
    file(DOWNLOAD ${TUTTI_DEBIAN}/${package} ${archive} EXPECTED_HASH SHA256=${sha256}
      STATUS status TIMEOUT 60)
    list(GET status 0 failed)
    if(failed)
      list(GET status 1 why)
      message(FATAL_ERROR "The headers of ${target} are neither found nor to be had from "
        "${TUTTI_DEBIAN} (${why}): install them, or name their folder with -DCMAKE_PREFIX_PATH=...")
    endif()
    file(ARCHIVE_EXTRACT INPUT ${archive} DESTINATION ${folder})
    file(ARCHIVE_EXTRACT INPUT ${folder}/data.tar.xz DESTINATION ${folder})
    message(STATUS "Headers of ${target}: ${file}")
  endif()
  add_library(${target}::${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target}::${target} INTERFACE ${folder}/usr/include)
endfunction()

find_package(fmt QUIET)
if(NOT fmt_FOUND)
  tutti_fetch_headers(fmt f/fmtlib/libfmt-dev_9.1.0+ds1-2_amd64.deb
    c8fa00dd0269e6eda9fd06668df3d720de4b5a1f647dcd3c6e0ba63f0cbf2150)
  set(fmt_VERSION 9.1.0)
endif()
find_package(nlohmann_json QUIET)
if(NOT nlohmann_json_FOUND)
  tutti_fetch_headers(nlohmann_json n/nlohmann-json3/nlohmann-json3-dev_3.11.2-2_all.deb
    ec57940def6b6186c30be0e0ee81d1e58f86d11a54a145b28686a1e3e4aae801)
endif()
find_package(CLI11 QUIET)
if(NOT CLI11_FOUND)
  tutti_fetch_headers(CLI11 c/cli11/libcli11-dev_2.1.2+ds-1_all.deb
    f1f6ee9ec053e0e0bcec47345e241b6a8ee006321248b4329e9ce88d2b4b64a8)
endif()
