#include "codegen/cpu/machine.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/CodeGen/SelectionDAGNodes.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/OptBisect.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/PrintPasses.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include <map>
#include <mutex>
#include <unordered_map>

#include "base/check.h"
#include "base/thread_value.h"

namespace ingot::codegen {

struct Machine::Passes {
  explicit Passes(llvm::TargetMachine* machine) : builder(machine) {
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(graphs);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, graphs, modules);
    pipeline.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
    pipeline.addPass(llvm::EarlyCSEPass());
    llvm::InstCombineOptions once;
    once.MaxIterations = 1;
    pipeline.addPass(llvm::InstCombinePass(once));
    pipeline.addPass(llvm::SimplifyCFGPass());
  }
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  llvm::FunctionPassManager pipeline;
};

namespace {

template <class T>
void set_option(const char* name, T value) {
  auto& options = llvm::cl::getRegisteredOptions();
  if (auto found = options.find(name); found != options.end())
    static_cast<llvm::cl::opt<T>*>(found->second)->setValue(value);
}

// What costs most of the time of code generation where a loop has many accesses, and makes nothing faster.
// LLVM offers no switches but its option table, which is global.
void skip_what_does_not_pay() {
  // Strength reduction of loops took three quarters of it: the emitter hoists addresses itself.
  set_option("disable-lsr", true);
  // Both of its schedulers order accesses in pairs where no two are known to differ, up to this many of them
  // (1000 by default): a pass of a Fourier transform of 950 accesses in one block took 620 ms, and takes 170.
  // (To leave out the second one, behind the allocation of registers, would make that 130, and tridiagonal
  // systems 15 % slower on Zen 4.)
  set_option("dag-maps-huge-region", 200u);
}

// The selection of instructions has a table of types.
struct TableOfTypes : llvm::SDNode {
  static void make() { getSDVTList(llvm::MVT::i32); }
};

void initialise_native(void (*made)()) {
  static std::once_flag once;
  std::call_once(once, [made] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();  // for the instructions that emit_dot_pairs.cc writes itself
    made();
    skip_what_does_not_pay();
    made();
    // Needed by kernels with calls alone.
    llvm::LibFunc found;
    llvm::TargetLibraryInfoImpl(llvm::Triple(llvm::sys::getProcessTriple())).getLibFunc("cos", found);
    made();
    llvm::vfs::getRealFileSystem();
    made();
    llvm::getGlobalPassGate();
    made();
    llvm::isPassInPrintList("");
    llvm::isFunctionInPrintList("");
    made();
    TableOfTypes::make();
    made();
  });
}

// The features of this processor, without those of vectors wider than wanted. LLVM's placing of vzeroupper
// does not know calls that preserve all registers and would clear them; kernels end with one of their own.
// Matrix tiles are what the target says: tests have them emulated.
std::string native_features(int vector_bytes, bool tiles) {
  std::string text = "-vzeroupper";
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    const llvm::StringRef name = feature.first();
    const bool wide = name.starts_with("avx512") || name.starts_with("avx10") || name == "evex512";
    if (vector_bytes < 64 && wide) {
      text += ",-" + name.str();
    } else if (feature.second) {
      text += ",+" + name.str();
    }
  }
  return tiles ? text + ",+amx-tile,+amx-bf16" : text;
}

}  // namespace

void make_static_objects(void (*made)()) {
  initialise_native(made);
}

Machine& Machine::native(const kernel::Target& target) {
  initialise_native([] {});
  struct Machines {
    std::map<std::pair<int, bool>, std::unique_ptr<Machine>> of;  // width of vectors, whether with tiles
  };
  auto& machines = thread_value<Machines, Machines>().of;
  const bool tiles = target.tiles.count > 0;
  std::unique_ptr<Machine>& machine = machines[{target.vector_bytes, tiles}];
  if (!machine) {
    const std::string triple = llvm::sys::getProcessTriple();
    const bool x86 = llvm::Triple(triple).isX86();
    if (x86 && target.vector_bytes <= 16) {
      machine = std::make_unique<Machine>(triple, "x86-64-v2", "");
    } else {
      machine = std::make_unique<Machine>(triple, llvm::sys::getHostCPUName().str(),
                                          x86 ? native_features(target.vector_bytes, tiles) : "");
    }
    check(machine->usable(), "LLVM has no code generator for " + triple);
  }
  return *machine;
}

