// Object code into one mapping of executable memory: LLVM's loader, without the machinery of a JIT session.
#include <llvm/ExecutionEngine/JITSymbol.h>
#include <llvm/ExecutionEngine/RTDyldMemoryManager.h>
#include <llvm/ExecutionEngine/RuntimeDyld.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/Memory.h>

#include <cmath>
#include <cstring>
#include <new>

#include "base/check.h"
#include "codegen/compile_each.h"
#include "codegen/cpu/machine.h"

namespace ingot::codegen {
namespace {

// Everything of one object lies in one mapping, so that the small code model's distances always suffice.
class Mapping final : public llvm::RTDyldMemoryManager {
 public:
  ~Mapping() override {
    if (block_.base()) llvm::sys::Memory::releaseMappedMemory(block_);
  }

  size_t bytes() const { return block_.allocatedSize(); }

  bool needsToReserveAllocationSpace() override { return true; }
  void reserveAllocationSpace(uintptr_t code, llvm::Align code_align, uintptr_t constants,
                              llvm::Align constants_align, uintptr_t data, llvm::Align data_align) override {
    const uintptr_t bytes = code + constants + data + code_align.value() + constants_align.value() +
                            data_align.value() + 4096;  // room for stubs and rounding
    std::error_code error;
    block_ = llvm::sys::Memory::allocateMappedMemory(
        bytes, nullptr, llvm::sys::Memory::MF_READ | llvm::sys::Memory::MF_WRITE, error);
    if (error) throw std::bad_alloc();
    next_ = reinterpret_cast<uintptr_t>(block_.base());
  }
  uint8_t* allocateCodeSection(uintptr_t size, unsigned alignment, unsigned, llvm::StringRef) override {
    return allocate(size, alignment);
  }
  uint8_t* allocateDataSection(uintptr_t size, unsigned alignment, unsigned, llvm::StringRef, bool) override {
    return allocate(size, alignment);
  }
  bool finalizeMemory(std::string*) override {
    const auto flags = llvm::sys::Memory::MF_READ | llvm::sys::Memory::MF_EXEC;
    if (llvm::sys::Memory::protectMappedMemory(block_, flags)) return true;
    llvm::sys::Memory::InvalidateInstructionCache(block_.base(), block_.allocatedSize());
    return false;
  }
  void registerEHFrames(uint8_t*, uint64_t, size_t) override {}  // kernels do not throw
  void deregisterEHFrames() override {}

 private:
  uint8_t* allocate(uintptr_t size, unsigned alignment) {
    next_ = (next_ + alignment - 1) / alignment * alignment;
    auto* place = reinterpret_cast<uint8_t*>(next_);
    next_ += size;
    const auto end = reinterpret_cast<uintptr_t>(block_.base()) + block_.allocatedSize();
    check(next_ <= end, "machine code outgrew its mapping");
    return place;
  }

  llvm::sys::MemoryBlock block_;
  uintptr_t next_ = 0;
};

// The C library's fmod is made of narrow instructions, which the dirty upper halves of a kernel's wide
// registers slow down (158 ns a call instead of 5). All of those are the callee's to overwrite.
template <class T>
using Remainder = T (*)(T, T);
#ifdef __x86_64__
template <class T>
[[gnu::target("avx")]] T remainder_after_wide(T x, T y) {
  __builtin_ia32_vzeroupper();
  return std::fmod(x, y);
}
#endif
template <class T>
Remainder<T> remainder() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx")) return remainder_after_wide<T>;
#endif
  return std::fmod;
}

// The functions that LLVM may call by itself. Everything else is called by address.
class Symbols final : public llvm::LegacyJITSymbolResolver {
 public:
  llvm::JITSymbol findSymbol(const std::string& name) override {
    struct Known {
      const char* name;
      void* address;
    };
    static const Known kKnown[] = {
        {"fmod", reinterpret_cast<void*>(remainder<double>())},
        {"fmodf", reinterpret_cast<void*>(remainder<float>())},
        {"fma", reinterpret_cast<void*>(static_cast<double (*)(double, double, double)>(std::fma))},
        {"fmaf", reinterpret_cast<void*>(static_cast<float (*)(float, float, float)>(std::fma))},
        {"memcpy", reinterpret_cast<void*>(std::memcpy)},
        {"memmove", reinterpret_cast<void*>(std::memmove)},
        {"memset", reinterpret_cast<void*>(std::memset)},
    };
    for (const Known& known : kKnown) {
      if (name == known.name) {
        return llvm::JITSymbol(reinterpret_cast<uint64_t>(known.address), llvm::JITSymbolFlags::Exported);
      }
    }
    return nullptr;
  }
  llvm::JITSymbol findSymbolInLogicalDylib(const std::string&) override { return nullptr; }
};

}  // namespace

Loaded load_object(const llvm::MemoryBuffer& object, const std::string& symbol) {
  auto mapping = std::make_shared<Mapping>();
  Symbols symbols;
  llvm::RuntimeDyld loader(*mapping, symbols);
  auto file = llvm::object::ObjectFile::createObjectFile(object.getMemBufferRef());
  check(static_cast<bool>(file), "LLVM wrote object code that it cannot read");
  loader.loadObject(**file);
  loader.resolveRelocations();
  check(!loader.hasError(), "machine code does not load: " + loader.getErrorString().str());
  std::string error;
  check(!mapping->finalizeMemory(&error), "machine code cannot be made executable: " + error);
  void* entry = loader.getSymbolLocalAddress(symbol);
  check(entry != nullptr, "the kernel's function is missing in its object");
  return {entry, mapping};
}

size_t machine_code_bytes(const Code& code) {
  return code.memory == nullptr ? 0 : static_cast<const Mapping*>(code.memory.get())->bytes();
}

}  // namespace ingot::codegen
