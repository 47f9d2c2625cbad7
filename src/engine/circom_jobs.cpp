#include "engine/circom_jobs.h"

#include "engine/groth_circuit.h"
#include "filecoin/registry.h"
#include "formats/snarkjs_json.h"
#include "formats/wtns_file.h"
#include "formats/zkey_file.h"
#include "support/log.h"

namespace cuzk::engine {

namespace {

constexpr std::string_view kProofMember = "{\"proof\":";
constexpr std::string_view kPublicMember = ",\"public\":";

std::vector<std::byte> bytes_of(std::string_view text) {
  const Bytes bytes = text_bytes(text);
  return {bytes.begin(), bytes.end()};
}

class CircomStatement final : public Statement {
 public:
  CircomStatement(std::string key, Payload wtns, const formats::WtnsHeader& header)
      : key_(std::move(key)), wtns_(std::move(wtns)), header_(header) {}

  const std::string& circuit() const noexcept override { return key_; }
  std::uint32_t partitions() const noexcept override { return 1; }
  bool brings_witness() const noexcept override { return true; }
  std::optional<std::vector<U256>> public_inputs(std::uint32_t) const override { return std::nullopt; }
  Result<r1cs::Witness> witness(Arena&, std::uint32_t, const StopToken& stop) const override {
    CUZK_CHECK_OK(check_stop(stop, "reading a witness"));
    return with_curve(header_.curve, [&]<class C>() { return formats::read_wtns<C>(wtns_.bytes); });
  }

  const formats::WtnsHeader& header() const noexcept { return header_; }

 private:
  const std::string key_;
  const Payload wtns_;
  const formats::WtnsHeader header_;
};

class CircomKind final : public JobKind {
 public:
  const std::string& name() const noexcept override { return name_; }
  memory::Priority default_priority() const noexcept override { return memory::Priority::normal; }
  bool may_want_circuit() const noexcept override { return false; }  // the configuration says which there are
  std::uint64_t statement_bytes(std::uint64_t) const noexcept override { return 0; }  // it points into its payload
  Result<std::shared_ptr<const Statement>> read(const JobContent& content, const Reading& reading) const override {
    if (content.payloads.size() != 1) return fail(Code::malformed, Kind::bad_count, "a circom job has one witness");
    CUZK_TRY(const auto header, formats::read_wtns_header(content.payloads[0].bytes));
    reading.decoded();
    return std::make_shared<const CircomStatement>(content.circuit, content.payloads[0], header);
  }

 private:
  const std::string name_{kCircomKind};
};

/// The key carries the matrices, so no circuit is loaded beside it.
template <class C> class ZkeyCircuit final : public GrothCircuit<C> {
  using Proof = groth16::Proof<C>;

 public:
  ZkeyCircuit(Arena& arena, std::string id, formats::ZkeyFile<C> file)
      : GrothCircuit<C>(arena, std::move(id), file.view()), file_(std::move(file)) {}

  Status check_statement(const Statement& statement) const override {
    const auto* circom = dynamic_cast<const CircomStatement*>(&statement);
    if (circom == nullptr) return {};
    if (circom->header().curve != C::id) {
      return fail(
          Code::malformed, Kind::curve_mismatch,
          "a witness over " + std::string(name(circom->header().curve)) + " for a key over " + std::string(C::name));
    }
    if (circom->header().num_wires == file_.view().num_variables) return {};
    return fail(Code::malformed, Kind::witness_length_mismatch,
                "the witness has " + std::to_string(circom->header().num_wires) + " values, the key " +
                    std::to_string(file_.view().num_variables) + " variables");
  }

  Result<std::shared_ptr<const ResidentCircuit>> load_circuit(const Device&, const StopToken&) const override {
    return std::make_shared<const GrothResident<C>>();
  }
  Result<std::shared_ptr<const ResidentKey>> load_key(const Device& device, const StopToken& stop) const override {
    CUZK_TRY(auto key, device.backend<C>()->load_key(file_.view(), stop));
    return std::make_shared<const GrothKey<C>>(std::move(key));
  }
  Status check_fit(const ResidentKey&, const ResidentCircuit&) const override { return {}; }

  std::vector<std::byte> record(Bytes proof, std::span<const U256> public_inputs) const override {
    return bytes_of(std::string(kProofMember) + std::string(bytes_text(proof)) + std::string(kPublicMember) +
                    formats::write_public_json(public_inputs) + "}");
  }
  Result<std::vector<std::byte>> assemble(std::span<const Bytes> records) const override {
    return std::vector<std::byte>(records[0].begin(), records[0].end());
  }

 private:
  std::vector<std::byte> encode(const Proof& proof) const override {
    return bytes_of(formats::write_proof_json<C>(proof));
  }
  Result<Proof> decode(Bytes proof) const override { return formats::read_proof_json<C>(bytes_text(proof)); }

  const formats::ZkeyFile<C> file_;
};

class CircomCatalogue final : public Catalogue {
 public:
  explicit CircomCatalogue(RegisteredCircuits circuits) : circuits_(std::move(circuits)) {}

