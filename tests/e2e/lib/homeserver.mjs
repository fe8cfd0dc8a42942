/// A scripted homeserver: it answers the appservice ping of the client API by
/// calling Weir's ping back, as Synapse does, and records what it was asked.
import http from 'node:http';

const ping_path = /^\/_matrix\/client\/v1\/appservice\/([^/?]+)\/ping/;

export class homeserver {
  constructor() {
    this.as_token = 'as_secret_of_weir_itself';
    /// `{ id, token, transaction_id, status, body }` of each ping.
    this.pings = [];
    /// Every request as `{ method, target, headers }`.
    this.requests = [];
    this.port = 0;
    this.weir_port = 0;
    this.hs_tokens = new Map();
    /// Takes requests of the client API: given the request and its body it
    /// answers `{ status, body }`, `'hang'`, or undefined for what is none.
    this.client_api = undefined;
  }

  async start() {
    this.server = http.createServer((request, response) => {
      const chunks = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('error', () => {});
      request.on('end', () => {
        this.#take(request, Buffer.concat(chunks), response).catch(() => {
          if (!response.headersSent) response.writeHead(500);
          response.end();
        });
      });
    });
    await new Promise((done) => {
      this.server.listen(this.port, '127.0.0.1', done);
    });
    this.port = this.server.address().port;
    return this;
  }

  async stop() {
    const closed = new Promise((done) => this.server.close(done));
    this.server.closeAllConnections();
    await closed;
  }

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  async #take(request, body, response) {
    this.requests.push({
      method: request.method, target: request.url, headers: request.headers,
    });
    const found = ping_path.exec(request.url);
    const taken = found ? undefined : await this.client_api?.(request, body);
    if (taken === 'hang') return;
    if (taken) {
      this.#answer(response, taken.status, taken.body);
      return;
    }
    if (!found || request.method !== 'POST') {
      this.#answer(response, 404, { errcode: 'M_UNRECOGNIZED', error: '' });
      return;
    }
    const id = decodeURIComponent(found[1]);
    const asked = body.length > 0 ? JSON.parse(body.toString('utf8')) : {};
    const called = await this.call_ping(id, asked);
    this.pings.push({
      id, token: request.headers.authorization,
      transaction_id: asked.transaction_id, ...called,
    });
    if (called.status === 200) {
      this.#answer(response, 200, { duration_ms: 1 });
    } else {
      this.#answer(response, 502,
        { errcode: 'M_BAD_STATUS', error: '', ...called });
    }
  }

  /// Calls the appservice's ping at Weir with `asked` as its body. Answers
  /// `{ status, body }`.
  call_ping(id, asked, token = this.hs_tokens.get(id)) {
    return new Promise((done, reject) => {
      const call = http.request({
        host: '127.0.0.1', port: this.weir_port, method: 'POST', agent: false,
        path: `/_weir/as/${encodeURIComponent(id)}/_matrix/app/v1/ping`,
        headers: {
          authorization: `Bearer ${token}`, 'content-type': 'application/json',
        },
      }, (answer) => {
        let text = '';
        answer.on('data', (chunk) => { text += chunk; });
        answer.on('end', () => done({ status: answer.statusCode, body: text }));
      });
      call.on('error', reject);
      call.end(JSON.stringify(asked));
    });
  }

  #answer(response, status, body) {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  }
}
