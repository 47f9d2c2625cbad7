#include "support/certificates.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/server/tls_files.h"

namespace cuzk {
namespace {

std::string together(const char* first, const char* second) { return std::string(first) + second; }

TEST(Certificates, AChainBeginsWithTheCertificateOfItsKey) {
  EXPECT_TRUE(check_identity(test::kServerCertificate, test::kServerKey));
  EXPECT_TRUE(check_identity(together(test::kServerCertificate, test::kRoots), test::kServerKey));
  EXPECT_FALSE(check_identity(together(test::kRoots, test::kServerCertificate), test::kServerKey));
  EXPECT_FALSE(check_identity(test::kServerCertificate, test::kClientKey));
  EXPECT_FALSE(check_identity(test::kServerKey, test::kServerKey));
  EXPECT_FALSE(check_identity(test::kServerCertificate, test::kServerCertificate));
  EXPECT_FALSE(check_identity(test::kServerCertificate, ""));
  EXPECT_FALSE(check_identity("", test::kServerKey));
}

TEST(Certificates, WhatBeginsAsOneIsOne) {
  EXPECT_TRUE(check_certificates(test::kRoots));
  EXPECT_TRUE(check_certificates(together("a comment\n", test::kRoots)));
  EXPECT_FALSE(check_certificates(""));
  EXPECT_FALSE(check_certificates("a comment"));
  const std::string cut = std::string(test::kRoots).substr(0, 200);
  EXPECT_FALSE(check_certificates(cut));
  EXPECT_FALSE(check_certificates(test::kRoots + cut));
}

}  // namespace
}  // namespace cuzk
