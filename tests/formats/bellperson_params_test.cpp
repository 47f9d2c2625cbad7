#include "formats/bellperson_params.h"

#include <gtest/gtest.h>

#include "formats/bellperson_params_writer.h"
#include "formats/bellperson_vk.h"
#include "tests/formats/damage.h"
#include "tests/formats/samples.h"

namespace cuzk::formats {
namespace {

using C = Bls12_381;

class BellpersonParamsTest : public testing::Test {
 protected:
  Result<ParamsFile> open(test::FileBytes file, ParamsTail tail = ParamsTail::none) {
    return ParamsFile::open(arena, test::in_memory(std::move(file)), tail);
  }
  bool accepts(test::FileBytes file) {
    const auto params = open(std::move(file));
    return params && params->check_points(arena).has_value();
  }
  void expect_open_fault(test::FileBytes file, Kind kind, std::string_view section, std::uint64_t offset) {
    const auto params = open(std::move(file));
    ASSERT_FALSE(params.has_value());
    expect_fault(params.error(), kind, section, offset);
  }
  void expect_point_fault(test::FileBytes file, Kind kind, std::string_view section, std::uint64_t offset) {
    const Status status = test::must(open(std::move(file))).check_points(arena);
    ASSERT_FALSE(status.has_value());
    expect_fault(status.error(), kind, section, offset);
  }
  static void expect_fault(const Error& error, Kind kind, std::string_view section, std::uint64_t offset) {
    EXPECT_EQ(error.kind(), kind) << error.to_string();
    ASSERT_NE(error.where(), nullptr);
    EXPECT_EQ(error.where()->section, section);
    EXPECT_EQ(error.where()->offset, offset) << error.to_string();
  }

