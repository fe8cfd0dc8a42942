/// A throwaway PostgreSQL cluster, durable as in service (fsync stays on), on a
/// port of its own.
import { spawn } from 'node:child_process';
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

  async start() {
    this.port = await free_port();
    fs.mkdirSync(this.folder, { recursive: true });
    fs.chmodSync(this.folder, 0o755);
    if (process.getuid() === 0) {
      const [user, group] = await postgres_ids();
      fs.chownSync(this.folder, user, group);
    }
    await run('initdb', ['-D', this.data, '-U', 'weir', '-A', 'trust',
      '-E', 'UTF8', '--locale=C', '--no-sync', '--no-instructions']);
    fs.appendFileSync(path.join(this.data, 'postgresql.conf'), [
      "listen_addresses = '127.0.0.1'",
      `port = ${this.port}`,
      `unix_socket_directories = '${this.folder}'`,
      "shared_buffers = '16MB'",
      'max_connections = 40',
      'fsync = on',
      'synchronous_commit = on', '',
    ].join('\n'));
    await this.up();
    await run('createdb', ['-h', '127.0.0.1', '-p', String(this.port),
      '-U', 'weir', '-E', 'UTF8', '-T', 'template0', 'weir']);
    return this;
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

async function postgres_ids() {
  const line = fs.readFileSync('/etc/passwd', 'utf8').split('\n')
    .find((one) => one.startsWith('postgres:'));
  if (!line) throw new Error('PostgreSQL is not installed: no user postgres');
  const parts = line.split(':');
  return [Number(parts[2]), Number(parts[3])];
}
