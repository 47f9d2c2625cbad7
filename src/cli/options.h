// The command line as plain structs: what each subcommand was asked to do.
//
// CLI11 stays in options.cpp (it costs seconds to parse); the subcommands see only these. parse() reads nothing but its
// arguments. Thread-safety: values.
#pragma once

#include <string>
#include <variant>

#include "support/result.h"

namespace cuzk::cli {

struct CommonOptions {
  unsigned threads = 0;  // 0: all
  bool json = false;
  bool quiet = false;
};

/// cuzk prove KEY WITNESS PROOF [PUBLIC]
struct ProveOptions {
  std::string key;
  std::string witness;
  std::string proof;
  std::string public_inputs;  // empty: not written
  std::string r1cs;           // empty: none; needed by a .params key
  bool allow_insecure_key = false;
  bool check_key = false;
};

/// cuzk verify VKEY PUBLIC PROOF
struct VerifyOptions {
  std::string vkey;
  std::string public_inputs;
  std::string proof;
};

/// cuzk setup R1CS KEY [VKEY]
struct SetupOptions {
  std::string r1cs;
  std::string key;       // .zkey or .params
  std::string vkey;      // empty: not written; .json or .vk
  std::string trapdoor;  // empty: random; else a JSON file
};

/// cuzk inspect FILE
struct InspectOptions {
  std::string file;
  bool check = false;
};

/// Help or version: a text to print, and success.
struct Text {
  std::string text;
};

struct Invocation {
  CommonOptions common;
  std::variant<Text, ProveOptions, VerifyOptions, SetupOptions, InspectOptions> command;
};

/// Error: invalid_argument with a message that names the argument and the command's usage.
Result<Invocation> parse(int argc, const char* const* argv);

}  // namespace cuzk::cli
