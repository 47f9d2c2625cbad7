// FunctionRef: a reference to something callable; two words, no allocation, no ownership.
//
// What it refers to must outlive the call that it is passed to; it is meant for parameters, not for members.
// Thread-safety: as that of the thing referred to.
#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace cuzk {

template <class Signature> class FunctionRef;

template <class R, class... Args> class FunctionRef<R(Args...)> {
 public:
  template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, FunctionRef> && !std::is_function_v<std::remove_reference_t<F>> &&
             std::is_invocable_r_v<R, F&, Args...>)
  FunctionRef(F&& callable) noexcept  // implicit: a lambda is passed where a reference to one is wanted
      : call_([](Target target, Args... args) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(target.object))(std::forward<Args>(args)...);
        }) {
    target_.object = const_cast<void*>(static_cast<const void*>(std::addressof(callable)));
  }

  FunctionRef(R (*function)(Args...)) noexcept
      : call_([](Target target, Args... args) -> R { return target.function(std::forward<Args>(args)...); }) {
    target_.function = function;
  }

  R operator()(Args... args) const { return call_(target_, std::forward<Args>(args)...); }

 private:
  union Target {
    void* object;
    R (*function)(Args...);
  };

  Target target_{};
  R (*call_)(Target, Args...);
};

}  // namespace cuzk
