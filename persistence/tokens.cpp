#include "persistence/tokens.hpp"

namespace weir {

judged<token_content> token_authority::owned(const raw_token& given,
                                             std::string_view principal) const {
  auto opened = codec_.open(given.text_);
  if (opened && opened.value().principal != token_hash(principal))
    return refuse(token_refusal::other_principal);
  return opened;
}

judged<known_token> token_authority::verify(const raw_token& given,
                                            std::string_view principal) const {
  auto content = owned(given, principal);
  if (!content)
    return refuse(content.error());
  return known_token{std::move(content.value())};
}

judged<known_cursor> token_authority::verify_cursor(const raw_token& given,
                                                    token_owner by) const {
  auto content = owned(given, by.principal);
  if (!content)
    return refuse(content.error());
  if (content.value().kind != token_kind::cursor)
    return refuse(token_refusal::bound_as_cursor);
  if (content.value().filter != token_hash(by.filter))
    return refuse(token_refusal::other_filter);
  return known_cursor{std::move(content.value())};
}

expected<std::string> token_authority::bound(const slot_position& commit,
                                             std::string_view principal) const {
  token_content content;
  content.principal = token_hash(principal);
  content.at.raise(commit);
  return codec_.seal(content);
}

expected<std::string> token_authority::cursor(const read_position& read,
                                              token_owner to) const {
  token_content content;
  content.kind = token_kind::cursor;
  content.principal = token_hash(to.principal);
  content.filter = token_hash(to.filter);
  content.at = read.at_;
  content.page = read.page_;
  return codec_.seal(content);
}

} // namespace weir
