// Reading of snarkjs's JSON; the writer is snarkjs_json_writer.cpp.
//
// simdjson builds the document (it knows UTF-8, depth and syntax); every value is then taken by its path with the
// checks of docs/formats/snarkjs-json.md. The document is no larger than a small multiple of the text.
#include <simdjson.h>

#include <algorithm>
#include <array>

#include "curve/encoding.h"
#include "formats/json_fault.h"
#include "formats/points.h"
#include "formats/snarkjs_json.h"
#include "support/parallel_find.h"

namespace cuzk::formats {

namespace {

using Element = simdjson::dom::element;
using Array = simdjson::dom::array;
using Object = simdjson::dom::object;

constexpr std::size_t kMaxDepth = 8;  // verification_key.json needs 5
constexpr std::string_view kProtocol = "groth16";

Error wrong(const std::string& path, Kind kind, std::string message, std::string expected = {},
            std::string found = {}) {
  return Reader({}, path).malformed_at(0, kind, std::move(message), std::move(expected), std::move(found));
}

/// A text of any origin, short enough for a message.
std::string excerpt(std::string_view text) {
  constexpr std::size_t kLongest = 48;
  std::string shown(text.substr(0, kLongest));
  for (char& c : shown)
    if (c < ' ' || c > '~') c = '?';
  return "\"" + shown + (text.size() > kLongest ? "...\"" : "\"");
}

/// Owns what the elements point into.
class Document {
 public:
  static Result<Document> parse(std::string_view text, std::size_t max_bytes) {
    if (text.size() > max_bytes) {
      return fail(wrong("", Kind::bad_json, "the text is too long", "at most " + std::to_string(max_bytes) + " bytes",
                        std::to_string(text.size())));
    }
    if (text.empty()) return fail(wrong("", Kind::bad_json, "the text is empty"));  // and may have no address
    Document document;
    simdjson::error_code error = document.parser_.allocate(text.size(), kMaxDepth);
    if (error == simdjson::SUCCESS) error = document.parser_.parse(text.data(), text.size()).error();
    if (error == simdjson::SUCCESS) return document;
    if (error == simdjson::MEMALLOC) return fail(Code::exhausted, "no memory for a JSON document");
    return fail(json_fault(text, kMaxDepth, simdjson::error_message(error)));
  }

  /// Elements point into the parser, so the root is taken anew wherever the document was moved to.
  Element root() const noexcept { return parser_.doc.root(); }

 private:
  simdjson::dom::parser parser_;
};

Result<Array> as_array(Element value, const std::string& path) {
  Array array;
  if (value.get(array) == simdjson::SUCCESS) return array;
  return fail(wrong(path, Kind::bad_json, "not an array"));
}

/// An array of exactly N values.
template <std::size_t N> Result<std::array<Element, N>> as_array_of(Element value, const std::string& path) {
  CUZK_TRY(const Array array, as_array(value, path));
  if (array.size() != N) {
    return fail(
        wrong(path, Kind::bad_json, "an array of another length", std::to_string(N), std::to_string(array.size())));
  }
  std::array<Element, N> values;
  std::copy(array.begin(), array.end(), values.begin());
  return values;
}

Result<std::string_view> as_digits(Element value, const std::string& path) {
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS) {
    return fail(wrong(path, Kind::bad_number, "not a string of decimal digits"));
  }
  const bool digits =
      !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!digits || (text.size() > 1 && text.front() == '0')) {
    return fail(
        wrong(path, Kind::bad_number, "not a decimal number", "0 or digits without a leading 0", excerpt(text)));
  }
  return text;
}

template <class Field>
Result<typename Field::Repr> as_canonical(Element value, const std::string& path, std::string_view modulus) {
  CUZK_TRY(const std::string_view digits, as_digits(value, path));
  const auto number = Field::Repr::from_decimal(digits);
  if (!number || !(*number < Field::modulus)) {
    return fail(wrong(path, Kind::non_canonical, "the number is not below the field's modulus",
                      "below " + std::string(modulus), excerpt(digits)));
  }
  return *number;
}

enum class Unknown : std::uint8_t { refused, ignored };

