#include "groth16/setup.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "field/fp_batch.h"
#include "field/random.h"
#include "groth16/columns.h"
#include "groth16/key_collector.h"
#include "groth16/quotient.h"

namespace cuzk::groth16 {

namespace {

constexpr std::size_t kElementsPerChunk = 4096;  // a few products each

/// n elements, not initialised.
template <class T> class Buffer {
 public:
  explicit Buffer(std::size_t size) : data_(std::make_unique_for_overwrite<T[]>(size)), size_(size) {}
  std::span<T> span() noexcept { return {data_.get(), size_}; }

 private:
  std::unique_ptr<T[]> data_;
  std::size_t size_;
};

/// out[i] = f(i) in chunks.
template <class Out, class F> void fill_parallel(Arena& arena, std::span<Out> out, F&& f) noexcept {
  parallel_for(arena, 0, out.size(), kElementsPerChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) out[i] = f(i);
  });
}

template <class Fr> std::size_t count_not_zero(std::span<const Fr> elements) noexcept {
  return static_cast<std::size_t>(std::ranges::count_if(elements, [](const Fr& x) { return !x.is_zero(); }));
}

template <class Fr> void to_canonical(Arena& arena, std::span<const Fr> elements, std::span<U256> values) noexcept {
  parallel_for(arena, 0, elements.size(), kElementsPerChunk, [&](std::size_t begin, std::size_t end) {
    to_canonical_n(values.subspan(begin, end - begin), elements.subspan(begin, end - begin));
  });
}

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

/// Discrete logarithms of the points [begin, begin + out.size()) of a query.
template <class Fr> using Logarithms = FunctionRef<void(std::size_t begin, std::span<Fr> out)>;

/// Makes the queries of a key from their discrete logarithms, a chunk at a time.
template <class C> class QueryMaker {
 public:
  using Fr = typename C::Fr;

  QueryMaker(Arena& arena, KeySink<C>& sink, GeneratorMultiples<C>& multiples, ProgressRef progress)
      : arena_(arena),
        sink_(sink),
        multiples_(multiples),
        progress_(progress),
        chunk_(multiples.scalars_per_call()),
        logarithms_(chunk_),
        scalars_(chunk_),
        positions_(chunk_),
        kept_((chunk_ + kElementsPerChunk - 1) / kElementsPerChunk) {}

  /// A: points of which group.
  template <class A> Status make(KeyQuery query, std::size_t size, std::size_t finite, Logarithms<Fr> logs) {
    progress_.begin("query " + std::string(name_of(query)), size);
    CUZK_CHECK_OK(sink_.begin_query(query, size, finite));
    Buffer<A> points(std::min(chunk_, size));
    for (std::size_t begin = 0; begin < size; begin += chunk_) {
      const std::size_t n = std::min(chunk_, size - begin);
      logs(begin, logarithms_.span().first(n));
      const std::size_t count = compact(begin, n);
      const std::span<A> made = points.span().first(count);
      CUZK_CHECK_OK(multiply(scalars_.span().first(count), made));
      CUZK_CHECK_OK(sink_.append(positions_.span().first(count), std::span<const A>(made)));
      progress_.advance(n);
    }
    return {};
  }

 private:
  Status multiply(std::span<const U256> scalars, std::span<typename C::G1Affine> out) {
    return multiples_.in_g1(scalars, out);
  }
  Status multiply(std::span<const U256> scalars, std::span<typename C::G2Affine> out) {
    return multiples_.in_g2(scalars, out);
  }

  /// Takes the zeros out of the n logarithms at hand; the number of what is left, canonical and with positions. Parts
  /// are compacted in their places, then put behind each other.
  std::size_t compact(std::size_t begin, std::size_t n) noexcept {
    const std::span<Fr> logs = logarithms_.span().first(n);
    const auto part_of = [&](std::size_t part) {
      const std::size_t from = part * kElementsPerChunk;
      return logs.subspan(from, std::min(kElementsPerChunk, n - from));
    };
    const std::size_t parts = (n + kElementsPerChunk - 1) / kElementsPerChunk;
    parallel_for(arena_, 0, parts, 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) kept_[i] = count_not_zero(std::span<const Fr>(part_of(i)));
    });
    std::size_t count = 0;
    for (std::size_t i = 0; i < parts; ++i) count += std::exchange(kept_[i], count);
    parallel_for(arena_, 0, parts, 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) compact_part(begin + i * kElementsPerChunk, part_of(i), kept_[i]);
    });
    return count;
  }
  void compact_part(std::size_t begin, std::span<Fr> logs, std::size_t to) noexcept {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < logs.size(); ++i) {
      if (logs[i].is_zero()) continue;
      positions_.span()[to + kept] = static_cast<std::uint32_t>(begin + i);
      logs[kept++] = logs[i];
    }
    to_canonical_n(scalars_.span().subspan(to, kept), std::span<const Fr>(logs.first(kept)));
  }

  Arena& arena_;
  KeySink<C>& sink_;
  GeneratorMultiples<C>& multiples_;
  ProgressRef progress_;
  std::size_t chunk_;
  Buffer<Fr> logarithms_;
  Buffer<U256> scalars_;
  Buffer<std::uint32_t> positions_;
  std::vector<std::size_t> kept_;  // of each part of the chunk, then how many are before it
};

