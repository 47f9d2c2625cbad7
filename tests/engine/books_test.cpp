#include "engine/books.h"

#include <gtest/gtest.h>

#include "store/sqlite_journal.h"
#include "tests/support/must.h"
#include "tests/support/temporary_folder.h"

namespace cuzk::engine {
namespace {

using std::chrono::seconds;
using test::must;

TEST(Books, ThePayloadOfAJobThatHasEndedGoesHoweverYoung) {
  const test::TemporaryFolder folder;
  const auto journal = must(store::open_sqlite_journal(folder.file("journal"), {}));
  const auto spool = must(store::Spool::open({.folder = folder.file("spool")}));
  Books books(journal.get(), spool.get(), seconds(30));
  for (const JobState state : {JobState::completed, JobState::failed, JobState::cancelled}) {
    JobIdentity identity;
    identity.digest[0] = static_cast<std::byte>(state);
    const auto job = std::make_shared<Job>(identity, Priority::normal);
    JobContent content;
    content.payloads.push_back({text_bytes("payload"), nullptr});
    auto hashes = payload_hashes(content);
    job->admit(must(books.accept(*job, std::move(content), std::move(hashes))).admission);
    must(books.expire({}));
    EXPECT_EQ(spool->used_bytes(), 7U) << "it is open";
    JobResult result;
    result.state = state;
    must(books.end(job, result));
    must(books.expire({}));
    EXPECT_EQ(spool->used_bytes(), 0U) << to_string(state);
  }
}

}  // namespace
}  // namespace cuzk::engine
