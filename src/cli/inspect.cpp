#include <algorithm>

#include "cli/commands.h"
#include "cli/files.h"
#include "curve/encoding.h"
#include "formats/bellperson_params.h"
#include "formats/bellperson_proof.h"
#include "formats/bellperson_vk.h"
#include "formats/r1cs_file.h"
#include "formats/snarkjs_json.h"
#include "formats/wtns_file.h"
#include "formats/zkey_file.h"
#include "r1cs/circuit_file.h"
#include "r1cs/digest.h"
#include "support/hex.h"
#include "support/sha256.h"

namespace cuzk::cli {
namespace {

using formats::FileKind;

/// Facts in the order in which they are told: for people as lines, for machines as members of one object.
class Facts {
 public:
  void text(std::string_view name, std::string_view value) {
    line(name, value);
    json_.key(name).string(value);
  }
  void number(std::string_view name, std::uint64_t value) {
    line(name, std::to_string(value));
    json_.key(name).integer(value);
  }
  void flag(std::string_view name, bool value) {
    line(name, value ? "yes" : "no");
    json_.key(name).boolean(value);
  }
  void tell(Report& report) && {
    report.say(lines_);
    json_.end_object();
    report.result(std::move(json_));
  }

 private:
  void line(std::string_view name, std::string_view value) {
    if (!lines_.empty()) lines_ += '\n';
    lines_ += name;
    lines_.append(name.size() < 24 ? 24 - name.size() : 1, ' ');
    lines_ += value;
  }

