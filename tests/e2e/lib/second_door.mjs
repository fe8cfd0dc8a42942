/// A homeserver's side of the second door.
import { pause } from './wait.mjs';
import { fetch_text } from './weir.mjs';

export const door_of = (id) =>
  `/_weir/v1/appservices/${encodeURIComponent(id)}/events`;

/// One request. Answers `{ status, headers, body }`, status 0 when nobody
/// answers.
export function hand_in(weir, bridge, body, { token = bridge.hs_token,
  method = 'POST', id = bridge.id, seconds = 60 } = {}) {
  return fetch_text(weir.port, door_of(id), { method, body, seconds,
    headers: { authorization: `Bearer ${token}`,
      'content-type': 'application/json' } });
}

/// Hands events in until they are taken, as lib/sender.mjs does with
/// transactions, and now and then what was taken before.
export class door_sender {
  constructor({ weir, bridge, random }) {
    Object.assign(this, { weir, bridge, random });
    this.ordering = 0;
    this.taken = [];
    this.accepted = [];
    this.sent = [];
    this.failures = 0;
    this.stopping = false;
  }

  async send(events) {
    this.sent.push(...events.map((one) => one.event_id));
    const body = JSON.stringify({ events: events.map((event) => {
      this.ordering += this.random.between(1, 3);
      return { stream_ordering: this.ordering, event };
    }) });
    while ((await hand_in(this.weir, this.bridge, body)).status !== 200) {
      if (this.stopping) return undefined;
      this.failures += 1;
      await pause(20);
    }
    this.accepted.push(...events.map((one) => one.event_id));
    this.taken.push(body);
    if (this.random.chance(0.3)) {
      await hand_in(this.weir, this.bridge, this.random.pick(this.taken));
    }
    return this.ordering;
  }

  close() {
    this.stopping = true;
  }
}
