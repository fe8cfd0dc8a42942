/// The store goes away and comes back: requests are held or refused clearly,
/// and nothing that was acknowledged is lost (G1).
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { cut_proxy } from './lib/cut_proxy.mjs';
import { must_hold } from './lib/checkers.mjs';
import { message, messages } from './lib/events.mjs';
import { load, load_settings } from './lib/load.mjs';
import { put_transaction } from './lib/sender.mjs';
import { run, test } from './lib/test.mjs';
import { pause, stays, until } from './lib/wait.mjs';

/// Waits until `count` more events than now were accepted.
async function goes_on(work, count, seconds = 60) {
  const from = work.accepted;
  await until(`${count} more events are accepted`,
    () => work.accepted >= from + count, seconds);
}

test('a request is held while the database is away, and then taken',
  { store: 'postgresql', seconds: 120 }, async (t) => {
    const bridge = await t.bridge();
    const weir = await t.weir({ bridges: [bridge] });
    const from = t.sender(weir, bridge);
    await from.send([message('$before')]);
    await bridge.has(['$before']);
    await t.cluster.down('fast');
    let answered;
    const held = from.once(2, { events: [message('$held')] })
      .then((got) => { answered = got; });
    await stays('the request is held', () => answered === undefined, 4000);
    await t.cluster.up();
    await held;
    assert.equal(answered.status, 200, answered.body);
    assert.equal(answered.body, '{}');
    await bridge.has(['$held']);
    must_hold({ accepted: ['$before', '$held'],
      records: bridge.transactions });
  });

test('a request is told to come back when the database stays away',
  { store: 'postgresql', seconds: 120 }, async (t) => {
    const bridge = await t.bridge();
    const weir = await t.weir({ bridges: [bridge] });
    await t.cluster.down('fast');
    const began = performance.now();
    const got = await put_transaction({ port: weir.port, id: bridge.id,
      token: bridge.hs_token, txn: '1', seconds: 70,
      body: JSON.stringify({ events: [message('$a')] }) });
    const took = performance.now() - began;
    assert.equal(got.status, 503);
    assert.ok(Number(got.headers['retry-after']) >= 0);
    assert.ok(JSON.parse(got.body).errcode);
    // Held as long as a homeserver waits, less a margin, and no longer.
    assert.ok(took > 40_000 && took < 58_000, `it took ${took} ms`);
    await t.cluster.up();
    const from = t.sender(weir, bridge);
    await from.send([message('$a')]);
    await bridge.has(['$a']);
  });

test('SIGTERM while the database is away ends at once and refuses clearly',
  { store: 'postgresql', seconds: 120 }, async (t) => {
    const bridge = await t.bridge();
    const weir = await t.weir({ bridges: [bridge] });
    await t.cluster.down('fast');
    let answered;
    const held = put_transaction({ port: weir.port, id: bridge.id,
      token: bridge.hs_token, txn: '1', seconds: 70,
      body: JSON.stringify({ events: [message('$a')] }) })
      .then((got) => { answered = got; });
    await until('the request is held', async () =>
      await weir.metric('weir_held_requests') === 1);
    const began = performance.now();
    const how = await weir.stop();
    const took = performance.now() - began;
    await held;
    assert.equal(how.code, 0, JSON.stringify(how));
    assert.equal(answered.status, 503, answered.body);
    assert.ok(Number(answered.headers['retry-after']) > 0);
    // The drain time-out is 20 s.
    assert.ok(took < 10_000, `it took ${took} ms`);
    await t.cluster.up();
    await weir.start();
    const from = t.sender(weir, bridge);
    await from.send([message('$a')]);
    await bridge.has(['$a']);
  });

test('database restarts under load lose nothing',
  { store: 'postgresql', seconds: 180 }, async (t) => {
    const work = await new load({ seed: 31 }).prepare(t);
    const weir = await t.weir({ bridges: work.bridges,
      over: load_settings() });
    work.begin(t, weir);
    for (const mode of ['immediate', 'fast', 'immediate', 'immediate']) {
      await goes_on(work, 60);
      await t.cluster.restart(mode);
    }
    await goes_on(work, 60);
    await work.finish();
  });

test('commits whose answer is lost are neither lost nor done twice',
  { store: 'postgresql', seconds: 180 }, async (t) => {
    t.cluster = await t.postgresql();
    const proxy = await new cut_proxy(t.cluster.port).start();
    t.at_end(() => proxy.stop());
    const work = await new load({ seed: 32 }).prepare(t);
    const weir = await t.weir({ bridges: work.bridges,
      store_url: t.cluster.url(proxy.port), over: load_settings() });
    work.begin(t, weir);
    const rounds = 8;
    for (let n = 0; n < rounds; n += 1) {
      await goes_on(work, 20);
      const kind = n % 2 === 0 ? 'committed' : 'lost';
      const before = proxy.cuts[kind];
      proxy.cut_next_commit(kind);
      await until(`a commit is cut (${kind})`,
        () => proxy.cuts[kind] > before);
    }
    await goes_on(work, 20);
    await work.finish();
    assert.deepEqual(proxy.cuts, { committed: rounds / 2, lost: rounds / 2 });
  });