/// One setup: N elements for the Lagrange basis at tau, one a variable for the polynomials of one query at a time.
template <class C> class Setup {
 public:
  using Fr = typename C::Fr;
  using G1 = typename C::G1Affine;
  using G2 = typename C::G2Affine;

  Setup(Arena& arena, const r1cs::CompiledCircuit<Fr>& circuit, const TrapdoorValues<Fr>& trapdoor,
        const KeyShape& shape, KeySink<C>& sink, GeneratorMultiples<C>& multiples, ProgressRef progress)
      : arena_(arena),
        circuit_(circuit),
        t_(trapdoor),
        shape_(shape),
        sink_(sink),
        progress_(progress),
        multiples_(multiples),
        maker_(arena, sink, multiples, progress),
        lagrange_(shape.domain_size),
        columns_(shape.num_variables) {}

  Status run(Domain<Fr> domain) {
    progress_.begin("polynomials at tau");
    domain.lagrange_at(arena_, t_.tau, lagrange_.span());
    CUZK_CHECK_OK(make_verifying_key());
    CUZK_CHECK_OK(make_h(std::move(domain)));
    CUZK_CHECK_OK(make_l());
    compute_columns({.a = Fr::one()});
    CUZK_CHECK_OK(make_columns<G1>(KeyQuery::a));
    compute_columns({.b = Fr::one()});
    CUZK_CHECK_OK(make_columns<G1>(KeyQuery::b_g1));
    CUZK_CHECK_OK(make_columns<G2>(KeyQuery::b_g2));
    progress_.end();
    return {};
  }

 private:
  std::size_t num_inputs() const noexcept { return shape_.num_public + 1; }

  void compute_columns(const ColumnFactors<Fr>& factors) {
    progress_.begin("polynomials at tau");
    weighted_columns(arena_, circuit_, std::span<const Fr>(lagrange_.span()), factors, columns_.span());
  }

  /// Leaves beta A + alpha B + C of all variables in the columns.
  Status make_verifying_key() {
    compute_columns({.a = t_.beta, .b = t_.alpha, .c = Fr::one()});
    const Fr inverse_gamma = t_.gamma.inverse();
    std::vector<Fr> logarithms(num_inputs());
    fill_parallel(arena_, std::span(logarithms), [&](std::size_t i) { return columns_.span()[i] * inverse_gamma; });
    std::vector<U256> scalars(num_inputs());
    to_canonical(arena_, std::span<const Fr>(logarithms), scalars);
    VerifyingKey<C> vk = fixed_points<C>(t_);
    vk.ic.resize(num_inputs());
    CUZK_CHECK_OK(multiples_.in_g1(scalars, vk.ic));
    return sink_.begin(shape_, vk);
  }

  Status make_h(Domain<Fr>&& domain) {
    const std::size_t size = quotient_size(shape_.basis, shape_.domain_size);
    const Fr z_over_delta = domain.vanishing_at(t_.tau) * t_.delta.inverse();
    if (shape_.basis == QuotientBasis::coset_monomials) {
      {
        const Domain<Fr> no_longer_needed = std::move(domain);
      }  // its tables: half an element a row
      return make_monomials(size, z_over_delta);
    }
    Buffer<Fr> odd(size);
    domain.lagrange_at(arena_, t_.tau * domain.odd_shift().inverse(), odd.span());
    const Fr factor = -z_over_delta * Fr::from_u64(2).inverse();
    return maker_.template make<G1>(KeyQuery::h, size, size, [&](std::size_t begin, std::span<Fr> out) {
      fill_parallel(arena_, out, [&](std::size_t i) { return odd.span()[begin + i] * factor; });
    });
  }

  Status make_monomials(std::size_t size, const Fr& z_over_delta) {
    return maker_.template make<G1>(KeyQuery::h, size, size, [&](std::size_t first, std::span<Fr> out) {
      parallel_for(arena_, 0, out.size(), kElementsPerChunk, [&](std::size_t begin, std::size_t end) {
        Fr power = t_.tau.pow(u64{first + begin}) * z_over_delta;
        for (std::size_t i = begin; i < end; ++i, power *= t_.tau) out[i] = power;
      });
    });
  }

  Status make_l() {
    const std::span<const Fr> aux = std::span<const Fr>(columns_.span()).subspan(num_inputs());
    const Fr inverse_delta = t_.delta.inverse();
    return maker_.template make<G1>(
        KeyQuery::l, aux.size(), count_finite(aux), [&](std::size_t begin, std::span<Fr> out) {
          fill_parallel(arena_, out, [&](std::size_t i) { return aux[begin + i] * inverse_delta; });
        });
  }

  template <class A> Status make_columns(KeyQuery query) {
    const std::span<const Fr> columns = columns_.span();
    return maker_.template make<A>(query, columns.size(), count_finite(columns),
                                   [&](std::size_t begin, std::span<Fr> out) {
                                     const auto part = columns.subspan(begin, out.size());
                                     std::copy(part.begin(), part.end(), out.begin());
                                   });
  }

  std::size_t count_finite(std::span<const Fr> logarithms) const noexcept {
    std::atomic<std::size_t> finite = 0;
    parallel_for(arena_, 0, logarithms.size(), kElementsPerChunk, [&](std::size_t begin, std::size_t end) {
      finite += count_not_zero(logarithms.subspan(begin, end - begin));
    });
    return finite;
  }

  Arena& arena_;
  const r1cs::CompiledCircuit<Fr>& circuit_;
  const TrapdoorValues<Fr>& t_;
  const KeyShape& shape_;
  KeySink<C>& sink_;
  ProgressRef progress_;
  GeneratorMultiples<C>& multiples_;
  QueryMaker<C> maker_;
  Buffer<Fr> lagrange_, columns_;
};

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
Status setup(Arena& arena, const r1cs::CompiledCircuit<typename C::Fr>& circuit,
             const Trapdoor<typename C::Fr>& trapdoor, QuotientBasis basis, RootFamily roots, KeySink<C>& sink,
             ProgressRef progress, GeneratorMultiples<C>* multiples) {
  const KeyShape shape{circuit.num_variables(), circuit.num_public(), domain_size_of(circuit), basis, roots};
  if (std::max(shape.num_variables, shape.domain_size) > std::size_t{std::numeric_limits<std::uint32_t>::max()}) {
    return fail(Code::unsupported, "keys count variables and rows in 32 bits");
  }
  CUZK_TRY(auto domain, quotient_domain<C>(arena, shape.domain_size, basis, roots));
  CUZK_CHECK_OK(check_trapdoor(trapdoor.values(), shape.domain_size));
  std::unique_ptr<GeneratorMultiples<C>> on_cpu;
  if (multiples == nullptr) {
    on_cpu = cpu_multiples<C>(arena, shape.domain_size + 3 * shape.num_variables, shape.num_variables);
    multiples = on_cpu.get();
  }
  return Setup<C>(arena, circuit, trapdoor.values(), shape, sink, *multiples, progress).run(std::move(domain));
}

