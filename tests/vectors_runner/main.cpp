// Registers every case as a test of its own.
#include <algorithm>
#include <iostream>

#include <gtest/gtest.h>

#include "support/hex.h"
#include "support/sha256.h"
#include "tests/support/must.h"
#include "tests/vectors_runner/vector_case.h"

namespace cuzk::test {

nlohmann::json read_json(const std::filesystem::path& path, std::initializer_list<std::string_view> known) {
  nlohmann::json json = nlohmann::json::parse(read_text(path));
  for (const auto& [key, value] : json.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      throw std::runtime_error(path.string() + ": unknown member '" + key + "'");
    }
  }
  return json;
}

void expect_listed_files(const nlohmann::json& case_json, const std::filesystem::path& folder) {
  for (const auto& [name, entry] : case_json.at("files").items()) {
    const FileBytes bytes = read_file(folder / name);
    const auto size = entry.contains("bytes") ? entry.at("bytes") : entry.at("size");
    EXPECT_EQ(bytes.size(), size.get<std::uint64_t>()) << name;
    EXPECT_EQ(encode_hex(sha256(bytes)), entry.at("sha256").get<std::string>()) << name;
  }
}

formats::KeySource memory_source(FileBytes bytes) {
  auto owned = std::make_shared<const FileBytes>(std::move(bytes));
  return formats::KeySource(Bytes(*owned), owned);
}

Arena& arena() {
  static Arena shared;
  return shared;
}

namespace {

class VectorTest : public testing::Test {
 public:
  explicit VectorTest(std::function<void()> run) : run_(std::move(run)) {}
  void TestBody() override { run_(); }

 private:
  std::function<void()> run_;
};

/// A name that filters of tests can hold.
std::string plain(std::string name) {
  for (char& c : name)
    if (c == '-' || c == '.' || c == '/') c = '_';
  return name;
}

void register_all(std::vector<RegisteredCase> cases) {
  for (RegisteredCase& c : cases) {
    testing::RegisterTest(c.group.c_str(), plain(c.name).c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [run = std::move(c.run)]() -> VectorTest* { return new VectorTest(run); });
  }
}

}  // namespace
}  // namespace cuzk::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  try {
    for (const auto& cases : {cuzk::test::groth16_cases, cuzk::test::circom_cases, cuzk::test::malformed_cases,
                              cuzk::test::real_proof_cases, cuzk::test::real_statement_cases,
                              cuzk::test::filecoin_statement_cases, cuzk::test::filecoin_primitive_cases,
                              cuzk::test::filecoin_circuit_cases, cuzk::test::filecoin_partition_cases}) {
      cuzk::test::register_all(cases());
    }
  } catch (const std::exception& error) {
    std::cerr << "cannot list the vectors: " << error.what() << '\n';
    return 1;
  }
  return RUN_ALL_TESTS();
}
