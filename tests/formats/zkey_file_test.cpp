#include "formats/zkey_file.h"

#include <fstream>

#include <gtest/gtest.h>

#include "tests/formats/damage.h"
#include "tests/formats/samples.h"
#include "tests/gen/circuits.h"

namespace cuzk::formats {
namespace {

template <class C> class ZkeyFileTest : public testing::Test {
 protected:
  Result<ZkeyFile<C>> open(test::FileBytes bytes) {
    return ZkeyFile<C>::open(arena, test::in_memory(std::move(bytes)));
  }

  /// open() and the check of all points.
  bool accepts(test::FileBytes bytes) {
    const auto file = open(std::move(bytes));
    return file && file->check_points(arena).has_value();
  }

  /// Offset of a section's first byte.
  static std::uint64_t offset_of(const test::FileBytes& bytes, std::uint32_t type) {
    std::uint64_t at = 12;
    while (load_le<std::uint32_t>(bytes.data() + at) != type) at += 12 + load_le<std::uint64_t>(bytes.data() + at + 4);
    return at + 12;
  }

  void expect_point_fault(test::FileBytes bytes, Kind kind, std::string_view section, std::uint64_t offset) {
    const auto file = test::must(open(std::move(bytes)));
    const Status status = file.check_points(arena);
    ASSERT_FALSE(status.has_value());
    EXPECT_EQ(status.error().kind(), kind) << status.error().to_string();
    EXPECT_EQ(status.error().where()->section, section);
    EXPECT_EQ(status.error().where()->offset, offset);
  }

  Arena arena{2};
};
using Curves = testing::Types<Bn254, Bls12_381>;
TYPED_TEST_SUITE(ZkeyFileTest, Curves);

TYPED_TEST(ZkeyFileTest, ReadsBackWhatWasWritten) {
  using C = TypeParam;
  const auto key = test::Sample<C>::zkey_key(this->arena);
  const auto circuit = test::Sample<C>::circuit();
  const auto file = test::must(this->open(test::Sample<C>::zkey(this->arena)));
  const auto& view = file.view();
  test::must(file.check_points(this->arena));
  EXPECT_EQ(view.num_variables, key.num_variables);
  EXPECT_EQ(view.domain_size, key.domain_size);
  EXPECT_EQ(groth16::digest(view.vk), groth16::digest(key.vk));
  EXPECT_EQ(view.vk.beta_g1, key.vk.beta_g1);
  EXPECT_EQ(view.vk.delta_g1, key.vk.delta_g1);
  const auto same = [](Bytes found, auto& points) {
    const Bytes expected = std::as_bytes(std::span(points));
    return std::equal(found.begin(), found.end(), expected.begin(), expected.end());
  };
  EXPECT_TRUE(same(view.a, key.a));
  EXPECT_TRUE(same(view.b_g1, key.b_g1));
  EXPECT_TRUE(same(view.b_g2, key.b_g2));
  EXPECT_TRUE(same(view.l, key.l));
  EXPECT_TRUE(same(view.h, key.h));
  const auto expected = test::coefficient_records(circuit);
  const Bytes found = view.coefficients->bytes();
  EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin(), expected.end()));
  EXPECT_TRUE(view.coefficients->sorted_by_row());
  EXPECT_EQ(view.encoding, groth16::PointEncoding::montgomery_le);
  EXPECT_EQ(view.roots, RootFamily::iden3);
  EXPECT_FALSE(view.filtered);
}

TYPED_TEST(ZkeyFileTest, DevelopmentKeysSaySo) {
  using C = TypeParam;
  const auto development = test::must(this->open(test::Sample<C>::zkey(this->arena)));
  EXPECT_TRUE(development.is_development());
  const auto all = test::must(development.contributions());
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].name, kDevelopmentContribution);
  EXPECT_EQ(all[0].type, ZkeyContribution::Type::contribution);
  const auto nameless = test::must(this->open(test::Sample<C>::zkey(this->arena, "")));
  EXPECT_FALSE(nameless.is_development());
  EXPECT_TRUE(test::must(nameless.contributions()).empty());
}