/// The known members of an object, each at most once.
class Members {
 public:
  static Result<Members> of(Element value, std::span<const std::string_view> known, Unknown unknown) {
    Object object;
    if (value.get(object) != simdjson::SUCCESS) return fail(wrong("", Kind::bad_json, "not an object"));
    Members members;
    for (const auto [key, element] : object) {
      if (std::find(known.begin(), known.end(), key) == known.end()) {
        if (unknown == Unknown::ignored) continue;
        return fail(wrong(std::string(excerpt(key)), Kind::bad_json, "unknown member"));
      }
      if (members.find(key) != nullptr)
        return fail(wrong(std::string(key), Kind::bad_json, "the member appears twice"));
      members.values_.emplace_back(key, element);
    }
    return members;
  }

  const Element* find(std::string_view key) const noexcept {
    for (const auto& [name, element] : values_)
      if (name == key) return &element;
    return nullptr;
  }
  Result<Element> required(std::string_view key) const {
    if (const Element* const found = find(key)) return *found;
    return fail(wrong(std::string(key), Kind::missing_field, "member '" + std::string(key) + "' is missing"));
  }

 private:
  std::vector<std::pair<std::string_view, Element>> values_;
};

Status check_protocol(const Members& members) {
  CUZK_TRY(const Element value, members.required("protocol"));
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS) return fail(wrong("protocol", Kind::bad_json, "not a string"));
  if (text == kProtocol) return {};
  return fail(wrong("protocol", Kind::bad_protocol, "another protocol", "\"groth16\"", excerpt(text)));
}

Result<CurveId> as_curve(Element value) {
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS) return fail(wrong("curve", Kind::bad_json, "not a string"));
  if (text == Bn254::iden3_name) return CurveId::bn254;
  if (text == Bls12_381::iden3_name) return CurveId::bls12_381;
  return fail(wrong("curve", Kind::unknown_curve, "unknown curve", "\"bn128\" or \"bls12381\"", excerpt(text)));
}

Status check_curve(const Members& members, CurveId expected, CurveId if_absent) {
  CurveId found = if_absent;
  if (const Element* const value = members.find("curve")) {
    CUZK_TRY(found, as_curve(*value));
  }
  if (found == expected) return {};
  return fail(wrong("curve", Kind::curve_mismatch, "the text is for another curve", std::string(name(expected)),
                    std::string(name(found))));
}

template <class Field> Result<std::array<typename Field::Repr, 2>> as_pair(Element value, const std::string& path) {
  CUZK_TRY(const auto parts, as_array_of<2>(value, path));
  std::array<typename Field::Repr, 2> pair;
  CUZK_TRY(pair[0], as_canonical<Field>(parts[0], path + "[0]", "q"));
  CUZK_TRY(pair[1], as_canonical<Field>(parts[1], path + "[1]", "q"));
  return pair;
}

/// How coordinates of G1 (a number) and of G2 (two numbers) read, and what 0 and 1 are there.
template <class C, class G> struct Coordinates;

template <class C> struct Coordinates<C, typename C::G1Affine> {
  using Value = typename C::Fq::Repr;
  static Result<Value> read(Element value, const std::string& path) {
    return as_canonical<typename C::Fq>(value, path, "q");
  }
  static Value constant(std::uint64_t k) { return Value::from_u64(k); }
  static Result<typename C::G1Affine> point(const Value& x, const Value& y) {
    return g1_from_canonical<C>(x, y, Validation::subgroup);
  }
};

template <class C> struct Coordinates<C, typename C::G2Affine> {
  using Number = typename C::Fq::Repr;
  using Value = std::array<Number, 2>;
  static Result<Value> read(Element value, const std::string& path) { return as_pair<typename C::Fq>(value, path); }
  static Value constant(std::uint64_t k) { return {Number::from_u64(k), Number::zero()}; }
  static Result<typename C::G2Affine> point(const Value& x, const Value& y) {
    return g2_from_canonical<C>(x[0], x[1], y[0], y[1], Validation::subgroup);
  }
};

template <class C, class G> struct Triple {
  typename Coordinates<C, G>::Value x, y;
  bool identity = false;
};

