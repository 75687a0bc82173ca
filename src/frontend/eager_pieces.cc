#include "frontend/eager_pieces.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "frontend/eager_call.h"

namespace ingot::detail {
namespace {

// Programs want arguments at such addresses; elements have one byte at least.
constexpr int64_t kAlignment = 64;
constexpr int64_t kMostInUnit = 1 << 16;  // elements: more are a size of their own
constexpr int64_t kPieceGrows = 16;  // from one size of a piece to the next: six sizes reach 2^26 elements
constexpr int kRareCalls = 3;

// Rows of the result, and what each operand has of them.
struct RowsOfCall {
  int64_t count = 0;
  int64_t unit = 1;             // rows that begin at an aligned address
  Shape row;                    // of the result
  std::vector<Shape> operands;  // of a row of each; of those that are shared, of all of it
  std::vector<bool> shared;     // the same for all rows

  Shape piece(size_t operand, int64_t rows) const {
    Shape shape = operands[operand];
    if (!shared[operand]) shape.insert(shape.begin(), rows);
    return shape;
  }
};

std::optional<RowsOfCall> rows_of(const std::vector<Array>& operands, const Shape& shape) {
  if (shape.empty()) return std::nullopt;
  RowsOfCall rows;
  const auto is_number = [](const Array& x) { return element_count(x.shape()) == 1; };
  const bool flat = std::all_of(operands.begin(), operands.end(),
                                [&](const Array& x) { return x.shape() == shape || is_number(x); });
  rows.count = flat ? element_count(shape) : shape[0];
  if (rows.count == 0) return std::nullopt;
  if (!flat) rows.row.assign(shape.begin() + 1, shape.end());
  int64_t longest = element_count(rows.row);
  for (const Array& operand : operands) {
    const Shape& own = operand.shape();
    const bool number = flat && own != shape;
    const bool shared = number || (!flat && (own.size() < shape.size() || own[0] != shape[0]));
    rows.shared.push_back(shared);
    rows.operands.push_back(number || flat ? Shape() : shared ? own : Shape(own.begin() + 1, own.end()));
    if (shared) continue;
    const int64_t elements = element_count(rows.operands.back());
    longest = std::max(longest, elements);
    if (elements > 0) rows.unit = std::max(rows.unit, kAlignment / std::gcd(kAlignment, elements));
  }
  if (longest == 0) return std::nullopt;
  rows.unit = std::max(rows.unit, kAlignment / std::gcd(kAlignment, element_count(rows.row)));
  if (rows.unit * longest > kMostInUnit) return std::nullopt;
  return rows;
}

// Piece after piece of the result.
class InPieces {
 public:
  InPieces(JitState& state, const std::vector<Array>& operands, const std::vector<int64_t>& words,
           const std::source_location& where, const ArrayBody& body, RowsOfCall rows)
      : state_(state),
        operands_(operands),
        words_(words),
        where_(where),
        body_(body),
        rows_(std::move(rows)) {}

  // Makes the programs; false for a mistake, which is to be told with the operands as they are.
  bool prepare() {
    while (piece_ * kPieceGrows <= whole_) piece_ *= kPieceGrows;
    try {
      program_ = program_for(piece_);
      if (whole_ < rows_.count) of_unit_ = piece_ == rows_.unit ? program_ : program_for(rows_.unit);
    } catch (const Error&) {
      return false;
    }
    return true;
  }

  Array run(const Shape& shape) {
    const ArrayType* result = program_->traced().result_types[0];
    row_bytes_ = result->bytes / piece_;
    const ArrayType* type = intern_type(result->dtype, shape, result->weak);
    std::shared_ptr<runtime::Buffer> buffer = allocate(type, "a result of an operation", where_);
    auto* to = static_cast<std::byte*>(buffer->data());
    for (int64_t at = 0; at < whole_; at += piece_) run_rows(*program_, std::min(at, whole_ - piece_), to);
    if (of_unit_ != nullptr) run_rest(*of_unit_, to);
    return make_concrete(type, std::move(buffer), user_line(where_));
  }