  std::string lines_;
  JsonWriter json_ = std::move(JsonWriter().begin_object());
};

struct Inspection {
  const InspectOptions& options;
  const MappedFile& file;
  Arena& arena;
  Report& report;
  Facts& facts;
};

template <class C> void tell_key(Facts& facts, const groth16::VerifyingKey<C>& vk) {
  facts.text("curve", C::name);
  facts.number("num_public", vk.num_public());
  facts.text("vk_sha256", encode_hex(groth16::digest(vk)));
  facts.flag("phase2_contribution", groth16::check_ceremony(vk).has_value());
}

template <class C> Status inspect_zkey(Inspection& in) {
  CUZK_TRY(const auto zkey, formats::ZkeyFile<C>::open(in.arena, in.file.path()));
  const groth16::ProvingKeyView<C>& view = zkey.view();
  tell_key(in.facts, view.vk);
  in.facts.number("num_variables", view.num_variables);
  in.facts.number("domain_size", view.domain_size);
  in.facts.number("num_coefficients", view.coefficients->size());
  in.facts.text("coefficients_sha256", encode_hex(sha256(view.coefficients->bytes())));
  in.facts.flag("development_key", zkey.is_development());
  auto contributions = zkey.contributions();
  if (contributions) in.facts.number("num_contributions", contributions->size());
  if (!in.options.check) return {};
  if (!contributions) return fail(std::move(contributions).error());
  return zkey.check_points(in.arena, in.report.progress());
}

Status inspect_params(Inspection& in) {
  CUZK_TRY(const auto params,
           formats::ParamsFile::open(in.arena, in.file.path(), formats::ParamsTail::zcash_transcript));
  const auto& view = params.view();
  tell_key(in.facts, view.vk);
  in.facts.number("num_variables", view.num_variables);
  in.facts.number("domain_size", view.domain_size);
  in.facts.number("a_points", view.a.size() / zcash::kG1Uncompressed);
  in.facts.number("b_points", view.b_g1.size() / zcash::kG1Uncompressed);
  in.facts.number("transcript_entries", params.transcript_entries());
  in.facts.flag("development_key", formats::has_development_marker(in.file.path()));
  return in.options.check ? params.check_points(in.arena, in.report.progress()) : Status{};
}

void tell(Facts& facts, const r1cs::NonZeros& non_zeros) {
  facts.number("nonzeros_a", non_zeros.a);
  facts.number("nonzeros_b", non_zeros.b);
  facts.number("nonzeros_c", non_zeros.c);
}

template <class C> Status inspect_r1cs(Inspection& in) {
  CUZK_TRY(const auto header, formats::read_r1cs_header(in.file.bytes()));
  in.facts.text("curve", C::name);
  in.facts.number("num_constraints", header.num_constraints);
  in.facts.number("num_variables", header.num_wires);
  in.facts.number("num_public", header.num_public());
  in.facts.number("num_public_outputs", header.num_public_outputs);
  in.facts.number("num_public_inputs", header.num_public_inputs);
  in.facts.number("num_labels", header.num_labels);
  CUZK_TRY(const auto circuit, formats::read_r1cs<C>(in.file.bytes(), in.report.progress()));
  tell(in.facts, circuit.non_zeros());
  in.facts.text("matrices_sha256", encode_hex(r1cs::matrices_digest(circuit, in.report.progress())));
  return {};
}

template <class C> Status inspect_circuit(Inspection& in) {
  CUZK_TRY(const auto file, r1cs::open_circuit<typename C::Fr>(in.file.path()));
  in.facts.text("curve", C::name);
  in.facts.text("circuit", file.label);
  in.facts.number("num_constraints", file.circuit->num_constraints());
  in.facts.number("num_variables", file.circuit->num_variables());
  in.facts.number("num_public", file.circuit->num_public());
  tell(in.facts, file.circuit->non_zeros());
  in.facts.number("dense_a_aux", file.densities.a_aux);
  in.facts.number("dense_b_inputs", file.densities.b_inputs);
  in.facts.number("dense_b_aux", file.densities.b_aux);
  in.facts.number("num_coefficients", file.circuit->coefficients().size());
  in.facts.number("num_pieces", file.circuit->parts().pieces.size());
  in.facts.number("num_placements", file.circuit->parts().placements.size());
  in.facts.text("matrices_sha256", encode_hex(file.matrices_sha256));
  if (!in.options.check) return {};
  const Sha256::Digest found = r1cs::matrices_digest<typename C::Fr>(*file.circuit, in.report.progress());
  if (found == file.matrices_sha256) return {};
  return fail(Error(Code::malformed, Kind::digest_mismatch, "the digest is not that of the circuit's rows")
                  .at({.file = {},
                       .section = "header",
                       .offset = 0,
                       .expected = encode_hex(file.matrices_sha256),
                       .found = encode_hex(found)}));
}

template <class C> Status inspect_wtns(Inspection& in) {
  CUZK_TRY(const auto witness, formats::read_wtns<C>(in.file.bytes()));
  in.facts.text("curve", C::name);
  in.facts.number("num_variables", witness.size());
  const auto values = witness.values();
  const auto count = [&](auto&& is) {
    return static_cast<std::uint64_t>(std::count_if(values.begin(), values.end(), is));
  };
  in.facts.number("zeros", count([](const U256& v) { return v.is_zero(); }));
  in.facts.number("ones", count([](const U256& v) { return v == U256::from_u64(1); }));
  in.facts.number("below_2p64", count([](const U256& v) { return v.bit_length() <= 64; }));
  return {};
}

Status inspect_proof(Inspection& in) {
  const std::uint64_t count = std::max<std::uint64_t>(1, in.file.size() / formats::kBellpersonProofBytes);
  CUZK_CHECK_OK(formats::read_bellperson_proofs(in.file.bytes(), static_cast<std::size_t>(count)));
  in.facts.text("curve", Bls12_381::name);
  in.facts.number("num_proofs", count);
  return {};
}

template <class C> Status inspect_json(Inspection& in, FileKind kind) {
  const std::string_view text = text_of(in.file);
  if (kind == FileKind::verification_key_json) {
    CUZK_TRY(const auto vk, formats::read_verification_key_json<C>(in.arena, text));
    tell_key(in.facts, vk);
    return {};
  }
  in.facts.text("curve", C::name);
  CUZK_CHECK_OK(formats::read_proof_json<C>(text));
  return {};
}

Status inspect_public(Inspection& in) {
  // The file does not say its curve; the larger of the two moduli bounds every value.
  CUZK_TRY(const auto values, formats::read_public_json<Bls12_381>(text_of(in.file)));
  in.facts.number("num_public", values.size());
  return {};
}

Result<CurveId> curve_of(const MappedFile& file, FileKind kind) {
  switch (kind) {
    case FileKind::zkey: {
      CUZK_TRY(const auto header, formats::read_zkey_header(file.bytes()));
      return header.curve;
    }
    case FileKind::r1cs: {
      CUZK_TRY(const auto header, formats::read_r1cs_header(file.bytes()));
      return header.curve;
    }
    case FileKind::wtns: {
      CUZK_TRY(const auto header, formats::read_wtns_header(file.bytes()));
      return header.curve;
    }
    case FileKind::circuit:
      return formats::detect(file.bytes()).curve.value_or(CurveId::bls12_381);  // of neither: opening it says so
    case FileKind::verification_key_json:
    case FileKind::proof_json: {
      CUZK_TRY(const auto curve, formats::json_curve(text_of(file)));
      if (curve) return *curve;
      // Older tools left the curve out; of a proof, its points tell.
      const bool bls = kind == FileKind::proof_json && formats::read_proof_json<Bls12_381>(text_of(file)).has_value();
      return bls ? CurveId::bls12_381 : CurveId::bn254;
    }
    default:
      return CurveId::bls12_381;
  }
}

template <class C> Status inspect_on(Inspection& in, FileKind kind) {
  switch (kind) {
    case FileKind::zkey:
      return inspect_zkey<C>(in);
    case FileKind::r1cs:
      return inspect_r1cs<C>(in);
    case FileKind::wtns:
      return inspect_wtns<C>(in);
    case FileKind::circuit:
      return inspect_circuit<C>(in);
    case FileKind::bellperson_params:
      return inspect_params(in);
    case FileKind::bellperson_proof:
      return inspect_proof(in);
    case FileKind::bellperson_vk: {
      CUZK_TRY(const auto vk, formats::read_bellperson_vk(in.arena, in.file.bytes()));
      tell_key(in.facts, vk);
      return {};
    }
    case FileKind::verification_key_json:
    case FileKind::proof_json:
      return inspect_json<C>(in, kind);
    case FileKind::public_json:
      return inspect_public(in);
    case FileKind::ptau:
    case FileKind::unknown:
      break;
  }
  return fail(Code::unsupported,
              "a .ptau file is the raw material of a key, not a key: make a .zkey from it with snarkjs");
}

}  // namespace

Status inspect(const InspectOptions& options, Arena& arena, Report& report) {
  CUZK_TRY(const MappedFile file, open_input(options.file));
  CUZK_TRY(const FileKind kind, kind_of(file));
  CUZK_TRY(const CurveId curve, in_file(options.file, curve_of(file, kind)));

  Facts facts;
  facts.text("file", options.file);
  facts.text("kind", formats::to_string(kind));
  facts.number("bytes", file.size());
  Inspection inspection{options, file, arena, report, facts};
  CUZK_CHECK_OK(in_file(options.file, with_curve(curve, [&]<class C>() { return inspect_on<C>(inspection, kind); })));
  facts.text("sha256", encode_hex(sha256(file.bytes())));
  facts.flag("checked", options.check);
  std::move(facts).tell(report);
  return {};
}

}  // namespace cuzk::cli
