#include "hash/poseidon.h"

#include <array>
#include <utility>

#include "field/dot_product.h"
#include "field/fp_batch.h"
#include "hash/poseidon_plan.h"

namespace cuzk::hash {

namespace {

constexpr unsigned kHalf = PoseidonConstants::kHalfFullRounds;

/// Copies limb by limb: g++ would load 16 bytes at a time, which waits for limbs that were just stored as 8 bytes each
/// to leave the store buffer (measured: a partial round 150 -> 220 ns).
template <class F> void copy_limbs(F& to, const F& from) noexcept {
  typename F::Repr limbs;
  for (std::size_t i = 0; i < F::limbs; ++i) {
    limbs.limb[i] = from.montgomery().limb[i];
    __asm__("" : "+r"(limbs.limb[i]));
  }
  to = F::from_montgomery(limbs);
}

/// Takes the values that the circuit's variables hold, or nothing.
template <class F> struct Trace {
  F* at;

  F* skip(std::size_t count) noexcept { return std::exchange(at, at + count); }
  static void set(F* variables, std::size_t i, const F& value) noexcept { copy_limbs(variables[i], value); }
};
template <class F> struct NoTrace {
  F* skip(std::size_t) noexcept { return nullptr; }
  static void set(F*, std::size_t, const F&) noexcept {}
};

/// The fast form (poseidon_plan.h).
template <unsigned kArity, class F, class Sink> class Permutation {
 public:
  Permutation(const PoseidonPlan& plan, Sink sink) noexcept
      : plan_(plan), next_key_(elements(plan.keys)), unscale_(std::bit_cast<F>(plan.unscale)), sink_(sink) {}

  F hash(std::span<const F> inputs) noexcept {
    first_round(inputs);
    for (unsigned i = 2; i < kHalf; ++i) {
      full_s_boxes();
      mix();
    }
    full_s_boxes();
    partial_rounds();
    for (unsigned i = 1; i < kHalf; ++i) {
      full_s_boxes();
      mix();
    }
    return last_round();
  }

 private:
  static constexpr unsigned kWidth = kArity + 1;
  static constexpr unsigned kOrder = kArity;

  static const F* elements(const std::vector<Fr>& values) noexcept { return reinterpret_cast<const F*>(values.data()); }

  /// x_i = x_i^5 + key_i for several: step by step, since a product's latency is longer than its turn. The circuit has
  /// variables for x (unless kFirst: there it is an input and a constant), x^2, x^4 and the result.
  template <bool kFirst> void s_boxes(std::span<F, kFirst ? kArity : kWidth> x, const F* keys) noexcept {
    constexpr std::size_t kVariables = kFirst ? 3 : 4;
    constexpr std::size_t kCount = kFirst ? kArity : kWidth;
    std::array<F, kCount> x2, x4;
    F* const variables = sink_.skip(kCount * kVariables);
    for (std::size_t i = 0; i < kCount; ++i) x2[i] = F::sqr(x[i]);
    for (std::size_t i = 0; i < kCount; ++i) x4[i] = F::sqr(x2[i]);
    for (std::size_t i = 0; i < kCount; ++i) {
      const F x5 = F::mul(x4[i], x[i]) + keys[i];
      const std::size_t end = (i + 1) * kVariables;
      if constexpr (!kFirst) sink_.set(variables, end - 4, x[i]);
      sink_.set(variables, end - 3, x2[i]);
      sink_.set(variables, end - 2, x4[i]);
      sink_.set(variables, end - 1, x5);
      x[i] = x5;
    }
  }
  void full_s_boxes() noexcept {
    s_boxes<false>(state_, next_key_);
    next_key_ += kWidth;
  }
  void first_round(std::span<const F> inputs) noexcept {
    const F* before = elements(plan_.first_keys);
    state_[0] = std::bit_cast<F>(plan_.first_element);
    for (unsigned i = 0; i < kArity; ++i) state_[i + 1] = inputs[i] + before[i];
    s_boxes<true>(std::span(state_).template subspan<1>(), next_key_);
    next_key_ += kArity;
    mix();
  }
  F last_round() noexcept {
    static constexpr std::array<F, kWidth> kNoKeys{};
    s_boxes<false>(state_, kNoKeys.data());
    const F result = mixed(1);
    sink_.set(sink_.skip(1), 0, result);
    return result;
  }

  F mixed(unsigned j) const noexcept {
    return F::mul(dot_product_small<kWidth>(state_.data(), plan_.small_mds.data() + j), unscale_);
  }
  void mix() noexcept {
    std::array<F, kWidth> result;
    for (unsigned j = 0; j < kWidth; ++j) result[j] = mixed(j);
    state_ = result;
  }

  /// From the state before the last mixing of the full rounds to the one after the last partial round.
  void partial_rounds() noexcept {
    struct Round {
      F n, y;
    };
    std::array<Round, kOrder + kMaxPoseidonPartialRounds + 1> history;
    F* const begin = &history[0].n;
    history[0].y = F::zero();
    for (unsigned i = 0; i < kOrder; ++i) {
      history[i + 1].n = dot_product<kWidth>(state_.data(), elements(plan_.entry) + i * kWidth);
      history[i + 1].y = F::zero();
    }
    // Round k is history[kOrder + k]; the n of round 0 that the recurrence sees is not the one that its S-box takes.
    const F first = mixed(0);
    const F* n = &first;
    const F* const coefficients = elements(plan_.recurrence);
    for (unsigned k = 0; k < plan_.partial_rounds; ++k) {
      Round& round = history[kOrder + k];
      const F x2 = F::sqr(*n);
      const F rest = dot_product<2 * kOrder>(begin + 2 * k + 1, coefficients);  // all that does not wait for y
      const F x4 = F::sqr(x2);
      round.y = F::mul(x4, *n) + *next_key_++;
      F* const variables = sink_.skip(4);
      sink_.set(variables, 0, *n);
      sink_.set(variables, 1, x2);
      sink_.set(variables, 2, x4);
      sink_.set(variables, 3, round.y);
      F& next = history[kOrder + k + 1].n;
      next = rest + F::mul(round.y, coefficients[2 * kOrder]);
      n = &next;
    }
    copy_limbs(state_[0], *n);
    const F* const last = begin + 2 * plan_.partial_rounds + 1;
    for (unsigned i = 0; i < kOrder; ++i)
      state_[i + 1] = dot_product<2 * kOrder>(last, elements(plan_.exit) + i * 2 * kOrder);
  }

  const PoseidonPlan& plan_;
  const F* next_key_;
  F unscale_;
  Sink sink_;
  std::array<F, kWidth> state_;
};

/// Calls f.template operator()<arity>().
template <class F> decltype(auto) with_arity(unsigned arity, F&& f) noexcept {
  switch (arity) {
    case 2:
      return f.template operator()<2>();
    case 4:
      return f.template operator()<4>();
    case 8:
      return f.template operator()<8>();
    default:
      return f.template operator()<kMaxPoseidonArity>();
  }
}

/// Of canonical values.
template <class F> std::array<F, kMaxPoseidonArity> to_elements(std::span<const U256> inputs) noexcept {
  std::array<F, kMaxPoseidonArity> elements;
  for (std::size_t i = 0; i < inputs.size(); ++i) elements[i] = F::from_canonical(inputs[i]);
  return elements;
}

/// Calls run(permutation, inputs) for the arithmetic of this machine.
template <class Input, class MakeSink, class Result>
auto permute(PoseidonKind kind, std::span<const Input> inputs, MakeSink make_sink, Result result) noexcept {
  const PoseidonPlan& plan = poseidon_plan(kind);
  CUZK_ASSERT(inputs.size() == plan.arity);
  return with_isa([&]<class Isa>() {
    using F = rebind_isa<Fr, Isa>;
    return with_arity(plan.arity, [&]<unsigned kArity>() {
      auto sink = make_sink.template operator()<F>();
      Permutation<kArity, F, decltype(sink)> permutation(plan, sink);
      if constexpr (std::is_same_v<Input, Fr>) {
        return result(permutation.hash(view_as<Isa>(inputs)));
      } else {
        const auto elements = to_elements<F>(inputs);
        return result(permutation.hash(std::span(elements).first(inputs.size())));
      }
    });
  });
}

constexpr auto kNoTrace = []<class F>() { return NoTrace<F>{}; };
constexpr auto kElement = [](const auto& hash) { return std::bit_cast<Fr>(hash); };
constexpr auto kCanonical = [](const auto& hash) { return hash.canonical(); };

}  // namespace

Fr poseidon(PoseidonKind kind, std::span<const Fr> inputs) noexcept {
  return permute(kind, inputs, kNoTrace, kElement);
}

U256 poseidon(PoseidonKind kind, std::span<const U256> inputs) noexcept {
  return permute(kind, inputs, kNoTrace, kCanonical);
}

std::size_t poseidon_trace_size(PoseidonKind kind) noexcept {
  const PoseidonConstants& constants = poseidon_constants(kind);
  return poseidon_trace_size(constants.arity, constants.partial_rounds);
}

Fr poseidon_trace(PoseidonKind kind, std::span<const Fr> inputs, std::span<Fr> trace) noexcept {
  return permute(kind, inputs, [&]<class F>() { return Trace<F>{reinterpret_cast<F*>(trace.data())}; }, kElement);
}

U256 poseidon_trace(PoseidonKind kind, std::span<const U256> inputs, std::span<U256> trace) noexcept {
  auto* const elements = reinterpret_cast<Fr*>(trace.data());  // in place: elements first, then their values
  permute(kind, inputs, [&]<class F>() { return Trace<F>{reinterpret_cast<F*>(elements)}; }, kElement);
  to_canonical_n(trace, std::span<const Fr>(elements, trace.size()));
  return trace.back();
}

}  // namespace cuzk::hash
