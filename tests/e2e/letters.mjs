/// What an operator does with dead letters: put back or dropped, each once,
/// whatever is killed, full or away meanwhile; and with the quarantine.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { answer, for_transactions, refuse_type } from './lib/behaviours.mjs';
import { message, messages } from './lib/events.mjs';
import { is_reached } from './lib/campaign.mjs';
import { run, test, test_on_stores } from './lib/test.mjs';
import { until } from './lib/wait.mjs';

const quick = { backoff_first: '50ms', backoff_max: '100ms' };
const bad = (id) => message(id, { type: 'org.example.bad' });
const rejects = () => refuse_type('org.example.bad',
  answer(400, '{"errcode":"M_BAD_JSON"}'));

/// A bridge that has rejected `ids`, each of which is a dead letter by now.
async function a_weir_with_letters(t, ids, more = {}) {
  const bridge = await t.bridge({ behaviour: rejects() });
  const weir = await t.weir({ bridges: [bridge],
    over: { appservices: { defaults: quick } }, ...more });
  const from = t.sender(weir, bridge);
  await from.send(ids.map(bad));
  await until('all are dead letters', async () =>
    (await weir.dead_letters()).length === ids.length, 60);
  return { bridge, weir, from };
}

/// A bridge that was away while its queue gave up the oldest of `count` events.
async function a_weir_that_overflowed(t, count, bound) {
  const bridge = await t.bridge({ behaviour: for_transactions(answer(503)) });
  const weir = await t.weir({ bridges: [bridge], over: { appservices: {
    defaults: { ...quick, max_transaction_events: 2, queue_events_max: bound,
      queue_overflow: 'dead_letter_oldest' } } } });
  const from = t.sender(weir, bridge);
  for (let n = 0; n < count; n += 1) await from.send(messages('a', 1, n));
  return { bridge, weir, from };
}

function act(weir, verb, query) {
  return weir.admin(`/_weir/admin/v1/dead-letters/${verb}?${query}`,
    { method: 'POST' });
}

/// How often each event was taken by the bridge.
function taken_times(bridge, id) {
  return bridge.received.filter((one) => one === id).length;
}

test_on_stores('g16 a dead letter that is put back comes behind what is owed',
  async (t) => {
    const { bridge, weir, from } = await a_weir_with_letters(t, ['$1', '$2']);
    bridge.behaviour = for_transactions(answer(503));
    await from.send([message('$owed')]);
    await until('it is in a transaction that was tried', async () =>
      (await weir.queue('bridge')).last_error === 'http_503');
    const pinned = (await weir.queue('bridge')).pinned_txn;
    const ids = (await weir.dead_letters()).map((one) => String(one.id));
    const done = await weir.command('dead-letters', 'replay', ...ids, '77777',
      '--by', 'ada');
    assert.equal(done.code, 0, JSON.stringify(done));
    assert.equal(done.out, '2 put back, 1 not found\n');
    assert.match((await weir.command('commands')).out,
      /ada +replay dead letters/);
    assert.deepEqual(await weir.dead_letters(), []);
    assert.equal((await weir.queue('bridge')).pinned_txn, pinned);
    assert.equal((await weir.queue('bridge')).depth_events, 3);
    bridge.behaviour = answer(200);
    await bridge.has(['$owed', '$1', '$2']);
    assert.deepEqual(bridge.received, ['$owed', '$1', '$2']);
  });

test('g16 a letter that is rejected again is a dead letter again',
  async (t) => {
    const { weir } = await a_weir_with_letters(t, ['$1']);
    const [before] = await weir.dead_letters();
    assert.equal((await act(weir, 'replay', `id=${before.id}`)).status, 200);
    await until('it is back', async () => {
      const [now] = await weir.dead_letters();
      return now !== undefined && now.id > before.id;
    });
    assert.equal((await weir.dead_letters())[0].event_id, '$1');
    // The old id is gone for good.
    assert.equal((await act(weir, 'replay', `id=${before.id}`)).status, 404);
  });

test_on_stores('letters: all of an appservice are put back with progress',
  { seconds: 180 }, async (t) => {
    const { bridge, weir } = await a_weir_that_overflowed(t, 260, 10);
    assert.equal((await weir.queue('bridge')).overflowed, 250);
    weir.over.appservices.defaults.queue_events_max = 1000;
    await weir.write_files();
    assert.equal((await weir.command('reload')).code, 0);
    const done = await weir.command('dead-letters', 'replay', '--appservice',
      'bridge', '--all');
    assert.equal(done.code, 0, JSON.stringify(done));
    assert.equal(done.out, '250 put back\n');
    assert.match(done.err, /^100 put back, going on\n200 put back/);
    bridge.behaviour = answer(200);
    const wanted = Array.from({ length: 260 }, (_, n) => `$a${n}`);
    await bridge.has(wanted);
    assert.equal(bridge.received.length, 260);
  });

