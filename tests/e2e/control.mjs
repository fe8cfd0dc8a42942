/// What an operator does with one queue: pause, resume, retry, skip, explain,
/// commands, drain; and kills in the middle of it.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { answer, for_transactions, hang, slow } from './lib/behaviours.mjs';
import { must_hold } from './lib/checkers.mjs';
import { message } from './lib/events.mjs';
import { run, test, test_on_stores } from './lib/test.mjs';
import { stays, until, within } from './lib/wait.mjs';

const api = '/_weir/admin/v1';
const quick = { appservices:
  { defaults: { backoff_first: '50ms', backoff_max: '100ms' } } };
/// Long enough that no try comes by itself within a case.
const patient = { appservices:
  { defaults: { backoff_first: '300s', backoff_max: '300s' } } };

/// POSTs a command; answers `{ status, body }` with the body understood.
async function order(weir, what, parameters = {}, id = 'bridge') {
  const query = new URLSearchParams(parameters).toString();
  const page = await weir.admin(`${api}/queues/${id}/${what}?${query}`,
    { method: 'POST', seconds: 60 });
  return { status: page.status, body: page.body && JSON.parse(page.body) };
}

async function cause_of(weir, id = 'bridge') {
  const page = await weir.admin(`${api}/queues/${id}/explain`);
  return page.status === 200
    ? JSON.parse(page.body).explanation.cause : page.status;
}

async function commands(weir) {
  const page = await weir.admin(`${api}/commands`);
  return JSON.parse(page.body).commands;
}

const pinned = async (weir) => (await weir.queue('bridge')).pinned_txn;

/// A bridge that refuses all and a Weir that owes it `ids`, each of a
/// transaction of its own but for those that came while it was refused.
async function owing(t, ids, { over = patient, behaviour = answer(503),
  ...more } = {}) {
  const bridge = await t.bridge({ behaviour: for_transactions(behaviour) });
  const weir = await t.prepare({ bridges: [bridge], over, ...more });
  await weir.start();
  const from = t.sender(weir, bridge);
  for (const id of ids) await from.send([message(id)]);
  await bridge.sees(1);
  return { bridge, weir, from };
}

test_on_stores('a paused queue takes in, sends nothing, and lasts over a kill',
  async (t) => {
    const bridge = await t.bridge();
    const weir = await t.weir({ bridges: [bridge] });
    const from = t.sender(weir, bridge);
    assert.equal((await order(weir, 'pause', { by: 'ada', reason: 'moves' }))
      .status, 200);
    await from.send([message('$1'), message('$2')]);
    await weir.kill();
    await weir.start();
    await from.send([message('$3')]);
    await stays('nothing is sent', () => bridge.transactions.length === 0, 700);
    assert.equal((await weir.queue('bridge')).state, 'paused');
    assert.equal(await cause_of(weir), 'paused');
    const again = await order(weir, 'pause', { by: 'bob' });
    assert.equal(again.body.changed, false);
    assert.equal(again.body.paused_by, 'ada');
    assert.equal((await order(weir, 'resume')).body.changed, true);
    await bridge.has(['$1', '$2', '$3']);
    must_hold({ accepted: from.accepted, records: bridge.transactions });
    assert.deepEqual((await commands(weir)).map((one) => [one.verb, one.by]),
      [['pause', 'ada'], ['resume', 'admin']]);
  });

test('what is in flight at a pause is finished', async (t) => {
  const bridge = await t.bridge({ behaviour: slow(1500) });
  const weir = await t.weir({ bridges: [bridge] });
  const from = t.sender(weir, bridge);
  await from.send([message('$1')]);
  await bridge.sees(1);
  await from.send([message('$2')]);
  assert.equal((await order(weir, 'pause')).body.sending, true);
  await until('the first is settled', async () =>
    (await weir.queue('bridge')).delivered_transactions === 1);
  await stays('the second waits', () => bridge.transactions.length === 1, 700);
});

