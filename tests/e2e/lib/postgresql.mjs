/// A throwaway PostgreSQL cluster, durable as in service (fsync stays on), on a
/// port of its own.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { free_port } from './ports.mjs';

/// Where the server's programs are: WEIR_PG_BIN, the newest Debian folder, or
/// the search path.
function program(name) {
  const given = process.env.WEIR_PG_BIN;
  if (given) return path.join(given, name);
  const base = '/usr/lib/postgresql';
  const versions = fs.existsSync(base)
    ? fs.readdirSync(base).sort((a, b) => Number(b) - Number(a)) : [];
  for (const version of versions) {
    const file = path.join(base, version, 'bin', name);
    if (fs.existsSync(file)) return file;
  }
  return name;
}

/// Runs a program as the database's user: PostgreSQL refuses root.
function run(name, args, { seconds = 60 } = {}) {
  const full = program(name);
  const as_root = process.getuid() === 0;
  const command = as_root ? 'setpriv' : full;
  const prefix = as_root ? ['--reuid=postgres', '--regid=postgres',
    '--clear-groups', full] : [];
  return new Promise((done, reject) => {
    const child = spawn(command, [...prefix, ...args], {
      cwd: '/', stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    const timer = setTimeout(() => child.kill('SIGKILL'), seconds * 1000);
    child.stdout.on('data', (chunk) => { out += chunk; });
    child.stderr.on('data', (chunk) => { out += chunk; });
    child.on('error', reject);
    // Not 'close': the server that pg_ctl leaves behind keeps the pipes open.
    child.on('exit', (code) => {
      clearTimeout(timer);
      child.stdout.destroy();
      child.stderr.destroy();
      if (code === 0) done(out);
      else reject(new Error(`${name} ended with ${code}: ${out}`));
    });
  });
}

export class postgresql_cluster {
  constructor(folder) {
    this.folder = folder;
    this.data = path.join(folder, 'cluster');
    this.running = false;
  }

  /// Starts with an empty database `weir`: from the template when one was made
  /// (WEIR_PG_TEMPLATE), which spares the machine an initdb for each case.
  async start() {
    this.port = await free_port();
    this.#own_folder();
    const template = process.env.WEIR_PG_TEMPLATE;
    if (template) execFileSync('cp', ['-a', template, this.data]);
    else await this.#initialise();
    this.#configure();
    await this.up();
    if (!template) await this.#create_database();
    return this;
  }

  /// Makes the template that `start` copies.
  async make_template(target) {
    this.port = await free_port();
    this.#own_folder();
    await this.#initialise();
    this.#configure();
    await this.up();
    await this.#create_database();
    await this.down('fast');
    fs.rmSync(target, { recursive: true, force: true });
    execFileSync('cp', ['-a', this.data, target]);
  }

  #own_folder() {
    fs.mkdirSync(this.folder, { recursive: true });
    fs.chmodSync(this.folder, 0o755);
    if (process.getuid() !== 0) return;
    const [user, group] = postgres_ids();
    fs.chownSync(this.folder, user, group);
  }

  async #initialise() {
    await run('initdb', ['-D', this.data, '-U', 'weir', '-A', 'trust',
      '-E', 'UTF8', '--locale=C', '--no-sync', '--no-instructions'],
    { seconds: 240 });
  }

  /// What comes later in the file wins, so a copy may be configured again.
  #configure() {
    fs.appendFileSync(path.join(this.data, 'postgresql.conf'), [
      "listen_addresses = '127.0.0.1'",
      `port = ${this.port}`,
      `unix_socket_directories = '${this.folder}'`,
      "shared_buffers = '16MB'",
      'max_connections = 40',
      'fsync = on',
      // After a crash one call instead of one for each file.
      'recovery_init_sync_method = syncfs',
      'synchronous_commit = on', '',
    ].join('\n'));
  }

  async #create_database() {
    await run('createdb', ['-h', '127.0.0.1', '-p', String(this.port),
      '-U', 'weir', '-E', 'UTF8', '-T', 'template0', 'weir']);
  }

  async up() {
    await run('pg_ctl', ['-D', this.data, '-w', '-t', '50', '-l',
      path.join(this.folder, 'server.log'), 'start']);
    this.running = true;
  }

  /// `mode`: fast, or immediate (as at a power cut).
  async down(mode = 'fast') {
    if (!this.running) return;
    await run('pg_ctl', ['-D', this.data, '-w', '-m', mode, 'stop']);
    this.running = false;
  }

  async restart(mode = 'immediate') {
    await this.down(mode);
    await this.up();
  }

  /// The url for Weir; `port` is another one when a proxy stands before it.
  url(port = this.port) {
    return `postgresql://weir@127.0.0.1:${port}/weir`;
  }

  /// One statement; answers its rows as lines.
  query(text) {
    return this.steps([text]);
  }

  /// Statements of one connection, each sent on its own.
  async steps(texts, port = this.port) {
    const out = await run('psql', ['-h', '127.0.0.1', '-p', String(port),
      '-U', 'weir', '-d', 'weir', '-X', '-A', '-t', '-q',
      ...texts.flatMap((text) => ['-c', text])]);
    return out.split('\n').filter((line) => line !== '');
  }

  async stop() {
    await this.down('immediate');
  }
}

function postgres_ids() {
  const line = fs.readFileSync('/etc/passwd', 'utf8').split('\n')
    .find((one) => one.startsWith('postgres:'));
  if (!line) throw new Error('PostgreSQL is not installed: no user postgres');
  const parts = line.split(':');
  return [Number(parts[2]), Number(parts[3])];
}
