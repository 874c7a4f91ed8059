// Room for many weights in few blocks of huge pages, so that a small weight doesn't take a huge page for
// itself.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "aprx/huge_block.hpp"

namespace aprx {

// A place in a pool; its block lives as long as any of its places.
struct PooledBytes {
  std::shared_ptr<HugeBlock> block;
  std::byte* data = nullptr;
};

// Not thread-safe.
class WeightPool {
 public:
  static constexpr uint64_t kAlignment = 64;
  static constexpr uint64_t kBlock = uint64_t{64} << 20U;  // addresses; memory is taken as it is filled

  // Throws std::bad_alloc.
  PooledBytes take(uint64_t size) {
    used_ = (used_ + kAlignment - 1) / kAlignment * kAlignment;
    if (block_ == nullptr || used_ > block_->size() || size > block_->size() - used_) {
      block_ = std::make_shared<HugeBlock>(std::max(size, kBlock));
      used_ = 0;
    }
    PooledBytes bytes{block_, block_->data() + used_};
    used_ += size;
    return bytes;
  }

 private:
  std::shared_ptr<HugeBlock> block_;
  uint64_t used_ = 0;
};

}  // namespace aprx
