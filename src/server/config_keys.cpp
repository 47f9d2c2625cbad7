#include "server/config_keys.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "memory/memory_size.h"
#include "server/duration.h"

namespace cuzk::server {
namespace {

Error wrong_type(const SettingValue& value, std::string_view expected) {
  return {Code::invalid_argument, "expected " + std::string(expected) + ", found " + std::string(value.type_name())};
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

Result<std::string> read_text(const SettingValue& value) {
  if (value.text() == nullptr) return fail(wrong_type(value, "a text"));
  return *value.text();
}

// How the types of settings are read and written. A size, say, is a std::uint64_t as a count is.

struct Text {
  static Result<std::string> read(const SettingValue& value) { return read_text(value); }
  static std::string show(const std::string& value) { return quoted(value); }
};

/// A text that must be one of a few, or pass a check.
template <auto Check> struct CheckedText {
  static Result<std::string> read(const SettingValue& value) {
    Result<std::string> text = read_text(value);
    if (!text) return text;
    CUZK_CHECK_OK(Check(*text));
    return text;
  }
  static std::string show(const std::string& value) { return quoted(value); }
};

struct Path {
  static Result<std::string> read(const SettingValue& value) {
    CUZK_TRY(std::string text, read_text(value));
    if (text.empty() || text.find('\0') != std::string::npos) return fail(Code::invalid_argument, "expected a path");
    if (text == "~" || text.starts_with("~/")) {
      return fail(Code::invalid_argument, "~ means nothing here: expected a path in full");
    }
    return text;
  }
  static std::string show(const std::string& value) { return value.empty() ? "" : quoted(value); }
};

struct Flag {
  static Result<bool> read(const SettingValue& value) {
    if (value.flag() == nullptr) return fail(wrong_type(value, "true or false"));
    return *value.flag();
  }
  static std::string show(bool value) { return value ? "true" : "false"; }
};

template <std::uint64_t Least = 0, std::uint64_t Most = std::numeric_limits<std::uint32_t>::max()> struct Count {
  static Result<std::uint64_t> read(const SettingValue& value) {
    if (value.integer() == nullptr) return fail(wrong_type(value, "an integer"));
    const std::int64_t number = *value.integer();
    if (number < 0 || static_cast<std::uint64_t>(number) < Least || static_cast<std::uint64_t>(number) > Most) {
      return fail(Code::invalid_argument,
                  std::to_string(number) + " is not from " + std::to_string(Least) + " to " + std::to_string(Most));
    }
    return static_cast<std::uint64_t>(number);
  }
  static std::string show(std::uint64_t value) { return std::to_string(value); }
};

struct Size {
  static Result<std::uint64_t> read(const SettingValue& value) {
    if (value.text() != nullptr) return memory::parse_memory_size(*value.text());
    if (value.integer() == nullptr || *value.integer() < 0) return fail(wrong_type(value, "a size as in \"64GiB\""));
    return static_cast<std::uint64_t>(*value.integer());
  }
  static std::string show(std::uint64_t bytes) {
    constexpr std::pair<std::string_view, std::uint64_t> kUnits[] = {
        {"GiB", memory::kGiB}, {"MiB", memory::kMiB}, {"KiB", memory::kKiB}};
    for (const auto& [name, unit] : kUnits) {
      if (bytes != 0 && bytes % unit == 0) return quoted(std::to_string(bytes / unit) + std::string(name));
    }
    return quoted(std::to_string(bytes));
  }
};

struct SizeOrAuto {
  static Result<std::optional<std::uint64_t>> read(const SettingValue& value) {
    if (value.text() != nullptr && *value.text() == "auto") return std::optional<std::uint64_t>{};
    CUZK_TRY(const std::uint64_t bytes, Size::read(value));
    if (bytes == 0) return fail(Code::invalid_argument, "0 bytes are too few");
    return std::optional(bytes);
  }
  static std::string show(const std::optional<std::uint64_t>& bytes) { return bytes ? Size::show(*bytes) : "\"auto\""; }
};

struct Span {
  static Result<Milliseconds> read(const SettingValue& value) {
    if (value.text() != nullptr) return parse_duration(*value.text());
    if (value.integer() == nullptr) return fail(wrong_type(value, "a span of time as in \"5m\""));
    return parse_duration(std::to_string(*value.integer()));
  }
  static std::string show(Milliseconds span) { return quoted(format_duration(span)); }
};

struct FileMode {
  static Result<unsigned> read(const SettingValue& value) {
    CUZK_TRY(const std::string text, read_text(value));
    const bool octal =
        !text.empty() && text.size() <= 4 && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '7'; });
    const unsigned long mode = octal ? std::stoul(text, nullptr, 8) : 01000;
    if (mode > 0777) {
      return fail(Code::invalid_argument, quoted(text) + " is no mode of a file: octal digits as in \"0660\"");
    }
    return static_cast<unsigned>(mode);
  }
  static std::string show(unsigned mode) {
    std::string digits = "0000";
    for (unsigned i = 0; i < 3; ++i) digits[3 - i] = static_cast<char>('0' + ((mode >> (3 * i)) & 7U));
    return quoted(digits);
  }
};

/// One of three names.
template <class T> using Names = std::array<std::pair<std::string_view, T>, 3>;
template <class T, const Names<T>& kNames> struct NameOf {
  static Result<T> read(const SettingValue& value) {
    CUZK_TRY(const std::string text, read_text(value));
    for (const auto& [name, meant] : kNames) {
      if (text == name) return meant;
    }
    return fail(Code::invalid_argument, quoted(text) + " is neither " + quoted(kNames[0].first) + ", " +
                                            quoted(kNames[1].first) + " nor " + quoted(kNames[2].first));
  }
  static std::string show(T value) {
    return quoted(std::ranges::find(kNames, value, &std::pair<std::string_view, T>::second)->first);
  }
};
constexpr Names<engine::CpuFallback> kFallbacks = {{{"never", engine::CpuFallback::never},
                                                    {"foreseen", engine::CpuFallback::foreseen},
                                                    {"always", engine::CpuFallback::always}}};
using FallbackName = NameOf<engine::CpuFallback, kFallbacks>;
constexpr Names<OnDeviceFailure> kOnFailure = {{{"auto", OnDeviceFailure::automatic},
                                                {"restart", OnDeviceFailure::restart},
                                                {"continue", OnDeviceFailure::go_on}}};
using OnFailureName = NameOf<OnDeviceFailure, kOnFailure>;

/// true, false, or "auto".
struct FlagOrAuto {
  static Result<HttpProving> read(const SettingValue& value) {
    if (value.text() != nullptr && *value.text() == "auto") return HttpProving::as_grpc;
    if (value.flag() == nullptr) return fail(wrong_type(value, "true, false or \"auto\""));
    return *value.flag() ? HttpProving::always : HttpProving::never;
  }
  static std::string show(HttpProving value) {
    if (value == HttpProving::as_grpc) return "\"auto\"";
    return value == HttpProving::always ? "true" : "false";
  }
};

std::string show_list(const std::vector<std::string>& values) {
  std::string out;
  for (const std::string& value : values) out += (out.empty() ? "" : ", ") + quoted(value);
  return "[" + out + "]";
}

struct TextList {
  static Result<std::vector<std::string>> read(const SettingValue& value) {
    if (value.list() == nullptr) return fail(wrong_type(value, "a list of texts"));
    std::vector<std::string> texts;
    for (const SettingValue& element : *value.list()) {
      CUZK_TRY(std::string text, read_text(element));
      texts.push_back(std::move(text));
    }
    return texts;
  }
  static std::string show(const std::vector<std::string>& values) { return show_list(values); }
};

/// A text, or a list of them.
struct AddressList {
  static Result<std::vector<std::string>> read(const SettingValue& value) {
    CUZK_TRY(std::vector<std::string> texts, TextList::read(value.list() ? value : SettingValue{SettingList{value}}));
    if (texts.empty()) return fail(Code::invalid_argument, "the list is empty");
    for (const std::string& text : texts) CUZK_CHECK_OK(parse_listen_address(text));
    return texts;
  }
  static std::string show(const std::vector<std::string>& values) {
    return values.size() == 1 ? quoted(values.front()) : show_list(values);
  }
};

/// Numbers, or texts.
struct DeviceList {
  static Result<std::vector<std::string>> read(const SettingValue& value) {
    if (value.list() == nullptr) return fail(wrong_type(value, "a list of ordinals or UUIDs"));
    std::vector<std::string> devices;
    for (const SettingValue& element : *value.list()) {
      const bool is_text = element.text() != nullptr && !element.text()->empty();
      const bool is_ordinal = element.integer() != nullptr && *element.integer() >= 0 && *element.integer() < 1024;
      if (!is_text && !is_ordinal) return fail(Code::invalid_argument, "expected ordinals (0, 1, ...) or UUIDs");
      devices.push_back(is_text ? *element.text() : std::to_string(*element.integer()));
    }
    return devices;
  }
  static std::string show(const std::vector<std::string>& values) { return show_list(values); }
};

struct OptionalPath {
  static Result<std::optional<std::string>> read(const SettingValue& value) {
    CUZK_TRY(std::string path, Path::read(value));
    return std::optional(std::move(path));
  }
  static std::string show(const std::optional<std::string>& path) { return path ? quoted(*path) : ""; }
};

Status check_status_address(const std::string& text) {
  if (text.empty()) return {};
  CUZK_TRY(const ListenAddress address, parse_listen_address(text));
  if (address.is_unix()) return fail(Code::invalid_argument, "expected host:port");
  return {};
}

Status check_level(const std::string& text) {
  CUZK_CHECK_OK(plain_log_level(text));
  return {};
}

Status check_format(const std::string& text) {
  if (text == "text" || text == "json") return {};
  return fail(Code::invalid_argument, quoted(text) + " is neither \"text\" nor \"json\"");
}

/// A row for config.*section.*member, read and written by Type.
template <class Type, class Section, class Value>
KeySpec row(KeySpec spec, Section Config::* section, Value Section::* member) {
  spec.read = [=](Config& config, const SettingPath&, const SettingValue& value) -> Status {
    CUZK_TRY(auto read, Type::read(value));
    config.*section.*member = static_cast<Value>(std::move(read));
    return {};
  };
  spec.show = [=](const Config& config) { return Type::show(config.*section.*member); };
  spec.copy = [=](Config& to, const Config& from) { to.*section.*member = from.*section.*member; };
  return spec;
}

KeySpec deprecated(std::string_view section, std::string_view name, std::string_view instead) {
  return {section, name, "any", instead, Standing::deprecated};
}

constexpr bool kReloads = true;

KeySpec circom_keys() {
  KeySpec spec{"circom.keys",
               "*",
               "path",
               "A .zkey file; the name of the key is the id by which clients ask for it. They come and go with SIGHUP; "
               "another file under a used id needs a restart.",
               Standing::used,
               kReloads};
  spec.read = [](Config& config, const SettingPath& path, const SettingValue& value) -> Status {
    CUZK_TRY(std::string file, Path::read(value));
    if (path.back().empty() || path.back().size() > 256)
      return fail(Code::invalid_argument, "expected an id of 1 to 256 bytes");
    config.circom.keys[path.back()] = std::move(file);
    return {};
  };
  spec.show = [](const Config& config) {
    std::string out;
    for (const auto& [id, file] : config.circom.keys) out += quoted(id) + " = " + quoted(file) + "\n";
    return out;
  };
  spec.copy = [](Config& to, const Config& from) { to.circom.keys = from.circom.keys; };
  return spec;
}

constexpr SectionSpec kSections[] = {
    {"daemon", "Where the service listens, and who may talk to it."},
    {"memory", "How much memory it takes."},
    {"gpus", "The devices."},
    {"scheduler", "Admission and order of jobs."},
    {"synthesis", "Threads of the processor."},
    {"pipeline", "How far work runs ahead of the devices."},
    {"srs", "Proving keys of Filecoin's circuits."},
    {"circom.keys", "Keys of circom's circuits: an id and the path of its .zkey, one a line."},
    {"journal", "What survives the end of the process."},
    {"logging", "The log, on standard error."},
};

std::vector<KeySpec> daemon_keys() {
  using D = Config::Daemon;
  constexpr auto kAt = &Config::daemon;
  return {
      row<AddressList>({"daemon", "listen", "address, or a list of them",
                        "Where gRPC listens: `unix:///path`, `host:port` or `[IPv6]:port`."},
                       kAt, &D::listen),
      row<CheckedText<check_status_address>>(
          {"daemon", "status_listen", "`host:port`", "Where HTTP listens; empty: nowhere."}, kAt, &D::status_listen),
      row<FileMode>({"daemon", "socket_mode", "octal digits", "Mode of the unix socket."}, kAt, &D::socket_mode),
      row<Text>({"daemon", "socket_group", "name of a group", "Group of the unix socket; empty: that of the process."},
                kAt, &D::socket_group),
      row<Path>({"daemon", "tls_certificate", "path", "PEM chain for TLS on TCP addresses; needs tls_key."}, kAt,
                &D::tls_certificate),
      row<Path>({"daemon", "tls_key", "path", "PEM key of the certificate."}, kAt, &D::tls_key),
      row<Path>({"daemon", "tls_client_ca", "path", "PEM roots; clients must then show a certificate from them."}, kAt,
                &D::tls_client_ca),
      row<Path>({"daemon", "token_file", "path",
                 "A file whose first line clients of TCP addresses must send as `authorization: Bearer <token>`."},
                kAt, &D::token_file),
      row<FlagOrAuto>(
          {"daemon", "http_proving", "`true`, `false` or `auto`",
           "Whether status_listen takes proofs too (`/v1`); auto: with a token, or where anyone who reaches "
           "it may use gRPC as well."},
          kAt, &D::http_proving),
      row<Size>({"daemon", "max_message_bytes", "size", "Largest message that is received."}, kAt,
                &D::max_message_bytes),
      row<Size>({"daemon", "max_c1_bytes", "size", "Largest C1 output of a PoRep."}, kAt, &D::max_c1_bytes),
      row<Size>({"daemon", "max_vanilla_bytes", "size", "Largest vanilla proof of a winning PoSt or of an update."},
                kAt, &D::max_vanilla_bytes),
      row<Size>({"daemon", "max_window_vanilla_bytes", "size", "Largest vanilla proof of a sector of a window PoSt."},
                kAt, &D::max_window_vanilla_bytes),
      row<Count<1, 65536>>({"daemon", "max_calls", "1 to 65536", "Calls that may wait at the same time."}, kAt,
                           &D::max_calls),
      row<Span>({"daemon", "orphan_grace", "span of time",
                 "How long a job that came by Prove goes on when its caller has left; 0: to its end.", Standing::used,
                 kReloads},
                kAt, &D::orphan_grace),
      row<Span>(
          {"daemon", "drain_timeout", "span of time",
           "How long a stop waits for open jobs; those that are left stay in the journal.", Standing::used, kReloads},
          kAt, &D::drain_timeout),
  };
}

std::vector<KeySpec> memory_keys() {
  using M = Config::Memory;
  constexpr auto kAt = &Config::memory;
  return {
      row<SizeOrAuto>({"memory", "total_budget", "`auto` or size",
                       "All memory of the service; auto: what the machine and its control group have, without "
                       "safety_margin."},
                      kAt, &M::total_budget),
      row<Size>({"memory", "safety_margin", "size", "What auto leaves to others."}, kAt, &M::safety_margin),
      row<Span>({"memory", "eviction_min_idle", "span of time",
                 "How long a key or circuit must have been idle before others may take its place."},
                kAt, &M::eviction_min_idle),
      row<SizeOrAuto>(
          {"memory", "pinned_limit", "`auto` or size", "Most memory to page-lock; auto: all of the budget."}, kAt,
          &M::pinned_limit),
      row<Size>({"memory", "critical_reserve", "size", "Part of the budget that only critical jobs may use."}, kAt,
                &M::critical_reserve),
      row<Size>({"memory", "max_payloads", "size",
                 "What requests that are open or being received hold, all together; at most an eighth of the budget, "
                 "from which it is set aside at the start."},
                kAt, &M::max_payloads),
      row<Flag>({"memory", "wipe_buffers", "true or false",
                 "Whether buffers of witness data are overwritten before they are used again."},
                kAt, &M::wipe_buffers),
      deprecated("memory", "pinned_budget", "the budget is one: memory.total_budget"),
      deprecated("memory", "working_memory_budget", "the budget is one: memory.total_budget"),
  };
}

std::vector<KeySpec> device_keys() {
  using G = Config::Gpus;
  constexpr auto kAt = &Config::gpus;
  return {
      row<DeviceList>({"gpus", "devices", "list of ordinals or UUIDs", "Which GPUs to use; empty: all."}, kAt,
                      &G::devices),
      row<Count<0, 4096>>({"gpus", "gpu_threads", "0 to 4096",
                           "All work of the processor shares the threads of synthesis.threads.", Standing::accepted},
                          kAt, &G::gpu_threads),
      row<Count<1, 64>>({"gpus", "gpu_workers_per_device", "1 to 64", "Partitions in flight on a device."}, kAt,
                        &G::gpu_workers_per_device),
      row<FallbackName>({"gpus", "cpu_fallback", "`never`, `foreseen` or `always`",
                         "Whether the processor proves what a GPU cannot (out of service, failed, too busy); foreseen: "
                         "where it is foreseen to meet the job's deadline, or to take seconds."},
                        kAt, &G::cpu_fallback),
      row<OnFailureName>({"gpus", "on_failure", "`auto`, `restart` or `continue`",
                          "What becomes of a GPU that only a new process can heal. restart: the service ends with "
                          "status 9, to be started again; with a journal, what only that GPU may prove waits there. "
                          "continue: it goes on without it. auto: restart under systemd."},
                         kAt, &G::on_failure),
  };
}

std::vector<KeySpec> work_keys() {
  using S = Config::Scheduler;
  using P = Config::Pipeline;
  constexpr auto kScheduler = &Config::scheduler;
  constexpr auto kPipeline = &Config::pipeline;
  return {
      row<Count<1, 1'000'000>>({"scheduler", "max_open_jobs", "1 to 1000000", "Jobs that are accepted and unfinished."},
                               kScheduler, &S::max_open_jobs),
      row<Count<1>>(
          {"scheduler", "max_batch_size", "integer", "Jobs are never joined in one circuit.", Standing::accepted},
          kScheduler, &S::max_batch_size),
      row<Count<0, std::numeric_limits<std::int64_t>::max()>>(
          {"scheduler", "max_batch_wait_ms", "milliseconds", "Jobs are never joined in one circuit.",
           Standing::accepted},
          kScheduler, &S::max_batch_wait_ms),
      row<Flag>({"scheduler", "sort_by_type", "true or false",
                 "Keys stay resident, so the order is by priority, deadline and age.", Standing::accepted},
                kScheduler, &S::sort_by_type),
      row<Count<0, 4096>>(
          {"synthesis", "threads", "0 to 4096", "Processor threads of witnesses and proofs; 0: all processors."},
          &Config::synthesis, &Config::Synthesis::threads),
      deprecated("synthesis", "partition_workers",
                 "the memory budget decides; the limit is "
                 "pipeline.max_parallel_synthesis"),
      row<Flag>({"pipeline", "enabled", "true or false", "There is one way of proving, and it is a pipeline.",
                 Standing::accepted},
                kPipeline, &P::enabled),
      row<Count<>>({"pipeline", "synthesis_lookahead", "integer", "The memory budget decides.", Standing::accepted},
                   kPipeline, &P::synthesis_lookahead),
      row<Count<>>(
          {"pipeline", "synthesis_concurrency", "integer", "Jobs that are decoded at the same time, at least."},
          kPipeline, &P::synthesis_concurrency),
      row<Count<>>({"pipeline", "max_parallel_synthesis", "integer",
                    "Witnesses that are generated at the same time, at most; 0: the default."},
                   kPipeline, &P::max_parallel_synthesis),
      row<Count<>>({"pipeline", "slot_size", "integer", "Partitions have no slots.", Standing::accepted}, kPipeline,
                   &P::slot_size),
      row<Count<>>({"pipeline", "max_gpu_queue_depth", "integer",
                    "Partitions that wait for a device with their witness, at most; 0: the default."},
                   kPipeline, &P::max_gpu_queue_depth),
  };
}

std::vector<KeySpec> key_keys() {
  using S = Config::Srs;
  constexpr auto kAt = &Config::srs;
  return {
      row<OptionalPath>({"srs", "param_cache", "path",
                         "Folder of the .params and .vk files; not set: $FIL_PROOFS_PARAMETER_CACHE, or "
                         "`/data/zk/params`."},
                        kAt, &S::param_cache),
      row<TextList>({"srs", "preload", "list of circuits",
                     "Circuits (\"porep-32g\") that are made resident at the start; ready means that they are.",
                     Standing::used, kReloads},
                    kAt, &S::preload),
      row<Path>({"srs", "circuit_cache", "path",
                 "Folder of compiled circuits; not set: $CACHE_DIRECTORY, or that of the keys."},
                kAt, &S::circuit_cache),
      circom_keys(),
  };
}

std::vector<KeySpec> record_keys() {
  using J = Config::Journal;
  using L = Config::Logging;
  return {
      row<Path>({"journal", "folder", "path",
                 "Folder of journal and payloads; not set: $STATE_DIRECTORY, or jobs end with the process."},
                &Config::journal, &J::folder),
      row<Span>({"journal", "result_age", "span of time", "How long results are kept."}, &Config::journal,
                &J::result_age),
      row<Count<1>>({"journal", "max_results", "integer", "How many results are kept."}, &Config::journal,
                    &J::max_results),
      row<Size>(
          {"journal", "max_spool_bytes", "size",
           "What payloads may take on the disk, those of jobs that ended within the last minute too; above it jobs "
           "are refused (RESOURCE_EXHAUSTED); 0: no limit."},
          &Config::journal, &J::max_spool_bytes),
      row<CheckedText<check_level>>({"logging", "level", "trace, debug, info, warn, error or off",
                                     "Least level that is written; CUZK_LOG goes before it.", Standing::used, kReloads},
                                    &Config::logging, &L::level),
      row<CheckedText<check_format>>(
          {"logging", "format", "`text` or `json`", "Form of a line.", Standing::used, kReloads}, &Config::logging,
          &L::format),
      row<Flag>({"logging", "timing", "true or false",
                 "Whether the phases of each partition that was proven are written as a timing record; CUZK_TIMING=1 "
                 "turns it on."},
                &Config::logging, &L::timing),
  };
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

/// How far `written` is from `known`; none where it is another word.
std::optional<std::size_t> nearness(std::string_view written, std::string_view known) {
  const std::size_t distance = edit_distance(written.substr(0, 64), known);
  if (distance > std::max<std::size_t>(2, known.size() / 3)) return std::nullopt;
  return distance;
}

std::string did_you_mean(std::string_view what) {
  return what.empty() ? "" : "; did you mean " + std::string(what) + "?";
}

std::string section_of(const SettingPath& path) {
  std::string section;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) section += (i == 0 ? "" : ".") + path[i];
  return section;
}

}  // namespace

