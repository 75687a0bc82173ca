// Runs kernels on AArch64: linked with their object files and a table of them, it reads cases, runs each and
// writes what the outputs hold then. It shares no header with Ingot, so that a cross compiler alone builds
// it.
//
//   runner CASES RESULTS
//
// CASES holds int64 words and bytes: for each kernel of the table the numbers of units, barriers, inputs and
// outputs, the bytes of scratch and of shared memory, the barriers, the bytes of each buffer, and then the
// inputs themselves. RESULTS gets the bytes of all outputs, in order.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

using KernelFunction = void (*)(void* const* buffers, int64_t begin, int64_t end, void* scratch);
extern "C" {
extern const KernelFunction ingot_kernels[];
extern const int64_t ingot_kernel_count;

// What kernels call (ir::RareFunction).
float ingot_far_sin_f32(float x) {
  return std::sin(x);
}
double ingot_far_sin_f64(double x) {
  return std::sin(x);
}
float ingot_far_cos_f32(float x) {
  return std::cos(x);
}
double ingot_far_cos_f64(double x) {
  return std::cos(x);
}
float ingot_far_rem_f32(float x, float y) {
  return std::fmod(x, y);
}
double ingot_far_rem_f64(double x, double y) {
  return std::fmod(x, y);
}
}

namespace {

constexpr size_t kGuard = 256;  // bytes behind each buffer that must keep their value
constexpr unsigned char kPoison = 0xa5;

[[noreturn]] void fail(const char* what, int64_t kernel) {
  std::fprintf(stderr, "kernel %lld: %s\n", static_cast<long long>(kernel), what);
  std::exit(1);
}

class Memory {
 public:
  explicit Memory(int64_t bytes) : bytes_(static_cast<size_t>(bytes)) {
    data_ = static_cast<unsigned char*>(std::aligned_alloc(64, (bytes_ + kGuard + 63) / 64 * 64));
    std::memset(data_, kPoison, bytes_ + kGuard);
  }
  ~Memory() { std::free(data_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  unsigned char* data() { return data_; }
  size_t bytes() const { return bytes_; }
  bool guarded() const {
    for (size_t i = 0; i < kGuard; ++i) {
      if (data_[bytes_ + i] != kPoison) return false;
    }
    return true;
  }

 private:
  size_t bytes_;
  unsigned char* data_;
};

void run_case(int64_t kernel, std::FILE* cases, std::FILE* results) {
  auto word = [&] {
    int64_t value = 0;
    if (std::fread(&value, sizeof value, 1, cases) != 1) fail("its case is cut off", kernel);
    return value;
  };
  const int64_t units = word(), barriers = word(), inputs = word(), outputs = word();
  Memory scratch(word()), shared(word());
  std::vector<int64_t> ends;
  for (int64_t i = 0; i < barriers; ++i) ends.push_back(word());
  ends.push_back(units);
  std::vector<Memory*> buffers;
  std::vector<void*> pointers;
  for (int64_t i = 0; i < inputs + outputs; ++i) {
    buffers.push_back(new Memory(word()));
    pointers.push_back(buffers.back()->data());
  }
  for (int64_t i = 0; i < inputs; ++i) {
    Memory& input = *buffers[static_cast<size_t>(i)];
    if (std::fread(input.data(), 1, input.bytes(), cases) != input.bytes())
      fail("its case is cut off", kernel);
  }
  if (shared.bytes() > 0) pointers.push_back(shared.data());

  // The units of a phase in three ranges, the last one first: they are independent.
  int64_t first = 0;
  for (int64_t end : ends) {
    const int64_t a = first + (end - first) / 3, b = end - (end - first) / 4;
    ingot_kernels[kernel](pointers.data(), b, end, scratch.data());
    ingot_kernels[kernel](pointers.data(), a, b, scratch.data());
    ingot_kernels[kernel](pointers.data(), first, a, scratch.data());
    first = end;
  }

  if (!scratch.guarded() || !shared.guarded()) fail("it writes behind its scratch or shared memory", kernel);
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (!buffers[i]->guarded()) fail("it writes behind a buffer", kernel);
    if (i >= static_cast<size_t>(inputs)) std::fwrite(buffers[i]->data(), 1, buffers[i]->bytes(), results);
    delete buffers[i];
  }
}

}  // namespace

int main(int, char** argv) {
  std::FILE* cases = std::fopen(argv[1], "rb");
  std::FILE* results = std::fopen(argv[2], "wb");
  if (!cases || !results) return 2;
  for (int64_t i = 0; i < ingot_kernel_count; ++i) run_case(i, cases, results);
  std::fclose(results);
  std::printf("%lld kernels ran\n", static_cast<long long>(ingot_kernel_count));
}
