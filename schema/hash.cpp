#include "schema/hash.hpp"

#include "schema/error.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <array>
#include <memory>
#include <span>

namespace weir {

namespace {

using digest_bytes = std::array<unsigned char, 32>;

std::string to_hex(std::span<const unsigned char> bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string hex;
  hex.reserve(bytes.size() * 2);
  for (const auto byte : bytes) {
    hex.push_back(digits[byte >> 4U]);
    hex.push_back(digits[byte & 0xfU]);
  }
  return hex;
}

struct context_deleter {
  void operator()(EVP_MD_CTX* context) const noexcept {
    EVP_MD_CTX_free(context);
  }
};

/// Fetching the algorithm and making a context cost more than the digest of an
/// event id, so both are kept. Only a process without memory or without
/// OpenSSL's default provider fails here.
digest_bytes sha256(std::string_view bytes) {
  static EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  thread_local const std::unique_ptr<EVP_MD_CTX, context_deleter> context{
    EVP_MD_CTX_new()};
  digest_bytes digest{};
  WEIR_ASSERT(
    algorithm && context
    && EVP_DigestInit_ex2(context.get(), algorithm, nullptr) == 1
    && EVP_DigestUpdate(context.get(), bytes.data(), bytes.size()) == 1
    && EVP_DigestFinal_ex(context.get(), digest.data(), nullptr) == 1);
  return digest;
}

} // namespace

std::string sha256_hex(std::string_view bytes) {
  return to_hex(sha256(bytes));
}

uint64_t sha256_head(std::string_view bytes) {
  const auto digest = sha256(bytes);
  uint64_t head = 0;
  for (size_t i = 0; i < sizeof head; ++i)
    head = head << 8U | digest[i];
  return head;
}

namespace {

digest_bytes hmac(std::string_view key, std::string_view message) {
  // OpenSSL takes a null key for "the key set before".
  const auto* const key_bytes = key.empty() ? "" : key.data();
  digest_bytes code{};
  size_t length = 0;
  const auto* const made = EVP_Q_mac(
    nullptr, "HMAC", nullptr, "SHA256", nullptr, key_bytes, key.size(),
    reinterpret_cast<const unsigned char*>(message.data()), message.size(),
    code.data(), code.size(), &length);
  WEIR_ASSERT(made && length == code.size());
  return code;
}

} // namespace

std::string hmac_sha256_hex(std::string_view key, std::string_view message) {
  return to_hex(hmac(key, message));
}

std::string hmac_sha256(std::string_view key, std::string_view message) {
  const auto code = hmac(key, message);
  return {code.begin(), code.end()};
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size()
    && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string random_hex(size_t bytes) {
  std::string drawn(bytes, '\0');
  auto* const start = reinterpret_cast<unsigned char*>(drawn.data());
  WEIR_ASSERT(bytes == 0 || RAND_bytes(start, static_cast<int>(bytes)) == 1);
  return to_hex({start, bytes});
}

} // namespace weir