std::span<const SectionSpec> config_sections() { return kSections; }

std::span<const KeySpec> config_keys() {
  static const std::vector<KeySpec> keys = [] {
    std::vector<KeySpec> all;
    for (auto part : {daemon_keys(), memory_keys(), device_keys(), work_keys(), key_keys(), record_keys()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return keys;
}

const KeySpec* find_key(const SettingPath& path) {
  const std::string section = section_of(path);
  for (const KeySpec& key : config_keys()) {
    if (key.section == section && (key.name == "*" || key.name == path.back())) return &key;
  }
  return nullptr;
}

std::string suggest_key(const SettingPath& path) {
  const std::string section = section_of(path);
  std::string best;
  std::size_t best_distance = std::numeric_limits<std::size_t>::max();
  for (const KeySpec& key : config_keys()) {
    if (key.name == "*") continue;
    const std::optional<std::size_t> name = nearness(path.back(), key.name);
    // The right key in the wrong section is nearer than another one in the right section, unless that one is nearly it.
    const std::size_t distance = name.value_or(0) * 2 + (key.section == section ? 0 : 3);
    if (name && distance < best_distance) {
      best = key.path();
      best_distance = distance;
    }
  }
  return did_you_mean(best);
}

std::string suggest_section(std::string_view name) {
  std::string_view best;
  std::size_t best_distance = std::numeric_limits<std::size_t>::max();
  for (const SectionSpec& section : config_sections()) {
    const std::optional<std::size_t> distance = nearness(name, section.name);
    if (distance && *distance < best_distance) {
      best = section.name;
      best_distance = *distance;
    }
  }
  return did_you_mean(best.empty() ? "" : "[" + std::string(best) + "]");
}

}  // namespace cuzk::server