/// Three canonical coordinates, the third 1; or (0, 1, 0), the identity.
template <class C, class G> Result<Triple<C, G>> read_triple(Element value, const std::string& path) {
  using Form = Coordinates<C, G>;
  CUZK_TRY(const auto parts, as_array_of<3>(value, path));
  Triple<C, G> triple;
  CUZK_TRY(triple.x, Form::read(parts[0], path + "[0]"));
  CUZK_TRY(triple.y, Form::read(parts[1], path + "[1]"));
  CUZK_TRY(const auto z, Form::read(parts[2], path + "[2]"));
  if (z == Form::constant(1)) return triple;
  triple.identity = triple.x == Form::constant(0) && triple.y == Form::constant(1) && z == Form::constant(0);
  if (triple.identity) return triple;
  return fail(wrong(path + "[2]", Kind::not_affine, "the third coordinate is not 1"));
}

template <class C, class G>
Result<G> triple_point(const Triple<C, G>& triple, const std::string& path, Identity identity) {
  using Form = Coordinates<C, G>;
  if (triple.identity) {
    if (identity == Identity::allowed) return G::identity();
    return fail(identity_error(path, 0));
  }
  Result<G> point = Form::point(triple.x, triple.y);
  if (!point) return fail(at_place(std::move(point).error(), path, 0));
  return point;
}

template <class C, class G> Result<G> read_point(const Members& members, std::string_view key) {
  const std::string path(key);
  CUZK_TRY(const Element value, members.required(key));
  CUZK_TRY(const auto triple, (read_triple<C, G>(value, path)));
  return triple_point<C, G>(triple, path, Identity::refused);
}

std::string indexed(std::string_view name, std::size_t i) { return std::string(name) + "[" + std::to_string(i) + "]"; }

template <class C> Result<std::vector<typename C::G1Affine>> read_ic(Arena& arena, const Members& members) {
  using G1 = typename C::G1Affine;
  constexpr std::size_t kGrain = 64;  // points; a curve and subgroup check is some 10 us or more
  CUZK_TRY(const Element value, members.required("IC"));
  CUZK_TRY(const Array array, as_array(value, "IC"));
  std::vector<Triple<C, G1>> triples;
  for (const Element element : array) {
    if (triples.size() == kMaxIcPoints) {
      return fail(wrong("IC", Kind::bad_count, "too many points", "at most " + std::to_string(kMaxIcPoints)));
    }
    CUZK_TRY(auto triple, (read_triple<C, G1>(element, indexed("IC", triples.size()))));
    triples.push_back(std::move(triple));
  }
  std::vector<G1> ic(triples.size());
  const auto convert = [&](std::size_t i) -> Status {
    CUZK_TRY(ic[i], (triple_point<C, G1>(triples[i], indexed("IC", i), Identity::allowed)));
    return {};
  };
  const auto bad =
      parallel_find_first(arena, 0, ic.size(), kGrain, [&](std::size_t i) { return !convert(i).has_value(); });
  if (bad) {
    Status fault = convert(*bad);
    return fail(std::move(fault).error());
  }
  return ic;
}

Status check_public_count(const Members& members) {
  CUZK_TRY(const Element value, members.required("nPublic"));
  CUZK_TRY(const Element ic_value, members.required("IC"));
  CUZK_TRY(const Array ic, as_array(ic_value, "IC"));
  std::uint64_t count = 0;
  if (value.get(count) != simdjson::SUCCESS) return fail(wrong("nPublic", Kind::bad_number, "not a count"));
  // ic.size() saturates far above kMaxIcPoints, which read_ic refuses by itself.
  std::size_t points = 0;
  for (auto it = ic.begin(); it != ic.end() && points <= kMaxIcPoints; ++it) ++points;
  if (points != 0 && count == points - 1) return {};
  return fail(wrong("nPublic", Kind::public_count_mismatch, "IC has one point more than there are public inputs",
                    points == 0 ? "IC not empty" : std::to_string(points - 1), std::to_string(count)));
}

constexpr std::array<std::string_view, 9> kKeyMembers = {
    "protocol", "curve", "nPublic", "vk_alpha_1", "vk_beta_2", "vk_gamma_2", "vk_delta_2", "vk_alphabeta_12", "IC"};
constexpr std::array<std::string_view, 5> kProofMembers = {"pi_a", "pi_b", "pi_c", "protocol", "curve"};

}  // namespace

