# Sanitizer builds are not optimized, since most of their time is that of the compiler, but for the libraries that
# the tests keep busy. Nothing is inlined in those of the run-time library: scripts/unreached looks for its functions.
if(APRX_SANITIZE)
  foreach(busy aprx_conformance aprx_cpu_kernels)
    target_compile_options(${busy} PRIVATE -O1)
  endforeach()
  foreach(busy aprx_template aprx_text)
    target_compile_options(${busy} PRIVATE -O1 -fno-inline)
  endforeach()
endif()
