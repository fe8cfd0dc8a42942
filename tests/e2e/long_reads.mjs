/// Readers beside load: SQLite's log cannot be emptied past what somebody still
/// reads, so that Weir itself reads in short snapshots, however much there is.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { answer } from './lib/behaviours.mjs';
import { messages } from './lib/events.mjs';
import { load, load_settings } from './lib/load.mjs';
import { run, test } from './lib/test.mjs';
import { pause } from './lib/wait.mjs';

const log_bytes_max = 128 * 1024 * 1024;
const letters = 20_000;

/// Dead letters of a bridge that is away, enough for many pages.
async function fill(t, weir, away) {
  const from = t.sender(weir, away);
  for (let n = 0; n < letters; n += 100) {
    await from.send(messages('kept', 100, n));
  }
}

/// Reads all dead letters from the first page to the last, over and over, for
/// as long as `going` says so. Answers how many.
async function read_all_the_time(weir, going) {
  let read = 0;
  let after = 0;
  while (going()) {
    const page = await weir.admin(
      `/_weir/admin/v1/dead-letters?limit=1000&after=${after}`);
    assert.equal(page.status, 200, page.body);
    const { dead_letters, next } = JSON.parse(page.body);
    read += dead_letters.length;
    after = next ?? 0;
  }
  return read;
}

test('ten minutes of reading beside load leave the log of SQLite small',
  { seconds: 1200, soak: true, serial: true }, async (t) => {
    const busy = await new load({ seed: 7, rest_ms: 5 }).prepare(t);
    const away = await t.bridge({ id: 'away', behaviour: answer(503) });
    const over = load_settings();
    over.appservices.overrides = { away:
      { queue_overflow: 'dead_letter_oldest', queue_events_max: 200 } };
    const weir = await t.weir({ bridges: [...busy.bridges, away], over });
    await fill(t, weir, away);
    const file = path.join(weir.folder, 'weir.db-wal');
    busy.begin(t, weir);
    const until = Date.now() + 600_000;
    const going = () => Date.now() < until;
    const readers = [1, 2, 3].map(() => read_all_the_time(weir, going));
    let largest = 0;
    while (going()) {
      largest = Math.max(largest, fs.statSync(file).size);
      await pause(200);
    }
    const read = (await Promise.all(readers)).reduce((a, b) => a + b);
    const counts = await busy.finish();
    console.log(`${counts.events} events in ${counts.transactions} ` +
      `transactions while ${read} dead letters were read: the log had at ` +
      `most ${(largest / 1_048_576).toFixed(1)} MiB`);
    assert.ok(read > 10 * letters, `${read} dead letters were read`);
    assert.ok(largest < log_bytes_max, `the log had ${largest} bytes`);
  });

await run();