  Result<std::shared_ptr<const ProvingCircuit>> find(std::string_view id) const override {
    return find_registered(circuits_, id);
  }

 private:
  const RegisteredCircuits circuits_;
};

class JoinedCatalogue final : public Catalogue {
 public:
  JoinedCatalogue(const Catalogue& filecoin, const Catalogue& circom) : filecoin_(filecoin), circom_(circom) {}

  Result<std::shared_ptr<const ProvingCircuit>> find(std::string_view id) const override {
    auto found = filecoin_.find(id);
    if (found || found.error().code() != Code::not_found) return found;
    auto other = circom_.find(id);
    if (other || other.error().code() != Code::not_found) return other;
    if (filecoin::find_circuit(id)) return found;  // its key is missing; no circom circuit is meant
    return fail(Code::not_found, other.error().explanation() + "; " + found.error().explanation());
  }

 private:
  const Catalogue& filecoin_;
  const Catalogue& circom_;
};

template <class C>
Result<std::shared_ptr<const ProvingCircuit>> open_key(Arena& arena, const std::string& id, const std::string& path) {
  CUZK_TRY(auto file, formats::ZkeyFile<C>::open(arena, path));
  if (file.is_development()) log_warn(path + " is a development key: its proofs prove nothing to others");
  return std::make_shared<const ZkeyCircuit<C>>(arena, id, std::move(file));
}

Result<std::shared_ptr<const ProvingCircuit>> open_circuit(Arena& arena, const std::string& id,
                                                           const std::string& path) {
  CUZK_TRY(const auto file, MappedFile::open(path));
  auto header = formats::read_zkey_header(file.bytes());
  if (!header) return fail(std::move(header).error().in_file(path));
  return with_curve(header->curve, [&]<class C>() { return open_key<C>(arena, id, path); });
}

}  // namespace

Result<JobContent> circom_content(std::string key, Payload wtns) {
  if (key.empty()) return fail(Code::invalid_argument, "a circom job names its key");
  JobContent content;
  content.kind = kCircomKind;
  content.circuit = std::move(key);
  content.payloads.push_back(std::move(wtns));
  return content;
}

std::shared_ptr<const JobKind> circom_kind() { return std::make_shared<const CircomKind>(); }

Result<std::shared_ptr<const ProvingCircuit>> find_registered(const RegisteredCircuits& circuits, std::string_view id) {
  if (const auto known = circuits.find(id); known != circuits.end()) return known->second;
  constexpr std::size_t kNamed = 20;
  std::string message = "no registered key " + std::string(id);
  std::size_t named = 0;
  for (const auto& [other, circuit] : circuits) {
    if (named == kNamed) break;
    message += (named++ == 0 ? "; there are " : ", ") + other;
  }
  if (circuits.size() > named) message += " and " + std::to_string(circuits.size() - named) + " more";
  return fail(Code::not_found, message + "; [circom.keys] of the service's configuration registers keys");
}

Result<std::unique_ptr<Catalogue>> circom_catalogue(Arena& arena, const std::map<std::string, std::string>& files) {
  RegisteredCircuits circuits;
  for (const auto& [id, path] : files) {
    auto circuit = open_circuit(arena, id, path);
    if (!circuit) return fail(std::move(circuit).error().context("circom.keys." + id));
    circuits[id] = *std::move(circuit);
  }
  return std::make_unique<CircomCatalogue>(std::move(circuits));
}

std::unique_ptr<Catalogue> joined_catalogue(const Catalogue& filecoin, const Catalogue& circom) {
  return std::make_unique<JoinedCatalogue>(filecoin, circom);
}

Result<CircomResult> split_circom_result(Bytes result) {
  const std::string_view text = bytes_text(result);
  const std::size_t middle = text.rfind(kPublicMember);
  if (!text.starts_with(kProofMember) || middle == std::string_view::npos || !text.ends_with('}')) {
    return fail(Code::malformed, Kind::bad_json, "not the result of a circom job");
  }
  const std::size_t begin = kProofMember.size();
  const std::size_t inputs = middle + kPublicMember.size();
  return CircomResult{std::string(text.substr(begin, middle - begin)),
                      std::string(text.substr(inputs, text.size() - 1 - inputs))};
}

}  // namespace cuzk::engine
