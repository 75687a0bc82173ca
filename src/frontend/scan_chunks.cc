// A scan in chunks of steps: a scan over the chunks, each of which is a scan of its own under a checkpoint,
// or steps one after the other. The scanned axis is split in two where it stands, so that chunks and steps
// share their axes. Steps that fill no chunk are a loop behind the chunks.
#include "frontend/scan_chunks.h"

#include <limits>
#include <span>

#include "frontend/apply.h"
#include "frontend/structure.h"
#include "ingot/checkpoint.h"
#include "ingot/functions.h"

namespace ingot::detail {
namespace {

using Sizes = std::span<const int64_t>;

std::vector<Array> together(const ScanResult& result) {
  std::vector<Array> all = result.carry;
  all.insert(all.end(), result.ys.begin(), result.ys.end());
  return all;
}

class Chunks {
 public:
  Chunks(ScanBody& body, const ScanState& state, ScanLoop& loop, int64_t unroll,
         const std::source_location& where)
      : body_(body), state_(state), loop_(loop), unroll_(unroll), where_(where) {}

  // In chunks of sizes[0] steps, which are made in chunks of the sizes behind it.
  ScanResult scan(const std::vector<Array>& init, const std::vector<Array>& xs, int64_t length, Sizes sizes) {
    if (sizes.empty()) return unrolled(init, xs, length);
    if (length <= sizes[0]) return scan(init, xs, length, sizes.subspan(1));
    CheckpointedChunk chunk(*this, sizes);
    return in_chunks(chunk, init, xs, length, sizes[0], sizes.subspan(1));
  }

 private:
  ScanResult unrolled(const std::vector<Array>& init, const std::vector<Array>& xs, int64_t length) {
    if (unroll_ == 1 || length < unroll_) return record(body_, init, xs, length);
    UnrolledChunk chunk(*this);
    return in_chunks(chunk, init, xs, length, unroll_, {});
  }

  ScanResult record(ScanBody& body, const std::vector<Array>& init, const std::vector<Array>& xs,
                    int64_t length) {
    return record_scan(body, {init, xs, state_.carry_structure, state_.x_names}, loop_, length, where_);
  }

  // The chunks that are full, then what is left, which `rest` says how to make.
  ScanResult in_chunks(ScanBody& chunk, const std::vector<Array>& init, const std::vector<Array>& xs,
                       int64_t length, int64_t size, Sizes rest) {
    const int64_t left = length % size, full = length - left;
    const int64_t first = loop_.reverse ? left : 0, behind = loop_.reverse ? 0 : full;
    std::vector<Array> chunks;
    for (size_t i = 0; i < xs.size(); ++i) {
      const auto axis = static_cast<size_t>(loop_.xs_axes[i]);
      Shape shape = xs[i].shape();
      shape[axis] = size;
      shape.insert(shape.begin() + loop_.xs_axes[i], full / size);
      chunks.push_back(reshape(part(xs[i], i, first, full), shape));
    }
    ScanResult result = record(chunk, init, chunks, full / size);
    for (size_t i = 0; i < result.ys.size(); ++i) {
      Shape shape = result.ys[i].shape();
      const int64_t axis = (*loop_.ys_axes)[i];
      shape.erase(shape.begin() + axis);
      shape[static_cast<size_t>(axis)] = full;
      result.ys[i] = reshape(Operand(result.ys[i], where_), shape);
    }
    if (left == 0) return result;
    std::vector<Array> others;
    for (size_t i = 0; i < xs.size(); ++i) others.push_back(part(xs[i], i, behind, left));
    const std::vector<Array> carry = result.carry;
    ScanResult last = rest.empty() ? record(body_, carry, others, left) : scan(carry, others, left, rest);
    for (size_t i = 0; i < last.ys.size(); ++i) {
      const Operand late(last.ys[i], where_), early(result.ys[i], where_);
      const int64_t axis = (*loop_.ys_axes)[i];
      last.ys[i] = loop_.reverse ? concatenate({late, early}, axis) : concatenate({early, late}, axis);
    }
    return last;
  }

  Array part(const Array& x, size_t i, int64_t start, int64_t steps) const {
    return slice_axis(Operand(x, where_), loop_.xs_axes[i], start, start + steps);
  }

  // A chunk passes on what the body says of its results.
  class Chunk : public ScanBody {
   public:
    explicit Chunk(Chunks& chunks) : chunks_(chunks) {}

   protected:
    void finish() {
      result_names = chunks_.body_.result_names;
      next_carry = chunks_.body_.next_carry;
    }
    Chunks& chunks_;
  };

  class CheckpointedChunk final : public Chunk {
   public:
    CheckpointedChunk(Chunks& chunks, Sizes sizes) : Chunk(chunks), sizes_(sizes) {}

