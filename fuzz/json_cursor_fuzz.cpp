// Any text as JSON: skipped as a value, as a view and out of base64, which must agree; then token by token, each first
// byte choosing what is asked for.
#include "filecoin/wire/json_cursor.h"
#include "target.h"

namespace {

using namespace cuzk::filecoin;

void take_one(JsonCursor& cursor, char wanted) {
  JsonCursor::Array32 bytes;
  std::uint64_t number = 0;
  std::string_view text;
  bool closed = false;
  switch (wanted) {
    case '0':
      static_cast<void>(cursor.number(number));
      break;
    case '[':
      static_cast<void>(cursor.bytes32(bytes));
      break;
    case '"':
      static_cast<void>(cursor.string(text));
      break;
    case 'r':
      static_cast<void>(cursor.raw_string(text));
      break;
    case 'n':
      static_cast<void>(cursor.null());
      break;
    case ',':
      static_cast<void>(cursor.next_or_close(']', closed));
      break;
    default:
      static_cast<void>(cursor.expect(wanted));
  }
}

}  // namespace

CUZK_FUZZ_TARGET(file) {
  const std::string_view text = cuzk::bytes_text(file);
  JsonCursor whole(text);
  const bool good = whole.skip_value() && whole.expect_end();
  const std::string packed = encode_base64(file);
  Base64Stream stream(packed);
  JsonCursor piecewise(stream);
  CUZK_REQUIRE(good == (piecewise.skip_value() && piecewise.expect_end()));
  CUZK_REQUIRE(good || whole.fault()->offset == piecewise.fault()->offset);

  const std::size_t plan = std::min<std::size_t>(text.size(), 8);
  JsonCursor tokens(text.substr(plan));
  for (const char wanted : text.substr(0, plan)) take_one(tokens, wanted);
}
