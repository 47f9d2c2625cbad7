// Writing of .zkey files; the reader is zkey_file.cpp.
#include <algorithm>
#include <limits>

#include "formats/iden3_field.h"
#include "formats/iden3_writer.h"
#include "formats/zkey_file.h"
#include "groth16/setup.h"

namespace cuzk::formats {

namespace {

constexpr std::uint32_t kNumSections = 10;
constexpr std::uint32_t kGroth16 = 1;
constexpr std::size_t kMaxNameBytes = 255;  // of a contribution

template <class T> Bytes bytes_of(const std::vector<T>& points) noexcept { return std::as_bytes(std::span(points)); }

template <class C>
Status check_fit(const groth16::ProvingKey<C>& key, const r1cs::CompiledCircuit<typename C::Fr>& circuit) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint32_t>::max();
  if (key.basis != groth16::QuotientBasis::odd_coset_lagrange || key.roots != RootFamily::iden3) {
    return fail(Code::invalid_argument,
                "a .zkey holds the quotient in the odd-coset basis with iden3's roots of unity");
  }
  const std::size_t m = key.num_variables, inputs = key.vk.ic.size();
  const bool sizes_fit = m == circuit.num_variables() && inputs == circuit.num_inputs() && key.a.size() == m &&
                         key.b_g1.size() == m && key.b_g2.size() == m && key.l.size() == m - inputs &&
                         key.h.size() == key.domain_size && circuit.num_constraints() + inputs <= key.domain_size;
  if (!sizes_fit) return fail(Code::invalid_argument, "the key's sizes do not fit the circuit's");
  if (m > kMax || key.domain_size > kMax || circuit.non_zeros().a + circuit.non_zeros().b + inputs > kMax) {
    return fail(Code::unsupported, "a .zkey counts variables, rows and coefficients in 32 bits");
  }
  return {};
}

template <class C> Status write_header(Iden3Writer& out, const groth16::ProvingKey<C>& key) {
  std::array<std::byte, C::Fq::bytes> base;
  C::Fq::modulus.to_le_bytes(base.data());
  CUZK_CHECK_OK(out.append_le(static_cast<std::uint32_t>(base.size())));
  CUZK_CHECK_OK(out.append(base));
  CUZK_CHECK_OK(out.append(scalar_prime_bytes<C>()));
  CUZK_CHECK_OK(out.append_le(static_cast<std::uint32_t>(key.num_variables)));
  CUZK_CHECK_OK(out.append_le(static_cast<std::uint32_t>(key.num_public())));
  CUZK_CHECK_OK(out.append_le(static_cast<std::uint32_t>(key.domain_size)));
  CUZK_CHECK_OK(out.append(object_bytes(key.vk.alpha_g1)));
  CUZK_CHECK_OK(out.append(object_bytes(key.vk.beta_g1)));
  CUZK_CHECK_OK(out.append(object_bytes(key.vk.beta_g2)));
  CUZK_CHECK_OK(out.append(object_bytes(key.vk.gamma_g2)));
  CUZK_CHECK_OK(out.append(object_bytes(key.vk.delta_g1)));
  return out.append(object_bytes(key.vk.delta_g2));
}

/// c R^2 mod r, of which one Montgomery product with a canonical witness word is c w in Montgomery form.
template <class Fr> Fr stored_word(const Fr& coefficient) noexcept {
  return Fr::from_canonical(coefficient.montgomery());
}

template <class Fr>
Status write_record(Iden3Writer& out, std::uint32_t matrix, std::uint32_t row, std::uint32_t variable, const Fr& word) {
  std::byte raw[r1cs::CoefficientRecords<Fr>::kBytes];
  store_le(raw, matrix);
  store_le(raw + 4, row);
  store_le(raw + 8, variable);
  word.montgomery().to_le_bytes(raw + 12);
  return out.append(raw);
}

template <class Fr> Status write_coefficients(Iden3Writer& out, const r1cs::CompiledCircuit<Fr>& circuit) {
  const std::uint64_t count = circuit.non_zeros().a + circuit.non_zeros().b + circuit.num_inputs();
  CUZK_CHECK_OK(out.append_le(static_cast<std::uint32_t>(count)));
  std::vector<Fr> words(circuit.coefficients().size());
  std::transform(circuit.coefficients().begin(), circuit.coefficients().end(), words.begin(), stored_word<Fr>);
  Status written;
  const auto write_side = [&](std::uint32_t matrix, std::size_t row, std::span<const r1cs::Term> terms) {
    for (const r1cs::Term& term : terms) {
      if (!written) return;
      written = write_record(out, matrix, static_cast<std::uint32_t>(row), term.wire, words[term.coefficient]);
    }
  };
  circuit.visit_rows(0, circuit.num_constraints(), [&](const r1cs::Row& row) {
    write_side(0, row.index, row.a);
    write_side(1, row.index, row.b);
  });
  CUZK_CHECK_OK(std::move(written));
  const auto rows = static_cast<std::uint32_t>(circuit.num_constraints());
  const Fr one = stored_word(Fr::one());
  for (std::uint32_t i = 0; i < circuit.num_inputs(); ++i) CUZK_CHECK_OK(write_record(out, 0, rows + i, i, one));
  return {};
}

/// The circuit hash is left zero: it belongs to a ceremony, and there was none. The points are of the key and the
/// generators, so that readers that decode them meet legal ones.
template <class C>
Status write_contributions(Iden3Writer& out, const groth16::ProvingKey<C>& key, std::string_view contribution) {
  constexpr std::array<std::byte, 64> kNoHash{};
  const std::string_view name = contribution.substr(0, kMaxNameBytes);
  CUZK_CHECK_OK(out.append(kNoHash));
  CUZK_CHECK_OK(out.append_le(std::uint32_t{name.empty() ? 0u : 1u}));
  if (name.empty()) return {};
  CUZK_CHECK_OK(out.append(object_bytes(key.vk.delta_g1)));
  CUZK_CHECK_OK(out.append(object_bytes(g1_generator<C>())));
  CUZK_CHECK_OK(out.append(object_bytes(key.vk.delta_g1)));
  CUZK_CHECK_OK(out.append(object_bytes(key.vk.delta_g2)));
  CUZK_CHECK_OK(out.append(kNoHash));
  CUZK_CHECK_OK(out.append_le(std::uint32_t{0}));  // a contribution, no beacon
  CUZK_CHECK_OK(out.append_le(static_cast<std::uint32_t>(2 + name.size())));
  CUZK_CHECK_OK(out.append_le(std::uint8_t{1}));  // its name
  CUZK_CHECK_OK(out.append_le(static_cast<std::uint8_t>(name.size())));
  return out.append(text_bytes(name));
}

Status write_section(Iden3Writer& out, std::uint32_t type, Bytes content) {
  CUZK_CHECK_OK(out.begin(type));
  CUZK_CHECK_OK(out.append(content));
  return out.end();
}

}  // namespace

