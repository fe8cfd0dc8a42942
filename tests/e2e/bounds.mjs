/// Queues at their bounds: the oldest are kept aside, or the homeserver is
/// held; alarms before; nobody else notices.
import assert from 'node:assert/strict';
import { answer } from './lib/behaviours.mjs';
import { must_hold } from './lib/checkers.mjs';
import { messages } from './lib/events.mjs';
import { run, test, test_on_stores } from './lib/test.mjs';
import { until } from './lib/wait.mjs';

const oldest_go = (more) => ({ appservices: {
  defaults: { queue_overflow: 'dead_letter_oldest',
    max_transaction_events: 2 },
  overrides: { full: { queue_events_max: 5, ...more } } } });

async function status_of(weir, id) {
  const got = await weir.admin('/_weir/admin/v1/status');
  return JSON.parse(got.body).appservices.find((one) => one.id === id);
}

async function letters_of(weir) {
  const got = await weir.admin('/_weir/admin/v1/dead-letters?limit=200');
  return JSON.parse(got.body).dead_letters;
}

test_on_stores('g18 at its bound the oldest above the pin are kept aside',
  async (t) => {
    const bridge = await t.bridge({ id: 'full', behaviour: answer(503) });
    const other = await t.bridge({ id: 'other' });
    const weir = await t.weir({ bridges: [bridge, other],
      over: oldest_go() });
    const from = t.sender(weir, bridge);
    const beside = t.sender(weir, other);
    for (let n = 0; n < 20; n += 1) {
      await from.send(messages('a', 1, n));
      await beside.send(messages('b', 1, n));
    }
    await other.has(beside.accepted);
    // The pin has the first, the queue's bound the last ones.
    const kept = ['$a0', '$a16', '$a17', '$a18', '$a19'];
    const given_up = Array.from({ length: 15 }, (_, n) => `$a${n + 1}`);
    const letters = await letters_of(weir);
    assert.deepEqual(letters.map((one) => one.event_id), given_up);
    for (const one of letters) {
      assert.equal(one.reason, 'queue_full');
      assert.equal(one.appservice, 'full');
    }
    const shown = await status_of(weir, 'full');
    assert.equal(shown.depth_events, 5);
    assert.equal(shown.overflowed, 15);
    assert.equal(shown.near_bounds, 'events');
    assert.equal((await status_of(weir, 'other')).overflowed, 0);
    bridge.behaviour = answer(200);
    await bridge.has(kept);
    assert.deepEqual(bridge.received, kept);
    must_hold({ accepted: kept, records: bridge.transactions });
    must_hold({ accepted: beside.accepted, records: other.transactions });
  });

test('g18 an alarm comes before the bound, once, and has an end', async (t) => {
  const bridge = await t.bridge({ id: 'full', behaviour: answer(503) });
  const weir = await t.weir({ bridges: [bridge],
    over: oldest_go({ queue_events_max: 10 }) });
  const from = t.sender(weir, bridge);
  const near = () => weir.metric('weir_appservice_near_bound',
    { appservice: 'full' });
  for (let n = 0; n < 7; n += 1) await from.send(messages('a', 1, n));
  assert.equal(await near(), 0);
  await from.send(messages('a', 2, 7));
  assert.equal(await near(), 1);
  const told = () =>
    weir.log().split('queue is near its bound appservice=full').length - 1;
  assert.equal(told(), 1);
  bridge.behaviour = answer(200);
  await bridge.has(from.accepted);
  await until('the alarm ends', async () => await near() === 0);
  assert.equal(told(), 1);
  assert.match(weir.log(), /queue is below its bounds appservice=full/);
});

test('g18 events that waited too long are kept aside, those in a transaction '
  + 'are sent', async (t) => {
  const bridge = await t.bridge({ id: 'full', behaviour: answer(503) });
  const weir = await t.weir({ bridges: [bridge],
    over: oldest_go({ queue_events_max: 1000, queue_age_max: '2s' }) });
  const from = t.sender(weir, bridge);
  await from.send(messages('old', 5));
  const began = Date.now();
  await until('they are old', () => Date.now() - began > 2500);
  await from.send(messages('new', 2));
  bridge.behaviour = answer(200);
  const wanted = ['$old0', '$old1', '$new0', '$new1'];
  await bridge.has(wanted);
  assert.deepEqual(bridge.received, wanted);
  const letters = await letters_of(weir);
  assert.deepEqual(letters.map((one) => one.event_id),
    ['$old2', '$old3', '$old4']);
  assert.equal(letters[0].reason, 'too_old');
});

await run();
