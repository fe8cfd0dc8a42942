/// A homeserver's sending side: one transaction in flight, the next id after a
/// 200 with a JSON body, the same id again after anything else.
import http from 'node:http';
import { pause } from './wait.mjs';

/// One PUT of a transaction. Answers `{ status, body, headers }`; rejects when
/// the connection fails or nothing comes within `seconds`.
export function put_transaction({ port, id, token, txn, body, agent,
  path = `/_weir/as/${encodeURIComponent(id)}/_matrix/app/v1/transactions/`,
  seconds = 60 }) {
  return new Promise((done, reject) => {
    const call = http.request({
      host: '127.0.0.1', port, method: 'PUT', agent: agent ?? false,
      path: `${path}${encodeURIComponent(txn)}`,
      headers: {
        authorization: `Bearer ${token}`, 'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      },
    }, (answer) => {
      let text = '';
      answer.on('data', (chunk) => { text += chunk; });
      answer.on('error', reject);
      answer.on('end', () => done({
        status: answer.statusCode, body: text, headers: answer.headers,
      }));
    });
    call.setTimeout(seconds * 1000, () => {
      call.destroy(new Error(`no answer within ${seconds} s`));
    });
    call.on('error', reject);
    call.end(body);
  });
}

function is_accepted(answer) {
  if (answer.status < 200 || answer.status > 299) return false;
  JSON.parse(answer.body);
  return true;
}

export class sender {
  constructor({ weir, bridge, first_txn = 1 }) {
    this.weir = weir;
    this.bridge = bridge;
    this.next_txn = first_txn;
    this.agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    /// Ids of events answered 200, in order.
    this.accepted = [];
    /// Ids of all events tried, in order.
    this.sent = [];
    this.failures = 0;
    this.stopping = false;
  }

  /// One try of a transaction under `txn`; `what` is the body or its text.
  once(txn, what) {
    return put_transaction({
      port: this.weir.port, id: this.bridge.id, token: this.bridge.hs_token,
      txn: String(txn), agent: this.agent,
      body: typeof what === 'string' || Buffer.isBuffer(what)
        ? what : JSON.stringify(what),
    });
  }

  /// Sends `events` (and other top-level keys) under the next id until it is
  /// accepted. Answers the id, or undefined when `stop` was called meanwhile.
  async send(events, others = {}) {
    const txn = this.next_txn;
    const ids = events.map((one) => one.event_id);
    this.sent.push(...ids);
    const body = JSON.stringify({ events, ...others });
    for (;;) {
      let accepted = false;
      try {
        accepted = is_accepted(await this.once(txn, body));
      } catch {
        accepted = false;
      }
      if (accepted) break;
      if (this.stopping) return undefined;
      this.failures += 1;
      await pause(20);
    }
    this.next_txn += 1;
    this.accepted.push(...ids);
    return txn;
  }

  /// No further tries.
  stop() {
    this.stopping = true;
  }

  close() {
    this.stop();
    this.agent.destroy();
  }
}
