// What every fuzzer has in common: bytes in, nothing out. CUZK_FUZZ_TARGET(file) { ... } defines the entry point that
// libFuzzer calls (https://llvm.org/docs/LibFuzzer.html); a broken CUZK_REQUIRE inside is a finding.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "support/bytes.h"
#include "support/result.h"

#define CUZK_FUZZ_TARGET(file)                                                        \
  static void fuzz_one(cuzk::Bytes file);                                             \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);  \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) { \
    fuzz_one(cuzk::Bytes(reinterpret_cast<const std::byte*>(data), size));            \
    return 0;                                                                         \
  }                                                                                   \
  static void fuzz_one(cuzk::Bytes file)
