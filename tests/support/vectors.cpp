#include "tests/support/vectors.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>

namespace cuzk::test {

namespace fs = std::filesystem;

namespace {

std::vector<fs::path> split_roots(const std::string& list) {
  std::vector<fs::path> roots;
  std::istringstream in(list);
  for (std::string root; std::getline(in, root, ':');) {
    if (root.empty()) continue;
    if (!fs::is_directory(root)) throw std::runtime_error("CUZK_VECTORS names " + root + ", which is no folder");
    roots.emplace_back(root);
  }
  return roots;
}

std::vector<fs::path> default_roots() {
  const fs::path source = source_folder();
  std::vector<fs::path> roots;
  for (const fs::path& root : {source / "tests" / "vectors", source / ".." / "shared" / "vectors"}) {
    if (fs::is_directory(root)) roots.push_back(root.lexically_normal());
  }
  return roots;
}

FileBytes inflate_gzip(const FileBytes& in, const fs::path& path) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) throw std::runtime_error("zlib cannot start");  // 15 window bits, gzip
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, inflateEnd);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(in.data()));
  stream.avail_in = static_cast<uInt>(in.size());
  FileBytes out;
  FileBytes chunk(std::size_t{1} << 16);
  int result = Z_OK;
  while (result == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = static_cast<uInt>(chunk.size());
    result = inflate(&stream, Z_NO_FLUSH);
    out.insert(out.end(), chunk.begin(), chunk.end() - static_cast<std::ptrdiff_t>(stream.avail_out));
  }
  if (result != Z_STREAM_END) throw std::runtime_error(path.string() + " is no whole gzip file");
  return out;
}

FileBytes decompress_zstd(const FileBytes& in, const fs::path& path) {
  const std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> stream(ZSTD_createDStream(), ZSTD_freeDStream);
  FileBytes out;
  FileBytes chunk(ZSTD_DStreamOutSize());
  ZSTD_inBuffer source{in.data(), in.size(), 0};
  std::size_t left = 1;  // 0 at the end of a frame
  bool full = false;
  while (source.pos < source.size || full) {
    ZSTD_outBuffer sink{chunk.data(), chunk.size(), 0};
    left = ZSTD_decompressStream(stream.get(), &sink, &source);
    if (ZSTD_isError(left) != 0) throw std::runtime_error(path.string() + ": " + ZSTD_getErrorName(left));
    out.insert(out.end(), chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(sink.pos));
    full = sink.pos == sink.size && left != 0;
  }
  if (left != 0) throw std::runtime_error(path.string() + " is no whole zstd file");
  return out;
}

}  // namespace

fs::path source_folder() { return CUZK_SOURCE_DIR; }

std::vector<fs::path> vector_roots() {
  const char* const list = std::getenv("CUZK_VECTORS");
  return list != nullptr && *list != '\0' ? split_roots(list) : default_roots();
}

std::vector<VectorCase> find_cases(std::string_view group) {
  std::map<std::string, fs::path> found;
  for (const fs::path& root : vector_roots()) {
    const fs::path folder = root / group;
    if (!fs::is_directory(folder)) continue;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      if (fs::exists(entry.path() / "case.json")) found.emplace(entry.path().filename().string(), entry.path());
    }
  }
  std::vector<VectorCase> cases;
  for (auto& [name, path] : found) cases.push_back({name, path});
  return cases;
}

fs::path vector_path(const fs::path& relative) {
  std::string searched;
  for (const fs::path& root : vector_roots()) {
    if (fs::exists(root / relative)) return root / relative;
    searched += " " + root.string();
  }
  throw std::runtime_error("no vector " + relative.string() + " in" + (searched.empty() ? " any folder" : searched));
}

FileBytes read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in || fs::is_directory(path)) throw std::runtime_error("cannot open " + path.string());
  FileBytes bytes(fs::file_size(path));
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (in.gcount() != static_cast<std::streamsize>(bytes.size())) {
    throw std::runtime_error("cannot read " + path.string());
  }
  return bytes;
}

std::string read_text(const fs::path& path) {
  const FileBytes bytes = read_file(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

FileBytes read_vector(const fs::path& path) {
  if (fs::exists(path)) return read_file(path);
  if (const fs::path packed = path.string() + ".zst"; fs::exists(packed)) {
    return decompress_zstd(read_file(packed), packed);
  }
  if (const fs::path packed = path.string() + ".gz"; fs::exists(packed)) return inflate_gzip(read_file(packed), packed);
  throw std::runtime_error("cannot find " + path.string() + ", packed or not");
}

}  // namespace cuzk::test