  Arena arena{2};
  groth16::ProvingKey<C> key = test::sample_params_key(arena);
  test::FileBytes bytes = test::sample_params(arena);
  // Offsets of the counts; the domain of the sample has 8 rows.
  const std::uint64_t h_at = kBellpersonVkFixedBytes + 2 * 96, l_at = h_at + 4 + 7 * 96, a_at = l_at + 4 + 3 * 96;
};

TEST_F(BellpersonParamsTest, TheSizeIsKnownBefore) {
  const auto circuit = test::Sample<C>::circuit();
  EXPECT_EQ(params_bytes(circuit, r1cs::density_counts<C::Fr>(circuit)), bytes.size());
}

TEST_F(BellpersonParamsTest, ReadsBackWhatWasWritten) {
  const auto params = test::must(open(bytes));
  test::must(params.check_points(arena));
  const auto& view = params.view();
  EXPECT_EQ(groth16::digest(view.vk), groth16::digest(key.vk));
  EXPECT_EQ(view.num_variables, 5u);
  EXPECT_EQ(view.domain_size, 8u);
  EXPECT_TRUE(view.filtered);
  EXPECT_EQ(view.basis, groth16::QuotientBasis::coset_monomials);
  EXPECT_EQ(view.roots, RootFamily::bellperson);
  EXPECT_EQ(view.encoding, groth16::PointEncoding::zcash_uncompressed);
  EXPECT_FALSE(view.coefficients.has_value());
  EXPECT_EQ(view.h.size(), 7u * 96);
  EXPECT_EQ(view.l.size(), 3u * 96);
  EXPECT_EQ(view.a.size(), 5u * 96);  // inputs always; x, x^2 and x^3
  EXPECT_EQ(view.b_g1.size(), 2u * 96);
  EXPECT_EQ(view.b_g2.size(), 2u * 192);
}

TEST_F(BellpersonParamsTest, RefusesEveryPrefixAndSurvivesFlips) {
  const auto parse = [this](test::FileBytes file) { return accepts(std::move(file)); };
  test::expect_prefixes_refused(bytes, parse);
  test::survive_flips(bytes, 150, parse);
}

TEST_F(BellpersonParamsTest, CountsAreCheckedAgainstEachOther) {
  const auto with_count = [this](std::uint64_t at, std::uint32_t count) {
    test::FileBytes damaged = bytes;
    store_be(damaged.data() + at, count);
    return damaged;
  };
  expect_open_fault(with_count(h_at, 0xffffffff), Kind::bad_count, "h", h_at);
  expect_open_fault(with_count(l_at, 0x80000000), Kind::bad_count, "l", l_at);
  test::FileBytes shorter_h = with_count(h_at, 6);
  shorter_h.erase(shorter_h.begin() + static_cast<std::ptrdiff_t>(h_at + 4),
                  shorter_h.begin() + static_cast<std::ptrdiff_t>(h_at + 100));
  expect_open_fault(shorter_h, Kind::bad_domain, "h", h_at);
  test::FileBytes shorter_a = with_count(a_at, 1);
  shorter_a.erase(shorter_a.begin() + static_cast<std::ptrdiff_t>(a_at + 4),
                  shorter_a.begin() + static_cast<std::ptrdiff_t>(a_at + 4 + 4 * 96));
  expect_open_fault(shorter_a, Kind::bad_count, "a", a_at);
  test::FileBytes longer = bytes;
  longer.push_back(std::byte{0});
  expect_open_fault(longer, Kind::trailing_bytes, "", bytes.size());
  expect_open_fault({}, Kind::truncated, "alpha_g1", 0);
}

TEST_F(BellpersonParamsTest, NamesTheFirstBadPoint) {
  test::FileBytes damaged = bytes;
  damaged[h_at + 4 + 2 * 96 - 1] ^= std::byte{1};
  damaged[h_at + 4 + 3 * 96 - 1] ^= std::byte{1};
  expect_point_fault(damaged, Kind::not_on_curve, "h", h_at + 4 + 96);
  test::FileBytes identity = bytes;
  identity.resize(bytes.size() - 192);
  identity.push_back(std::byte{0x40});
  identity.resize(bytes.size());
  expect_point_fault(identity, Kind::identity_point, "b_g2", bytes.size() - 192);
}

TEST_F(BellpersonParamsTest, ToleratesATranscriptOnlyWhenAsked) {
  test::FileBytes longer = bytes;
  longer.resize(longer.size() + 64 + 4 + 2 * 544);
  store_be(longer.data() + bytes.size() + 64, std::uint32_t{2});
  expect_open_fault(longer, Kind::trailing_bytes, "", bytes.size());
  EXPECT_EQ(test::must(open(longer, ParamsTail::zcash_transcript)).transcript_entries(), 2u);
  EXPECT_EQ(test::must(open(bytes, ParamsTail::zcash_transcript)).transcript_entries(), 0u);
  longer.pop_back();
  const auto cut = open(longer, ParamsTail::zcash_transcript);
  ASSERT_FALSE(cut.has_value());
  expect_fault(cut.error(), Kind::bad_transcript, "transcript", bytes.size());
}

TEST_F(BellpersonParamsTest, DevelopmentKeysCarryAMarker) {
  EXPECT_EQ(development_marker_path("keys/a.b.params"), "keys/a.b.dev.json");
  EXPECT_EQ(development_marker_path("keys.d/plain"), "keys.d/plain.dev.json");
  EXPECT_EQ(development_marker_path(".params"), ".params.dev.json");
  const test::TemporaryFolder folder;
  test::must(write_params(folder.file("a.params"), key, KeyOrigin::ceremony));
  EXPECT_FALSE(has_development_marker(folder.file("a.params")));
  test::must(write_params(folder.file("a.params"), key));
  EXPECT_TRUE(has_development_marker(folder.file("a.params")));
  EXPECT_NE(test::read_text(folder.file("a.dev.json")).find("never for production"), std::string::npos);
}

TEST_F(BellpersonParamsTest, WriterRefusesWhatTheFormatCannotHold) {
  const test::TemporaryFolder folder;
  const Status other_form = write_params(folder.file("a.params"), test::Sample<C>::zkey_key(arena));
  ASSERT_FALSE(other_form.has_value());
  EXPECT_EQ(other_form.error().code(), Code::invalid_argument);
  key.l[1] = C::G1Affine::identity();
  const Status unconstrained = write_params(folder.file("a.params"), key);
  ASSERT_FALSE(unconstrained.has_value());
  EXPECT_EQ(unconstrained.error().code(), Code::unsupported);
  EXPECT_FALSE(std::filesystem::exists(folder.file("a.params")));
}

TEST_F(BellpersonParamsTest, StreamedKeysAreTheSameFiles) {
  const test::TemporaryFolder folder;
  const auto trapdoor = test::must(groth16::Trapdoor<C::Fr>::random());
  const auto whole = test::must(groth16::setup<C>(arena, test::Sample<C>::circuit(), trapdoor,
                                                  groth16::QuotientBasis::coset_monomials, RootFamily::bellperson));
  test::must(write_params(folder.file("whole.params"), whole));
  ParamsWriter writer = test::must(ParamsWriter::create(arena, folder.file("streamed.params")));
  test::must(groth16::setup<C>(arena, test::Sample<C>::circuit(), trapdoor, groth16::QuotientBasis::coset_monomials,
                               RootFamily::bellperson, writer));
  EXPECT_FALSE(std::filesystem::exists(folder.file("streamed.params")));
  EXPECT_FALSE(has_development_marker(folder.file("streamed.params")));
  test::must(writer.commit());
  EXPECT_TRUE(has_development_marker(folder.file("streamed.params")));
  EXPECT_EQ(test::read_file(folder.file("streamed.params")), test::read_file(folder.file("whole.params")));
  EXPECT_EQ(writer.bytes(), std::filesystem::file_size(folder.file("whole.params")));
}

}  // namespace
}  // namespace cuzk::formats
