/// Realm events through the real binary to a scripted homeserver: each room
/// gets each once and in order, whatever is killed, refused or away.
import assert from 'node:assert/strict';
import { producer, rooms } from './lib/realms.mjs';
import { run, test, test_on_stores } from './lib/test.mjs';
import { until } from './lib/wait.mjs';

const realm = 'https://realms.example/team/';

/// A Weir with a producer, and rooms that its homeserver has.
async function lane(t, { over = {}, ...more } = {}) {
  const hs = await t.homeserver();
  const there = new rooms(hs);
  const weir = await t.weir({ bridges: [], hs, ...more,
    over: { ...producer.options(), ...over } });
  return { weir, there, from: new producer(weir) };
}

const numbers = (count) => Array.from({ length: count }, (_, i) => i);

test_on_stores('realms: events reach their rooms once and in order',
  async (t) => {
    const { weir, there, from } = await lane(t);
    const list = ['!a:example.org', '!b:example.org', '!c:example.org'];
    assert.equal((await from.audience(realm, list)).told.audience, 3);
    let last;
    for (const n of numbers(20)) {
      const got = await from.submit(realm, `k${n}`, { n });
      assert.equal(got.status, 202, got.text);
      last = got.told;
    }
    const told = await from.settled(realm, last.event_id);
    assert.equal(told.told.complete, true, told.text);
    assert.equal(told.told.delivered, 3);
    for (const room of list) {
      assert.deepEqual(there.in(room).map((one) => one.n), numbers(20));
    }
    assert.ok(there.in_flight_max <= 8, `${there.in_flight_max} in flight`);
    const status = await from.ask('GET',
      from.of(realm, `status?after=${told.told.token}`));
    assert.equal(status.told.queued_events, 0);
    assert.equal(status.told.delivered, 60);
    assert.equal(await weir.metric('weir_realms', { state: 'known' }), 1);
    assert.equal(await weir.metric('weir_realm_oldest_age_seconds', {}), 0);
    assert.equal(await weir.metric('weir_realm_events_total',
      { result: 'queued' }), 20);
    const again = await from.submit(realm, 'k3', { n: 3 });
    assert.equal(again.status, 200);
    assert.equal(again.told.replayed, true);
    const feed = await from.ask('GET', 'outcomes?limit=500');
    assert.equal(feed.told.outcomes.length, 60, feed.text);
    assert.ok(feed.told.outcomes.every((one) => one.outcome === 'delivered'));
    const listed = await weir.command('realms', 'list');
    assert.equal(listed.code, 0, listed.err);
    assert.match(listed.out, /realms\.example/);
  });

test_on_stores('realms: SIGKILL while events come and go loses none and sends none twice',
  { seconds: 240 }, async (t) => {
    const { weir, there, from } = await lane(t,
      { over: { homeserver: { pace: { sends_per_second: 200 } } } });
    const list = ['!a:example.org', '!b:example.org'];
    await from.audience(realm, list);
    there.takes_ms = 5;
    const count = 120;
    let ended = false;
    const killer = (async () => {
      for (let kills = 0; kills < 4 && !ended; kills += 1) {
        await new Promise((done) => { setTimeout(done, 300); });
        await weir.kill();
        await weir.start();
      }
    })();
    let last;
    for (const n of numbers(count)) {
      last = await from.submit_surely(realm, `k${n}`, { n });
    }
    ended = true;
    await killer;
    await until('the last event is over', async () =>
      (await from.settled(realm, last.event_id, 5_000)).told?.complete, 120);
    for (const room of list) {
      assert.deepEqual(there.in(room).map((one) => one.n), numbers(count));
    }
  });

test('realms: a homeserver that is away keeps events, and none is lost',
  async (t) => {
    const { there, from } = await lane(t);
    await from.audience(realm, ['!a:example.org']);
    let refusals = 0;
    there.refuse = () => {
      refusals += 1;
      return refusals <= 2 ? { status: 503, body: {} } : undefined;
    };
    const ids = [];
    for (const n of numbers(5)) {
      ids.push((await from.submit(realm, `k${n}`, { n })).told.event_id);
    }
    const told = await from.settled(realm, ids.at(-1), 50_000);
    assert.equal(told.told.complete, true, told.text);
    assert.deepEqual(there.in('!a:example.org').map((one) => one.n),
      numbers(5));
  });

