#include "groth16/setup.h"

#include <algorithm>
#include <bit>

#include "curve/fixed_base.h"
#include "field/fp_batch.h"
#include "field/random.h"
#include "groth16/quotient.h"

namespace cuzk::groth16 {

namespace {

constexpr std::size_t kElementsPerChunk = 4096;  // a few products each

/// out[i] = f(i) in chunks.
template <class Out, class F> void fill_parallel(Arena& arena, std::span<Out> out, F&& f) noexcept {
  parallel_for(arena, 0, out.size(), kElementsPerChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) out[i] = f(i);
  });
}

/// Adds to sums[j] the column j of the matrix times `weights`, for variables [begin, end).
template <class F, class Fr>
void add_columns(const r1cs::SparseMatrix& matrix, std::span<const Fr> coefficients, std::span<const F> weights,
                 std::size_t begin, std::size_t end, std::span<F> sums) noexcept {
  for (std::size_t row = 0; row < matrix.rows(); ++row) {
    for (const r1cs::Term& term : matrix.row(row)) {
      if (term.variable < begin || term.variable >= end) continue;
      const F coefficient = F::from_montgomery(coefficients[term.coefficient].montgomery());
      sums[term.variable] += coefficient.is_one() ? weights[row] : coefficient * weights[row];
    }
  }
}

/// The polynomials of all variables at tau.
template <class Fr> struct QapAtTau {
  std::vector<Fr> a, b, c;
};

template <class Fr>
QapAtTau<Fr> evaluate_columns(Arena& arena, const r1cs::CompiledCircuit<Fr>& circuit, std::span<const Fr> lagrange) {
  const std::size_t m = circuit.num_variables;
  QapAtTau<Fr> at_tau{std::vector<Fr>(m), std::vector<Fr>(m), std::vector<Fr>(m)};
  for (std::size_t input = 0; input < circuit.num_inputs(); ++input) {
    at_tau.a[input] = lagrange[circuit.num_constraints() + input];
  }
  const std::array<const r1cs::SparseMatrix*, 3> matrices = {&circuit.a, &circuit.b, &circuit.c};
  const std::array<std::span<Fr>, 3> sums = {at_tau.a, at_tau.b, at_tau.c};
  const std::size_t parts = arena.concurrency();  // each reads all terms and takes its share of the variables
  with_isa([&]<class Isa>() {
    parallel_tasks(arena, 3 * parts, [&](std::size_t task) {
      const std::size_t part = task % parts;
      add_columns(*matrices[task / parts], std::span<const Fr>(circuit.coefficients), view_as<Isa>(lagrange),
                  m * part / parts, m * (part + 1) / parts, view_as<Isa>(sums[task / parts]));
    });
  });
  return at_tau;
}

/// Discrete logarithms of the h query.
template <class Fr>
std::vector<Fr> quotient_query(Arena& arena, const Domain<Fr>& domain, QuotientBasis basis,
                               const TrapdoorValues<Fr>& t) {
  const Fr z_over_delta = domain.vanishing_at(t.tau) * t.delta.inverse();
  std::vector<Fr> h(domain.size());
  if (basis == QuotientBasis::odd_coset_lagrange) {
    domain.lagrange_at(arena, t.tau * domain.odd_shift().inverse(), h);
    const Fr factor = -z_over_delta * Fr::from_u64(2).inverse();
    fill_parallel(arena, std::span(h), [&](std::size_t i) { return h[i] * factor; });
  } else {
    parallel_for(arena, 0, h.size(), kElementsPerChunk, [&](std::size_t begin, std::size_t end) {
      Fr power = t.tau.pow(u64{begin}) * z_over_delta;
      for (std::size_t i = begin; i < end; ++i, power *= t.tau) h[i] = power;
    });
  }
  h.resize(quotient_size(basis, domain.size()));
  return h;
}

/// Multiples of the generators by elements in Montgomery form.
template <class C> class GeneratorMultiples {
 public:
  using Fr = typename C::Fr;

  GeneratorMultiples(Arena& arena, ProgressRef progress) : arena_(arena), progress_(progress) {}

  std::vector<typename C::G1Affine> g1(std::string_view stage, std::span<const Fr> logarithms) {
    progress_.begin(stage);
    std::vector<typename C::G1Affine> points(logarithms.size());
    fixed_base_g1<C>(arena_, canonical(logarithms), points);
    return points;
  }
  std::vector<typename C::G2Affine> g2(std::string_view stage, std::span<const Fr> logarithms) {
    progress_.begin(stage);
    std::vector<typename C::G2Affine> points(logarithms.size());
    fixed_base_g2<C>(arena_, canonical(logarithms), points);
    return points;
  }

 private:
  std::vector<U256> canonical(std::span<const Fr> elements) {
    std::vector<U256> values(elements.size());
    parallel_for(arena_, 0, values.size(), kElementsPerChunk, [&](std::size_t begin, std::size_t end) {
      to_canonical_n(std::span(values).subspan(begin, end - begin), elements.subspan(begin, end - begin));
    });
    return values;
  }

  Arena& arena_;
  ProgressRef progress_;
};

