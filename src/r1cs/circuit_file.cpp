#include "r1cs/circuit_file.h"

#include <cstring>
#include <vector>

#include "r1cs/circuit_file_layout.h"
#include "r1cs/density.h"
#include "support/hex.h"
#include "support/mapped_file.h"
#include "support/reader.h"

namespace cuzk::r1cs {

using namespace circuit_file;

namespace {

/// One opening: the header, the arrays behind it, and the checks of both.
template <class Fr> class Opening {
 public:
  Opening(Bytes file, std::shared_ptr<const void> owner) : file_(file), owner_(std::move(owner)), in_(file, "header") {}

  Result<CircuitFile<Fr>> run(Checksum checksum) {
    CUZK_CHECK_OK(read_header());
    CUZK_CHECK_OK(take_sections());
    if (checksum == Checksum::check) CUZK_CHECK_OK(check_checksum());
    CUZK_CHECK_OK(read_coefficients());
    CUZK_CHECK_OK(check_pieces());
    CUZK_CHECK_OK(check_placements());
    CUZK_CHECK_OK(check_wires());
    return finish();
  }

 private:
  Status read_header() {
    const std::uint64_t size = file_.size();
    CUZK_TRY(const Bytes bytes, in_.bytes(std::min<std::uint64_t>(size, sizeof(Header)), "header"));
    if (size < sizeof(Header)) {
      return broken(is_circuit_file(bytes) ? Kind::truncated : Kind::bad_magic, 0,
                    "the file is shorter than its header", std::to_string(sizeof(Header)) + " bytes",
                    std::to_string(size));
    }
    std::memcpy(&h_, bytes.data(), sizeof h_);
    if (h_.magic != kMagic) return broken(Kind::bad_magic, offsetof(Header, magic), "no circuit file");
    if (h_.version != kVersion) {
      return broken(Kind::bad_version, offsetof(Header, version), "version", std::to_string(kVersion),
                    std::to_string(h_.version));
    }
    if (h_.prime != Fr::modulus) {
      return broken(Kind::curve_mismatch, offsetof(Header, prime), "prime of the field", Fr::modulus.to_hex(),
                    h_.prime.to_hex());
    }
    if (h_.label_length > kMaxCircuitLabel || !is_printable({h_.label.data(), h_.label_length})) {
      return broken(Kind::bad_length, offsetof(Header, label_length), "label", "printable, at most 64 characters");
    }
    const auto is_zero = [](auto c) { return c == decltype(c){}; };
    if (!std::all_of(h_.label.begin() + h_.label_length, h_.label.end(), is_zero) ||
        !std::all_of(h_.reserved.begin(), h_.reserved.end(), is_zero)) {
      return broken(Kind::bad_length, offsetof(Header, reserved), "bytes without a meaning are not zero");
    }
    return check_counts();
  }

  Status check_counts() const {
    if (h_.num_inputs < 1 || h_.num_inputs > kMaxInputs) {
      return broken(Kind::bad_count, offsetof(Header, num_inputs), "number of inputs",
                    "1 to " + std::to_string(kMaxInputs), std::to_string(h_.num_inputs));
    }
    if (h_.num_aux > kMaxAux)
      return broken(Kind::bad_count, offsetof(Header, num_aux), "number of auxiliary variables");
    if (h_.num_constraints > kMaxRows) {
      return broken(Kind::bad_count, offsetof(Header, num_constraints), "number of constraints");
    }
    if (h_.num_coefficients < 2) return broken(Kind::bad_count, offsetof(Header, num_coefficients), "1 and -1 missing");
    return {};
  }

  template <class T> Status take(std::uint64_t count, const char* name, std::span<const T>& view) {
    const std::uint64_t at = in_.offset();
    CUZK_TRY(const Bytes bytes, in_.array(count, sizeof(T), name));
    sections_.push_back(bytes);
    CUZK_TRY(const Bytes padding, in_.bytes(padding_behind(bytes.size()).size(), "padding"));
    if (std::any_of(padding.begin(), padding.end(), [](std::byte b) { return b != std::byte{0}; })) {
      return broken(Kind::bad_length, at + bytes.size(), "padding is not zero");
    }
    view = {reinterpret_cast<const T*>(bytes.data()), static_cast<std::size_t>(count)};
    return {};
  }

  Status take_sections() {
    CUZK_CHECK_OK(take(h_.num_coefficients, "coefficients", canonical_));
    CUZK_CHECK_OK(take(h_.num_pieces, "pieces", parts_.pieces));
    CUZK_CHECK_OK(take(h_.num_ends, "ends of rows", parts_.ends));
    CUZK_CHECK_OK(take(h_.num_terms, "terms", parts_.terms));
    CUZK_CHECK_OK(take(h_.num_placements, "placements", parts_.placements));
    CUZK_CHECK_OK(take(h_.num_ports, "ports", parts_.ports));
    CUZK_CHECK_OK(take((h_.num_aux + 63) / 64, "bits", parts_.bits));
    return in_.expect_end();
  }

  Status check_checksum() const {
    const Sha256::Digest found = checksum_of(h_, sections_);
    if (found == h_.checksum) return {};
    return broken(Kind::bad_checksum, offsetof(Header, checksum), "the file was damaged", encode_hex(h_.checksum),
                  encode_hex(found));
  }

  Status read_coefficients() {
    auto values = std::make_shared<std::vector<Fr>>();
    values->reserve(canonical_.size());
    for (std::size_t i = 0; i < canonical_.size(); ++i) {
      const U256& value = canonical_[i];
      if (value.is_zero() || !(value < Fr::modulus)) {
        return broken(Kind::non_canonical, offset_in(canonical_, i), "coefficient", "below r, not zero",
                      value.to_hex());
      }
      values->push_back(Fr::from_canonical(value));
    }
    if (!(*values)[0].is_one() || !(-(*values)[1]).is_one()) {
      return broken(Kind::bad_count, offset_in(canonical_, 0), "the first coefficients are 1 and -1");
    }
    parts_.coefficients = *values;
    coefficients_ = std::move(values);
    return {};
  }

  /// Pieces follow each other in both arrays and use all of them.
  Status check_pieces() {
    std::uint64_t next_end = 0, next_term = 0;
    for (std::size_t i = 0; i < parts_.pieces.size(); ++i) {
      const Piece& piece = parts_.pieces[i];
      const std::uint64_t num_ends = std::uint64_t{3} * piece.num_rows;
      const bool in_place = piece.num_rows > 0 && piece.first_end == next_end && piece.first_term == next_term &&
                            num_ends <= parts_.ends.size() - next_end &&
                            piece.num_terms <= parts_.terms.size() - next_term;
      if (!in_place || piece.num_ports >= PieceTerm::kPortBit || piece.num_locals >= PieceTerm::kPortBit) {
        return broken(Kind::bad_count, offset_in(parts_.pieces, i), "piece " + std::to_string(i));
      }
      CUZK_CHECK_OK(check_piece(piece));
      next_end += num_ends;
      next_term += piece.num_terms;
    }
    if (next_end != parts_.ends.size() || next_term != parts_.terms.size()) {
      return broken(Kind::bad_count, offsetof(Header, num_ends), "rows or terms that no piece has");
    }
    return {};
  }

  Status check_piece(const Piece& piece) const {
    std::uint32_t before = 0;
    for (std::uint64_t i = piece.first_end; i < piece.first_end + std::uint64_t{3} * piece.num_rows; ++i) {
      if (parts_.ends[i] < before || parts_.ends[i] > piece.num_terms) {
        return broken(Kind::index_out_of_range, offset_in(parts_.ends, i), "end of a row's side");
      }
      before = parts_.ends[i];
    }
    if (before != piece.num_terms) {
      return broken(Kind::bad_count, offset_in(parts_.ends, piece.first_end), "terms behind a piece's last row");
    }
    for (std::uint64_t i = piece.first_term; i < piece.first_term + piece.num_terms; ++i) {
      const PieceTerm& term = parts_.terms[i];
      const bool is_port = (term.place & PieceTerm::kPortBit) != 0;
      const bool in_range =
          is_port ? (term.place ^ PieceTerm::kPortBit) < piece.num_ports : term.place < piece.num_locals;
      if (!in_range || term.coefficient >= canonical_.size()) {
        return broken(Kind::index_out_of_range, offset_in(parts_.terms, i), "term of a piece");
      }
    }
    return {};
  }

  /// Placements follow each other in rows, ports and local variables; rows and ports are all used; pieces are numbered
  /// by first use and all used. (So whoever walks over placements is done after as many steps as the file has bytes.)
  Status check_placements() {
    std::uint64_t next_row = 0, next_port = 0, next_aux = 0;
    std::size_t next_piece = 0;
    for (std::size_t i = 0; i < parts_.placements.size(); ++i) {
      const Placement& placement = parts_.placements[i];
      if (placement.piece > next_piece || placement.piece >= parts_.pieces.size()) {
        return broken(Kind::index_out_of_range, offset_in(parts_.placements, i), "number of a piece",
                      "by first use, below " + std::to_string(parts_.pieces.size()), std::to_string(placement.piece));
      }
      const Piece& piece = parts_.pieces[placement.piece];
      const bool in_place = placement.first_row == next_row && placement.first_port == next_port &&
                            placement.first_aux >= next_aux && piece.num_rows <= h_.num_constraints - next_row &&
                            piece.num_ports <= parts_.ports.size() - next_port &&
                            std::uint64_t{placement.first_aux} + piece.num_locals <= h_.num_aux;
      if (!in_place) {
        return broken(Kind::index_out_of_range, offset_in(parts_.placements, i), "placement " + std::to_string(i));
      }
      next_row += piece.num_rows;
      next_port += piece.num_ports;
      next_aux = std::uint64_t{placement.first_aux} + piece.num_locals;
      if (placement.piece == next_piece) ++next_piece;
    }
    const bool all_used =
        next_row == h_.num_constraints && next_port == parts_.ports.size() && next_piece == parts_.pieces.size();
    if (!all_used) return broken(Kind::bad_count, offsetof(Header, num_placements), "rows, ports or pieces left over");
    return {};
  }

  Status check_wires() const {
    const std::uint64_t num_variables = h_.num_inputs + h_.num_aux;
    for (std::size_t i = 0; i < parts_.ports.size(); ++i) {
      if (parts_.ports[i] >= num_variables) {
        return broken(Kind::index_out_of_range, offset_in(parts_.ports, i), "port",
                      "below " + std::to_string(num_variables), std::to_string(parts_.ports[i]));
      }
    }
    const std::uint64_t in_last_word = h_.num_aux % 64;
    if (in_last_word != 0 && parts_.bits.back() >> in_last_word != 0) {
      return broken(Kind::index_out_of_range, offset_in(parts_.bits, parts_.bits.size() - 1), "bit behind the last");
    }
    return {};
  }

  Result<CircuitFile<Fr>> finish() {
    parts_.num_inputs = h_.num_inputs;
    parts_.num_aux = h_.num_aux;
    parts_.num_constraints = h_.num_constraints;
    struct Owners {
      std::shared_ptr<const void> file, coefficients;
    };
    auto owners = std::make_shared<Owners>(std::move(owner_), std::move(coefficients_));
    CircuitFile<Fr> opened{.circuit = std::make_shared<const BlockCircuit<Fr>>(parts_, std::move(owners)),
                           .label = std::string(h_.label.data(), h_.label_length),
                           .densities = {h_.dense_a_aux, h_.dense_b_inputs, h_.dense_b_aux},
                           .matrices_sha256 = h_.matrices_sha256};
    if (opened.circuit->non_zeros() != NonZeros{h_.non_zeros_a, h_.non_zeros_b, h_.non_zeros_c}) {
      return broken(Kind::bad_count, offsetof(Header, non_zeros_a), "numbers of terms");
    }
    if (opened.densities != density_counts<Fr>(*opened.circuit)) {
      return broken(Kind::bad_count, offsetof(Header, dense_a_aux), "numbers of dense variables");
    }
    return opened;
  }

  template <class T> std::uint64_t offset_in(std::span<const T> array, std::size_t i) const noexcept {
    return static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(array.data() + i) - file_.data());
  }
  tl::unexpected<Error> broken(Kind kind, std::uint64_t at, std::string message, std::string expected = {},
                               std::string found = {}) const {
    return fail(in_.malformed_at(at, kind, std::move(message), std::move(expected), std::move(found)));
  }

