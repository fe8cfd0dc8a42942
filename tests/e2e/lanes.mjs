/// The lanes other than events: what is merged, what is dropped, what is kept,
/// and that events go first.
import assert from 'node:assert/strict';
import { answer } from './lib/behaviours.mjs';
import { altered, must_hold } from './lib/checkers.mjs';
import { message, messages } from './lib/events.mjs';
import { run, test, test_on_stores } from './lib/test.mjs';
import { stays, until } from './lib/wait.mjs';

const stable = 'ephemeral';
const unstable = 'de.sorunome.msc2409.ephemeral';
const lists = 'org.matrix.msc3202.device_lists';
const counts = 'org.matrix.msc3202.device_one_time_keys_count';
const misspelt = 'org.matrix.msc3202.device_one_time_key_counts';
const fallback = 'org.matrix.msc3202.device_unused_fallback_key_types';
const to_device = 'de.sorunome.msc2409.to_device';

const typing = (room, users) => ({
  type: 'm.typing', room_id: room, content: { user_ids: users },
});
const presence = (sender, how) => ({
  type: 'm.presence', sender, content: { presence: how },
});
const receipt = (room, user, event) => ({
  type: 'm.receipt', room_id: room,
  content: { [event]: { 'm.read': { [user]: { ts: 1 } } } },
});

/// What came under `key`, over all transactions that were acknowledged.
const came = (bridge, key) => bridge.acked
  .map((one) => JSON.parse(one.body)[key])
  .filter((value) => value !== undefined);

/// A bridge that is away, with one event pinned for it.
async function outage(t, over = {}) {
  const bridge = await t.bridge({ behaviour: answer(503) });
  const weir = await t.weir({ bridges: [bridge],
    over: { appservices: { defaults: over } } });
  const from = t.sender(weir, bridge);
  await from.send([message('$first')]);
  await bridge.sees(1);
  return { bridge, weir, from };
}

test('g21 after an outage ephemeral data is coalesced and comes after events',
  async (t) => {
    const { bridge, weir, from } = await outage(t);
    for (let n = 0; n < 150; n += 1) {
      await from.send([message(`$e${n}`)], { [stable]: [
        typing(`!r${n % 3}`, n % 2 ? [] : ['@u']),
        receipt(`!r${n % 3}`, `@u${n % 5}`, `$e${n}`),
        presence(`@u${n % 2}`, `${n}`),
      ] });
    }
    const metrics = await weir.admin('/metrics');
    assert.match(metrics.body,
      /weir_appservice_waiting_ephemeral\{appservice="bridge"\} 20\n/);
    assert.match(metrics.body,
      /weir_appservice_merged_elements_total\{appservice="bridge"\} 430\n/);
    bridge.behaviour = answer(200);
    await bridge.has(from.accepted);
    await until('ephemeral data comes', () => came(bridge, stable).length > 0);
    const items = came(bridge, stable);
    assert.equal(items.length, 1, 'one burst');
    assert.equal(items[0].length, 20);
    const last = bridge.acked.at(-1);
    assert.ok(stable in JSON.parse(last.body));
    for (let n = 135; n < 150; n += 1) {
      assert.ok(items[0].some((one) => one.type === 'm.receipt'
        && one.content[`$e${n}`]?.['m.read'][`@u${n % 5}`]), `receipt ${n}`);
    }
    assert.deepEqual(items[0].filter((one) => one.type === 'm.presence')
      .map((one) => one.content.presence).sort(), ['148', '149']);
    must_hold({ accepted: from.accepted, records: bridge.transactions });
  });

test('g21 after an outage old ephemeral data does not come', async (t) => {
  const { bridge, from } = await outage(t, { typing_max_age: '1s' });
  await from.send([message('$a')], { [stable]: [
    typing('!r', ['@u']), receipt('!r', '@u', '$a'),
  ] });
  await stays('the bridge is away until typing is old',
    () => bridge.acked.length === 0, 1100);
  await from.send([message('$b')], { [stable]: [typing('!s', ['@u'])] });
  bridge.behaviour = answer(200);
  await bridge.has(from.accepted);
  await until('ephemeral data comes', () => came(bridge, stable).length > 0);
  assert.deepEqual(came(bridge, stable),
    [[receipt('!r', '@u', '$a'), typing('!s', ['@u'])]]);
});

test('g21 what waits of ephemeral data is bounded', async (t) => {
  const { bridge, weir, from } = await outage(t, { ephemeral_max: 5 });
  for (let n = 0; n < 30; n += 1) {
    await from.send([message(`$e${n}`)], { [stable]: [typing(`!r${n}`, [])] });
  }
  const metrics = await weir.admin('/metrics');
  assert.match(metrics.body,
    /weir_appservice_dropped_ephemeral_total\{appservice="bridge"\} 25\n/);
  bridge.behaviour = answer(200);
  await bridge.has(from.accepted);
  await until('ephemeral data comes', () => came(bridge, stable).length > 0);
  assert.deepEqual(came(bridge, stable).flat().map((one) => one.room_id),
    ['!r25', '!r26', '!r27', '!r28', '!r29']);
});

