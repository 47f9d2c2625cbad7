#include <cerrno>
#include <optional>

#include <sys/stat.h>

#include "cli/commands.h"
#include "cli/files.h"
#include "filecoin/params/compiled_circuit.h"
#include "filecoin/params/key_files.h"
#include "formats/bellperson_params_writer.h"
#include "formats/bellperson_vk.h"
#include "formats/trapdoor_json.h"
#include "groth16/setup.h"
#include "server/setup_device.h"
#include "support/atomic_file.h"
#include "support/clock.h"
#include "support/os_error.h"

namespace cuzk::cli {
namespace {

using Fr = bls12_381::Fr;

bool is_folder(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

/// The files that --out stands for: a folder's official names, or FILE.params and FILE.vk. A folder that is not there
/// is made when its name says that it is one.
Result<filecoin::KeyFiles> output_files(const SetupFilecoinOptions& options, const filecoin::Circuit& circuit) {
  const bool named_as_folder = options.out.ends_with('/');
  if (named_as_folder && ::mkdir(options.out.c_str(), 0755) != 0 && errno != EEXIST) {
    return fail(os_error(errno, "cannot make the folder " + options.out));
  }
  if (is_folder(options.out)) return filecoin::key_files(circuit, options.out);
  constexpr std::string_view kEnding = ".params";
  if (options.out.ends_with(kEnding)) {
    return filecoin::KeyFiles{options.out, options.out.substr(0, options.out.size() - kEnding.size()) + ".vk"};
  }
  return fail(Code::invalid_argument, options.out +
                                          " is neither a folder nor a name that ends in .params (a new folder's name "
                                          "ends in /)");
}

/// A key from a ceremony cannot be made again: it is not replaced by one for development.
Status check_replaceable(const std::string& params) {
  struct stat status{};
  if (::stat(params.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  if (formats::has_development_marker(params)) return {};
  return fail(Code::conflict, params + " is there and is no development key: it is not replaced; move it away first");
}

Result<groth16::Trapdoor<Fr>> make_trapdoor(const std::string& path) {
  if (path.empty()) return groth16::Trapdoor<Fr>::random();
  CUZK_TRY(const MappedFile file, open_input(path));
  return in_file(path, formats::read_trapdoor_json<Bls12_381>(text_of(file)));
}

/// Both keys are on the disk before either appears.
Status commit_keys(formats::ParamsWriter& params, const std::string& vk_path) {
  CUZK_TRY(AtomicFile vk, AtomicFile::create(vk_path));
  CUZK_CHECK_OK(vk.append(formats::write_bellperson_vk(params.vk())));
  CUZK_CHECK_OK(vk.settle());
  CUZK_CHECK_OK(params.commit());
  return vk.commit();
}

}  // namespace

Status setup_filecoin(const SetupFilecoinOptions& options, Arena& arena, Report& report) {
  CUZK_TRY(const filecoin::Circuit circuit, filecoin::find_circuit(options.circuit));
  CUZK_TRY(const filecoin::KeyFiles files, output_files(options, circuit));
  CUZK_CHECK_OK(check_distinct({options.trapdoor}, {files.params, files.vk}));
  CUZK_CHECK_OK(check_replaceable(files.params));
  CUZK_TRY(const auto trapdoor, make_trapdoor(options.trapdoor));
  CUZK_TRY(auto writer, formats::ParamsWriter::create(arena, files.params));

  Stopwatch watch;
  CUZK_TRY(const auto device,
           server::open_setup_device<Bls12_381>(arena, options.device, server::visible_accelerators()));
  if (!device.note.empty()) report.say(device.note);
  CUZK_TRY(const auto compiled, filecoin::compiled_circuit(circuit, options.circuits, report.progress()));
  const double recording = watch.seconds();
  CUZK_CHECK_OK(writer.reserve(formats::params_bytes(*compiled.matrices, compiled.densities)));
  Status made = groth16::setup<Bls12_381>(arena, *compiled.matrices, trapdoor, groth16::QuotientBasis::coset_monomials,
                                          RootFamily::bellperson, writer, report.progress(), device.multiples.get());
  if (!made && made.error().code() == Code::invalid_argument)  // tau of no use for this circuit
    return fail(std::move(made).error().in_file(options.trapdoor));
  CUZK_CHECK_OK(std::move(made));
  CUZK_CHECK_OK(commit_keys(writer, files.vk));

  const groth16::KeyShape& shape = writer.shape();
  report.say("development key (never for production) for " + circuit.id() + ": " +
             std::to_string(compiled.matrices->num_constraints()) + " constraints, " +
             std::to_string(shape.num_variables) + " variables, domain " + std::to_string(shape.domain_size) + ", " +
             human_bytes(writer.bytes()) + ", points by " + device.name + ", " + human_seconds(watch.seconds()));
  JsonWriter json;
  json.begin_object().key("development_key").boolean(true).key("circuit").string(circuit.id());
  json.key("key").string(files.params).key("vkey").string(files.vk).key("key_bytes").integer(writer.bytes());
  json.key("device").string(device.name);
  json.key("num_constraints")
      .integer(compiled.matrices->num_constraints())
      .key("num_variables")
      .integer(shape.num_variables);
  json.key("num_public").integer(shape.num_public).key("domain_size").integer(shape.domain_size);
  json.key("recording_seconds").real(recording).key("total_seconds").real(watch.seconds());
  json.key("peak_resident_bytes").integer(peak_resident_bytes()).end_object();
  report.result(std::move(json));
  return {};
}

}  // namespace cuzk::cli
