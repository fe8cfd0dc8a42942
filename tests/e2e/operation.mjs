/// What operators see and do: start, stop, health, metrics, status, logs.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { answer, slow } from './lib/behaviours.mjs';
import { must_hold } from './lib/checkers.mjs';
import { message, messages } from './lib/events.mjs';
import { raw_connection, request_text } from './lib/raw_http.mjs';
import { run, test, test_on_stores } from './lib/test.mjs';
import { pause, until, within } from './lib/wait.mjs';
import { fetch_text, run_command } from './lib/weir.mjs';

test_on_stores('SIGTERM finishes what is in flight and ends with 0',
  async (t) => {
    const bridge = await t.bridge({ behaviour: slow(1500) });
    const weir = await t.weir({ bridges: [bridge] });
    const from = t.sender(weir, bridge);
    await from.send([message('$in_flight')]);
    await from.send([message('$queued')]);
    await bridge.sees(1);
    const how = await weir.stop();
    assert.equal(how.code, 0, JSON.stringify(how));
    // What was in flight was answered and its acknowledgement is stored:
    // nothing of it comes again. Nothing new was started.
    assert.deepEqual(bridge.received, ['$in_flight']);
    assert.equal(bridge.transactions.length, 1);
    bridge.behaviour = answer(200);
    await weir.start();
    await bridge.has(['$queued']);
    assert.equal(bridge.transactions.length, 2);
    must_hold({ accepted: from.accepted, records: bridge.transactions });
  });

test('SIGTERM answers the request that is being taken', async (t) => {
  const bridge = await t.bridge();
  const weir = await t.weir({ bridges: [bridge] });
  const body = JSON.stringify({ events: [message('$a')] });
  const whole = request_text('PUT',
    '/_weir/as/bridge/_matrix/app/v1/transactions/1',
    [`Authorization: Bearer ${bridge.hs_token}`], body);
  const connection = await new raw_connection(weir.port).open();
  t.at_end(() => connection.close());
  connection.write(whole.subarray(0, whole.length - 5));
  await until('the head was read', async () => {
    return await weir.metric('weir_budget_bytes') > 0;
  });
  const stopped = weir.stop();
  await until('nobody else is let in', async () => {
    return (await weir.get('/health')).status === 0;
  });
  // Long after the actors have nothing left to finish.
  await pause(300);
  connection.write(whole.subarray(whole.length - 5));
  const response = await connection.response();
  assert.equal(response.status, 200, JSON.stringify(response));
  assert.equal((await stopped).code, 0);
  assert.deepEqual(bridge.received, []);
  await weir.start();
  await bridge.has(['$a']);
});

test('SIGTERM answers the requests that were sent before it', async (t) => {
  const bridge = await t.bridge();
  const weir = await t.weir({ bridges: [bridge] });
  const put = (txn) => request_text('PUT',
    `/_weir/as/bridge/_matrix/app/v1/transactions/${txn}`,
    [`Authorization: Bearer ${bridge.hs_token}`],
    JSON.stringify({ events: [message(`$${txn}`)] }));
  const kept = [];
  for (let n = 0; n < 20; n += 1) {
    const connection = await new raw_connection(weir.port).open();
    t.at_end(() => connection.close());
    connection.write(put(`warm${n}`));
    assert.equal((await connection.response()).status, 200);
    kept.push(connection);
  }
  for (const [n, connection] of kept.entries()) connection.write(put(`last${n}`));
  const stopped = weir.stop();
  for (const connection of kept) {
    const response = await connection.response();
    assert.equal(response.status, 200, JSON.stringify(response));
  }
  assert.equal((await stopped).code, 0);
  await weir.start();
  await bridge.has(kept.map((_, n) => `$last${n}`));
});

test('SIGTERM does not wait for a hanging bridge longer than it is told',
  async (t) => {
    const bridge = await t.bridge({ behaviour: async () => {} });
    const weir = await t.weir({ bridges: [bridge],
      over: { drain: { timeout: '1s' } } });
    const from = t.sender(weir, bridge);
    await from.send([message('$a')]);
    await bridge.sees(1);
    const how = await within('weir ends', weir.stop(), 15);
    assert.equal(how.code, 0, JSON.stringify(how));
    bridge.behaviour = answer(200);
    await weir.start();
    await bridge.has(['$a']);
    must_hold({ accepted: from.accepted, records: bridge.transactions });
  });

test('a second process on the same file is refused', async (t) => {
  const bridge = await t.bridge();
  const weir = await t.weir({ bridges: [bridge] });
  const second = await t.prepare({ bridges: [bridge],
    store_url: weir.store_url });
  const child = second.spawn();
  const how = await within('the second ends', child.exited, 30);
  assert.notEqual(how.code, 0);
  assert.match(second.log(), /lock|another process|in use|busy/i);
  const from = t.sender(weir, bridge);
  await from.send([message('$a')]);
  await bridge.has(['$a']);
});

