#include "formats/points.h"

#include "support/parallel_find.h"

namespace cuzk::formats {

Error at_place(Error&& error, std::string section, std::uint64_t point_offset) {
  Where where;
  if (error.where() != nullptr) where = *error.where();
  where.section = std::move(section);
  where.offset += point_offset;
  return Error(error.code(), error.kind(), error.message()).at(std::move(where));
}

Error identity_error(std::string section, std::uint64_t point_offset) {
  return Reader({}, std::move(section))
      .malformed_at(point_offset, Kind::identity_point, "the identity is not allowed here", "a finite point",
                    "identity");
}

Result<PointRun> read_counted_run(Reader& in, std::string section, std::size_t point_bytes) {
  const std::uint64_t at = in.offset(), end = at + in.remaining();
  const Reader place({}, section);
  const auto cut = [&](std::uint64_t wanted) {
    return fail(place.malformed_at(end, Kind::truncated, "the file ends inside " + section,
                                   std::to_string(wanted) + " bytes", std::to_string(end - in.offset())));
  };
  if (in.remaining() < sizeof(std::uint32_t)) return cut(sizeof(std::uint32_t));
  CUZK_TRY(const std::uint32_t count, in.u32_be("count"));
  const std::uint64_t bytes = std::uint64_t{count} * point_bytes;
  if (bytes > end) {
    return fail(place.malformed_at(at, Kind::bad_count, "more points announced than the file has bytes",
                                   "at most " + std::to_string(in.remaining() / point_bytes), std::to_string(count)));
  }
  if (bytes > in.remaining()) return cut(bytes);
  const std::uint64_t offset = in.offset();
  CUZK_TRY(const Bytes points, in.bytes(bytes, "points"));
  return PointRun{.bytes = points, .point_bytes = point_bytes, .section = std::move(section), .offset = offset};
}

Status check_run(Arena& arena, const PointRun& run, FunctionRef<Status(std::size_t, Bytes)> check,
                 const MappedFile* mapped, ProgressRef progress, const StopToken& stop) {
  constexpr std::size_t kBlockBytes = std::size_t{1} << 25;  // what stays resident while a mapped file is checked
  constexpr std::size_t kGrain = 64;                         // points; a subgroup check is some 20 us or more
  const std::size_t block = kBlockBytes / run.point_bytes;
  if (mapped != nullptr) mapped->advise_sequential(run.bytes);
  for (std::size_t begin = 0; begin < run.size(); begin += block) {
    CUZK_CHECK_OK(check_stop(stop, "checking points"));
    const std::size_t count = std::min(block, run.size() - begin);
    const Bytes bytes = run.bytes.subspan(begin * run.point_bytes, count * run.point_bytes);
    const auto point = [&](std::size_t i) { return bytes.subspan(i * run.point_bytes, run.point_bytes); };
    const auto bad = parallel_find_first(arena, 0, count, kGrain,
                                         [&](std::size_t i) { return !check(begin + i, point(i)).has_value(); });
    if (bad) {
      Status fault = check(begin + *bad, point(*bad));
      return fail(at_place(std::move(fault).error(), run.section, run.offset + (begin + *bad) * run.point_bytes));
    }
    if (mapped != nullptr) mapped->drop(bytes);
    progress.advance(bytes.size());
  }
  return {};
}

}  // namespace cuzk::formats
