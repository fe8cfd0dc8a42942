/// One Synapse, one Weir, bridges behind Weir and the same kinds of bridge
/// without it. All bridges get every event, so that one run compares them.
import fs from 'node:fs';
import path from 'node:path';
import { answer, slow } from '../../e2e/lib/behaviours.mjs';
import { merged, registration_of, write_private }
  from '../../e2e/lib/files.mjs';
import { free_port } from '../../e2e/lib/ports.mjs';
import { stays, until } from '../../e2e/lib/wait.mjs';
import { run_command } from '../../e2e/lib/weir.mjs';
import { start_client_api } from '../lib/client_api.mjs';
import { client_process } from '../lib/client_process.mjs';
import { people } from './people.mjs';
import { synapse } from './synapse.mjs';
import { tee } from './tee.mjs';
import { arrivals_at, handled_by, tally } from './tally.mjs';

/// What a bridge that does some work takes for a transaction.
export const slow_ms = 500;

const rooms = 8;

const registration = {
  receive_ephemeral: true,
  'de.sorunome.msc2409.push_ephemeral': true,
  namespaces: { users: [{ exclusive: false, regex: '@.*:example\\.org' }] },
};

export class world {
  async build(t, root) {
    this.t = t;
    const scripted = (id, behaviour) => t.bridge({ id, behaviour,
      registration });
    this.weir_quick = await scripted('weir_quick', answer(200));
    this.weir_slow = await scripted('weir_slow', slow(slow_ms));
    this.direct_quick = await scripted('direct_quick', answer(200));
    this.direct_slow = await scripted('direct_slow', slow(slow_ms));
    await this.#start_library();
    this.tee = await new tee().start();
    t.at_end(() => this.tee.stop());
    this.homeserver = new synapse(root, t.folder());
    t.at_end(() => this.homeserver.kill());
    const files = [...await this.#prepare_weir(), ...this.#direct_files()];
    await this.homeserver.configure(files);
    await this.weir.start();
    await this.homeserver.start();
    this.version = await this.homeserver.version();
    this.people = await new people(this.homeserver).make(rooms);
    await this.everywhere('the first events');
    this.people.forget();
    return this;
  }

  async #start_library() {
    const api = await start_client_api();
    this.t.at_end(() => api.stop());
    this.library = new client_process({ library: 'matrix-appservice',
      folder: this.t.folder(), homeserver_url: api.url, seed: 0,
      extra: registration });
    this.library.calm();
    this.t.at_end(() => this.library.stop());
    await this.library.start();
  }

  /// Weir learns its own token from the file that `weir registration` makes.
  /// Answers the paths of the homeserver's copies.
  async #prepare_weir() {
    const copies = this.t.folder();
    // Known before Synapse is configured, since Weir's file names it.
    const { homeserver } = this;
    await homeserver.choose_port();
    this.usual = {
      public_url: this.tee.url,
      homeserver: { as_token: undefined,
        as_token_file: path.join(copies, 'weir.token') },
      log: { level: 'info' },
    };
    // Nobody listens there, so that no ping comes of it.
    this.without_pings = merged(this.usual, { homeserver:
      { url: `http://127.0.0.1:${await free_port()}` } });
    this.weir = await this.t.prepare({ hs: homeserver, over: this.usual,
      bridges: [this.weir_quick, this.weir_slow, this.library] });
    this.tee.weir_port = this.weir.port;
    const made = await run_command(['registration', '--config',
      this.weir.config_file, '--out', copies]);
    if (made.code !== 0) throw new Error(`weir registration: ${made.err}`);
    return fs.readdirSync(copies).filter((name) => name.endsWith('.yaml'))
      .map((name) => path.join(copies, name));
  }

  #direct_files() {
    const where = this.t.folder();
    return [this.direct_quick, this.direct_slow].map((one) => write_private(
      path.join(where, `${one.id}.yaml`), registration_of(one)));
  }

  /// `{ name, weir_id, arrivals }` of every bridge; `weir_id` is the id of one
  /// behind Weir.
  bridges() {
    const scripted = (name, one, weir_id) => (
      { name, weir_id, arrivals: arrivals_at(one) });
    return [
      { name: 'matrix-appservice through Weir', weir_id: this.library.id,
        arrivals: handled_by(this.library) },
      scripted('quick bridge through Weir', this.weir_quick, 'weir_quick'),
      scripted('slow bridge through Weir', this.weir_slow, 'weir_slow'),
      scripted('quick bridge, Synapse alone', this.direct_quick),
      scripted('slow bridge, Synapse alone', this.direct_slow),
    ];
  }

  /// What became of what was sent since the last `people.forget()`, for each
  /// bridge: `{ name, weir_id, handed, lost_by_weir, swapped_by_weir, ...tally }`.
  /// `handed` is how much of it Weir answered 200 to.
  tallies() {
    return this.bridges().map(({ name, weir_id, arrivals }) => {
      const counts = tally(this.people.rooms, arrivals);
      const taken = (id) => weir_id !== undefined && this.tee.has(weir_id, id);
      return { name, weir_id, ...counts,
        handed: this.people.sent.filter(taken).length,
        lost_by_weir: counts.missing_ids.filter(taken).length,
        swapped_by_weir: this.tee.swapped(weir_id,
          new Set(arrivals.map((one) => one.id))) };
    });
  }

  /// Says something in every room and waits until it is at every bridge.
  async everywhere(what, seconds = 90) {
    const ids = await this.people.say_all(what);
    if (ids.includes(undefined)) throw new Error('Synapse took no message');
    let short = [];
    await until(() => `${what} at ${short}`, () => {
      short = this.bridges().filter(({ arrivals }) => {
        const got = new Set(arrivals.filter((one) => one.acked)
          .map((one) => one.id));
        return !ids.every((id) => got.has(id));
      }).map((one) => one.name);
      return short.length === 0;
    }, seconds);
    return ids;
  }

  /// Waits until no bridge was sent anything for `ms`.
  async quiet(ms = 2000, seconds = 60) {
    const end = performance.now() + seconds * 1000;
    const count = () => this.bridges()
      .reduce((sum, one) => sum + one.arrivals.length, 0);
    while (performance.now() < end) {
      const before = count();
      const held = await stays('quiet', () => count() === before, ms)
        .then(() => true, () => false);
      if (held) return;
    }
  }

  /// Runs Weir on with other settings.
  async restart_weir(over, between = async () => {}) {
    await this.weir.kill();
    await between();
    this.weir.over = over;
    await this.weir.write_files();
    await this.weir.start();
  }
}
