#include <algorithm>

#include "cli/commands.h"
#include "filecoin/params/key_check.h"

namespace cuzk::cli {
namespace {

using filecoin::KeyPart;

constexpr KeyPart kParts[] = {KeyPart::params, KeyPart::vk};

Result<std::vector<const filecoin::SectorShape*>> chosen_sizes(const KeysOptions& options) {
  std::vector<const filecoin::SectorShape*> shapes;
  for (const std::string& name : options.sector_sizes) {
    const filecoin::SectorShape* shape = filecoin::find_sector_shape(name);
    if (shape == nullptr) return fail(Code::invalid_argument, "no sector size " + name);
    shapes.push_back(shape);
  }
  if (shapes.empty()) shapes.push_back(filecoin::find_sector_shape("32GiB"));
  return shapes;
}

/// The circuits that the kinds and sizes need; a size without updates has none for snap, unless snap is asked for.
Result<std::vector<filecoin::Circuit>> chosen_circuits(const KeysOptions& options) {
  CUZK_TRY(const auto shapes, chosen_sizes(options));
  std::vector<filecoin::Circuit> circuits;
  for (const filecoin::SectorShape* shape : shapes) {
    for (const filecoin::ProofKind kind : filecoin::kProofKinds) {
      const std::string_view name = filecoin::name_of(kind);
      const bool wanted =
          options.kinds.empty() || std::find(options.kinds.begin(), options.kinds.end(), name) != options.kinds.end();
      if (!wanted) continue;
      const filecoin::Circuit circuit{kind, shape};
      if (filecoin::find_circuit(circuit.id())) {
        circuits.push_back(circuit);
      } else if (!options.kinds.empty()) {
        return fail(Code::invalid_argument,
                    "sectors of " + std::string(shape->name) + " have no proofs of kind " + std::string(name));
      }
    }
  }
  return circuits;
}

std::string file_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

struct Line {
  const filecoin::Circuit& circuit;
  const filecoin::KeyExpectation& expected;
  const filecoin::KeyVerdict* verdict;  // null: not looked at
};

std::string_view state_of(const filecoin::KeyVerdict& verdict) {
  if (verdict.fault) return verdict.missing ? "missing" : "wrong";
  return verdict.development ? "development" : "sound";
}

std::string text_of(const Line& line) {
  std::string text = line.circuit.id();
  text.append(text.size() < 13 ? 13 - text.size() : 1, ' ');
  text += file_name(line.expected.path);
  if (line.expected.bytes != 0) text += "  " + human_bytes(line.expected.bytes);
  if (!line.expected.digest.empty()) text += "  " + line.expected.digest;
  if (line.verdict == nullptr) return text;
  text += "  " + std::string(state_of(*line.verdict));
  if (line.verdict->fault && !line.verdict->missing) {
    text += ": " + line.verdict->fault->to_string();
  }
  return text;
}

void string_or_null(JsonWriter& json, std::string_view key, std::string_view text) {
  json.key(key);
  text.empty() ? json.null() : json.string(text);
}

void write_line(JsonWriter& json, const Line& line) {
  json.begin_object();
  json.key("circuit").string(line.circuit.id());
  json.key("file").string(line.expected.path);
  json.key("expected_bytes");
  line.expected.bytes == 0 ? json.null() : json.integer(line.expected.bytes);
  string_or_null(json, "expected_digest", line.expected.digest);
  if (line.verdict != nullptr) {
    json.key("state").string(state_of(*line.verdict));
    json.key("bytes").integer(line.verdict->bytes);
    string_or_null(json, "digest", line.verdict->digest);
    json.key("development_key").boolean(line.verdict->development);
    json.key("error");
    line.verdict->fault ? write_error(json, *line.verdict->fault) : static_cast<void>(json.null());
  }
  json.end_object();
}

/// Counts of what was found.
struct Tally {
  std::size_t files = 0, missing = 0, wrong = 0, development = 0;

  void add(const filecoin::KeyVerdict& verdict) {
    ++files;
    if (verdict.fault) {
      ++(verdict.missing ? missing : wrong);
    } else if (verdict.development) {
      ++development;
    }
  }
  Status status(bool allow_development) const {
    std::string faults;
    const auto tell = [&](std::size_t count, std::string_view what) {
      if (count != 0) faults += (faults.empty() ? "" : ", ") + std::to_string(count) + " " + std::string(what);
    };
    tell(missing, "missing");
    tell(wrong, "wrong");
    if (!allow_development) tell(development, "of a development key (--allow-development accepts them)");
    if (faults.empty()) return {};
    return fail(wrong == 0 && missing != 0 ? Code::not_found : Code::malformed,
                "of " + std::to_string(files) + " key files: " + faults);
  }
};

}  // namespace

Status keys(const KeysOptions& options, Arena& arena, Report& report) {
  CUZK_TRY(const auto circuits, chosen_circuits(options));
  const std::string folder = options.params.empty() ? filecoin::default_key_folder() : options.params;
  report.say("keys in " + folder);
  JsonWriter json;
  json.begin_object().key("folder").string(folder).key("files").begin_array();
  Tally tally;
  for (const filecoin::Circuit& circuit : circuits) {
    for (const KeyPart part : kParts) {
      const filecoin::KeyExpectation expected = filecoin::expected_key(circuit, part, folder);
      std::optional<filecoin::KeyVerdict> verdict;
      if (options.check) {
        verdict = filecoin::check_key_file(arena, circuit, part, folder,
                                           {.digests = options.digests, .points = options.points}, report.progress());
        tally.add(*verdict);
      }
      const Line line{circuit, expected, verdict ? &*verdict : nullptr};
      report.say(text_of(line));
      write_line(json, line);
    }
  }
  Status status = tally.status(options.allow_development);
  json.end_array();
  if (options.check) json.key("sound").boolean(status.has_value());
  json.end_object();
  report.result(std::move(json));
  return status;
}

}  // namespace cuzk::cli
