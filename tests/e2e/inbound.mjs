/// HTTP as senders really write it, and bodies that are no transactions.
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { must_hold } from './lib/checkers.mjs';
import { message, messages } from './lib/events.mjs';
import { raw_connection, raw_request, request_text } from './lib/raw_http.mjs';
import { run, test, test_on_stores } from './lib/test.mjs';
import { pause, until } from './lib/wait.mjs';

const target = (txn) =>
  `/_weir/as/bridge/_matrix/app/v1/transactions/${txn}`;
const bearer = (bridge) => `Authorization: Bearer ${bridge.hs_token}`;
const json_type = 'Content-Type: application/json';
const body_of = (...ids) =>
  JSON.stringify({ events: ids.map((id) => message(id)) });

function put(bridge, txn, body, headers = []) {
  return request_text('PUT', target(txn),
    [bearer(bridge), json_type, ...headers], body);
}

function head_of(bridge, txn, headers) {
  return [`PUT ${target(txn)} HTTP/1.1`, 'Host: weir', bearer(bridge),
    json_type, ...headers, '', ''].join('\r\n');
}

async function ready(t, over) {
  const bridge = await t.bridge();
  const weir = await t.weir({ bridges: [bridge], over });
  const connection = await new raw_connection(weir.port).open();
  t.at_end(() => connection.close());
  return { bridge, weir, connection };
}

test('g28 a chunked body is taken', async (t) => {
  const { bridge, connection } = await ready(t);
  const body = body_of('$a', '$b');
  connection.write(head_of(bridge, 1, ['Transfer-Encoding: chunked']));
  for (let at = 0; at < body.length; at += 50) {
    const piece = body.slice(at, at + 50);
    connection.write(`${piece.length.toString(16)};ext=1\r\n${piece}\r\n`);
  }
  connection.write('0\r\nTrailer: ignored\r\n\r\n');
  assert.equal((await connection.response()).status, 200);
  await bridge.has(['$a', '$b']);
});

test('g28 pipelined requests are answered in their order', async (t) => {
  const { bridge, connection } = await ready(t);
  const wanted = Array.from({ length: 20 }, (_, n) => `$n${n}`);
  connection.write(Buffer.concat(
    wanted.map((id, n) => put(bridge, n, body_of(id)))));
  for (const id of wanted) {
    const response = await connection.response();
    assert.equal(response.status, 200, id);
    assert.equal(response.body, '{}');
  }
  await bridge.has(wanted);
  must_hold({ accepted: wanted, records: bridge.transactions });
});

test('g28 Expect 100-continue is answered before the body comes',
  async (t) => {
    const { bridge, connection } = await ready(t);
    const body = body_of('$a');
    connection.write(head_of(bridge, 1,
      [`Content-Length: ${body.length}`, 'Expect: 100-continue']));
    assert.equal((await connection.response()).status, 100);
    connection.write(body);
    assert.equal((await connection.response()).status, 200);
    await bridge.has(['$a']);
    assert.equal(bridge.transactions[0].headers.expect, undefined);
  });

test('g28 a wrong token is refused before the body is asked for',
  async (t) => {
    const { bridge, connection } = await ready(t);
    bridge.hs_token = 'wrong';
    connection.write(head_of(bridge, 1,
      ['Content-Length: 1000000', 'Expect: 100-continue']));
    assert.equal((await connection.response()).status, 403);
  });

test('g28 a body that comes slowly is taken', async (t) => {
  const { bridge, connection } = await ready(t);
  const body = body_of('$a');
  connection.write(head_of(bridge, 1, [`Content-Length: ${body.length}`]));
  for (let at = 0; at < body.length; at += 20) {
    connection.write(body.slice(at, at + 20));
    await pause(20);
  }
  assert.equal((await connection.response()).status, 200);
  await bridge.has(['$a']);
});

