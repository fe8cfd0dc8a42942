/// The checkers judge every other test, so each is shown here to find a planted
/// violation and to find nothing in a clean run. No Weir is needed.
import assert from 'node:assert/strict';
import http from 'node:http';
import { answer, hang, slow } from './lib/behaviours.mjs';
import * as checkers from './lib/checkers.mjs';
import { cut_proxy } from './lib/cut_proxy.mjs';
import { message, sha256 } from './lib/events.mjs';
import { random_source } from './lib/random.mjs';
import { raw_request, request_text } from './lib/raw_http.mjs';
import { put_transaction } from './lib/sender.mjs';
import { run, test } from './lib/test.mjs';
import { until } from './lib/wait.mjs';

let clock = 0;

/// A record as a bridge would keep it, 10 ms after the one before.
function record(txn, events, over = {}) {
  clock += 10;
  return {
    txn, events, sha: sha256(`${txn}:${events}`), acked: true, whole: true,
    began: clock, ended: clock + 5, ...over,
  };
}

const clean_run = () => [
  record('r-1', ['a', 'b'], { acked: false }),
  record('r-1', ['a', 'b']),
  record('r-2', ['c']),
];

test('selftest clean run has no violation', () => {
  const accepted = ['a', 'b', 'c'];
  assert.deepEqual(checkers.judge({ accepted, records: clean_run() }), []);
  checkers.must_hold({ accepted, records: clean_run() });
});

test('selftest missing event is found', () => {
  const found = checkers.missing(['a', 'b', 'c', 'd'], clean_run());
  assert.equal(found.length, 1);
  assert.match(found[0], /^d was accepted/);
});

test('selftest event that was only refused counts as missing', () => {
  const records = [record('r-1', ['a'], { acked: false })];
  assert.equal(checkers.missing(['a'], records).length, 1);
});

test('selftest invented event is found', () => {
  assert.equal(checkers.invented(['a', 'b'], clean_run()).length, 1);
});

test('selftest reordered events are found', () => {
  const across = [record('r-1', ['b']), record('r-2', ['a'])];
  assert.equal(checkers.reordered(['a', 'b'], across).length, 1);
  const inside = [record('r-1', ['b', 'a'])];
  assert.equal(checkers.reordered(['a', 'b'], inside).length, 1);
});

test('selftest order of acknowledgements is judged too', () => {
  const records = [
    record('r-1', ['a'], { acked: false }),
    record('r-2', ['b']),
    record('r-3', ['a']),
  ];
  const found = checkers.judge({ accepted: ['a', 'b'], records,
    replanned: true });
  assert.equal(found.length, 1);
  assert.match(found[0], /^a came after b/);
});

test('selftest altered retry is found', () => {
  const records = clean_run();
  records[1].sha = sha256('other bytes');
  assert.equal(checkers.altered(records).length, 1);
});

test('selftest duplicate under another id is found', () => {
  const records = [...clean_run(), record('r-3', ['c'])];
  assert.equal(checkers.duplicated(records).length, 1);
  assert.equal(checkers.duplicated(records, { replanned: true }).length, 1);
});

test('selftest planning anew is a duplicate unless it is allowed', () => {
  const records = [
    record('r-1', ['a', 'b'], { acked: false }),
    record('r-2', ['a']), record('r-3', ['b']),
  ];
  assert.equal(checkers.duplicated(records).length, 2);
  assert.deepEqual(checkers.duplicated(records, { replanned: true }), []);
});

test('selftest id that comes back is found', () => {
  const records = [record('r-1', ['a']), record('r-2', ['b']),
    record('r-1', ['a'])];
  assert.equal(checkers.reused(records).length, 1);
});

test('selftest two requests at once are found', () => {
  const records = clean_run();
  records[0].ended = null;
  assert.equal(checkers.overlapping(records).length, 2);
  const long = clean_run();
  long[0].ended = long[2].began + 1;
  assert.equal(checkers.overlapping(long).length, 2);
});

