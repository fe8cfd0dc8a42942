/// A crash campaign: SIGKILL again and again, at random moments and at named
/// steps, while homeservers send and bridges fail.
import fs from 'node:fs';
import path from 'node:path';
import { load, load_settings } from './load.mjs';
import { random_source } from './random.mjs';
import { pause, until } from './wait.mjs';

/// The steps at which the test program can be stopped (actors/stop_points.hpp).
export const named_steps
  = ['after_accept_commit', 'after_pin', 'after_send', 'before_ack_commit'];

/// How long a named step may take to be reached before the kill happens where
/// the process is.
const step_seconds = 15;

/// An id is pinned with an accepted transaction only when the queue rests, and
/// on a busy machine none does unless senders pause for as long as this.
const rest_for_pins_ms = 700;

export function is_reached(file) {
  return fs.existsSync(file) && fs.readFileSync(file, 'utf8').length > 0;
}

/// Runs Weir until `step` was passed `count` times, then kills it there.
/// Answers whether the step was reached.
export async function kill_at(weir, step, count, file) {
  fs.rmSync(file, { force: true });
  const env = { WEIR_STOP_AT: `${step}:${count}`, WEIR_STOP_FILE: file };
  weir.spawn(env);
  let reached = true;
  try {
    await until(`${step} is reached`, () => is_reached(file), step_seconds);
  } catch {
    reached = false;
  }
  await weir.kill();
  return reached;
}

/// Starts Weir as a service manager would: once more when the database took
/// longer than Weir waits for a connection, which a busy machine can bring
/// about. Any other failure at a start is one of the campaign's.
async function start(weir) {
  for (let tries = 1; ; tries += 1) {
    try {
      await weir.start({ seconds: 60 });
      return;
    } catch (error) {
      const busy = /cannot start .*no connection to PostgreSQL/;
      if (tries === 5 || !busy.test(weir.log())) throw error;
    }
  }
}

/// Kills at a random moment, now and then already while Weir is starting.
async function kill_at_random(weir, random) {
  if (random.chance(0.15)) {
    weir.spawn();
    await pause(random.between(0, 150));
  } else {
    await start(weir);
    await pause(random.between(0, 500));
  }
  await weir.kill();
}

/// `kills` kills on the store of the setting `t`. Throws at any violation;
/// answers counts.
export async function campaign(t, { kills, seed, say = () => {} }) {
  const random = new random_source(seed);
  const work = await new load({ seed: seed + 1 }).prepare(t);
  for (const bridge of work.bridges) bridge.keep_bodies = false;
  const weir = await t.prepare({ bridges: work.bridges, stoppable: true,
    over: { ...load_settings(), log: { level: 'info' } } });
  const file = path.join(weir.folder, 'stopped');
  work.begin(t, weir);
  const counts = { random: 0 };
  for (const step of named_steps) counts[step] = 0;
  const { rest_ms } = work;
  for (let n = 0; n < kills; n += 1) {
    // Each step once for certain, then half of the kills at one of them.
    const step = n < named_steps.length ? named_steps[n]
      : random.chance(0.5) && random.pick(named_steps);
    work.rest_ms = step === 'after_pin' ? rest_for_pins_ms : rest_ms;
    const reached = step
      && await kill_at(weir, step, random.between(1, 4), file);
    work.rest_ms = rest_ms;
    if (!step) await kill_at_random(weir, random);
    if (n < named_steps.length && !reached) {
      throw new Error(`the step ${step} was never reached`);
    }
    counts[reached ? step : 'random'] += 1;
    say(`${n + 1} kills, ${work.accepted} events`);
  }
  await start(weir);
  const judged = await work.finish(90);
  return { seed, kills, ...counts, ...judged };
}
