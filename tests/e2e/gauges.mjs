/// What /metrics tells, and that nothing from outside makes it longer.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { answer, hang, reset_after_reading, sequence }
  from './lib/behaviours.mjs';
import { message, messages } from './lib/events.mjs';
import { appservice_families, reads, scrape } from './lib/figures.mjs';
import { registration_of, write_private } from './lib/files.mjs';
import { raw_connection, request_text } from './lib/raw_http.mjs';
import { run, test, test_on_stores } from './lib/test.mjs';
import { until } from './lib/wait.mjs';
import { fetch_text } from './lib/weir.mjs';

function file_of(weir, bridge) {
  return path.join(weir.folder, 'bridges', `${bridge.id}.yaml`);
}

async function reload(weir) {
  const done = await weir.command('reload');
  assert.equal(done.code, 0, JSON.stringify(done));
}

/// Each label with the values that it has anywhere.
function values_by_label(series) {
  const found = {};
  for (const { labels } of series) {
    for (const [key, value] of Object.entries(labels)) {
      (found[key] ??= new Set()).add(value);
    }
  }
  return found;
}

/// Everything that a stranger, a homeserver and a bridge can make up.
async function garbage(weir, bridges) {
  const tokens = [undefined, 'guess', ...bridges.map((one) => one.hs_token)];
  const paths = ['/', '/nothing', '/_weir/as/nobody/_matrix/app/v1/users/x',
    '/_matrix/app/v1/made_up', '/_weir/v1/appservices/nobody/events',
    `/_weir/as/${bridges[0].id}/_matrix/app/v1/made/up`];
  for (const token of tokens) {
    const headers = token ? { authorization: `Bearer ${token}` } : {};
    for (const target of paths) {
      for (const method of ['GET', 'PUT', 'POST', 'BREW']) {
        const body = method === 'GET' ? undefined : '{"events":7';
        await fetch_text(weir.port, target, { method, headers, body });
        await fetch_text(weir.admin_port, target, { method, headers, body });
      }
    }
  }
  for (const [n, one] of bridges.entries()) {
    for (const body of ['{not json', '[]', `{"events":{"n":${n}}}`]) {
      await fetch_text(weir.port,
        `/_weir/as/${one.id}/_matrix/app/v1/transactions/odd${body.length}`,
        { method: 'PUT', body,
          headers: { authorization: `Bearer ${one.hs_token}` } });
    }
  }
  for (const text of ['no HTTP\r\n\r\n', 'GET / HTTP/9.9\r\n\r\n',
    `GET /${'x'.repeat(70_000)} HTTP/1.1\r\n\r\n`]) {
    const connection = await new raw_connection(weir.port).open();
    connection.write(Buffer.from(text));
    await connection.response().catch(() => {});
    connection.close();
  }
}

test('gauges: the number of series follows from the appservices configured, ' +
  'whatever comes from outside', { seconds: 120 }, async (t) => {
  const odd = [418, 599, 203, 451, 302].map((status) => answer(status));
  const bridges = [];
  for (const [n, behaviour] of odd.entries()) {
    bridges.push(await t.bridge({ id: `bridge_${n}`, behaviour }));
  }
  const weir = await t.weir({ bridges });
  const families = await appservice_families();
  assert.ok(families.length > 15, families.join());
  const every_kind = await until('each kind of actor has lived', async () => {
    await t.sender(weir, bridges[0]).send([message(`$${Math.random()}`)]);
    const all = await scrape(weir);
    return all.some((one) => one.labels.kind === 'appservice_queue') && all;
  });
  const beside = every_kind.length - families.length * bridges.length;
  const expect = async (count, ids) => {
    const all = await scrape(weir);
    assert.equal(all.length, beside + families.length * count);
    const named = values_by_label(all);
    assert.deepEqual([...named.appservice ?? []].sort(), ids.sort());
    const once = new Set(all.map((one) =>
      one.name + JSON.stringify(one.labels)));
    assert.equal(once.size, all.length);
    return named;
  };
  const ids = bridges.map((one) => one.id);
  await expect(5, ids);
  for (const one of bridges) await t.sender(weir, one).send(messages('a', 3));
  await garbage(weir, bridges);
  await reads(weir, 'weir_requests_refused_total',
    { side: 'homeserver', reason: 'malformed' }, (now) => now > 0);
  await reads(weir, 'weir_requests_refused_total',
    { side: 'admin', reason: 'unauthorised' }, (now) => now > 20);
  const named = await expect(5, ids);
  const text = JSON.stringify(Object.values(named).map((one) => [...one]));
  for (const word of ['nobody', 'guess', 'made', 'odd', '418', '599', '451']) {
    assert.ok(!text.includes(word), `a label is made of what came: ${word}`);
  }
  // One comes, two go, one of which is still owed what it was sent.
  const late = await t.bridge({ id: 'late' });
  write_private(file_of(weir, late), registration_of(late));
  await reload(weir);
  await until('it is known', () => weir.queue('late'));
  await expect(6, [...ids, 'late']);
  fs.rmSync(file_of(weir, bridges[1]));
  fs.rmSync(file_of(weir, bridges[2]));
  await reload(weir);
  await expect(4, ['bridge_0', 'bridge_3', 'bridge_4', 'late']);
  assert.equal(await weir.metric('weir_appservices'), 4);
  assert.equal(await weir.metric('weir_removed_owed_elements'), 3);
  assert.equal(await weir.metric('weir_configuration_refused'), 0);
  write_private(file_of(weir, late), 'id: [');
  assert.equal((await weir.command('reload')).code, 1);
  assert.equal(await weir.metric('weir_configuration_refused'), 1);
  await expect(4, ['bridge_0', 'bridge_3', 'bridge_4', 'late']);
});

