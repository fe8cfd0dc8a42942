/// A scripted bridge: it records every request it gets and answers as a
/// behaviour says (lib/behaviours.mjs).
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { answer } from './behaviours.mjs';
import { sha256 } from './events.mjs';
import { until } from './wait.mjs';

const transaction_path = /\/transactions\/([^/?]+)(\?|$)/;

/// What a transaction body holds: ids of its events (an event without one
/// counts by its own text) and what its to-device messages call themselves.
/// `events` is null when the body is no transaction.
function contents(body) {
  const nothing = { events: null, to_device: [] };
  try {
    const parsed = JSON.parse(body.toString('utf8'));
    if (!Array.isArray(parsed.events)) return nothing;
    const to_device = parsed['de.sorunome.msc2409.to_device'] ?? [];
    return {
      events: parsed.events.map((one) => one.event_id ?? JSON.stringify(one)),
      to_device: to_device.map((one) => one.content?.n),
    };
  } catch {
    return nothing;
  }
}

export class bridge {
  /// `id`: of its registration. `socket`: a path instead of a port. `tls`:
  /// `{ key, cert }`. `host`: address to listen on. `base`: path of its url.
  constructor({ id = 'bridge', socket, tls, host = '127.0.0.1', base = '',
    behaviour = answer(200), registration = {} } = {}) {
    this.id = id;
    this.socket = socket;
    this.tls = tls;
    this.host = host;
    this.base = base;
    this.behaviour = behaviour;
    this.as_token = `as_secret_of_${id}`;
    this.hs_token = `hs_secret_of_${id}`;
    this.extra = registration;
    this.port = 0;
    /// Every request, in order of arrival.
    this.requests = [];
    /// Long campaigns keep hashes only.
    this.keep_bodies = true;
    this.connections = 0;
    this.open_sockets = new Set();
    this.server = undefined;
  }

  /// Listens; the port of the first start is kept for all later ones.
  async start() {
    const handler = (request, response) => this.#take(request, response);
    this.server = this.tls
      ? https.createServer(this.tls, handler)
      : http.createServer(handler);
    this.server.keepAliveTimeout = 0;
    this.server.requestTimeout = 0;
    this.server.on('checkContinue', handler);
    this.server.on('connection', (socket) => {
      this.connections += 1;
      socket.weir_connection = this.connections;
      this.open_sockets.add(socket);
      socket.on('close', () => this.open_sockets.delete(socket));
      socket.on('error', () => {});
    });
    if (this.socket) fs.rmSync(this.socket, { force: true });
    const where = this.socket ? { path: this.socket }
      : { port: this.port, host: this.host };
    await new Promise((done, reject) => {
      this.server.once('error', reject);
      this.server.listen(where, done);
    });
    if (!this.socket) this.port = this.server.address().port;
    return this;
  }

  /// Stops listening and cuts every connection: the bridge is down.
  async stop() {
    if (!this.server) return;
    const closed = new Promise((done) => this.server.close(done));
    for (const socket of this.open_sockets) socket.destroy();
    await closed;
    this.server = undefined;
  }

  get url() {
    if (this.socket) return `unix://${this.socket}`;
    const host = this.host.includes(':') ? `[${this.host}]` : this.host;
    return `${this.tls ? 'https' : 'http'}://${host}:${this.port}${this.base}`;
  }

  /// The transaction requests, in order of arrival: what checkers judge.
  get transactions() {
    return this.requests.filter((one) => one.txn !== undefined);
  }

  /// Transactions that were answered 2xx.
  get acked() {
    return this.transactions.filter((one) => one.acked);
  }

  /// Ids of the events acknowledged, each at its first time.
  get received() {
    return [...new Set(this.acked.flatMap((one) => one.events ?? []))];
  }

  /// Waits until every id of `ids` was acknowledged.
  async has(ids, seconds = 30) {
    const owed = new Set(ids);
    let looked_at = 0;
    await until(
      () => `${owed.size} of ${ids.length} events are missing at ` +
        `${this.id}: ${[...owed].slice(0, 3).join(' ')}`,
      () => {
        // An answer may turn a record into an acknowledged one after it was
        // looked at, so the last ones are looked at again.
        const records = this.transactions;
        for (const one of records.slice(Math.max(0, looked_at - 50))) {
          if (!one.acked) continue;
          for (const id of one.events ?? []) owed.delete(id);
        }
        looked_at = records.length;
        return owed.size === 0;
      },
      seconds,
    );
  }

  /// Waits until `count` transaction requests have arrived whole.
  async sees(count, seconds = 30) {
    await until(
      () => `${count} transaction requests at ${this.id}, ` +
        `${this.transactions.length} came`,
      () => this.transactions.filter((one) => one.whole).length >= count,
      seconds,
    );
  }

  #take(request, response) {
    const found = transaction_path.exec(request.url);
    const record = {
      method: request.method,
      target: request.url,
      raw_headers: request.rawHeaders,
      headers: request.headers,
      version: request.httpVersion,
      connection: request.socket.weir_connection ?? 0,
      txn: request.method === 'PUT' && found ? decodeURIComponent(found[1])
        : undefined,
      body: Buffer.alloc(0),
      sha: '',
      events: null,
      to_device: [],
      whole: false,
      acked: false,
      status: null,
      began: performance.now(),
      ended: null,
    };
    this.requests.push(record);
    const end = () => { record.ended ??= performance.now(); };
    response.on('close', end);
    response.on('finish', end);
    response.on('error', end);
    const chunks = [];
    record.arrived = new Promise((done) => {
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('error', () => {});
      request.on('end', () => {
        record.body = Buffer.concat(chunks);
        record.sha = sha256(record.body);
        if (record.txn !== undefined) {
          Object.assign(record, contents(record.body));
        }
        if (!this.keep_bodies) record.body = Buffer.alloc(0);
        record.whole = true;
        done();
      });
    });
    const reply = {
      request,
      response,
      bridge: this,
      send(status, body = '{}', headers = {}) {
        if (response.destroyed || response.headersSent) return;
        // Recorded before the bytes leave: Weir may answer to them before this
        // process runs again.
        record.status = status;
        record.acked = status >= 200 && status < 300;
        record.ended = performance.now();
        response.writeHead(status, {
          'content-type': 'application/json', ...headers,
          'content-length': Buffer.byteLength(body),
        });
        response.end(body);
      },
      reset() {
        record.ended = performance.now();
        request.socket.resetAndDestroy?.() ?? request.socket.destroy();
      },
    };
    Promise.resolve(this.behaviour(record, reply)).catch((error) => {
      record.failure = error;
      reply.send(500, '{}');
    });
  }
}
