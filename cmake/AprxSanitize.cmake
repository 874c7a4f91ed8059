# Sanitizer builds are not optimized, since most of their time is that of the compiler, but for the libraries that
# the tests keep busy.
if(APRX_SANITIZE)
  foreach(busy aprx_conformance aprx_cpu_kernels aprx_template aprx_text)
    target_compile_options(${busy} PRIVATE -O1)
  endforeach()
endif()