TYPED_TEST(ZkeyFileTest, SectionTenIsNotNeeded) {
  test::FileBytes bytes = test::Sample<TypeParam>::zkey(this->arena);
  bytes.resize(this->offset_of(bytes, 10) - 12);
  bytes[8] = std::byte{9};
  const auto file = test::must(this->open(std::move(bytes)));
  test::must(file.check_points(this->arena));
  EXPECT_TRUE(test::must(file.contributions()).empty());
  EXPECT_FALSE(file.is_development());
}

TYPED_TEST(ZkeyFileTest, RefusesEveryPrefixAndSurvivesFlips) {
  const test::FileBytes bytes = test::Sample<TypeParam>::zkey(this->arena);
  const auto accepts = [this](test::FileBytes file) { return this->accepts(std::move(file)); };
  test::expect_prefixes_refused(bytes, accepts);
  test::survive_flips(bytes, 300, accepts);
}

TYPED_TEST(ZkeyFileTest, NamesTheFirstBadPoint) {
  using C = TypeParam;
  constexpr std::size_t kG1 = sizeof(typename C::G1Affine), kG2 = sizeof(typename C::G2Affine);
  const test::FileBytes good = test::Sample<C>::zkey(this->arena);
  const struct {
    std::uint32_t section;
    std::size_t point_bytes;
  } sections[] = {{5, kG1}, {6, kG1}, {7, kG2}, {8, kG1}, {9, kG1}};
  for (const auto& s : sections) {
    test::FileBytes bytes = good;
    const std::uint64_t at = this->offset_of(bytes, s.section) + s.point_bytes;
    bytes[at] ^= std::byte{1};
    bytes[at + s.point_bytes] ^= std::byte{1};
    this->expect_point_fault(bytes, Kind::not_on_curve, std::to_string(s.section), at);
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), kG1 / 2, std::byte{0xff});
    this->expect_point_fault(bytes, Kind::non_canonical, std::to_string(s.section), at);
  }
}

TYPED_TEST(ZkeyFileTest, IdentitiesAreLegalEverywhereButInH) {
  constexpr std::size_t kG1 = sizeof(typename TypeParam::G1Affine);
  const test::FileBytes good = test::Sample<TypeParam>::zkey(this->arena);
  for (const std::uint32_t section : {3u, 5u, 6u, 8u}) {
    test::FileBytes bytes = good;
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(this->offset_of(bytes, section)), kG1, std::byte{0});
    EXPECT_TRUE(this->accepts(std::move(bytes))) << section;
  }
  test::FileBytes bytes = good;
  const std::uint64_t h = this->offset_of(bytes, 9);
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(h), kG1, std::byte{0});
  this->expect_point_fault(bytes, Kind::identity_point, "9", h);
}

TYPED_TEST(ZkeyFileTest, SeesWhetherRecordsAreSorted) {
  test::FileBytes bytes = test::Sample<TypeParam>::zkey(this->arena);
  const std::uint64_t records = this->offset_of(bytes, 4) + 4;
  std::swap_ranges(bytes.begin() + static_cast<std::ptrdiff_t>(records),
                   bytes.begin() + static_cast<std::ptrdiff_t>(records) + 44,
                   bytes.begin() + static_cast<std::ptrdiff_t>(records) + 3 * 44);
  EXPECT_FALSE(test::must(this->open(std::move(bytes))).view().coefficients->sorted_by_row());
}

TYPED_TEST(ZkeyFileTest, WriterRefusesAKeyOfAnotherForm) {
  using C = TypeParam;
  const test::TemporaryFolder folder;
  const auto key = test::Sample<C>::key(this->arena, groth16::QuotientBasis::coset_monomials, RootFamily::bellperson);
  const Status status = write_zkey(folder.file("k.zkey"), key, test::Sample<C>::circuit());
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code(), Code::invalid_argument);
  EXPECT_FALSE(std::filesystem::exists(folder.file("k.zkey")));
}

