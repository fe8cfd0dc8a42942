#include "actors/policy/explanation.hpp"
#include "actors/policy/verdict.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

using namespace weir;
using policy::queue_cause;
using policy::queue_facts;

namespace {

queue_facts resting(const std::string& cause, bool bridge_asked = false) {
  queue_facts facts;
  facts.state = "resting";
  facts.cause = cause;
  facts.bridge_asked = bridge_asked;
  facts.owed = 1;
  return facts;
}

queue_facts blocked(const std::string& cause) {
  auto facts = resting(cause);
  facts.state = "blocked";
  return facts;
}

queue_cause cause_of(const queue_facts& facts) {
  return policy::explain(facts).cause;
}

/// What a verdict on this status says.
std::string class_of(int status) {
  http_answer answer;
  answer.status = status;
  return policy::judge(answer, {}).cause;
}

} // namespace

TEST_CASE("explanation: a queue at rest is told by its last answer") {
  CHECK(cause_of(resting("http_503")) == queue_cause::refused);
  CHECK(cause_of(resting("http_503", true)) == queue_cause::bridge_asked);
  CHECK(cause_of(resting("connect_refused")) == queue_cause::unreachable);
  CHECK(cause_of(resting("timeout")) == queue_cause::no_verdict);
  CHECK(cause_of(resting("http_400")) == queue_cause::content_refused);
  CHECK(cause_of(resting("our own transport was restarted"))
        == queue_cause::own_transport);
  CHECK(policy::explain(resting("http_503")).why
        == "The bridge took nothing just now (http_503).");
  CHECK(policy::explain(resting("")).why.find("{}") == std::string::npos);
  CHECK(cause_of(resting("")) == queue_cause::refused);
}

TEST_CASE("explanation: each class of answer has its cause") {
  for (const int status : {401, 403, 407})
    CHECK(cause_of(resting(class_of(status))) == queue_cause::token_refused);
  for (const int status : {301, 302, 303, 307, 308, 404, 405, 410, 421, 426})
    CHECK(cause_of(resting(class_of(status))) == queue_cause::path_unknown);
  for (const int status : {400, 413, 418, 422})
    CHECK(cause_of(resting(class_of(status))) == queue_cause::content_refused);
  for (const int status : {408, 425, 429, 502, 503, 504, 507})
    CHECK(cause_of(resting(class_of(status))) == queue_cause::refused);
  CHECK(cause_of(resting(class_of(500))) == queue_cause::no_verdict);
}

TEST_CASE("explanation: to wait mends no token, whatever the bridge asked") {
  CHECK(cause_of(resting("http_401", true)) == queue_cause::token_refused);
  CHECK(cause_of(resting("http_404", true)) == queue_cause::path_unknown);
}

TEST_CASE("explanation: a blocked queue is told by what blocks it") {
  CHECK(cause_of(blocked("http_400")) == queue_cause::rejected);
  CHECK(cause_of(blocked("no room for dead letters")) == queue_cause::no_room);
  CHECK(cause_of(blocked("stored bytes differ from the pin"))
        == queue_cause::damaged);
}

TEST_CASE("explanation: what hides the rest comes first") {
  auto facts = blocked("http_400");
  facts.full = true;
  facts.paused = true;
  facts.paused_by = "ada";
  facts.pause_reason = "the bridge moves";
  CHECK(cause_of(facts) == queue_cause::paused);
  CHECK(policy::explain(facts).why
        == "An operator has paused it, ada: the bridge moves.");
  facts.paused_by.clear();
  CHECK(policy::explain(facts).why == "An operator has paused it.");
  facts.has_url = false;
  CHECK(cause_of(facts) == queue_cause::no_url);
  facts.configured = false;
  CHECK(cause_of(facts) == queue_cause::not_configured);
  CHECK(policy::explain(facts).next.find("is deleted when")
        != std::string::npos);
  facts.store_writable = false;
  CHECK(cause_of(facts) == queue_cause::store_away);
}

TEST_CASE("explanation: a queue that flows is told by what it does") {
  queue_facts facts;
  facts.state = "flowing";
  CHECK(cause_of(facts) == queue_cause::idle);
  facts.owed = 3;
  CHECK(cause_of(facts) == queue_cause::flowing);
  facts.sending = true;
  CHECK(cause_of(facts) == queue_cause::sending);
  facts.full = true;
  CHECK(cause_of(facts) == queue_cause::full);
}

TEST_CASE("explanation: who is owed nothing is idle, whatever came before") {
  auto facts = resting("http_503");
  facts.owed = 0;
  CHECK(cause_of(facts) == queue_cause::idle);
}

TEST_CASE("explanation: each cause has a name and sentences of its own") {
  std::set<std::string> names;
  std::set<std::string> sentences;
  std::vector<queue_facts> all{{},
                               resting("http_503"),
                               resting("http_503", true),
                               resting("http_401"),
                               resting("http_404"),
                               resting("tls"),
                               resting("reset"),
                               resting("http_400"),
                               resting("our own transport was restarted"),
                               blocked("http_400"),
                               blocked("no room for dead letters"),
                               blocked("stored bytes differ from the pin")};
  const auto add = [&](auto change) {
    queue_facts facts;
    facts.owed = 1;
    change(facts);
    all.push_back(facts);
  };
  add([](queue_facts&) {});
  add([](queue_facts& facts) { facts.sending = true; });
  add([](queue_facts& facts) { facts.full = true; });
  add([](queue_facts& facts) { facts.paused = true; });
  add([](queue_facts& facts) { facts.has_url = false; });
  add([](queue_facts& facts) { facts.configured = false; });
  add([](queue_facts& facts) { facts.store_writable = false; });
  for (const auto& facts : all) {
    const auto told = policy::explain(facts);
    names.insert(std::string{policy::to_string(told.cause)});
    sentences.insert(told.why);
    for (const auto& text : {told.why, told.next, told.todo}) {
      CHECK_FALSE(text.empty());
      CHECK(text.ends_with('.'));
      CHECK(text.find("{}") == std::string::npos);
    }
  }
  CHECK(names.size() == 19);
  CHECK(sentences.size() == 19);
}