test('a retry does not wait for our own back-off', async (t) => {
  const { bridge, weir } = await owing(t, ['$1']);
  await until('a refusal', async () =>
    await cause_of(weir) === 'refused');
  bridge.behaviour = answer(200);
  assert.equal((await order(weir, 'retry')).body.changed, true);
  await bridge.has(['$1']);
  assert.match((await order(weir, 'retry')).body.says, /nothing to try/);
});

test('a retry breaks what the bridge asked for only by force', async (t) => {
  const { bridge, weir } = await owing(t, ['$1'],
    { over: quick, behaviour: answer(429, '{}', { 'retry-after': '600' }) });
  await until('the wish is stored', async () =>
    await cause_of(weir) === 'bridge_asked');
  const refused = await order(weir, 'retry');
  assert.equal(refused.status, 409);
  assert.equal(refused.body.errcode, 'ORG.WEIR.BRIDGE_ASKED');
  assert.ok(refused.body.until_ms > Date.now() + 500_000);
  await stays('nothing is sent', () => bridge.transactions.length === 1, 700);
  bridge.behaviour = answer(200);
  assert.equal((await order(weir, 'retry', { force: 'true' })).status, 200);
  await bridge.has(['$1']);
});

test('a retry tries a queue whose token is refused', async (t) => {
  const { bridge, weir } = await owing(t, ['$1'], { behaviour: answer(401) });
  await until('the cause is known', async () =>
    await cause_of(weir) === 'token_refused');
  await order(weir, 'retry');
  await bridge.sees(2);
  assert.equal(bridge.transactions[0].txn, bridge.transactions[1].txn);
});

test_on_stores('a skip names its transaction and keeps it whole', async (t) => {
  const { bridge, weir, from } = await owing(t, ['$1', '$2', '$3']);
  await until('a refusal', async () =>
    (await weir.queue('bridge')).attempts === 1);
  const meant = await pinned(weir);
  const wrong = await order(weir, 'skip', { txn: 'other-1' });
  assert.equal(wrong.status, 409);
  assert.equal(wrong.body.errcode, 'ORG.WEIR.NOT_CURRENT');
  assert.equal(wrong.body.pinned_txn, meant);
  bridge.behaviour = answer(200);
  const done = await order(weir, 'skip', { txn: meant, by: 'ada' });
  assert.equal(done.status, 200, JSON.stringify(done.body));
  await bridge.has(['$2', '$3']);
  const letters = await weir.dead_letters();
  assert.deepEqual(letters.map((one) => [one.event_id, one.reason]),
    [['$1', 'skipped by ada']]);
  const sent = bridge.transactions.filter((one) => one.txn === meant);
  assert.equal(sent.length, 1);
  assert.equal((await order(weir, 'skip', { txn: meant })).status, 409);
  assert.equal(from.accepted.length >= 3, true);
});

test('a skip ends the connection of a bridge that hangs', async (t) => {
  const { bridge, weir } = await owing(t, ['$1', '$2'],
    { behaviour: hang() });
  const meant = await pinned(weir);
  bridge.behaviour = answer(200);
  const done = await order(weir, 'skip', { txn: meant });
  assert.equal(done.status, 200, JSON.stringify(done.body));
  await bridge.has(['$2']);
  assert.equal(bridge.transactions.filter((one) => one.txn === meant).length,
    1);
  assert.equal((await weir.dead_letters()).length, 1);
});

test('a skip of what is delivered meanwhile is refused and says so',
  async (t) => {
    const { weir } = await owing(t, ['$1'], { behaviour: slow(2000) });
    const refused = await order(weir, 'skip', { txn: await pinned(weir) });
    assert.equal(refused.status, 409);
    assert.equal(refused.body.delivered, true, JSON.stringify(refused.body));
    assert.deepEqual(await weir.dead_letters(), []);
    assert.deepEqual(await commands(weir), []);
  });

test('a paused queue is skipped and stays paused', async (t) => {
  const { bridge, weir } = await owing(t, ['$1', '$2']);
  await order(weir, 'pause');
  bridge.behaviour = answer(200);
  await until('what is pinned is known', async () => await pinned(weir));
  assert.equal((await order(weir, 'skip', { txn: await pinned(weir) })).status,
    200);
  await stays('nothing is sent', () => bridge.transactions.length === 1, 700);
  await order(weir, 'resume');
  await bridge.has(['$2']);
});

