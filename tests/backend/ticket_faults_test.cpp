// Faults of a former prover in what a proof on its way owns: an end in any phase, what the caller frees meanwhile, and
// what stays in memory behind it. Run under AddressSanitizer and ThreadSanitizer too.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>

#include <gtest/gtest.h>

#include "backend/cpu/cpu_backend.h"
#include "tests/backend/samples.h"

namespace cuzk::backend {
namespace {

using test::kSnarkjs;
using test::must;

template <class C> class TicketFaults : public testing::Test {
 protected:
  std::mt19937_64 random{test::run_seed()};
  Arena arena{2};
  CpuBackend<C> backend{arena};
  const test::Case<C> sample{arena, {300, 2, 200}, kSnarkjs, random};
  const U256 r = test::uniform_element<typename C::Fr>(random).canonical();
  const U256 s = test::uniform_element<typename C::Fr>(random).canonical();

  groth16::Proof<C> expected() {
    auto ticket = must(backend.prove_start(must(backend.load_key(sample.view_with_records())), nullptr,
                                           {.witness = sample.witness(), .blinding = Blinding<C>::fixed(r, s)}));
    return must(backend.prove_finish(std::move(ticket)));
  }
};
using Curves = testing::Types<Bn254, Bls12_381>;
TYPED_TEST_SUITE(TicketFaults, Curves);

/// Pulls the stop when proving looks at the clock for the n-th time: between two of its steps.
struct StopAt {
  explicit StopAt(int n) : left(n) {}

