// Owning handles for isl objects, so that every path, also a failing one, frees what it holds.
//
// isl functions take arguments that they consume (`take()`, `copy()`) or only look at (`get()`).
// They accept null and answer null, so an error travels through a chain of calls to its end.
#pragma once

#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/ctx.h>
#include <isl/id.h>
#include <isl/local_space.h>
#include <isl/options.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>

#include <memory>
#include <utility>

namespace sdfgopt::sets {

template <typename T, auto Copy, auto Free> class IslPtr {
public:
  IslPtr() = default;
  /// Takes ownership; implicit, so that the result of an isl call can be returned as it is.
  IslPtr(T *object) : object_(object) {}
  IslPtr(const IslPtr &other) : object_(other.copy()) {}
  IslPtr(IslPtr &&other) noexcept : object_(other.take()) {}
  IslPtr &operator=(IslPtr other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~IslPtr() {
    if (object_)
      Free(object_);
  }

  [[nodiscard]] T *get() const { return object_; }
  [[nodiscard]] T *copy() const { return object_ ? Copy(object_) : nullptr; }
  [[nodiscard]] T *take() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

private:
  T *object_ = nullptr;
};

using IslSet = IslPtr<isl_set, isl_set_copy, isl_set_free>;
using IslBasicSet = IslPtr<isl_basic_set, isl_basic_set_copy, isl_basic_set_free>;
using IslBasicSetList =
    IslPtr<isl_basic_set_list, isl_basic_set_list_copy, isl_basic_set_list_free>;
using IslConstraint = IslPtr<isl_constraint, isl_constraint_copy, isl_constraint_free>;
using IslConstraintList =
    IslPtr<isl_constraint_list, isl_constraint_list_copy, isl_constraint_list_free>;
using IslAff = IslPtr<isl_aff, isl_aff_copy, isl_aff_free>;
using IslPwAff = IslPtr<isl_pw_aff, isl_pw_aff_copy, isl_pw_aff_free>;
using IslSpace = IslPtr<isl_space, isl_space_copy, isl_space_free>;
using IslVal = IslPtr<isl_val, isl_val_copy, isl_val_free>;
using IslId = IslPtr<isl_id, isl_id_copy, isl_id_free>;

struct IslCtxFree {
  void operator()(isl_ctx *ctx) const { isl_ctx_free(ctx); }
};
/// Must outlive every object made in it.
using IslCtx = std::unique_ptr<isl_ctx, IslCtxFree>;

} // namespace sdfgopt::sets
