/// Appservices under load: bridges that fail at random and homeserver senders
/// that never rest, everything by seed, and one judgement over all of it.
import { answer, fail_at_random, slow, verdictless_failures }
  from './behaviours.mjs';
import { must_hold } from './checkers.mjs';
import { message } from './events.mjs';
import { random_source } from './random.mjs';
import { pause } from './wait.mjs';

/// Settings under which no failure of these bridges leads to a new plan, so
/// that every duplicate under another id is a fault.
export const load_settings = (over = {}) => ({
  appservices: { defaults: {
    backoff_first: '100ms', backoff_max: '400ms', request_timeout: '10s',
    hangs_before_bisect: 1000,
    // The window would hide a transaction that was stored twice.
    dedupe_events: false,
    ...over,
  } },
});

export class load {
  constructor({ seed, appservices = 3, share = 0.12, rest_ms = 12 }) {
    this.random = new random_source(seed);
    this.count = appservices;
    this.share = share;
    this.rest_ms = rest_ms;
    this.bridges = [];
    this.senders = [];
    this.loops = [];
    this.stopping = false;
  }

  /// Makes the bridges; the caller then starts a Weir with them.
  async prepare(t) {
    for (let n = 0; n < this.count; n += 1) {
      const random = new random_source(this.random.between(1, 2 ** 30));
      this.bridges.push(await t.bridge({
        id: `load${n}`,
        behaviour: fail_at_random(random, this.share,
          [...verdictless_failures(), answer(500), slow(40)]),
      }));
    }
    return this;
  }

  /// Starts one sender for each bridge.
  begin(t, weir) {
    this.weir = weir;
    for (const bridge of this.bridges) {
      const from = t.sender(weir, bridge);
      from.to_device = [];
      this.senders.push(from);
      const random = new random_source(this.random.between(1, 2 ** 30));
      this.loops.push(this.#send_on(from, bridge, random));
    }
  }

  async #send_on(from, bridge, random) {
    let made = 0;
    while (!this.stopping) {
      const events = [];
      for (let left = random.between(0, 6); left > 0; left -= 1) {
        made += 1;
        events.push(message(`$${bridge.id}_${made}`, {
          room_id: `!room${random.between(1, 9)}:example.org`,
          content: { body: 'x'.repeat(random.between(0, 1500)) },
        }));
      }
      const others = {};
      const to_device = [];
      if (events.length === 0 || random.chance(0.2)) {
        made += 1;
        to_device.push({ type: 'm.room_key', to_user_id: '@a:example.org',
          to_device_id: 'D', content: { n: `${bridge.id}_${made}` } });
        others['de.sorunome.msc2409.to_device'] = to_device;
      }
      if (await from.send(events, others) === undefined) return;
      from.to_device.push(...to_device.map((one) => one.content.n));
      await pause(random.between(0, this.rest_ms * 2));
    }
  }

  /// How many events were accepted so far.
  get accepted() {
    return this.senders.reduce((sum, from) => sum + from.accepted.length, 0);
  }

  /// Lets every bridge answer, lets every open send be accepted, waits until
  /// all has arrived and judges. Answers counts for a report.
  async finish(seconds = 60) {
    for (const bridge of this.bridges) bridge.behaviour = answer(200);
    this.stopping = true;
    await Promise.all(this.loops);
    const counts = { events: 0, requests: 0, transactions: 0, to_device: 0 };
    for (const [n, bridge] of this.bridges.entries()) {
      const from = this.senders[n];
      await bridge.has(from.accepted, seconds);
      const records = bridge.transactions;
      must_hold({ accepted: from.accepted, sent: from.sent, records });
      await this.#judge_to_device(from, bridge, seconds);
      counts.events += from.accepted.length;
      counts.to_device += from.to_device.length;
      counts.requests += records.length;
      counts.transactions += new Set(records.map((one) => one.txn)).size;
    }
    return counts;
  }

  async #judge_to_device(from, bridge, seconds) {
    const as_events = () => bridge.transactions.map((one) => ({ ...one,
      events: one.events === null ? null : one.to_device }));
    const deadline = performance.now() + seconds * 1000;
    for (;;) {
      try {
        must_hold({ accepted: from.to_device, records: as_events() });
        return;
      } catch (error) {
        if (performance.now() > deadline) throw error;
      }
      await pause(100);
    }
  }
}
