#include "groth16/setup.h"

#include "cli/commands.h"
#include "cli/files.h"
#include "formats/bellperson_params_writer.h"
#include "formats/bellperson_vk.h"
#include "formats/r1cs_file.h"
#include "formats/snarkjs_json.h"
#include "formats/trapdoor_json.h"
#include "formats/zkey_file.h"
#include "server/setup_device.h"
#include "support/atomic_file.h"
#include "support/clock.h"

namespace cuzk::cli {
namespace {

bool is_params(const SetupOptions& options) { return options.key.ends_with(".params"); }

template <class C> Result<groth16::Trapdoor<typename C::Fr>> make_trapdoor(const SetupOptions& options) {
  if (options.trapdoor.empty()) return groth16::Trapdoor<typename C::Fr>::random();
  CUZK_TRY(const MappedFile file, open_input(options.trapdoor));
  return in_file(options.trapdoor, formats::read_trapdoor_json<C>(text_of(file)));
}

template <class C> std::vector<std::byte> encode_vkey(const SetupOptions& options, const groth16::VerifyingKey<C>& vk) {
  if constexpr (std::is_same_v<C, Bls12_381>) {
    if (options.vkey.ends_with(".vk")) return formats::write_bellperson_vk(vk);
  }
  const std::string text = formats::write_verification_key_json(vk);
  const Bytes bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// The verifying key is on the disk before the proving key appears, and appears after it: none without the other.
template <class C, class CommitKey>
Status write_keys(const SetupOptions& options, const groth16::VerifyingKey<C>& vk, CommitKey&& commit_key) {
  if (options.vkey.empty()) return commit_key();
  CUZK_TRY(AtomicFile vkey, AtomicFile::create(options.vkey));
  CUZK_CHECK_OK(vkey.append(encode_vkey(options, vk)));
  CUZK_CHECK_OK(vkey.settle());
  CUZK_CHECK_OK(commit_key());
  return vkey.commit();
}

template <class C> using Circuit = r1cs::RowCircuit<typename C::Fr>;
template <class C> using Trapdoor = groth16::Trapdoor<typename C::Fr>;
template <class C> using Multiples = groth16::GeneratorMultiples<C>;

Status make_params(const SetupOptions& options, const Circuit<Bls12_381>& circuit, const Trapdoor<Bls12_381>& trapdoor,
                   Multiples<Bls12_381>* multiples, Arena& arena, Report& report) {
  CUZK_TRY(auto writer, formats::ParamsWriter::create(arena, options.key));
  CUZK_CHECK_OK(writer.reserve(formats::params_bytes(circuit, r1cs::density_counts<Bls12_381::Fr>(circuit))));
  CUZK_CHECK_OK(groth16::setup<Bls12_381>(arena, circuit, trapdoor, groth16::QuotientBasis::coset_monomials,
                                          RootFamily::bellperson, writer, report.progress(), multiples));
  return write_keys(options, writer.vk(), [&] { return writer.commit(); });
}

/// A file that is given up at once: what it cannot be given would be missing after the work.
Status check_room(const std::string& path, std::uint64_t bytes) {
  CUZK_TRY(AtomicFile file, AtomicFile::create(path));
  return file.reserve(bytes);
}

template <class C>
Status make_zkey(const SetupOptions& options, const Circuit<C>& circuit, const Trapdoor<C>& trapdoor,
                 Multiples<C>* multiples, Arena& arena, Report& report) {
  CUZK_CHECK_OK(check_room(options.key, formats::zkey_bytes<C>(circuit)));
  CUZK_TRY(const auto key, groth16::setup<C>(arena, circuit, trapdoor, groth16::QuotientBasis::odd_coset_lagrange,
                                             RootFamily::iden3, report.progress(), multiples));
  return write_keys(options, key.vk, [&] { return formats::write_zkey<C>(options.key, key, circuit); });
}

template <class C>
Status make_keys(const SetupOptions& options, const Circuit<C>& circuit, const Trapdoor<C>& trapdoor,
                 Multiples<C>* multiples, Arena& arena, Report& report) {
  if constexpr (std::is_same_v<C, Bls12_381>) {
    if (is_params(options)) return make_params(options, circuit, trapdoor, multiples, arena, report);
  }
  return make_zkey<C>(options, circuit, trapdoor, multiples, arena, report);
}

/// Refusals before the work, so that nobody waits for a key that cannot be written.
template <class C> Status check_names(const SetupOptions& options) {
  if (is_params(options) && !std::is_same_v<C, Bls12_381>)
    return fail(Code::invalid_argument, "bellperson's .params files are for BLS12-381; this circuit is on " +
                                            std::string(C::name) + ": name the key .zkey");
  if (!is_params(options) && !options.key.ends_with(".zkey"))
    return fail(Code::invalid_argument, "the key's name must end in .zkey or .params");
  if (options.vkey.ends_with(".vk") && !std::is_same_v<C, Bls12_381>)
    return fail(Code::invalid_argument, "bellperson's .vk files are for BLS12-381: name the verifying key .json");
  return {};
}

template <class C> Status setup_on(const SetupOptions& options, const MappedFile& file, Arena& arena, Report& report) {
  CUZK_CHECK_OK(check_names<C>(options));
  const Stopwatch watch;
  CUZK_TRY(const auto circuit, in_file(options.r1cs, formats::read_r1cs<C>(file.bytes(), report.progress())));
  CUZK_TRY(const auto trapdoor, make_trapdoor<C>(options));
  CUZK_TRY(const auto device, server::open_setup_device<C>(arena, options.device, server::visible_accelerators()));
  if (!device.note.empty()) report.say(device.note);
  CUZK_CHECK_OK(make_keys<C>(options, circuit, trapdoor, device.multiples.get(), arena, report));

  report.say("development key (never for production) for " + std::to_string(circuit.num_constraints()) +
             " constraints, " + std::to_string(circuit.num_variables()) + " variables, " +
             std::to_string(circuit.num_public()) + " public inputs, " + std::string(C::name) + ", domain " +
             std::to_string(groth16::domain_size_of(circuit)) + ", points by " + device.name + ", " +
             human_seconds(watch.seconds()));
  JsonWriter json;
  json.begin_object().key("development_key").boolean(true).key("curve").string(C::name);
  json.key("key").string(options.key).key("vkey").string(options.vkey).key("device").string(device.name);
  json.key("num_constraints").integer(circuit.num_constraints()).key("num_variables").integer(circuit.num_variables());
  json.key("num_public").integer(circuit.num_public()).key("domain_size").integer(groth16::domain_size_of(circuit));
  json.key("total_seconds").real(watch.seconds()).end_object();
  report.result(std::move(json));
  return {};
}

}  // namespace

Status setup(const SetupOptions& options, Arena& arena, Report& report) {
  CUZK_CHECK_OK(check_distinct({options.r1cs, options.trapdoor}, {options.key, options.vkey}));
  CUZK_TRY(const MappedFile file, open_input(options.r1cs));
  CUZK_TRY(const auto header, in_file(options.r1cs, formats::read_r1cs_header(file.bytes())));
  return with_curve(header.curve, [&]<class C>() { return setup_on<C>(options, file, arena, report); });
}

}  // namespace cuzk::cli
