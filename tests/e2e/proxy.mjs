/// Everything under /_matrix/app/ that is no transaction goes raw to the bridge
/// and its answer comes back; who may call is decided first.
import assert from 'node:assert/strict';
import { answer, hang, sequence } from './lib/behaviours.mjs';
import { must_hold } from './lib/checkers.mjs';
import { message } from './lib/events.mjs';
import { raw_request, request_text } from './lib/raw_http.mjs';
import { stalled_listener } from './lib/stalled_listener.mjs';
import { run, test } from './lib/test.mjs';
import { until } from './lib/wait.mjs';

const base = '/_weir/as/bridge';
const bearer = (bridge) => `Authorization: Bearer ${bridge.hs_token}`;

/// One request as the homeserver would send it.
function ask(weir, bridge, method, target, body = '') {
  const type = body ? ['Content-Type: application/json'] : [];
  return raw_request(weir.port,
    request_text(method, target, [bearer(bridge), ...type], body), 50);
}

const json_of = (response) => JSON.parse(response.body);

/// Asserts a Matrix error.
function is_refused(response, status, errcode, label) {
  assert.equal(response.status, status, `${label}: ${response.body}`);
  assert.equal(json_of(response).errcode, errcode, label);
}

const others = (bridge) =>
  bridge.requests.filter((one) => one.txn === undefined);

const queries = [
  ['GET', '/_matrix/app/v1/users/%40_b_alice%3Aexample.org'],
  ['GET', '/_matrix/app/v1/users/@_b_a/b:example.org'],
  ['GET', '/_matrix/app/v1/rooms/%23_b_x%3Aexample.org?odd=%2f&odd=+'],
  ['GET', '/_matrix/app/v1/thirdparty/protocol/irc'],
  ['GET', '/_matrix/app/v1/thirdparty/user/irc?a=%20b&c'],
  ['GET', '/_matrix/app/v1/thirdparty/user?userid=%40a%3Aexample.org'],
  ['GET', '/_matrix/app/v1/thirdparty/location/irc?channel=%23x'],
  ['GET', '/_matrix/app/v1/thirdparty/location?alias=%23x%3Aexample.org'],
  ['GET', '/_matrix/app/unstable/thirdparty/protocol/irc'],
  ['POST', '/_matrix/app/unstable/org.matrix.msc3983/keys/claim',
    '{"@a:b":{"D":["x"]}}'],
  ['POST', '/_matrix/app/unstable/org.matrix.msc3984/keys/query',
    '{"@a:b":[]}'],
  ['POST', '/_matrix/app/com.beeper.bridge_state', '{"n":-0,"n":1e10}'],
  ['GET', '/_matrix/app/v9/future/..%2f%zz/?'],
  ['DELETE', '/_matrix/app/v9/future'],
];

test('g30 queries pass raw in both directions', async (t) => {
  const bridge = await t.bridge({ behaviour: (record, reply) =>
    record.arrived.then(() => reply.send(
      record.target.includes('alice') ? 404 : 200,
      `{"told":${JSON.stringify(record.target)}, "odd" : -0}`,
      { 'content-type': 'application/x-odd; a=b' })) });
  const weir = await t.weir({ bridges: [bridge] });
  for (const [method, target, body = ''] of queries) {
    const before = others(bridge).length;
    const response = await ask(weir, bridge, method, `${base}${target}`, body);
    const [got] = others(bridge).slice(before);
    assert.ok(got, `${target} did not reach the bridge: ${response.status}`);
    assert.equal(got.method, method);
    assert.equal(got.target, target);
    assert.equal(got.body.toString('utf8'), body);
    assert.equal(got.headers.authorization, `Bearer ${bridge.hs_token}`);
    assert.equal(got.headers.host, `127.0.0.1:${bridge.port}`);
    assert.equal(response.status, target.includes('alice') ? 404 : 200, target);
    assert.equal(response.headers['content-type'], 'application/x-odd; a=b');
    assert.equal(response.body,
      `{"told":${JSON.stringify(target)}, "odd" : -0}`);
  }
});

test('g30 a bridge that is down gives 502 and one that hangs 504, never 404',
  { seconds: 90 }, async (t) => {
    const down = await t.bridge({ id: 'down' });
    const hanging = await t.bridge({ id: 'hanging', behaviour: hang() });
    const weir = await t.weir({ bridges: [down, hanging],
      over: { appservices: { defaults: { query_timeout: '2s' } } } });
    await down.stop();
    const paths = ['users/%40x%3Aexample.org', 'rooms/%23x%3Aexample.org'];
    for (const path of paths) {
      const target = `/_matrix/app/v1/${path}`;
      const refused = await ask(weir, down, 'GET', `/_weir/as/down${target}`);
      assert.equal(refused.status, 502);
      assert.ok(json_of(refused).errcode);
      const late = await ask(weir, hanging, 'GET',
        `/_weir/as/hanging${target}`);
      assert.equal(late.status, 504);
      assert.ok(json_of(late).errcode);
    }
  });

