/// Real bridge libraries behind the real binary: 1,000 transactions through
/// random 500s, resets and deaths, of the bridge and of Weir. What counts is
/// what the bridge's own code was given.
///
/// By hand: `node clients.mjs --only NAME --seed 7`.
import { must_hold } from '../e2e/lib/checkers.mjs';
import { message } from '../e2e/lib/events.mjs';
import { load_settings } from '../e2e/lib/load.mjs';
import { random_source } from '../e2e/lib/random.mjs';
import { run, test } from '../e2e/lib/test.mjs';
import { pause, until } from '../e2e/lib/wait.mjs';
import { start_client_api } from './lib/client_api.mjs';
import { client_process } from './lib/client_process.mjs';
import { badly_handed_out, lost_inside } from './lib/hand_out.mjs';

const transactions = 1000;

/// A homeserver that runs far ahead would have everything sent in a few large
/// batches; this keeps them many.
const events_ahead_max = 100;

/// Kills from outside, spread by seed over the transactions.
const weir_kills = 5;
const bridge_kills = 5;

function argument(flag, otherwise) {
  const at = process.argv.indexOf(flag);
  return at < 0 ? otherwise : process.argv[at + 1];
}

/// One transaction of a homeserver: mostly a few events, now and then without
/// any, as Synapse sends them. `to_device`: whether the library reads it.
class made_transactions {
  constructor(random, to_device) {
    Object.assign(this, { random, to_device, events: 0, others: [] });
  }

  #others(kind, count, make) {
    return Array.from({ length: count }, () => {
      const n = `${kind}${this.others.length + 1}`;
      this.others.push(n);
      return make(n);
    });
  }

  next() {
    const events = [];
    for (let left = this.random.between(0, 5); left > 0; left -= 1) {
      this.events += 1;
      events.push(message(`$client_${this.events}`, {
        room_id: `!room${this.random.between(1, 9)}:example.org`,
        content: { body: 'ü'.repeat(this.random.between(0, 700)) },
      }));
    }
    const others = {};
    if (this.to_device && this.random.chance(0.15)) {
      others['de.sorunome.msc2409.to_device'] = this.#others('key', 2, (n) => (
        { type: 'm.room_key', sender: '@alice:example.org', content: { n },
          to_user_id: '@client_a:example.org', to_device_id: 'D' }));
    }
    if (this.random.chance(0.2)) {
      // A room each: of one room only the last word would come.
      const typing = this.#others('typing', 1, (n) => ({ type: 'm.typing',
        room_id: `!${n}:example.org`, content: { user_ids: [], n } }));
      others.ephemeral = typing;
      others['de.sorunome.msc2409.ephemeral'] = typing;
    }
    return { events, others };
  }
}

/// The numbers of the transactions at which something is killed.
function moments(random, count) {
  return new Set(Array.from({ length: count },
    () => random.between(20, transactions - 20)));
}

class client_run {
  constructor(library, seed) {
    Object.assign(this, { library, seed });
    this.random = new random_source(seed);
    this.kills = { weir: 0, failed: undefined };
  }

  async prepare(t) {
    const api = await start_client_api();
    t.at_end(() => api.stop());
    this.client = new client_process({ library: this.library,
      folder: t.folder(), homeserver_url: api.url,
      seed: this.random.between(1, 2 ** 30) });
    t.at_end(() => this.client.stop());
    await this.client.start();
    this.weir = await t.weir({ bridges: [this.client],
      over: { ...load_settings(), log: { level: 'info' } } });
    this.sender = t.sender(this.weir, this.client);
  }

