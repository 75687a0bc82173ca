# How libingot.so has LLVM. What is used of it is linked in, a fraction of the shared library, which brings
# more libraries along; its symbols are nobody else's business. Sanitized builds, which are not shipped, take the
# shared library, as do those for which the static ones are not installed.
set(static_default OFF)
if(TARGET LLVMCore AND NOT INGOT_SANITIZE)
  get_target_property(core LLVMCore LOCATION)
  if(EXISTS "${core}")
    set(static_default ON)
  endif()
endif()
option(INGOT_STATIC_LLVM "Link what is used of LLVM into libingot.so" ${static_default})

if(INGOT_STATIC_LLVM)
  # What LLVM's package names of others for uses that there are none of here.
  if(NOT TARGET zstd::libzstd_shared)
    find_library(INGOT_ZSTD NAMES zstd libzstd.so.1 REQUIRED)
    add_library(zstd::libzstd_shared UNKNOWN IMPORTED)
    set_target_properties(zstd::libzstd_shared PROPERTIES IMPORTED_LOCATION ${INGOT_ZSTD})
  endif()
  llvm_map_components_to_libnames(llvm_libraries x86codegen x86asmparser x86desc x86info
    aarch64codegen aarch64asmparser aarch64desc aarch64info
    passes instcombine scalaropts codegen selectiondag asmprinter runtimedyld object mc target targetparser support)
  target_link_libraries(ingot PRIVATE ${llvm_libraries})
  target_link_options(ingot PRIVATE -Wl,--exclude-libs,ALL -Wl,--gc-sections -Wl,--as-needed
    -Wl,--version-script=${CMAKE_SOURCE_DIR}/cmake/hidden.map)
  set_property(TARGET ingot APPEND PROPERTY LINK_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/hidden.map)
else()
  target_link_libraries(ingot PRIVATE LLVM)
  target_link_directories(ingot PRIVATE ${LLVM_LIBRARY_DIRS})
endif()
