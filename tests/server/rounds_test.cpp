#include "server/rounds.h"

#include <atomic>
#include <future>

#include <gtest/gtest.h>

namespace cuzk::server {
namespace {

constexpr auto kRest = std::chrono::milliseconds(1);

/// Is done with after so many looks.
class Counted final : public Rounds::Member {
 public:
  explicit Counted(int looks) : left_(looks) {}
  bool look() noexcept override {
    if (--left_ > 0) return true;
    done_.set_value();
    return false;
  }
  bool is_done() { return done_.get_future().wait_for(std::chrono::seconds(30)) == std::future_status::ready; }

 private:
  int left_;
  std::promise<void> done_;
};

TEST(Rounds, LookUntilAMemberIsDone) {
  Rounds rounds("test", kRest, 8);
  const auto once = std::make_shared<Counted>(1);
  const auto often = std::make_shared<Counted>(20);
  EXPECT_TRUE(rounds.add(often));
  EXPECT_TRUE(rounds.add(once));
  EXPECT_TRUE(once->is_done());
  EXPECT_TRUE(often->is_done());
  const auto later = std::make_shared<Counted>(2);  // after nothing was left
  EXPECT_TRUE(rounds.add(later));
  EXPECT_TRUE(later->is_done());
}

TEST(Rounds, HaveAsManyMembersAsMayBe) {
  Rounds rounds("test", kRest, 2);
  const auto stays = std::make_shared<Counted>(1 << 30);
  const auto goes = std::make_shared<Counted>(3);
  EXPECT_TRUE(rounds.add(stays));
  EXPECT_TRUE(rounds.add(goes));
  const auto last = std::make_shared<Counted>(1);
  while (!rounds.add(last)) std::this_thread::yield();
  EXPECT_TRUE(goes->is_done());
  EXPECT_TRUE(last->is_done());
}

TEST(Rounds, EndWithMembersThatAreNotDone) {
  const auto stays = std::make_shared<Counted>(1 << 30);
  const std::weak_ptr<Counted> watched = stays;
  {
    Rounds rounds("test", kRest, 2);
    EXPECT_TRUE(rounds.add(stays));
  }
  EXPECT_EQ(watched.use_count(), 1);
}

}  // namespace
}  // namespace cuzk::server
