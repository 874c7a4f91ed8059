// Greedy merging of neighbours, cheapest first, as byte-pair encoding and SentencePiece both need it.
//
// Symbols are stretches of one text in a doubly linked list; possible merges wait in a heap. n symbols cost
// O(n log n), whatever the text. One object serves many texts and keeps its memory. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace aprx {

struct Symbol {
  uint32_t begin;   // bytes from the start of the text
  uint32_t length;  // bytes; 0 once a left neighbour has taken it in
  int32_t id;       // -1: no token
  uint32_t previous;
  uint32_t next;
};

// A merge that the model allows: of all such the lowest cost is done first, and of equals the leftmost.
struct Merge {
  double cost;
  int32_t id;  // of the merged symbol
};

class MergeList {
 public:
  void clear() {
    symbols_.clear();
    waiting_.clear();
  }

  // Appends a symbol; stretches must follow each other without gaps.
  void add(uint32_t begin, uint32_t length, int32_t id) {
    const auto at = static_cast<uint32_t>(symbols_.size());
    if (at > 0) symbols_.back().next = at;
    symbols_.push_back({begin, length, id, at == 0 ? kNone : at - 1, kNone});
  }

  // Merges until `find(left, right) -> std::optional<Merge>` allows nothing more.
  template <typename Find>
  void merge(const Find& find) {
    for (uint32_t left = 0; left + 1 < symbols_.size(); ++left) wait_for(left, find);
    std::make_heap(waiting_.begin(), waiting_.end(), Later{});
    while (!waiting_.empty()) {
      std::pop_heap(waiting_.begin(), waiting_.end(), Later{});
      const Waiting best = waiting_.back();
      waiting_.pop_back();
      if (is_stale(best)) continue;
      join(best);
      const uint32_t previous = symbols_[best.left].previous;
      if (previous != kNone) propose(previous, find);
      propose(best.left, find);
    }
  }

  // Calls `use(symbol)` for every symbol left, in text order.
  template <typename Use>
  void for_each(const Use& use) const {
    if (symbols_.empty()) return;
    for (uint32_t at = 0; at != kNone; at = symbols_[at].next) use(symbols_[at]);
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  struct Waiting {
    double cost;
    uint32_t left;
    uint32_t right;
    uint32_t length;  // of both together
    int32_t id;
  };
  struct Later {
    bool operator()(const Waiting& a, const Waiting& b) const {
      return a.cost != b.cost ? a.cost > b.cost : a.left > b.left;
    }
  };

  template <typename Find>
  void propose(uint32_t left, const Find& find) {
    if (wait_for(left, find)) std::push_heap(waiting_.begin(), waiting_.end(), Later{});
  }

  // Appends the merge of `left` and what follows it, if there is one; the heap is not restored.
  template <typename Find>
  bool wait_for(uint32_t left, const Find& find) {
    const uint32_t right = symbols_[left].next;
    if (right == kNone) return false;
    const std::optional<Merge> merge = find(symbols_[left], symbols_[right]);
    if (!merge) return false;
    waiting_.push_back({merge->cost, left, right, symbols_[left].length + symbols_[right].length, merge->id});
    return true;
  }

  // A proposal is void once either side has grown or gone: then the stretch that it meant is cut at
  // another place.
  [[nodiscard]] bool is_stale(const Waiting& merge) const {
    const Symbol& left = symbols_[merge.left];
    const Symbol& right = symbols_[merge.right];
    return left.length == 0 || right.length == 0 || left.next != merge.right ||
           left.length + right.length != merge.length;
  }

  void join(const Waiting& merge) {
    Symbol& left = symbols_[merge.left];
    Symbol& right = symbols_[merge.right];
    left.length = merge.length;
    left.id = merge.id;
    left.next = right.next;
    if (right.next != kNone) symbols_[right.next].previous = merge.left;
    right.length = 0;
  }

  std::vector<Symbol> symbols_;
  std::vector<Waiting> waiting_;
};

}  // namespace aprx