Result<std::optional<CurveId>> json_curve(std::string_view text) {
  CUZK_TRY(const Document document, Document::parse(text, kMaxVerifyingKeyJsonBytes));
  Element value;
  if (document.root()["curve"].get(value) != simdjson::SUCCESS) return std::optional<CurveId>();
  CUZK_TRY(const CurveId curve, as_curve(value));
  return std::optional(curve);
}

template <class C> Result<groth16::VerifyingKey<C>> read_verification_key_json(Arena& arena, std::string_view text) {
  using G1 = typename C::G1Affine;
  using G2 = typename C::G2Affine;
  CUZK_TRY(const Document document, Document::parse(text, kMaxVerifyingKeyJsonBytes));
  CUZK_TRY(const Members members, Members::of(document.root(), kKeyMembers, Unknown::ignored));
  CUZK_CHECK_OK(check_protocol(members));
  CUZK_CHECK_OK(check_curve(members, C::id, CurveId::bn254));
  CUZK_CHECK_OK(check_public_count(members));
  groth16::VerifyingKey<C> key;
  CUZK_TRY(key.alpha_g1, (read_point<C, G1>(members, "vk_alpha_1")));
  CUZK_TRY(key.beta_g2, (read_point<C, G2>(members, "vk_beta_2")));
  CUZK_TRY(key.gamma_g2, (read_point<C, G2>(members, "vk_gamma_2")));
  CUZK_TRY(key.delta_g2, (read_point<C, G2>(members, "vk_delta_2")));
  CUZK_TRY(key.ic, read_ic<C>(arena, members));
  return key;
}

template <class C> Result<groth16::Proof<C>> read_proof_json(std::string_view text) {
  using G1 = typename C::G1Affine;
  using G2 = typename C::G2Affine;
  CUZK_TRY(const Document document, Document::parse(text, kMaxProofJsonBytes));
  CUZK_TRY(const Members members, Members::of(document.root(), kProofMembers, Unknown::refused));
  CUZK_CHECK_OK(check_protocol(members));
  CUZK_CHECK_OK(check_curve(members, C::id, C::id));
  groth16::Proof<C> proof;
  CUZK_TRY(proof.a, (read_point<C, G1>(members, "pi_a")));
  CUZK_TRY(proof.b, (read_point<C, G2>(members, "pi_b")));
  CUZK_TRY(proof.c, (read_point<C, G1>(members, "pi_c")));
  return proof;
}

template <class C>
Result<std::vector<U256>> read_public_json(std::string_view text, std::optional<std::size_t> num_public) {
  // A document costs a dozen times its text: what cannot be the wanted number of values is not parsed.
  constexpr std::size_t kFrameBytes = 4096, kValueBytes = 256;
  std::size_t limit = kMaxPublicJsonBytes;
  if (num_public && *num_public < limit / kValueBytes) limit = kFrameBytes + *num_public * kValueBytes;
  CUZK_TRY(const Document document, Document::parse(text, limit));
  CUZK_TRY(const Array array, as_array(document.root(), ""));
  std::vector<U256> values;
  for (const Element element : array) {
    CUZK_TRY(const U256 value, as_canonical<typename C::Fr>(element, indexed("", values.size()), "r"));
    values.push_back(value);
  }
  if (num_public && values.size() != *num_public) {
    return fail(wrong("", Kind::public_count_mismatch, "another number of public inputs than the key's",
                      std::to_string(*num_public), std::to_string(values.size())));
  }
  return values;
}

template Result<groth16::VerifyingKey<Bn254>> read_verification_key_json<Bn254>(Arena&, std::string_view);
template Result<groth16::VerifyingKey<Bls12_381>> read_verification_key_json<Bls12_381>(Arena&, std::string_view);
template Result<groth16::Proof<Bn254>> read_proof_json<Bn254>(std::string_view);
template Result<groth16::Proof<Bls12_381>> read_proof_json<Bls12_381>(std::string_view);
template Result<std::vector<U256>> read_public_json<Bn254>(std::string_view, std::optional<std::size_t>);
template Result<std::vector<U256>> read_public_json<Bls12_381>(std::string_view, std::optional<std::size_t>);

}  // namespace cuzk::formats
