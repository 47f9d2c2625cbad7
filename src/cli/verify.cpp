#include "cli/commands.h"
#include "cli/files.h"
#include "formats/bellperson_params.h"
#include "formats/bellperson_proof.h"
#include "formats/bellperson_vk.h"
#include "formats/snarkjs_json.h"
#include "formats/zkey_file.h"
#include "groth16/verifier.h"
#include "support/clock.h"

namespace cuzk::cli {
namespace {

using formats::FileKind;

Result<CurveId> curve_of(const MappedFile& file, FileKind kind) {
  switch (kind) {
    case FileKind::zkey: {
      CUZK_TRY(const auto header, in_file(file.path(), formats::read_zkey_header(file.bytes())));
      return header.curve;
    }
    case FileKind::verification_key_json: {
      CUZK_TRY(const auto curve, in_file(file.path(), formats::json_curve(text_of(file))));
      return curve.value_or(CurveId::bn254);  // older tools wrote keys without `curve`
    }
    default:
      return CurveId::bls12_381;
  }
}

/// What the file stands for is known from its place on the command line; its content decides between the formats.
Result<FileKind> kind_of_key(const MappedFile& file) {
  const FileKind content = formats::detect(file.bytes()).kind;
  if (content != FileKind::proof_json && content != FileKind::public_json && looks_like_json(file.bytes()))
    return FileKind::verification_key_json;
  CUZK_TRY(const FileKind kind, kind_of(file));
  switch (kind) {
    case FileKind::verification_key_json:
    case FileKind::bellperson_vk:
    case FileKind::bellperson_params:
    case FileKind::zkey:
      return kind;
    default:
      return fail(Error(Code::unsupported, "not a verifying key")
                      .at({.file = file.path(),
                           .section = {},
                           .offset = 0,
                           .expected = "snarkjs JSON, .vk, .zkey or .params",
                           .found = std::string(formats::to_string(kind))}));
  }
}

/// Arguments in another order are the commonest mistake: told as what they are, not as a fault of the format.
Status refuse_other(const MappedFile& file, FileKind wanted, std::string_view what) {
  const FileKind found = formats::detect(file.bytes()).kind;
  const bool json =
      found == FileKind::verification_key_json || found == FileKind::proof_json || found == FileKind::public_json;
  if (!json || found == wanted) return {};
  return fail(Error(Code::malformed, Kind::bad_json, "the order is VKEY PUBLIC PROOF")
                  .at({.file = file.path(),
                       .section = {},
                       .offset = 0,
                       .expected = std::string(what),
                       .found = std::string(formats::to_string(found))}));
}

template <class C> Result<groth16::VerifyingKey<C>> read_key(Arena& arena, const MappedFile& file, FileKind kind) {
  if constexpr (std::is_same_v<C, Bls12_381>) {
    if (kind == FileKind::bellperson_vk) return in_file(file.path(), formats::read_bellperson_vk(arena, file.bytes()));
    if (kind == FileKind::bellperson_params) {
      CUZK_TRY(const auto params, formats::ParamsFile::open(arena, file.path(), formats::ParamsTail::zcash_transcript));
      return params.view().vk;
    }
  }
  if (kind == FileKind::zkey) {
    CUZK_TRY(const auto zkey, formats::ZkeyFile<C>::open(arena, file.path()));
    return zkey.view().vk;
  }
  return in_file(file.path(), formats::read_verification_key_json<C>(arena, text_of(file)));
}

template <class C> Result<groth16::Proof<C>> read_proof(const MappedFile& file) {
  if constexpr (std::is_same_v<C, Bls12_381>) {
    if (!looks_like_json(file.bytes()) && !file.path().ends_with(".json"))
      return in_file(file.path(), formats::read_bellperson_proof(file.bytes()));
  }
  return in_file(file.path(), formats::read_proof_json<C>(text_of(file)));
}

template <class C>
Status verify_on(const VerifyOptions& options, const MappedFile& key_file, FileKind kind, Arena& arena,
                 Report& report) {
  CUZK_TRY(const MappedFile public_file, open_input(options.public_inputs));
  CUZK_TRY(const MappedFile proof_file, open_input(options.proof));
  CUZK_CHECK_OK(refuse_other(public_file, FileKind::public_json, "public inputs: an array of decimal strings"));
  CUZK_CHECK_OK(refuse_other(proof_file, FileKind::proof_json, "a proof"));
  CUZK_TRY(const auto key, read_key<C>(arena, key_file, kind));
  if (Status secure = groth16::check_ceremony(key); !secure)
    return fail(std::move(secure).error().in_file(options.vkey));
  CUZK_TRY(const auto public_inputs,
           in_file(options.public_inputs, formats::read_public_json<C>(text_of(public_file), key.num_public())));
  CUZK_TRY(const auto proof, read_proof<C>(proof_file));

  const groth16::PreparedVerifyingKey<C> prepared(key);
  const Stopwatch watch;
  if (Status valid = groth16::verify(arena, prepared, public_inputs, proof); !valid)
    return fail(std::move(valid).error().in_file(options.proof));

  report.say("valid proof (" + std::string(C::name) + ", " + std::to_string(public_inputs.size()) +
             " public inputs, verified in " + human_seconds(watch.seconds()) + ")");
  JsonWriter json;
  json.begin_object().key("valid").boolean(true).key("curve").string(C::name);
  json.key("num_public").integer(public_inputs.size()).key("verify_seconds").real(watch.seconds()).end_object();
  report.result(std::move(json));
  return {};
}

}  // namespace

Status verify(const VerifyOptions& options, Arena& arena, Report& report) {
  CUZK_TRY(const MappedFile key_file, open_input(options.vkey));
  CUZK_TRY(const FileKind kind, kind_of_key(key_file));
  CUZK_TRY(const CurveId curve, curve_of(key_file, kind));
  return with_curve(curve, [&]<class C>() { return verify_on<C>(options, key_file, kind, arena, report); });
}

}  // namespace cuzk::cli
