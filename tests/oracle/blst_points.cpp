// Our side of the comparison with blst: answers questions about points of BLS12-381, one a line on standard input, one
// answer a line on standard output. Points and scalars are hexadecimal, points in the Zcash forms, scalars big-endian.
//
//   multiply GROUP SCALAR             compressed and uncompressed form of SCALAR times the generator
//   multiply GROUP SCALAR POINT       the same of SCALAR times POINT
//   decode GROUP VALIDATION POINT     "ok", compressed and uncompressed form; or the kind of the refusal
//   pairings P1 Q1 P2 Q2              "equal" or "different": e(P1, Q1) and e(P2, Q2)
//
// GROUP is g1 or g2, VALIDATION on_curve or subgroup. A question that makes no sense ends the program with status 2.
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "curve/encoding.h"
#include "curve/pairing.h"
#include "support/hex.h"

namespace {

using C = cuzk::Bls12_381;
using Words = std::vector<std::string>;
using cuzk::Bytes;
using cuzk::MutableBytes;
using cuzk::Result;
using cuzk::Validation;

template <class T> T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().to_string());
  return *std::move(result);
}

/// A group with its generator and its two encodings.
template <class P, auto Generator, std::size_t Compressed, std::size_t Uncompressed, auto DecodeCompressed,
          auto DecodeUncompressed, auto EncodeCompressed, auto EncodeUncompressed>
struct Group {
  using Point = P;
  using Affine = cuzk::Affine<typename P::Field>;
  static constexpr std::size_t kCompressed = Compressed, kUncompressed = Uncompressed;
  static constexpr auto generator = Generator;
  static constexpr auto decode_compressed = DecodeCompressed, decode_uncompressed = DecodeUncompressed;
  static constexpr auto encode_compressed = EncodeCompressed, encode_uncompressed = EncodeUncompressed;
};

namespace z = cuzk::zcash;
using G1 = Group<C::G1, cuzk::g1_generator<C>, z::kG1Compressed, z::kG1Uncompressed, z::decode_g1_compressed,
                 z::decode_g1_uncompressed, z::encode_g1_compressed, z::encode_g1_uncompressed>;
using G2 = Group<C::G2, cuzk::g2_generator<C>, z::kG2Compressed, z::kG2Uncompressed, z::decode_g2_compressed,
                 z::decode_g2_uncompressed, z::encode_g2_compressed, z::encode_g2_uncompressed>;

template <class G> Result<typename G::Affine> decode(Bytes bytes, Validation validation) {
  return bytes.size() == G::kUncompressed ? G::decode_uncompressed(bytes, validation)
                                          : G::decode_compressed(bytes, validation);
}

template <class G> typename G::Affine point(const std::string& hex) {
  return must(decode<G>(must(cuzk::decode_hex(hex)), Validation::subgroup));
}

template <class G> std::string both_forms(const typename G::Affine& p) {
  std::vector<std::byte> compressed(G::kCompressed), uncompressed(G::kUncompressed);
  G::encode_compressed(p, compressed);
  G::encode_uncompressed(p, uncompressed);
  return cuzk::encode_hex(compressed) + " " + cuzk::encode_hex(uncompressed);
}

cuzk::U256 scalar(const std::string& hex) {
  std::byte bytes[cuzk::U256::limbs * sizeof(cuzk::u64)];
  const cuzk::Status decoded = cuzk::decode_hex(hex, bytes);
  if (!decoded) throw std::runtime_error(decoded.error().to_string());
  return cuzk::U256::from_be_bytes(bytes);
}

template <class G> std::string multiply(const Words& words) {
  const auto base = words.size() > 3 ? point<G>(words.at(3)) : G::generator();
  return both_forms<G>(G::Point::from_affine(base).times(scalar(words.at(2))).to_affine());
}

Validation validation(const std::string& name) {
  if (name == "on_curve") return Validation::on_curve;
  if (name == "subgroup") return Validation::subgroup;
  throw std::runtime_error("no validation is called " + name);
}

template <class G> std::string decode_answer(const Words& words) {
  // A point of no bytes is an empty word, which the splitting of the line drops.
  const std::string hex = words.size() > 3 ? words[3] : "";
  const auto p = decode<G>(must(cuzk::decode_hex(hex)), validation(words.at(2)));
  return p ? "ok " + both_forms<G>(*p) : std::string(cuzk::to_string(p.error().kind()));
}

std::string pairings(const Words& words) {
  const auto left = cuzk::pairing<C>(point<G1>(words.at(1)), point<G2>(words.at(2)));
  const auto right = cuzk::pairing<C>(point<G1>(words.at(3)), point<G2>(words.at(4)));
  return left == right ? "equal" : "different";
}

std::string answer(const Words& words) {
  const std::string& what = words.at(0);
  if (what == "pairings") return pairings(words);
  const bool g1 = words.at(1) == "g1";
  if (!g1 && words[1] != "g2") throw std::runtime_error("no group is called " + words[1]);
  if (what == "multiply") return g1 ? multiply<G1>(words) : multiply<G2>(words);
  if (what == "decode") return g1 ? decode_answer<G1>(words) : decode_answer<G2>(words);
  throw std::runtime_error("no question is called " + what);
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream in(line);
    Words words;
    for (std::string word; in >> word;) words.push_back(word);
    try {
      std::cout << answer(words) << '\n';
    } catch (const std::exception& error) {
      std::cerr << line << ": " << error.what() << '\n';
      return 2;
    }
  }
  return 0;
}
