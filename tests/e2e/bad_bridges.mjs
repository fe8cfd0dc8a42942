/// Bridges that refuse, are slow, ask to wait, choke or die.
import assert from 'node:assert/strict';
import { answer, at_most, die, hang, refuse_type, sequence, slow }
  from './lib/behaviours.mjs';
import { must_hold } from './lib/checkers.mjs';
import { message, messages } from './lib/events.mjs';
import { run, test } from './lib/test.mjs';
import { stays, until } from './lib/wait.mjs';

/// Milliseconds from the end of each transaction request to the next one.
function gaps(bridge) {
  const all = bridge.transactions;
  return all.slice(1).map((one, at) => one.began - all[at].ended);
}

test('g12 pauses grow to their ceiling and end with an acknowledgement',
  { seconds: 90 }, async (t) => {
    const bridge = await t.bridge({ behaviour: answer(503) });
    const weir = await t.weir({ bridges: [bridge], over: { appservices:
      { defaults: { backoff_first: '200ms', backoff_max: '1600ms' } } } });
    const from = t.sender(weir, bridge);
    await from.send([message('$a')]);
    await bridge.sees(8);
    // Jitter only ever lengthens a pause. 5 ms for two clocks.
    const floors = [195, 395, 795, 1595, 1595, 1595, 1595];
    gaps(bridge).slice(0, 7).forEach((gap, at) => {
      assert.ok(gap >= floors[at], `pause ${at} took ${gap} ms`);
    });
    bridge.behaviour = sequence([200, 503, 200]);
    await bridge.has(['$a']);
    await from.send([message('$b')]);
    await bridge.has(['$b']);
    const tries = bridge.transactions.filter((one) => one.events[0] === '$b');
    assert.equal(tries.length, 2);
    // Had the acknowledgement not ended the episode, this were over 1,600 ms.
    const gap = tries[1].began - tries[0].ended;
    assert.ok(gap >= 195 && gap < 1500, `the first pause took ${gap} ms`);
    must_hold({ accepted: from.accepted, records: bridge.transactions });
  });

const in_seconds = (seconds) =>
  new Date(Math.ceil(Date.now() / 1000 + seconds) * 1000).toUTCString();

for (const [form, refusal] of [
  ['in seconds', () => answer(429, '{}', { 'retry-after': '2' })],
  ['as a date', () => answer(503, '{}', { 'retry-after': in_seconds(2) })],
  ['as a date without a Date', () => async (record, reply) => {
    await record.arrived;
    reply.response.sendDate = false;
    reply.send(503, '{}', { 'retry-after': in_seconds(2) });
  }],
  ['in the body', () => answer(429,
    '{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":2000}')],
]) {
  test(`g12 a Retry-After ${form} is obeyed`, async (t) => {
    const bridge = await t.bridge();
    const weir = await t.weir({ bridges: [bridge] });
    bridge.behaviour = sequence([refusal(), 200]);
    const from = t.sender(weir, bridge);
    await from.send([message('$a')]);
    await bridge.has(['$a']);
    const [gap] = gaps(bridge);
    // 50 ms for what two clocks of one machine may differ by.
    assert.ok(gap >= 1950, `it took ${gap} ms`);
  });
}

test('g12 a Retry-After is obeyed across a kill -9', async (t) => {
  const bridge = await t.bridge({
    behaviour: sequence([answer(429, '{}', { 'retry-after': '6' }), 200]) });
  const weir = await t.weir({ bridges: [bridge] });
  const from = t.sender(weir, bridge);
  await from.send([message('$a')]);
  await bridge.sees(1);
  // It is kept across restarts once its commit is done, and the status of the
  // queue is published after the pause is.
  await until('the pause is stored', async () =>
    (await weir.queue('bridge'))?.state === 'resting');
  await weir.kill();
  await weir.start();
  await bridge.has(['$a']);
  const [gap] = gaps(bridge);
  assert.ok(gap >= 5900, `it took ${gap} ms`);
});

