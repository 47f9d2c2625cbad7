#include "groth16/key_sink.h"

namespace cuzk::groth16 {

std::string_view name_of(KeyQuery query) noexcept {
  switch (query) {
    case KeyQuery::h:
      return "h";
    case KeyQuery::l:
      return "l";
    case KeyQuery::a:
      return "a";
    case KeyQuery::b_g1:
      return "b_g1";
    case KeyQuery::b_g2:
      return "b_g2";
  }
  return "";
}

}  // namespace cuzk::groth16
