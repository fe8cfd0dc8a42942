#include "tests/support/actors/scripted_network.hpp"

#include <algorithm>

namespace weir::test {

scripted_reply status(int code, std::vector<http_field> fields) {
  scripted_reply reply;
  reply.answer.status = code;
  reply.answer.fields = std::move(fields);
  return reply;
}

scripted_reply failure(no_answer why) {
  return {unanswered(why, "scripted"), milliseconds{0}, false};
}

scripted_reply silence() {
  return {{}, milliseconds{0}, true};
}

std::string txn_of(const http_request& request) {
  return request.target.substr(request.target.rfind('/') + 1);
}

void scripted_network::send(uint64_t id, http_request request,
                            std::function<void(http_answer)> done) {
  if (request.method == "PUT")
    open_most_ = std::max(open_most_, ++open_transactions_[request.peer.url]);
  open_[id] = {sent_.size(), std::move(done), false};
  auto reply = script(request);
  sent_.push_back({id, std::move(request), elapsed_(), {}});
  if (reply.never)
    return;
  if (reply.after.count() == 0)
    return answer(id, std::move(reply.answer));
  due_.emplace(elapsed_() + reply.after,
               std::pair{id, std::move(reply.answer)});
}

void scripted_network::abort(uint64_t id) {
  ++aborts_;
  const auto found = open_.find(id);
  if (found == open_.end())
    return;
  found->second.aborted = true;
  if (closes_on_abort)
    answer(id, unanswered(no_answer::aborted, "scripted"));
}

void scripted_network::answer(uint64_t id, http_answer answer) {
  auto node = open_.extract(id);
  if (node.empty())
    return;
  auto& record = sent_[node.mapped().index];
  record.closed_at = elapsed_();
  if (record.request.method == "PUT")
    --open_transactions_[record.request.peer.url];
  node.mapped().done(std::move(answer));
}

void scripted_network::close_aborted() {
  std::vector<uint64_t> ids;
  for (const auto& [id, request] : open_)
    if (request.aborted)
      ids.push_back(id);
  for (const auto id : ids)
    answer(id, unanswered(no_answer::aborted, "scripted"));
}

std::optional<milliseconds> scripted_network::next_due() const {
  if (due_.empty())
    return {};
  return due_.begin()->first;
}

void scripted_network::answer_due() {
  while (!due_.empty() && due_.begin()->first <= elapsed_()) {
    auto node = due_.extract(due_.begin());
    answer(node.mapped().first, std::move(node.mapped().second));
  }
}

void scripted_network::hang_up() {
  due_.clear();
  open_.clear();
}

std::vector<sent_request>
scripted_network::sent_to(const std::string& url) const {
  std::vector<sent_request> result;
  std::copy_if(sent_.begin(), sent_.end(), std::back_inserter(result),
               [&](const sent_request& each) {
                 return each.request.peer.url == url
                   && each.request.method == "PUT";
               });
  return result;
}

std::vector<int64_t> scripted_network::times_to(const std::string& url) const {
  std::vector<int64_t> result;
  for (const auto& each : sent_to(url))
    result.push_back(each.at.count());
  return result;
}

} // namespace weir::test
