// What makes the points of a development key: the CPU, or a CUDA device where the program can use one.
//
// Errors: unavailable, invalid_argument (a name that means no device, or several). Thread-safety: pure functions of
// their arguments and of the machine.
#pragma once

#include <memory>
#include <string>

#include "groth16/generator_multiples.h"
#include "server/accelerators.h"

namespace cuzk::server {

template <class C> struct SetupDevice {
  std::string name;  // "cpu", or the device's
  std::string note;  // why it is not the device that there is; empty: no reason
  std::unique_ptr<groth16::GeneratorMultiples<C>> multiples;  // null: the CPU's
};

/// `named`: "cpu"; "auto", a device where one is there and has room, else the CPU; an ordinal, or a UUID or its first
/// letters. The arena must outlive the device.
template <class C>
Result<SetupDevice<C>> open_setup_device(Arena& arena, const std::string& named, const VisibleDevices& visible);

}  // namespace cuzk::server
