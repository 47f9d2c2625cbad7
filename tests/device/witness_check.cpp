#include "backend/cuda/scalar_split.h"
#include "tests/device/check_witness.h"
#include "tests/device/parts_check.h"

namespace cuzk::test {
namespace {

using cuda::AuxRange;
using cuda::QueryMap;
using cuda::SplitScalars;
using cuda::WitnessCell;
using cuda::WitnessView;
using Fr = bls12_381::Fr;

constexpr std::size_t kSizes[] = {0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 100, 1000, 4095, 4096, 4097, 70'001};

/// The assignment as the view's arrays have it.
std::vector<U256> read_back(const WitnessView& view) {
  std::vector<U256> z = to_host(view.inputs);
  const auto cells = to_host(view.cells);
  const auto ranks = to_host(view.ranks);
  const auto general = to_host(view.general);
  std::size_t next = 0;
  for (std::size_t j = 0; j < view.num_aux; ++j) {
    if (j % 64 == 0 && ranks[j / 64] != next) return {};
    const WitnessCell cell = cells[j / 32];
    const bool is_general = (cell.general >> j % 32 & 1) != 0;
    if (is_general && (next == general.size() || (cell.bits >> j % 32 & 1) != 0)) return {};
    z.push_back(is_general ? general[next++] : U256::from_u64(cell.bits >> j % 32 & 1));
  }
  for (std::size_t j = view.num_aux; j < 32 * cells.size(); ++j) {
    if (view.num_aux != 0 && ((cells[j / 32].general | cells[j / 32].bits) >> j % 32 & 1) != 0) return {};
  }
  return z;
}

std::string name_of(const char* what, std::size_t num_aux, ValueKind kind) {
  return std::string(what) + " " + std::to_string(num_aux) + " kind " + std::to_string(static_cast<int>(kind));
}

void check_packing(Counts& counts, const Stream& stream, std::size_t num_aux, ValueKind kind) {
  Arena arena(4);
  const std::size_t num_inputs = 1 + random_words()() % 5;
  const auto z = assignment<Fr>(kind, num_inputs, num_aux);
  const r1cs::PackedWitness packed = r1cs::pack(arena, z, num_inputs);
  const r1cs::PackedView by_value = packed.view();
  counts.note(name_of("witness upload", num_aux, kind),
              read_back(WitnessOnDevice(stream, by_value).witness.view()) == z);
  const r1cs::PackedWitness loosely = pack_loosely(z, num_inputs);
  counts.note(name_of("witness upload, loose map", num_aux, kind),
              read_back(WitnessOnDevice(stream, loosely.view()).witness.view()) == z);

  const DeviceBuffer plain = to_device(std::vector<U256>(z.begin() + static_cast<std::ptrdiff_t>(num_inputs), z.end()));
  const auto pack_in_chunks = [&](std::size_t chunk, std::size_t most_general, WitnessOnDevice& on) {
    must(on.witness.begin_plain(stream, std::span(z).first(num_inputs)), "pack");
    for (std::size_t first = 0; first < num_aux; first += chunk) {
      const std::size_t count = std::min(chunk, num_aux - first);
      must(on.witness.pack(stream, {plain.as<U256>().data + first, count}, first), "pack");
    }
    must(stream.wait(), "pack");
    return to_host(on.witness.general_count())[0] == by_value.general.size() && most_general >= by_value.general.size();
  };
  for (const std::size_t chunk : {std::size_t{64}, std::size_t{4160}, std::size_t{1} << 20}) {
    if (num_aux / chunk > 100) continue;
    const std::size_t most = by_value.general.size() + random_words()() % 3;
    WitnessOnDevice on({num_inputs, num_aux, most});
    counts.note(name_of("witness packed, chunks", num_aux, kind) + " " + std::to_string(chunk),
                pack_in_chunks(chunk, most, on) && read_back(on.witness.view()) == z);
  }
  if (by_value.general.empty()) return;
  WitnessOnDevice small({num_inputs, num_aux, by_value.general.size() - 1});
  static_cast<void>(pack_in_chunks(std::size_t{1} << 20, 0, small));
  counts.note(name_of("witness packed, too small", num_aux, kind),
              to_host(small.witness.general_count())[0] == by_value.general.size());
}

/// What the split of a range must give, by definition.
struct Expected {
  std::vector<u64> ones;
  std::vector<std::pair<std::uint32_t, U256>> general;

  void sort() {
    std::ranges::sort(general, {}, [](const auto& item) { return item.first; });
  }
};

struct Query {
  std::string name;
  r1cs::Bitmap wires;
  bool all = false;
};

Expected expected_split(const r1cs::PackedView& packed, const Query& query, const AuxRange& range) {
  Expected expected;
  std::uint32_t point = 0;
  const std::size_t num_inputs = packed.inputs.size();
  for (std::size_t i = 0; range.first == 0 && i < num_inputs; ++i) {
    if (query.wires.test(i)) expected.general.emplace_back(point++, packed.inputs[i]);
  }
  std::vector<bool> ones(point);
  for (std::size_t j = range.first; j < range.first + range.count; ++j) {
    if (!query.wires.test(num_inputs + j)) continue;
    if (packed.is_general(j)) expected.general.emplace_back(point, packed.aux(j));
    ones.push_back(!packed.is_general(j) && packed.aux(j) == U256::from_u64(1));
    ++point;
  }
  expected.ones.resize((point + 63) / 64);
  for (std::size_t i = 0; i < ones.size(); ++i) expected.ones[i / 64] |= u64{ones[i]} << (i % 64);
  return expected;
}

bool same(Expected expected, const SplitScalars& split, std::uint32_t count) {
  Expected found;
  found.ones = to_host(DeviceSpan<const u64>{split.ones.data, split.ones.size});
  if (count != expected.general.size()) return false;
  const auto points = to_host(DeviceSpan<const std::uint32_t>{split.points.data, count});
  const auto scalars = to_host(DeviceSpan<const U256>{split.scalars.data, count});
  for (std::size_t i = 0; i < count; ++i) found.general.emplace_back(points[i], scalars[i]);
  found.sort();
  expected.sort();
  expected.ones.resize(found.ones.size());
  return found.ones == expected.ones && found.general == expected.general;
}

std::vector<Query> queries(std::size_t num_inputs, std::size_t num_aux) {
  const std::size_t wires = num_inputs + num_aux;
  std::vector<Query> list;
  const auto add = [&](std::string name, bool all, const auto& is_present) {
    r1cs::Bitmap map(wires);
    for (std::size_t i = 0; i < wires; ++i) {
      if (is_present(i)) map.set(i);
    }
    list.push_back({std::move(name), std::move(map), all});
  };
  add("all", true, [](std::size_t) { return true; });
  add("aux", true, [&](std::size_t i) { return i >= num_inputs; });
  add("all of a map", false, [](std::size_t) { return true; });
  add("most", false, [](std::size_t) { return random_words()() % 200 != 0; });
  add("quarter", false, [](std::size_t) { return random_words()() % 4 == 0; });
  add("none", false, [](std::size_t) { return false; });
  add("last", false, [&](std::size_t i) { return i + 1 == wires; });
  return list;
}

void check_split(Counts& counts, const Stream& stream, std::size_t num_aux, ValueKind kind) {
  const std::size_t num_inputs = 1 + random_words()() % 70;
  const auto z = assignment<Fr>(kind, num_inputs, num_aux);
  const r1cs::PackedWitness packed = pack_loosely(z, num_inputs);
  const WitnessOnDevice on(stream, packed.view());
  void* host = nullptr;
  must(cudaMallocHost(&host, sizeof(std::uint32_t)), "memory");
  for (const Query& query : queries(num_inputs, num_aux)) {
    const DeviceBuffer memory = poisoned(QueryMap::bytes(query.wires, num_inputs));
    const QueryMap map = query.all
                             ? QueryMap::all(query.wires.test(0) ? num_inputs : 0, num_aux)
                             : must(QueryMap::load(stream, query.wires, num_inputs, memory.as<std::byte>()), "map");
    bool good = map.num_points() == query.wires.count();
    for (const std::size_t each : {num_aux, std::size_t{192}}) {
      if (each == 0 || num_aux / each > 30) continue;
      for (std::size_t first = 0; first < num_aux; first += each) {
        const AuxRange range{first, std::min(each, num_aux - first)};
        Expected expected = expected_split(packed.view(), query, range);
        const std::size_t room = expected.general.size(), points = num_inputs + range.count;
        const DeviceBuffer parts = poisoned(cuda::split_bytes(points, room));
        const SplitScalars to = cuda::split_memory(points, room, parts.as<std::byte>());
        auto* const count = static_cast<std::uint32_t*>(host);
        must(cuda::split(stream, on.witness.view(), map, range, to, count), "split");
        must(stream.wait(), "split");
        good = good && same(std::move(expected), to, *count);
      }
    }
    counts.note(name_of("split", num_aux, kind) + " " + query.name, good);
  }
  must(cudaFreeHost(host), "memory");
}

}  // namespace

void check_witnesses(Counts& counts) {
  const Stream stream = must(Stream::create(), "stream");
  for (const std::size_t num_aux : kSizes) {
    if (small_sizes() && num_aux > 5'000) continue;
    for (const ValueKind kind : kValueKinds) {
      check_packing(counts, stream, num_aux, kind);
      check_split(counts, stream, num_aux, kind);
    }
  }
}

}  // namespace cuzk::test