Machine::Machine(const std::string& triple, const std::string& cpu, const std::string& features,
                 bool this_process)
    : this_process_(this_process) {
  std::string error;
  const llvm::Triple parsed(triple);
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(parsed, error);
  if (!target) return;
  llvm::TargetOptions options;
  machine_.reset(target->createTargetMachine(parsed, cpu, features, options, llvm::Reloc::PIC_,
                                             llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
  if (machine_) passes_ = std::make_unique<Passes>(machine_.get());
}

Machine::~Machine() = default;

Instructions Machine::instructions() const {
  const bool x86 = machine_->getTargetTriple().isX86();
  const llvm::StringRef features = machine_->getTargetFeatureString();
  return {.this_process = this_process_,
          .x86 = x86,
          .converts_half = !x86 || features.contains("+f16c"),
          .avx512 = x86 && features.contains("+avx512dq") && features.contains("+avx512vl")};
}

void Machine::prepare(llvm::Module& module) const {
  module.setTargetTriple(machine_->getTargetTriple());
  module.setDataLayout(machine_->createDataLayout());
}

void Machine::optimise(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) passes_->pipeline.run(function, passes_->functions);
  }
  passes_->modules.clear();
  passes_->functions.clear();
  passes_->loops.clear();
}

// LLVM's time grows faster than the length of a function; long ones are compiled with less effort. With less,
// n sines of 64 elements and their sum take 0.5 s to compile at n = 200, 2.4 s at 400 and 4.5 s at 500
// (20,000 instructions); with none 0.23 and 0.26 s, and run 1.29 times as long (AMD EPYC, AVX-512).
void Machine::choose_level(llvm::Module& module) {
  size_t longest = 0;
  for (llvm::Function& function : module) longest = std::max<size_t>(longest, function.getInstructionCount());
  machine_->setOptLevel(longest <= 4000   ? llvm::CodeGenOptLevel::Default
                        : longest <= 8000 ? llvm::CodeGenOptLevel::Less
                                          : llvm::CodeGenOptLevel::None);
  // No effort turns the fast selection of instructions on, which LLVM leaves on for all that follow. It
  // neither contracts nor folds loads, in as much of a block as it knows.
  machine_->setFastISel(false);
}

namespace {

// Listens to the code generator, which says how large the frames of functions are that ask for it, as if that
// were a matter for a warning.
class Frames {
 public:
  explicit Frames(llvm::Module& module) : module_(module) {
    for (llvm::Function& function : module) {
      if (!function.isDeclaration()) function.addFnAttr("warn-stack-size", "0");
    }
    module.getContext().setDiagnosticHandlerCallBack(hear, this);
  }
  ~Frames() { module_.getContext().setDiagnosticHandlerCallBack(nullptr); }
  Frames(const Frames&) = delete;
  Frames& operator=(const Frames&) = delete;

  const std::string& error() const { return error_; }

  // Of all functions that are active at once, at most. None calls itself.
  size_t deepest() {
    size_t most = 0;
    for (const llvm::Function& function : module_) most = std::max(most, from(function));
    return most;
  }

 private:
  // Besides its frame a function takes its return address, and what it leaves free to align its frame.
  static constexpr size_t kPerCall = 128;

  static void hear(const llvm::DiagnosticInfo* info, void* frames) {
    Frames& self = *static_cast<Frames*>(frames);
    if (const auto* size = llvm::dyn_cast<llvm::DiagnosticInfoStackSize>(info)) {
      self.own_[&size->getFunction()] = static_cast<size_t>(size->getStackSize());
    } else if (info->getSeverity() == llvm::DS_Error) {
      llvm::raw_string_ostream stream(self.error_);
      llvm::DiagnosticPrinterRawOStream printer(stream);
      info->print(printer);
    }
  }

  size_t from(const llvm::Function& function) {
    if (function.isDeclaration()) return 0;
    if (const auto known = with_callees_.find(&function); known != with_callees_.end()) return known->second;
    size_t below = 0;
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call != nullptr && call->getCalledFunction() != nullptr)
        below = std::max(below, from(*call->getCalledFunction()));
    }
    return with_callees_[&function] = below + own_[&function] + kPerCall;
  }

  llvm::Module& module_;
  std::unordered_map<const llvm::Function*, size_t> own_, with_callees_;
  std::string error_;
};

}  // namespace

Machine::Object Machine::object(llvm::Module& module) {
  choose_level(module);
  Frames frames(module);
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  const bool failed =
      machine_->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile, true);
  check(!failed, "LLVM cannot write object code for this machine");
  passes.run(module);
  check(frames.error().empty(), "LLVM writes no object code: " + frames.error());
  return {std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(bytes), false), frames.deepest()};
}

std::string Machine::assembly(llvm::Module& module) {
  choose_level(module);
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  const bool failed =
      machine_->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile, true);
  check(!failed, "LLVM cannot write assembly for this machine");
  passes.run(module);
  return std::string(bytes.begin(), bytes.end());
}

}  // namespace ingot::codegen
