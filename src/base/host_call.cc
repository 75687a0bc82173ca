#include "base/host_functions.h"

#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <unordered_map>

#include "base/stop.h"
#include "ingot/error.h"

namespace ingot {
namespace {

struct Functions {
  std::mutex mutex;
  std::unordered_map<int64_t, std::shared_ptr<const HostFunction>> by_handle;
  std::map<std::string, RegisteredFunction> registered;
  int64_t next = first();

  // Random, so that a number in the text of another process's program is none of this one.
  static int64_t first() {
    std::random_device random;
    return static_cast<int64_t>((uint64_t{random()} & 0x3fffffff) << 32);
  }
};

Functions& functions() {
  static auto& all = *new Functions;
  return all;
}

std::shared_ptr<const HostFunction> find(int64_t handle) {
  Functions& all = functions();
  const std::lock_guard lock(all.mutex);
  const auto found = all.by_handle.find(handle);
  return found == all.by_handle.end() ? nullptr : found->second;
}

size_t bytes_of(const CustomCall::Buffer& buffer) {
  return static_cast<size_t>(element_count(buffer.shape)) * byte_size(buffer.dtype);
}

}  // namespace

KeptFunction keep_host_function(HostFunction function) {
  Functions& all = functions();
  auto kept = std::make_shared<const HostFunction>(std::move(function));
  const std::lock_guard lock(all.mutex);
  const int64_t handle = ++all.next;
  all.by_handle[handle] = std::move(kept);
  return {handle, std::shared_ptr<const void>(&all, [handle](const Functions* from) {
            Functions& those = *const_cast<Functions*>(from);
            std::shared_ptr<const HostFunction> last;  // ends when the lock is gone: it may own anything
            const std::lock_guard lock(those.mutex);
            const auto found = those.by_handle.find(handle);
            last = std::move(found->second);
            those.by_handle.erase(found);
          })};
}

void register_host_function(const std::string& target, HostFunction function, bool takes_batches) {
  const KeptFunction kept = keep_host_function(std::move(function));
  static auto& owners =
      *new std::vector<KeptFunction>;  // programs that were read before may name those replaced
  Functions& all = functions();
  const std::lock_guard lock(all.mutex);
  owners.push_back(kept);
  all.registered[target] = {kept.handle, takes_batches};
}

RegisteredFunction registered_host_function(const std::string& target) {
  Functions& all = functions();
  const std::lock_guard lock(all.mutex);
  const auto found = all.registered.find(target);
  return found == all.registered.end() ? RegisteredFunction{} : found->second;
}

CustomCall::CustomCall(std::string name, std::string config, std::vector<Buffer> inputs,
                       std::vector<Buffer> outputs)
    : name_(std::move(name)),
      config_(std::move(config)),
      inputs_(std::move(inputs)),
      outputs_(std::move(outputs)) {}
CustomCall::CustomCall(const CustomCall& other) = default;
CustomCall& CustomCall::operator=(const CustomCall& other) = default;
CustomCall::~CustomCall() = default;

const CustomCall::Buffer& CustomCall::input_buffer(size_t i) const {
  if (i >= inputs_.size())
    throw Error("there is no input " + std::to_string(i) + ", only " + std::to_string(inputs_.size()));
  return inputs_[i];
}
const CustomCall::Buffer& CustomCall::output_buffer(size_t i) const {
  if (i >= outputs_.size())
    throw Error("there is no output " + std::to_string(i) + ", only " + std::to_string(outputs_.size()));
  return outputs_[i];
}

void* CustomCall::checked(const Buffer& buffer, DType dtype) {
  if (buffer.dtype != dtype) {
    throw Error("the elements of a " + std::string(name_of(buffer.dtype)) + to_string(buffer.shape) +
                " are not of the type " + std::string(name_of(dtype)));
  }
  return buffer.data;
}

void HostCall::run(void* const* input_data, void* const* output_data) const {
  const std::string begin = (place.empty() ? "" : place + ": ") + "custom_call '" + name + "': ";
  const std::shared_ptr<const HostFunction> function = find(handle);
  if (!function)
    throw Error(begin +
                "this process has no such function of the host; the program runs where it was traced");
  const int64_t count = element_count(batch);
  const auto placed = [&](const std::vector<CustomCall::Buffer>& buffers, void* const* data, int64_t at) {
    std::vector<CustomCall::Buffer> placed = buffers;
    for (size_t i = 0; i < placed.size(); ++i)
      placed[i].data = static_cast<std::byte*>(data[i]) + static_cast<size_t>(at) * bytes_of(placed[i]);
    return placed;
  };
  for (size_t i = 0; i < outputs.size(); ++i)
    std::memset(output_data[i], 0, static_cast<size_t>(count) * bytes_of(outputs[i]));
  for (int64_t at = 0; at < count; ++at) {
    try {
      (*function)(CustomCall(name, config, placed(inputs, input_data, at), placed(outputs, output_data, at)));
    } catch (const RunStopped& stopped) {
      throw RunStopped(begin + stopped.what());
    } catch (const std::exception& error) {
      throw Error(begin + error.what());
    } catch (...) {
      throw Error(begin + "it threw what is no std::exception");
    }
  }
}

}  // namespace ingot
