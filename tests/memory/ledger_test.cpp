#include "memory/ledger.h"

#include <gtest/gtest.h>

namespace cuzk::memory {
namespace {

TEST(Ledger, IdleBytesThatAreExpectedCountOnce) {
  Ledger ledger(100, 0);
  Holding job = ledger.open(MemoryTag::abc, "a", {.bytes = 60, .pooled = 0}, false);
  ledger.park(job, 60);
  EXPECT_EQ(ledger.used(), 60U) << "idle, expected by nobody";
  EXPECT_EQ(ledger.shortfall({.bytes = 50, .pooled = 0}, Priority::normal), 10U);
  EXPECT_EQ(ledger.shortfall({.bytes = 100, .pooled = 60}, Priority::normal), 0U);
  Holding next = ledger.open(MemoryTag::abc, "b", {.bytes = 100, .pooled = 60}, false);
  EXPECT_EQ(ledger.used(), 100U);
  ledger.take_idle(next, 60);
  EXPECT_EQ(ledger.used(), 100U);
  EXPECT_EQ(ledger.idle(), 0U);
  EXPECT_EQ(next.pooled, 0U);
  ledger.give_back(next, {.bytes = 100, .pooled = 0});
  ledger.close(next);
  ledger.close(job);
  EXPECT_EQ(ledger.used(), 0U);
  EXPECT_TRUE(ledger.accounts().empty());
}

TEST(Ledger, NewBytesMustFitBesideIdleOnes) {
  Ledger ledger(100, 0);
  Holding old = ledger.open(MemoryTag::abc, "a", {.bytes = 60, .pooled = 0}, false);
  ledger.park(old, 60);
  Holding job = ledger.open(MemoryTag::abc, "b", {.bytes = 80, .pooled = 60}, false);
  EXPECT_FALSE(ledger.materialise(job, 50)) << "60 idle, 50 of them no longer expected: 80 + 50 > 100";
  EXPECT_TRUE(ledger.materialise(job, 20)) << "20 more fit";
  EXPECT_EQ(ledger.used(), 100U);
  EXPECT_FALSE(ledger.materialise(job, 1));
  ledger.drop_idle(60);
  EXPECT_TRUE(ledger.materialise(job, 40));
  EXPECT_EQ(ledger.used(), 80U);
  EXPECT_EQ(ledger.expected(), 0U);
}

TEST(Ledger, CriticalAndOrdinaryHoldingsJoin) {
  Ledger ledger(100, 40);
  Holding critical = ledger.open(MemoryTag::abc, "a", {.bytes = 40, .pooled = 0}, true);
  Holding ordinary = ledger.open(MemoryTag::abc, "a", {.bytes = 20, .pooled = 0}, false);
  EXPECT_EQ(ledger.available(Priority::normal), 40U);
  ledger.join(ordinary, critical);
  EXPECT_EQ(ledger.available(Priority::normal), 0U) << "the reserve is to be filled again";
  EXPECT_EQ(ledger.available(Priority::critical), 40U);
  EXPECT_EQ(ordinary.bytes, 60U);
}

}  // namespace
}  // namespace cuzk::memory