test('realms: what one room refuses for good holds up no other', async (t) => {
  const { weir, there, from } = await lane(t);
  await from.audience(realm, ['!bad:example.org', '!good:example.org']);
  there.refuse = (room) => (room.startsWith('!bad')
    ? { status: 400, body: { errcode: 'M_BAD_JSON', error: 'no' } }
    : undefined);
  const { told } = await from.submit(realm, 'k', { n: 1 });
  const ended = await from.settled(realm, told.event_id);
  assert.equal(ended.told.complete, true, ended.text);
  assert.deepEqual(ended.told.rooms.map((one) => one.state),
    ['failed', 'delivered']);
  const letters = await weir.command('realms', 'dead-letters', realm);
  assert.match(letters.out, new RegExp(told.event_id));
  there.refuse = undefined;
  const sent = await weir.command('realms', 'redeliver', realm, told.event_id);
  assert.equal(sent.code, 0, sent.err);
  await until('it arrives', async () =>
    there.in('!bad:example.org').length === 1);
});

test('realms: a paused realm sends nothing until it is resumed', async (t) => {
  const { weir, there, from } = await lane(t);
  await from.audience(realm, ['!a:example.org']);
  const paused = await weir.command('realms', 'pause', realm, '--reason', 'x');
  assert.equal(paused.code, 0, paused.err);
  const { told } = await from.submit(realm, 'k', { n: 1 });
  const waits = await from.settled(realm, told.event_id, 1_000);
  assert.equal(waits.told.complete, false);
  assert.equal(there.events.length, 0);
  assert.match((await weir.command('realms', 'explain', realm)).out, /paused/);
  await weir.command('realms', 'resume', realm);
  const ended = await from.settled(realm, told.event_id);
  assert.equal(ended.told.complete, true, ended.text);
});

test('realms: many lines at once, each with its answer', async (t) => {
  const { there, from } = await lane(t);
  for (const name of ['one', 'two']) {
    await from.audience(name, [`!${name}:example.org`]);
  }
  const body = numbers(300).map((n) => JSON.stringify({
    realm: n % 2 ? 'one' : 'two', key: `k${n}`, type: 'app.test',
    content: { n } })).join('\n');
  const got = await from.ask('POST', 'events/bulk', body);
  const lines = got.text.trim().split('\n').map((one) => JSON.parse(one));
  assert.equal(lines.length, 300);
  assert.ok(lines.every((one, i) => one.line === i + 1 && one.status === 202));
  await until('all have arrived', async () => there.events.length === 300);
  assert.deepEqual(there.in('!one:example.org').map((one) => one.n),
    numbers(300).filter((n) => n % 2));
});

test('realms: who finds no room is told when there will be, by what leaves',
  async (t) => {
    const { there, from } = await lane(t,
      { over: { realms: { queued_bytes_max: '1MiB' },
        homeserver: { pace: { sends_per_second: 4 } } } });
    await from.audience(realm, ['!a:example.org']);
    const pad = 'x'.repeat(20_000);
    let refused;
    for (let n = 0; !refused && n < 500; n += 1) {
      const got = await from.submit(realm, `k${n}`, { n, pad });
      if (got.status !== 202) refused = got;
    }
    assert.equal(refused?.status, 429, refused?.text);
    // A minute is the answer as long as nothing leaves.
    let told = 60_000;
    await until('it is told by what leaves', async () => {
      const got = await from.submit(realm, 'late', { pad: 'x'.repeat(50_000) });
      if (got.status !== 429) return true;
      told = got.told.retry_after_ms;
      assert.equal(got.headers['retry-after'],
        String(Math.max(1, Math.ceil(told / 1000))));
      return told < 60_000;
    });
    assert.ok(told < 60_000, `${told} ms`);
  });

await run();
