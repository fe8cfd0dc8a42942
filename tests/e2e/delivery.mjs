/// What was accepted arrives: once, in order, byte for byte (G1 to G4).
import assert from 'node:assert/strict';
import { answer, fail_at_random, hang, reset_after_reading,
  reset_before_reading, sequence, slow, verdictless_failures }
  from './lib/behaviours.mjs';
import { altered, must_hold, overlapping } from './lib/checkers.mjs';
import { message, messages } from './lib/events.mjs';
import { random_source } from './lib/random.mjs';
import { run, test, test_on_stores } from './lib/test.mjs';
import { until } from './lib/wait.mjs';

test_on_stores('g01 a 200 survives a kill -9 that follows it', async (t) => {
  const bridge = await t.bridge();
  const weir = await t.weir({ bridges: [bridge] });
  const from = t.sender(weir, bridge);
  for (let round = 0; round < 5; round += 1) {
    await from.send(messages('r', 3, round * 3));
    weir.child.kill('SIGKILL');
    await weir.kill();
    await weir.start();
  }
  await bridge.has(from.accepted);
  must_hold({ accepted: from.accepted, records: bridge.transactions });
});

test_on_stores('g03 a retry has the same id and the same bytes',
  { seconds: 90 }, async (t) => {
    const bridge = await t.bridge({
      behaviour: sequence([500, hang(), reset_before_reading(),
        reset_after_reading(), 503]),
    });
    const weir = await t.weir({
      bridges: [bridge],
      over: { appservices: { defaults: { request_timeout: '1s' } } },
    });
    const from = t.sender(weir, bridge);
    await from.send(messages('a', 3), { 'org.example.odd': [1e2, '\u00e9'] });
    await bridge.sees(5);
    await weir.kill();
    await weir.start();
    const before = bridge.transactions.length;
    await bridge.sees(before + 1);
    bridge.behaviour = answer(200);
    await bridge.has(from.accepted);
    const tries = bridge.transactions.filter((one) => one.whole);
    assert.ok(tries.length >= 6);
    assert.equal(new Set(tries.map((one) => one.txn)).size, 1);
    assert.equal(new Set(tries.map((one) => one.sha)).size, 1);
    must_hold({ accepted: from.accepted, records: bridge.transactions });
  });

test('g04 what comes during an outage never joins an id already sent',
  async (t) => {
    const bridge = await t.bridge({ behaviour: answer(503) });
    const weir = await t.weir({ bridges: [bridge] });
    const from = t.sender(weir, bridge);
    await from.send(messages('first', 2));
    await bridge.sees(1);
    for (let n = 0; n < 5; n += 1) {
      await from.send(messages('later', 4, n * 4));
    }
    await bridge.sees(bridge.transactions.length + 1);
    // From here on its bytes are made anew from the store.
    await weir.kill();
    await weir.start();
    await bridge.sees(bridge.transactions.length + 1);
    bridge.behaviour = answer(200);
    await bridge.has(from.accepted);
    const [first] = bridge.transactions;
    assert.deepEqual(first.events, ['$first0', '$first1']);
    for (const one of bridge.transactions) {
      if (one.txn === first.txn) assert.equal(one.sha, first.sha);
    }
    must_hold({ accepted: from.accepted, records: bridge.transactions });
  });

test('g05 the same id and events with another age is one delivery',
  async (t) => {
    const bridge = await t.bridge();
    const weir = await t.weir({ bridges: [bridge],
      over: { appservices: { defaults: { dedupe_events: false } } } });
    const from = t.sender(weir, bridge);
    const aged = (age) => ({
      events: messages('a', 3, 0, { unsigned: { age } }),
      ...(age === 1 ? { ephemeral: [{ type: 'm.typing', content: {} }] } : {}),
    });
    for (const age of [1, 2000, 90000]) {
      assert.equal((await from.once(7, aged(age))).status, 200);
    }
    await from.once(8, { events: [message('$marker')] });
    await bridge.has(['$marker']);
    assert.deepEqual(bridge.acked.flatMap((one) => one.events),
      ['$a0', '$a1', '$a2', '$marker']);
  });

test('g05 a retry that lost some of its events is no new transaction',
  async (t) => {
    const bridge = await t.bridge();
    const weir = await t.weir({ bridges: [bridge],
      over: { appservices: { defaults: { dedupe_events: false } } } });
    const from = t.sender(weir, bridge);
    const [first, second, third] = messages('a', 3);
    for (const events of [[first, second, third], [first, third], []]) {
      assert.equal((await from.once(7, { events })).status, 200);
    }
    await from.once(8, { events: [message('$marker')] });
    await bridge.has(['$marker']);
    assert.deepEqual(bridge.acked.flatMap((one) => one.events),
      ['$a0', '$a1', '$a2', '$marker']);
  });

test('g06 the same id with other events delivers both', async (t) => {
  const bridge = await t.bridge();
  const weir = await t.weir({ bridges: [bridge] });
  const from = t.sender(weir, bridge);
  assert.equal((await from.once(1, { events: messages('a', 2) })).status, 200);
  assert.equal((await from.once(1, { events: messages('b', 2) })).status, 200);
  const to_device = [{ type: 'm.room_key', content: { n: 1 } }];
  const keys = { events: [], 'de.sorunome.msc2409.to_device': to_device };
  assert.equal((await from.once(1, keys)).status, 200);
  await bridge.has(['$a0', '$a1', '$b0', '$b1']);
  await until('the to-device message arrives', () => bridge.acked.some(
    (one) => JSON.parse(one.body)['de.sorunome.msc2409.to_device']?.length));
  must_hold({ accepted: ['$a0', '$a1', '$b0', '$b1'],
    records: bridge.transactions });
});

