/// Whoever can reach the listener and has no token: nothing that they send keeps
/// the homeserver out.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { must_hold } from './lib/checkers.mjs';
import { message } from './lib/events.mjs';
import { p99_ms, told_median } from './lib/latency.mjs';
import { raw_request } from './lib/raw_http.mjs';
import { run, test } from './lib/test.mjs';
import { until } from './lib/wait.mjs';
import { weir_binary } from './lib/weir.mjs';

/// Connections that stay open and send what `first` says, if anything.
class crowd {
  constructor(port) {
    this.port = port;
    this.sockets = [];
  }

  async grow(count, first = () => undefined) {
    for (let n = 0; n < count; n += 1) {
      const socket = net.connect(this.port, '127.0.0.1');
      socket.on('error', () => {});
      const text = first(n);
      if (text !== undefined) socket.write(text);
      this.sockets.push(socket);
      if (n % 200 === 199) {
        await until('they are connected',
          () => this.sockets.every((one) => !one.connecting));
      }
    }
  }

  leave() {
    for (const socket of this.sockets) socket.destroy();
    this.sockets = [];
  }
}

/// What the process holds, in bytes.
function memory_of(weir) {
  const status = fs.readFileSync(`/proc/${weir.child.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)[1]) * 1024;
}

/// A head of 1 MB that does not end.
const a_megabyte_of_fields = `GET / HTTP/1.1\r\nHost: x\r\n${
  `X-Field: ${'y'.repeat(980)}\r\n`.repeat(1_000)}`;

/// What strangers do with a connection.
const habits = [
  () => undefined,
  () => 'PUT /_weir/as/bridge/_matrix/app/v1/transactions/1 HTTP/1.1\r\nHo',
  () => `GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(70_000)}`,
  () => a_megabyte_of_fields,
  () => 'PUT /_weir/as/bridge/_matrix/app/v1/transactions/1 HTTP/1.1\r\n' +
    'Host: x\r\nAuthorization: Bearer guessed\r\nContent-Length: 60000\r\n\r\n{',
  () => 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n' +
    'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  () => Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00]),
  () => 'GET /_weir/as/bridge/_matrix/app/v1/users/@a:b HTTP/1.1\r\nHost: x\r\n' +
    '\r\n'.repeat(1),
  () => 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(100),
];

test('strangers: 5,000 connections of every bad habit keep no transaction out',
  { seconds: 180 }, async (t) => {
    const bridge = await t.bridge();
    const weir = await t.weir({ bridges: [bridge] });
    const from = t.sender(weir, bridge);
    await from.send([message('$before')]);
    const strangers = new crowd(weir.port);
    t.at_end(() => strangers.leave());
    // Most of them stay, idle or with half a head.
    await strangers.grow(5000,
      (n) => habits[n % (n < 4500 ? 2 : habits.length)](n));
    assert.equal(from.failures, 0);
    for (let n = 0; n < 20; n += 1) {
      // Each on a connection of its own, as after a restart.
      const one = t.sender(weir, bridge, 100 + n);
      await one.send([message(`$e${n}`)]);
      assert.equal(one.failures, 0);
      from.accepted.push(...one.accepted);
      one.close();
    }
    await from.send([message('$after')]);
    await bridge.has(from.accepted);
    must_hold({ accepted: from.accepted, records: bridge.transactions });
    assert.ok(await weir.metric('weir_connections_displaced_total',
      { side: 'homeserver' }) > 0);
    assert.match(weir.log(), /connection gave way to a new one/);
  });

test('strangers: heads of 1 MB are refused before they are held, whole or not',
  async (t) => {
    const bridge = await t.bridge();
    const weir = await t.weir({ bridges: [bridge] });
    const from = t.sender(weir, bridge);
    await from.send([message('$before')]);
    const before = memory_of(weir);
    const token = `Authorization: Bearer ${bridge.hs_token}\r\n`;
    const one_field = (end) =>
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(1 << 20)}${end}`;
    const heads = [one_field(''), one_field('\r\n\r\n'),
      a_megabyte_of_fields, `${a_megabyte_of_fields}\r\n`,
      `GET /${'z'.repeat(1 << 20)} HTTP/1.1\r\nHost: x\r\n\r\n`,
      `PUT /_weir/as/bridge/_matrix/app/v1/transactions/9 HTTP/1.1\r\n` +
        `Host: x\r\n${token}X: ${'y'.repeat(1 << 20)}\r\n` +
        'Content-Length: 13\r\n\r\n{"events":[]}'];
    for (const head of heads) {
      for (const port of [weir.port, weir.admin_port]) {
        const response = await raw_request(port, head);
        // A client that still writes may find the connection reset.
        assert.ok(response.closed || response.status === 431
          || response.status === 414, `${response.status}`);
      }
    }
    // 200 at a time, each of which holds all that it is let hold.
    const strangers = new crowd(weir.port);
    t.at_end(() => strangers.leave());
    await strangers.grow(200, (n) => heads[n % 5]);
    const refused = () => weir.metric('weir_requests_refused_total',
      { side: 'homeserver', reason: 'too_large' });
    await until('each is refused', async () =>
      await refused() === heads.length + 200);
    const grown = memory_of(weir) - before;
    assert.ok(grown < 64 << 20, `${grown} bytes more are held`);
    await from.send([message('$after')]);
    assert.equal(from.failures, 0);
    await bridge.has(from.accepted);
    must_hold({ accepted: from.accepted, records: bridge.transactions });
  });

test('strangers: 5,000 connections leave the p99 of the homeserver',
  { seconds: 1800, soak: true, serial: true }, async (t) => {
    const bridge = await t.bridge();
    const weir = await t.weir({ bridges: [bridge],
      over: { listener: { connections_max: 6000 } } });
    const from = t.sender(weir, bridge);
    const strangers = new crowd(weir.port);
    t.at_end(() => strangers.leave());
    const ratios = [];
    await p99_ms(from, bridge, 'warm');
    for (let pair = 0; pair < 7; pair += 1) {
      const alone = await p99_ms(from, bridge, `alone${pair}`);
      await strangers.grow(5000,
        (n) => habits[n % (n < 4500 ? 2 : habits.length)](n));
      const beside = await p99_ms(from, bridge, `beside${pair}`);
      strangers.leave();
      await until('they are gone', async () =>
        await weir.metric('weir_connections', { side: 'homeserver' }) < 100);
      ratios.push(beside / alone);
      console.log(`p99 ${alone.toFixed(1)} ms alone, ` +
        `${beside.toFixed(1)} ms beside 5,000 strangers`);
    }
    assert.equal(from.failures, 0);
    must_hold({ accepted: from.accepted, records: bridge.transactions });
    const median = told_median(ratios);
    assert.ok(median <= 1.5, `the median ratio is ${median}`);
  });

test('strangers: more connections than the soft bound of open files are served',
  async (t) => {
    const bridge = await t.bridge();
    const weir = await t.prepare({ bridges: [bridge] });
    const narrow = path.join(weir.folder, 'narrow');
    fs.writeFileSync(narrow,
      `#!/bin/sh\nulimit -Sn 200\nexec "${weir_binary()}" "$@"\n`,
      { mode: 0o755 });
    weir.binary = narrow;
    await weir.start();
    const strangers = new crowd(weir.port);
    t.at_end(() => strangers.leave());
    await strangers.grow(600);
    await until('all are let in', async () =>
      await weir.metric('weir_connections', { side: 'homeserver' }) >= 600);
    assert.doesNotMatch(weir.log(), /accept failed/);
  });

await run();
