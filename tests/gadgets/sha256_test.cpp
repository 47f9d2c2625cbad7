#include "gadgets/sha256.h"

#include <gtest/gtest.h>

#include "gadgets/multipack.h"
#include "support/sha256.h"
#include "tests/gadgets/gadget_vector.h"
#include "tests/gen/field_values.h"

namespace cuzk::gadgets {
namespace {

using Fr = bls12_381::Fr;
using Cs = r1cs::TestSystem<Fr>;
using Side = Cs::Side;

class Sha256GadgetTest : public testing::Test {
 protected:
  std::vector<std::byte> random_bytes(std::size_t count) {
    std::vector<std::byte> bytes(count);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    return bytes;
  }
  std::mt19937_64 random{test::run_seed()};
};

/// New bits, most significant of each byte first.
std::vector<Boolean> alloc_message(Cs& cs, Bytes bytes) {
  std::vector<Boolean> bits;
  for (const std::byte byte : bytes) {
    for (unsigned i = 8; i-- > 0;) bits.push_back(alloc_bit(cs, (std::to_integer<unsigned>(byte) >> i & 1) != 0));
  }
  return bits;
}

Sha256::Digest bytes_of(std::span<const Boolean> bits) {
  Sha256::Digest digest{};
  for (std::size_t i = 0; i < bits.size(); ++i) {
    if (bits[i].value()) digest[i / 8] |= std::byte{0x80} >> (i % 8);
  }
  return digest;
}

struct Cost {
  std::size_t aux, constraints, a, b, c;
  friend bool operator==(const Cost&, const Cost&) = default;
  friend Cost operator-(const Cost& x, const Cost& y) {
    return {x.aux - y.aux, x.constraints - y.constraints, x.a - y.a, x.b - y.b, x.c - y.c};
  }
  friend std::ostream& operator<<(std::ostream& out, const Cost& x) {
    return out << x.aux << " / " << x.constraints << " / " << x.a << ' ' << x.b << ' ' << x.c;
  }
};
Cost cost_of(const Cs& cs) {
  return {cs.num_aux(), cs.num_constraints(), cs.num_terms(Side::a), cs.num_terms(Side::b), cs.num_terms(Side::c)};
}

// All paddings of one block, the lengths around a second and a third.
TEST_F(Sha256GadgetTest, DigestIsThatOfSha256) {
  for (const std::size_t length : {0u, 1u, 3u, 32u, 54u, 55u, 56u, 63u, 64u, 65u, 119u, 120u, 128u}) {
    const auto message = random_bytes(length);
    Cs cs;
    const auto digest = gadgets::sha256(cs, std::span<const Boolean>(alloc_message(cs, message)));
    ASSERT_EQ(digest.size(), 256u);
    EXPECT_EQ(bytes_of(digest), cuzk::sha256(message)) << length;
    EXPECT_TRUE(cs.is_satisfied());
    EXPECT_EQ(cs.num_blocks(), (length + 9 + 63) / 64) << length;
  }
}

TEST_F(Sha256GadgetTest, ConstantMessageNeedsNoVariable) {
  Cs cs;
  const auto message = random_bytes(100);
  std::vector<Boolean> bits;
  for (const std::byte byte : message) {
    for (unsigned i = 8; i-- > 0;) bits.push_back(Boolean::constant((std::to_integer<unsigned>(byte) >> i & 1) != 0));
  }
  const auto digest = gadgets::sha256(cs, std::span<const Boolean>(bits));
  EXPECT_EQ(bytes_of(digest), cuzk::sha256(message));
  EXPECT_EQ(cs.num_aux(), 0u);
  EXPECT_EQ(cs.num_constraints(), 0u);
}

TEST_F(Sha256GadgetTest, MessagesOfConstantsAndNegations) {
  for (int round = 0; round < 4; ++round) {
    Cs cs;
    const auto message = random_bytes(70);
    auto bits = alloc_message(cs, message);
    for (Boolean& bit : bits) {
      if (random() % 3 == 0) bit = Boolean::constant(bit.value());
      if (random() % 3 == 0) bit = !alloc_bit(cs, !bit.value());
    }
    EXPECT_EQ(bytes_of(gadgets::sha256(cs, std::span<const Boolean>(bits))), cuzk::sha256(message));
    EXPECT_TRUE(cs.is_satisfied());
  }
}

TEST_F(Sha256GadgetTest, EveryVariableIsBound) {
  Cs cs;
  const auto digest = gadgets::sha256(cs, std::span<const Boolean>(alloc_message(cs, random_bytes(8))));
  for (int i = 0; i < 30; ++i) {
    const auto at = r1cs::Variable::aux(static_cast<std::uint32_t>(random() % cs.num_aux()));
    const Fr value = cs.value(at);
    cs.set(at, Fr::one() - value);
    EXPECT_FALSE(cs.is_satisfied()) << at.index();
    cs.set(at, value);
  }
}

TEST_F(Sha256GadgetTest, MessageOfBrokenBytesEndsTheProgram) {
  Cs cs;
  const std::vector<Boolean> bits(9);
  EXPECT_DEATH(gadgets::sha256(cs, std::span<const Boolean>(bits)), "message.size");
}

void expect_digests(const Cs& cs, const char* hash, const char* matrices) {
  EXPECT_EQ(encode_hex(cs.hash()), hash);
  EXPECT_EQ(encode_hex(cs.matrices_digest()), matrices);
}

TEST_F(Sha256GadgetTest, CircuitOf512Bits) {
  Cs cs;
  gadgets::sha256(cs, std::span<const Boolean>(alloc_message(cs, random_bytes(64))));
  expect_digests(cs, "39b920088193af138e8d3494179b1d9a20442bb23e28e65028b068c6a9e48771",
                 "9fb8f430fd9cbbe615fdb1371f39e23fbaed6eccb26d42ede76f3812118666c4");
}

TEST_F(Sha256GadgetTest, PairOfNumbers) {
  Cs cs;
  const auto left = alloc_num(cs, test::uniform_element<Fr>(random));
  const auto right = alloc_num(cs, test::uniform_element<Fr>(random));
  const auto node = sha256_pair(cs, left, right);
  expect_digests(cs, "17fd4b5ddd5b8fe8759308f1b1b019e3a9e00d179d227b5e64580e48a233b91e",
                 "f0de463109598a465f181b7120101a29223d817d9152b392343029bb84368079");
  EXPECT_EQ(cost_of(cs), (Cost{45331 + 2, 45379, 104170, 45409, 96869}));
  EXPECT_TRUE(cs.is_satisfied());

  std::byte message[64];
  left.value.canonical().to_le_bytes(message);
  right.value.canonical().to_le_bytes(message + 32);
  Sha256::Digest digest = cuzk::sha256(message);
  digest[31] &= std::byte{0x3f};
  EXPECT_EQ(node.value.canonical(), U256::from_le_bytes(digest.data()));
}

/// A label's message: replica id, layer, node, zeros, parents.
class LabelCircuit {
 public:
  LabelCircuit(std::uint32_t layer, std::mt19937_64& random) : random_(random) {
    const auto replica_id = number_bits();
    const auto node = alloc_bits(cs, random(), 64);
    std::vector<std::vector<Boolean>> parents;
    for (int i = 0; i < (layer == 1 ? 6 : 14); ++i) parents.push_back(number_bits());

    append(replica_id);
    for (unsigned i = 32; i-- > 0;) message_.push_back(Boolean::constant((layer >> i & 1) != 0));
    message_.insert(message_.end(), node.rbegin(), node.rend());
    message_.resize(512, Boolean::constant(false));
    for (std::size_t i = 0; i < 37; ++i) append(parents[i % parents.size()]);
  }

