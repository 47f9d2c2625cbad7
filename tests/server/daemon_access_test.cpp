#include <filesystem>
#include <fstream>

#include <cuzk/v1/proving.grpc.pb.h>
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "server/daemon.h"
#include "tests/server/http_client.h"
#include "tests/server/tls_files.h"
#include "tests/support/eventually.h"
#include "tests/support/must.h"
#include "tests/support/temporary_folder.h"

namespace cuzk::server {
namespace {

using grpc::StatusCode;
using test::must;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

void write(const std::string& path, std::string_view text) { std::ofstream(path) << text; }

/// A daemon with TLS and a token, whose files change.
class DaemonAccessTest : public ::testing::Test {
 protected:
  DaemonAccessTest() {
    write_identity(test::kServerCertificate, test::kServerKey);
    write(folder.file("token"), "first\n");
    std::filesystem::create_directory(folder.file("params"));
    config.daemon.listen = {"127.0.0.1:0"};
    config.daemon.status_listen = "127.0.0.1:0";
    config.daemon.tls_certificate = folder.file("certificate");
    config.daemon.tls_key = folder.file("key");
    config.daemon.token_file = folder.file("token");
    config.memory.total_budget = std::uint64_t{1} << 30;
    config.srs.param_cache = folder.file("params");
    daemon = must(Daemon::start(config, {}));
  }

  void write_identity(std::string_view certificate, std::string_view key) const {
    write(folder.file("certificate"), certificate);
    write(folder.file("key"), key);
  }

  struct Answer {
    StatusCode code = StatusCode::UNKNOWN;
    std::string certificate;  // that the server showed; PEM
  };
  /// Over a connection of its own.
  Answer ask(const std::string& token) const {
    grpc::SslCredentialsOptions ssl;
    ssl.pem_root_certs = test::kRoots;
    grpc::ChannelArguments alone;
    alone.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    const auto channel =
        grpc::CreateCustomChannel("ipv4:" + daemon->addresses()[0], grpc::SslCredentials(ssl), with_name(alone));
    grpc::ClientContext context;
    context.AddMetadata("authorization", "Bearer " + token);
    context.set_deadline(std::chrono::system_clock::now() + test::kPatience);
    v1::GetStatusResponse response;
    const grpc::Status status = v1::ProvingEngine::NewStub(channel)->GetStatus(&context, {}, &response);
    Answer answer{status.error_code(), ""};
    const auto shown = context.auth_context()->FindPropertyValues("x509_pem_cert");
    if (!shown.empty()) answer.certificate = std::string(shown[0].data(), shown[0].size());
    return answer;
  }
  int ask_http(const std::string& token) const {
    const ListenAddress at = must(parse_listen_address(daemon->addresses()[1].substr(7)));
    return http(at, "GET", "/v1/jobs", "Host: localhost\r\nAuthorization: Bearer " + token + "\r\n").status;
  }

  static grpc::ChannelArguments with_name(grpc::ChannelArguments arguments) {
    arguments.SetSslTargetNameOverride("localhost");
    return arguments;
  }

  const test::TemporaryFolder folder;
  Config config;
  std::unique_ptr<Daemon> daemon;
};

TEST_F(DaemonAccessTest, AReloadTakesTheNewCertificate) {
  EXPECT_EQ(ask("first").certificate, test::kServerCertificate);
  write_identity(test::kClientCertificate, test::kClientKey);
  EXPECT_EQ(ask("first").certificate, test::kServerCertificate);
  EXPECT_THAT(must(daemon->reload(config)).applied, ElementsAre("content of daemon.tls_certificate"));
  EXPECT_EQ(ask("first").certificate, test::kClientCertificate);
  EXPECT_EQ(ask("first").code, StatusCode::OK);
  EXPECT_THAT(must(daemon->reload(config)).applied, IsEmpty());
}

TEST_F(DaemonAccessTest, AKeyThatDoesNotFitLeavesTheFormerCertificate) {
  write_identity(test::kClientCertificate, test::kServerKey);
  EXPECT_EQ(daemon->reload(config).error().code(), Code::malformed);
  EXPECT_EQ(ask("first").certificate, test::kServerCertificate);
  write_identity(test::kClientCertificate, test::kClientKey);
  must(daemon->reload(config));
  EXPECT_EQ(ask("first").certificate, test::kClientCertificate);
}

/// Else it would listen, be ready, and refuse every client.
TEST_F(DaemonAccessTest, CertificatesThatCannotBeUsedAreToldBeforeTheStart) {
  const auto refused = [&] {
    const auto checked = Daemon::check(config, {});
    const auto started = Daemon::start(config, {});
    EXPECT_FALSE(started);
    return checked ? std::string() : checked.error().to_string();
  };
  write_identity("no certificate", test::kServerKey);
  EXPECT_THAT(refused(),
              HasSubstr("there is no PEM certificate in it; daemon.tls_certificate " + folder.file("certif")));
  write_identity(test::kServerCertificate, "no key");
  EXPECT_THAT(refused(), HasSubstr("no PEM key without a password"));
  write_identity(test::kServerCertificate, test::kClientKey);
  EXPECT_THAT(refused(), HasSubstr("the key is not that of the first certificate"));
  write_identity(test::kServerCertificate, test::kServerKey);
  write(folder.file("roots"), test::kServerKey);
  config.daemon.tls_client_ca = folder.file("roots");
  EXPECT_THAT(refused(), HasSubstr("daemon.tls_client_ca " + folder.file("roots")));
  write(folder.file("roots"), test::kRoots);
  EXPECT_EQ(must(Daemon::start(config, {}))->addresses().size(), 2U);
}

TEST_F(DaemonAccessTest, AReloadTakesTheNewToken) {
  EXPECT_EQ(ask("first").code, StatusCode::OK);
  EXPECT_EQ(ask("second").code, StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(ask_http("first"), 200);
  write(folder.file("token"), "second\n");
  EXPECT_THAT(must(daemon->reload(config)).applied, ElementsAre("content of daemon.token_file"));
  EXPECT_EQ(ask("first").code, StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(ask("second").code, StatusCode::OK);
  EXPECT_EQ(ask_http("first"), 401);
  EXPECT_EQ(ask_http("second"), 200);
}

TEST_F(DaemonAccessTest, AFileThatIsEmptyOrGoneChangesNothing) {
  write(folder.file("token"), "\n");
  EXPECT_EQ(daemon->reload(config).error().code(), Code::malformed);
  std::filesystem::remove(folder.file("token"));
  EXPECT_EQ(daemon->reload(config).error().code(), Code::not_found);
  EXPECT_EQ(ask("first").code, StatusCode::OK);
}

}  // namespace
}  // namespace cuzk::server
