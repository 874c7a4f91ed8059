# Precompiled headers: most of the compiler's time goes into reading the same library headers for each file. They are
# never relied on: the asan-ubsan preset builds without them, and fails where a file doesn't include what it uses.

set(APRX_COMMON_HEADERS <algorithm> <array> <charconv> <chrono> <cmath> <cstdint> <cstring> <filesystem> <functional>
                        <map> <memory> <optional> <set> <span> <string> <string_view> <unordered_map> <utility>
                        <variant> <vector>)

# aprx_precompile(TARGET [HEADER…]): the common headers and these. It pays from about four files on.
function(aprx_precompile target)
  target_precompile_headers(${target} PRIVATE ${APRX_COMMON_HEADERS} ${ARGN})
endfunction()
