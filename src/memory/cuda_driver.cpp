#include "memory/cuda_driver.h"

#include <dlfcn.h>

#include <array>
#include <utility>

namespace cuzk::memory {

namespace {

// Values of the driver's interface.
constexpr int kSuccess = 0;
constexpr int kOutOfMemory = 2;
constexpr unsigned kRegisterPortable = 1;

}  // namespace

/// By the names under which the library exports the present forms.
struct CudaDriver::Functions {
  using Status = int;
  using DeviceAddress = unsigned long long;

  explicit Functions(void* opened) noexcept : library(opened) {}
  Functions(const Functions&) = delete;
  Functions& operator=(const Functions&) = delete;
  ~Functions() { ::dlclose(library); }

  void* library;
  Status (*init)(unsigned) = nullptr;
  Status (*error_name)(Status, const char**) = nullptr;
  Status (*error_string)(Status, const char**) = nullptr;
  Status (*device_count)(int*) = nullptr;
  Status (*device_get)(int*, int) = nullptr;
  Status (*device_name)(char*, int, int) = nullptr;
  Status (*context_retain)(void**, int) = nullptr;
  Status (*context_release)(int) = nullptr;
  Status (*context_push)(void*) = nullptr;
  Status (*context_pop)(void**) = nullptr;
  Status (*host_register)(void*, std::size_t, unsigned) = nullptr;
  Status (*host_unregister)(void*) = nullptr;
  Status (*memory_info)(std::size_t*, std::size_t*) = nullptr;
  Status (*memory_alloc)(DeviceAddress*, std::size_t) = nullptr;
  Status (*memory_free)(DeviceAddress) = nullptr;
  Status (*copy_to_device)(DeviceAddress, const void*, std::size_t) = nullptr;
  Status (*copy_to_host)(void*, DeviceAddress, std::size_t) = nullptr;

  /// The first name that is missing, or null.
  const char* find_all() noexcept {
    const char* missing = nullptr;
    const auto find = [&]<class F>(F*& function, const char* name) {
      function = reinterpret_cast<F*>(::dlsym(library, name));
      if (function == nullptr && missing == nullptr) missing = name;
    };
    find(init, "cuInit");
    find(error_name, "cuGetErrorName");
    find(error_string, "cuGetErrorString");
    find(device_count, "cuDeviceGetCount");
    find(device_get, "cuDeviceGet");
    find(device_name, "cuDeviceGetName");
    find(context_retain, "cuDevicePrimaryCtxRetain");
    find(context_release, "cuDevicePrimaryCtxRelease_v2");
    find(context_push, "cuCtxPushCurrent_v2");
    find(context_pop, "cuCtxPopCurrent_v2");
    find(host_register, "cuMemHostRegister_v2");
    find(host_unregister, "cuMemHostUnregister");
    find(memory_info, "cuMemGetInfo_v2");
    find(memory_alloc, "cuMemAlloc_v2");
    find(memory_free, "cuMemFree_v2");
    find(copy_to_device, "cuMemcpyHtoD_v2");
    find(copy_to_host, "cuMemcpyDtoH_v2");
    return missing;
  }
};

CudaDriver::CudaDriver(std::unique_ptr<Functions> functions) : functions_(std::move(functions)) {}

CudaDriver::~CudaDriver() {
  if (context_ != nullptr && retained_ == kSuccess) functions_->context_release(device_);
}

Result<std::shared_ptr<CudaDriver>> CudaDriver::load() {
  void* const library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    const char* const why = ::dlerror();
    return fail(Code::unavailable, "no CUDA driver: " + std::string(why == nullptr ? "libcuda.so.1" : why));
  }
  auto functions = std::make_unique<Functions>(library);
  if (const char* const missing = functions->find_all()) {
    return fail(Code::unavailable, "the CUDA driver is too old: it has no " + std::string(missing));
  }
  std::shared_ptr<CudaDriver> driver(new CudaDriver(std::move(functions)));
  CUZK_CHECK_OK(driver->open_device());
  return driver;
}

Status CudaDriver::open_device() {
  if (const int status = functions_->init(0); status != kSuccess) {
    return fail(Error(Code::unavailable, error_of(status, "cuInit").message()));
  }
  int count = 0;
  if (const int status = functions_->device_count(&count); status != kSuccess || count == 0) {
    return fail(Code::unavailable, "the CUDA driver sees no device");
  }
  if (const int status = functions_->device_get(&device_, 0); status != kSuccess) {
    return fail(error_of(status, "cuDeviceGet"));
  }
  std::array<char, 128> name{};
  if (functions_->device_name(name.data(), static_cast<int>(name.size() - 1), device_) == kSuccess) {
    device_name_ = name.data();
  }
  return {};
}

void* CudaDriver::context() const {
  std::call_once(retain_, [this] { retained_ = functions_->context_retain(&context_, device_); });
  return retained_ == kSuccess ? context_ : nullptr;
}

Error CudaDriver::error_of(int status, std::string_view call) const {
  const char* name = nullptr;
  const char* text = nullptr;
  functions_->error_name(status, &name);
  functions_->error_string(status, &text);
  return {status == kOutOfMemory ? Code::exhausted : Code::device,
          std::string(call) + ": " + (name == nullptr ? std::to_string(status) : name) +
              (text == nullptr ? "" : " (" + std::string(text) + ")")};
}

template <class Call> Status CudaDriver::with_context(std::string_view name, Call call) const {
  void* const own = context();
  if (own == nullptr) return fail(error_of(retained_, "cuDevicePrimaryCtxRetain"));
  if (const int status = functions_->context_push(own); status != kSuccess) {
    return fail(error_of(status, "cuCtxPushCurrent"));
  }
  const int status = call();
  void* popped = nullptr;
  functions_->context_pop(&popped);
  return status == kSuccess ? Status() : fail(error_of(status, name));
}

Status CudaDriver::register_host(MutableBytes block) const {
  return with_context("cuMemHostRegister",
                      [&] { return functions_->host_register(block.data(), block.size(), kRegisterPortable); });
}

Status CudaDriver::unregister_host(MutableBytes block) const {
  return with_context("cuMemHostUnregister", [&] { return functions_->host_unregister(block.data()); });
}

Result<CudaDriver::Memory> CudaDriver::memory() const {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  CUZK_CHECK_OK(with_context("cuMemGetInfo", [&] { return functions_->memory_info(&free_bytes, &total_bytes); }));
  return Memory{.free_bytes = free_bytes, .total_bytes = total_bytes};
}

Result<std::uint64_t> CudaDriver::allocate(std::size_t bytes) const {
  Functions::DeviceAddress address = 0;
  CUZK_CHECK_OK(with_context("cuMemAlloc", [&] { return functions_->memory_alloc(&address, bytes); }));
  return address;
}

Status CudaDriver::free(std::uint64_t device_address) const {
  return with_context("cuMemFree", [&] { return functions_->memory_free(device_address); });
}

Status CudaDriver::copy_to_device(std::uint64_t device_address, Bytes from) const {
  return with_context("cuMemcpyHtoD",
                      [&] { return functions_->copy_to_device(device_address, from.data(), from.size()); });
}

Status CudaDriver::copy_from_device(MutableBytes to, std::uint64_t device_address) const {
  return with_context("cuMemcpyDtoH", [&] { return functions_->copy_to_host(to.data(), device_address, to.size()); });
}

}  // namespace cuzk::memory
