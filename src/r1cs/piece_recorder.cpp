#include "r1cs/piece_recorder.h"

#include <cstring>

#include "support/bytes.h"

namespace cuzk::r1cs {

namespace {

constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15;

/// Four independent chains of multiplications: as fast as memory. Not against an adversary; equality is checked.
std::uint64_t hash_words(std::uint64_t seed, Bytes bytes) noexcept {
  std::uint64_t lanes[4] = {seed, seed + 1, seed + 2, seed + 3};
  const auto mix = [&](std::size_t lane, std::uint64_t word) {
    lanes[lane] = (lanes[lane] ^ word) * kMix;
    lanes[lane] ^= lanes[lane] >> 32;
  };
  std::size_t at = 0;
  for (; at + 32 <= bytes.size(); at += 32) {
    for (std::size_t lane = 0; lane < 4; ++lane) mix(lane, load_le<std::uint64_t>(bytes.data() + at + 8 * lane));
  }
  for (; at + 4 <= bytes.size(); at += 4) mix(0, load_le<std::uint32_t>(bytes.data() + at));
  for (std::size_t lane = 1; lane < 4; ++lane) mix(0, lanes[lane]);
  return lanes[0];
}

template <class T> Bytes raw_bytes(std::span<const T> values) noexcept { return std::as_bytes(values); }

template <class T> bool same_bytes(std::span<const T> x, const T* y) noexcept {
  return x.empty() || std::memcmp(x.data(), y, x.size_bytes()) == 0;
}

}  // namespace

PieceRecorder::PieceRecorder() : port_table_(1024) {}

std::size_t PieceRecorder::port_hash(Variable v) noexcept {
  return static_cast<std::size_t>((v.index() * 2 + (v.is_input() ? 1 : 0)) * kMix >> 32);
}

std::uint32_t PieceRecorder::add_port(Variable v, std::size_t at) {
  const std::size_t port = ports_.size() - first_port_;
  CUZK_REQUIRE(port < PieceTerm::kPortBit);
  ports_.push_back(v);
  port_table_[at & (port_table_.size() - 1)] = {v, piece_number_, static_cast<std::uint32_t>(port)};
  if (port >= seen_ports_.size()) seen_ports_.resize(2 * port + 64);
  if (2 * (port + 1) > port_table_.size()) grow_port_table();
  return static_cast<std::uint32_t>(port);
}

void PieceRecorder::grow_port_table() {
  port_table_.assign(2 * port_table_.size(), {});
  for (std::size_t i = first_port_; i < ports_.size(); ++i) {
    std::size_t at = port_hash(ports_[i]);
    while (port_table_[at & (port_table_.size() - 1)].piece == piece_number_) ++at;
    port_table_[at & (port_table_.size() - 1)] = {ports_[i], piece_number_,
                                                  static_cast<std::uint32_t>(i - first_port_)};
  }
}

void PieceRecorder::drop_zeros() {
  const auto begin = terms_.begin() + static_cast<std::ptrdiff_t>(ends_.empty() ? 0 : ends_.back());
  terms_.erase(std::remove_if(begin, terms_.end(), [](const PieceTerm& term) { return term.coefficient == kZero; }),
               terms_.end());
}

void PieceRecorder::forget_sides() {
  std::fill(seen_locals_.begin(), seen_locals_.end(), Seen{});
  std::fill(seen_ports_.begin(), seen_ports_.end(), Seen{});
  side_ = 1;
}

std::uint64_t PieceRecorder::hash_of_piece() const noexcept {
  return hash_words(hash_words(ports_.size() - first_port_, raw_bytes(std::span(ends_))), raw_bytes(std::span(terms_)));
}

bool PieceRecorder::is_same(const Piece& piece) const noexcept {
  return piece.num_rows == rows_in_piece() && piece.num_terms == terms_.size() &&
         piece.num_ports == ports_.size() - first_port_ &&
         same_bytes<std::uint32_t>(ends_, recorded_.ends.data() + piece.first_end) &&
         same_bytes<PieceTerm>(terms_, recorded_.terms.data() + piece.first_term);
}

std::uint32_t PieceRecorder::find_or_store() {
  const std::uint64_t hash = hash_of_piece();
  const auto [first, last] = by_hash_.equal_range(hash);
  for (auto at = first; at != last; ++at) {
    if (is_same(recorded_.pieces[at->second])) return at->second;
  }
  std::uint32_t num_locals = 0;
  for (const PieceTerm& term : terms_) {
    if ((term.place & PieceTerm::kPortBit) == 0) num_locals = std::max(num_locals, term.place + 1);
  }
  const auto number = static_cast<std::uint32_t>(recorded_.pieces.size());
  recorded_.pieces.push_back({.num_rows = static_cast<std::uint32_t>(rows_in_piece()),
                              .num_ports = static_cast<std::uint32_t>(ports_.size() - first_port_),
                              .num_locals = num_locals,
                              .num_terms = static_cast<std::uint32_t>(terms_.size()),
                              .first_end = recorded_.ends.size(),
                              .first_term = recorded_.terms.size()});
  recorded_.ends.insert(recorded_.ends.end(), ends_.begin(), ends_.end());
  recorded_.terms.insert(recorded_.terms.end(), terms_.begin(), terms_.end());
  by_hash_.emplace(hash, number);
  return number;
}

void PieceRecorder::cut(std::size_t num_aux) {
  CUZK_ASSERT(ends_.size() % 3 == 0);
  if (!ends_.empty()) {
    recorded_.placements.push_back({.piece = find_or_store(),
                                    .first_aux = first_aux_,
                                    .first_row = recorded_.num_rows,
                                    .first_port = first_port_});
    recorded_.num_rows += rows_in_piece();
    first_port_ = ports_.size();
    ++piece_number_;
    ends_.clear();
    terms_.clear();
  }
  first_aux_ = static_cast<std::uint32_t>(num_aux);
}

auto PieceRecorder::finish(std::size_t num_inputs) && -> Recorded {
  CUZK_ASSERT(ends_.empty());
  recorded_.ports.reserve(ports_.size());
  for (const Variable port : ports_) recorded_.ports.push_back(port.wire(static_cast<std::uint32_t>(num_inputs)));
  return std::move(recorded_);
}

}  // namespace cuzk::r1cs
