/// Rooms of a scripted homeserver, and a producer that hands events in for
/// them.
import { fetch_text } from './weir.mjs';

const sent = new RegExp('^/_matrix/client/v3/rooms/([^/]+)/send/([^/]+)/'
  + '([^/?]+)');

/// The part of the client API that realm events need. Like Synapse it knows a
/// transaction id by device and room, and answers its repetition with the event
/// that it has. `refuse(room, body)` may answer instead of taking an event in.
export class rooms {
  constructor(homeserver, user = '@weir:example.org') {
    this.user = user;
    /// `{ room, type, txn, body }` of each event that was taken in.
    this.events = [];
    /// How often each transaction came.
    this.tries = new Map();
    this.known = new Map();
    this.refuse = undefined;
    this.in_flight = 0;
    this.in_flight_max = 0;
    /// How long each send takes.
    this.takes_ms = 0;
    homeserver.client_api = (request, body) => this.#take(request, body);
  }

  /// Bodies that a room got, in their order.
  in(room) {
    return this.events.filter((one) => one.room === room)
      .map((one) => JSON.parse(one.body));
  }

  async #take(request, body) {
    const path = request.url.split('?')[0];
    if (path === '/_matrix/client/v3/account/whoami') {
      return { status: 200, body: { user_id: this.user, device_id: 'WEIR' } };
    }
    if (path.startsWith('/_matrix/client/v3/devices/')) {
      return { status: 200, body: {} };
    }
    const found = sent.exec(request.url);
    if (!found || request.method !== 'PUT') return undefined;
    const [room, type, txn] = found.slice(1).map(decodeURIComponent);
    this.in_flight += 1;
    this.in_flight_max = Math.max(this.in_flight_max, this.in_flight);
    if (this.takes_ms > 0) {
      await new Promise((done) => { setTimeout(done, this.takes_ms); });
    }
    this.in_flight -= 1;
    const text = body.toString('utf8');
    this.tries.set(txn, (this.tries.get(txn) ?? 0) + 1);
    const refused = this.refuse?.(room, text);
    if (refused) return refused;
    const key = `${room} ${txn}`;
    if (!this.known.has(key)) {
      this.known.set(key, `$${this.known.size + 1}`);
      this.events.push({ room, type, txn, body: text });
    }
    return { status: 200, body: { event_id: this.known.get(key) } };
  }
}

/// Somebody who hands events in for realms.
export class producer {
  constructor(weir, token = 'producer_secret_of_tests') {
    this.weir = weir;
    this.token = token;
  }

  /// The part of a configuration that lets it in.
  static options(token = 'producer_secret_of_tests') {
    return { producers: [{ name: 'tests', token, realms: ['*'] }] };
  }

  async ask(method, path, body) {
    const got = await fetch_text(this.weir.port, `/_weir/v1/${path}`, {
      method, seconds: 70,
      headers: { authorization: `Bearer ${this.token}`,
        'content-type': 'application/json' },
      body: body === undefined || typeof body === 'string'
        ? body : JSON.stringify(body),
    });
    let told;
    try {
      told = JSON.parse(got.body);
    } catch {
      told = undefined;
    }
    return { status: got.status, told, text: got.body, headers: got.headers };
  }

  of(realm, rest) {
    return `realms/${encodeURIComponent(realm)}/${rest}`;
  }

  audience(realm, list) {
    return this.ask('PUT', this.of(realm, 'rooms'), { rooms: list });
  }

  submit(realm, key, content, more = {}) {
    return this.ask('PUT',
      this.of(realm, `events/${encodeURIComponent(key)}`),
      { type: 'app.test', content, ...more });
  }

  /// Hands an event in until it is answered, whatever is killed meanwhile.
  async submit_surely(realm, key, content) {
    for (;;) {
      const got = await this.submit(realm, key, content);
      if (got.status === 200 || got.status === 202) return got.told;
      if (got.status !== 0 && got.status < 429) {
        throw new Error(`${key}: ${got.status} ${got.text}`);
      }
      await new Promise((done) => { setTimeout(done, 20); });
    }
  }

  settled(realm, id, timeout_ms = 30_000) {
    return this.ask('GET', this.of(realm,
      `events/${id}?wait=settled&timeout_ms=${timeout_ms}`));
  }
}