test_on_stores('g22 to-device survives an outage and a kill, in order, once',
  { seconds: 90 }, async (t) => {
    const { bridge, weir, from } = await outage(t);
    const sent = [];
    for (let n = 0; n < 120; n += 1) {
      const device = `D${n % 3}`;
      const items = [0, 1].map((at) => ({
        type: 'm.room.encrypted', to_user_id: '@b:x', to_device_id: device,
        content: { n: 2 * n + at },
      }));
      sent.push(...items);
      await from.send(n % 10 ? [] : [message(`$e${n}`)],
        { [to_device]: items });
      if (n % 40 === 39) {
        weir.child.kill('SIGKILL');
        await weir.kill();
        await weir.start();
      }
    }
    bridge.behaviour = answer(200);
    const got = () => came(bridge, to_device).flat();
    await until('all to-device messages come',
      () => got().length >= sent.length, 60);
    assert.deepEqual(got(), sent);
    for (const one of bridge.acked) {
      assert.ok(one.to_device.length <= 100);
    }
    assert.deepEqual(altered(bridge.transactions), []);
  });

test_on_stores('g23 of key counts, fallback keys and device lists the last ' +
  'word comes', { seconds: 60 }, async (t) => {
  const { bridge, weir, from } = await outage(t);
  const device = (value) => ({ '@b:x': { D: value } });
  const rounds = [
    { [lists]: { changed: ['@c:x', '@d:x'], left: [] } },
    { [counts]: device({ signed_curve25519: 9 }),
      [misspelt]: device({ signed_curve25519: 9 }),
      [fallback]: device(['signed_curve25519']) },
    { [counts]: { '@b:x': { E: { signed_curve25519: 1 } } } },
    { [lists]: { changed: ['@e:x'], left: ['@c:x'] } },
    { [counts]: device({ signed_curve25519: 4 }),
      [misspelt]: device({ signed_curve25519: 4 }),
      [fallback]: device([]) },
  ];
  for (const [n, extra] of rounds.entries()) {
    await from.send([message(`$e${n}`)], extra);
  }
  weir.child.kill('SIGKILL');
  await weir.kill();
  await weir.start();
  bridge.behaviour = answer(200);
  await bridge.has(from.accepted);
  assert.deepEqual(came(bridge, lists),
    [{ changed: ['@d:x', '@e:x'], left: ['@c:x'] }]);
  assert.deepEqual(came(bridge, counts), [{ '@b:x': {
    D: { signed_curve25519: 4 }, E: { signed_curve25519: 1 } } }]);
  assert.deepEqual(came(bridge, misspelt), [device({ signed_curve25519: 4 })]);
  assert.deepEqual(came(bridge, fallback), [device([])]);
  must_hold({ accepted: from.accepted, records: bridge.transactions });
});

test('g23 what is pinned keeps its word when a later one comes', async (t) => {
  const bridge = await t.bridge({ behaviour: answer(503) });
  const weir = await t.weir({ bridges: [bridge] });
  const from = t.sender(weir, bridge);
  const round = (left) => ({
    [lists]: left ? { changed: [], left: ['@c:x'] }
      : { changed: ['@c:x'], left: [] },
    [stable]: [typing('!r', left ? [] : ['@u'])],
  });
  await from.send([message('$a')], round(false));
  await bridge.sees(1);
  await from.send([message('$b')], round(true));
  await bridge.sees(bridge.transactions.length + 1);
  bridge.behaviour = answer(200);
  await bridge.has(from.accepted);
  assert.deepEqual(came(bridge, lists),
    [round(false)[lists], round(true)[lists]]);
  assert.deepEqual(came(bridge, stable),
    [round(false)[stable], round(true)[stable]]);
  must_hold({ accepted: from.accepted, records: bridge.transactions });
});

for (const [name, key] of [['stable', stable], ['unstable', unstable]]) {
  test(`g24 mirrored, ${name} ephemeral data comes under both keys`,
    async (t) => {
      const bridge = await t.bridge({ behaviour: answer(503) });
      const weir = await t.weir({ bridges: [bridge], over: { appservices:
        { overrides: { bridge: { mirror_ephemeral: true } } } } });
      const from = t.sender(weir, bridge);
      const items = [typing('!r', ['@u']), { odd: 1 }];
      await from.send(messages('a', 1), { [key]: items });
      await bridge.sees(1);
      bridge.behaviour = answer(200);
      await bridge.has(from.accepted);
      assert.deepEqual(came(bridge, stable), [items]);
      assert.deepEqual(came(bridge, unstable), [items]);
      must_hold({ accepted: from.accepted, records: bridge.transactions });
    });
}

test('g24 a pin keeps its spelling when the setting is changed', async (t) => {
  const bridge = await t.bridge({ behaviour: answer(503) });
  const weir = await t.weir({ bridges: [bridge] });
  const from = t.sender(weir, bridge);
  await from.send([message('$a')], { [stable]: [typing('!r', ['@u'])] });
  await bridge.sees(1);
  await weir.kill();
  weir.over = { appservices: { defaults: { mirror_ephemeral: true } } };
  await weir.write_files();
  await weir.start();
  await from.send([message('$b')], { [stable]: [typing('!s', ['@u'])] });
  bridge.behaviour = answer(200);
  await bridge.has(from.accepted);
  assert.deepEqual(came(bridge, unstable), [[typing('!s', ['@u'])]]);
  assert.deepEqual(came(bridge, stable),
    [[typing('!r', ['@u'])], [typing('!s', ['@u'])]]);
  must_hold({ accepted: from.accepted, records: bridge.transactions });
});

await run();
