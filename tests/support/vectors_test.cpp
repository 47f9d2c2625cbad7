#include "tests/support/vectors.h"

#include <stdlib.h>  // setenv is no part of <cstdlib>

#include <fstream>
#include <optional>
#include <stdexcept>

#include <gtest/gtest.h>

#include "support/hex.h"
#include "tests/support/must.h"
#include "tests/support/temporary_folder.h"

namespace cuzk::test {
namespace {

namespace fs = std::filesystem;

class VectorsTest : public ::testing::Test {
 protected:
  VectorsTest() {
    if (const char* const value = ::getenv("CUZK_VECTORS")) former_ = value;
  }
  ~VectorsTest() override {
    if (former_) {
      ::setenv("CUZK_VECTORS", former_->c_str(), 1);
    } else {
      ::unsetenv("CUZK_VECTORS");
    }
  }

  void add(const fs::path& file, std::string_view content) const {
    fs::create_directories((folder.path() / file).parent_path());
    std::ofstream(folder.path() / file, std::ios::binary) << content;
  }
  void add_hex(const fs::path& file, std::string_view digits) const { add(file, bytes_text(must(decode_hex(digits)))); }
  void use_roots() const { ::setenv("CUZK_VECTORS", (folder.file("one") + ":" + folder.file("two")).c_str(), 1); }

  TemporaryFolder folder;

 private:
  std::optional<std::string> former_;
};

std::string_view text(const FileBytes& bytes) { return bytes_text(bytes); }

TEST_F(VectorsTest, FindsCasesInAllRoots) {
  add("one/groth16/cubic/case.json", "1");
  add("two/groth16/cubic/case.json", "2");
  add("two/groth16/mimc/case.json", "2");
  add("two/groth16/notes/readme", "no case");
  use_roots();
  const std::vector<VectorCase> cases = find_cases("groth16");
  ASSERT_EQ(cases.size(), 2U);
  EXPECT_EQ(cases[0].name, "cubic");
  EXPECT_EQ(read_text(cases[0].folder / "case.json"), "1") << "the earlier root wins";
  EXPECT_EQ(cases[1].name, "mimc");
  EXPECT_TRUE(find_cases("absent").empty());
  EXPECT_EQ(read_text(vector_path("groth16/mimc/case.json")), "2");
  EXPECT_THROW(vector_path("groth16/absent"), std::runtime_error);
}

TEST_F(VectorsTest, RefusesARootThatIsNoFolder) {
  ::setenv("CUZK_VECTORS", folder.file("absent").c_str(), 1);
  EXPECT_THROW(vector_roots(), std::runtime_error);
  EXPECT_THROW(read_file(folder.file("absent")), std::runtime_error);
  EXPECT_THROW(read_file(folder.path()), std::runtime_error);
}

// "hello, vectors\n" as packed by gzip -n and by zstd 1.5.4.
constexpr std::string_view kGzip = "1f8b0800000000000003cb48cdc9c9d751284b4d2ec92f2ae602000672c31e0f000000";
constexpr std::string_view kZstd = "28b52ffd045879000068656c6c6f2c20766563746f72730a90e64eac";

TEST_F(VectorsTest, UnpacksWhatIsPacked) {
  add_hex("a.gz", kGzip);
  add_hex("b.zst", kZstd);
  add("c", "plain");
  add("c.gz", "not looked at");
  EXPECT_EQ(text(read_vector(folder.path() / "a")), "hello, vectors\n");
  EXPECT_EQ(text(read_vector(folder.path() / "b")), "hello, vectors\n");
  EXPECT_EQ(text(read_vector(folder.path() / "c")), "plain");
  EXPECT_THROW(read_vector(folder.path() / "d"), std::runtime_error);
}

TEST_F(VectorsTest, RefusesPackedFilesThatAreCutOff) {
  add_hex("a.gz", kGzip.substr(0, kGzip.size() - 8));
  add_hex("b.zst", kZstd.substr(0, kZstd.size() - 8));
  EXPECT_THROW(read_vector(folder.path() / "a"), std::runtime_error);
  EXPECT_THROW(read_vector(folder.path() / "b"), std::runtime_error);
}

}  // namespace
}  // namespace cuzk::test
