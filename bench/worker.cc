#include "worker.h"

#include <iostream>
#include <sstream>
#include <stdexcept>

namespace bench {
namespace {

std::vector<HostArray> read_arguments(const std::string& path) {
  std::vector<HostArray> arguments;
  if (path == "-") return arguments;  // a measure of the machine needs none
  std::map<std::string, HostArray> named = read_npz(path);
  for (size_t i = 0; i < named.size(); ++i) {
    arguments.push_back(std::move(named.at("arg" + std::to_string(i))));
  }
  return arguments;
}

void write_results(const std::string& path, const std::vector<HostArray>& results) {
  std::map<std::string, const HostArray*> named;
  for (size_t i = 0; i < results.size(); ++i) named["out" + std::to_string(i)] = &results[i];
  write_npz(path, named);
}

nlohmann::json answer(Worker& worker, const std::string& line) {
  std::istringstream words(line);
  std::string command, first, second, third;
  words >> command >> first >> second >> third;
  nlohmann::json reply = nlohmann::json::object();
  if (command == "prepare") {
    worker.prepare(first, second, read_arguments(third));
  } else if (command == "run") {
    reply["ms"] = nlohmann::json::array();
    for (int i = std::stoi(first); i > 0; --i) reply["ms"].push_back(worker.run(second == "fresh"));
  } else if (command == "result") {
    write_results(first, worker.results());
  } else if (command == "text") {
    reply["text"] = worker.text();
  } else if (command == "info") {
    reply = worker.info();
  } else {
    throw std::invalid_argument("unknown command '" + command + "'");
  }
  return reply;
}

}  // namespace

int serve(Worker& worker) {
  for (std::string line; std::getline(std::cin, line) && line != "quit";) {
    nlohmann::json reply;
    try {
      reply = answer(worker, line);
    } catch (const std::exception& error) {
      reply = {{"error", error.what()}};
    }
    std::cout << reply.dump() << std::endl;
  }
  return 0;
}

}  // namespace bench