test('d6 queries fail fast while the bridge is known to be out of reach',
  { seconds: 90 }, async (t) => {
    const stalled = await new stalled_listener().start();
    t.at_end(() => stalled.stop());
    const bridge = { id: 'bridge', url: `http://127.0.0.1:${stalled.port}`,
      as_token: 'as_one', hs_token: 'hs_one', extra: {} };
    const weir = await t.weir({ bridges: [bridge], over: { appservices:
      { defaults: { query_timeout: '50s', connect_timeout: '1s',
        backoff_first: '60s', backoff_max: '60s' } } } });
    const from = t.sender(weir, bridge);
    await from.send([message('$a')]);
    await until('the delivery has failed', async () =>
      (await weir.queue('bridge'))?.last_error === 'connect_timeout');
    const began = performance.now();
    const response = await ask(weir, bridge, 'GET',
      `${base}/_matrix/app/v1/users/%40x%3Aexample.org`);
    const took = performance.now() - began;
    assert.equal(response.status, 504);
    // A fifth of the query's time, 10 s, is for connecting otherwise.
    assert.ok(took < 7_000, `it took ${took} ms`);
  });

test('d7 a protocol query is held while the bridge restarts', async (t) => {
  const bridge = await t.bridge({ behaviour: answer(200, '{"instances":[]}') });
  const weir = await t.weir({ bridges: [bridge] });
  await bridge.stop();
  const asked = ask(weir, bridge, 'GET',
    `${base}/_matrix/app/v1/thirdparty/protocol/irc`);
  setTimeout(() => bridge.start(), 700);
  const response = await asked;
  assert.equal(response.status, 200);
  assert.deepEqual(json_of(response), { instances: [] });
});

test('d11 an unknown bridge and an unknown path are 404', async (t) => {
  const bridge = await t.bridge();
  const weir = await t.weir({ bridges: [bridge] });
  for (const target of ['/_weir/as/nobody/_matrix/app/v1/users/x',
    '/_weir/as/nobody/_matrix/app/v1/transactions/1', '/nothing/here', '/',
    `${base}/other`, '/_weir/v0/none']) {
    is_refused(await ask(weir, bridge, 'GET', target), 404, 'M_UNRECOGNIZED',
      target);
  }
  is_refused(await ask(weir, bridge, 'PUT',
    '/_weir/as/nobody/_matrix/app/v1/transactions/1', '{"events":[]}'),
  404, 'M_UNRECOGNIZED', 'transaction of an unknown bridge');
});

for (const legacy of [false, true]) {
  test(`g26 only the right token opens the door, legacy ${legacy ? 'on'
    : 'off'}`, (t) => try_tokens(t, legacy));
}

async function try_tokens(t, legacy) {
  const bridge = await t.bridge();
  const weir = await t.weir({ bridges: [bridge], over: { appservices:
    { defaults: { legacy_query_token: legacy } } } });
  const good = bridge.hs_token;
  const body = '{"events":[]}';
  let txn = 0;
  const attempt = (headers, query = '') => {
    txn += 1;
    return raw_request(weir.port, request_text('PUT',
      `${base}/_matrix/app/v1/transactions/${txn}${query}`,
      [...headers, 'Content-Type: application/json'], body));
  };
  const accepted = [
    ['header', [`Authorization: Bearer ${good}`]],
    ['scheme in other case', [`authorization: bearer ${good}`]],
    ['both equal', [`Authorization: Bearer ${good}`], `?access_token=${good}`],
  ];
  const query_only = ['query only', [], `?access_token=${good}`];
  if (legacy) accepted.push(query_only);
  for (const [label, headers, query] of accepted) {
    const response = await attempt(headers, query);
    assert.equal(response.status, 200, `${label}: ${response.body}`);
  }
  const refused = [
    ['none', []],
    ['wrong', ['Authorization: Bearer wrong']],
    ['empty', ['Authorization: Bearer ']],
    ['prefix', [`Authorization: Bearer ${good.slice(0, -1)}`]],
    ['longer', [`Authorization: Bearer ${good}x`]],
    ['as_token', [`Authorization: Bearer ${bridge.as_token}`]],
    ['wrong scheme', [`Authorization: Basic ${good}`]],
    ['query wrong', [], '?access_token=wrong'],
    ['header right, query wrong', [`Authorization: Bearer ${good}`],
      '?access_token=wrong'],
    ['header wrong, query right', ['Authorization: Bearer wrong'],
      `?access_token=${good}`],
  ];
  if (!legacy) refused.push(query_only);
  for (const [label, headers, query] of refused) {
    is_refused(await attempt(headers, query), 403, 'M_FORBIDDEN', label);
  }
  const query = await raw_request(weir.port, request_text('GET',
    `${base}/_matrix/app/v1/users/x`, ['Authorization: Bearer wrong']));
  is_refused(query, 403, 'M_FORBIDDEN', 'proxied');
  assert.equal(others(bridge).filter((one) => one.method === 'GET').length, 0);
  assert.ok(!weir.log().includes(good), 'the log holds a token');
}