 private:
  std::shared_ptr<const Program> program_for(int64_t rows) {
    std::vector<Array> pieces;
    for (size_t i = 0; i < operands_.size(); ++i)
      pieces.push_back(
          as_weak(Array::abstract(operands_[i].dtype(), rows_.piece(i, rows)), is_weak(operands_[i])));
    const EagerCall call(pieces, words_, body_);
    Signature signature;
    signature.where = where_;
    call.sign(signature);
    if (CacheEntry* entry = state_.find(signature)) {
      if (auto program = entry->program.share()) return program;
    }
    return with_memory(where_, state_.name(),
                       [&] { return state_.program(state_.entry(signature, call), call, where_); });
  }

  int64_t bytes_of_row(size_t operand) const {
    return element_count(rows_.operands[operand]) *
           static_cast<int64_t>(byte_size(operands_[operand].dtype()));
  }
  const std::byte* data(size_t operand) const {
    return static_cast<const std::byte*>(operands_[operand].node()->host_data());
  }

  // Rows that lie in place.
  void run_rows(const Program& program, int64_t first, std::byte* to) {
    std::vector<const void*> from;
    for (size_t i = 0; i < operands_.size(); ++i)
      from.push_back(data(i) + (rows_.shared[i] ? 0 : first * bytes_of_row(i)));
    void* const results[] = {to + first * row_bytes_};
    program.run_at(from, results, where_);
  }

  // The last unit of rows, which begins at no aligned address or is not whole, in memory of its own.
  void run_rest(const Program& program, std::byte* to) {
    const int64_t count = std::min(rows_.unit, rows_.count), first = rows_.count - count;
    std::vector<std::shared_ptr<runtime::Buffer>> copies;
    const auto room = [&](int64_t row_bytes) {
      copies.push_back(runtime::BufferPool::global().allocate(static_cast<size_t>(rows_.unit * row_bytes)));
      return static_cast<std::byte*>(copies.back()->data());
    };
    std::vector<const void*> from;
    for (size_t i = 0; i < operands_.size(); ++i) {
      if (rows_.shared[i]) {
        from.push_back(data(i));
        continue;
      }
      const int64_t bytes = bytes_of_row(i);
      std::byte* copy = room(bytes);
      std::memcpy(copy, data(i) + first * bytes, static_cast<size_t>(count * bytes));
      std::memset(copy + count * bytes, 0, static_cast<size_t>((rows_.unit - count) * bytes));
      from.push_back(copy);
    }
    std::byte* made = room(row_bytes_);
    void* const results[] = {made};
    program.run_at(from, results, where_);
    std::memcpy(to + first * row_bytes_, made, static_cast<size_t>(count * row_bytes_));
  }

  JitState& state_;
  const std::vector<Array>& operands_;
  const std::vector<int64_t>& words_;
  const std::source_location& where_;
  const ArrayBody& body_;
  const RowsOfCall rows_;
  const int64_t whole_ = rows_.count / rows_.unit * rows_.unit;  // rows in aligned units
  int64_t piece_ = rows_.unit;                                   // rows of a piece
  std::shared_ptr<const Program> program_, of_unit_;             // of a piece; of the rest, if there is one
  int64_t row_bytes_ = 0;                                        // of the result
};

struct Seen {
  uint64_t hash = 0;
  int calls = 0;
};
thread_local constinit std::array<Seen, 256> last_seen{};  // of the calling thread, by hash

}  // namespace

bool is_rare(const Signature& signature) {
  Seen& seen = last_seen[signature.hash % last_seen.size()];
  if (seen.hash != signature.hash) seen = {signature.hash, 0};
  return ++seen.calls <= kRareCalls;
}

std::optional<Array> apply_in_pieces(JitState& state, const std::vector<Array>& operands, const Shape& shape,
                                     const std::vector<int64_t>& words, const std::source_location& where,
                                     const ArrayBody& body) {
  if (!array_memory().of_host()) return std::nullopt;  // numbers and remainders are handed over by the host
  for (const Array& operand : operands) {
    if (!checked_node(operand, where).concrete()) return std::nullopt;
  }
  std::optional<RowsOfCall> rows = rows_of(operands, shape);
  if (!rows) return std::nullopt;
  // What one program would do does not need pieces.
  if (rows->count == rows->unit) return std::nullopt;
  InPieces pieces(state, operands, words, where, body, std::move(*rows));
  if (!pieces.prepare()) return std::nullopt;
  return pieces.run(shape);
}

}  // namespace ingot::detail
