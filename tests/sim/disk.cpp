#include "tests/sim/disk.hpp"

#include "tests/sim/disk_file.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace weir::sim {

void disk_file::write(size_t at, const char* from, size_t size) {
  unflushed.push_back({at, {}, bytes.size()});
  if (at < bytes.size())
    unflushed.back().before = bytes.substr(at, size);
  if (at + size > bytes.size())
    bytes.resize(at + size);
  std::memcpy(bytes.data() + at, from, size);
}

void disk_file::truncate(size_t size) {
  if (size >= bytes.size())
    return;
  unflushed.push_back({size, bytes.substr(size), bytes.size()});
  bytes.resize(size);
}

void disk_file::lose_unflushed(size_t keep) {
  while (unflushed.size() > keep) {
    const auto& last = unflushed.back();
    bytes.resize(last.size_before);
    std::copy(last.before.begin(), last.before.end(),
              bytes.begin() + static_cast<std::ptrdiff_t>(last.at));
    unflushed.pop_back();
  }
}

void disk::end_process() {
  for (auto& [name, file] : files_) {
    auto next = std::make_shared<disk_file>();
    next->bytes = std::move(file->bytes);
    next->unflushed = std::move(file->unflushed);
    file->bytes.clear();
    file->unflushed.clear();
    file->lost = true;
    file = std::move(next);
  }
}

void disk::cut_power(const std::function<size_t(size_t)>& keep) {
  end_process();
  for (auto& [name, file] : files_) {
    file->lose_unflushed(keep(file->unflushed.size()));
    file->flush();
  }
}

disk::image disk::copy() const {
  image result;
  for (const auto& [name, file] : files_)
    result[name] = file->bytes;
  return result;
}

void disk::restore(const image& from) {
  end_process();
  files_.clear();
  for (const auto& [name, bytes] : from) {
    files_[name] = std::make_shared<disk_file>();
    files_[name]->bytes = bytes;
  }
}

std::shared_ptr<disk_file> disk::open(const char* name, bool make) {
  if (name == nullptr)
    return std::make_shared<disk_file>();
  if (const auto found = files_.find(name); found != files_.end())
    return found->second;
  if (!make)
    return nullptr;
  return files_[name] = std::make_shared<disk_file>();
}

bool disk::remove(const std::string& name) {
  return files_.erase(name) > 0;
}

bool disk::exists(const std::string& name) const {
  const auto found = files_.find(name);
  return found != files_.end() && !found->second->bytes.empty();
}

bool disk::flush() {
  ++flushes_;
  return !std::exchange(flush_fails_, false);
}

/// SplitMix64.
uint64_t disk::random() {
  uint64_t mixed = random_ += 0x9e3779b97f4a7c15U;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
  return mixed ^ (mixed >> 31);
}

} // namespace weir::sim