  Bytes file_;
  std::shared_ptr<const void> owner_;
  Reader in_;
  Header h_;
  std::vector<Bytes> sections_;
  std::span<const U256> canonical_;
  std::shared_ptr<const std::vector<Fr>> coefficients_;
  BlockParts<Fr> parts_;
};

}  // namespace

bool is_circuit_file(Bytes file) noexcept {
  return file.size() >= kMagic.size() && std::equal(kMagic.begin(), kMagic.end(), bytes_text(file).begin());
}

bool is_circuit_over(Bytes file, const U256& prime) noexcept {
  constexpr std::size_t at = offsetof(Header, prime);
  return is_circuit_file(file) && file.size() >= at + U256::bytes && U256::from_le_bytes(file.data() + at) == prime;
}

namespace {

template <class Fr> Result<CircuitFile<Fr>> parse_copy(Bytes file, Checksum checksum) {
  auto copy = std::make_shared<std::vector<std::uint64_t>>((file.size() + 7) / 8);
  std::memcpy(copy->data(), file.data(), file.size());
  const Bytes bytes = std::as_bytes(std::span(*copy)).first(file.size());
  return Opening<Fr>(bytes, std::move(copy)).run(checksum);
}

}  // namespace

template <class Fr>
Result<CircuitFile<Fr>> parse_circuit(Bytes file, std::shared_ptr<const void> owner, Checksum checksum) {
  if (!is_aligned<std::uint64_t>(file.data())) return parse_copy<Fr>(file, checksum);
  return Opening<Fr>(file, std::move(owner)).run(checksum);
}

// Tens of megabytes for the largest circuit: not worth a mapping, which others can cut short.
template <class Fr> Result<CircuitFile<Fr>> open_circuit(const std::string& path) {
  CUZK_TRY(const MappedFile file, MappedFile::open(path));
  auto opened = parse_copy<Fr>(file.bytes(), Checksum::check);
  CUZK_CHECK_OK(file.still_whole());
  if (!opened) return fail(std::move(opened).error().in_file(path));
  return opened;
}

#define CUZK_INSTANTIATE(Fr)                                                                    \
  template Result<CircuitFile<Fr>> parse_circuit(Bytes, std::shared_ptr<const void>, Checksum); \
  template Result<CircuitFile<Fr>> open_circuit(const std::string&);

CUZK_INSTANTIATE(bn254::Fr)
CUZK_INSTANTIATE(bls12_381::Fr)

}  // namespace cuzk::r1cs
