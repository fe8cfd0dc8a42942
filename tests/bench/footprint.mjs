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

async function busy(t, count) {
  const all = [];
  for (let n = 0; n < count; n += 1) {
    all.push(appservice(n, await free_port()));
  }
  const weir = await start_with(t, all);
  const drains = await Promise.all(all.map((_, n) => drain(t,
    Number(new URL(all[n].url).port), busy_transactions * 100)));
  // Slots beat and the janitor looks whether there is load or not.
  const commits_of = () => weir.metric('weir_store_commits_total');
  const at_rest = await commits_of();
  await pause(settled_ms);
  const before = await commits_of();
  const begun = performance.now();
  await Promise.all(all.map((_, n) => fill(t, weir, n, busy_transactions)));
  await Promise.all(drains.map((one) => one.drained));
  await until('the last acknowledgements', async () =>
    (await weir.queue('bench0')).depth_events === 0);
  const took_ms = performance.now() - begun;
  const own = (before - at_rest) * took_ms / settled_ms;
  const commits = await commits_of() - before - own;
  console.log(`${count} busy: ${own.toFixed(1)} commits more are what Weir ` +
    `does at rest in ${(took_ms / 1000).toFixed(1)} s`);
  told(`commits a transaction, ${count} busy`,
    commits / (busy_transactions * count), 2, '');
  await weir.kill();
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