test('g28 a body over the limit is 413 and the limit itself is taken',
  async (t) => {
    const limit = 2 ** 20;
    const { bridge, weir } = await ready(t,
      { listener: { body_bytes_max: limit } });
    const frame = body_of('$a');
    const pad = (size) => frame + ' '.repeat(size - frame.length);
    const fits = await raw_request(weir.port, put(bridge, 1, pad(limit)));
    assert.equal(fits.status, 200);
    const over = await raw_request(weir.port, put(bridge, 2, pad(limit + 1)));
    assert.equal(over.status, 413);
    assert.equal(JSON.parse(over.body).errcode, 'M_TOO_LARGE');
    const chunked = await new raw_connection(weir.port).open();
    t.at_end(() => chunked.close());
    chunked.write(head_of(bridge, 3, ['Transfer-Encoding: chunked']));
    const size = (limit + 1).toString(16);
    chunked.write(`${size}\r\n${pad(limit + 1)}\r\n0\r\n\r\n`);
    assert.equal((await chunked.response()).status, 413);
    await bridge.has(['$a']);
    assert.equal(bridge.received.length, 1);
  });

test('g28 the default takes what a homeserver may send', { seconds: 90 },
  async (t) => {
    const { bridge, weir } = await ready(t);
    const from = t.sender(weir, bridge);
    const filler = 'x'.repeat(320_000);
    const sent = messages('big', 100, 0, { content: { body: filler } });
    await from.send(sent);
    await bridge.has(from.accepted, 60);
    must_hold({ accepted: from.accepted, records: bridge.transactions });
  });

test('g28 a truncated body commits nothing', async (t) => {
  const { bridge, weir, connection } = await ready(t);
  const body = body_of('$truncated');
  connection.write(head_of(bridge, 1, [`Content-Length: ${body.length}`]));
  connection.write(body.slice(0, -1));
  await pause(100);
  connection.close();
  const chunked = await new raw_connection(weir.port).open();
  chunked.write(head_of(bridge, 2, ['Transfer-Encoding: chunked']));
  chunked.write(`${body.length.toString(16)}\r\n${body}\r\n`);
  await pause(100);
  chunked.close();
  // Another transaction after them: were they stored, they would come first.
  const from = t.sender(weir, bridge, 3);
  await from.send([message('$after')]);
  await bridge.has(['$after']);
  assert.deepEqual(bridge.received, ['$after']);
});

test('g28 a compressed body is refused, not stored', async (t) => {
  const { bridge, weir } = await ready(t);
  const packed = gzipSync(body_of('$packed'));
  const response = await raw_request(weir.port,
    put(bridge, 1, packed, ['Content-Encoding: gzip']));
  assert.equal(response.status, 415);
  assert.equal(await weir.metric('weir_quarantine_bodies_total',
    { result: 'kept' }), 0);
  const from = t.sender(weir, bridge, 2);
  await from.send([message('$after')]);
  await bridge.has(['$after']);
  assert.deepEqual(bridge.received, ['$after']);
});

for (const [label, lines] of [
  ['two lengths', ['Content-Length: 13', 'Content-Length: 14']],
  ['length and chunks', ['Content-Length: 13', 'Transfer-Encoding: chunked']],
  ['a length that is no number', ['Content-Length: 13x']],
  ['a negative length', ['Content-Length: -1']],
]) {
  test(`g28 a request with ${label} is refused`, async (t) => {
    const { bridge, connection } = await ready(t);
    connection.write(head_of(bridge, 1, lines));
    connection.write('{"events":[]}');
    const response = await connection.response();
    assert.ok(response.closed || response.status === 400,
      `${response.status}`);
    await connection.closed();
  });
}

test('g28 garbage and oversized heads are refused', async (t) => {
  const { weir } = await ready(t);
  for (const bytes of ['\x16\x03\x01\x02\x00\x01\x00', 'GET\r\n\r\n',
    `GET / HTTP/1.1\r\nX: ${'y'.repeat(100_000)}\r\n\r\n`,
    `GET /${'z'.repeat(100_000)} HTTP/1.1\r\n\r\n`]) {
    const connection = await new raw_connection(weir.port).open();
    connection.write(bytes);
    const response = await connection.response();
    assert.ok(response.closed || (response.status >= 400
      && response.status < 500), `${response.status}`);
    connection.close();
  }
  assert.equal((await weir.get('/health')).status, 200);
});

