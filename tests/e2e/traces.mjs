/// Traces of the real binary, with its threads and clocks: they replay.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { answer, for_transactions, sequence } from './lib/behaviours.mjs';
import { must_hold } from './lib/checkers.mjs';
import { message } from './lib/events.mjs';
import { run, test } from './lib/test.mjs';
import { until } from './lib/wait.mjs';
import { fetch_text, run_command } from './lib/weir.mjs';

const moody = () => for_transactions(sequence([503, 200,
  answer(429, '{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":200}'),
  200, 503, 200]));

test('a trace of the real binary replays to the same effects', async (t) => {
  const bridges = [];
  for (const id of ['one', 'two']) {
    bridges.push(await t.bridge({ id, behaviour: moody() }));
  }
  const weir = await t.weir({ bridges,
    over: { trace: { file: 'trace.jsonl' }, actors: { idle_after: '200ms' } } });
  const senders = bridges.map((one) => t.sender(weir, one));
  for (let n = 0; n < 30; n += 1) {
    await Promise.all(senders.map((from, at) => from.send(
      [message(`$${at}_${n}_a`), message(`$${at}_${n}_b`)])));
  }
  for (const [at, one] of bridges.entries()) {
    await one.has([`$${at}_29_b`]);
    must_hold({ accepted: senders[at].accepted, records: one.transactions });
  }
  await weir.stop();
  const file = path.join(weir.folder, 'trace.jsonl');
  const text = fs.readFileSync(file, 'utf8');
  for (const one of bridges) {
    assert.ok(!text.includes(one.hs_token), 'a token stands in the trace');
  }
  assert.ok(!text.includes('m.room.message'), 'a body stands in the trace');
  const replayed = await run_command(['trace', 'replay', file],
    { seconds: 60 });
  assert.equal(replayed.code, 0, replayed.out + replayed.err);
  for (const kind of ['appservice/one', 'appservice/two', 'directory',
    'gateway', 'transport', 'janitor', 'store_writer/1']) {
    assert.match(replayed.out, new RegExp(`same +${kind}#`));
  }
  const shown = await run_command(['trace', 'show', file, '--actor',
    'appservice/one']);
  assert.equal(shown.code, 0, shown.err);
  assert.match(shown.out, /appservice\/one#1 {2}start as appservice_queue/);
});

test('a trace is begun, told and ended in a running weir', async (t) => {
  const bridge = await t.bridge();
  const weir = await t.weir({ bridges: [bridge],
    over: { actors: { idle_after: '200ms' } } });
  const from = t.sender(weir, bridge);
  const file = path.join(weir.folder, 'data', 'trace.jsonl');
  assert.match((await weir.command('trace', 'status')).out, /^not tracing/);
  const begun = await weir.command('trace', 'start', '--actor',
    'appservice/*');
  assert.equal(begun.code, 0, begun.err);
  assert.match(begun.out, /^tracing/);
  await from.send([message('$a')]);
  await bridge.has(['$a']);
  await until('the queue was let go', async () => {
    return await weir.metric('weir_actors', { kind: 'appservice_queue' }) === 0;
  });
  assert.ok(await weir.metric('weir_trace_records_total') > 0);
  const ended = await weir.command('trace', 'stop');
  assert.match(ended.out, /^not tracing/);
  assert.equal(await weir.metric('weir_trace_on'), 0);
  const replayed = await run_command(['trace', 'replay', file]);
  assert.equal(replayed.code, 0, replayed.out + replayed.err);
  assert.match(replayed.out, /same +appservice\/bridge#1/);
});

test('a viewer sees whether there is a trace and cannot begin one',
  async (t) => {
    const bridge = await t.bridge();
    const weir = await t.weir({ bridges: [bridge],
      over: { admin: { viewer_token_file: 'viewer.token' } } });
    const viewer = fs.readFileSync(path.join(weir.folder, 'viewer.token'),
      'utf8').trim();
    const ask = (method, target) => fetch_text(weir.admin_port, target,
      { method, headers: { authorization: `Bearer ${viewer}` } });
    assert.equal((await ask('GET', '/_weir/admin/v1/trace')).status, 200);
    const refused = await ask('POST', '/_weir/admin/v1/trace/start');
    assert.equal(refused.status, 403);
    const state = JSON.parse((await ask('GET', '/_weir/admin/v1/trace')).body);
    assert.equal(state.on, false);
  });

test('a kill leaves a trace that can be read', async (t) => {
  const bridge = await t.bridge();
  const weir = await t.weir({ bridges: [bridge],
    over: { trace: { file: 'trace.jsonl' } } });
  const from = t.sender(weir, bridge);
  for (let n = 0; n < 20; n += 1) await from.send([message(`$${n}`)]);
  await bridge.has(['$19']);
  await weir.kill();
  const file = path.join(weir.folder, 'trace.jsonl');
  fs.appendFileSync(file, '{"v":1,"seq":99,"ki');
  const replayed = await run_command(['trace', 'replay', file]);
  assert.equal(replayed.code, 0, replayed.out + replayed.err);
  assert.match(replayed.err, /cut off/);
  // The next process keeps it and begins its own.
  await weir.start();
  assert.ok(fs.existsSync(`${file}.1`));
});

await run();
