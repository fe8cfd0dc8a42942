/// The second door: events by their stream orderings, each delivered once
/// whatever is cut, killed or handed in again.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { must_hold } from './lib/checkers.mjs';
import { named_steps } from './lib/campaign.mjs';
import { answer } from './lib/behaviours.mjs';
import { message } from './lib/events.mjs';
import { raw_connection, request_text } from './lib/raw_http.mjs';
import { door_of, hand_in } from './lib/second_door.mjs';
import { run, test, test_on_stores } from './lib/test.mjs';
import { stays, until } from './lib/wait.mjs';

const id_of = (ordering) => `$o${ordering}`;

function body_of(...orderings) {
  return JSON.stringify({ events: orderings.map((n) =>
    ({ stream_ordering: n, event: message(id_of(n)) })) });
}

async function taken(weir, bridge, ...orderings) {
  const got = await hand_in(weir, bridge, body_of(...orderings));
  assert.equal(got.status, 200, got.body);
  return JSON.parse(got.body);
}

async function status_of(weir) {
  const got = await weir.admin('/_weir/admin/v1/status');
  return JSON.parse(got.body).appservices[0];
}

test_on_stores('second door: handed in again, delivered once', async (t) => {
  const bridge = await t.bridge();
  const weir = await t.weir({ bridges: [bridge] });
  assert.deepEqual(await taken(weir, bridge, 10, 20),
    { accepted: 2, duplicates: 0 });
  await bridge.has([id_of(10), id_of(20)]);
  assert.deepEqual(await taken(weir, bridge, 20, 10, 30, 30),
    { accepted: 1, duplicates: 3 });
  // A late one with a lower ordering is delivered like any other.
  assert.deepEqual(await taken(weir, bridge, 5),
    { accepted: 1, duplicates: 0 });
  const wanted = [10, 20, 30, 5].map(id_of);
  await bridge.has(wanted);
  must_hold({ accepted: wanted, records: bridge.transactions });
  await until('the highest delivered is told', async () =>
    (await status_of(weir)).delivered_stream_ordering === 30);
  assert.equal(await weir.metric('weir_second_door_events_total',
    { result: 'duplicate' }), 3);
  assert.equal(await weir.metric('weir_second_door_events_total',
    { result: 'accepted' }), 4);
});

test('second door: bytes of events are untouched', async (t) => {
  const bridge = await t.bridge();
  const weir = await t.weir({ bridges: [bridge] });
  const event = '{ "event_id":"$r", "n":9007199254740993,"m":-0,'
    + '"e":1e10,"s":"\\ud800\\u0000","a":1,"a":2 }';
  const got = await hand_in(weir, bridge,
    `{"events":[{"event":${event},"stream_ordering":1,"x":[]}],"y":null}`);
  assert.equal(got.status, 200, got.body);
  await bridge.has(['$r']);
  assert.equal(bridge.transactions[0].body.toString('utf8'),
    `{"events":[${event}]}`);
});

test('second door: what is wrong is told, and nothing of it is stored',
  async (t) => {
    const bridge = await t.bridge();
    const weir = await t.weir({ bridges: [bridge] });
    const good = '{"stream_ordering":1,"event":{"event_id":"$a"}}';
    const wrong = [
      ['{"events":[', 400, 'M_NOT_JSON', /./],
      ['[]', 400, 'M_BAD_JSON', /not an object/],
      ['{}', 400, 'M_BAD_JSON', /events is missing/],
      [`{"events":[${good},{"stream_ordering":-1,"event":{}}]}`, 400,
        'M_BAD_JSON', /events\[1\]: stream_ordering is negative/],
      [`{"events":[${good},{"stream_ordering":1.5,"event":{}}]}`, 400,
        'M_BAD_JSON', /events\[1\]: stream_ordering is no integer/],
      [`{"events":[${good},{"stream_ordering":9223372036854775808,`
        + '"event":{}}]}', 400, 'M_BAD_JSON', /beyond 2\^63 - 1/],
      [`{"events":[${good},{"stream_ordering":2,"event":7}]}`, 400,
        'M_BAD_JSON', /events\[1\]: event is not an object/],
      [body_of(...Array.from({ length: 1001 }, (_, n) => n)), 413,
        'M_TOO_LARGE', /at most 1000/],
    ];
    for (const [body, status, errcode, what] of wrong) {
      const got = await hand_in(weir, bridge, body);
      assert.equal(got.status, status, got.body);
      const told = JSON.parse(got.body);
      assert.equal(told.errcode, errcode, got.body);
      assert.match(told.error, what);
    }
    assert.equal((await status_of(weir)).depth_events, 0);
    assert.equal(bridge.received.length, 0);
    assert.deepEqual(await taken(weir, bridge, 1),
      { accepted: 1, duplicates: 0 });
  });