TYPED_TEST(ZkeyFileTest, TheSizeIsKnownBefore) {
  using Sample = test::Sample<TypeParam>;
  for (const std::string& name : {std::string(kDevelopmentContribution), std::string(), std::string(300, 'n')})
    EXPECT_EQ(zkey_bytes<TypeParam>(Sample::circuit(), name), Sample::zkey(this->arena, name).size());
}

TYPED_TEST(ZkeyFileTest, ErrorsNameTheFile) {
  using C = TypeParam;
  const test::TemporaryFolder folder;
  const std::string path = folder.file("k.zkey");
  std::ofstream(path) << "zkey";
  const auto file = ZkeyFile<C>::open(this->arena, path);
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().where()->file, path);
  EXPECT_EQ(ZkeyFile<C>::open(this->arena, folder.file("none.zkey")).error().code(), Code::not_found);
}

TYPED_TEST(ZkeyFileTest, ViewsOutliveTheFileObject) {
  using C = TypeParam;
  const test::TemporaryFolder folder;
  test::must(write_zkey(folder.file("k.zkey"), test::Sample<C>::zkey_key(this->arena), test::Sample<C>::circuit()));
  groth16::ProvingKeyView<C> view;
  {
    const auto file = test::must(ZkeyFile<C>::open(this->arena, folder.file("k.zkey")));
    test::must(file.check_points(this->arena));
    view = file.view();
  }
  typename C::G1Affine first;
  std::memcpy(&first, view.a.data(), sizeof first);
  EXPECT_EQ(first, test::Sample<C>::zkey_key(this->arena).a[0]);
}

/// A sparse file whose sections are longer than 4 GiB, filled with identities: only its header and records are read.
TEST(ZkeyFile, OpensSectionsBeyond4GiB) {
  using C = Bn254;
  Arena arena(2);
  const auto key = test::Sample<C>::zkey_key(arena);
  const std::uint64_t m = (std::uint64_t{1} << 26) + 3, n = std::uint64_t{1} << 27;
  const test::FileBytes small = test::Sample<C>::zkey(arena);
  test::FileBytes head(small.begin(), small.begin() + 40 + 660);  // sections 1 and 2
  store_le(head.data() + 8, std::uint32_t{9});
  store_le(head.data() + 112, static_cast<std::uint32_t>(m));
  store_le(head.data() + 120, static_cast<std::uint32_t>(n));

  const test::TemporaryFolder folder;
  const std::string path = folder.file("large.zkey");
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(head.data()), static_cast<std::streamsize>(head.size()));
  std::uint64_t end = head.size();
  const std::pair<std::uint32_t, std::uint64_t> sections[] = {{9, n * 64}, {5, m * 64},       {6, m * 64}, {7, m * 128},
                                                              {3, 2 * 64}, {8, (m - 2) * 64}, {4, 4}};
  for (const auto& [type, length] : sections) {
    std::byte header[12];
    store_le(header, type);
    store_le(header + 4, length);
    out.seekp(static_cast<std::streamoff>(end));
    out.write(reinterpret_cast<const char*>(header), sizeof header);
    end += sizeof header + length;
  }
  out.close();
  std::error_code error;
  std::filesystem::resize_file(path, end, error);
  if (error) GTEST_SKIP() << "no sparse file of " << end << " bytes here: " << error.message();

  const auto file = test::must(ZkeyFile<C>::open(arena, path));
  EXPECT_EQ(file.view().num_variables, m);
  EXPECT_EQ(file.view().domain_size, n);
  EXPECT_EQ(file.view().h.size(), n * 64);
  EXPECT_EQ(file.view().b_g2.size(), m * 128);
  EXPECT_GT(static_cast<std::uint64_t>(file.view().l.data() - file.source().bytes().data()), std::uint64_t{1} << 34);
}

}  // namespace
}  // namespace cuzk::formats
