// Where a text that is no JSON document goes wrong: the parser of documents says what is wrong, not where.
//
// A second pass, over texts that were refused. Where.section is the path of the member at hand ("sectors[3].comm_r"),
// Where.offset the byte of the fault; of a text that ends too early the last token or the length, 0 where bytes are not
// UTF-8. Kinds: bad_number for a number, else bad_json. Thread-safety: pure function. Memory: a copy of the text and
// its index.
#pragma once

#include <string_view>

#include "support/result.h"

namespace cuzk::formats {

/// The fault of a text that was refused with `message`; `max_depth` counts the arrays and objects around a value.
Error json_fault(std::string_view text, std::size_t max_depth, std::string message);

}  // namespace cuzk::formats