template <class C>
std::uint64_t zkey_bytes(const r1cs::CompiledCircuit<typename C::Fr>& circuit, std::string_view contribution) {
  constexpr std::uint64_t kFrame = 4 + 4 + 4, kSectionFrame = 4 + 8, kHash = 64;
  constexpr std::uint64_t g1 = sizeof(typename C::G1Affine), g2 = sizeof(typename C::G2Affine);
  const std::uint64_t inputs = circuit.num_inputs(), m = circuit.num_variables();
  const std::uint64_t domain = groth16::domain_size_of(circuit);
  const std::uint64_t header = 4 + C::Fq::bytes + 4 + C::Fr::bytes + 3 * 4 + 3 * g1 + 3 * g2;
  const std::uint64_t records = circuit.non_zeros().a + circuit.non_zeros().b + inputs;
  const std::uint64_t coefficients = 4 + records * r1cs::CoefficientRecords<typename C::Fr>::kBytes;
  const std::uint64_t points = (inputs + m + m + circuit.num_aux() + domain) * g1 + m * g2;
  const std::uint64_t name = std::min(contribution.size(), kMaxNameBytes);
  const std::uint64_t entry = name == 0 ? 0 : 3 * g1 + g2 + kHash + 4 + 4 + 2 + name;
  return kFrame + kNumSections * kSectionFrame + sizeof kGroth16 + header + coefficients + points + kHash + 4 + entry;
}

template <class C>
Status write_zkey(const std::string& path, const groth16::ProvingKey<C>& key,
                  const r1cs::CompiledCircuit<typename C::Fr>& circuit, std::string_view contribution) {
  CUZK_CHECK_OK(check_fit(key, circuit));
  CUZK_TRY(Iden3Writer out, Iden3Writer::create(path, "zkey", 1, kNumSections));
  CUZK_CHECK_OK(write_section(out, 1, object_bytes(kGroth16)));
  CUZK_CHECK_OK(out.begin(2));
  CUZK_CHECK_OK(write_header(out, key));
  CUZK_CHECK_OK(out.end());
  CUZK_CHECK_OK(write_section(out, 3, bytes_of(key.vk.ic)));
  CUZK_CHECK_OK(out.begin(4));
  CUZK_CHECK_OK(write_coefficients(out, circuit));
  CUZK_CHECK_OK(out.end());
  CUZK_CHECK_OK(write_section(out, 5, bytes_of(key.a)));
  CUZK_CHECK_OK(write_section(out, 6, bytes_of(key.b_g1)));
  CUZK_CHECK_OK(write_section(out, 7, bytes_of(key.b_g2)));
  CUZK_CHECK_OK(write_section(out, 8, bytes_of(key.l)));
  CUZK_CHECK_OK(write_section(out, 9, bytes_of(key.h)));
  CUZK_CHECK_OK(out.begin(10));
  CUZK_CHECK_OK(write_contributions(out, key, contribution));
  CUZK_CHECK_OK(out.end());
  return out.commit();
}

template std::uint64_t zkey_bytes<Bn254>(const r1cs::CompiledCircuit<bn254::Fr>&, std::string_view);
template std::uint64_t zkey_bytes<Bls12_381>(const r1cs::CompiledCircuit<bls12_381::Fr>&, std::string_view);
template Status write_zkey<Bn254>(const std::string&, const groth16::ProvingKey<Bn254>&,
                                  const r1cs::CompiledCircuit<bn254::Fr>&, std::string_view);
template Status write_zkey<Bls12_381>(const std::string&, const groth16::ProvingKey<Bls12_381>&,
                                      const r1cs::CompiledCircuit<bls12_381::Fr>&, std::string_view);

}  // namespace cuzk::formats
