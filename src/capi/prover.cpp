#include "capi/prover.h"

#include "backend/cpu/cpu_backend.h"
#include "backend/prover.h"
#include "formats/wtns_file.h"
#include "formats/zkey_file.h"
#include "groth16/verifier.h"

namespace cuzk::capi {
namespace {

template <class C> class ProverOn final : public Prover {
 public:
  static Result<std::unique_ptr<const Prover>> open(formats::KeySource source, const ProverOptions& options) {
    auto arena = std::make_unique<Arena>(options.threads);
    CUZK_TRY(const auto zkey, formats::ZkeyFile<C>::open(*arena, std::move(source)));
    if (!options.allow_insecure_key) CUZK_CHECK_OK(groth16::check_ceremony(zkey.view().vk));
    if (options.check_points) CUZK_CHECK_OK(zkey.check_points(*arena));
    auto backend = std::make_unique<backend::CpuBackend<C>>(*arena);
    CUZK_TRY(auto key, backend->load_key(zkey.view()));
    return std::unique_ptr<const Prover>(new ProverOn(std::move(arena), std::move(backend), std::move(key)));
  }

  Result<ProvedJson> prove(Bytes wtns, formats::JsonForm form) const override {
    CUZK_TRY(auto values, formats::read_wtns<C>(wtns));
    const auto witness = std::make_shared<const r1cs::Witness>(std::move(values));
    CUZK_TRY(auto blinding, backend::Blinding<C>::random());
    const backend::ProvingContext<C> context{
        .key = key_, .circuit = nullptr, .verifying_key = verifying_key_, .compiled = nullptr};
    CUZK_TRY(const auto proof,
             backend::prove_verified<C>(
                 *arena_, *backend_, context,
                 {.witness = witness, .blinding = std::move(blinding), .stop = {}, .progress = nullptr}));
    return ProvedJson{formats::write_proof_json(proof, form),
                      formats::write_public_json(witness->public_inputs(num_public()), form)};
  }

  std::string verification_key_json() const override { return formats::write_verification_key_json(key_->vk()); }
  CurveId curve() const noexcept override { return C::id; }
  std::size_t num_public() const noexcept override { return key_->vk().num_public(); }
  std::size_t num_variables() const noexcept override { return key_->num_variables(); }

 private:
  ProverOn(std::unique_ptr<Arena> arena, std::unique_ptr<backend::CpuBackend<C>> backend,
           std::shared_ptr<const backend::Key<C>> key)
      : arena_(std::move(arena)), backend_(std::move(backend)), key_(std::move(key)), verifying_key_(key_->vk()) {}

  std::unique_ptr<Arena> arena_;
  std::unique_ptr<backend::CpuBackend<C>> backend_;
  std::shared_ptr<const backend::Key<C>> key_;
  groth16::PreparedVerifyingKey<C> verifying_key_;
};

template <class C> Status verify_on(std::string_view vkey, std::string_view public_inputs, std::string_view proof) {
  Arena arena(1);  // milliseconds of work: threads would cost more than they save
  CUZK_TRY(const auto key, formats::read_verification_key_json<C>(arena, vkey));
  CUZK_CHECK_OK(groth16::check_ceremony(key));
  CUZK_TRY(const auto values, formats::read_public_json<C>(public_inputs, key.num_public()));
  CUZK_TRY(const auto parsed, formats::read_proof_json<C>(proof));
  return groth16::verify(arena, groth16::PreparedVerifyingKey<C>(key), values, parsed);
}

Result<std::unique_ptr<const Prover>> open_any(formats::KeySource source, const ProverOptions& options) {
  CUZK_TRY(const auto header, formats::read_zkey_header(source.bytes()));
  return with_curve(header.curve, [&]<class C>() { return ProverOn<C>::open(std::move(source), options); });
}

}  // namespace

Result<std::unique_ptr<const Prover>> Prover::open(formats::KeySource source, const ProverOptions& options) {
  const std::string path = source.path();
  auto opened = open_any(std::move(source), options);
  if (!opened && !path.empty()) return fail(std::move(opened).error().in_file(path));
  return opened;
}

Result<std::uint64_t> num_public_of(const formats::KeySource& source) {
  auto header = formats::read_zkey_header(source.bytes());
  if (header) return header->num_public;
  Error error = std::move(header).error();
  return fail(source.path().empty() ? std::move(error) : std::move(error).in_file(source.path()));
}

Status verify_json(std::string_view vkey, std::string_view public_inputs, std::string_view proof) {
  CUZK_TRY(const auto curve, formats::json_curve(vkey));
  return with_curve(curve.value_or(CurveId::bn254),
                    [&]<class C>() { return verify_on<C>(vkey, public_inputs, proof); });
}

}  // namespace cuzk::capi
