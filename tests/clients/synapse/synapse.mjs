/// A real Synapse in the chroot that scripts/e2e-synapse unpacks, on SQLite, on
/// a port of its own; ended with the process that started it.
import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { write_private } from '../../e2e/lib/files.mjs';
import { free_port } from '../../e2e/lib/ports.mjs';
import { until, within } from '../../e2e/lib/wait.mjs';

const registration_secret = 'secret_of_the_test_registration';

/// So high that no limit of Synapse's slows a test.
const unlimited = { per_second: 100000, burst_count: 1000000 };

/// Runs a program in the chroot $1 with the folder $2 as /data. The mounts are
/// in a namespace of their own and go with the process; each step replaces the
/// one before, so that the process id stays.
const enter = `
set -e
root=$1 data=$2; shift 2
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --bind "$data" "$root/data"
cd /
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
  chroot "$root" "$@"`;

function configuration(port, registrations) {
  const per = (...keys) => Object.fromEntries(
    keys.map((key) => [key, unlimited]));
  return {
    server_name: 'example.org',
    public_baseurl: `http://127.0.0.1:${port}/`,
    pid_file: '/data/homeserver.pid',
    listeners: [{ port, bind_addresses: ['127.0.0.1'], type: 'http', tls: false,
      resources: [{ names: ['client', 'federation'], compress: false }] }],
    database: { name: 'sqlite3', args: { database: '/data/homeserver.db' } },
    log_config: '/data/log.yaml',
    media_store_path: '/data/media',
    signing_key_path: '/data/signing.key',
    macaroon_secret_key: 'secret_of_macaroons',
    form_secret: 'secret_of_forms',
    registration_shared_secret: registration_secret,
    report_stats: false,
    trusted_key_servers: [],
    suppress_key_server_warning: true,
    federation_domain_whitelist: [],
    presence: { enabled: false },
    user_directory: { enabled: false },
    push: { enabled: false },
    url_preview_enabled: false,
    // To-device messages to appservices are an experiment of Synapse's yet.
    experimental_features: { msc2409_to_device_messages_enabled: true },
    rc_message: unlimited,
    rc_registration: unlimited,
    rc_login: per('address', 'account', 'failed_attempts'),
    rc_joins: per('local', 'remote'),
    rc_joins_per_room: unlimited,
    rc_invites: per('per_room', 'per_user', 'per_issuer'),
    rc_room_creation: unlimited,
    app_service_config_files: registrations.map(
      (name) => `/data/registrations/${name}`),
  };
}

const log_configuration = {
  version: 1,
  disable_existing_loggers: false,
  formatters: { plain:
    { format: '%(asctime)s %(levelname)s %(name)s %(message)s' } },
  handlers: { file: { class: 'logging.FileHandler', formatter: 'plain',
    filename: '/data/homeserver.log' } },
  root: { level: 'INFO', handlers: ['file'] },
};

export class synapse {
  constructor(root, folder) {
    this.root = root;
    this.folder = folder;
    this.child = undefined;
    this.agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
    /// What a Weir under test (tests/e2e/lib/weir.mjs) asks of a homeserver.
    this.hs_tokens = new Map();
  }

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  async choose_port() {
    this.port ??= await free_port();
  }

  /// `files`: paths of the registrations to load.
  async configure(files) {
    await this.choose_port();
    const where = path.join(this.folder, 'registrations');
    fs.mkdirSync(where, { recursive: true });
    const names = files.map((file) => path.basename(file));
    for (const file of files) {
      fs.copyFileSync(file, path.join(where, path.basename(file)));
    }
    write_private(path.join(this.folder, 'homeserver.yaml'),
      configuration(this.port, names));
    write_private(path.join(this.folder, 'log.yaml'), log_configuration);
    const made = this.#spawn('--generate-keys');
    const how = await within('the signing key is made', made.exited, 300);
    if (how.code !== 0) throw new Error(`no signing key: ${this.console()}`);
  }

  #spawn(...more) {
    const log = fs.openSync(path.join(this.folder, 'console.log'), 'a');
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', 'unshare',
      '--mount', '--propagation', 'private', 'bash', '-c', enter, 'enter',
      this.root, this.folder, 'python3', '-m', 'synapse.app.homeserver',
      '-c', '/data/homeserver.yaml', ...more],
    { stdio: ['ignore', log, log] });
    fs.closeSync(log);
    child.exited = new Promise((done) => {
      child.on('error', (error) => done({ code: -1, error }));
      child.on('exit', (code, signal) => done({ code, signal }));
    });
    return child;
  }

  async start() {
    this.child = this.#spawn();
    let ended = false;
    this.child.exited.then(() => { ended = true; });
    await until('Synapse answers', async () => {
      if (ended) throw new Error(`Synapse ended: ${this.console()}`);
      return (await this.call('GET', '/health')).status === 200;
    }, 180);
    return this;
  }

  async kill() {
    if (!this.child) return;
    this.child.kill('SIGKILL');
    await within('the killed Synapse is gone', this.child.exited, 30);
    this.child = undefined;
  }

  console() {
    const file = path.join(this.folder, 'console.log');
    return fs.readFileSync(file, 'utf8').slice(-3000);
  }

  /// A call of an API. Answers `{ status, body }`, status 0 when nobody
  /// answers.
  call(method, target, { token, body } = {}) {
    const text = body === undefined ? undefined : JSON.stringify(body);
    return new Promise((done) => {
      const nobody = () => done({ status: 0, body: {} });
      const call = http.request({ host: '127.0.0.1', port: this.port, method,
        path: target, agent: this.agent, headers: {
          ...(token && { authorization: `Bearer ${token}` }),
          ...(text && { 'content-type': 'application/json',
            'content-length': Buffer.byteLength(text) }),
        } }, (answer) => {
        let got = '';
        answer.on('data', (chunk) => { got += chunk; });
        answer.on('error', nobody);
        answer.on('end', () => {
          let parsed = {};
          try {
            parsed = JSON.parse(got);
          } catch { /* /health is no JSON */ }
          done({ status: answer.statusCode, body: parsed });
        });
      });
      call.setTimeout(90_000, () => call.destroy());
      call.on('error', nobody);
      call.end(text);
    });
  }

  /// The same for calls that have to succeed; answers the body.
  async ask(method, target, options) {
    const { status, body } = await this.call(method, target, options);
    if (status !== 200) {
      throw new Error(`${method} ${target}: ${status} ${JSON.stringify(body)}`);
    }
    return body;
  }

  /// Makes a user; answers `{ user_id, access_token }`.
  async user(name) {
    const target = '/_synapse/admin/v1/register';
    const { nonce } = await this.ask('GET', target);
    const password = `password of ${name}`;
    const mac = createHmac('sha1', registration_secret)
      .update([nonce, name, password, 'notadmin'].join('\0')).digest('hex');
    return this.ask('POST', target, { body: {
      nonce, username: name, password, admin: false, mac } });
  }

  async version() {
    const { server } = await this.ask('GET', '/_matrix/federation/v1/version');
    return server.version;
  }
}