/// Runs a command of the stoppable program and kills it at `step`.
async function killed_at(t, step, what, parameters) {
  const file = path.join(t.folder(), 'stops');
  const { bridge, weir } = await owing(t, ['$1', '$2'], { stoppable: true });
  await until('a refusal', async () =>
    (await weir.queue('bridge')).attempts === 1);
  const meant = await pinned(weir);
  await weir.kill();
  await weir.start({ env: { WEIR_STOP_AT: `${step}:1`, WEIR_STOP_FILE: file } });
  const given = parameters(meant);
  const asked = order(weir, what, given);
  await until(`${step} is reached`, () => fs.existsSync(file));
  await weir.kill();
  assert.equal((await asked).status, 0);
  await weir.start();
  return { bridge, weir, meant, given };
}

for (const step of ['before_command', 'after_halt_commit']) {
  test_on_stores(`a kill at ${step} of a pause leaves it whole or undone`,
    async (t) => {
      const { bridge, weir } = await killed_at(t, step, 'pause',
        () => ({ by: 'ada' }));
      const rows = await commands(weir);
      const { state } = await weir.queue('bridge');
      const done = step !== 'before_command';
      assert.equal(rows.length, done ? 1 : 0);
      assert.equal(state === 'paused', done);
      bridge.behaviour = answer(200);
      await order(weir, 'resume');
      await order(weir, 'retry');
      await bridge.has(['$1', '$2']);
    });
}

for (const step of ['before_command', 'after_skip_commit']) {
  test_on_stores(`a kill at ${step} of a skip loses no element`, async (t) => {
    const { bridge, weir, meant } = await killed_at(t, step, 'skip',
      (txn) => ({ txn }));
    const done = step !== 'before_command';
    assert.equal((await commands(weir)).length, done ? 1 : 0);
    assert.deepEqual((await weir.dead_letters()).map((one) => one.event_id),
      done ? ['$1'] : []);
    assert.equal(await pinned(weir) === meant, !done);
    bridge.behaviour = answer(200);
    await order(weir, 'retry');
    await bridge.has(done ? ['$2'] : ['$1', '$2']);
  });
}

test('a kill at after_retry_commit of a retry leaves no stored back-off',
  async (t) => {
    const { weir } = await killed_at(t, 'after_retry_commit', 'retry',
      () => ({}));
    assert.equal((await commands(weir)).length, 1);
    await until('it is tried', async () =>
      (await weir.queue('bridge')).attempts > 0);
  });

test('the commands of the command line do the same', async (t) => {
  const { bridge, weir } = await owing(t, ['$1', '$2']);
  await until('a refusal', async () =>
    (await weir.queue('bridge')).attempts === 1);
  const says = async (...args) => {
    const { code, out, err } = await weir.command(...args);
    assert.equal(code, 0, `${args}: ${out}${err}`);
    return out;
  };
  assert.match(await says('explain', 'bridge'), /http_503/);
  assert.match(await says('pause', 'bridge', '--reason', 'the bridge moves',
    '--by', 'ada'), /^Paused/);
  const explained = await says('explain', 'bridge');
  assert.match(explained, /ada: the bridge moves\./);
  for (const line of explained.split('\n')) assert.ok(line.length <= 80, line);
  assert.match(await says('queues'), /bridge +paused/);
  const refused = await weir.command('retry', 'bridge');
  assert.equal(refused.code, 1);
  assert.match(refused.err, /paused/);
  assert.match(await says('resume', 'bridge'), /^Resumed/);
  bridge.behaviour = answer(200);
  assert.match(await says('skip', 'bridge', await pinned(weir)), /^Skipped/);
  await bridge.has(['$2']);
  const json = JSON.parse(await says('commands', '--json'));
  assert.deepEqual(json.commands.map((one) => one.verb),
    ['pause', 'resume', 'skip']);
  assert.ok(json.commands[1].by.length > 0);
  assert.match(await says('commands'), /ada +pause +appservice\/bridge/);
  assert.equal((await weir.command('explain', 'nobody')).code, 1);
});

