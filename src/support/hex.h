// Hexadecimal text of bytes, in the order of the bytes (no integer is meant: no byte order, no "0x").
//
// Encoding writes lower case; decoding takes both cases. Errors: malformed / bad_length (odd number of digits, or not
// the expected number), malformed / bad_number (a character that is no digit, named with its position). Thread-safety:
// pure functions. Not constant time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/bytes.h"
#include "support/result.h"

namespace cuzk {

std::string encode_hex(Bytes bytes);

Result<std::vector<std::byte>> decode_hex(std::string_view digits);

/// Decodes exactly 2 * out.size() digits into `out`, which is unspecified after an error.
Status decode_hex(std::string_view digits, MutableBytes out);

}  // namespace cuzk