test('gauges: more appservices than the store tells at once are all there',
  { seconds: 90 }, async (t) => {
    const bridge = await t.bridge();
    const many = Array.from({ length: 450 }, (_, n) => ({
      id: `many_${n}`, url: bridge.url, as_token: `as_${n}`,
      hs_token: `hs_${n}`,
    }));
    const weir = await t.weir({ bridges: many });
    const families = await appservice_families();
    const all = await scrape(weir);
    const named = values_by_label(all);
    assert.equal(named.appservice.size, many.length);
    assert.equal(all.filter((one) => 'appservice' in one.labels).length,
      families.length * many.length);
  });

test('gauges: a send in flight is told, with its age', async (t) => {
  const bridge = await t.bridge({ behaviour: hang() });
  const weir = await t.weir({ bridges: [bridge] });
  const labels = { appservice: 'bridge' };
  assert.equal(await weir.metric('weir_appservice_in_flight', labels), 0);
  await t.sender(weir, bridge).send([message('$a')]);
  await bridge.sees(1);
  await reads(weir, 'weir_appservice_in_flight', labels, 1);
  await reads(weir, 'weir_appservice_in_flight_seconds', labels,
    (now) => now > 1 && now < 20);
  assert.equal(await weir.metric('weir_bridge_requests_in_flight'), 1);
  bridge.behaviour = answer(200);
  await bridge.stop();
  await bridge.start();
  await bridge.has(['$a']);
  await reads(weir, 'weir_appservice_in_flight', labels, 0);
  assert.equal(await weir.metric('weir_appservice_in_flight_seconds', labels),
    0);
});

test('gauges: connections are told by what they do', async (t) => {
  const bridge = await t.bridge();
  const weir = await t.weir({ bridges: [bridge] });
  const open = async (text) => {
    const made = await new raw_connection(weir.port).open();
    t.at_end(() => made.close());
    if (text) made.write(text);
    return made;
  };
  const put = request_text('PUT',
    '/_weir/as/bridge/_matrix/app/v1/transactions/1',
    [`Authorization: Bearer ${bridge.hs_token}`],
    JSON.stringify({ events: [message('$a')] }));
  await open();
  await open(put.subarray(0, 10));
  const half = await open(put.subarray(0, put.length - 5));
  const state = (name) => ({ side: 'homeserver', state: name });
  await reads(weir, 'weir_listener_connections', state('idle'), 1);
  await reads(weir, 'weir_listener_connections', state('reading_head'), 1);
  await reads(weir, 'weir_listener_connections', state('reading_body'), 1);
  half.write(put.subarray(put.length - 5));
  assert.equal((await half.response()).status, 200);
  await reads(weir, 'weir_listener_connections', state('idle'), 2);
  // The scrape itself.
  assert.equal(await weir.metric('weir_listener_connections',
    { side: 'admin', state: 'answering' }), 1);
});

test_on_stores('gauges: what is kept is told of each appservice and in all',
  async (t) => {
    const refusal = answer(400, '{"errcode":"M_BAD_JSON"}');
    const bridge = await t.bridge({ behaviour: refusal });
    const other = await t.bridge({ id: 'other' });
    const weir = await t.weir({ bridges: [bridge, other],
      over: { appservices: { defaults: { rejections_before_bisect: 1 } } } });
    const of = (name, id = 'bridge') =>
      weir.metric(`weir_appservice_${name}`, { appservice: id });
    await t.sender(weir, bridge).send(messages('a', 2));
    await reads(weir, 'weir_appservice_dead_letters', { appservice: 'bridge' },
      2);
    const bytes = await of('dead_letter_bytes');
    assert.ok(bytes > 100 && bytes < 2000, `${bytes}`);
    assert.equal(await of('dead_letters', 'other'), 0);
    const broken = '{not json at all';
    const told = await fetch_text(weir.port,
      '/_weir/as/bridge/_matrix/app/v1/transactions/x', { method: 'PUT',
        body: broken, headers: { authorization: `Bearer ${bridge.hs_token}` } });
    assert.equal(told.status, 400);
    assert.equal(await of('quarantined_bodies'), 1);
    assert.equal(await of('quarantine_bytes'), broken.length);
    assert.equal(await weir.metric('weir_kept_bytes', { kind: 'dead_letters' }),
      bytes);
    assert.equal(await weir.metric('weir_kept_bytes', { kind: 'quarantine' }),
      broken.length);
    assert.ok(await weir.metric('weir_store_database_bytes') > 50_000);
    const commits = await weir.metric('weir_store_commit_seconds_count');
    assert.ok(commits > 3, `${commits}`);
    assert.ok(await weir.metric('weir_store_commit_rows_sum') > 2);
  });

