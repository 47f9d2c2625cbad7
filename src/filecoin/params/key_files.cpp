#include "filecoin/params/key_files.h"

#include <cstdlib>
#include <filesystem>

#include "formats/bellperson_vk.h"

namespace cuzk::filecoin {

std::string default_key_folder() {
  const char* const folder = std::getenv("FIL_PROOFS_PARAMETER_CACHE");
  return folder != nullptr && *folder != '\0' ? folder : "/var/tmp/filecoin-proof-parameters";
}

KeyFiles key_files(const Circuit& circuit, const std::string& folder) {
  const std::string stem = (folder.empty() ? "." : folder) + "/" + circuit.key_file_stem();
  return {stem + ".params", stem + ".vk"};
}

std::uint64_t vk_bytes(const Circuit& circuit) noexcept {
  return formats::kBellpersonVkFixedBytes + (circuit.num_public() + 1) * sizeof(Bls12_381::G1Affine);
}

bool nothing_at(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::status(path, ignored).type() == std::filesystem::file_type::not_found;
}

Error missing_key(const Circuit& circuit, const std::string& path) {
  const std::string how =
      published_key(circuit)
          ? "the published parameters hold it; cuzk setup --circuit " + circuit.id() + " makes one for development"
          : "cuzk setup --circuit " + circuit.id() + " makes one for development";
  return Error(Code::not_found, "no key for " + circuit.id() + " (" + how + ")")
      .at({.file = path, .section = {}, .offset = 0, .expected = {}, .found = {}});
}

}  // namespace cuzk::filecoin
