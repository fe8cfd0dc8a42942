/// Whoever can reach the listener and has no token: nothing that they send keeps
/// the homeserver out.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { must_hold } from './lib/checkers.mjs';
import { message } from './lib/events.mjs';
import { p99_ms, told_median } from './lib/latency.mjs';
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

/// What strangers do with a connection.
const habits = [
  () => undefined,
  () => 'PUT /_weir/as/bridge/_matrix/app/v1/transactions/1 HTTP/1.1\r\nHo',
  () => `GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(70_000)}`,
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
