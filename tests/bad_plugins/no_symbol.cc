// A library like any other, that is no plugin.
#include "aprx/abi.h"

extern "C" APRX_EXPORT const int aprx_something_else;
extern "C" const int aprx_something_else = 1;