test('second door: who may use it, and how', async (t) => {
  const bridge = await t.bridge();
  const other = await t.bridge({ id: 'other' });
  const weir = await t.weir({ bridges: [bridge, other] });
  const body = body_of(1);
  for (const [how, status, errcode] of [
    [{ token: 'wrong' }, 403, 'M_FORBIDDEN'],
    [{ token: other.hs_token }, 403, 'M_FORBIDDEN'],
    [{ token: bridge.as_token }, 403, 'M_FORBIDDEN'],
    [{ id: 'nobody' }, 404, 'M_UNRECOGNIZED'],
    [{ method: 'PUT' }, 405, 'M_UNRECOGNIZED'],
    [{ method: 'GET' }, 405, 'M_UNRECOGNIZED'],
  ]) {
    const got = await hand_in(weir, bridge, body, how);
    assert.equal(got.status, status, JSON.stringify(how));
    assert.equal(JSON.parse(got.body).errcode, errcode);
  }
  // The token is looked at before the body is asked for.
  const connection = await new raw_connection(weir.port).open();
  t.at_end(() => connection.close());
  connection.write([`POST ${door_of(bridge.id)} HTTP/1.1`, 'Host: weir',
    'Authorization: Bearer wrong', 'Content-Length: 1000000',
    'Expect: 100-continue', '', ''].join('\r\n'));
  assert.equal((await connection.response()).status, 403);
  assert.equal(bridge.received.length, 0);
});

test('second door: url null takes everything and keeps nothing', async (t) => {
  const bridge = await t.bridge({ registration: { url: null } });
  const weir = await t.weir({ bridges: [bridge] });
  assert.deepEqual(await taken(weir, bridge, 1, 2),
    { accepted: 0, duplicates: 0 });
  const shown = await status_of(weir);
  assert.equal(shown === undefined ? 0 : shown.depth_events, 0);
  assert.equal(bridge.connections, 0);
});

test_on_stores('second door: an answer that is cut, a delivery, and the same '
  + 'again', async (t) => {
  const bridge = await t.bridge();
  const weir = await t.weir({ bridges: [bridge] });
  const connection = await new raw_connection(weir.port).open();
  const body = body_of(1, 2, 3);
  connection.write(request_text('POST', door_of(bridge.id),
    [`Authorization: Bearer ${bridge.hs_token}`,
      'Content-Type: application/json'], body));
  const wanted = [1, 2, 3].map(id_of);
  await bridge.has(wanted);
  connection.close();
  await weir.kill();
  await weir.start();
  assert.deepEqual(await taken(weir, bridge, 1, 2, 3),
    { accepted: 0, duplicates: 3 });
  await stays('nothing is sent again', () =>
    bridge.received.length === 3, 500);
  must_hold({ accepted: wanted, records: bridge.transactions });
});

for (const step of named_steps) {
  test_on_stores(`second door: killed at ${step}, delivered once`,
    async (t) => {
      const bridge = await t.bridge();
      const weir = await t.prepare({ bridges: [bridge], stoppable: true });
      const file = path.join(weir.folder, 'stopped');
      await weir.start({ env: { WEIR_STOP_AT: `${step}:1`,
        WEIR_STOP_FILE: file } });
      const first = hand_in(weir, bridge, body_of(1, 2), { seconds: 30 });
      await until(`${step} is reached`, () => fs.existsSync(file));
      await weir.kill();
      await first;
      await weir.start();
      const again = await hand_in(weir, bridge, body_of(1, 2, 3));
      assert.equal(again.status, 200, again.body);
      assert.deepEqual(JSON.parse(again.body),
        { accepted: 1, duplicates: 2 });
      const wanted = [1, 2, 3].map(id_of);
      await bridge.has(wanted);
      must_hold({ accepted: wanted, records: bridge.transactions });
    });
}

test('second door: a request is held while the database is away',
  { store: 'postgresql', seconds: 120 }, async (t) => {
    const bridge = await t.bridge();
    const weir = await t.weir({ bridges: [bridge] });
    await taken(weir, bridge, 1);
    await bridge.has([id_of(1)]);
    await t.cluster.down('fast');
    let answered;
    const held = hand_in(weir, bridge, body_of(1, 2), { seconds: 70 })
      .then((got) => { answered = got; });
    await stays('the request is held', () => answered === undefined, 3000);
    await t.cluster.up();
    await held;
    assert.equal(answered.status, 200, answered.body);
    assert.deepEqual(JSON.parse(answered.body),
      { accepted: 1, duplicates: 1 });
    await bridge.has([id_of(2)]);
    must_hold({ accepted: [1, 2].map(id_of), records: bridge.transactions });
  });

test('second door: a full queue holds what is new and knows the rest',
  async (t) => {
    const bridge = await t.bridge({ behaviour: answer(503) });
    const weir = await t.weir({ bridges: [bridge],
      over: { appservices: { defaults: { queue_events_max: 2 } } } });
    await taken(weir, bridge, 1, 2);
    let answered;
    const held = hand_in(weir, bridge, body_of(2, 3), { seconds: 70 })
      .then((got) => { answered = got; });
    await stays('the request is held', () => answered === undefined, 1500);
    bridge.behaviour = answer(200);
    await held;
    assert.deepEqual(JSON.parse(answered.body),
      { accepted: 1, duplicates: 1 });
    await bridge.has([1, 2, 3].map(id_of));
  });

await run();