test('connections cut at any moment lose nothing',
  { store: 'postgresql', seconds: 180 }, async (t) => {
    t.cluster = await t.postgresql();
    const proxy = await new cut_proxy(t.cluster.port).start();
    t.at_end(() => proxy.stop());
    const work = await new load({ seed: 33 }).prepare(t);
    const weir = await t.weir({ bridges: work.bridges,
      store_url: t.cluster.url(proxy.port), over: load_settings() });
    work.begin(t, weir);
    for (let n = 0; n < 6; n += 1) {
      await goes_on(work, 20);
      proxy.refuse();
      await pause(n * 150);
      proxy.allow();
    }
    await goes_on(work, 20);
    await work.finish();
  });

/// SQLite cannot rebuild its index file without space: then the start is
/// refused with a reason, and a service manager tries again.
async function start_on_full_disk(weir) {
  const child = weir.spawn();
  let ended;
  child.exited.then((how) => { ended = how; });
  await until('weir is up or has said why not', async () =>
    ended || (await weir.get('/health')).status === 200);
  if (!ended) return;
  assert.notEqual(ended.code, 0);
  assert.match(weir.log(), /cannot start .*disk full/);
  weir.child = undefined;
}

test('a full disk refuses or holds, and its return goes on',
  { seconds: 150 }, async (t) => {
    const disk = t.small_disk(24);
    const work = await new load({ seed: 34 }).prepare(t);
    const weir = await t.weir({ bridges: work.bridges, over: load_settings(),
      store_url: `sqlite://${path.join(disk.folder, 'weir.db')}` });
    work.begin(t, weir);
    for (let round = 0; round < 3; round += 1) {
      await goes_on(work, 60);
      disk.fill();
      // It may take a moment until the space the file still has is used up.
      await until('no more events are accepted', async () => {
        disk.fill();
        const before = work.accepted;
        await pause(600);
        return work.accepted === before;
      }, 40);
      assert.equal((await weir.get('/health')).status, 200);
      if (round === 1) {
        await weir.kill();
        await start_on_full_disk(weir);
      }
      disk.free();
      if (!weir.child) weir.spawn();
      await until('weir is ready', async () =>
        (await weir.get('/ready')).status === 200);
    }
    await goes_on(work, 60);
    await work.finish();
  });

test('a file at the limit of its size is a full disk, not an end',
  { seconds: 90 }, async (t) => {
    const bridge = await t.bridge();
    const weir = await t.weir({ bridges: [bridge] });
    const from = t.sender(weir, bridge);
    const limit = (bytes) => execFileSync('prlimit',
      ['--pid', String(weir.child.pid), `--fsize=${bytes}:unlimited`]);
    await from.send([message('$before')]);
    // Below what the write-ahead log has already.
    limit(8192);
    const held = from.send([message('$held')]);
    await until('the store cannot be written', async () =>
      (await weir.get('/ready')).status === 503);
    assert.equal((await weir.get('/health')).status, 200);
    limit('unlimited');
    await held;
    await bridge.has(['$before', '$held']);
    must_hold({ accepted: from.accepted, records: bridge.transactions });
  });

test('a writer that fails under load leaves no request waiting',
  { seconds: 90, serial: true }, async (t) => {
    const bridges = [];
    for (let n = 0; n < 4; n += 1) {
      bridges.push(await t.bridge({ id: `b${n}` }));
    }
    const weir = await t.prepare({ bridges, stoppable: true });
    const file = path.join(weir.folder, 'thrown');
    await weir.start({ env: { WEIR_THROW_AT: 'writer_throw:60',
      WEIR_STOP_FILE: file } });
    let slowest = 0;
    let running = true;
    const accepted = new Map(bridges.map((one) => [one.id, []]));
    const loops = bridges.map(async (bridge) => {
      const from = t.sender(weir, bridge);
      for (let txn = 1; running; txn += 1) {
        const id = `$${bridge.id}_${txn}`;
        for (;;) {
          const began = performance.now();
          const got = await from.once(txn, { events: [message(id)] });
          slowest = Math.max(slowest, performance.now() - began);
          if (got.status === 200) break;
          assert.equal(got.status, 503, got.body);
          assert.ok(got.headers['retry-after']);
          await pause(20);
        }
        accepted.get(bridge.id).push(id);
      }
    });
    await until('the writer has failed', () => fs.existsSync(file));
    const at_failure = accepted.get('b0').length;
    await until('the work goes on',
      () => accepted.get('b0').length > at_failure + 10);
    running = false;
    await Promise.all(loops);
    assert.ok(slowest < 1000, `a request waited ${slowest} ms`);
    for (const bridge of bridges) {
      await bridge.has(accepted.get(bridge.id));
      must_hold({ accepted: accepted.get(bridge.id),
        records: bridge.transactions });
    }
  });

test('g02 a loop of kill -9 without load starts every time', async (t) => {
  const bridge = await t.bridge();
  const weir = await t.weir({ bridges: [bridge] });
  const from = t.sender(weir, bridge);
  for (let round = 0; round < 15; round += 1) {
    await weir.kill();
    await weir.start();
    if (round % 5 === 0) await from.send(messages('r', 2, round * 2));
  }
  await bridge.has(from.accepted);
  must_hold({ accepted: from.accepted, records: bridge.transactions });
});

await run();
