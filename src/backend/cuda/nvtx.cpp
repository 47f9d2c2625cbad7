#include "backend/cuda/nvtx.h"

#include <nvtx3/nvToolsExt.h>

namespace cuzk::cuda {

namespace {

nvtxDomainHandle_t domain() noexcept {
  static const nvtxDomainHandle_t of_project = nvtxDomainCreateA("cuzk");
  return of_project;
}

}  // namespace

NvtxRange::NvtxRange(const char* name) noexcept {
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = name;
  nvtxDomainRangePushEx(domain(), &attributes);
}

NvtxRange::~NvtxRange() { nvtxDomainRangePop(domain()); }

}  // namespace cuzk::cuda