test('g15 a 413 splits under new ids and duplicates nothing', async (t) => {
  const bridge = await t.bridge({ behaviour: answer(503) });
  const weir = await t.weir({ bridges: [bridge] });
  const from = t.sender(weir, bridge);
  for (let n = 0; n < 8; n += 1) await from.send(messages(`n${n}_`, 10));
  bridge.behaviour = at_most(6_000);
  await bridge.has(from.accepted);
  const refused = new Set(bridge.transactions
    .filter((one) => one.status === 413).map((one) => one.txn));
  assert.ok(refused.size > 0);
  for (const one of bridge.acked) {
    assert.ok(!refused.has(one.txn), `${one.txn} was used again`);
  }
  must_hold({ accepted: from.accepted, records: bridge.transactions,
    replanned: true });
  const came = bridge.acked.flatMap((one) => one.events);
  assert.deepEqual(came, from.accepted);
});

test('g15 one event that is too large alone becomes a dead letter',
  async (t) => {
    const bridge = await t.bridge({ behaviour: at_most(6_000) });
    const weir = await t.weir({ bridges: [bridge] });
    const from = t.sender(weir, bridge);
    const big = message('$big', { content: { body: 'x'.repeat(9_000) } });
    await from.send([message('$before'), big, message('$after')]);
    await bridge.has(['$before', '$after']);
    const letters = await weir.dead_letters();
    assert.equal(letters.length, 1);
    assert.match(letters[0].reason, /413/);
  });

const poison = 'org.example.poison';

/// 1,000 events, one of which is of the poison type, in transactions of 50.
async function send_with_one_bad(from) {
  for (let n = 0; n < 20; n += 1) {
    const events = messages(`n${n}_`, 50);
    if (n === 13) events[17].type = poison;
    await from.send(events);
  }
}

const the_bad_one = '$n13_17';
const quick_poison = { backoff_first: '100ms', backoff_max: '200ms',
  request_timeout: '1s', rejections_before_bisect: 2, hangs_before_bisect: 2 };

for (const [kind, refusal] of [
  ['answers 400', () => answer(400, '{"errcode":"M_BAD_JSON"}')],
  ['answers 422', () => answer(422)],
  ['answers 500', () => answer(500, '<h1>Internal error</h1>')],
  ['hangs', () => hang()],
  ['dies', () => die(150)],
]) {
  test(`g16 one event in a thousand on which the bridge ${kind}`,
    { seconds: 150 }, async (t) => {
      const bridge = await t.bridge(
        { behaviour: refuse_type(poison, refusal()) });
      const weir = await t.weir({ bridges: [bridge],
        over: { appservices: { defaults: quick_poison } } });
      const from = t.sender(weir, bridge);
      await send_with_one_bad(from);
      const good = from.accepted.filter((id) => id !== the_bad_one);
      await bridge.has(good, 100);
      assert.ok(!bridge.received.includes(the_bad_one));
      must_hold({ accepted: good, sent: from.sent,
        records: bridge.transactions, replanned: true });
      await until('the bad event is listed', async () =>
        (await weir.dead_letters()).length > 0);
      const letters = await weir.dead_letters();
      assert.equal(letters.length, 1);
      const shown = await weir.command('dead-letters', 'show',
        String(letters[0].id));
      assert.equal(shown.code, 0, shown.err);
      assert.ok(shown.out.includes(the_bad_one));
    });
}

test('g16 with the policy block nothing passes a rejected event',
  { seconds: 90 }, async (t) => {
    const refusal = answer(400, '{"errcode":"M_BAD_JSON"}');
    const bridge = await t.bridge({ behaviour: refuse_type(poison, refusal) });
    const weir = await t.weir({ bridges: [bridge], over: { appservices: {
      defaults: quick_poison, overrides: { bridge: { poison: 'block' } } } } });
    const from = t.sender(weir, bridge);
    await send_with_one_bad(from);
    const place = from.accepted.indexOf(the_bad_one);
    await bridge.has(from.accepted.slice(0, place), 60);
    await until('the queue says that it is blocked', async () =>
      (await weir.queue('bridge'))?.state === 'blocked', 30);
    assert.equal(await weir.metric('weir_appservice_blocked',
      { appservice: 'bridge' }), 1);
    assert.match(weir.log(), / error appservice queue is blocked dest=bridge /);
    await stays('nothing passes', () =>
      bridge.received.length === place, 1000);
    assert.deepEqual(bridge.received, from.accepted.slice(0, place));
    assert.deepEqual(await weir.dead_letters(), []);
    // An operator repairs the bridge: a restart sends what was blocked.
    bridge.behaviour = answer(200);
    assert.equal((await weir.stop()).code, 0);
    await weir.start();
    await bridge.has(from.accepted);
    must_hold({ accepted: from.accepted, records: bridge.transactions,
      replanned: true });
  });

