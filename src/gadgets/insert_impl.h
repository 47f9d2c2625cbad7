// Bodies of gadgets/insert.h. Letters: a is the node, b to h its siblings in order.
#pragma once

#include "gadgets/insert.h"

namespace cuzk::gadgets {

namespace detail {

template <class CS>
void insert_2(CS& cs, Children<typename CS::Field>& out, const Num<typename CS::Field>& a,
              std::span<const Boolean> bits, std::span<const Num<typename CS::Field>> siblings) {
  const auto& b = siblings[0];
  out[0] = pick(cs, bits[0], b, a);
  out[1] = pick(cs, bits[0], a, b);
}

template <class CS>
void insert_4(CS& cs, Children<typename CS::Field>& out, const Num<typename CS::Field>& a,
              std::span<const Boolean> bits, std::span<const Num<typename CS::Field>> siblings) {
  const auto &b = siblings[0], &c = siblings[1], &d = siblings[2];
  const Boolean &b0 = bits[0], &b1 = bits[1];
  out[0] = pick(cs, b1, b, pick(cs, b0, b, a));
  out[1] = pick(cs, b1, c, pick(cs, b0, a, b));
  out[2] = pick(cs, b1, pick(cs, b0, d, a), c);
  out[3] = pick(cs, b1, pick(cs, b0, a, d), d);
}

template <class CS>
void insert_8(CS& cs, Children<typename CS::Field>& out, const Num<typename CS::Field>& a,
              std::span<const Boolean> bits, std::span<const Num<typename CS::Field>> siblings) {
  const auto &b = siblings[0], &c = siblings[1], &d = siblings[2], &e = siblings[3], &f = siblings[4], &g = siblings[5],
             &h = siblings[6];
  const Boolean &b0 = bits[0], &b1 = bits[1], &b2 = bits[2];
  const Boolean nor = bit_and(cs, !b0, !b1);
  const Boolean both = bit_and(cs, b0, b1);
  out[0] = pick(cs, b2, b, pick(cs, nor, a, b));
  out[1] = pick(cs, b2, c, pick(cs, b1, c, pick(cs, b0, a, b)));
  out[2] = pick(cs, b2, d, pick(cs, b1, pick(cs, b0, d, a), c));
  out[3] = pick(cs, b2, e, pick(cs, both, a, d));
  out[4] = pick(cs, b2, pick(cs, nor, a, f), e);
  out[5] = pick(cs, b2, pick(cs, b1, g, pick(cs, b0, a, f)), f);
  out[6] = pick(cs, b2, pick(cs, b1, pick(cs, b0, h, a), g), g);
  out[7] = pick(cs, b2, pick(cs, both, a, h), h);
}

}  // namespace detail

template <r1cs::ConstraintSystem CS>
Children<typename CS::Field> insert(CS& cs, const Num<typename CS::Field>& x, std::span<const Boolean> bits,
                                    std::span<const Num<typename CS::Field>> siblings) {
  Children<typename CS::Field> out;
  switch (bits.size()) {
    case 1:
      detail::insert_2(cs, out, x, bits, siblings);
      break;
    case 2:
      detail::insert_4(cs, out, x, bits, siblings);
      break;
    default:
      detail::insert_8(cs, out, x, bits, siblings);
      break;
  }
  return out;
}

}  // namespace cuzk::gadgets
