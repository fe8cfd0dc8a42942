/// The end of a bridge: what is kept of it is exported and deleted, it may come
/// back and starts clean, and a kill in the middle loses no row to nobody.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { answer, for_transactions, refuse_type } from './lib/behaviours.mjs';
import { is_reached } from './lib/campaign.mjs';
import { message, messages } from './lib/events.mjs';
import { run, test, test_on_stores } from './lib/test.mjs';
import { until } from './lib/wait.mjs';

const quick = { backoff_first: '50ms', backoff_max: '100ms' };
const bad = (id) => message(id, { type: 'org.example.bad' });

/// A bridge with a dead letter, a quarantined body and `count` events owed; and
/// another that stays.
async function a_weir_with_much(t, count, more = {}) {
  const bridge = await t.bridge({ behaviour: refuse_type('org.example.bad',
    answer(400, '{"errcode":"M_BAD_JSON"}')) });
  const other = await t.bridge({ id: 'other' });
  const weir = await t.weir({ bridges: [bridge, other],
    over: { appservices: { defaults: quick } }, ...more });
  const from = t.sender(weir, bridge);
  await from.send([message('$good')]);
  await from.send([bad('$bad')]);
  await until('the letter is dead', async () =>
    (await weir.dead_letters()).length === 1, 60);
  assert.equal((await from.once('odd', '{"events":"none"}')).status, 400);
  bridge.behaviour = for_transactions(answer(503));
  for (let n = 0; n < count; n += 100) {
    await from.send(messages('$owed', Math.min(100, count - n), n));
  }
  await until('it is owed', async () =>
    (await weir.queue('bridge')).depth_events === count);
  return { bridge, other, weir, from };
}

async function use(weir, bridges) {
  for (const one of weir.bridges) {
    fs.rmSync(path.join(weir.folder, 'bridges', `${one.id}.yaml`));
  }
  weir.bridges = bridges;
  await weir.write_files();
  const done = await weir.command('reload');
  assert.equal(done.code, 0, JSON.stringify(done));
}

const lines_of = (file) => fs.readFileSync(file, 'utf8').trimEnd().split('\n')
  .map((line) => JSON.parse(line));

test_on_stores('g19 what is kept of a removed bridge is exported, deleted, ' +
  'and the bridge may come back and starts clean', { seconds: 180 },
async (t) => {
  const { bridge, other, weir, from } = await a_weir_with_much(t, 700);
  const refused = await weir.command('remove', 'bridge');
  assert.equal(refused.code, 1);
  assert.match(refused.err, /409.*The configuration names it/);
  const ids_before = bridge.transactions.map((one) => one.txn);
  await use(weir, [other]);
  const file = path.join(weir.folder, 'bridge.ndjson');
  const done = await weir.command('remove', 'bridge', '--export', file,
    '--by', 'ada');
  assert.equal(done.code, 0, JSON.stringify(done));
  assert.match(done.out, /^removed, \d+ rows; 702 elements are in /);
  assert.match(done.err, /200 exported, going on/);
  assert.match(done.err, /rows deleted, going on/);
  assert.equal(fs.statSync(file).mode & 0o777, 0o600);
  const lines = lines_of(file);
  const owed = lines.filter((one) => one.type === 'owed');
  assert.deepEqual(owed.map((one) => JSON.parse(one.content).event_id),
    messages('$owed', 700).map((one) => one.event_id));
  const [letter] = lines.filter((one) => one.type === 'dead_letter');
  assert.equal(JSON.parse(letter.content).event_id, '$bad');
  const [body] = lines.filter((one) => one.type === 'quarantined');
  assert.equal(Buffer.from(body.body_base64, 'base64').toString(),
    '{"events":"none"}');
  assert.deepEqual(await weir.dead_letters(), []);
  assert.match((await weir.command('quarantine', 'list')).out, /nothing/);
  assert.equal(await weir.queue('bridge'), undefined);
  assert.match((await weir.command('commands')).out, /ada +remove/);
  const gone = await weir.command('remove', 'bridge');
  assert.equal(gone.code, 1);
  assert.match(gone.err, /not found: Nothing is kept of it/);

  await use(weir, [bridge, other]);
  bridge.behaviour = answer(200);
  // The very transaction of before is a new one.
  await from.send([message('$good')]);
  await until('it is delivered', async () =>
    (await weir.queue('bridge')).delivered_events === 1);
  const now = bridge.transactions.at(-1);
  assert.equal(now.status, 200);
  assert.ok(!ids_before.includes(now.txn), `${now.txn} was used before`);
});

