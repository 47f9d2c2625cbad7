#include "cuzk/rapidsnark.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "capi/prover.h"

namespace {

using cuzk::Bytes;
using cuzk::Error;
using cuzk::Kind;
using cuzk::Result;
using cuzk::Status;
using cuzk::capi::Prover;
using cuzk::formats::KeySource;

/// Bound of a proof's compact JSON on BLS12-381: eight coordinates of at most 115 digits, quotes, names and brackets.
constexpr unsigned long long kProofCapacity = 8 * (115 + 3) + 160;

struct ErrorText {
  char* text;
  unsigned long long capacity;

  int operator()(int code, std::string_view message) const noexcept {
    if (text != nullptr && capacity > 0) {
      const std::size_t length = std::min<std::size_t>(message.size(), static_cast<std::size_t>(capacity - 1));
      std::memcpy(text, message.data(), length);
      text[length] = '\0';
    }
    return code;
  }
  int operator()(const Error& error) const {
    const bool length = error.kind() == Kind::witness_length_mismatch;
    return (*this)(length ? PROVER_INVALID_WITNESS_LENGTH : PROVER_ERROR, error.to_string());
  }
};

/// No exception crosses the boundary: the body's escapes become `failure`.
template <class Body> int guarded(const ErrorText& say, int failure, Body&& body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return say(failure, "out of memory");
  } catch (const std::exception& escaped) {
    return say(failure, escaped.what());
  } catch (...) {
    return say(failure, "unknown exception");
  }
}

Bytes bytes_of(const void* data, unsigned long long size) noexcept {
  return {static_cast<const std::byte*>(data), static_cast<std::size_t>(size)};
}

/// A quoted value of at most 115 digits and a comma each, the brackets, and the NUL.
unsigned long long public_capacity(std::uint64_t num_public) noexcept { return num_public * 118 + 4; }

int public_size(Result<KeySource> source, unsigned long long* size, const ErrorText& say) {
  if (!source) return say(source.error());
  const auto num_public = cuzk::capi::num_public_of(*source);
  if (!num_public) return say(num_public.error());
  *size = public_capacity(*num_public);
  return PROVER_OK;
}

int create(Result<KeySource> source, void** object, const ErrorText& say) {
  if (!source) return say(source.error());
  auto prover = Prover::open(*std::move(source), {});
  if (!prover) return say(prover.error());
  *object = const_cast<Prover*>(prover->release());  // the C interface has no const; all methods are
  return PROVER_OK;
}

struct OutBuffer {
  char* data;
  unsigned long long* size;

  bool fits(const std::string& text) const noexcept { return data != nullptr && *size > text.size(); }
  void write(const std::string& text) const noexcept {
    std::memcpy(data, text.c_str(), text.size() + 1);
    *size = text.size();
  }
};

int prove(const Prover& prover, Bytes wtns, const OutBuffer& proof, const OutBuffer& public_inputs,
          const ErrorText& say) {
  const auto proved = prover.prove(wtns, cuzk::formats::JsonForm::rapidsnark);
  if (!proved) return say(proved.error());
  if (!proof.fits(proved->proof) || !public_inputs.fits(proved->public_inputs)) {
    // The next proof is another one, and may be longer: a caller who asks for its size must not be told a second time.
    *proof.size = kProofCapacity;
    *public_inputs.size = proved->public_inputs.size() + 1;
    return say(PROVER_ERROR_SHORT_BUFFER, "a buffer is too short: the sizes needed are " + std::to_string(*proof.size) +
                                              " (proof) and " + std::to_string(*public_inputs.size) +
                                              " (public) bytes");
  }
  proof.write(proved->proof);
  public_inputs.write(proved->public_inputs);
  return PROVER_OK;
}

int create_and_prove(Result<KeySource> source, Bytes wtns, const OutBuffer& proof, const OutBuffer& public_inputs,
                     const ErrorText& say) {
  if (!source) return say(source.error());
  const auto prover = Prover::open(*std::move(source), {});
  if (!prover) return say(prover.error());
  return prove(**prover, wtns, proof, public_inputs, say);
}

template <class... Pointers> bool any_null(Pointers... pointers) noexcept { return ((pointers == nullptr) || ...); }

constexpr const char* kNullArgument = "a required argument is NULL";

}  // namespace

