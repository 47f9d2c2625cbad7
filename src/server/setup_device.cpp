#include "server/setup_device.h"

#include "backend/cuda/device_multiples.h"

namespace cuzk::server {

namespace {

#ifdef CUZK_WITH_CUDA

template <class C>
Result<std::unique_ptr<groth16::GeneratorMultiples<C>>> open(Arena& arena, const backend::CudaDeviceInfo& device) {
  return backend::open_cuda_multiples<C>(arena, device);
}

#else

template <class C>
Result<std::unique_ptr<groth16::GeneratorMultiples<C>>> open(Arena& /*arena*/, const backend::CudaDeviceInfo& device) {
  return fail(Code::unavailable, full_name(device) + ": this program was built without CUDA");
}

#endif

}  // namespace

template <class C>
Result<SetupDevice<C>> open_setup_device(Arena& arena, const std::string& named, const VisibleDevices& visible) {
  SetupDevice<C> cpu{.name = "cpu", .note = "", .multiples = nullptr};
  const bool any = named == "auto";
  if (named == "cpu" || (any && (!visible || visible->empty()))) return cpu;
  if (!visible) return fail(Code::unavailable, named + " is no device here: " + visible.error().message());
  ChosenAccelerators chosen;
  if (any) {
    chosen.devices = {visible->front()};
  } else {
    chosen = choose_accelerators({named}, visible);
  }
  if (!chosen.warnings.empty()) return fail(Code::invalid_argument, chosen.warnings.front());
  auto opened = open<C>(arena, chosen.devices.front());
  if (opened) return SetupDevice<C>{full_name(chosen.devices.front()), "", *std::move(opened)};
  if (!any) return fail(std::move(opened).error());
  cpu.note = full_name(chosen.devices.front()) + " is not used: " + opened.error().message();
  return cpu;
}

template Result<SetupDevice<Bn254>> open_setup_device<Bn254>(Arena&, const std::string&, const VisibleDevices&);
template Result<SetupDevice<Bls12_381>> open_setup_device<Bls12_381>(Arena&, const std::string&, const VisibleDevices&);

}  // namespace cuzk::server
