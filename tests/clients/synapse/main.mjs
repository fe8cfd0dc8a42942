/// `node main.mjs [SCENE...] [--seed N]`; see scripts/e2e-synapse, which sets
/// what the environment must hold. A run of all scenes leaves a report.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { random_source } from '../../e2e/lib/random.mjs';
import { setting } from '../../e2e/lib/setting.mjs';
import { crash, deliver, hang_and_crash, pings, to_device }
  from './scenes.mjs';
import { world } from './world.mjs';

const scenes = { deliver, to_device, pings, crash, hang: hang_and_crash };

/// Longer than any run takes, even on a machine that is busy otherwise.
const deadline_s = 2400;

function arguments_of(list) {
  const given = { names: [], seed: Math.floor(Math.random() * 2 ** 30) };
  for (let at = 0; at < list.length; at += 1) {
    if (list[at] === '--seed') given.seed = Number(list[at += 1]);
    else if (scenes[list[at]]) given.names.push(list[at]);
    else throw new Error(`no scene ${list[at]}: ${Object.keys(scenes)}`);
  }
  if (given.names.length === 0) given.names = Object.keys(scenes);
  return given;
}

const load = () => os.loadavg().map((one) => one.toFixed(1)).join(' ');

function table(rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(rows[0]), line(rows[0].map(() => '---')),
    ...rows.slice(1).map(line)].join('\n');
}

function section(scene) {
  const faults = scene.faults.map((one) => `- **Not as promised**: ${one}`);
  return [`## ${scene.title}`, '', scene.text, '', table(scene.rows), '',
    `${scene.seconds} s, load ${scene.load}.`, ...faults, ''].join('\n');
}

function report(given, here, results, minutes) {
  const command = ['scripts/e2e-synapse', ...process.argv.slice(2)
    .filter((one, at, all) => one !== '--seed' && all[at - 1] !== '--seed'),
  '--seed', given.seed].join(' ');
  const version = execFileSync(process.env.WEIR_BINARY, ['version'],
    { encoding: 'utf8' }).trim();
  const faults = results.flatMap((one) => one.faults);
  return [`# A real Synapse: ${faults.length === 0 ? 'as promised'
    : `${faults.length} faults`}`, '',
  `\`${command}\`, ${new Date().toISOString().slice(0, 16)} UTC, commit ` +
    `${process.env.WEIR_COMMIT}, ${version}, Synapse ${here.version} ` +
    `on SQLite, ${os.cpus().length} cores, ${minutes} min.`, '',
  ...results.map(section)].join('\n');
}

async function run_scenes(t, given) {
  const random = new random_source(given.seed);
  const results = [];
  const began = Date.now();
  const here = await new world().build(t, process.env.WEIR_SYNAPSE_ROOT);
  for (const name of given.names) {
    const start = Date.now();
    console.error(`e2e-synapse: ${name}`);
    const scene = await scenes[name](here, random);
    results.push({ ...scene, load: load(),
      seconds: Math.round((Date.now() - start) / 1000) });
  }
  const text = report(given, here, results,
    Math.round((Date.now() - began) / 60_000));
  console.log(text);
  const succeeded = results.every((one) => one.faults.length === 0);
  if (given.names.length < Object.keys(scenes).length) return succeeded;
  const file = path.join(process.env.REPORT_DIR,
    `${new Date().toISOString().slice(0, 10)}-e2e-synapse.md`);
  fs.mkdirSync(process.env.REPORT_DIR, { recursive: true });
  fs.writeFileSync(file, `${text.trimEnd()}\n`);
  return succeeded;
}

const t = new setting();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.once(signal, () => t.close(false).finally(() => process.exit(1)));
}
let held = false;
try {
  const given = arguments_of(process.argv.slice(2));
  held = await Promise.race([run_scenes(t, given), new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`not done in ${deadline_s} s`)),
      deadline_s * 1000).unref();
  })]);
} catch (error) {
  console.error(error.stack);
  console.error(t.report());
}
await t.close(!held);
process.exit(held ? 0 : 1);
