/// What Weir takes when it has little to do, when it is owed for and when it is
/// busy, beside what docs/scale.md allows. Run by `scripts/bench --footprint`.
/// Exit status 1 when a bound is passed.
import fs from 'node:fs';
import { setting } from '../e2e/lib/setting.mjs';
import { free_port } from '../e2e/lib/ports.mjs';
import { pause, until } from '../e2e/lib/wait.mjs';
import { appservice, drain, fill } from './lib/peer.mjs';

const many = 10_000;
const backlog_transactions = 10_000; // A million events.
const busy_transactions = 300;
/// What a start leaves to be done has been done by then.
const settled_ms = 10_000;

const found = [];

function told(what, value, bound, unit) {
  const reached = value <= bound;
  found.push(reached);
  console.log(`${what}: ${value.toFixed(unit === '' ? 2 : 1)} ${unit} of at ` +
    `most ${bound} ${unit}: ${reached ? 'reached' : 'MISSED'}`);
}

/// Resident memory of a process, MB.
function memory_of(weir) {
  const status = fs.readFileSync(`/proc/${weir.child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)[1]) * 1024 / 1e6;
}

async function start_with(t, appservices) {
  const weir = await t.prepare({ bridges: appservices,
    over: { log: { level: 'info' } } });
  await weir.start({ seconds: 120 });
  await pause(settled_ms);
  return weir;
}

/// Seconds from the start of the process until it says that it is ready.
async function restart(weir) {
  await weir.kill();
  const begun = performance.now();
  weir.spawn();
  while ((await weir.get('/ready', { seconds: 5 })).status !== 200) {
    await pause(10);
    if (performance.now() - begun > 60_000) throw new Error('not ready');
  }
  return (performance.now() - begun) / 1000;
}

/// What Prometheus costs a Weir with many appservices.
async function scraped(weir) {
  const before = memory_of(weir);
  const begun = performance.now();
  const page = await weir.admin('/metrics');
  const seconds = (performance.now() - begun) / 1000;
  told(`a scrape of ${many} appservices`, page.body.length / 1e6, 15, 'MB');
  told('the same', seconds, 5, 's');
  for (let n = 0; n < 9; n += 1) await weir.admin('/metrics');
  told('memory after ten scrapes, more than before', memory_of(weir) - before,
    40, 'MB');
}

async function idle(t) {
  const port = await free_port();
  const one = await start_with(t, [appservice(0, port)]);
  const of_one = memory_of(one);
  told('memory, idle, one appservice', of_one, 50, 'MB');
  await one.kill();
  const all = await start_with(t, Array.from({ length: many },
    (_, n) => appservice(n, port)));
  told(`memory, idle, ${many} appservices, more than with one`,
    memory_of(all) - of_one, 30, 'MB');
  await scraped(all);
  await all.kill();
}

async function owed(t) {
  // Nobody listens there.
  const weir = await start_with(t, [appservice(0, await free_port())]);
  const { events, seconds } = await fill(t, weir, 0, backlog_transactions, 900);
  console.log(`${events} events accepted in ${seconds} s`);
  told('memory, a million events owed, accepted just now', memory_of(weir), 150,
    'MB');
  told('start on a million events owed, until ready', await restart(weir), 2,
    's');
  await pause(settled_ms);
  told('memory, a million events owed, after a restart', memory_of(weir), 150,
    'MB');
  await weir.kill();
}

/// Commits that a burst of so many transactions for each appservice takes on a
/// new Weir, less those that Weir makes at rest: slots beat whether there is
/// load or not.
async function commits_of_burst(t, count, transactions) {
  const all = [];
  for (let n = 0; n < count; n += 1) {
    all.push(appservice(n, await free_port()));
  }
  const weir = await start_with(t, all);
  const commits = () => weir.metric('weir_store_commits_total');
  const at_first = await commits();
  await pause(settled_ms);
  const at_rest_a_ms = (await commits() - at_first) / settled_ms;
  const drains = await Promise.all(all.map((one) => drain(t,
    Number(new URL(one.url).port), transactions * 100)));
  const before = await commits();
  const begun = performance.now();
  await Promise.all(all.map((_, n) => fill(t, weir, n, transactions)));
  await Promise.all(drains.map((one) => one.drained));
  await until('the last acknowledgements', async () => (await Promise.all(
    all.map((one) => weir.queue(one.id))))
    .every((one) => one.depth_events === 0));
  const made = await commits() - before;
  const took_ms = performance.now() - begun;
  await weir.kill();
  return made - took_ms * at_rest_a_ms;
}

/// By two bursts, so that what a burst takes once, as telling that the queue
/// flows, is not counted.
async function busy(t, count) {
  const small = await commits_of_burst(t, count, busy_transactions);
  const large = await commits_of_burst(t, count, busy_transactions * 4);
  told(`commits a transaction, ${count} busy`,
    (large - small) / (busy_transactions * 3 * count), 2, '');
}

const t = new setting();
let broke = false;
try {
  await idle(t);
  await owed(t);
  await busy(t, 1);
  await busy(t, 8);
} catch (error) {
  broke = true;
  console.error(error.stack);
  console.error(t.report());
}
await t.close(broke);
process.exit(!broke && found.every(Boolean) ? 0 : 1);
