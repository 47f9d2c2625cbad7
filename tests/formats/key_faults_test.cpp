// A fault of a former key loader: points that were not looked at.
#include <algorithm>

#include <gtest/gtest.h>

#include "tests/formats/samples.h"

namespace cuzk::formats {
namespace {

using test::FileBytes;
using test::must;

/// Where the error says the fault is.
struct Place {
  std::string section;
  std::uint64_t offset = 0;
};
Place place_of(const Error& error) {
  return error.where() == nullptr ? Place() : Place{error.where()->section, error.where()->offset};
}

/// Opens and checks a copy with one byte changed at `at`; null: nothing was noticed.
template <class Open>
std::optional<Error> fault_with(const FileBytes& good, std::uint64_t at, Arena& arena, Open open) {
  FileBytes bytes = good;
  bytes[at] ^= std::byte{1};
  auto file = open(test::in_memory(std::move(bytes)));
  if (!file) return std::move(file).error();
  Status checked = file->check_points(arena);
  if (!checked) return std::move(checked).error();
  return std::nullopt;
}

struct Query {
  const char* section;
  Bytes bytes;
  std::size_t point_bytes;
};

/// One changed byte in any point of any section is told with the section and the point's place.
template <class Open>
void expect_every_point_is_checked(const FileBytes& good, Bytes whole, const std::vector<Query>& queries, Arena& arena,
                                   Open open) {
  for (const Query& query : queries) {
    const auto begin = static_cast<std::uint64_t>(query.bytes.data() - whole.data());
    ASSERT_GE(query.bytes.size(), query.point_bytes) << query.section;
    for (std::uint64_t at = 0; at < query.bytes.size(); at += query.point_bytes) {
      const Bytes point = query.bytes.subspan(at, query.point_bytes);
      const bool identity = std::ranges::all_of(point, [](std::byte b) { return b == std::byte{0}; });
      const auto fault = fault_with(good, begin + at + query.point_bytes / 2 + 7, arena, open);
      if (!fault && identity) continue;
      ASSERT_TRUE(fault) << query.section << " at " << at;
      EXPECT_EQ(fault->code(), Code::malformed);
      EXPECT_EQ(place_of(*fault).section, query.section) << fault->to_string();
      EXPECT_EQ(place_of(*fault).offset, begin + at) << fault->to_string();
    }
  }
}

TEST(KeyFaults, fault_A29_every_point_of_a_parameter_file_is_checked) {
  Arena arena(2);
  const FileBytes good = test::sample_params(arena);
  const auto file = must(ParamsFile::open(arena, test::in_memory(good)));
  const auto& view = file.view();
  expect_every_point_is_checked(
      good, file.source().bytes(),
      {{"h", view.h, 96}, {"l", view.l, 96}, {"a", view.a, 96}, {"b_g1", view.b_g1, 96}, {"b_g2", view.b_g2, 192}},
      arena, [&](KeySource source) { return ParamsFile::open(arena, std::move(source)); });
}

template <class C> class ZkeyFaults : public testing::Test {};
using Curves = testing::Types<Bn254, Bls12_381>;
TYPED_TEST_SUITE(ZkeyFaults, Curves);

TYPED_TEST(ZkeyFaults, fault_A29_every_point_of_a_zkey_is_checked) {
  using C = TypeParam;
  constexpr std::size_t kG1 = sizeof(typename C::G1Affine), kG2 = sizeof(typename C::G2Affine);
  Arena arena(2);
  const FileBytes good = test::Sample<C>::zkey(arena);
  const auto file = must(ZkeyFile<C>::open(arena, test::in_memory(good)));
  const auto& view = file.view();
  expect_every_point_is_checked(
      good, file.source().bytes(),
      {{"5", view.a, kG1}, {"6", view.b_g1, kG1}, {"7", view.b_g2, kG2}, {"8", view.l, kG1}, {"9", view.h, kG1}}, arena,
      [&](KeySource source) { return ZkeyFile<C>::open(arena, std::move(source)); });
}

}  // namespace
}  // namespace cuzk::formats
