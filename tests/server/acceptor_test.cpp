#include "server/acceptor.h"

#include <condition_variable>

#include <gtest/gtest.h>

#include "few_descriptors.h"
#include "http_client.h"
#include "server/listen_sockets.h"
#include "support/mutex.h"
#include "tests/support/must.h"

namespace cuzk::server {
namespace {

using test::must;

class AcceptorTest : public testing::Test {
 protected:
  void SetUp() override { start(Acceptor::Use::calls); }

  void start(Acceptor::Use use) {
    ListenSockets listening = must(listen_at_port(at_));
    at_.port = listening.port;
    acceptor_ = must(Acceptor::start("accept", use, std::move(listening.sockets), [this](int client) {
      const MutexLock lock(mutex_);
      taken_.emplace_back(client);
      changed_.notify_all();
    }));
  }

  bool wait_taken(std::size_t count) {
    MutexLock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(30),
                             [&]() CUZK_REQUIRES(mutex_) { return taken_.size() == count; });
  }

  ListenAddress at_ = must(parse_listen_address("127.0.0.1:0"));
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<FileDescriptor> taken_ CUZK_GUARDED_BY(mutex_);
  std::unique_ptr<Acceptor> acceptor_;
};

TEST_F(AcceptorTest, HandsOnWhatComes) {
  const RawHttpClient first(at_);
  const RawHttpClient second(at_);
  EXPECT_TRUE(wait_taken(2));
}

TEST_F(AcceptorTest, TheLastDescriptorsAreNotForClients) {
  FewDescriptors descriptors;
  descriptors.take_all_but(FewDescriptors::kLimit / 4);
  EXPECT_EQ(RawHttpClient(at_).answer().status, 0);  // the connection has ended
  EXPECT_TRUE(wait_taken(0));
  descriptors.give_back();
  const RawHttpClient next(at_);
  EXPECT_TRUE(wait_taken(1));
}

TEST_F(AcceptorTest, PagesMayTakeHalfOfThem) {
  acceptor_.reset();
  start(Acceptor::Use::pages);
  FewDescriptors descriptors;
  descriptors.take_all_but(FewDescriptors::kLimit / 4);
  const RawHttpClient asks(at_);
  EXPECT_TRUE(wait_taken(1));
  descriptors.take_all_but(FewDescriptors::kLimit / 8);
  EXPECT_EQ(RawHttpClient(at_).answer().status, 0);
  EXPECT_TRUE(wait_taken(1));
}

TEST_F(AcceptorTest, WhoCannotBeTakenWaits) {
  if (!FewDescriptors::kNoneMayBeLeft) GTEST_SKIP() << "UBSan needs descriptors";
  FewDescriptors descriptors;
  descriptors.take_all_but(1);
  const RawHttpClient client(at_);
  descriptors.give_back();
  EXPECT_TRUE(wait_taken(1));
}

}  // namespace
}  // namespace cuzk::server
