#include "support/mapped_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "support/cut_files.h"
#include "tests/support/temporary_folder.h"

namespace cuzk {
namespace {

class MappedFileTest : public ::testing::Test {
 protected:
  std::string write(const std::string& name, std::string_view content) const {
    const std::string path = folder.file(name);
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }

  test::TemporaryFolder folder;
};

TEST_F(MappedFileTest, ShowsTheWholeFile) {
  const auto file = MappedFile::open(write("a", "zkey bytes"));
  ASSERT_TRUE(file);
  EXPECT_EQ(bytes_text(file->bytes()), "zkey bytes");
  EXPECT_EQ(file->size(), 10U);
  EXPECT_EQ(file->path(), folder.file("a"));
  EXPECT_TRUE(file->still_whole());
}

TEST_F(MappedFileTest, AnEmptyFileIsAnEmptySpan) {
  const auto file = MappedFile::open(write("empty", ""));
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->bytes().empty());
  file->drop(file->bytes());
  EXPECT_TRUE(file->still_whole());
}

TEST_F(MappedFileTest, RefusesWhatIsNoFile) {
  const auto missing = MappedFile::open(folder.file("missing"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), Code::not_found);
  const auto directory = MappedFile::open(folder.path().string());
  ASSERT_FALSE(directory);
  EXPECT_EQ(directory.error().code(), Code::malformed);
  const std::string pipe = folder.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto no_file = MappedFile::open(pipe);  // must not wait for a writer
  ASSERT_FALSE(no_file);
  EXPECT_EQ(no_file.error().code(), Code::malformed);
}

TEST_F(MappedFileTest, MovingKeepsSpans) {
  auto file = MappedFile::open(write("a", "abc"));
  ASSERT_TRUE(file);
  const Bytes bytes = file->bytes();
  MappedFile moved = *std::move(file);
  EXPECT_TRUE(file->bytes().empty());
  EXPECT_EQ(moved.bytes().data(), bytes.data());
  auto other = MappedFile::open(write("b", "defg"));
  ASSERT_TRUE(other);
  moved = *std::move(other);
  EXPECT_EQ(bytes_text(moved.bytes()), "defg");
}

TEST_F(MappedFileTest, FindsAFileThatWasCutShort) {
  const std::string path = write("a", "0123456789");
  const auto file = MappedFile::open(path);
  ASSERT_TRUE(file);
  ASSERT_EQ(::truncate(path.c_str(), 4), 0);
  const Status whole = file->still_whole();
  ASSERT_FALSE(whole);
  EXPECT_EQ(whole.error().kind(), Kind::truncated);
  EXPECT_EQ(whole.error().where()->file, path);
  ASSERT_EQ(::truncate(path.c_str(), 12), 0);
  EXPECT_TRUE(file->still_whole()) << "what was mapped is there";
}

TEST_F(MappedFileTest, WhatIsMissingIsReadAsZerosAndIsToldForGood) {
  survive_cut_files();
  constexpr std::size_t kBytes = 5 << 20;
  const std::string path = write("a", std::string(kBytes, 'x'));
  auto opened = MappedFile::open(path);
  const auto other = MappedFile::open(write("b", "whole"));
  ASSERT_TRUE(opened && other);
  const MappedFile file = *std::move(opened);
  ASSERT_EQ(::truncate(path.c_str(), 10'000), 0);
  EXPECT_EQ(file.bytes()[9'999], std::byte{'x'});
  EXPECT_EQ(std::ranges::count(file.bytes(), std::byte{'x'}), 10'000);
  EXPECT_EQ(file.bytes()[kBytes - 1], std::byte{0});
  EXPECT_FALSE(file.still_whole());
  std::ofstream(path, std::ios::binary) << std::string(kBytes, 'x');
  ASSERT_FALSE(file.still_whole()) << "what was read is not what the file has";
  EXPECT_EQ(file.still_whole().error().kind(), Kind::truncated);
  EXPECT_TRUE(other->still_whole());
  const auto again = MappedFile::open(path);
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->still_whole());
}

TEST_F(MappedFileTest, AnotherBusErrorEndsTheProgramAsBefore) {
  const auto touch_behind_the_end = [&] {
    std::signal(SIGBUS, SIG_DFL);  // not a sanitizer's
    survive_cut_files();
    const std::string path = write("a", "x");
    const int fd = ::open(path.c_str(), O_RDONLY);
    void* const data = ::mmap(nullptr, 1 << 20, PROT_READ, MAP_SHARED, fd, 0);
    static_cast<void>(static_cast<const volatile char*>(data)[1 << 19]);
  };
  EXPECT_EXIT(touch_behind_the_end(), ::testing::KilledBySignal(SIGBUS), "");
}

TEST_F(MappedFileTest, HintsKeepTheBytes) {
  const std::string content(100'000, 'x');
  const auto file = MappedFile::open(write("a", content));
  ASSERT_TRUE(file);
  const Bytes part = file->bytes().subspan(10, 80'000);
  file->advise_sequential(part);
  file->advise_willneed(part);
  file->drop(part);
  file->drop(file->bytes().subspan(5, 10));  // no whole page inside
  EXPECT_EQ(bytes_text(file->bytes()), content);
}

TEST_F(MappedFileTest, NamesTheLimitWhenThereIsNoAddressSpace) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need all of the address space";
#endif
  const std::string path = write("big", "x");
  ASSERT_EQ(::truncate(path.c_str(), off_t{1} << 40), 0);
  const rlimit limit{std::size_t{1} << 38, RLIM_INFINITY};
  rlimit former{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &former), 0);
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &limit), 0);
  const auto file = MappedFile::open(path);
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &former), 0);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code(), Code::exhausted);
  EXPECT_NE(file.error().to_string().find("RLIMIT_AS"), std::string::npos);
}

}  // namespace
}  // namespace cuzk
