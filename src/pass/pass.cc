#include "pass/pass.h"

#include <charconv>
#include <iostream>
#include <utility>

#include "base/options.h"
#include "ingot/error.h"

namespace ingot::pass {

std::string label(const ir::Op& op) {
  std::string text;
  if (op.result_count() > 0) text = "%" + op.result(0)->name() + " = ";
  return text + std::string(op.name());
}

PassContext::PassContext(PassOptions options, kernel::Candidates* candidates)
    : options_(std::move(options)),
      own_candidates_(candidates == nullptr ? std::make_unique<kernel::Candidates>() : nullptr),
      candidates_(candidates == nullptr ? own_candidates_.get() : candidates),
      log_to_stderr_(ingot::logs(LogTopic::kPasses)) {
  if (!options_.plant.empty()) plant_ = std::make_unique<Plant>(options_.plant);
}

RewriteCounts PassContext::enter(std::string_view pass) {
  pass_ = pass;
  return std::exchange(counts_, {});
}

bool PassContext::may(std::string_view rule, const ir::Op& op) {
  bool allowed = allow(rule);
  if (logs()) {
    log((allowed ? "" : "not allowed: ") + std::string(rule) + ": " + label(op) + " in @" +
        op.function()->name() +
        (op.provenance().file.empty() ? "" : " at " + ir::to_string(op.provenance())));
  }
  if (allowed && plant_ != nullptr) plant_->rewrites(pass_, rule, op);
  return allowed;
}

bool PassContext::may(std::string_view rule, const ir::Function& function) {
  bool allowed = allow(rule);
  if (logs()) log((allowed ? "" : "not allowed: ") + std::string(rule) + ": @" + function.name());
  if (allowed && plant_ != nullptr) plant_->rewrites(pass_, rule, function);
  return allowed;
}

bool PassContext::allow(std::string_view rule) {
  if (options_.max_rewrites >= 0 && total_ >= options_.max_rewrites) return false;
  if (!options_.rule_limits.empty()) {
    for (const std::string& name : {std::string(rule), pass_ + "." + std::string(rule)}) {
      auto limit = options_.rule_limits.find(name);
      if (limit == options_.rule_limits.end()) continue;
      if (all_counts_[name] >= limit->second) return false;
    }
    ++all_counts_[std::string(rule)];
    ++all_counts_[pass_ + "." + std::string(rule)];
  }
  count(rule);
  return true;
}

void PassContext::count(std::string_view rule) {
  ++total_;
  auto count = counts_.find(rule);
  if (count == counts_.end()) count = counts_.emplace(std::string(rule), 0).first;
  ++count->second;
}

bool PassContext::must(std::string_view rule, const ir::Op& op) {
  if (options_.max_required >= 0 && required_ >= options_.max_required) return false;
  ++required_;
  count(rule);
  if (logs()) {
    log(std::string(rule) + ": " + label(op) + " in @" + op.function()->name() +
        (op.provenance().file.empty() ? "" : " at " + ir::to_string(op.provenance())));
  }
  if (plant_ != nullptr) plant_->rewrites(pass_, rule, op);
  return true;
}

void PassContext::leave(ir::Module& module) {
  if (plant_ != nullptr) plant_->ended(pass_, module);
}

void PassContext::log(const std::string& line) const {
  std::string text = "pass " + pass_ + ": #" + std::to_string(total_) + " " + line;
  if (options_.log) options_.log(text);
  if (log_to_stderr_) std::cerr << text + "\n";
}

void PassContext::refuse(const ir::Op& producer, const ir::Op* consumer, std::string reason) {
  if (logs()) {
    log("refused: " + label(producer) + (consumer != nullptr ? " into " + label(*consumer) : "") + ": " +
        reason);
  }
  refusals_.push_back({pass_, label(producer), consumer != nullptr ? label(*consumer) : "", std::move(reason),
                       ir::to_string(producer.provenance())});
}

void PassContext::refuse(const KernelPair& pair, std::string reason) {
  refuse(pair.producer, &pair.consumer, std::move(reason));
  Refusal& refusal = refusals_.back();
  if (!pair.producer_label.empty()) refusal.producer = pair.producer_label;
  if (!pair.consumer_label.empty()) refusal.consumer = pair.consumer_label;
  refusal.producer_kernel = pair.producer_kernel;
  refusal.consumer_kernel = pair.consumer_kernel;
  refusal.value = "%" + pair.value.name();
  refusal.bytes = refusal.bytes_read = pair.value.type().bytes();
  refusal.siblings = pair.siblings;
  refusal.read_as = pair.read_as == nullptr ? refusal.value : "%" + pair.read_as->name();
}

void PassContext::note(std::string about, std::string text) {
  if (logs()) log("note: " + about + ": " + text);
  notes_.push_back({pass_, std::move(about), std::move(text)});
}

const std::string* PassContext::find_option(std::string_view name) const {
  auto it = options_.values.find(pass_ + "." + std::string(name));
  return it == options_.values.end() ? nullptr : &it->second;
}

int64_t PassContext::option(std::string_view name, int64_t fallback) const {
  const std::string* text = find_option(name);
  if (text == nullptr) return fallback;
  int64_t value = 0;
  auto result = std::from_chars(text->data(), text->data() + text->size(), value);
  if (result.ec != std::errc() || result.ptr != text->data() + text->size()) {
    throw Error("the option " + pass_ + "." + std::string(name) + " takes a whole number, not '" + *text +
                "'");
  }
  return value;
}

std::string PassContext::option(std::string_view name, std::string_view fallback) const {
  const std::string* text = find_option(name);
  return text == nullptr ? std::string(fallback) : *text;
}

std::string to_string(const Refusal& r) {
  const auto in = [](const std::string& op, const std::string& kernel) {
    return kernel.empty() ? op : op + " in " + kernel;
  };
  std::string text = in(r.producer, r.producer_kernel);
  if (!r.consumer.empty()) text += (r.siblings ? " and " : " into ") + in(r.consumer, r.consumer_kernel);
  if (r.siblings) text += ", which both read " + r.value;
  text += ": " + r.reason;
  if (r.bytes > 0) text += "; " + bytes_at_stake(r);
  return r.source.empty() ? text : text + " (" + r.source + ")";
}

std::string bytes_at_stake(const Refusal& r) {
  const std::string bytes = std::to_string(r.bytes) + " bytes are ";
  if (r.siblings) return "at most " + bytes + "read by both";
  if (r.bytes_read == r.bytes) return bytes + "written and read again";
  return bytes + "written and " + (r.bytes_read == 0 ? "none" : std::to_string(r.bytes_read)) + " read again";
}

}  // namespace ingot::pass
