/// Stands between Synapse and Weir and notes what Weir answered 200 to: what is
/// in there and does not arrive was lost by Weir, not by Synapse.
import http from 'node:http';

const transaction = /\/_weir\/as\/([^/]+)\/.*\/transactions\//;

/// The appservice whose transaction this is, or undefined.
function transaction_of(method, url) {
  const found = method === 'PUT' && transaction.exec(url);
  return found ? decodeURIComponent(found[1]) : undefined;
}

function ids_in(body) {
  try {
    return (JSON.parse(body.toString('utf8')).events ?? [])
      .map((one) => one.event_id);
  } catch {
    return [];
  }
}

export class tee {
  constructor() {
    this.weir_port = 0;
    /// For each appservice, by event: when it was first tried, and when Weir
    /// first answered 200 to it.
    this.seen = new Map();
    this.moment = 0;
    /// Ids of appservices whose next transaction is answered 503 here.
    this.failing = new Set();
    this.agent = new http.Agent({ keepAlive: true });
  }

  async start() {
    this.server = http.createServer((request, response) => {
      const chunks = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('error', () => {});
      request.on('end', () => this.#pass(request, Buffer.concat(chunks),
        response));
    });
    await new Promise((done) => {
      this.server.listen(0, '127.0.0.1', done);
    });
    this.url = `http://127.0.0.1:${this.server.address().port}`;
    return this;
  }

  #pass(request, body, response) {
    const { method, url, headers } = request;
    const id = transaction_of(method, url);
    if (this.failing.delete(id)) {
      response.writeHead(503, { 'content-type': 'application/json' });
      response.end('{}');
      return;
    }
    this.#note(method, url, body, 'tried');
    const onward = http.request({ host: '127.0.0.1', port: this.weir_port,
      method, path: url, headers, agent: this.agent }, (answer) => {
      const chunks = [];
      answer.on('data', (chunk) => chunks.push(chunk));
      answer.on('error', () => request.socket.destroy());
      answer.on('end', () => {
        if (answer.statusCode === 200) this.#note(method, url, body, 'taken');
        response.writeHead(answer.statusCode, answer.headers);
        response.end(Buffer.concat(chunks));
      });
    });
    onward.on('error', () => request.socket.destroy());
    onward.end(body);
  }

  #note(method, url, body, what) {
    const id = transaction_of(method, url);
    if (id === undefined) return;
    if (!this.seen.has(id)) this.seen.set(id, new Map());
    const events = this.seen.get(id);
    this.moment += 1;
    for (const event of ids_in(body)) {
      if (!events.has(event)) events.set(event, {});
      events.get(event)[what] ??= this.moment;
    }
  }

  /// Whether Weir answered 200 to `event` for the appservice `id`.
  has(id, event) {
    return this.seen.get(id)?.get(event)?.taken !== undefined;
  }

  /// How many events of `firsts`, in order of arrival, came before one that
  /// Weir had taken before it was ever told of them.
  swapped(id, firsts) {
    const events = this.seen.get(id) ?? new Map();
    let earliest = Infinity;
    let count = 0;
    for (const event of [...firsts].reverse()) {
      const { tried = 0, taken = Infinity } = events.get(event) ?? {};
      if (earliest < tried) count += 1;
      earliest = Math.min(earliest, taken);
    }
    return count;
  }

  async stop() {
    const closed = new Promise((done) => { this.server.close(done); });
    this.server.closeAllConnections();
    this.agent.destroy();
    await closed;
  }
}
