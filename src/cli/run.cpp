#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>

#include "cli/commands.h"
#include "cli/terminal.h"
#include "support/cpu_features.h"
#include "support/cut_files.h"
#include "support/death_note.h"

namespace cuzk::cli {
namespace {

/// An end without memory and without locks: both forms of the report are made when the program is compiled.
struct Ending {
  Code code;
  std::string_view text;
  std::string_view json;
};

#define CUZK_ENDING(CODE, TEXT)                                \
  {Code::CODE, "cuzk: " TEXT "\n",                             \
   "{\"code\":\"" #CODE "\",\"kind\":null,\"message\":\"" TEXT \
   "\",\"file\":null,\"section\":null,\"offset\":null,\"expected\":null,\"found\":null}\n"}
constexpr Ending kOutOfMemory = CUZK_ENDING(exhausted, "out of memory (limits: ulimit -v, ulimit -d, cgroup)");
constexpr Ending kNoThread = CUZK_ENDING(
    exhausted, "the system refuses a thread (limits: ulimit -u, ulimit -v, cgroup pids.max; fewer: --threads)");
constexpr Ending kBroken = CUZK_ENDING(internal, "an unexpected exception ended the program");
#undef CUZK_ENDING

bool json_wanted = false;  // set before any thread exists

[[noreturn]] void end_program(const Ending& ending) noexcept {
  Terminal::restore();
  const std::string_view out = json_wanted ? ending.json : ending.text;
  static_cast<void>(!::write(json_wanted ? STDOUT_FILENO : STDERR_FILENO, out.data(), out.size()));
  std::_Exit(exit_status(ending.code));
}

/// Memory that cannot be had ends the program from whichever thread asked for it; an output that was begun leaves its
/// temporary file behind, as a killed program does.
void out_of_memory() { end_program(kOutOfMemory); }

/// Nothing of ours throws; the thread pool throws a runtime_error (std::thread: its child system_error) when the
/// system gives it no thread.
void exception_escaped() {
  try {
    if (const std::exception_ptr current = std::current_exception()) std::rethrow_exception(current);
  } catch (const std::bad_alloc&) {  // of allocators that do not ask our handler
    end_program(kOutOfMemory);
  } catch (const std::runtime_error&) {
    end_program(kNoThread);
  } catch (...) {
    end_program(kBroken);
  }
  end_program(kBroken);
}

/// A limit of file sizes is told by write(2) as an error, not by a signal; so is a file that is cut short. Standard
/// streams that were closed lead nowhere, so that no file of ours takes their number and receives what is printed.
void prepare_process() {
  std::signal(SIGXFSZ, SIG_IGN);
  DeathNote::write_on_fatal_signals();
  survive_cut_files();  // after it: a fault that is no cut file is passed on
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
    if (::fcntl(stream, F_GETFD) < 0) static_cast<void>(::open("/dev/null", O_RDWR));  // takes the lowest free number
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
  if (const ServeOptions* options = std::get_if<ServeOptions>(&invocation.command)) {
    std::set_new_handler(nullptr);  // one job without memory fails as that job, the service goes on
    return serve(*options, invocation.common, report);
  }
  if (const RemoteCommand* command = std::get_if<RemoteCommand>(&invocation.command)) return remote(*command, report);
  Arena arena(invocation.common.threads);
  return std::visit(Overloaded{
                        [](const Text&) -> Status { return {}; },
                        [](const ServeOptions&) -> Status { return {}; },
                        [](const RemoteCommand&) -> Status { return {}; },
                        [&](const ProveOptions& o) { return prove(o, arena, report); },
                        [&](const ProveFilecoinOptions& o) { return prove_filecoin(o, arena, report); },
                        [&](const VerifyOptions& o) { return verify(o, arena, report); },
                        [&](const VerifyFilecoinOptions& o) { return verify_filecoin(o, arena, report); },
                        [&](const SetupOptions& o) { return setup(o, arena, report); },
                        [&](const SetupFilecoinOptions& o) { return setup_filecoin(o, arena, report); },
                        [&](const KeysOptions& o) { return keys(o, arena, report); },
                        [&](const SelftestOptions& o) { return selftest(o, arena, report); },
                        [&](const GenVanillaOptions& o) { return gen_vanilla(o, arena, report); },
                        [&](const InspectOptions& o) { return inspect(o, arena, report); },
                    },
                    invocation.command);
}

}  // namespace

int run(int argc, const char* const* argv) {
  json_wanted = wants_json(argc, argv);
  std::set_new_handler(out_of_memory);
  std::set_terminate(exception_escaped);
  prepare_process();
  return_large_buffers();
  Result<Invocation> invocation = parse(argc, argv);
  if (!invocation) {
    CommonOptions common;
    common.json = json_wanted;
    return Report(common).failed(invocation.error());
  }
  Report report(invocation->common);
  const Status status = dispatch(*invocation, report);
  if (!status) return report.failed(status.error());
  if (std::fflush(stdout) != 0) return report.failed(Error(Code::exhausted, "cannot write standard output"));
  return 0;
}

}  // namespace cuzk::cli