for (const window of [true, false]) {
  const times = window ? 'once with the window on' : 'twice with it off';
  test(`g07 the same events under a new id are delivered ${times}`,
    async (t) => {
      const bridge = await t.bridge();
      const weir = await t.weir({ bridges: [bridge],
        over: { appservices: { defaults: { dedupe_events: window } } } });
      const from = t.sender(weir, bridge);
      const events = messages('a', 2);
      for (const txn of [1, 2]) {
        assert.equal((await from.once(txn, { events })).status, 200);
      }
      await from.once(3, { events: [message('$marker')] });
      await bridge.has(['$marker']);
      const came = bridge.acked.flatMap((one) => one.events);
      assert.deepEqual(came, window ? ['$a0', '$a1', '$marker']
        : ['$a0', '$a1', '$a0', '$a1', '$marker']);
    });
}

test_on_stores('g09 order is the order of commit over 50 rooms and failures',
  { seconds: 180 }, async (t) => {
    const random = new random_source(9);
    const bridge = await t.bridge({
      behaviour: fail_at_random(random, 0.05, verdictless_failures()),
    });
    const weir = await t.weir({ bridges: [bridge] });
    const from = t.sender(weir, bridge);
    for (let n = 0; n < 1000; n += 1) {
      const room = `!room${random.between(1, 50)}:example.org`;
      await from.send(messages(`n${n}_`, random.between(1, 3), 0,
        { room_id: room }));
    }
    await bridge.has(from.accepted, 60);
    must_hold({ accepted: from.accepted, records: bridge.transactions });
  });

test('g10 at most one request is in flight', { seconds: 90 }, async (t) => {
  const random = new random_source(10);
  const failures = [hang(), reset_after_reading(), slow(700, answer(503))];
  const bridge = await t.bridge({
    behaviour: fail_at_random(random, 0.08, failures, slow(15)),
  });
  const weir = await t.weir({
    bridges: [bridge],
    over: { appservices: { defaults:
      { request_timeout: '1s', hangs_before_bisect: 50 } } },
  });
  // Eight connections at once: only the bridge's side is one by one.
  const senders = Array.from({ length: 8 },
    (_, n) => t.sender(weir, bridge, 1000 * (n + 1)));
  await Promise.all(senders.map(async (from, n) => {
    for (let at = 0; at < 25; at += 1) {
      await from.send([message(`$s${n}_${at}`)]);
    }
  }));
  const accepted = senders.flatMap((from) => from.accepted);
  assert.equal(accepted.length, 200);
  await bridge.has(accepted, 60);
  assert.deepEqual(overlapping(bridge.transactions), []);
  assert.deepEqual(altered(bridge.transactions), []);
  for (const from of senders) {
    const own = new Set(from.accepted);
    const records = bridge.transactions.map((one) => ({ ...one,
      events: one.events?.filter((id) => own.has(id)) ?? null }));
    must_hold({ accepted: from.accepted, records });
  }
});

test('g14 a backlog drains in full batches', { seconds: 120 }, async (t) => {
  const bridge = await t.bridge();
  await bridge.stop();
  const weir = await t.weir({ bridges: [bridge] });
  const from = t.sender(weir, bridge);
  for (let n = 0; n < 400; n += 1) {
    await from.send(messages(`n${n}_`, 25));
  }
  await bridge.start();
  await bridge.has(from.accepted, 60);
  for (const one of bridge.transactions) {
    assert.ok(one.events.length <= 100, `${one.events.length} events`);
    assert.ok(one.body.length <= 4_000_000, `${one.body.length} bytes`);
  }
  // The first transaction was pinned alone; the other 9,975 fill 100 each.
  const count = bridge.acked.length;
  assert.ok(count >= 100 && count <= 105, `${count} requests`);
  must_hold({ accepted: from.accepted, records: bridge.transactions });
});

test('g14 the byte cap of the appservice bounds a transaction', async (t) => {
  const cap = 20_000;
  const bridge = await t.bridge({ behaviour: answer(503) });
  const weir = await t.weir({ bridges: [bridge], over: { appservices:
    { overrides: { bridge: { max_transaction_bytes: cap } } } } });
  const from = t.sender(weir, bridge);
  for (let n = 0; n < 10; n += 1) {
    await from.send(messages(`n${n}_`, 10, 0,
      { content: { body: 'x'.repeat(2000) } }));
  }
  const big = message('$big', { content: { body: 'x'.repeat(3 * cap) } });
  await from.send([big, message('$after')]);
  bridge.behaviour = answer(200);
  await bridge.has(from.accepted);
  for (const one of bridge.transactions) {
    if (one.events.includes('$big')) assert.deepEqual(one.events, ['$big']);
    else assert.ok(one.body.length <= cap, `${one.body.length} bytes`);
  }
  must_hold({ accepted: from.accepted, records: bridge.transactions });
});

await run();
