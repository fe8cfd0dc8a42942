/// What stands between the socket and the library, in the bridge's own process:
/// it writes down each transaction request and what was handed to the bridge's
/// code, and makes faults by seed. The library's code stays as it is; only the
/// handler given to Node's HTTP server is wrapped.
import fs from 'node:fs';
import http from 'node:http';
import { sha256 } from '../../e2e/lib/events.mjs';
import { random_source } from '../../e2e/lib/random.mjs';

const transaction_path = /\/transactions\/([^/?]+)/;

/// The shares of requests that meet each fault. `before`: the library never
/// sees the request. `after`: it has handled all, and its answer is lost.
const faults = [
  ['500_before', 0.03], ['reset_before', 0.03], ['death_before', 0.005],
  ['500_after', 0.03], ['reset_after', 0.03], ['death_after', 0.006],
];

function fault_of(random) {
  let at = random.next();
  for (const [name, share] of faults) {
    if (at < share) return name;
    at -= share;
  }
  return 'none';
}

/// A moment that is comparable between processes, in ms.
const now = () => performance.timeOrigin + performance.now();

function die() {
  process.kill(process.pid, 'SIGKILL');
  // The signal may take a moment; nothing may happen in it.
  for (;;) { /* until it comes */ }
}

class tapper {
  constructor({ journal, seed, calm_file, library }) {
    this.journal = fs.openSync(journal, 'a', 0o600);
    this.random = new random_source(seed);
    this.calm_file = calm_file;
    this.reads_to_device = library === 'matrix-bot-sdk';
    this.requests = 0;
    this.write({ what: 'life', at: now() });
  }

  /// One line, whole in the kernel before anything else happens, so that a
  /// SIGKILL leaves what was written.
  write(line) {
    fs.writeSync(this.journal, `${JSON.stringify(line)}\n`);
  }

  /// The bridge's code was given `id`; `kind`: event or other.
  handled(kind, id) {
    this.write({ what: 'handled', kind, id });
  }

  around(handler) {
    return (request, response) => {
      const found = transaction_path.exec(request.url);
      if (request.method !== 'PUT' || !found) {
        handler(request, response);
        return;
      }
      this.#take(decodeURIComponent(found[1]), request, response, handler);
    };
  }

  #take(txn, request, response, handler) {
    this.requests += 1;
    const n = this.requests;
    const chunks = [];
    const fault = fs.existsSync(this.calm_file) ? 'none'
      : fault_of(this.random);
    this.write({ what: 'begin', n, txn, fault, at: now() });
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => this.#body(n, Buffer.concat(chunks)));
    if (fault.endsWith('_before')) {
      request.on('end', () => this.#fail(n, fault, request, response));
      return;
    }
    const end = response.end.bind(response);
    response.end = (...what) => {
      if (fault === '500_after') response.statusCode = 500;
      else if (fault !== 'none') return this.#fail(n, fault, request, response);
      this.#ended(n, response.statusCode);
      return end(...what);
    };
    handler(request, response);
  }

  #fail(n, fault, request, response) {
    if (fault.startsWith('death')) die();
    if (fault.startsWith('reset')) {
      this.#ended(n, 0);
      request.socket.resetAndDestroy();
      return response;
    }
    this.#ended(n, 500);
    response.writeHead(500, { 'content-type': 'text/html' });
    return response.end('<h1>Internal error</h1>');
  }

  #body(n, bytes) {
    const body = JSON.parse(bytes.toString('utf8'));
    const others = [
      ...(this.reads_to_device && body['de.sorunome.msc2409.to_device'] || []),
      ...(body['de.sorunome.msc2409.ephemeral'] || []),
    ];
    this.write({ what: 'body', n, sha: sha256(bytes),
      events: body.events.map((one) => one.event_id),
      others: others.map((one) => one.content.n) });
  }

  #ended(n, status) {
    this.write({ what: 'end', n, status, at: now() });
  }
}

/// Wraps every HTTP server that is made from now on in this process.
export function tap(settings) {
  const made = new tapper(settings);
  const create = http.createServer;
  http.createServer = (...args) =>
    create(...args.slice(0, -1), made.around(args.at(-1)));
  return made;
}
