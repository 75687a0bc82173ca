# `make install` and what find_package(ingot) needs: the library, the public headers, the target
# ingot::ingot, and with COMPONENTS stablehlo the target ingot::ingot_stablehlo. Users link LLVM only through the shared library, never themselves.
include(CMakePackageConfigHelpers)

set(INGOT_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/ingot)

add_library(ingot::ingot ALIAS ingot)
add_library(ingot::ingot_stablehlo ALIAS ingot_stablehlo)
set_target_properties(ingot ingot_stablehlo PROPERTIES VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

set_target_properties(ingot_stablehlo PROPERTIES INSTALL_RPATH "$ORIGIN")
install(TARGETS ingot ingot_stablehlo EXPORT ingotTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/ingot DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(EXPORT ingotTargets NAMESPACE ingot:: DESTINATION ${INGOT_PACKAGE_DIR})

configure_package_config_file(cmake/ingotConfig.cmake.in ingotConfig.cmake
  INSTALL_DESTINATION ${INGOT_PACKAGE_DIR} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(ingotConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/ingotConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/ingotConfigVersion.cmake
  DESTINATION ${INGOT_PACKAGE_DIR})