test('g26 the query token is stripped unless the bridge is marked legacy',
  async (t) => {
    const modern = await t.bridge({ id: 'modern' });
    const legacy = await t.bridge({ id: 'legacy' });
    const weir = await t.weir({ bridges: [modern, legacy], over: { appservices:
      { overrides: { legacy: { legacy_query_token: true } } } } });
    for (const bridge of [modern, legacy]) {
      const from = t.sender(weir, bridge);
      await from.send([message('$a')]);
      await bridge.has(['$a']);
      await ask(weir, bridge, 'GET', `/_weir/as/${bridge.id}/_matrix/app/v1/` +
        `users/x?a=1&access_token=${bridge.hs_token}&b=2`);
    }
    for (const one of modern.requests) {
      assert.ok(!one.target.includes('access_token'), one.target);
    }
    assert.equal(others(modern).at(-1).target,
      '/_matrix/app/v1/users/x?a=1&b=2');
    for (const one of legacy.requests.filter((had) => had.method !== 'POST')) {
      assert.ok(one.target.includes(`access_token=${legacy.hs_token}`),
        one.target);
      assert.equal(one.headers.authorization, `Bearer ${legacy.hs_token}`);
    }
  });

test('g26 a token of its own is used toward the bridge', async (t) => {
  const bridge = await t.bridge();
  const weir = await t.weir({ bridges: [bridge], over: { appservices:
    { overrides: { bridge: { hs_token_outbound: 'another_secret' } } } } });
  const from = t.sender(weir, bridge);
  await from.send([message('$a')]);
  await bridge.has(['$a']);
  await ask(weir, bridge, 'GET', `${base}/_matrix/app/v1/users/x`);
  assert.equal(bridge.requests.length, 2);
  for (const one of bridge.requests) {
    assert.equal(one.headers.authorization, 'Bearer another_secret');
  }
});

test('g27 transactions are found under every spelling of their path',
  async (t) => {
    const bridge = await t.bridge({ base: '/deep/base' });
    const weir = await t.weir({ bridges: [bridge] });
    const targets = [
      `${base}/_matrix/app/v1/transactions/1`,
      `${base}/transactions/2`,
      `${base}/_matrix/app/v1/transactions/3?`,
      `${base}/_matrix/app/v1/transactions/a%2Fb%20c`,
      `${base}/_matrix/app/v1/transactions/slash/inside`,
      '/_matrix/app/v1/transactions/4',
      '/transactions/5',
    ];
    for (const [n, target] of targets.entries()) {
      const response = await ask(weir, bridge, 'PUT', target,
        JSON.stringify({ events: [message(`$n${n}`)] }));
      assert.equal(response.status, 200, `${target}: ${response.body}`);
      assert.equal(response.body, '{}');
      assert.match(response.headers['content-type'], /^application\/json/);
    }
    await bridge.has(targets.map((_, n) => `$n${n}`));
    for (const one of bridge.transactions) {
      assert.match(one.target,
        /^\/deep\/base\/_matrix\/app\/v1\/transactions\/[^/]+$/);
    }
  });

test('g27 a base path is joined with exactly one slash', async (t) => {
  for (const path of ['', '/', '/base', '/base/', '/base//']) {
    const bridge = await t.bridge({ base: path });
    const weir = await t.weir({ bridges: [bridge] });
    await ask(weir, bridge, 'GET', `${base}/_matrix/app/v1/users/x`);
    const joined = path.replace(/\/+$/, '');
    assert.equal(others(bridge).at(-1).target,
      `${joined}/_matrix/app/v1/users/x`, `base ${path}`);
    await weir.kill();
  }
});

test('g27 a known path with the wrong method is 405', async (t) => {
  const bridge = await t.bridge();
  const weir = await t.weir({ bridges: [bridge] });
  for (const method of ['GET', 'POST', 'DELETE']) {
    is_refused(await ask(weir, bridge, method,
      `${base}/_matrix/app/v1/transactions/1`), 405, 'M_UNRECOGNIZED', method);
  }
  assert.equal(bridge.transactions.length, 0);
});