test('a second process on the same data folder is refused', async (t) => {
  const bridge = await t.bridge();
  const weir = await t.weir({ bridges: [bridge] });
  const second = await t.prepare({ bridges: [bridge],
    over: { storage: { data_dir: path.join(weir.folder, 'data') } } });
  const how = await within('the second ends', second.spawn().exited, 30);
  assert.notEqual(how.code, 0);
});

test('a second process on the same PostgreSQL database is refused',
  { store: 'postgresql' }, async (t) => {
    const bridge = await t.bridge();
    const weir = await t.weir({ bridges: [bridge] });
    const second = await t.prepare({ bridges: [bridge] });
    const how = await within('the second ends', second.spawn().exited, 40);
    assert.notEqual(how.code, 0);
    const from = t.sender(weir, bridge);
    await from.send([message('$a')]);
    await bridge.has(['$a']);
    must_hold({ accepted: from.accepted, records: bridge.transactions });
  });

test('a taken port is told and ends the start', async (t) => {
  const bridge = await t.bridge();
  const other = await t.bridge();
  const weir = await t.prepare({ bridges: [bridge],
    over: { listen: `127.0.0.1:${other.port}` } });
  const how = await within('weir ends', weir.spawn().exited, 30);
  assert.notEqual(how.code, 0);
  assert.ok(weir.log().includes(String(other.port)), weir.log());
});

test('health and ready answer on both listeners, to GET and HEAD alone', async (t) => {
  const bridge = await t.bridge();
  const weir = await t.weir({ bridges: [bridge] });
  for (const port of [weir.port, weir.admin_port]) {
    for (const target of ['/health', '/ready']) {
      assert.equal((await fetch_text(port, target)).status, 200, target);
      assert.equal((await fetch_text(port, target, { method: 'HEAD' })).status,
        200, target);
      for (const method of ['POST', 'PUT', 'DELETE', 'BREW']) {
        const refused = await fetch_text(port, target, { method });
        assert.equal(refused.status, 405, `${method} ${target}`);
        assert.equal(JSON.parse(refused.body).errcode, 'M_UNRECOGNIZED');
        assert.equal(refused.headers.allow, 'GET, HEAD');
      }
    }
  }
});

test('ready tells that the store is away while health stays good',
  { store: 'postgresql', seconds: 90 }, async (t) => {
    const bridge = await t.bridge();
    const weir = await t.weir({ bridges: [bridge] });
    await t.cluster.down('fast');
    await until('ready says no', async () =>
      (await weir.get('/ready')).status === 503, 30);
    assert.equal((await weir.get('/health')).status, 200);
    await t.cluster.up();
    await until('ready says yes', async () =>
      (await weir.get('/ready')).status === 200, 30);
  });

test('the admin listener wants its token', async (t) => {
  const bridge = await t.bridge();
  const weir = await t.weir({ bridges: [bridge] });
  const target = '/_weir/admin/v1/status';
  const none = await fetch_text(weir.admin_port, target);
  assert.ok([401, 403].includes(none.status), `${none.status}`);
  const wrong = await weir.admin(target,
    { headers: { authorization: `Bearer ${bridge.hs_token}` } });
  assert.ok([401, 403].includes(wrong.status), `${wrong.status}`);
  const right = await weir.admin(target);
  assert.equal(right.status, 200, right.body);
  const file = path.join(weir.folder, 'data', 'admin.token');
  assert.equal(fs.statSync(file).mode & 0o777, 0o600);
  assert.ok(weir.admin_token().length >= 32);
  // The main listener does not serve it.
  const elsewhere = await weir.get(target,
    { headers: { authorization: `Bearer ${weir.admin_token()}` } });
  assert.equal(elsewhere.status, 404);
});

test('status shows depth, age, state and last error of each appservice',
  async (t) => {
    const bad = await t.bridge({ id: 'bad', behaviour: answer(503) });
    const good = await t.bridge({ id: 'good' });
    const weir = await t.weir({ bridges: [bad, good] });
    const to_bad = t.sender(weir, bad);
    await to_bad.send(messages('a', 3));
    await to_bad.send(messages('b', 4));
    await t.sender(weir, good).send(messages('c', 2));
    await good.has(['$c0', '$c1']);
    await bad.sees(2);
    const seen = await until('the queue rests', async () => {
      const status = await weir.queue('bad');
      return status?.state === 'resting' && status;
    });
    assert.equal(seen.depth_events, 7);
    assert.equal(seen.last_error, 'http_503');
    assert.ok(seen.bytes > 7 * 100);
    assert.ok(seen.oldest_age_ms >= 0 && seen.oldest_age_ms < 60_000);
    assert.ok(seen.attempts >= 2);
    await until('the good queue is idle', async () => {
      const status = await weir.queue('good');
      return status?.depth_events === 0 && status.delivered_events === 2;
    });
    const told = await weir.command('status', '--json');
    assert.equal(told.code, 0, told.err);
    const ids = JSON.parse(told.out).appservices.map((one) => one.id);
    assert.deepEqual(ids.sort(), ['bad', 'good']);
    const text = await weir.command('status');
    assert.equal(text.code, 0, text.err);
    for (const word of ['bad', 'good', 'http_503']) {
      assert.ok(text.out.includes(word), text.out);
    }
  });