/// What the bridge itself knows of `txn`: the requests of it that have ended.
const tries_of = (bridge, txn) =>
  bridge.transactions.filter((one) => one.txn === txn && one.ended !== null);

const seconds_since = (moment) => (performance.now() - moment) / 1000;

test_on_stores('g35 bytes, ages, attempts and last errors are those that the ' +
  'bridge counts', { seconds: 120 }, async (t) => {
  const bridge = await t.bridge({ behaviour: answer(503) });
  const weir = await t.weir({ bridges: [bridge], over: { appservices: {
    defaults: { max_transaction_events: 3, backoff_first: '100ms',
      backoff_max: '300ms' } } } });
  const labels = { appservice: 'bridge' };
  const tell = (what) => weir.metric(`weir_appservice_${what}`, labels);
  const from = t.sender(weir, bridge);
  const events = [...messages('a', 4), message('$\u00e9', { content: {
    body: '\u00e9\u{1f600}'.repeat(500) } })];
  const bytes_of = (ids) => events.filter((one) => ids.includes(one.event_id))
    .reduce((sum, one) => sum + Buffer.byteLength(JSON.stringify(one)), 0);
  // Between these two moments it was stored.
  const asked = performance.now();
  for (const one of events) await from.send([one]);
  const stored = performance.now();

  await reads(weir, 'weir_appservice_bytes', labels,
    bytes_of(from.accepted));
  await bridge.sees(2);
  // A figure lies between what the bridge counts before and after the look.
  const attempts_agree = async () => {
    const [{ txn }] = bridge.transactions.slice(-1);
    const before = tries_of(bridge, txn).length;
    const told = await tell('attempts');
    const after = bridge.transactions.filter((one) => one.txn === txn).length;
    return told >= before && told <= after && before;
  };
  const first = await until('the attempts agree', attempts_agree);
  await bridge.sees(first + 4);
  assert.ok(await until('the attempts agree', attempts_agree) > first);

  const youngest = seconds_since(stored);
  const age = await tell('oldest_age_seconds');
  const oldest = seconds_since(asked);
  assert.ok(age >= youngest && age <= oldest + 0.1,
    `${age} s, by our clock ${youngest} to ${oldest}`);

  for (const [name, behaviour] of [['http_503', answer(503)],
    ['http_429', answer(429)], ['reset', reset_after_reading()],
    ['http_401', answer(401)]]) {
    bridge.behaviour = behaviour;
    const before = bridge.transactions.length;
    await bridge.sees(before + 2);
    await reads(weir, 'weir_appservice_last_error',
      { ...labels, class: name }, 1);
    const others = (await scrape(weir)).filter((one) =>
      one.name === 'weir_appservice_last_error' && one.labels.class !== name);
    assert.deepEqual(others, [], 'one class at a time');
  }

  bridge.behaviour = hang();
  const before = bridge.transactions.length;
  await bridge.sees(before + 1);
  const hung = bridge.transactions.at(-1);
  await reads(weir, 'weir_appservice_in_flight', labels, 1);
  const least = seconds_since(hung.began);
  const told = await tell('in_flight_seconds');
  assert.ok(told >= least - 0.1 && told <= seconds_since(hung.began) + 0.5,
    `${told} s, by the bridge ${least}`);

  // The first transaction is taken, the next refused: what it held is owed no
  // more, and the next has its own attempts.
  bridge.behaviour = sequence([200, 503]);
  await bridge.stop();
  await bridge.start();
  await until('the first is taken', () => bridge.received.length > 0);
  const left = from.accepted.filter((id) => !bridge.received.includes(id));
  await reads(weir, 'weir_appservice_bytes', labels, bytes_of(left));
  await bridge.sees(bridge.transactions.length + 2);
  await until('the attempts agree', attempts_agree);

  bridge.behaviour = answer(200);
  await bridge.has(from.accepted);
  await reads(weir, 'weir_appservice_bytes', labels, 0);
  assert.equal(await tell('oldest_age_seconds'), 0);
  assert.equal(await tell('in_flight_seconds'), 0);
  assert.equal(await tell('delivered_events_total'), events.length);
  assert.equal(await tell('delivered_transactions_total'),
    bridge.acked.length);
});

await run();