  std::span<const Boolean> message() const { return message_; }
  Cs cs;

 private:
  std::vector<Boolean> number_bits() {
    return reverse_bit_numbering(to_bits_le(cs, alloc_num(cs, test::uniform_element<Fr>(random_))));
  }
  void append(std::span<const Boolean> bits) { message_.insert(message_.end(), bits.begin(), bits.end()); }

  std::mt19937_64& random_;
  std::vector<Boolean> message_;
};

TEST_F(Sha256GadgetTest, LabelOfLayer1) {
  LabelCircuit label(1, random);
  const Cost before = cost_of(label.cs);
  pack_bits(label.cs, reverse_bit_numbering(gadgets::sha256(label.cs, label.message())));
  EXPECT_EQ(cost_of(label.cs) - before, (Cost{521749, 522269, 1212554, 522301, 1149261}));
  expect_digests(label.cs, "f7b4e330cfae19d7d55dc37c96ed31c479813f060bd53b28097c06f17eb9d97e",
                 "f3096280d107b16b45bf5c88b3ccae06d7a36135e3b71fa7d114bcc2308a3f54");
  EXPECT_TRUE(label.cs.is_satisfied());
}

TEST_F(Sha256GadgetTest, LabelOfLayer2) {
  LabelCircuit label(2, random);
  pack_bits(label.cs, reverse_bit_numbering(gadgets::sha256(label.cs, label.message())));
  expect_digests(label.cs, "1adbb0a987c8166d016056473a2f3371baca64ab4ab8671fda472ba6e96d290f",
                 "4b5b7c5ed8ed5d1f614c4b78ae8c7f84766f1c72906745a85a1d2b16ea246346");
}

/// Cost of each compression of a message.
std::vector<Cost> block_costs(Cs& cs, std::span<const Boolean> message) {
  const auto padded = detail::sha256_padded(message);
  detail::Sha256Words state;
  for (std::size_t i = 0; i < state.size(); ++i) state[i] = UInt32::constant(hash::kSha256Initial[i]);
  std::vector<Cost> costs;
  for (std::size_t at = 0; at < padded.size(); at += 512) {
    const Cost before = cost_of(cs);
    state = detail::sha256_compress(cs, std::span(padded).subspan(at, 512), state);
    costs.push_back(cost_of(cs) - before);
  }
  return costs;
}

TEST_F(Sha256GadgetTest, CostsOfALabelsBlocks) {
  for (const std::uint32_t layer : {1u, 2u, 11u}) {
    LabelCircuit label(layer, random);
    const auto costs = block_costs(label.cs, label.message());
    ASSERT_EQ(costs.size(), 20u);
    EXPECT_EQ(costs.front(), (Cost{25337, 25363, 58145, 25395, 55455}));
    for (std::size_t i = 1; i < 19; ++i) EXPECT_EQ(costs[i], (Cost{26158, 26184, 60833, 26184, 57662}));
    EXPECT_EQ(costs.back(), (Cost{25567, 25593, 59161, 25593, 55889}));
  }
}

TEST_F(Sha256GadgetTest, CostsOfAPairsBlocks) {
  Cs cs;
  std::vector<Boolean> message;
  for (int i = 0; i < 2; ++i) {
    const auto bits = reverse_bit_numbering(to_bits_le(cs, alloc_num(cs, test::uniform_element<Fr>(random))));
    message.insert(message.end(), bits.begin(), bits.end());
  }
  EXPECT_EQ(block_costs(cs, message),
            (std::vector<Cost>{{25806, 25832, 59441, 25864, 56862}, {19014, 19034, 43455, 19034, 39494}}));
}

}  // namespace
}  // namespace cuzk::gadgets