test('letters: a queue at its bound takes what it can and keeps the rest',
  async (t) => {
    const { bridge, weir } = await a_weir_that_overflowed(t, 30, 10);
    // At its bound already: nothing goes back, and nothing is given up for it.
    const none = await weir.command('dead-letters', 'replay', '--appservice',
      'bridge', '--all');
    assert.equal(none.code, 1);
    assert.match(none.err, /409.*at its bound/);
    assert.equal((await weir.dead_letters()).length, 20);
    weir.over.appservices.defaults.queue_events_max = 17;
    await weir.write_files();
    assert.equal((await weir.command('reload')).code, 0);
    const some = await weir.command('dead-letters', 'replay', '--appservice',
      'bridge', '--all');
    assert.equal(some.code, 1);
    assert.equal(some.out, '7 put back\n');
    assert.equal((await weir.dead_letters()).length, 13);
    bridge.behaviour = answer(200);
    await until('all is delivered', async () =>
      (await weir.queue('bridge')).depth_events === 0);
    const rest = await weir.command('dead-letters', 'replay', '--appservice',
      'bridge', '--json');
    assert.deepEqual(JSON.parse(rest.out),
      { done: 13, missing: 0, more: false });
    await bridge.has(Array.from({ length: 30 }, (_, n) => `$a${n}`));
    assert.equal(bridge.received.length, 30);
  });

for (const [step, is_committed] of [['before_kept_commit', false],
  ['after_kept_commit', true]]) {
  test_on_stores(`g02 SIGKILL at ${step} puts letters back once or not at all`,
    { seconds: 180 }, async (t) => {
      const { bridge, weir } = await a_weir_with_letters(t, ['$1', '$2'],
        { stoppable: true });
      await weir.stop();
      const file = path.join(weir.folder, 'stopped');
      await weir.start({ env: { WEIR_STOP_AT: `${step}:1`,
        WEIR_STOP_FILE: file } });
      bridge.behaviour = answer(200);
      act(weir, 'replay', 'appservice=bridge');
      await until(`${step} is reached`, () => is_reached(file));
      await weir.kill();
      fs.rmSync(file);
      await weir.start();
      const left = (await weir.dead_letters()).length;
      assert.equal(left, is_committed ? 0 : 2);
      if (!is_committed) {
        const again = await act(weir, 'replay', 'appservice=bridge');
        assert.equal(JSON.parse(again.body).done, 2);
      }
      await bridge.has(['$1', '$2']);
      await until('nothing is owed', async () =>
        (await weir.queue('bridge')).depth_events === 0);
      assert.equal(taken_times(bridge, '$1'), 1);
      assert.equal(taken_times(bridge, '$2'), 1);
      assert.deepEqual(await weir.dead_letters(), []);
    });
}

test('letters: with the database away nothing is done, and the asker is told',
  { store: 'postgresql', seconds: 120 }, async (t) => {
    const { bridge, weir } = await a_weir_with_letters(t, ['$1']);
    bridge.behaviour = answer(200);
    await t.cluster.down('fast');
    const refused = await act(weir, 'replay', 'appservice=bridge');
    assert.equal(refused.status, 503, refused.body);
    const told = JSON.parse(refused.body);
    assert.equal(told.errcode, 'ORG.WEIR.UNAVAILABLE');
    assert.equal(told.done, 0);
    await t.cluster.up();
    await until('the store is back', async () =>
      (await weir.get('/ready')).status === 200);
    await until('it is put back', async () => {
      const told = await act(weir, 'replay', 'appservice=bridge');
      return told.status === 200 && JSON.parse(told.body).done === 1;
    });
    await bridge.has(['$1']);
    assert.equal(taken_times(bridge, '$1'), 1);
  });

test_on_stores('letters: those of an appservice that is gone are only dropped',
  async (t) => {
    const { bridge, weir } = await a_weir_with_letters(t, ['$1', '$2']);
    const other = await t.bridge({ id: 'other' });
    fs.rmSync(path.join(weir.folder, 'bridges', 'bridge.yaml'));
    weir.bridges = [other];
    await weir.write_files();
    assert.equal((await weir.command('reload')).code, 0);
    const [one] = await weir.dead_letters();
    for (const query of [`id=${one.id}`, 'appservice=bridge']) {
      const refused = await act(weir, 'replay', query);
      assert.equal(refused.status, 409, refused.body);
      assert.equal(JSON.parse(refused.body).errcode,
        'ORG.WEIR.NOT_CONFIGURED');
    }
    assert.equal((await weir.dead_letters()).length, 2);
    const dropped = await weir.command('dead-letters', 'drop', String(one.id));
    assert.equal(dropped.out, '1 dropped\n');
    assert.equal((await weir.dead_letters()).length, 1);
    assert.deepEqual(bridge.received, []);
  });

test_on_stores('what is quarantined is listed, shown as it came and dropped',
  async (t) => {
    const bridge = await t.bridge();
    const weir = await t.weir({ bridges: [bridge] });
    const from = t.sender(weir, bridge);
    const body = '{"events":"none"}';
    assert.equal((await from.once('odd', body)).status, 400);
    assert.equal((await from.once('odd', body)).status, 400);
    const quarantine = async (...args) => {
      const done = await weir.command('quarantine', ...args);
      assert.equal(done.code, 0, JSON.stringify(done));
      return done.out;
    };
    assert.match(await quarantine('list'), /bridge +\d{4}-\d\d-\d\d [\d:]+ UTC +odd +17 +2 /);
    const [{ id }] = JSON.parse(await quarantine('list', '--json')).quarantine;
    assert.equal(await quarantine('show', String(id), '--raw'), body);
    assert.match(await quarantine('show', String(id)), /\{"events":"none"\}/);
    assert.equal(await quarantine('drop', String(id)), '1 dropped\n');
    assert.equal(await quarantine('list'), 'nothing is quarantined\n');
    const gone = await weir.command('quarantine', 'show', String(id));
    assert.equal(gone.code, 1);
    assert.match(gone.err, /not found: No such quarantined body/);
    await from.send(messages('$after', 1));
  });

await run();
