/// A crash campaign of another kind: between the kills an operator reloads and
/// drains, and each bridge has a trouble of its own: one takes no large bodies,
/// one rejects some events for good, one is slow behind a queue that is full. A
/// fourth gets its events through the second door, many handed in again.
import path from 'node:path';
import { answer, at_most, fail_at_random, refuse_type, slow,
  verdictless_failures } from './behaviours.mjs';
import { kill_at, named_steps } from './campaign.mjs';
import { must_hold } from './checkers.mjs';
import { message } from './events.mjs';
import { write_private, configuration } from './files.mjs';
import { random_source } from './random.mjs';
import { door_sender } from './second_door.mjs';
import { pause, until } from './wait.mjs';

export const rejected_type = 'org.example.rejected';
const small_body = 6000;
const full_at = 30;

/// Quick pauses, so that many things happen between two kills.
const settings = (timeout_s) => ({
  appservices: {
    defaults: { backoff_first: '50ms', backoff_max: '200ms',
      request_timeout: `${timeout_s}s`, hangs_before_bisect: 1000,
      dedupe_events: false },
    overrides: { full: { queue_events_max: full_at },
      picky: { rejections_before_bisect: 2 } },
  },
  log: { level: 'info' },
});

/// What each bridge does besides failing at random.
const troubles = {
  small: (then) => at_most(small_body, then),
  picky: (then) => refuse_type(rejected_type,
    answer(400, '{"errcode":"M_BAD_JSON"}'), then),
  full: (then) => slow(60, then),
  door: (then) => then,
};

export class operated_load {
  constructor(seed) {
    this.random = new random_source(seed);
    this.lanes = [];
    this.stopping = false;
    this.counts = { kills: 0, at_steps: 0, reloads: 0, drains: 0 };
  }

  async prepare(t) {
    for (const [id, trouble] of Object.entries(troubles)) {
      const random = new random_source(this.random.between(1, 2 ** 30));
      const bridge = await t.bridge({ id, behaviour: fail_at_random(random, 0.1,
        verdictless_failures(), trouble(answer(200))) });
      this.lanes.push({ id, bridge, trouble, random });
    }
    this.weir = await t.prepare({ stoppable: true, over: settings(10),
      bridges: this.lanes.map((one) => one.bridge) });
    for (const lane of this.lanes) {
      lane.from = lane.id === 'door'
        ? new door_sender({ ...lane, weir: this.weir })
        : t.sender(this.weir, lane.bridge);
      t.at_end(() => lane.from.close());
      lane.sends = this.#send_on(lane);
    }
    return this;
  }

  async #send_on({ id, from, random }) {
    let made = 0;
    while (!this.stopping) {
      const events = [];
      for (let left = random.between(1, 8); left > 0; left -= 1) {
        made += 1;
        const rejected = id === 'picky' && random.chance(0.01);
        events.push(message(`$${id}${rejected ? '_bad' : ''}_${made}`, {
          ...(rejected && { type: rejected_type }),
          content: { body: 'x'.repeat(random.between(0, 1500)) },
        }));
      }
      if (await from.send(events) === undefined) return;
      await pause(random.between(0, 30));
    }
  }

  async start() {
    await this.weir.start({ seconds: 60 });
  }

  /// The configuration differs from the one before, and all of it is taken up.
  async reload() {
    this.counts.reloads += 1;
    this.weir.over = settings(10 + this.counts.reloads % 5);
    write_private(this.weir.config_file, configuration(this.weir));
    this.weir.child.kill('SIGHUP');
    await pause(this.random.between(0, 100));
  }

  async kill() {
    this.counts.kills += 1;
    await this.weir.kill();
  }

  /// While it is down: once more, and killed at one of the named steps.
  async kill_at_step(random) {
    this.counts.kills += 1;
    const file = path.join(this.weir.folder, 'stopped');
    const reached = await kill_at(this.weir, random.pick(named_steps),
      random.between(1, 4), file);
    this.counts.at_steps += reached ? 1 : 0;
  }

  async drain() {
    this.counts.drains += 1;
    const how = await this.weir.stop();
    if (how.code !== 0) throw new Error(`a drain: ${JSON.stringify(how)}`);
  }

  /// Lets all arrive and judges. Answers counts.
  async finish(seconds = 90) {
    for (const { bridge, trouble } of this.lanes) {
      bridge.behaviour = trouble(answer(200));
    }
    this.stopping = true;
    await Promise.all(this.lanes.map((one) => one.sends));
    const events = {};
    for (const { id, bridge, from } of this.lanes) {
      const is_bad = (one) => one.includes('_bad_');
      const good = from.accepted.filter((one) => !is_bad(one));
      await bridge.has(good, seconds);
      await until(`${id} is owed nothing`, async () =>
        (await this.weir.queue(id)).depth_events === 0, seconds);
      must_hold({ accepted: good, sent: from.sent,
        records: bridge.transactions, replanned: id === 'small' || id === 'picky' });
      await this.#judge_letters(id, from.accepted.filter(is_bad));
      events[id] = from.accepted.length;
    }
    const nonsense = /^.*retry_in_ms=-.*$/m.exec(this.weir.log());
    if (nonsense) throw new Error(`in the log: ${nonsense[0]}`);
    const statuses = this.lanes.flatMap(({ bridge }) =>
      bridge.transactions.map((one) => one.status));
    const of = (status) => statuses.filter((one) => one === status).length;
    return { ...this.counts, events, answers_413: of(413),
      answers_400: of(400), refused: this.lanes.map((one) => one.from.failures) };
  }

  /// What was rejected is kept, and nothing else is.
  async #judge_letters(id, bad) {
    const kept = new Set();
    let after = 0;
    while (after !== null) {
      const page = JSON.parse((await this.weir.admin('/_weir/admin/v1/' +
        `dead-letters?appservice=${id}&after=${after}`)).body);
      page.dead_letters.forEach((one) => kept.add(one.event_id));
      after = page.next;
    }
    const lost = bad.filter((one) => !kept.has(one));
    const strange = [...kept].filter((one) => !bad.includes(one));
    if (lost.length + strange.length > 0) {
      throw new Error(`${id}: rejected and not kept: ${lost}; kept and not ` +
        `rejected: ${strange}`);
    }
  }
}

/// `kills` kills on the store of the setting `t`, at random moments and at named
/// steps, with reloads and drains between them. Throws at any violation.
export async function operated_campaign(t, { kills, seed }) {
  const random = new random_source(seed);
  const work = await new operated_load(seed + 1).prepare(t);
  await work.start();
  while (work.counts.kills < kills) {
    await pause(random.between(50, 500));
    if (random.chance(0.4)) await work.reload();
    if (random.chance(0.2)) await work.drain();
    else await work.kill();
    if (random.chance(0.4)) await work.kill_at_step(random);
    await work.start();
  }
  return { seed, ...await work.finish() };
}