for (const step of ['before_removal', 'after_removal_commit']) {
  test_on_stores(`g19 SIGKILL at ${step} leaves a removal that goes on`,
    { seconds: 180 }, async (t) => {
      const { other, weir } = await a_weir_with_much(t, 700,
        { stoppable: true });
      await use(weir, [other]);
      await weir.stop();
      const file = path.join(weir.folder, 'stopped');
      await weir.start({ env: { WEIR_STOP_AT: `${step}:1`,
        WEIR_STOP_FILE: file } });
      weir.admin('/_weir/admin/v1/appservices/bridge/remove',
        { method: 'POST' });
      await until(`${step} is reached`, () => is_reached(file));
      await weir.kill();
      fs.rmSync(file);
      await weir.start();
      const begun = (await weir.queue('bridge')) === undefined;
      assert.equal(begun, step === 'after_removal_commit');
      const done = await weir.command('remove', 'bridge', '--json');
      assert.equal(done.code, 0, JSON.stringify(done));
      assert.ok(JSON.parse(done.out).rows > (begun ? 200 : 700), done.out);
      assert.deepEqual(await weir.dead_letters(), []);
      assert.equal(await weir.queue('bridge'), undefined);
    });
}

/// What the database takes, in bytes, when it has given back what it can.
async function disk_of(t, weir) {
  if (t.store_kind === 'sqlite') {
    return ['', '-wal'].map((suffix) => `${weir.folder}/weir.db${suffix}`)
      .filter((file) => fs.existsSync(file))
      .reduce((sum, file) => sum + fs.statSync(file).size, 0);
  }
  // As its own cleaner would, without waiting for it.
  await t.cluster.query('VACUUM');
  const [bytes] = await t.cluster.query(
    'SELECT pg_database_size(current_database())');
  return Number(bytes);
}

test_on_stores('g19 the rows and the disk space of a removed bridge go, and ' +
  'none of another', { seconds: 240 }, async (t) => {
  const refusing = for_transactions(answer(503));
  const [bridge, other] = [await t.bridge({ behaviour: refusing }),
    await t.bridge({ id: 'other', behaviour: refusing })];
  const weir = await t.weir({ bridges: [bridge, other],
    over: { appservices: { defaults: quick } } });
  const kept = t.sender(weir, other);
  await kept.send(messages('kept', 50));
  const before = await disk_of(t, weir);
  const from = t.sender(weir, bridge);
  // Nothing that could be compressed. A minute gives back more than that.
  const big = () => ({ content: { body: randomBytes(10_000).toString('hex') } });
  for (let n = 0; n < 3; n += 1) {
    await from.send(Array.from({ length: 100 },
      (_, at) => message(`$big${n}_${at}`, big())));
  }
  const full = await disk_of(t, weir);
  assert.ok(full - before > 5e6, `${before} bytes became ${full}`);
  await use(weir, [other]);
  const done = await weir.command('remove', 'bridge');
  assert.equal(done.code, 0, JSON.stringify(done));
  let now = full;
  await until(() => `the space is given back: ${before} bytes before, ` +
    `${full} at most, ${now} now`, async () => {
    now = await disk_of(t, weir);
    return now - before < (full - before) / 5;
  }, 130);
  other.behaviour = answer(200);
  await other.has(kept.accepted);
});

test('what came after an export is not deleted', async (t) => {
  const { other, weir } = await a_weir_with_much(t, 3);
  await use(weir, [other]);
  const page = (after) => weir.admin(
    `/_weir/admin/v1/appservices/bridge/export?after=${after}`);
  let after = '';
  let last = {};
  do {
    const { body } = await page(after);
    last = JSON.parse(body.trimEnd().split('\n').at(-1));
    after = last.next;
  } while (last.type === 'page');
  const [letter] = await weir.dead_letters();
  await weir.command('dead-letters', 'drop', String(letter.id));
  const refused = await weir.admin(
    `/_weir/admin/v1/appservices/bridge/remove?mark=${last.mark}`,
    { method: 'POST' });
  assert.equal(refused.status, 409, refused.body);
  assert.equal(JSON.parse(refused.body).errcode, 'ORG.WEIR.CHANGED');
  assert.equal((await weir.queue('bridge')).depth_events, 3);
});

await run();
