// The command line as plain structs: what each subcommand was asked to do.
//
// CLI11 stays in options.cpp (it costs seconds to parse); the subcommands see only these. parse() reads nothing but its
// arguments. Thread-safety: values.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/remote_options.h"
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

/// cuzk prove --kind KIND --vanilla FILE --out PROOF ...
struct ProveFilecoinOptions {
  std::string kind;
  std::string vanilla;
  std::string public_data;                 // empty: none
  std::string params;                      // folder of the keys; empty: the default one
  std::string circuits;                    // folder of compiled circuits; empty: none is kept
  std::string out;                         // empty: the proof is not written
  std::optional<std::uint64_t> partition;  // none: all that there are
  std::vector<std::string> blinding;       // a JSON file with r and s a partition; tests only
  bool allow_insecure_key = false;
  bool check_key = false;
};

/// cuzk verify VKEY PUBLIC PROOF
struct VerifyOptions {
  std::string vkey;
  std::string public_inputs;
  std::string proof;
};

/// cuzk verify --kind KIND --public FILE --proof FILE [--vk FILE | --params DIR] [--partition N]
struct VerifyFilecoinOptions {
  std::string kind;  // porep or seal, winning, window, snap or update
  std::string public_data;
  std::string proof;
  std::string vk;                          // empty: looked for in `params`
  std::string params;                      // folder; empty: the default one
  std::optional<std::uint64_t> partition;  // the proof is this partition's alone
};

/// cuzk setup R1CS KEY [VKEY] [--device DEVICE]
struct SetupOptions {
  std::string r1cs;
  std::string key;              // .zkey or .params
  std::string vkey;             // empty: not written; .json or .vk
  std::string trapdoor;         // empty: random; else a JSON file
  std::string device = "auto";  // "cpu", "auto", an ordinal, a UUID or its first letters
};

/// cuzk setup --circuit ID --out DIR|FILE
struct SetupFilecoinOptions {
  std::string circuit;
  std::string out;       // a folder (official names) or a file that ends in .params
  std::string circuits;  // as in proving
  std::string trapdoor;
  std::string device = "auto";  // as above
};

/// cuzk keys list|check
struct KeysOptions {
  bool check = false;
  std::vector<std::string> kinds;         // empty: all
  std::vector<std::string> sector_sizes;  // empty: 32GiB
  std::string params;
  bool digests = true;
  bool points = false;
  bool allow_development = false;
};

/// cuzk selftest [--device DEVICE]...
struct SelftestOptions {
  std::vector<std::string> devices;  // "cpu", ordinals, UUIDs or their first letters; empty: all
};

/// cuzk gen-vanilla (--kind KIND ... | --public-from FILE) --out FILE --public FILE
struct GenVanillaOptions {
  std::string kind;         // empty: as --public-from says
  std::string sector_size;  // name or id
  std::string public_from;  // empty: made from the numbers below
  std::uint64_t seed = 1;
  std::optional<std::uint32_t> registered_proof;
  std::uint64_t miner = 1000;
  std::uint64_t sector = 1;
  std::optional<std::uint64_t> sectors;  // window; none: as many as fill the partitions up to the one wanted
  std::uint64_t partition = 0;           // window
  std::uint64_t replicas = 0;            // synthetic window; 0: one a sector
  bool synthetic = false;
  std::string out;
  std::string public_data;
};

/// cuzk inspect FILE
struct InspectOptions {
  std::string file;
  bool check = false;
};

/// cuzk serve [--config FILE] [--listen ADDRESS]... [--log-level LEVEL] [--check-config]
struct ServeOptions {
  std::string config;               // empty: the default one, if it is there
  std::vector<std::string> listen;  // empty: as the configuration says
  std::string log_level;            // likewise
  bool check_config = false;
};

/// Help or version: a text to print, and success.
struct Text {
  std::string text;
};

struct Invocation {
  CommonOptions common;
  std::variant<Text, ProveOptions, ProveFilecoinOptions, VerifyOptions, VerifyFilecoinOptions, SetupOptions,
               SetupFilecoinOptions, KeysOptions, SelftestOptions, GenVanillaOptions, InspectOptions, ServeOptions,
               RemoteCommand>
      command;
};

/// Error: invalid_argument with a message that names the argument and the command's usage.
Result<Invocation> parse(int argc, const char* const* argv);

}  // namespace cuzk::cli