test('weir drain shows what is in flight and ends with 0', async (t) => {
  const bridge = await t.bridge({ behaviour: slow(2500) });
  const weir = await t.weir({ bridges: [bridge] });
  const from = t.sender(weir, bridge);
  await from.send([message('$1')]);
  await bridge.sees(1);
  const drained = weir.command('drain', '--timeout', '30');
  await until('it drains', () =>
    weir.log().includes('draining'));
  assert.equal((await order(weir, 'pause')).body.errcode, 'ORG.WEIR.DRAINING');
  const { code, out } = await drained;
  assert.equal(code, 0, out);
  assert.match(out, /draining, 1 in flight/);
  assert.match(out, /drained, weir has ended/);
  const how = await within('the process ends', weir.child.exited, 20);
  assert.equal(how.code, 0);
  weir.child = undefined;
  assert.deepEqual(bridge.received, ['$1']);
});

/// Owes `$1` and `$2`, whose stored bytes somebody else has changed.
async function damaged(t) {
  const cluster = await t.postgresql();
  const { bridge, weir } = await owing(t, ['$1', '$2'],
    { store_url: cluster.url() });
  const meant = await pinned(weir);
  assert.equal((await order(weir, 'retire', { txn: meant })).body.errcode,
    'ORG.WEIR.NOT_DAMAGED');
  await weir.kill();
  await cluster.query("UPDATE outbox SET bytes = bytes || ' '");
  await weir.start();
  await until('the damage is known', async () =>
    await cause_of(weir) === 'damaged');
  bridge.behaviour = answer(200);
  return { cluster, bridge, weir, meant };
}

test('a damaged transaction is sent under another id when told to',
  async (t) => {
    const { bridge, weir, meant } = await damaged(t);
    await stays('nothing is sent', () => bridge.transactions.length === 1, 700);
    const done = await order(weir, 'retire', { txn: meant });
    assert.equal(done.status, 200, JSON.stringify(done.body));
    await bridge.has(['$1', '$2']);
    assert.equal(bridge.transactions.filter((one) => one.txn === meant).length,
      1);
  });

test('a damaged transaction is skipped, and what follows is sent',
  async (t) => {
    const { bridge, weir, meant } = await damaged(t);
    assert.equal((await order(weir, 'skip', { txn: meant })).status, 200);
    await bridge.has(['$2']);
    assert.deepEqual((await weir.dead_letters()).map((one) => one.event_id),
      ['$1']);
  });

test('a damaged transaction that was mended is sent after a retry',
  async (t) => {
    const { cluster, bridge, weir, meant } = await damaged(t);
    await order(weir, 'retry');
    await stays('it is damaged still', async () =>
      await cause_of(weir) === 'damaged', 700);
    await cluster.query('UPDATE outbox SET bytes = rtrim(bytes)');
    await order(weir, 'retry');
    await bridge.has(['$1', '$2']);
    assert.equal(bridge.transactions.filter((one) => one.txn === meant).length,
      2);
  });

test('a command while the store is away is refused or done, and explained',
  async (t) => {
    const cluster = await t.postgresql();
    const bridge = await t.bridge({ behaviour: for_transactions(answer(503)) });
    const weir = await t.weir({ bridges: [bridge], over: quick,
      store_url: cluster.url() });
    const from = t.sender(weir, bridge);
    await from.send([message('$1')]);
    await cluster.down('fast');
    await until('the cause is known', async () =>
      await cause_of(weir) === 'store_away', 60);
    const refused = await order(weir, 'pause');
    assert.equal(refused.status, 503);
    assert.equal(refused.body.errcode, 'ORG.WEIR.UNAVAILABLE');
    await cluster.up();
    await until('the store is back', async () =>
      ['refused', 'flowing', 'paused'].includes(await cause_of(weir)), 60);
    assert.equal((await commands(weir)).length,
      (await weir.queue('bridge')).state === 'paused' ? 1 : 0);
  });

await run();
