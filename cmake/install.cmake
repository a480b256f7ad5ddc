# Installation of the library, its header, the CMake package and the pkg-config file.
#
# Included where the MPI library was found. The package brings that library and no other: handles
# of MPICH and Open MPI differ, so what is linked is for one of them.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tutti)
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set_target_properties(tutti_library PROPERTIES
  EXPORT_NAME tutti
  INTERFACE_COMPILE_FEATURES cxx_std_17)
install(TARGETS tutti_library EXPORT tuttiTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
# libtutti.so loads it from the folder in which both lie.
set_target_properties(tutti_engine PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS tutti_engine LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TUTTI_MPI STREQUAL abi)
  return()  # it lies beside a build for the library's own interface, which has the package
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tutti DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.hpp")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/share/tutti DESTINATION ${CMAKE_INSTALL_DATADIR})
install(EXPORT tuttiTargets NAMESPACE tutti:: DESTINATION ${package_dir})

# MPI's C interface is all that a caller needs: no libmpi_cxx.
set(TUTTI_MPI_INCLUDE_DIRS ${MPI_C_INCLUDE_DIRS})
set(TUTTI_MPI_LIBRARIES ${MPI_C_LIBRARIES})
set(TUTTI_MPI_DEFINITIONS OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/tuttiConfig.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/tuttiConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/tuttiConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tuttiConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/tuttiConfigVersion.cmake DESTINATION ${package_dir})

# Paths in the .pc file start from where it lies, so an installation can be moved.
file(RELATIVE_PATH TUTTI_PREFIX_FROM_PC /x/${pkgconfig_dir} /x)
string(REGEX REPLACE "/$" "" TUTTI_PREFIX_FROM_PC "${TUTTI_PREFIX_FROM_PC}")
list(TRANSFORM TUTTI_MPI_INCLUDE_DIRS PREPEND "-I" OUTPUT_VARIABLE include_flags)
list(TRANSFORM TUTTI_MPI_DEFINITIONS PREPEND "-D" OUTPUT_VARIABLE definition_flags)
list(JOIN include_flags " " TUTTI_PC_INCLUDES)
list(JOIN definition_flags " " TUTTI_PC_DEFINITIONS)
list(JOIN TUTTI_MPI_LIBRARIES " " TUTTI_PC_LIBRARIES)
configure_file(${CMAKE_CURRENT_LIST_DIR}/tutti.pc.in ${CMAKE_CURRENT_BINARY_DIR}/tutti.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tutti.pc DESTINATION ${pkgconfig_dir})
