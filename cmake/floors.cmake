# A floor of src/: a folder, a target, and the floors below it that it may include.
#
#   tutti_floor(NAME USES FLOOR... SOURCES FILE...)
#
# Makes the library tutti_NAME of the sources in src/NAME. Whoever links it finds its headers as
# "NAME/file.hpp", and those of the floors below: each floor's include directory has one link, to its
# folder, so an include of a floor that is not below does not compile.
set(TUTTI_FLOORS ${CMAKE_BINARY_DIR}/floors CACHE PATH
  "Include directories of the floors. Builds that share it share what a compiler cache has.")

# The include directory of a folder of src/.
function(tutti_floor_directory name result)
  file(MAKE_DIRECTORY ${TUTTI_FLOORS}/${name})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/${name} ${TUTTI_FLOORS}/${name}/${name} SYMBOLIC)
  set(${result} ${TUTTI_FLOORS}/${name} PARENT_SCOPE)
endfunction()

function(tutti_floor name)
  cmake_parse_arguments(PARSE_ARGV 1 floor "" "" "USES;SOURCES")
  tutti_floor_directory(${name} directory)
  set(scope INTERFACE)
  if(floor_SOURCES)
    set(scope PUBLIC)
    list(TRANSFORM floor_SOURCES PREPEND ${name}/)
    add_library(tutti_${name} STATIC ${floor_SOURCES})
    target_link_libraries(tutti_${name} PUBLIC tutti_fmt)
  else()
    add_library(tutti_${name} INTERFACE)
  endif()
  list(TRANSFORM floor_USES PREPEND tutti_)
  target_include_directories(tutti_${name} ${scope} ${directory})
  target_link_libraries(tutti_${name} ${scope} ${floor_USES})
endfunction()
