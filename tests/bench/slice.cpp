#include "tests/bench/ledger.hpp"

#include <openssl/evp.h>
#include <simdjson.h>

#include <array>

namespace bench {

namespace {

std::array<unsigned char, 32> sha256_of(std::string_view bytes) {
  static thread_local EVP_MD* const algorithm
    = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  std::array<unsigned char, 32> digest{};
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, algorithm,
             nullptr);
  return digest;
}

int64_t sha256_head(std::string_view bytes) {
  const auto digest = sha256_of(bytes);
  uint64_t head = 0;
  for (size_t at = 0; at < sizeof head; ++at)
    head = head << 8 | digest[at];
  return static_cast<int64_t>(head);
}

} // namespace

std::string sha256_hex(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string hex;
  for (const auto each : sha256_of(bytes)) {
    hex.push_back(digits[each >> 4]);
    hex.push_back(digits[each & 0x0F]);
  }
  return hex;
}

std::optional<std::vector<event_slice>> slice_events(std::string_view body) {
  static thread_local simdjson::ondemand::parser parser;
  static thread_local std::string padded;
  padded.reserve(body.size() + simdjson::SIMDJSON_PADDING);
  padded.assign(body);
  simdjson::ondemand::document document;
  simdjson::ondemand::array events;
  if (parser.iterate(padded).get(document) != simdjson::SUCCESS
      || document["events"].get_array().get(events) != simdjson::SUCCESS)
    return {};
  std::vector<event_slice> sliced;
  for (auto each : events) {
    simdjson::ondemand::object event;
    std::string_view id;
    std::string_view bytes;
    if (each.get_object().get(event) != simdjson::SUCCESS
        || event["event_id"].get_string().get(id) != simdjson::SUCCESS)
      return {};
    const std::string kept{id};
    if (event.raw_json().get(bytes) != simdjson::SUCCESS)
      return {};
    sliced.push_back({bytes, kept, sha256_head(kept)});
  }
  return sliced;
}

} // namespace bench