  #kill_weir() {
    this.kills.weir += 1;
    // The sender goes on meanwhile: it meets refused connections.
    this.restarting = this.weir.kill().then(() => this.weir.start())
      .catch((error) => { this.kills.failed = error; });
  }

  async send_all() {
    const at = { weir: moments(this.random, weir_kills),
      bridge: moments(this.random, bridge_kills) };
    const { journal } = this.client;
    const make = new made_transactions(this.random,
      this.library === 'matrix-bot-sdk');
    for (let n = 1; n <= transactions; n += 1) {
      if (at.weir.has(n)) {
        await this.restarting;
        this.#kill_weir();
      }
      if (at.bridge.has(n)) await this.client.kill();
      const { events, others } = make.next();
      await this.sender.send(events, others);
      await until('the bridge keeps up', () => {
        if (this.kills.failed) throw this.kills.failed;
        return this.sender.accepted.length
          - journal.read().count_handled('event') < events_ahead_max;
      }, 60);
    }
    await this.restarting;
    this.others = make.others;
  }

  /// Waits until everything is acknowledged, and until the library is through.
  async settle() {
    this.client.calm();
    const { journal } = this.client;
    const all = (what, ids) => {
      const got = new Set(journal.read().records
        .filter((one) => one.acked).flatMap((one) => one[what]));
      return ids.every((id) => got.has(id));
    };
    await until('all is acknowledged', () =>
      all('events', this.sender.accepted) && all('others', this.others), 60);
    // A library that answers early may still have to hand something out.
    await until('all is handled', () =>
      badly_handed_out(journal.read().lives).length === 0, 5).catch(() => {});
  }

  judge() {
    const { lives, records } = this.client.journal.read();
    must_hold({ accepted: this.sender.accepted, sent: this.sender.sent,
      records });
    // Two lanes, each in its own order.
    for (const lane of ['key', 'typing']) {
      const of_lane = (ids) => ids.filter((id) => id.startsWith(lane));
      must_hold({ accepted: of_lane(this.others), records: records.map(
        (one) => ({ ...one, events: one.others && of_lane(one.others) })) });
    }
    const bad = badly_handed_out(lives);
    if (bad.length > 0) throw new Error(bad.slice(0, 10).join('\n  '));
    const lost = [...lost_inside(lives, 'event'),
      ...lost_inside(lives, 'other')];
    // Only this one answers before the bridge's code has run.
    if (this.library !== 'matrix-appservice-bridge' && lost.length > 0) {
      throw new Error(`acknowledged and never handled: ${lost.join(' ')}`);
    }
    return lost;
  }

  /// Throws when the run showed less than it is for.
  counts(lost) {
    const { lives, records } = this.client.journal;
    const handled = lives.flatMap((life) => life.event).length;
    const faults = {};
    for (const { fault } of records) faults[fault] = (faults[fault] ?? 0) + 1;
    const ids = new Set(records.map((one) => one.txn)).size;
    const counts = { library: this.library, seed: this.seed, transactions,
      events: this.sender.accepted.length, others: this.others.length,
      requests: records.length, ids, faults, weir_kills: this.kills.weir,
      bridge_kills: this.client.kills, bridge_lives: lives.length,
      handled_again_by_a_new_process:
        handled - this.client.journal.count_handled('event'),
      lost_in_the_library: lost.length };
    console.log(JSON.stringify(counts));
    const fewest = Math.min(this.kills.weir, this.client.kills,
      lives.length - 1, records.length - ids, ...['500', 'reset'].map((kind) =>
        Math.min(faults[`${kind}_before`] ?? 0, faults[`${kind}_after`] ?? 0)));
    if (fewest < 3) throw new Error('too few faults to show anything');
  }
}

const libraries
  = ['matrix-appservice', 'matrix-appservice-bridge', 'matrix-bot-sdk'];
for (const library of libraries) {
  test(`g36 ${library} handles 1000 transactions through faults`,
    { seconds: 240 }, async (t) => {
      const seed = Number(argument('--seed',
        Math.floor(Math.random() * 2 ** 30)));
      console.log(`seed ${seed}`);
      const one = new client_run(library, seed);
      await one.prepare(t);
      await one.send_all();
      await one.settle();
      one.counts(one.judge());
    });
}

await run();
