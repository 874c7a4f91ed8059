// Tests of permissions mean nothing to root, who may read everything.
#pragma once

#include <unistd.h>

namespace aprx::test {

// Runs as an ordinary user while it lives, where the test runs as root. Affects all threads.
class OrdinaryUser {
 public:
  OrdinaryUser() : was_root_(::geteuid() == 0) {
    if (was_root_) is_ordinary_ = ::seteuid(kNobody) == 0;
  }
  ~OrdinaryUser() {
    if (was_root_ && is_ordinary_ && ::seteuid(0) != 0) ::_exit(1);
  }
  OrdinaryUser(const OrdinaryUser&) = delete;
  OrdinaryUser& operator=(const OrdinaryUser&) = delete;

  [[nodiscard]] bool is_ordinary() const { return is_ordinary_; }

 private:
  static constexpr uid_t kNobody = 65534;
  bool was_root_;
  bool is_ordinary_ = true;
};

}  // namespace aprx::test
