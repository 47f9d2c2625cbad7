#include "formats/snarkjs_json.h"

#include <gtest/gtest.h>

#include "tests/formats/damage.h"
#include "tests/formats/samples.h"

namespace cuzk::formats {
namespace {

template <class C> class SnarkjsJsonTest : public testing::Test {
 protected:
  static groth16::Proof<C> proof() {
    const auto g1 = C::G1::from_affine(g1_generator<C>());
    const auto g2 = C::G2::from_affine(g2_generator<C>());
    return {.a = g1.times(U256::from_u64(77)).to_affine(),
            .b = g2.times(U256::from_u64(88)).to_affine(),
            .c = g1.times(U256::from_u64(99)).to_affine()};
  }
  static std::string replaced(std::string text, std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  }
  static void expect_proof_fault(const std::string& text, Kind kind, std::string_view path) {
    const auto read = read_proof_json<C>(text);
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_EQ(read.error().kind(), kind) << read.error().to_string();
    ASSERT_NE(read.error().where(), nullptr);
    EXPECT_EQ(read.error().where()->section, path);
  }
  void expect_key_fault(const std::string& text, Kind kind) {
    const auto read = read_verification_key_json<C>(arena, text);
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_EQ(read.error().kind(), kind) << read.error().to_string();
  }

  Arena arena{2};
  groth16::VerifyingKey<C> key = test::Sample<C>::zkey_key(arena).vk;
  const std::string key_text = write_verification_key_json(key);
  const std::string proof_text = write_proof_json<C>(proof());
};
using Curves = testing::Types<Bn254, Bls12_381>;
TYPED_TEST_SUITE(SnarkjsJsonTest, Curves);

TYPED_TEST(SnarkjsJsonTest, ReadsBackWhatWasWritten) {
  using C = TypeParam;
  const auto vk = test::must(read_verification_key_json<C>(this->arena, this->key_text));
  EXPECT_EQ(groth16::digest(vk), groth16::digest(this->key));
  EXPECT_TRUE(vk.beta_g1.is_identity());
  for (const JsonForm form : {JsonForm::snarkjs, JsonForm::rapidsnark}) {
    const auto read = test::must(read_proof_json<C>(write_proof_json<C>(this->proof(), form)));
    EXPECT_EQ(read.a, this->proof().a);
    EXPECT_EQ(read.b, this->proof().b);
    EXPECT_EQ(read.c, this->proof().c);
  }
  EXPECT_EQ(test::must(json_curve(this->key_text)), C::id);
  EXPECT_EQ(test::must(json_curve(write_proof_json<C>(this->proof(), JsonForm::rapidsnark))), std::nullopt);
}

TYPED_TEST(SnarkjsJsonTest, TwoForms) {
  using C = TypeParam;
  EXPECT_TRUE(this->proof_text.starts_with("{\n \"pi_a\": [\n  \""));
  EXPECT_TRUE(this->proof_text.ends_with(" \"curve\": \"" + std::string(C::iden3_name) + "\"\n}"));
  const std::string compact = write_proof_json<C>(this->proof(), JsonForm::rapidsnark);
  EXPECT_TRUE(compact.starts_with("{\"pi_a\":[\""));
  EXPECT_TRUE(compact.ends_with("\"1\"],\"protocol\":\"groth16\"}"));
}

TYPED_TEST(SnarkjsJsonTest, RefusesEveryPrefixAndSurvivesFlips) {
  using C = TypeParam;
  const auto bytes = [](const std::string& text) {
    const Bytes raw = text_bytes(text);
    return test::FileBytes(raw.begin(), raw.end());
  };
  const auto reads_proof = [](const test::FileBytes& file) { return read_proof_json<C>(bytes_text(file)).has_value(); };
  test::expect_prefixes_refused(bytes(this->proof_text), reads_proof);
  test::survive_flips(bytes(this->proof_text), 500, reads_proof);
  const auto reads_key = [this](const test::FileBytes& file) {
    return read_verification_key_json<C>(this->arena, bytes_text(file)).has_value();
  };
  test::survive_flips(bytes(this->key_text), 200, reads_key);
}

TYPED_TEST(SnarkjsJsonTest, MembersAreExact) {
  const std::string& text = this->proof_text;
  this->expect_proof_fault(this->replaced(text, "\"pi_a\"", "\"pi_x\""), Kind::bad_json, "\"pi_x\"");
  this->expect_proof_fault(this->replaced(text, "\"pi_c\"", "\"pi_a\""), Kind::bad_json, "pi_a");
  this->expect_proof_fault(this->replaced(text, "groth16", "groth16-x"), Kind::bad_protocol, "protocol");
  this->expect_proof_fault("[]", Kind::bad_json, "");
  this->expect_proof_fault("{}", Kind::missing_field, "protocol");
  this->expect_proof_fault(text + "x", Kind::bad_json, "");
  this->expect_proof_fault(std::string(kMaxProofJsonBytes, ' ') + text, Kind::bad_json, "");
}

TYPED_TEST(SnarkjsJsonTest, NumbersAreCanonicalDecimals) {
  using C = TypeParam;
  const std::string x = this->proof().a.x.canonical().to_decimal();
  const auto with_x = [&](std::string_view text) { return this->replaced(this->proof_text, "\"" + x + "\"", text); };
  for (const std::string_view bad :
       {"\"\"", "\" 1\"", "\"0x1\"", "\"-1\"", "\"+1\"", "\"1e3\"", "\"01\"", "1", "null", "\"1\\u0000\""}) {
    this->expect_proof_fault(with_x(bad), Kind::bad_number, "pi_a[0]");
  }
  this->expect_proof_fault(with_x("\"" + C::Fq::modulus.to_decimal() + "\""), Kind::non_canonical, "pi_a[0]");
  this->expect_proof_fault(with_x("\"1" + std::string(200, '0') + "\""), Kind::non_canonical, "pi_a[0]");
  this->expect_proof_fault(with_x("[]"), Kind::bad_number, "pi_a[0]");
}

TYPED_TEST(SnarkjsJsonTest, PointsAreAffineOnTheCurveAndFinite) {
  using C = TypeParam;
  auto identity = this->proof();
  identity.b = C::G2Affine::identity();
  const std::string text = write_proof_json<C>(identity);
  EXPECT_NE(text.find("[\n   \"0\",\n   \"0\"\n  ],\n  [\n   \"1\",\n   \"0\"\n  ],\n  [\n   \"0\",\n   \"0\"\n  ]"),
            std::string::npos);
  this->expect_proof_fault(text, Kind::identity_point, "pi_b");
  this->expect_proof_fault(this->replaced(this->proof_text, "\"1\"\n ],\n \"pi_b\"", "\"2\"\n ],\n \"pi_b\""),
                           Kind::not_affine, "pi_a[2]");
  const std::string zeros = R"({"pi_a":["0","0","1"],"pi_b":[["0","0"],["0","0"],["1","0"]],"pi_c":["0","0","1"],)"
                            R"("protocol":"groth16"})";
  this->expect_proof_fault(zeros, Kind::not_on_curve, "pi_a");
}

TYPED_TEST(SnarkjsJsonTest, KeysAreForOneCurveAndCountTheirInputs) {
  using C = TypeParam;
  const std::string& text = this->key_text;
  const std::string curve = "\"curve\": \"" + std::string(C::iden3_name) + "\"";
  const bool bn254 = C::id == CurveId::bn254;
  this->expect_key_fault(this->replaced(text, curve, bn254 ? "\"curve\":\"bls12381\"" : "\"curve\":\"bn128\""),
                         Kind::curve_mismatch);
  this->expect_key_fault(this->replaced(text, curve, "\"curve\": \"secp256k1\""), Kind::unknown_curve);
  const auto without = read_verification_key_json<C>(this->arena, this->replaced(text, curve + ",", ""));
  EXPECT_EQ(without.has_value(), bn254);
  this->expect_key_fault(this->replaced(text, "\"nPublic\": 1", "\"nPublic\": 2"), Kind::public_count_mismatch);
  this->expect_key_fault(this->replaced(text, "\"nPublic\": 1", "\"nPublic\": \"1\""), Kind::bad_number);
  this->expect_key_fault(this->replaced(text, "\"IC\"", "\"ic\""), Kind::missing_field);
  const std::string extended = this->replaced(text, "{", "{ \"by_another_tool\": [1, {}],");
  EXPECT_TRUE(read_verification_key_json<C>(this->arena, extended).has_value());
}

TYPED_TEST(SnarkjsJsonTest, PublicValues) {
  using C = TypeParam;
  using Fr = typename C::Fr;
  const U256 values[] = {U256::zero(), U256::from_u64(33), Fr::Constants::p_minus_1};
  for (const JsonForm form : {JsonForm::snarkjs, JsonForm::rapidsnark}) {
    const auto read = test::must(read_public_json<C>(write_public_json(values, form), 3));
    EXPECT_TRUE(std::equal(read.begin(), read.end(), std::begin(values), std::end(values)));
    EXPECT_EQ(write_public_json({}, form), form == JsonForm::snarkjs ? "[\n]" : "[]");
  }
  EXPECT_EQ(write_public_json(std::span(values).first(2)), "[\n \"0\",\n \"33\"\n]");
  const auto fault = [](const std::string& text, std::size_t count) {
    const auto read = read_public_json<C>(text, count);
    return read ? Kind::none : read.error().kind();
  };
  EXPECT_EQ(fault("[]", 0), Kind::none);
  EXPECT_EQ(fault("[\"1\"]", 2), Kind::public_count_mismatch);
  EXPECT_EQ(fault("[\"" + Fr::modulus.to_decimal() + "\"]", 1), Kind::non_canonical);
  EXPECT_EQ(fault("[[\"1\"]]", 1), Kind::bad_number);
  EXPECT_EQ(fault("{}", 0), Kind::bad_json);
  EXPECT_EQ(fault("null", 0), Kind::bad_json);
  EXPECT_EQ(fault("", 0), Kind::bad_json);
  EXPECT_EQ(fault(std::string(100000, '['), 0), Kind::bad_json);
}

}  // namespace
}  // namespace cuzk::formats