extern "C" {

int groth16_public_size_for_zkey_buf(const void* zkey_buffer, unsigned long long zkey_size,
                                     unsigned long long* public_size_out, char* error_msg,
                                     unsigned long long error_msg_maxsize) {
  const ErrorText say{error_msg, error_msg_maxsize};
  if (any_null(zkey_buffer, public_size_out)) return say(PROVER_ERROR, kNullArgument);
  return guarded(say, PROVER_ERROR, [&] {
    return public_size(KeySource(bytes_of(zkey_buffer, zkey_size), nullptr), public_size_out, say);
  });
}

int groth16_public_size_for_zkey_file(const char* zkey_fname, unsigned long long* public_size_out, char* error_msg,
                                      unsigned long long error_msg_maxsize) {
  const ErrorText say{error_msg, error_msg_maxsize};
  if (any_null(zkey_fname, public_size_out)) return say(PROVER_ERROR, kNullArgument);
  return guarded(say, PROVER_ERROR, [&] { return public_size(KeySource::open(zkey_fname), public_size_out, say); });
}

void groth16_proof_size(unsigned long long* proof_size) {
  if (proof_size != nullptr) *proof_size = kProofCapacity;
}

int groth16_prover_create(void** prover_object, const void* zkey_buffer, unsigned long long zkey_size, char* error_msg,
                          unsigned long long error_msg_maxsize) {
  const ErrorText say{error_msg, error_msg_maxsize};
  if (any_null<const void*>(prover_object, zkey_buffer)) return say(PROVER_ERROR, kNullArgument);
  return guarded(say, PROVER_ERROR,
                 [&] { return create(KeySource(bytes_of(zkey_buffer, zkey_size), nullptr), prover_object, say); });
}

int groth16_prover_create_zkey_file(void** prover_object, const char* zkey_file_path, char* error_msg,
                                    unsigned long long error_msg_maxsize) {
  const ErrorText say{error_msg, error_msg_maxsize};
  if (any_null<const void*>(prover_object, zkey_file_path)) return say(PROVER_ERROR, kNullArgument);
  return guarded(say, PROVER_ERROR, [&] { return create(KeySource::open(zkey_file_path), prover_object, say); });
}

int groth16_prover_prove(void* prover_object, const void* wtns_buffer, unsigned long long wtns_size, char* proof_buffer,
                         unsigned long long* proof_size, char* public_buffer, unsigned long long* public_size_io,
                         char* error_msg, unsigned long long error_msg_maxsize) {
  const ErrorText say{error_msg, error_msg_maxsize};
  if (any_null<const void*>(prover_object, wtns_buffer, proof_size, public_size_io))
    return say(PROVER_ERROR, kNullArgument);
  return guarded(say, PROVER_ERROR, [&] {
    return prove(*static_cast<const Prover*>(prover_object), bytes_of(wtns_buffer, wtns_size),
                 {proof_buffer, proof_size}, {public_buffer, public_size_io}, say);
  });
}

void groth16_prover_destroy(void* prover_object) { delete static_cast<Prover*>(prover_object); }

int groth16_prover(const void* zkey_buffer, unsigned long long zkey_size, const void* wtns_buffer,
                   unsigned long long wtns_size, char* proof_buffer, unsigned long long* proof_size,
                   char* public_buffer, unsigned long long* public_size_io, char* error_msg,
                   unsigned long long error_msg_maxsize) {
  const ErrorText say{error_msg, error_msg_maxsize};
  if (any_null<const void*>(zkey_buffer, wtns_buffer, proof_size, public_size_io))
    return say(PROVER_ERROR, kNullArgument);
  return guarded(say, PROVER_ERROR, [&] {
    return create_and_prove(KeySource(bytes_of(zkey_buffer, zkey_size), nullptr), bytes_of(wtns_buffer, wtns_size),
                            {proof_buffer, proof_size}, {public_buffer, public_size_io}, say);
  });
}

int groth16_prover_zkey_file(const char* zkey_file_path, const void* wtns_buffer, unsigned long long wtns_size,
                             char* proof_buffer, unsigned long long* proof_size, char* public_buffer,
                             unsigned long long* public_size_io, char* error_msg,
                             unsigned long long error_msg_maxsize) {
  const ErrorText say{error_msg, error_msg_maxsize};
  if (any_null<const void*>(zkey_file_path, wtns_buffer, proof_size, public_size_io))
    return say(PROVER_ERROR, kNullArgument);
  return guarded(say, PROVER_ERROR, [&] {
    return create_and_prove(KeySource::open(zkey_file_path), bytes_of(wtns_buffer, wtns_size),
                            {proof_buffer, proof_size}, {public_buffer, public_size_io}, say);
  });
}

int groth16_verify(const char* proof, const char* inputs, const char* verification_key, char* error_msg,
                   unsigned long error_msg_maxsize) {
  const ErrorText say{error_msg, error_msg_maxsize};
  if (any_null(proof, inputs, verification_key)) return say(VERIFIER_ERROR, kNullArgument);
  return guarded(say, VERIFIER_ERROR, [&] {
    const Status status = cuzk::capi::verify_json(verification_key, inputs, proof);
    if (status) return VERIFIER_VALID_PROOF;
    const bool invalid = status.error().kind() == Kind::invalid_proof;
    return say(invalid ? VERIFIER_INVALID_PROOF : VERIFIER_ERROR, status.error().to_string());
  });
}

}  // extern "C"
