#include "formats/points.h"

#include <gtest/gtest.h>

#include "tests/formats/samples.h"

namespace cuzk::formats {
namespace {

using C = Bn254;
using G1 = C::G1Affine;

TEST(PointRuns, LongerThanABlockAreCheckedToTheEnd) {
  constexpr std::size_t kCount = (std::size_t{1} << 25) / sizeof(G1) + 100;  // one block and a piece
  Arena arena(2);
  const std::vector<G1> points(kCount, G1::identity());
  const Bytes bytes = std::as_bytes(std::span(points));
  const PointRun run{.bytes = bytes, .point_bytes = sizeof(G1), .section = "a", .offset = 1000};
  std::atomic<std::size_t> seen = 0;
  test::must(check_run(arena, run, [&](std::size_t, Bytes) -> Status {
    ++seen;
    return {};
  }));
  EXPECT_EQ(seen, kCount);
  const auto last_is_bad = [&](std::size_t i, Bytes point) -> Status {
    EXPECT_EQ(point.data(), bytes.data() + i * sizeof(G1));
    if (i + 1 < kCount) return {};
    return fail(Reader({}, "").malformed_at(7, Kind::non_canonical, "bad"));
  };
  const Status status = check_run(arena, run, last_is_bad);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().where()->section, "a");
  EXPECT_EQ(status.error().where()->offset, 1000 + (kCount - 1) * sizeof(G1) + 7);
}

TEST(PointRuns, StopWhenAsked) {
  Arena arena(1);
  const std::vector<G1> points(1, G1::identity());
  const PointRun run{.bytes = std::as_bytes(std::span(points)), .point_bytes = sizeof(G1), .section = "a", .offset = 0};
  std::stop_source source;
  source.request_stop();
  const Status status =
      check_run(arena, run, [](std::size_t, Bytes) -> Status { return {}; }, nullptr, {}, source.get_token());
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code(), Code::cancelled);
}

}  // namespace
}  // namespace cuzk::formats
