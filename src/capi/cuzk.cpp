#include "cuzk/cuzk.h"

#include <cstdlib>

#include "capi/boundary.h"
#include "capi/prover.h"

struct cuzk_prover {
  std::unique_ptr<const cuzk::capi::Prover> impl;
};

namespace {

using cuzk::Code;
using cuzk::Result;
using cuzk::Status;
using cuzk::capi::guarded;
using cuzk::capi::Prover;

Result<cuzk::capi::ProverOptions> read_options(const cuzk_options* options) {
  if (options == nullptr) return cuzk::capi::ProverOptions{};
  if (options->size != sizeof(cuzk_options))
    return cuzk::fail(Code::invalid_argument, "cuzk_options.size is " + std::to_string(options->size) + ", expected " +
                                                  std::to_string(sizeof(cuzk_options)) + " (use CUZK_OPTIONS_INIT)");
  if (options->threads > CUZK_MAX_THREADS)
    return cuzk::fail(Code::invalid_argument, "cuzk_options.threads is " + std::to_string(options->threads) +
                                                  ", expected at most " + std::to_string(CUZK_MAX_THREADS));
  return cuzk::capi::ProverOptions{options->threads, options->allow_insecure_key != 0, options->check_points != 0};
}

Status require(bool given, const char* name) {
  if (given) return {};
  return cuzk::fail(Code::invalid_argument, std::string(name) + " is NULL");
}

Status open_prover(Result<cuzk::formats::KeySource> source, const cuzk_options* options, cuzk_prover** prover) {
  if (!source) return cuzk::fail(std::move(source).error());
  CUZK_TRY(const auto parsed, read_options(options));
  CUZK_TRY(auto impl, Prover::open(*std::move(source), parsed));
  *prover = new cuzk_prover{std::move(impl)};
  return {};
}

/// Both strings or none.
Status hand_out(const cuzk::capi::ProvedJson& proved, cuzk_string* proof_json, cuzk_string* public_json) {
  cuzk_string proof{nullptr, 0};
  if (proof_json != nullptr) {
    CUZK_TRY(proof, cuzk::capi::to_c_string(proved.proof));
  }
  if (public_json != nullptr) {
    Result<cuzk_string> text = cuzk::capi::to_c_string(proved.public_inputs);
    if (!text) {
      cuzk_string_free(&proof);
      return cuzk::fail(std::move(text).error());
    }
    *public_json = *text;
  }
  if (proof_json != nullptr) *proof_json = proof;
  return {};
}

}  // namespace

extern "C" {

const char* cuzk_version(void) { return CUZK_VERSION; }

const char* cuzk_code_name(cuzk_code code) {
  static constexpr const char* kNames[] = {"ok",        "invalid_argument", "malformed", "unsupported", "not_found",
                                           "exhausted", "cancelled",        "deadline",  "unavailable", "device",
                                           "conflict",  "unsatisfied",      "internal"};
  const auto index = static_cast<std::size_t>(code);
  return index < std::size(kNames) ? kNames[index] : "unknown";
}

const char* cuzk_error_message(const cuzk_error* error) { return error != nullptr ? error->message.c_str() : ""; }
cuzk_code cuzk_error_code(const cuzk_error* error) { return error != nullptr ? error->code : CUZK_OK; }
const char* cuzk_error_kind(const cuzk_error* error) { return error != nullptr ? error->kind.c_str() : ""; }
void cuzk_error_free(cuzk_error* error) { delete error; }

void cuzk_string_free(cuzk_string* string) {
  if (string == nullptr) return;
  std::free(string->data);
  *string = cuzk_string{nullptr, 0};
}

cuzk_code cuzk_prover_open_file(const char* zkey_path, const cuzk_options* options, cuzk_prover** prover,
                                cuzk_error** error) {
  return guarded(error, [&]() -> Status {
    CUZK_CHECK_OK(require(zkey_path != nullptr, "zkey_path"));
    CUZK_CHECK_OK(require(prover != nullptr, "prover"));
    return open_prover(cuzk::formats::KeySource::open(zkey_path), options, prover);
  });
}

cuzk_code cuzk_prover_open_buffer(const void* zkey, size_t zkey_bytes, const cuzk_options* options,
                                  cuzk_prover** prover, cuzk_error** error) {
  return guarded(error, [&]() -> Status {
    CUZK_CHECK_OK(require(zkey != nullptr || zkey_bytes == 0, "zkey"));
    CUZK_CHECK_OK(require(prover != nullptr, "prover"));
    const cuzk::Bytes bytes(static_cast<const std::byte*>(zkey), zkey_bytes);
    return open_prover(cuzk::formats::KeySource(bytes, nullptr), options, prover);
  });
}

void cuzk_prover_free(cuzk_prover* prover) { delete prover; }

const char* cuzk_prover_curve(const cuzk_prover* prover) {
  return prover != nullptr ? cuzk::name(prover->impl->curve()).data() : "";
}
uint64_t cuzk_prover_num_public(const cuzk_prover* prover) {
  return prover != nullptr ? prover->impl->num_public() : 0;
}
uint64_t cuzk_prover_num_variables(const cuzk_prover* prover) {
  return prover != nullptr ? prover->impl->num_variables() : 0;
}

cuzk_code cuzk_prover_prove(const cuzk_prover* prover, const void* wtns, size_t wtns_bytes, cuzk_string* proof_json,
                            cuzk_string* public_json, cuzk_error** error) {
  return guarded(error, [&]() -> Status {
    CUZK_CHECK_OK(require(prover != nullptr, "prover"));
    CUZK_CHECK_OK(require(wtns != nullptr || wtns_bytes == 0, "wtns"));
    const cuzk::Bytes bytes(static_cast<const std::byte*>(wtns), wtns_bytes);
    CUZK_TRY(const auto proved, prover->impl->prove(bytes, cuzk::formats::JsonForm::snarkjs));
    return hand_out(proved, proof_json, public_json);
  });
}

cuzk_code cuzk_prover_verification_key(const cuzk_prover* prover, cuzk_string* vkey_json, cuzk_error** error) {
  return guarded(error, [&]() -> Status {
    CUZK_CHECK_OK(require(prover != nullptr, "prover"));
    CUZK_CHECK_OK(require(vkey_json != nullptr, "vkey_json"));
    CUZK_TRY(*vkey_json, cuzk::capi::to_c_string(prover->impl->verification_key_json()));
    return {};
  });
}

cuzk_code cuzk_verify(const char* vkey_json, size_t vkey_length, const char* public_json, size_t public_length,
                      const char* proof_json, size_t proof_length, cuzk_error** error) {
  return guarded(error, [&]() -> Status {
    CUZK_CHECK_OK(require(vkey_json != nullptr, "vkey_json"));
    CUZK_CHECK_OK(require(public_json != nullptr, "public_json"));
    CUZK_CHECK_OK(require(proof_json != nullptr, "proof_json"));
    return cuzk::capi::verify_json({vkey_json, vkey_length}, {public_json, public_length}, {proof_json, proof_length});
  });
}

}  // extern "C"