template <class C> VerifyingKey<C> fixed_points(const TrapdoorValues<typename C::Fr>& t) {
  using G1 = typename C::G1;
  using G2 = typename C::G2;
  const auto in_g1 = [](const auto& x) { return G1::from_affine(g1_generator<C>()).times(x.canonical()).to_affine(); };
  const auto in_g2 = [](const auto& x) { return G2::from_affine(g2_generator<C>()).times(x.canonical()).to_affine(); };
  return {in_g1(t.alpha), in_g1(t.beta), in_g2(t.beta), in_g2(t.gamma), in_g1(t.delta), in_g2(t.delta), {}};
}

template <class Fr> Status check_trapdoor(const TrapdoorValues<Fr>& t, std::size_t domain_size) {
  for (const Fr& value : {t.tau, t.alpha, t.beta, t.gamma, t.delta}) {
    if (value.is_zero()) return fail(Code::invalid_argument, "a value of the trapdoor is zero");
  }
  if (t.tau.pow(u64{2 * domain_size}).is_one()) {
    return fail(Code::invalid_argument, "tau of the trapdoor lies in the evaluation domain");
  }
  return {};
}

}  // namespace

template <class Fr> Result<Trapdoor<Fr>> Trapdoor<Fr>::random(RandomSource random) {
  Trapdoor trapdoor;
  TrapdoorValues<Fr>& values = trapdoor.values_.expose_mutable();
  for (Fr* value : {&values.tau, &values.alpha, &values.beta, &values.delta}) {
    do {
      CUZK_TRY(*value, random_element<Fr>(random));
    } while (value->is_zero());
  }
  values.gamma = Fr::one();
  return trapdoor;
}

template <class Fr> Trapdoor<Fr> Trapdoor<Fr>::given(const TrapdoorValues<Fr>& values) noexcept {
  Trapdoor trapdoor;
  trapdoor.values_.expose_mutable() = values;
  return trapdoor;
}

template <class Fr> std::size_t domain_size_of(const r1cs::CompiledCircuit<Fr>& circuit) noexcept {
  return std::bit_ceil(std::max<std::size_t>(2, circuit.num_constraints() + circuit.num_inputs()));
}

template <class C>
Result<ProvingKey<C>> setup(Arena& arena, const r1cs::CompiledCircuit<typename C::Fr>& circuit,
                            const Trapdoor<typename C::Fr>& trapdoor, QuotientBasis basis, RootFamily roots,
                            ProgressRef progress) {
  using Fr = typename C::Fr;
  const TrapdoorValues<Fr>& t = trapdoor.values();
  const std::size_t domain_size = domain_size_of(circuit);
  CUZK_TRY(const auto domain, quotient_domain<C>(arena, domain_size, basis, roots));
  CUZK_CHECK_OK(check_trapdoor(t, domain_size));

  progress.begin("polynomials at tau");
  std::vector<Fr> lagrange(domain_size);
  domain.lagrange_at(arena, t.tau, lagrange);
  QapAtTau<Fr> at_tau = evaluate_columns(arena, circuit, std::span<const Fr>(lagrange));
  const std::vector<Fr> h = quotient_query(arena, domain, basis, t);

  // c := (beta a + alpha b + c)/gamma for inputs, /delta for the rest
  const Fr inverse_gamma = t.gamma.inverse();
  const Fr inverse_delta = t.delta.inverse();
  fill_parallel(arena, std::span(at_tau.c), [&](std::size_t i) {
    const Fr combined = t.beta * at_tau.a[i] + t.alpha * at_tau.b[i] + at_tau.c[i];
    return combined * (i < circuit.num_inputs() ? inverse_gamma : inverse_delta);
  });

  GeneratorMultiples<C> multiples(arena, progress);
  ProvingKey<C> key{.vk = fixed_points<C>(t),
                    .num_variables = circuit.num_variables,
                    .domain_size = domain_size,
                    .basis = basis,
                    .roots = roots,
                    .a = multiples.g1("query a", at_tau.a),
                    .b_g1 = multiples.g1("query b in G1", at_tau.b),
                    .l = multiples.g1("query l", std::span(at_tau.c).subspan(circuit.num_inputs())),
                    .h = multiples.g1("query h", h),
                    .b_g2 = multiples.g2("query b in G2", at_tau.b)};
  key.vk.ic = multiples.g1("ic", std::span(at_tau.c).first(circuit.num_inputs()));
  progress.end();
  return key;
}

template class Trapdoor<bn254::Fr>;
template class Trapdoor<bls12_381::Fr>;
template std::size_t domain_size_of(const r1cs::CompiledCircuit<bn254::Fr>&) noexcept;
template std::size_t domain_size_of(const r1cs::CompiledCircuit<bls12_381::Fr>&) noexcept;
template Result<ProvingKey<Bn254>> setup(Arena&, const r1cs::CompiledCircuit<bn254::Fr>&, const Trapdoor<bn254::Fr>&,
                                         QuotientBasis, RootFamily, ProgressRef);
template Result<ProvingKey<Bls12_381>> setup(Arena&, const r1cs::CompiledCircuit<bls12_381::Fr>&,
                                             const Trapdoor<bls12_381::Fr>&, QuotientBasis, RootFamily, ProgressRef);

}  // namespace cuzk::groth16