test('g27 bridges that share a hs_token have no root path', async (t) => {
  const one = await t.bridge({ id: 'one' });
  const two = await t.bridge({ id: 'two' });
  one.hs_token = 'the_same_for_both';
  two.hs_token = 'the_same_for_both';
  const weir = await t.weir({ bridges: [one, two] });
  const response = await ask(weir, one, 'PUT',
    '/_matrix/app/v1/transactions/1', '{"events":[]}');
  assert.ok([403, 404].includes(response.status), `${response.status}`);
  const from = t.sender(weir, two);
  await from.send([message('$two')]);
  await two.has(['$two']);
  assert.equal(one.transactions.length, 0);
});

const ping = `${base}/_matrix/app/v1/ping`;

test('g31 a foreign ping reaches the bridge and its status comes back',
  async (t) => {
    const bridge = await t.bridge();
    const weir = await t.weir({ bridges: [bridge] });
    const statuses = [200, 404, 400, 500];
    for (const status of statuses) {
      bridge.behaviour = answer(status, `{"errcode":"E${status}"}`);
      const response = await ask(weir, bridge, 'POST', ping,
        `{"transaction_id":"theirs${status}"}`);
      assert.equal(response.status, status);
      assert.equal(response.body, `{"errcode":"E${status}"}`);
    }
    const got = others(bridge).map((one) => one.body.toString('utf8'));
    assert.deepEqual(got, statuses
      .map((status) => `{"transaction_id":"theirs${status}"}`));
    await bridge.stop();
    const refused = await ask(weir, bridge, 'POST', ping, '{}');
    assert.equal(refused.status, 502);
  });

test('g31 pings that weir caused are answered by weir', async (t) => {
  const hs = await t.homeserver();
  const bridge = await t.bridge();
  const off = await t.bridge({ id: 'off' });
  await off.stop();
  await t.weir({ bridges: [bridge, off], hs });
  await until('the homeserver was asked to ping both', () =>
    ['bridge', 'off'].every((id) => hs.pings.some((one) => one.id === id)));
  for (const one of hs.pings) {
    assert.equal(one.status, 200, `${one.id}: ${one.body}`);
    const asked = [bridge, off].find((had) => had.id === one.id);
    assert.equal(one.token, `Bearer ${asked.as_token}`);
    assert.ok(one.transaction_id);
  }
  assert.equal(others(bridge).length, 0, 'the bridge was not bothered');
  // Of another appservice the same id is a foreign one.
  const other = hs.pings.find((one) => one.id === 'off').transaction_id;
  await hs.call_ping('bridge', { transaction_id: other });
  assert.equal(others(bridge).length, 1);
});

test('g31 weir starts without a homeserver and pings when it is there',
  { seconds: 90 }, async (t) => {
    const hs = await t.homeserver();
    await hs.stop();
    const bridge = await t.bridge();
    await t.weir({ bridges: [bridge], hs });
    await hs.start();
    await until('the ping arrives', () => hs.pings.length > 0, 60);
    assert.equal(hs.pings[0].status, 200);
  });

test('g13 a ping that the bridge answers ends our back-off', async (t) => {
  const bridge = await t.bridge({ behaviour: answer(503) });
  const weir = await t.weir({ bridges: [bridge], over: { appservices:
    { defaults: { backoff_first: '120s', backoff_max: '120s' } } } });
  const from = t.sender(weir, bridge);
  await from.send([message('$a')]);
  await until('the queue rests', async () =>
    (await weir.queue('bridge'))?.state === 'resting');
  bridge.behaviour = answer(200);
  const response = await ask(weir, bridge, 'POST', ping,
    '{"transaction_id":"theirs"}');
  assert.equal(response.status, 200);
  await bridge.has(['$a'], 10);
  must_hold({ accepted: from.accepted, records: bridge.transactions });
});

test('g13 a ping does not end a pause that the bridge asked for',
  async (t) => {
    const bridge = await t.bridge({ behaviour: sequence([
      answer(429, '{}', { 'retry-after': '4' }), 200]) });
    const weir = await t.weir({ bridges: [bridge] });
    const from = t.sender(weir, bridge);
    await from.send([message('$a')]);
    await until('the queue rests', async () =>
      (await weir.queue('bridge'))?.state === 'resting');
    const response = await ask(weir, bridge, 'POST', ping,
      '{"transaction_id":"theirs"}');
    assert.equal(response.status, 200);
    await bridge.has(['$a']);
    const [first, second] = bridge.transactions;
    const gap = second.began - first.ended;
    assert.ok(gap >= 3900, `it took ${gap} ms`);
  });

await run();
