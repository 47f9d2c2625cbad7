#include "engine/ordered_queue.h"

#include <atomic>
#include <functional>
#include <memory>
#include <random>
#include <thread>

#include <gtest/gtest.h>

namespace cuzk::engine {
namespace {

struct Item {
  Order place;
  std::uint64_t queued_ns = 0;
  std::function<void()> asked{};
  Order order() const {
    if (asked) asked();
    return place;
  }
};
using Queue = OrderedQueue<std::unique_ptr<Item>>;

void push(Queue& queue, Order order, std::function<void()> asked = {}) {
  auto item = std::make_unique<Item>();
  item->place = order;
  item->asked = std::move(asked);
  queue.push(std::move(item));
}

TEST(OrderedQueue, MostUrgentFirstAndNothingIsLost) {
  std::mt19937_64 random(7);
  Queue queue;
  const auto start = Deadline::Clock::now();
  for (int i = 0; i < 500; ++i) {
    push(queue, {.priority = static_cast<memory::Priority>(random() % 4),
                 .deadline = start + std::chrono::seconds(random() % 3),
                 .sequence = random() % 5,
                 .partition = static_cast<std::uint32_t>(random() % 3)});  // many are equal
  }
  Order last{.priority = memory::Priority::critical, .deadline = {}, .sequence = 0, .partition = 0};
  for (int i = 0; i < 500; ++i) {
    const auto item = queue.pop({});
    ASSERT_NE(item, nullptr);
    EXPECT_FALSE(before(item->place, last));
    last = item->place;
  }
  EXPECT_EQ(queue.size(), 0u);
}

TEST(OrderedQueue, FiltersStopsAndTakesAway) {
  Queue queue;
  push(queue, {.sequence = 1});
  push(queue, {.sequence = 2});
  std::stop_source stop;
  std::jthread waiting([&] {
    const auto third = [](const auto&, const Order& order) { return order.sequence == 3; };
    EXPECT_EQ(queue.pop(stop.get_token(), [&] { return third; }), nullptr);
  });
  EXPECT_EQ(queue.take_all([](const auto& item) { return item->place.sequence == 1; }).size(), 1u);
  EXPECT_EQ(queue.size(), 1u);
  EXPECT_NE(queue.oldest_ns(), 0u);
  stop.request_stop();
}

// Room comes between the question for the first item and that for the second one, which is less urgent.
TEST(OrderedQueue, ALookIsAtOneMoment) {
  Queue queue;
  std::atomic<bool> room = false;
  push(queue, {.sequence = 1});
  push(queue, {.sequence = 2}, [&] { room = true; });
  std::jthread poke([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      queue.look_again();
      std::this_thread::yield();
    }
  });
  const auto look = [&] { return [has_room = room.load()](const auto&, const Order&) { return has_room; }; };
  EXPECT_EQ(queue.pop({}, look)->place.sequence, 1U);
}

TEST(OrderedQueue, WhatBecomesMoreUrgentIsSeen) {
  Queue queue;
  std::atomic<bool> urgent = false;
  push(queue, {.sequence = 1});
  auto item = std::make_unique<Item>();
  Item& raised = *item;
  raised.place.sequence = 2;
  raised.asked = [&] { raised.place.priority = urgent ? memory::Priority::high : memory::Priority::normal; };
  queue.push(std::move(item));
  std::jthread waiting([&] {
    const auto high = [](const auto&, const Order& order) { return order.priority == memory::Priority::high; };
    EXPECT_EQ(queue.pop({}, [&] { return high; })->place.sequence, 2U);
  });
  urgent = true;
  queue.look_again();
  waiting.join();
  EXPECT_EQ(queue.size(), 1U);
}

}  // namespace
}  // namespace cuzk::engine