    std::vector<Array> step(const std::vector<Array>& carry, const std::vector<Array>& xs) override {
      Steps steps(chunks_, sizes_, carry.size());
      LeafArrays arguments;
      arguments.arrays = carry;
      arguments.names.assign(carry.size(), "carry");
      arguments.arrays.insert(arguments.arrays.end(), xs.begin(), xs.end());
      arguments.names.resize(arguments.arrays.size(), "x");
      std::vector<Array> results =
          call_checkpoint(steps, arguments, checkpoint_policies::nothing_saveable.text(), chunks_.where_);
      finish();
      return results;
    }

   private:
    class Steps final : public LeafFunction {
     public:
      Steps(Chunks& chunks, Sizes sizes, size_t carries)
          : chunks_(chunks), sizes_(sizes), carries_(static_cast<std::ptrdiff_t>(carries)) {}
      std::vector<Array> run(const std::vector<Array>& leaves) override {
        const auto split = leaves.begin() + carries_;
        std::vector<Array> results = together(
            chunks_.scan({leaves.begin(), split}, {split, leaves.end()}, sizes_[0], sizes_.subspan(1)));
        returned.names = chunks_.body_.result_names;
        return results;
      }

     private:
      Chunks& chunks_;
      Sizes sizes_;
      std::ptrdiff_t carries_;
    };
    Sizes sizes_;
  };

  class UnrolledChunk final : public Chunk {
   public:
    using Chunk::Chunk;

    std::vector<Array> step(const std::vector<Array>& carry, const std::vector<Array>& xs) override {
      const int64_t size = chunks_.unroll_;
      const ScanLoop& loop = chunks_.loop_;
      std::vector<Array> now = carry;
      std::vector<std::vector<Array>> ys;  // by y, then by step
      for (int64_t s = 0; s < size; ++s) {
        const int64_t index = loop.reverse ? size - 1 - s : s;
        std::vector<Array> slices;
        for (size_t i = 0; i < xs.size(); ++i)
          slices.push_back(index_axis(Operand(xs[i], chunks_.where_), loop.xs_axes[i], index));
        ScanBody& body = chunks_.body_;
        const std::vector<Array> results = checked_results(
            loop.name + std::string(": a step"), body.step(now, slices), body.result_names, chunks_.where_);
        check_step(body, chunks_.state_, chunks_.loop_, results, chunks_.where_);
        now.assign(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(carry.size()));
        ys.resize(results.size() - carry.size());
        for (size_t i = 0; i < ys.size(); ++i) {
          ys[i].insert(loop.reverse ? ys[i].begin() : ys[i].end(), results[carry.size() + i]);
        }
      }
      const CallerScope caller(chunks_.where_);
      for (size_t i = 0; i < ys.size(); ++i) now.push_back(stack(ys[i], (*loop.ys_axes)[i]));
      finish();
      return now;
    }
  };

  ScanBody& body_;
  const ScanState& state_;
  ScanLoop& loop_;
  int64_t unroll_;
  const std::source_location& where_;
};

int64_t power(int64_t base, int64_t exponent) {
  int64_t product = 1;
  for (; exponent > 0; --exponent) {
    if (__builtin_mul_overflow(product, base, &product)) return std::numeric_limits<int64_t>::max();
  }
  return product;
}

// The largest first; each is a multiple of the next one, so that only the last chunks of all can be short.
std::vector<int64_t> sizes_of(const ScanCheckpoints& checkpoints, int64_t length, const char* name,
                              const std::source_location& where) {
  const auto refuse = [&](const char* what) {
    fail(where, std::string(name) + ": checkpoints " + what + " " + std::to_string(checkpoints.number()) +
                    ", which should be 1 or more");
  };
  int64_t base = 2, levels = 1, least = 1;
  if (checkpoints.kind() == ScanCheckpoints::Kind::kEvery) {
    if (checkpoints.number() < 1) refuse("every");
    base = checkpoints.number();
  } else if (checkpoints.kind() == ScanCheckpoints::Kind::kLevels) {
    if (checkpoints.number() < 1) refuse("in levels, of which there are");
    levels = std::min<int64_t>(checkpoints.number(), 62);  // chunks of two: no more are of any use
    while (power(base, levels + 1) < length) ++base;
  } else {
    while (power(2, levels + 2) <= length) ++levels;
    least = levels;  // steps of a chunk that keep as much as all levels do: shorter ones cost calls alone
  }
  std::vector<int64_t> sizes;
  for (int64_t level = levels; level > 0; --level) {
    const int64_t size = power(base, level);
    if (size < length && size >= least) sizes.push_back(size);
  }
  return sizes;
}

}  // namespace

ScanResult scan_in_chunks(ScanBody& body, const ScanState& state, ScanLoop& loop, const ScanOptions& options,
                          const std::source_location& where) {
  if (options.unroll < 1) {
    fail(where, std::string(loop.name) + ": unroll is " + std::to_string(options.unroll) +
                    ", but a step of the loop is 1 or more of the body's");
  }
  std::vector<int64_t> sizes;
  if (options.checkpoints.has_value()) sizes = sizes_of(*options.checkpoints, loop.length, loop.name, where);
  return Chunks(body, state, loop, options.unroll, where).scan(state.init, state.xs, loop.length, sizes);
}

}  // namespace ingot::detail
