#include <malloc.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <new>

#include "cli/commands.h"
#include "support/cpu_features.h"

namespace cuzk::cli {
namespace {

/// Memory that cannot be had ends the program from whichever thread asked for it; temporary files of outputs do not
/// exist yet while large memory is being asked for.
void out_of_memory() {
  constexpr char kText[] = "cuzk: out of memory (limits: ulimit -v, ulimit -d, cgroup)\n";
  static_cast<void>(!::write(STDERR_FILENO, kText, sizeof kText - 1));
  std::_Exit(exit_status(Code::exhausted));
}

/// Large buffers go back to the system when they are freed. Left alone, glibc raises its threshold to the size of the
/// first large buffer that is freed, and keeps the memory of those that follow: some per cent of the peak of a proof.
void return_large_buffers() {
  constexpr int kThresholdBytes = 256 << 10;
  ::mallopt(M_MMAP_THRESHOLD, kThresholdBytes);
}

bool wants_json(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]) == "--json") return true;
  return false;
}

template <class... Fs> struct Overloaded : Fs... {
  using Fs::operator()...;
};

Status dispatch(const Invocation& invocation, Report& report) {
  CUZK_CHECK_OK(select_cpu_path(std::getenv("CUZK_CPU")));
  if (const Text* text = std::get_if<Text>(&invocation.command)) {
    std::printf("%s\n", text->text.c_str());
    return {};
  }
  Arena arena(invocation.common.threads);
  return std::visit(Overloaded{
                        [](const Text&) -> Status { return {}; },
                        [&](const ProveOptions& o) { return prove(o, arena, report); },
                        [&](const VerifyOptions& o) { return verify(o, arena, report); },
                        [&](const SetupOptions& o) { return setup(o, arena, report); },
                        [&](const InspectOptions& o) { return inspect(o, arena, report); },
                    },
                    invocation.command);
}

}  // namespace

int run(int argc, const char* const* argv) {
  std::set_new_handler(out_of_memory);
  return_large_buffers();
  Result<Invocation> invocation = parse(argc, argv);
  if (!invocation) {
    CommonOptions common;
    common.json = wants_json(argc, argv);
    return Report(common).failed(invocation.error());
  }
  Report report(invocation->common);
  const Status status = dispatch(*invocation, report);
  if (!status) return report.failed(status.error());
  if (std::fflush(stdout) != 0) return report.failed(Error(Code::exhausted, "cannot write standard output"));
  return 0;
}

}  // namespace cuzk::cli
