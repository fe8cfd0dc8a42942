/// The configuration read again while Weir runs: bridges come, change and go,
/// and nothing that is owed is lost.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { answer, slow } from './lib/behaviours.mjs';
import { must_hold } from './lib/checkers.mjs';
import { message, messages } from './lib/events.mjs';
import { registration_of, write_private } from './lib/files.mjs';
import { run, test, test_on_stores } from './lib/test.mjs';
import { stays, until } from './lib/wait.mjs';

/// Refuses every token but one, as a bridge does.
function taking(token) {
  return (record, reply) => {
    const right = record.headers.authorization === `Bearer ${token}`;
    return answer(right ? 200 : 401)(record, reply);
  };
}

function file_of(weir, bridge) {
  return path.join(weir.folder, 'bridges', `${bridge.id}.yaml`);
}

function write(weir, bridge, over = {}) {
  write_private(file_of(weir, bridge), { ...registration_of(bridge), ...over });
}

async function reload(weir) {
  const done = await weir.command('reload', '--json');
  assert.equal(done.code, 0, JSON.stringify(done));
  return JSON.parse(done.out);
}

test_on_stores('g17 a wrong token loses nothing, and the pinned transaction ' +
  'goes out with the new one after a reload', async (t) => {
  const bridge = await t.bridge();
  bridge.behaviour = taking('mended_token');
  const weir = await t.weir({ bridges: [bridge] });
  const from = t.sender(weir, bridge);
  for (const one of messages('$early', 20)) await from.send([one]);
  await bridge.sees(3);
  const refused = bridge.transactions[0];
  bridge.hs_token = 'mended_token';
  write(weir, bridge);
  const told = await reload(weir);
  assert.deepEqual([told.added, told.changed, told.removed],
    [[], ['bridge'], []]);
  await from.send([message('$late')]);
  await bridge.has([...messages('$early', 20).map((one) => one.event_id),
    '$late']);
  const taken = bridge.transactions.find((one) => one.status === 200);
  assert.equal(taken.txn, refused.txn);
  assert.equal(taken.sha, refused.sha);
  must_hold({ accepted: from.accepted, records: bridge.transactions });
});

test('reload: SIGHUP takes up a new bridge, and its url when it moves',
  async (t) => {
    const first = await t.bridge({ id: 'first' });
    const second = await t.bridge({ id: 'second' });
    const weir = await t.weir({ bridges: [first] });
    const from = t.sender(weir, second);
    assert.equal((await weir.get(
      '/_weir/as/second/_matrix/app/v1/users/@a:b')).status, 404);
    write(weir, second);
    weir.child.kill('SIGHUP');
    await until('the new bridge is known', async () => {
      return /configuration reloaded.*added=second/.test(weir.log());
    });
    await from.send([message('$a')]);
    await second.has(['$a']);
    const moved = await t.bridge({ id: 'second' });
    write(weir, moved);
    weir.child.kill('SIGHUP');
    await until('the move is known', async () => {
      return /configuration reloaded.*changed=second/.test(weir.log());
    });
    await from.send([message('$b')]);
    await moved.has(['$b']);
    assert.deepEqual(second.received, ['$a']);
  });

test('reload: a SIGHUP in the first moments is no end', async (t) => {
  const bridge = await t.bridge();
  const weir = await t.prepare({ bridges: [bridge] });
  const child = weir.spawn();
  await until('it has come to its store', () =>
    fs.existsSync(path.join(weir.folder, 'data', 'node_id')));
  const hangs_up = setInterval(() => child.kill('SIGHUP'), 5);
  t.at_end(() => clearInterval(hangs_up));
  await until('weir is ready', async () => {
    assert.equal(child.signalCode ?? child.exitCode, null);
    return (await weir.get('/ready', { seconds: 5 })).status === 200;
  });
});

test('reload: what is wrong changes nothing and is named', async (t) => {
  const bridge = await t.bridge();
  const other = await t.bridge({ id: 'other' });
  const weir = await t.weir({ bridges: [bridge] });
  write(weir, other);
  const odd = path.join(weir.folder, 'bridges', 'odd.yaml');
  write_private(odd, 'id: [');
  const refused = await weir.command('reload');
  assert.equal(refused.code, 1, JSON.stringify(refused));
  assert.match(refused.err, /nothing was changed/i);
  assert.ok(refused.err.includes(`${odd}:1`), refused.err);
  assert.equal((await weir.command('reload')).code, 1);
  // However soon after one another, each is told with what is wrong.
  for (const number of [1, 2]) {
    assert.ok(weir.log().includes(`configuration not reloaded refusal=${number} `
      + `problems=1 first=${odd}:1`), weir.log());
  }
  assert.equal(await weir.queue('other'), undefined);
  const from = t.sender(weir, bridge);
  await from.send([message('$a')]);
  await bridge.has(['$a']);
  fs.rmSync(odd);
  const taken = await weir.command('reload');
  assert.equal(taken.code, 0, JSON.stringify(taken));
  assert.match(taken.out, /^reloaded\nadded +other\n$/);
});

test_on_stores('reload: a bridge that is let go is sent nothing more, is shown ' +
  'as removed, and gets what it is owed when it comes back', async (t) => {
  const bridge = await t.bridge();
  const other = await t.bridge({ id: 'other' });
  bridge.behaviour = slow(1000);
  const weir = await t.weir({ bridges: [bridge, other] });
  const from = t.sender(weir, bridge);
  await from.send([message('$in_flight')]);
  await bridge.sees(1);
  await from.send([message('$owed')]);
  fs.rmSync(file_of(weir, bridge));
  assert.deepEqual((await reload(weir)).removed, ['bridge']);
  const refused = await weir.get('/_weir/as/bridge/_matrix/app/v1/users/@a:b',
    { headers: { authorization: `Bearer ${bridge.hs_token}` } });
  assert.equal(refused.status, 404, refused.body);
  await bridge.has(['$in_flight']);
  await stays('the rest is not sent', () => bridge.transactions.length === 1,
    1500);
  const status = await weir.command('status');
  assert.match(status.out, /^bridge +removed +(-|\d+m?s) +1 /m);
  bridge.behaviour = answer(200);
  write(weir, bridge);
  assert.deepEqual((await reload(weir)).added, ['bridge']);
  await bridge.has(['$in_flight', '$owed']);
  must_hold({ accepted: from.accepted, records: bridge.transactions });
});

test('reload: load goes on through fifty of them', async (t) => {
  const bridge = await t.bridge();
  const other = await t.bridge({ id: 'other' });
  const weir = await t.weir({ bridges: [bridge, other] });
  const from = t.sender(weir, bridge);
  let going = true;
  const load = (async () => {
    for (let n = 0; going; n += 1) await from.send([message(`$e${n}`)]);
  })();
  for (let n = 0; n < 50; n += 1) {
    if (n % 2 === 0) fs.rmSync(file_of(weir, other));
    else write(weir, other);
    write(weir, bridge, { rate_limited: n % 2 === 0 });
    await reload(weir);
  }
  going = false;
  await load;
  await bridge.has(from.accepted);
  must_hold({ accepted: from.accepted, records: bridge.transactions });
});

test('reload: what only a restart takes up is named', async (t) => {
  const bridge = await t.bridge();
  const weir = await t.weir({ bridges: [bridge] });
  weir.over = { drain: { timeout: '7s' } };
  await weir.write_files();
  assert.deepEqual((await reload(weir)).need_restart, ['drain']);
  assert.match(weir.log(), /settings wait for a restart keys=drain/);
});

await run();