test('g28 HTTP 1.0 without keep-alive is answered and closed', async (t) => {
  const { bridge, connection } = await ready(t);
  const body = body_of('$a');
  connection.write([`PUT ${target(1)} HTTP/1.0`, bearer(bridge), json_type,
    `Content-Length: ${body.length}`, '', body].join('\r\n'));
  assert.equal((await connection.response()).status, 200);
  await connection.closed();
  await bridge.has(['$a']);
});

const no_transactions = [
  ['no JSON', 'not json at all', 'M_NOT_JSON'],
  ['cut JSON', '{"events":[{"event_id":"$x"}', 'M_NOT_JSON'],
  ['nothing', '', 'M_NOT_JSON'],
  ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    'M_NOT_JSON'],
  ['a list', '[]', 'M_BAD_JSON'],
  ['a number', '7', 'M_BAD_JSON'],
  ['events that are no list', '{"events":{}}', 'M_BAD_JSON'],
  ['a duplicate top-level key', '{"events":[],"a":1,"a":2}', 'M_BAD_JSON'],
  ['events twice', '{"events":[],"events":[]}', 'M_BAD_JSON'],
  ['events twice, once escaped', '{"events":[],"\\u0065vents":[]}',
    'M_BAD_JSON'],
  ['single quotes', "{'events':[]}", 'M_NOT_JSON'],
  ['a trailing comma', '{"events":[],}', 'M_NOT_JSON'],
  ['nesting without end', `{"events":[${'['.repeat(5000)}`, undefined],
];

test_on_stores('quarantine keeps bodies that are no transactions',
  { seconds: 90 }, async (t) => {
    const { bridge, weir } = await ready(t);
    for (const [n, [label, body, errcode]] of no_transactions.entries()) {
      // A homeserver repeats it for ever.
      for (let time = 0; time < 2; time += 1) {
        const response = await raw_request(weir.port,
          put(bridge, `q${n}`, body));
        assert.equal(response.status, 400, `${label}: ${response.body}`);
        const error = JSON.parse(response.body);
        if (errcode) assert.equal(error.errcode, errcode, label);
        else assert.match(error.errcode, /^M_(NOT|BAD)_JSON$/, label);
      }
    }
    const counted = async (result) =>
      weir.metric('weir_inbound_transactions_total', { result });
    assert.equal(await counted('not_json') + await counted('bad_json'),
      2 * no_transactions.length);
    const from = t.sender(weir, bridge, 2);
    await from.send([message('$after')]);
    await bridge.has(['$after']);
    assert.equal(bridge.transactions.length, 1);
    if (t.store_kind === 'postgresql') await rows_are_kept(t);
  });

/// Each body is there once, byte for byte, and was counted twice.
async function rows_are_kept(t) {
  const wanted = no_transactions.map(([, body]) =>
    Buffer.from(body).toString('hex')).sort();
  const rows = await until('all are in quarantine', async () => {
    const found = await t.cluster.query(
      "SELECT encode(body, 'hex') || '|' || times FROM quarantine");
    return found.length >= wanted.length && found;
  });
  const kept = rows.map((row) => row.split('|')[0]).sort();
  assert.deepEqual(kept, wanted);
  for (const row of rows) assert.equal(row.split('|')[1], '2');
}

test('quarantine leaves missing events and odd shapes alone', async (t) => {
  const { bridge, weir } = await ready(t);
  const fine = ['{}', '{"events":[]}', ' \n{"events" : [ ] }\t',
    '{"ephemeral":[]}', '{"events":[{}]}', '{"events":[1,"x",null]}'];
  for (const [n, body] of fine.entries()) {
    const response = await raw_request(weir.port, put(bridge, n, body));
    assert.equal(response.status, 200, `${body}: ${response.body}`);
  }
});

await run();
