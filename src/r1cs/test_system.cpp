#include "r1cs/test_system.h"

#include "field/fp_batch.h"
#include "r1cs/digest.h"

namespace cuzk::r1cs {

namespace {

constexpr std::size_t kFlushBytes = 1 << 16;  // one call of the hash for many terms

/// Collects big-endian integers and hashes them in large pieces.
class BigEndianHash {
 public:
  void put(std::uint8_t value) { buffer_.push_back(std::byte{value}); }
  void put(std::uint64_t value) { store_be(extend(sizeof value), value); }
  void put(const U256& value) { value.to_be_bytes(extend(U256::bytes)); }
  void flush_if_full() {
    if (buffer_.size() >= kFlushBytes) flush();
  }
  Blake2s256::Digest finish() {
    flush();
    return hash_.finish();
  }

 private:
  std::byte* extend(std::size_t bytes) {
    buffer_.resize(buffer_.size() + bytes);
    return buffer_.data() + buffer_.size() - bytes;
  }
  void flush() {
    hash_.update(buffer_);
    buffer_.clear();
  }

  Blake2s256 hash_;
  std::vector<std::byte> buffer_;
};

template <class Fr> std::string term_text(const typename TermList<Fr>::Entry& term, bool first) {
  const bool negative = term.coefficient.is_lexicographically_larger();
  const Fr magnitude = negative ? -term.coefficient : term.coefficient;
  std::string text = negative ? (first ? "-" : " - ") : (first ? "" : " + ");
  text += magnitude.canonical().to_decimal();
  text += term.variable.is_input() ? " I" : " A";
  return text + std::to_string(term.variable.index());
}

}  // namespace

template <class Fr> TestSystem<Fr>::TestSystem() : inputs_{Fr::one()} { row_begin_.fill({0}); }

template <class Fr> Variable TestSystem<Fr>::alloc(const Fr& value) {
  aux_.push_back(value);
  return Variable::aux(static_cast<std::uint32_t>(aux_.size() - 1));
}

template <class Fr> Variable TestSystem<Fr>::input(const Fr& value) {
  inputs_.push_back(value);
  return Variable::input(static_cast<std::uint32_t>(inputs_.size() - 1));
}

template <class Fr> void TestSystem<Fr>::begin_block() noexcept {
  if (block_depth_++ == 0) ++num_blocks_;
}

template <class Fr> void TestSystem<Fr>::end_block() noexcept {
  CUZK_ASSERT(block_depth_ > 0);
  --block_depth_;
}

template <class Fr>
auto TestSystem<Fr>::row(Side side, std::size_t index) const noexcept -> std::span<const StoredTerm> {
  const auto& begin = row_begin_[index_of(side)];
  return {terms_[index_of(side)].data() + begin[index], static_cast<std::size_t>(begin[index + 1] - begin[index])};
}

template <class Fr> void TestSystem<Fr>::keep(Side side, std::span<const Entry> entries) {
  auto& terms = terms_[index_of(side)];
  for (const Entry& entry : entries) {
    CUZK_ASSERT(entry.variable.index() < (entry.variable.is_input() ? inputs_ : aux_).size());
    terms.push_back({entry.variable, coefficients_.intern(entry.coefficient)});
  }
  row_begin_[index_of(side)].push_back(terms.size());
}

template <class Fr> Witness TestSystem<Fr>::witness() const {
  std::vector<U256> values(num_inputs() + num_aux());
  to_canonical_n(std::span(values).first(num_inputs()), inputs());
  to_canonical_n(std::span(values).subspan(num_inputs()), aux());
  return Witness(std::move(values));
}

template <class Fr> auto TestSystem<Fr>::terms(Side side, std::size_t index) const -> std::vector<Entry> {
  std::vector<Entry> entries;
  for (const StoredTerm& term : row(side, index)) entries.push_back({term.variable, coefficients_[term.coefficient]});
  return entries;
}

template <class Fr> Fr TestSystem<Fr>::evaluate(Side side, std::size_t index) const noexcept {
  Fr sum = Fr::zero();
  for (const StoredTerm& term : row(side, index)) {
    const Fr& x = value(term.variable);
    sum += term.coefficient == 0 ? x : coefficients_[term.coefficient] * x;
  }
  return sum;
}

template <class Fr> std::optional<std::size_t> TestSystem<Fr>::first_unsatisfied() const noexcept {
  for (std::size_t i = 0; i < num_constraints(); ++i) {
    if (evaluate(Side::a, i) * evaluate(Side::b, i) != evaluate(Side::c, i)) return i;
  }
  return std::nullopt;
}

template <class Fr> std::string TestSystem<Fr>::row_text(std::size_t index) const {
  const auto side_text = [&](Side side) {
    std::string text;
    for (const Entry& entry : terms(side, index)) text += term_text<Fr>(entry, text.empty());
    return "(" + text + ")";
  };
  return side_text(Side::a) + " * " + side_text(Side::b) + " = " + side_text(Side::c);
}

template <class Fr> Blake2s256::Digest TestSystem<Fr>::hash() const {
  std::vector<U256> canonical;
  canonical.reserve(coefficients_.size());
  for (std::uint32_t i = 0; i < coefficients_.size(); ++i) canonical.push_back(coefficients_[i].canonical());

  BigEndianHash out;
  out.put(std::uint64_t{num_inputs()});
  out.put(std::uint64_t{num_aux()});
  out.put(std::uint64_t{num_constraints()});
  for (std::size_t i = 0; i < num_constraints(); ++i) {
    for (const Side side : kSides) {
      out.put(std::uint64_t{row(side, i).size()});
      for (const StoredTerm& term : row(side, i)) {
        out.put(static_cast<std::uint8_t>(term.variable.is_input() ? 'I' : 'A'));
        out.put(std::uint64_t{term.variable.index()});
        out.put(canonical[term.coefficient]);
      }
    }
    out.flush_if_full();
  }
  return out.finish();
}

template <class Fr> RowCircuit<Fr> TestSystem<Fr>::circuit() const {
  using Builder = CircuitBuilder<Fr>;
  Builder builder(num_inputs() + num_aux(), num_inputs() - 1);
  const auto inputs = static_cast<std::uint32_t>(num_inputs());
  const auto put = [&](typename Builder::Side to, Side from, std::size_t index) {
    for (const StoredTerm& term : row(from, index)) {
      builder.add_term(to, term.variable.wire(inputs), coefficients_[term.coefficient]);
    }
  };
  for (std::size_t i = 0; i < num_constraints(); ++i) {
    put(Builder::Side::a, Side::a, i);
    put(Builder::Side::b, Side::b, i);
    put(Builder::Side::c, Side::c, i);
    builder.end_constraint();
  }
  return std::move(builder).finish();
}

template <class Fr> Sha256::Digest TestSystem<Fr>::matrices_digest() const {
  return r1cs::matrices_digest<Fr>(circuit());
}

template <class Fr> Densities TestSystem<Fr>::densities() const { return r1cs::densities<Fr>(circuit()); }

template class TestSystem<bn254::Fr>;
template class TestSystem<bls12_381::Fr>;

}  // namespace cuzk::r1cs
