#include <map>

#include "engine/filecoin_jobs.h"
#include "engine/groth_circuit.h"
#include "filecoin/params/proving_key.h"
#include "formats/bellperson_proof.h"
#include "support/log.h"
#include "support/mutex.h"

namespace cuzk::engine {

namespace {

using Curve = Bls12_381;
using Proof = groth16::Proof<Curve>;

struct Resident final : GrothResident<Curve> {
  filecoin::CompiledCircuit of_filecoin;
};

class FilecoinCircuit final : public GrothCircuit<Curve> {
 public:
  FilecoinCircuit(Arena& arena, const filecoin::Circuit& circuit, filecoin::ProvingKey key, std::string folder)
      : GrothCircuit(arena, circuit.id(), key.params.view()),
        circuit_(circuit),
        key_(std::move(key)),
        folder_(std::move(folder)) {}

  Result<std::shared_ptr<const ResidentCircuit>> load_circuit(const Device& device,
                                                              const StopToken& stop) const override {
    CUZK_CHECK_OK(check_stop(stop, "loading a circuit"));
    auto resident = std::make_shared<Resident>();
    CUZK_TRY(resident->of_filecoin, filecoin::compiled_circuit(circuit_, folder_, {}, stop));
    resident->compiled = resident->of_filecoin.matrices;
    CUZK_TRY(resident->circuit, device.bls12_381->load_circuit(resident->compiled, stop));
    return resident;
  }

  Result<std::shared_ptr<const ResidentKey>> load_key(const Device& device, const StopToken& stop) const override {
    CUZK_TRY(auto key, device.bls12_381->load_key(key_.params.view(), stop));
    return std::make_shared<const GrothKey<Curve>>(std::move(key));
  }

  Status check_fit(const ResidentKey&, const ResidentCircuit& circuit) const override {
    return filecoin::check_key_fits(key_.params, circuit_, static_cast<const Resident&>(circuit).of_filecoin);
  }

  std::vector<std::byte> record(Bytes proof, std::span<const U256>) const override {
    return {proof.begin(), proof.end()};
  }
  Result<std::vector<std::byte>> assemble(std::span<const Bytes> records) const override {
    std::vector<std::byte> all;
    for (const Bytes record : records) all.insert(all.end(), record.begin(), record.end());
    return all;
  }

 private:
  std::vector<std::byte> encode(const Proof& proof) const override { return formats::write_bellperson_proof(proof); }
  Result<Proof> decode(Bytes proof) const override { return formats::read_bellperson_proof(proof); }

  const filecoin::Circuit circuit_;
  const filecoin::ProvingKey key_;
  const std::string folder_;
};

class FilecoinCatalogue final : public Catalogue {
 public:
  FilecoinCatalogue(Arena& arena, FilecoinCatalogueOptions options) : arena_(arena), options_(std::move(options)) {}

  Result<std::shared_ptr<const ProvingCircuit>> find(std::string_view id) const override {
    CUZK_TRY(const auto circuit, filecoin::find_circuit(id));
    const std::shared_ptr<Place> place = place_of(id);
    const MutexLock lock(place->mutex);  // a key that is being opened keeps nobody from another
    if (place->circuit == nullptr) {
      CUZK_TRY(place->circuit, open(circuit));
    }
    return place->circuit;
  }

 private:
  struct Place {
    Mutex mutex;
    std::shared_ptr<const ProvingCircuit> circuit CUZK_GUARDED_BY(mutex);  // null: not opened yet
  };

  std::shared_ptr<Place> place_of(std::string_view id) const {
    const MutexLock lock(mutex_);
    auto known = places_.find(id);
    if (known == places_.end()) known = places_.emplace(std::string(id), std::make_shared<Place>()).first;
    return known->second;
  }

  Result<std::shared_ptr<const ProvingCircuit>> open(const filecoin::Circuit& circuit) const {
    CUZK_TRY(auto key, filecoin::open_proving_key(arena_, circuit, options_.params));
    if (key.development) {
      log_warn(key.params.source().path() + " is a development key: its proofs prove nothing to others");
    } else {
      CUZK_CHECK_OK(groth16::check_ceremony(key.params.view().vk));
    }
    return std::make_shared<const FilecoinCircuit>(arena_, circuit, std::move(key), options_.circuits);
  }

  Arena& arena_;
  const FilecoinCatalogueOptions options_;
  mutable Mutex mutex_;
  mutable std::map<std::string, std::shared_ptr<Place>, std::less<>> places_ CUZK_GUARDED_BY(mutex_);
};

}  // namespace

std::unique_ptr<Catalogue> filecoin_catalogue(Arena& arena, FilecoinCatalogueOptions options) {
  return std::make_unique<FilecoinCatalogue>(arena, std::move(options));
}

}  // namespace cuzk::engine
