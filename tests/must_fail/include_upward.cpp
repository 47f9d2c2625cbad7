// layer: support  expect: field/fp.h: No such file or directory
// cuzk_support has no edge to cuzk_field: the include path of a layer holds only what it links.
// clang-format off
#include "field/fp.h"