for (const status of [401, 403, 404]) {
  test(`g17 a bridge that answers ${status} loses nothing`, async (t) => {
    const bridge = await t.bridge({ behaviour: answer(status) });
    const weir = await t.weir({ bridges: [bridge],
      over: { appservices: { defaults: quick_poison } } });
    const from = t.sender(weir, bridge);
    await from.send(messages('a', 3));
    await bridge.sees(6);
    assert.equal(new Set(bridge.transactions.map((one) => one.txn)).size, 1);
    bridge.behaviour = answer(200);
    await bridge.has(from.accepted);
    must_hold({ accepted: from.accepted, records: bridge.transactions });
    assert.deepEqual(await weir.dead_letters(), []);
  });
}

test('g17 the legacy path is tried where that is allowed', async (t) => {
  const only_legacy = async (record, reply) => {
    await record.arrived;
    reply.send(record.target.startsWith('/_matrix') ? 404 : 200);
  };
  const allowed = await t.bridge({ id: 'allowed', behaviour: only_legacy });
  const strict = await t.bridge({ id: 'strict', behaviour: only_legacy });
  const weir = await t.weir({ bridges: [allowed, strict], over: { appservices:
    { overrides: { allowed: { legacy_paths: true } } } } });
  const from = t.sender(weir, allowed);
  await t.sender(weir, strict).send([message('$strict')]);
  await from.send([message('$a')]);
  await allowed.has(['$a']);
  await from.send([message('$b')]);
  await allowed.has(['$b']);
  assert.match(allowed.acked[0].target, /^\/transactions\/[^/]+$/);
  must_hold({ accepted: from.accepted, records: allowed.transactions });
  await strict.sees(4);
  for (const one of strict.transactions) {
    assert.match(one.target, /^\/_matrix\/app\/v1\/transactions\//);
  }
});

test('g18 a full queue holds its homeserver and no other queue',
  async (t) => {
    const full = await t.bridge({ id: 'full', behaviour: answer(503) });
    const other = await t.bridge({ id: 'other' });
    const weir = await t.weir({ bridges: [full, other], over: { appservices:
      { overrides: { full: { queue_events_max: 10 } } } } });
    const from = t.sender(weir, full);
    await from.send(messages('a', 10));
    let answered = false;
    const held = from.send(messages('b', 5)).then(() => { answered = true; });
    const beside = t.sender(weir, other);
    for (let n = 0; n < 10; n += 1) await beside.send([message(`$n${n}`)]);
    await other.has(beside.accepted);
    await stays('the request is held', () => !answered, 1500);
    assert.equal(from.failures, 0);
    full.behaviour = answer(200);
    await held;
    assert.equal(from.failures, 0, 'held, not refused');
    await full.has(from.accepted);
    must_hold({ accepted: from.accepted, records: full.transactions });
  });

test('g33 a slow bridge that works is left alone', { seconds: 90 },
  async (t) => {
    const bridge = await t.bridge({ behaviour: slow(12_000) });
    const weir = await t.weir({ bridges: [bridge],
      over: { appservices: { defaults: { request_timeout: '120s' } } } });
    const from = t.sender(weir, bridge);
    await from.send([message('$a')]);
    await from.send([message('$b')]);
    await bridge.has(['$a', '$b'], 60);
    assert.equal(bridge.transactions.length, 2);
    must_hold({ accepted: from.accepted, records: bridge.transactions });
  });

test('g33 a bridge that takes 90 s for each transaction is left alone',
  { seconds: 400, soak: true }, async (t) => {
    const bridge = await t.bridge({ behaviour: slow(90_000) });
    const weir = await t.weir({ bridges: [bridge],
      over: { appservices: { defaults: { request_timeout: '120s' } } } });
    const from = t.sender(weir, bridge);
    for (const id of ['$a', '$b', '$c']) await from.send([message(id)]);
    await bridge.has(['$a', '$b', '$c'], 330);
    assert.ok(bridge.transactions.length <= 3);
    must_hold({ accepted: from.accepted, records: bridge.transactions });
  });

await run();
