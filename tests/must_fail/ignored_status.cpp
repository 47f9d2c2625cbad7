// layer: support  expect: ignoring returned value
#include "support/result.h"

cuzk::Status do_something();

void f() { do_something(); }
