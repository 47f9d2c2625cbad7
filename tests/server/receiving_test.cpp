#include "server/receiving.h"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace cuzk::server {
namespace {

TEST(ReceivingSlots, AreGivenInTheOrderOfArrival) {
  ReceivingSlots slots(2);
  std::vector<int> begun;
  for (int i = 0; i < 5; ++i) slots.enter([&begun, i] { begun.push_back(i); });
  EXPECT_EQ(begun, (std::vector<int>{0, 1}));
  slots.leave();
  EXPECT_EQ(begun, (std::vector<int>{0, 1, 2}));
  for (int i = 0; i < 4; ++i) slots.leave();
  EXPECT_EQ(begun, (std::vector<int>{0, 1, 2, 3, 4}));
  slots.enter([&begun] { begun.push_back(5); });
  slots.enter([&begun] { begun.push_back(6); });
  slots.enter([&begun] { begun.push_back(7); });
  EXPECT_EQ(begun.size(), 7U);
}

TEST(ReceivingSlots, ABeginMayLeaveAtOnce) {
  ReceivingSlots slots(1);
  int begun = 0;
  slots.enter([] {});
  for (int i = 0; i < 1'000'000; ++i) {  // more than any stack could hold
    slots.enter([&] {
      ++begun;
      slots.leave();
    });
  }
  slots.leave();
  EXPECT_EQ(begun, 1'000'000);
}

TEST(ReceivingSlots, ThoseWhoWaitAreBounded) {
  ReceivingSlots slots(1, 2);
  int begun = 0;
  EXPECT_TRUE(slots.enter([&] { ++begun; }));
  EXPECT_TRUE(slots.enter([&] { ++begun; }));
  EXPECT_TRUE(slots.enter([&] { ++begun; }));
  EXPECT_FALSE(slots.enter([&] { ++begun; }));
  for (int i = 0; i < 3; ++i) slots.leave();
  EXPECT_EQ(begun, 3);
}

TEST(ReceivingSlots, WhoIsLateEndsWhenOthersWaitAndKeepsHisSlotUntilThen) {
  ReceivingSlots slots(1);
  int ended = 0;
  int begun = 0;
  slots.enter([] {});
  slots.late(&slots, [&] { ++ended; });
  EXPECT_EQ(ended, 0);
  slots.enter([&] { ++begun; });
  EXPECT_EQ(ended, 1);
  EXPECT_EQ(begun, 0);
  slots.leave();
  EXPECT_EQ(begun, 1);
  slots.late(&begun, [&] { ++ended; });
  slots.forget(&begun);
  slots.enter([&] { ++begun; });
  EXPECT_EQ(ended, 1);
}

TEST(ReceivingSlots, WhoHasBeenLateForLongestEndsFirst) {
  ReceivingSlots slots(3);
  std::vector<int> ended;
  int begun = 0;
  int who[3] = {};
  for (int i = 0; i < 3; ++i) slots.enter([] {});
  for (const int i : {2, 0, 1}) {  // in no order of addresses
    slots.late(&who[i], [&, i] {
      ended.push_back(i);
      slots.leave();  // at once
    });
  }
  for (int i = 0; i < 3; ++i) {
    slots.enter([&] { ++begun; });
    EXPECT_EQ(begun, i + 1);
  }
  EXPECT_EQ(ended, (std::vector<int>{2, 0, 1}));
}

TEST(ReceivingSlots, NeverMoreThanThereAre) {
  ReceivingSlots slots(3);
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  std::atomic<int> done = 0;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        slots.enter([&] {
          const int now = ++inside;
          int seen = most;
          while (now > seen && !most.compare_exchange_weak(seen, now)) {
          }
          --inside;
          ++done;
          slots.leave();
        });
      }
    });
  }
  threads.clear();
  EXPECT_LE(most, 3);
  EXPECT_EQ(done, 1600);
}

}  // namespace
}  // namespace cuzk::server