template <class C>
Result<ProvingKey<C>> setup(Arena& arena, const r1cs::CompiledCircuit<typename C::Fr>& circuit,
                            const Trapdoor<typename C::Fr>& trapdoor, QuotientBasis basis, RootFamily roots,
                            ProgressRef progress, GeneratorMultiples<C>* multiples) {
  KeyCollector<C> collector;
  CUZK_CHECK_OK(setup<C>(arena, circuit, trapdoor, basis, roots, collector, progress, multiples));
  return collector.take();
}

template class Trapdoor<bn254::Fr>;
template class Trapdoor<bls12_381::Fr>;
template std::size_t domain_size_of(const r1cs::CompiledCircuit<bn254::Fr>&) noexcept;
template std::size_t domain_size_of(const r1cs::CompiledCircuit<bls12_381::Fr>&) noexcept;
#define CUZK_INSTANTIATE(C)                                                                                 \
  template Status setup(Arena&, const r1cs::CompiledCircuit<C::Fr>&, const Trapdoor<C::Fr>&, QuotientBasis, \
                        RootFamily, KeySink<C>&, ProgressRef, GeneratorMultiples<C>*);                      \
  template Result<ProvingKey<C>> setup(Arena&, const r1cs::CompiledCircuit<C::Fr>&, const Trapdoor<C::Fr>&, \
                                       QuotientBasis, RootFamily, ProgressRef, GeneratorMultiples<C>*);

CUZK_INSTANTIATE(Bn254)
CUZK_INSTANTIATE(Bls12_381)

}  // namespace cuzk::groth16