test('dead letters are listed and shown with their bytes', async (t) => {
  const refusal = answer(400, '{"errcode":"M_BAD_JSON"}');
  const bridge = await t.bridge({ behaviour: refusal });
  const weir = await t.weir({ bridges: [bridge], over: { appservices:
    { defaults: { rejections_before_bisect: 1 } } } });
  const from = t.sender(weir, bridge);
  const raw = '{"event_id":"$odd","n":9007199254740993,"m":-0,"x":"\\ud800"}';
  assert.equal((await from.once(1, `{"events":[${raw}]}`)).status, 200);
  await until('the letter is there', async () =>
    (await weir.dead_letters()).length === 1, 30);
  const [letter] = await weir.dead_letters();
  assert.equal(letter.appservice, 'bridge');
  assert.match(letter.reason, /400/);
  assert.equal(letter.event_id, '$odd');
  const listed = await weir.command('dead-letters', 'list');
  assert.equal(listed.code, 0, listed.err);
  assert.ok(listed.out.includes('$odd'), listed.out);
  const shown = await weir.command('dead-letters', 'show', String(letter.id));
  assert.equal(shown.code, 0, shown.err);
  assert.ok(shown.out.includes(raw), shown.out);
  const whole = await weir.command('dead-letters', 'show', String(letter.id),
    '--json');
  assert.equal(JSON.parse(whole.out).content, raw);
  const none = await weir.command('dead-letters', 'show', '999999');
  assert.notEqual(none.code, 0);
});

test('commands say what to do when weir does not run', async (t) => {
  const bridge = await t.bridge();
  const weir = await t.weir({ bridges: [bridge] });
  await weir.stop();
  const result = await weir.command('status');
  assert.notEqual(result.code, 0);
  assert.ok(result.err.includes(String(weir.admin_port)), result.err);
});

test('g35 metrics agree with what the bridge counted', async (t) => {
  const bridge = await t.bridge({ behaviour: answer(503) });
  const weir = await t.weir({ bridges: [bridge] });
  const from = t.sender(weir, bridge);
  for (let n = 0; n < 4; n += 1) await from.send(messages(`n${n}_`, 5));
  await bridge.sees(3);
  const labels = { appservice: 'bridge' };
  await until('the depth is told', async () =>
    (await weir.metric('weir_appservice_depth_events', labels)) === 20);
  assert.ok(await weir.metric('weir_appservice_bytes', labels) > 1000);
  bridge.behaviour = answer(200);
  await bridge.has(from.accepted);
  await until('nothing is owed', async () =>
    (await weir.metric('weir_appservice_depth_events', labels)) === 0);
  assert.equal(await weir.metric('weir_appservice_delivered_events_total',
    labels), 20);
  assert.equal(await weir.metric('weir_appservice_delivered_transactions_total',
    labels), bridge.acked.length);
  const page = await weir.admin('/metrics');
  assert.match(page.headers['content-type'], /text\/plain|openmetrics/);
  assert.match(page.body, /^# HELP weir_/m);
});

test('logs hold no token and no event body', async (t) => {
  const bridge = await t.bridge({ behaviour: answer(400) });
  const weir = await t.weir({ bridges: [bridge], over: { appservices:
    { defaults: { rejections_before_bisect: 1 } }, log: { level: 'debug' } } });
  const secret = 'unmistakable words of a person';
  const from = t.sender(weir, bridge);
  await from.send([message('$a', { content: { body: secret } })]);
  assert.equal((await from.once(50, `{"events":["${secret}`)).status, 400);
  const query = await weir.get(`/_weir/as/bridge/_matrix/app/v1/users/` +
    `x?access_token=${bridge.hs_token}`);
  assert.ok(query.status > 0);
  await bridge.sees(1);
  assert.equal((await weir.stop()).code, 0);
  const log = weir.log();
  assert.ok(log.length > 0);
  for (const word of [secret, bridge.hs_token, bridge.as_token,
    'as_secret_of_weir_itself', weir.admin_token()]) {
    assert.ok(!log.includes(word), `the log holds ${word}`);
  }
});

test('a stranger who tries tokens and paths cannot flood the log',
  async (t) => {
    const bridge = await t.bridge();
    const weir = await t.weir({ bridges: [bridge] });
    for (let n = 0; n < 100; n += 1) {
      const refused = await weir.get(`/_matrix/app/v1/users/x${n}`,
        { headers: { authorization: `Bearer guess${n}` } });
      assert.equal(refused.status, 403);
    }
    const lines = weir.log().split('\n')
      .filter((line) => line.includes('wrong token'));
    // One at once, and one with a count each ten seconds.
    assert.ok(lines.length >= 1 && lines.length <= 2, lines.join('\n'));
    assert.match(lines[0], / warn listener request with a wrong token /);
  });

test('version is told', async () => {
  const result = await run_command(['version']);
  assert.equal(result.code, 0);
  assert.match(result.out, /^weir \d+\.\d+\.\d+$/m);
});

await run();
