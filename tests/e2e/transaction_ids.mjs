/// Ids are never repeated for other bytes (G2), whatever is done to the file.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { answer } from './lib/behaviours.mjs';
import { must_hold } from './lib/checkers.mjs';
import { message } from './lib/events.mjs';
import { run, test, test_on_stores } from './lib/test.mjs';

const ids = (bridge) => bridge.transactions.map((one) => one.txn);

test_on_stores('g08 ids do not repeat over restarts', async (t) => {
  const bridge = await t.bridge();
  const weir = await t.weir({ bridges: [bridge] });
  const from = t.sender(weir, bridge);
  for (let round = 0; round < 4; round += 1) {
    for (let n = 0; n < 3; n += 1) {
      await from.send([message(`$r${round}_${n}`)]);
    }
    await bridge.has(from.accepted);
    if (round % 2 === 0) await weir.kill();
    else assert.equal((await weir.stop()).code, 0);
    await weir.start();
  }
  must_hold({ accepted: from.accepted, records: bridge.transactions });
});

test('g08 a store that is found rewound gets a new run of ids',
  { store: 'postgresql' }, async (t) => {
    const bridge = await t.bridge();
    const weir = await t.weir({ bridges: [bridge] });
    const from = t.sender(weir, bridge);
    for (let n = 0; n < 3; n += 1) await from.send([message(`$a${n}`)]);
    await bridge.has(from.accepted);
    const before = new Set(ids(bridge));
    // As after a failover that lost the last commits.
    await t.cluster.query('UPDATE slot SET pos = pos - 2');
    for (let n = 0; n < 3; n += 1) await from.send([message(`$b${n}`)]);
    await bridge.has(from.accepted);
    must_hold({ accepted: from.accepted, records: bridge.transactions });
    const run_of = (id) => id.split('-')[0];
    const old_runs = new Set([...before].map(run_of));
    for (const one of bridge.transactions) {
      if (!one.events[0].startsWith('$b')) continue;
      assert.ok(!old_runs.has(run_of(one.txn)), `${one.txn} is of an old run`);
    }
  });

/// Copies the whole data as `cp -a` would: the file, its log and its index.
function copy_store(weir, to) {
  fs.rmSync(to, { recursive: true, force: true });
  fs.mkdirSync(to, { mode: 0o700 });
  for (const name of fs.readdirSync(weir.folder)) {
    if (!name.startsWith('weir.db')) continue;
    fs.copyFileSync(path.join(weir.folder, name), path.join(to, name));
  }
}

function put_back(weir, from) {
  for (const name of fs.readdirSync(weir.folder)) {
    if (name.startsWith('weir.db')) fs.rmSync(path.join(weir.folder, name));
  }
  for (const name of fs.readdirSync(from)) {
    fs.copyFileSync(path.join(from, name), path.join(weir.folder, name));
    fs.chmodSync(path.join(weir.folder, name), 0o600);
  }
}

test('g08 ids do not repeat after a plain copy of yesterday is put back',
  async (t) => {
    const bridge = await t.bridge();
    const weir = await t.weir({ bridges: [bridge] });
    const from = t.sender(weir, bridge);
    await from.send([message('$yesterday')]);
    await bridge.has(['$yesterday']);
    // One event is pinned and unsent in the copy.
    bridge.behaviour = answer(503);
    await from.send([message('$pinned')]);
    await bridge.sees(2);
    await weir.kill();
    const copy = path.join(t.folder(), 'copy');
    copy_store(weir, copy);
    bridge.behaviour = answer(200);
    for (let round = 0; round < 3; round += 1) {
      await weir.start();
      for (let n = 0; n < 3; n += 1) {
        await from.send([message(`$round${round}_${n}`)]);
        await bridge.has([`$round${round}_${n}`]);
      }
      assert.equal((await weir.stop()).code, 0);
      put_back(weir, copy);
    }
    const shas = new Map();
    for (const one of bridge.transactions) {
      const known = shas.get(one.txn);
      assert.ok(known === undefined || known === one.sha,
        `${one.txn} was used for other bytes`);
      shas.set(one.txn, one.sha);
    }
    assert.equal(new Set(bridge.received).size, bridge.received.length);
    // Only the one that was pinned in the copy may come again.
    const again = ids(bridge).filter((id, at, all) => all.indexOf(id) !== at);
    const [pinned] = bridge.transactions.filter(
      (one) => one.events.includes('$pinned'));
    for (const id of again) assert.equal(id, pinned.txn);
  });

await run();
