/// Bytes pass through unchanged, and requests to bridges have the form that
/// every known bridge library understands.
import assert from 'node:assert/strict';
import { answer, empty_page, html_page, sequence } from './lib/behaviours.mjs';
import { must_hold } from './lib/checkers.mjs';
import { message, messages } from './lib/events.mjs';
import { run, test } from './lib/test.mjs';

test('g24 every key of a transaction arrives under its own name', async (t) => {
  const bridge = await t.bridge();
  const weir = await t.weir({ bridges: [bridge] });
  const from = t.sender(weir, bridge);
  const typing = [
    { type: 'm.typing', room_id: '!r', content: { user_ids: [] } },
  ];
  const keys = { '@b:example.org': { DEV: { signed_curve25519: 3 } } };
  const sent = {
    events: messages('a', 1),
    ephemeral: typing,
    'de.sorunome.msc2409.ephemeral': typing,
    'de.sorunome.msc2409.to_device': [
      { type: 'm.room_key', to_user_id: '@b', to_device_id: 'DEV',
        content: {} },
    ],
    'org.matrix.msc3202.device_lists':
      { changed: ['@c:example.org'], left: [] },
    'org.matrix.msc3202.device_one_time_keys_count': keys,
    'org.matrix.msc3202.device_one_time_key_counts': keys,
    'org.matrix.msc3202.device_unused_fallback_key_types':
      { '@b:example.org': { DEV: [] } },
    'com.example.unknown': { kept: [1, { two: null }] },
  };
  await from.send(sent.events, sent);
  await from.send([message('$marker')]);
  await bridge.has(['$marker']);
  const came = {};
  for (const one of bridge.acked) {
    for (const [key, value] of Object.entries(JSON.parse(one.body))) {
      if (key === 'events' || Object.keys(value).length === 0) continue;
      assert.equal(came[key], undefined, `${key} came twice`);
      came[key] = value;
    }
  }
  const { events, ...others } = sent;
  assert.deepEqual(came, others);
  assert.deepEqual(bridge.received, ['$a0', '$marker']);
});

test('g24 a transaction with unknown keys is never joined with another',
  async (t) => {
    const bridge = await t.bridge({ behaviour: answer(503) });
    const weir = await t.weir({ bridges: [bridge] });
    const from = t.sender(weir, bridge);
    await from.send([message('$first')]);
    await from.send([message('$b0')], { 'com.example.mark': 1 });
    await from.send([message('$b1')], { 'com.example.mark': 2 });
    await from.send([message('$last')]);
    bridge.behaviour = answer(200);
    await bridge.has(['$last']);
    const marked = bridge.acked
      .map((one) => [one.events, JSON.parse(one.body)['com.example.mark']])
      .filter(([, mark]) => mark !== undefined);
    assert.deepEqual(marked, [[['$b0'], 1], [['$b1'], 2]]);
    assert.deepEqual(bridge.received, ['$first', '$b0', '$b1', '$last']);
  });

const odd_events = [
  '{"event_id":"$0","n":9007199254740993,"m":-0,"e":1e10,"f":1E+400}',
  '{"event_id":"$1","lone":"\\ud800","nul":"\\u0000","esc":"\\u00e9\\/"}',
  '{"event_id":"$2","twice":1,"twice":2,"b":0,"a":0}',
  '{ "event_id" : "$3" ,\n\t"spaced" : [ ] }',
  `{"event_id":"$4","body":"${'0123456789abcdef'.repeat(12_800)}"}`,
  '{"event_id":"$5","utf8":"\u{1F9CA} \u00fc \u2028"}',
  '{"event_id":"\\u0024\\u0036","deep":[[[[[[[[{"x":[]}]]]]]]]]}',
  '{"event_id":"$7","":{"":""},"numbers":[0.10,1.0e-2,12345678901234567890]}',
];

test('g25 the bytes of each event are kept', async (t) => {
  const bridge = await t.bridge();
  const weir = await t.weir({ bridges: [bridge] });
  const from = t.sender(weir, bridge);
  const extra = '{"z":1,"a":[9007199254740993,-0]}';
  const body = `{"com.example.x":${extra},"events":[${odd_events.join(' ,')}]}`;
  assert.equal((await from.once(1, body)).status, 200);
  await bridge.has(['$0', '$7']);
  const out = Buffer.concat(bridge.acked.map((one) => one.body));
  let at = 0;
  for (const raw of odd_events) {
    const found = out.indexOf(Buffer.from(raw, 'utf8'), at);
    assert.ok(found >= 0, `not found as sent: ${raw.slice(0, 60)}`);
    at = found + raw.length;
  }
  assert.ok(out.includes(extra));
});

test('g29 requests have the form that all bridges understand', async (t) => {
  const bridge = await t.bridge();
  const weir = await t.weir({ bridges: [bridge] });
  const from = t.sender(weir, bridge);
  await from.send(messages('a', 2));
  const keys = await from.once(9, { events: [], to_device: [{ a: 1 }] });
  assert.equal(keys.status, 200);
  await from.send([message('$big',
    { content: { body: 'x'.repeat(100_000) } })]);
  await bridge.has(['$big']);
  for (const one of bridge.transactions) {
    assert.equal(one.method, 'PUT');
    assert.equal(one.version, '1.1');
    assert.match(one.target,
      /^\/_matrix\/app\/v1\/transactions\/[A-Za-z0-9._~-]+$/);
    assert.match(one.headers['content-type'], /^application\/json/);
    assert.equal(Number(one.headers['content-length']), one.body.length);
    assert.equal(one.headers.authorization, `Bearer ${bridge.hs_token}`);
    assert.equal(one.headers.host, `127.0.0.1:${bridge.port}`);
    for (const absent of ['expect', 'transfer-encoding', 'content-encoding']) {
      assert.equal(one.headers[absent], undefined, absent);
    }
    assert.match(one.headers['accept-encoding'] ?? 'identity', /^identity$/);
    assert.ok(Array.isArray(JSON.parse(one.body).events));
  }
  assert.equal(bridge.connections, 1, 'the connection is kept alive');
});

for (const [kind, page] of [['HTML', html_page], ['empty', empty_page]]) {
  test(`g29 a 200 with an ${kind} body is an acknowledgement`, async (t) => {
    const bridge = await t.bridge({ behaviour: page() });
    const weir = await t.weir({ bridges: [bridge] });
    const from = t.sender(weir, bridge);
    for (let n = 0; n < 3; n += 1) {
      await from.send([message(`$${n}`)]);
      await bridge.has([`$${n}`]);
    }
    assert.equal(bridge.transactions.length, 3);
    must_hold({ accepted: from.accepted, records: bridge.transactions });
  });
}

for (const status of [301, 302, 307, 308]) {
  test(`g29 a ${status} is a failure and is not followed`, async (t) => {
    const elsewhere = await t.bridge({ id: 'elsewhere' });
    const bridge = await t.bridge({ behaviour: sequence([
      answer(status, '', { location: `${elsewhere.url}/moved` }), 200]) });
    const weir = await t.weir({ bridges: [bridge] });
    const from = t.sender(weir, bridge);
    await from.send([message('$a')]);
    await bridge.has(['$a']);
    assert.equal(bridge.transactions.length, 2);
    assert.equal(elsewhere.requests.length, 0);
    must_hold({ accepted: from.accepted, records: bridge.transactions });
  });
}

await run();
