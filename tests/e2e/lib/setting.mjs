/// What a case works with: folders, bridges, a homeserver, databases and Weir
/// processes, all of them ended when the case ends, however it ends.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { bridge } from './bridge.mjs';
import { homeserver } from './homeserver.mjs';
import { postgresql_cluster } from './postgresql.mjs';
import { sender } from './sender.mjs';
import { small_disk } from './small_disk.mjs';
import { stoppable_binary, weir } from './weir.mjs';

const log_lines_shown = 60;

export class setting {
  constructor({ store = 'sqlite' } = {}) {
    this.store_kind = store;
    this.endings = [];
    this.weirs = [];
    this.folders = 0;
  }

  /// Calls `ending` when the case ends; the last one first.
  at_end(ending) {
    this.endings.push(ending);
  }

  /// A new empty folder that only the owner may enter.
  folder() {
    if (!this.base) {
      this.base = fs.mkdtempSync(path.join(os.tmpdir(), 'weir-e2e-'));
      // PostgreSQL runs as another user and must pass through.
      fs.chmodSync(this.base, 0o711);
    }
    this.folders += 1;
    const made = path.join(this.base, String(this.folders));
    fs.mkdirSync(made, { mode: 0o700 });
    return made;
  }

  async bridge(options) {
    const made = new bridge(options);
    await made.start();
    this.at_end(() => made.stop());
    return made;
  }

  async homeserver() {
    const made = await new homeserver().start();
    this.at_end(() => made.stop());
    return made;
  }

  async postgresql() {
    const made = new postgresql_cluster(this.folder());
    this.at_end(() => made.stop());
    return made.start();
  }

  small_disk(megabytes) {
    const made = new small_disk(this.folder(), megabytes);
    this.at_end(() => made.unmount());
    return made.mount();
  }

  /// A Weir that is not started yet, on the store of the case. `over` is merged
  /// over the configuration; `stoppable` takes the binary with stops.
  async prepare({ bridges, over, folder = this.folder(), store_url, stoppable,
    hs, env } = {}) {
    if (this.store_kind === 'postgresql' && store_url === undefined) {
      this.cluster ??= await this.postgresql();
      store_url = this.cluster.url();
    }
    const made = new weir({
      folder, homeserver: hs ?? await this.homeserver(), bridges, over,
      store_url, env, ...(stoppable ? { binary: stoppable_binary() } : {}),
    });
    this.weirs.push(made);
    this.at_end(() => made.kill());
    return made.write_files();
  }

  /// The same, started and ready.
  async weir(options) {
    return (await this.prepare(options)).start();
  }

  sender(at, to, first_txn) {
    const made = new sender({ weir: at, bridge: to, first_txn });
    this.at_end(() => made.close());
    return made;
  }

  /// What to print of a failed case.
  report() {
    return this.weirs.map((one) => {
      const lines = one.log().split('\n');
      return `---- log of weir in ${one.folder}\n` +
        lines.slice(-log_lines_shown).join('\n');
    }).join('\n');
  }

  async close(failed) {
    const troubles = [];
    for (const ending of this.endings.reverse()) {
      try {
        await ending();
      } catch (error) {
        troubles.push(error);
      }
    }
    const keep = failed && process.env.WEIR_E2E_KEEP;
    if (this.base && !keep) {
      fs.rmSync(this.base, { recursive: true, force: true });
    }
    if (troubles.length > 0) throw troubles[0];
  }
}
