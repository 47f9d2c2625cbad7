// Any bytes have a kind, or none; telling it reads no further than the bytes go.
#include "formats/detect.h"
#include "target.h"

CUZK_FUZZ_TARGET(file) { static_cast<void>(cuzk::formats::to_string(cuzk::formats::detect(file).kind)); }
