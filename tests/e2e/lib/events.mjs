/// Events and transactions as a homeserver would write them. All bodies are
/// built as text, so that a test decides every byte.
import { createHash } from 'node:crypto';

export const sha256 = (bytes) =>
  createHash('sha256').update(bytes).digest('hex');

/// A room message. `extra` is merged into the event.
export function message(id, extra = {}) {
  return {
    event_id: id,
    room_id: '!room:example.org',
    sender: '@alice:example.org',
    type: 'm.room.message',
    origin_server_ts: 1700000000000,
    content: { msgtype: 'm.text', body: `text of ${id}` },
    unsigned: { age: 5 },
    ...extra,
  };
}

/// `count` messages `$<prefix><n>`, counted from `from`.
export function messages(prefix, count, from = 0, extra = {}) {
  return Array.from({ length: count }, (_, index) =>
    message(`$${prefix}${from + index}`, extra),
  );
}

/// The ids of a list of events.
export const ids_of = (events) => events.map((one) => one.event_id);

/// Two numbers of one size, for comparing lists in messages.
export function first_difference(left, right) {
  const length = Math.max(left.length, right.length);
  for (let at = 0; at < length; at += 1) {
    if (left[at] !== right[at]) {
      return `at ${at}: ${left[at]} against ${right[at]}`;
    }
  }
  return 'none';
}
