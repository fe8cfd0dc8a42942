/// A bridge on a real library, run as a process and supervised: whenever it
/// dies it is started again, as a service manager would. It has the fields of a
/// scripted bridge (tests/e2e/lib/bridge.mjs) that the harness asks for.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { registration_of, write_private } from '../../e2e/lib/files.mjs';
import { free_port } from '../../e2e/lib/ports.mjs';
import { until, within } from '../../e2e/lib/wait.mjs';
import { journal } from './journal.mjs';

const program = fileURLToPath(new URL('../bridges/main.mjs', import.meta.url));

/// Where the libraries are installed.
export function client_modules() {
  const folder = process.env.WEIR_CLIENT_MODULES;
  if (!folder) {
    throw new Error('WEIR_CLIENT_MODULES must name the folder with the ' +
      'libraries (see tests/clients/README.md)');
  }
  return path.resolve(folder);
}

/// More deaths than any run needs: a bridge that cannot start ends the case.
const lives_max = 100;

export class client_process {
  /// `extra` is merged into the registration.
  constructor({ library, folder, homeserver_url, seed, extra = {} }) {
    Object.assign(this, { library, folder, homeserver_url, seed });
    this.id = 'client';
    this.as_token = 'as_secret_of_client';
    this.hs_token = 'hs_secret_of_client';
    this.extra = { 'de.sorunome.msc2409.push_ephemeral': true, ...extra };
    this.calm_file = path.join(folder, 'calm');
    this.log_file = path.join(folder, 'bridge.log');
    this.journal = new journal(path.join(folder, 'journal'));
    this.lives = 0;
    this.kills = 0;
    this.wanted = false;
    this.child = undefined;
  }

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  async start() {
    this.port = await free_port();
    this.wanted = true;
    this.#spawn();
    await until(() => `${this.library} serves: ${this.log()}`,
      () => this.journal.read().served > 0, 60);
    return this;
  }

  #spawn() {
    this.lives += 1;
    const settings = path.join(this.folder, 'settings.json');
    write_private(settings, {
      library: this.library, modules: client_modules(), port: this.port,
      homeserver_url: this.homeserver_url, calm_file: this.calm_file,
      seed: this.seed + this.lives, registration: registration_of(this),
      journal: this.journal.file,
    });
    const log = fs.openSync(this.log_file, 'a', 0o600);
    const child = spawn(process.execPath, [program, this.library, settings],
      { stdio: ['ignore', log, log] });
    fs.closeSync(log);
    this.child = child;
    child.exited = new Promise((done) => {
      child.on('error', done);
      child.on('exit', () => {
        this.child = undefined;
        if (this.wanted && this.lives < lives_max) this.#spawn();
        done();
      });
    });
  }

  /// SIGKILL from outside, at whatever the process is doing.
  async kill() {
    if (!this.child) return;
    this.kills += 1;
    const { child } = this;
    child.kill('SIGKILL');
    await within('the killed bridge is gone', child.exited, 20);
  }

  /// No faults from now on.
  calm() {
    fs.writeFileSync(this.calm_file, '');
  }

  async stop() {
    this.wanted = false;
    await this.kill();
  }

  log() {
    return fs.existsSync(this.log_file)
      ? fs.readFileSync(this.log_file, 'utf8').slice(-4000) : '';
  }
}
