// A library that calls into another one, which the loader won't find.
#include "aprx/abi.h"

int aprx_absent_function();

extern "C" APRX_EXPORT int aprx_uses_it();
extern "C" int aprx_uses_it() { return aprx_absent_function(); }
