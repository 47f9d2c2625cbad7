#include "groth16/batch_verifier.h"

#include <algorithm>

#include "msm/msm.h"

namespace cuzk::groth16 {

namespace {

constexpr std::size_t kPairsPerMillerLoop = 8;  // shares the squarings; a few ms
constexpr std::size_t kInputsPerChunk = 1024;

/// Positions of proofs in the batch.
using Indices = std::span<const std::size_t>;

template <class C> class Batch {
 public:
  Batch(Arena& arena, const PreparedVerifyingKey<C>& key, std::span<const BatchItem<C>> items, RandomSource random)
      : arena_(arena), key_(key), items_(items), random_(random) {}

  Result<std::vector<Refusal>> run() {
    std::vector<std::size_t> candidates;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      Status sound = check_statement(key_, items_[i].public_inputs, items_[i].proof);
      if (sound) {
        candidates.push_back(i);
      } else {
        refusals_.push_back({i, std::move(sound).error()});
      }
    }
    if (!candidates.empty()) CUZK_CHECK_OK(search(candidates));
    std::sort(refusals_.begin(), refusals_.end(), [](const auto& x, const auto& y) { return x.index < y.index; });
    return std::move(refusals_);
  }

 private:
  using Fr = typename C::Fr;
  using G1Affine = typename C::G1Affine;

  /// Adds the wrong proofs among `part` to the refusals.
  Status search(Indices part) {
    if (part.size() == 1) {
      const BatchItem<C>& item = items_[part[0]];
      if (Status verdict = verify(arena_, key_, item.public_inputs, item.proof); !verdict) {
        refusals_.push_back({part[0], std::move(verdict).error()});
      }
      return {};
    }
    CUZK_TRY(const bool all_verify, combination_holds(part));
    if (all_verify) return {};
    CUZK_CHECK_OK(search(part.first(part.size() / 2)));
    return search(part.subspan(part.size() / 2));
  }

  Result<bool> combination_holds(Indices part) {
    std::vector<U256> coefficients(part.size());
    for (U256& z : coefficients) {
      z = {};
      CUZK_CHECK_OK(random_(std::as_writable_bytes(std::span(z.limb).first(2))));
    }
    const std::vector<U256> input_scalars = combined_inputs(part, coefficients);
    const std::array<G1Affine, 2> g1 = {msm_g1<C>(arena_, input_scalars, key_.ic()).to_affine(),
                                        combined_c(part, coefficients)};
    const std::array<G2Prepared<C>, 2> g2 = {key_.minus_gamma(), key_.minus_delta()};
    const Fq12<C> f = miller_loop<C>(g1, g2) * combined_a_b(part, coefficients);
    return final_exponentiation(f) == gt_power<C>(key_.alpha_beta(), input_scalars[0]);
  }

  /// sum_i z_i public_i, public_i beginning with ONE.
  std::vector<U256> combined_inputs(Indices part, std::span<const U256> coefficients) {
    std::vector<Fr> z(part.size());
    Fr total = Fr::zero();
    for (std::size_t i = 0; i < part.size(); ++i) {
      z[i] = Fr::from_canonical(coefficients[i]);
      total += z[i];
    }
    std::vector<U256> sums(key_.num_public() + 1);
    sums[0] = total.canonical();
    parallel_for(arena_, 1, sums.size(), kInputsPerChunk, [&](std::size_t begin, std::size_t end) {
      for (std::size_t input = begin; input < end; ++input) {
        // z R times a canonical value is canonical.
        Fr sum = Fr::zero();
        for (std::size_t i = 0; i < part.size(); ++i) {
          sum += z[i] * Fr::from_montgomery(items_[part[i]].public_inputs[input - 1]);
        }
        sums[input] = sum.montgomery();
      }
    });
    return sums;
  }

  /// sum_i z_i C_i.
  G1Affine combined_c(Indices part, std::span<const U256> coefficients) {
    std::vector<G1Affine> points(part.size());
    for (std::size_t i = 0; i < part.size(); ++i) points[i] = items_[part[i]].proof.c;
    return msm_g1<C>(arena_, coefficients, std::span<const G1Affine>(points)).to_affine();
  }

  /// prod_i e(z_i A_i, B_i) before the final exponentiation.
  Fq12<C> combined_a_b(Indices part, std::span<const U256> coefficients) {
    const std::size_t loops = (part.size() + kPairsPerMillerLoop - 1) / kPairsPerMillerLoop;
    std::vector<Fq12<C>> factors(loops);
    parallel_tasks(arena_, loops, [&](std::size_t loop) {
      const std::size_t first = loop * kPairsPerMillerLoop;
      const std::size_t count = std::min(kPairsPerMillerLoop, part.size() - first);
      factors[loop] = scaled_miller_loop(part.subspan(first, count), coefficients.subspan(first, count));
    });
    Fq12<C> product = factors[0];
    for (std::size_t i = 1; i < loops; ++i) product *= factors[i];
    return product;
  }

  Fq12<C> scaled_miller_loop(Indices part, std::span<const U256> coefficients) {
    using G1 = typename C::G1;
    std::vector<G1> scaled;
    std::vector<G2Prepared<C>> b;
    for (std::size_t i = 0; i < part.size(); ++i) {
      const Proof<C>& proof = items_[part[i]].proof;
      scaled.push_back(G1::from_affine(proof.a).times(coefficients[i]));
      b.emplace_back(proof.b);
    }
    std::vector<G1Affine> a(scaled.size());
    to_affine_n(std::span<const G1>(scaled), std::span(a));
    return miller_loop<C>(a, b);
  }

  Arena& arena_;
  const PreparedVerifyingKey<C>& key_;
  std::span<const BatchItem<C>> items_;
  RandomSource random_;
  std::vector<Refusal> refusals_;
};

}  // namespace

template <class C>
Result<std::vector<Refusal>> batch_verify(Arena& arena, const PreparedVerifyingKey<C>& key,
                                          std::span<const BatchItem<C>> items, RandomSource random) {
  return Batch<C>(arena, key, items, random).run();
}

template Result<std::vector<Refusal>> batch_verify(Arena&, const PreparedVerifyingKey<Bn254>&,
                                                   std::span<const BatchItem<Bn254>>, RandomSource);
template Result<std::vector<Refusal>> batch_verify(Arena&, const PreparedVerifyingKey<Bls12_381>&,
                                                   std::span<const BatchItem<Bls12_381>>, RandomSource);

}  // namespace cuzk::groth16
