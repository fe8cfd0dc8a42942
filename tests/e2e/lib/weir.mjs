/// One Weir process: started, watched, stopped and killed by its process id.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { configuration, write_private, write_registrations }
  from './files.mjs';
import { free_port } from './ports.mjs';
import { run_program } from './program.mjs';
import { until, within } from './wait.mjs';

/// The program under test.
export function weir_binary() {
  const binary = process.env.WEIR_BINARY;
  if (!binary) throw new Error('WEIR_BINARY must name the program to test');
  return path.resolve(binary);
}

/// The same program with stops that block until SIGKILL.
export function stoppable_binary() {
  const binary = process.env.WEIR_STOPPABLE;
  if (!binary) throw new Error('WEIR_STOPPABLE must name the program to test');
  return path.resolve(binary);
}

/// GETs `target` and answers `{ status, headers, body }`; status 0 when nobody
/// answers.
export function fetch_text(port, target, { headers = {}, method = 'GET',
  body = undefined, seconds = 30 } = {}) {
  return new Promise((done) => {
    const call = http.request({
      host: '127.0.0.1', port, path: target, method, headers, agent: false,
    }, (answer) => {
      let text = '';
      answer.on('data', (chunk) => { text += chunk; });
      answer.on('error', () => done({ status: 0, headers: {}, body: text }));
      answer.on('end', () => done({
        status: answer.statusCode, headers: answer.headers, body: text,
      }));
    });
    call.setTimeout(seconds * 1000, () => call.destroy());
    call.on('error', () => done({ status: 0, headers: {}, body: '' }));
    call.end(body);
  });
}

/// Runs a command of the program to its end. Answers `{ code, out, err }`.
export function run_command(args, { binary = weir_binary(), ...more } = {}) {
  return run_program(binary, args, more);
}

export class weir {
  /// `folder` is this Weir's own; `over` is merged over the configuration.
  constructor({ folder, homeserver, bridges, store_url, over = {},
    binary = weir_binary(), env = {} }) {
    Object.assign(this, { folder, homeserver, bridges, over, binary, env });
    this.store_url = store_url ?? `sqlite://${path.join(folder, 'weir.db')}`;
    this.config_file = path.join(folder, 'weir.yaml');
    this.log_file = path.join(folder, 'weir.log');
    this.child = undefined;
    this.starts = 0;
  }

  /// Chooses the ports once, then writes all files anew.
  async write_files() {
    this.port ??= await free_port();
    this.admin_port ??= await free_port();
    this.homeserver.weir_port = this.port;
    for (const one of this.bridges) {
      this.homeserver.hs_tokens.set(one.id, one.hs_token);
    }
    write_registrations(this.folder, this.bridges);
    write_private(this.config_file, configuration(this));
    return this;
  }

  /// Starts the process without waiting for anything.
  spawn(env = {}) {
    const log = fs.openSync(this.log_file, 'a', 0o600);
    this.starts += 1;
    fs.writeSync(log, `---- start ${this.starts}\n`);
    const child = spawn(this.binary, ['serve', '--config', this.config_file], {
      env: { ...process.env, ...this.env, ...env },
      stdio: ['ignore', log, log],
    });
    fs.closeSync(log);
    this.child = child;
    child.exited = new Promise((done) => {
      child.on('error', (error) => done({ code: -1, error }));
      child.on('exit', (code, signal) => done({ code, signal }));
    });
    return child;
  }

  /// Starts the process and waits until it is ready.
  async start({ env = {}, seconds = 30 } = {}) {
    if (!this.port) await this.write_files();
    const child = this.spawn(env);
    let ended;
    child.exited.then((how) => { ended = how; });
    await until('weir is ready', async () => {
      if (ended) {
        throw new Error(`weir ended at its start: ${JSON.stringify(ended)}`);
      }
      return (await this.get('/ready', { seconds: 5 })).status === 200;
    }, seconds);
    return this;
  }

  get(target, options) {
    return fetch_text(this.port, target, options);
  }

  /// A GET on the admin listener with the admin token.
  admin(target, options = {}) {
    const headers = { authorization: `Bearer ${this.admin_token()}`,
      ...options.headers };
    return fetch_text(this.admin_port, target, { ...options, headers });
  }

  admin_token() {
    const file = path.join(this.folder, 'data', 'admin.token');
    return fs.readFileSync(file, 'utf8').trim();
  }

  /// Runs a command of the program with this Weir's configuration.
  command(...args) {
    return run_command([...args, '--config', this.config_file],
      { binary: this.binary });
  }

  /// SIGKILL, and waits until the process is gone.
  async kill() {
    if (!this.child) return;
    this.child.kill('SIGKILL');
    await within('the killed process is gone', this.child.exited, 20);
    this.child = undefined;
  }

  /// SIGTERM; answers how the process ended.
  async stop(seconds = 40) {
    if (!this.child) return undefined;
    this.child.kill('SIGTERM');
    const how = await within('weir ends after SIGTERM', this.child.exited,
      seconds);
    this.child = undefined;
    return how;
  }

  log() {
    return fs.existsSync(this.log_file)
      ? fs.readFileSync(this.log_file, 'utf8') : '';
  }

  /// What the admin API says of an appservice, or undefined.
  async queue(id) {
    const page = await this.admin('/_weir/admin/v1/status');
    if (page.status !== 200) return undefined;
    return JSON.parse(page.body).appservices.find((one) => one.id === id);
  }

  /// The first page of dead letters.
  async dead_letters() {
    const page = await this.admin('/_weir/admin/v1/dead-letters');
    if (page.status !== 200) throw new Error(`${page.status}: ${page.body}`);
    return JSON.parse(page.body).dead_letters;
  }

  /// The value of a metric whose labels hold all of `labels`, or undefined.
  async metric(name, labels = {}) {
    const page = await this.admin('/metrics');
    const wanted = Object.entries(labels).map(([key, at]) => `${key}="${at}"`);
    for (const line of page.body.split('\n')) {
      if (line.split(/[{ ]/, 1)[0] !== name) continue;
      if (!wanted.every((one) => line.includes(one))) continue;
      return Number(line.slice(line.lastIndexOf(' ') + 1));
    }
    return undefined;
  }
}