  int left;
  std::stop_source stop;
  Progress progress{{.write = [](std::string_view) {},
                     .terminal = false,
                     .now_ns = [this]() -> std::uint64_t {
                       if (--left == 0) stop.request_stop();
                       return 0;
                     }}};
};

// An end between any two steps leaves nothing behind, and nothing of it is touched again.
TYPED_TEST(TicketFaults, fault_A19_an_end_in_any_phase_frees_all) {
  using C = TypeParam;
  bool finished = false;
  int ends = 0;
  for (int n = 1; !finished; ++n) {
    ASSERT_LT(n, 100);
    StopAt at(n);
    auto witness = this->sample.witness();
    auto key = must(this->backend.load_key(this->sample.view_with_records()));
    const std::weak_ptr<const r1cs::Witness> watched_witness = witness;
    const std::weak_ptr<const Key<C>> watched_key = key;
    auto ticket = this->backend.prove_start(std::move(key), nullptr,
                                            {.witness = std::move(witness),
                                             .blinding = must(Blinding<C>::random()),
                                             .stop = at.stop.get_token(),
                                             .progress = &at.progress});
    EXPECT_TRUE(watched_witness.expired());
    if (ticket) {
      const auto proof = this->backend.prove_finish(*std::move(ticket));
      finished = proof.has_value() && !at.stop.stop_requested();
      if (!proof) {
        EXPECT_EQ(proof.error().code(), Code::cancelled);
      }
    } else {
      EXPECT_EQ(ticket.error().code(), Code::cancelled);
      ++ends;
    }
    ticket = fail(Code::cancelled, "dropped");
    EXPECT_TRUE(watched_key.expired());
  }
  EXPECT_GE(ends, 2);
}

TYPED_TEST(TicketFaults, fault_A19_a_dropped_ticket_frees_its_key) {
  using C = TypeParam;
  auto key = must(this->backend.load_key(this->sample.view_with_records()));
  const std::weak_ptr<const Key<C>> watched = key;
  auto ticket = must(this->backend.prove_start(
      std::move(key), nullptr, {.witness = this->sample.witness(), .blinding = must(Blinding<C>::random())}));
  EXPECT_FALSE(watched.expired());
  ticket.reset();
  EXPECT_TRUE(watched.expired());
}

// Once start has returned the caller may overwrite and free whatever he gave, and another thread may finish.
TYPED_TEST(TicketFaults, fault_A21_a_ticket_lives_on_what_it_owns) {
  using C = TypeParam;
  const auto expected = this->expected();
  const auto overwrite_and_free = [](r1cs::Witness* witness) {
    std::ranges::fill(witness->writable(), U256::from_u64(7));
    delete witness;
  };
  std::unique_ptr<Ticket<C>> ticket;
  {
    const std::shared_ptr<r1cs::Witness> witness(new r1cs::Witness(this->sample.satisfied.values()),
                                                 overwrite_and_free);
    auto circuit = must(this->backend.load_circuit(this->sample.circuit));
    auto key = must(this->backend.load_key(this->sample.view_with_records()));
    ticket = must(this->backend.prove_start(key, circuit,
                                            {.witness = witness, .blinding = Blinding<C>::fixed(this->r, this->s)}));
    EXPECT_EQ(witness.use_count(), 1);
    EXPECT_EQ(circuit.use_count(), 1);
  }
  std::jthread([&] {
    const auto proof = must(this->backend.prove_finish(std::move(ticket)));
    EXPECT_EQ(proof.a, expected.a);
    EXPECT_EQ(proof.b, expected.b);
    EXPECT_EQ(proof.c, expected.c);
  }).join();
}

/// How often the bytes stand in memory that threads allocate from: all that is private, can be written and belongs to
/// no file, but for the stack of the thread that asks. It is read through the kernel, in parts that overlap, since
/// others may unmap theirs meanwhile.
std::size_t count_in_heaps(const void* bytes, std::size_t size) {
  std::array<char, std::size_t{1} << 16> part;  // on the stack: not found again
  const auto own = reinterpret_cast<std::uintptr_t>(part.data());
  const int memory = ::open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
  EXPECT_GE(memory, 0);
  std::size_t count = 0;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0, end = 0, inode = 1;
    char dash = 0;
    std::string access, offset, device;
    std::istringstream(line) >> std::hex >> begin >> dash >> end >> access >> offset >> device >> inode;
    if (access != "rw-p" || inode != 0 || (begin <= own && own < end)) continue;
    for (std::uintptr_t at = begin; at < end; at += part.size() - size) {
      const ssize_t read = ::pread(memory, part.data(), std::min(part.size(), end - at), static_cast<off_t>(at));
      if (read < static_cast<ssize_t>(size)) break;
      const char* const last = part.data() + read;
      const char* next = part.data();
      while ((next = static_cast<const char*>(memmem(next, static_cast<std::size_t>(last - next), bytes, size))) !=
             nullptr) {
        next += size;
        if (next != part.data() + part.size()) ++count;  // else the next part has it too
      }
    }
  }
  ::close(memory);
  return count;
}

template <class C> struct Heap : TicketFaults<C> {};
TYPED_TEST_SUITE(Heap, Curves);

TYPED_TEST(Heap, fault_A35_blinding_is_wiped_where_it_was) {
  using C = TypeParam;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer keeps its allocations elsewhere";
#endif
  using Fr = typename C::Fr;
  const auto first = Fr::from_canonical(this->r);
  const auto second = Fr::from_canonical(this->s);
  const auto key = must(this->backend.load_key(this->sample.view_with_records()));
  ASSERT_EQ(count_in_heaps(&first, sizeof(Fr)), 0U);
  {
    auto input = std::make_unique<Blinding<C>>(Blinding<C>::fixed(this->r, this->s));
    EXPECT_EQ(count_in_heaps(&first, sizeof(Fr)), 1U);
    auto ticket = must(
        this->backend.prove_start(key, nullptr, {.witness = this->sample.witness(), .blinding = std::move(*input)}));
    EXPECT_EQ(count_in_heaps(&first, sizeof(Fr)), 1U) << "moved, not copied";
    EXPECT_EQ(count_in_heaps(&second, sizeof(Fr)), 1U);
    EXPECT_TRUE(this->backend.prove_finish(std::move(ticket)));
  }
  EXPECT_EQ(count_in_heaps(&first, sizeof(Fr)), 0U);
  EXPECT_EQ(count_in_heaps(&second, sizeof(Fr)), 0U);
}

// A stop may come at any moment, in the middle of a sum too: what comes out is the proof, or nothing.
TYPED_TEST(TicketFaults, AStopAtAnyTimeGivesTheProofOrNone) {
  using C = TypeParam;
  const auto expected = this->expected();
  const auto key = must(this->backend.load_key(this->sample.view_with_records()));
  for (int n = 0; n < 60; ++n) {
    std::stop_source stop;
    std::jthread other([&, wait = std::chrono::microseconds(this->random() % 8000)] {
      std::this_thread::sleep_for(wait);
      stop.request_stop();
    });
    auto ticket = this->backend.prove_start(key, nullptr,
                                            {.witness = this->sample.witness(),
                                             .blinding = Blinding<C>::fixed(this->r, this->s),
                                             .stop = stop.get_token()});
    const auto proof = ticket ? this->backend.prove_finish(*std::move(ticket)) : fail(std::move(ticket).error());
    if (proof) {
      EXPECT_EQ(proof->a, expected.a);
      EXPECT_EQ(proof->b, expected.b);
      EXPECT_EQ(proof->c, expected.c);
    } else {
      EXPECT_EQ(proof.error().code(), Code::cancelled);
    }
  }
}

}  // namespace
}  // namespace cuzk::backend
