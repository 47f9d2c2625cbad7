// The command lines of remote_options.h.
//
// Thread-safety: external.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/remote_options.h"

namespace CLI {
class App;
}  // namespace CLI

namespace cuzk::cli {

/// Adds the options by which a command finds its service. With `with_address` also --address.
void add_service(CLI::App& app, ServiceOptions& service, bool with_address = true);
/// What `cuzk prove` does not have without --remote: the fields of a request beside its files.
void add_request_fields(CLI::App& app, ProofInput& input);
/// Likewise of how it is given to the service.
void add_retry(CLI::App& app, ServiceOptions& service);
/// The names of both, for commands that refuse them.
std::vector<std::string> request_field_names();

/// The subcommands, added to the program's.
class RemoteParser {
 public:
  explicit RemoteParser(CLI::App& app);
  ~RemoteParser();
  RemoteParser(const RemoteParser&) = delete;
  RemoteParser& operator=(const RemoteParser&) = delete;

  /// After parsing: the one that was given; none: another command was. Throws CLI::ParseError where its options do not
  /// fit together.
  std::optional<RemoteCommand> take();

 private:
  struct Commands;
  std::unique_ptr<Commands> commands_;
};

}  // namespace cuzk::cli
