// Any bytes as a container of sections: those that are found lie inside the file.
#include "formats/iden3_container.h"
#include "target.h"

CUZK_FUZZ_TARGET(file) {
  static constexpr std::uint32_t kRequired[] = {1, 2};
  static constexpr std::uint32_t kOptional[] = {3, 4, 5};
  const cuzk::formats::Iden3Format format{"wtns", 2, kRequired, kOptional};
  const auto container = cuzk::formats::Iden3Container::parse(file, format);
  if (!container) return;
  for (const auto& section : container->sections())
    CUZK_REQUIRE(section.offset <= file.size() && section.length <= file.size() - section.offset);
}