test('selftest id that needs escaping is found', () => {
  const records = [record('r/1', ['a']), record('', ['b']),
    record('r,2', ['c'])];
  assert.equal(checkers.ill_formed_ids(records).length, 3);
});

test('selftest must_hold names what it found', () => {
  assert.throws(
    () => checkers.must_hold({ accepted: ['z'], records: clean_run() }),
    /z was accepted and never acknowledged/);
});

test('selftest bridge records two requests at once', async (t) => {
  const bridge = await t.bridge({ behaviour: slow(150) });
  const send = (txn) => put_transaction({
    port: bridge.port, path: '/_matrix/app/v1/transactions/', token: 'x', txn,
    body: JSON.stringify({ events: [message(`$${txn}`)] }),
  });
  await Promise.all([send('r-1'), send('r-2')]);
  assert.equal(checkers.overlapping(bridge.transactions).length, 1);
});

test('selftest bridge sees that a caller gave up', async (t) => {
  const bridge = await t.bridge({ behaviour: hang() });
  const call = http.request({ port: bridge.port, host: '127.0.0.1',
    method: 'PUT', path: '/_matrix/app/v1/transactions/r-1', agent: false });
  call.on('error', () => {});
  call.end('{"events":[]}');
  await bridge.sees(1);
  assert.equal(bridge.transactions[0].ended, null);
  call.destroy();
  await until('the record is closed',
    () => bridge.transactions[0].ended !== null);
});

test('selftest bridge keeps target, headers and body', async (t) => {
  const bridge = await t.bridge({ behaviour: answer(201, '{"a":1}') });
  const body = Buffer.from('{"events":[{"event_id":"$x","n":-0}]}');
  const answered = await raw_request(bridge.port, request_text('PUT',
    '/_matrix/app/v1/transactions/r-1?x=%2F', ['X-Odd:  two'], body));
  assert.equal(answered.status, 201);
  assert.equal(answered.body, '{"a":1}');
  const [got] = bridge.transactions;
  assert.equal(got.target, '/_matrix/app/v1/transactions/r-1?x=%2F');
  assert.equal(got.txn, 'r-1');
  assert.deepEqual(got.events, ['$x']);
  assert.ok(got.body.equals(body));
  assert.ok(got.raw_headers.includes('X-Odd'));
});

test('selftest seeded randomness repeats', () => {
  const draw = (seed) => {
    const random = new random_source(seed);
    return Array.from({ length: 20 }, () => random.between(0, 1000));
  };
  assert.deepEqual(draw(7), draw(7));
  assert.notDeepEqual(draw(7), draw(8));
});

test('selftest PostgreSQL cluster restarts and keeps rows',
  { store: 'postgresql' }, async (t) => {
  const cluster = await t.postgresql();
  await cluster.query('CREATE TABLE kept (n int); INSERT INTO kept VALUES (7)');
  await cluster.restart('immediate');
  assert.deepEqual(await cluster.query('SELECT n FROM kept'), ['7']);
});

for (const [kind, rows] of [['committed', ['1']], ['lost', []]]) {
  const name = `selftest cut proxy leaves a commit ${kind}`;
  test(name, { store: 'postgresql' }, async (t) => {
    const cluster = await t.postgresql();
    const proxy = await new cut_proxy(cluster.port).start();
    t.at_end(() => proxy.stop());
    await cluster.query('CREATE TABLE kept (n int)');
    const steps = ['BEGIN', 'INSERT INTO kept VALUES (1)', 'COMMIT'];
    proxy.cut_next_commit(kind);
    await assert.rejects(cluster.steps(steps, proxy.port));
    assert.equal(proxy.cuts[kind], 1);
    assert.deepEqual(await cluster.query('SELECT n FROM kept'), rows);
  });
}

test('selftest small disk is full when filled and free again', async (t) => {
  const { writeFileSync } = await import('node:fs');
  const disk = t.small_disk(1);
  disk.fill();
  const write = () => writeFileSync(`${disk.folder}/x`, 'y'.repeat(8192));
  assert.throws(write, /ENOSPC/);
  disk.free();
  write();
});

await run();
