/// Readers beside load: SQLite's log cannot be emptied past what somebody still
/// reads, so that it must not be Weir that reads for long.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { load, load_settings } from './lib/load.mjs';
import { run, test } from './lib/test.mjs';
import { pause } from './lib/wait.mjs';

const log_bytes_max = 128 * 1024 * 1024;
/// As a copy of the file by sqlite3's own means holds it.
const foreign_read_s = 20;

/// Reads pages of all there is to read, one after the other, for as long as
/// `going` says so. Answers how many.
async function read_all_the_time(weir, going) {
  let pages = 0;
  while (going()) {
    for (const target of ['status', 'dead-letters?limit=1000', 'queues']) {
      const page = await weir.admin(`/_weir/admin/v1/${target}`);
      assert.equal(page.status, 200, page.body);
      pages += 1;
    }
  }
  return pages;
}

/// Holds one snapshot after another with the shell of SQLite.
async function hold_snapshots(t, file, going) {
  let held = 0;
  while (going()) {
    const shell = spawn('sqlite3', ['-readonly', file],
      { stdio: ['pipe', 'ignore', 'inherit'] });
    const ended = new Promise((done) => shell.on('close', done));
    t.at_end(() => shell.kill());
    shell.stdin.write('BEGIN; SELECT count(*) FROM outbox;\n');
    await pause(foreign_read_s * 1000);
    shell.stdin.end('COMMIT;\n');
    assert.equal(await ended, 0);
    held += 1;
  }
  return held;
}

test('readers for ten minutes beside load leave the log of SQLite small',
  { seconds: 1200, soak: true, serial: true }, async (t) => {
    const busy = await new load({ seed: 7, rest_ms: 5 }).prepare(t);
    const weir = await t.weir({ bridges: busy.bridges, over: load_settings() });
    const file = path.join(weir.folder, 'weir.db');
    busy.begin(t, weir);
    const until = Date.now() + 600_000;
    const going = () => Date.now() < until;
    const reads = read_all_the_time(weir, going);
    const holds = hold_snapshots(t, file, going);
    let largest = 0;
    while (going()) {
      largest = Math.max(largest, fs.statSync(`${file}-wal`).size);
      await pause(200);
    }
    const [pages, snapshots] = await Promise.all([reads, holds]);
    const counts = await busy.finish();
    const after = fs.statSync(`${file}-wal`).size;
    console.log(`${counts.events} events in ${counts.transactions} ` +
      `transactions beside ${pages} pages and ${snapshots} snapshots of ` +
      `${foreign_read_s} s: the log had at most ` +
      `${(largest / 1048576).toFixed(1)} MiB, ` +
      `${(after / 1048576).toFixed(1)} MiB at the end`);
    assert.ok(largest < log_bytes_max, `the log had ${largest} bytes`);
    assert.ok(snapshots >= 20 && pages > 1000);
  });

await run();
