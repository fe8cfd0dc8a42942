/// SIGKILL under load: nothing missing, nothing reordered, no retry altered,
/// duplicates only under the same id and bytes (spec line 2).
///
/// By hand: `node crash.mjs --store postgresql --kills 100 --seed 7`, with
/// `--operated` among what an operator does.
import { campaign } from './lib/campaign.mjs';
import { operated_campaign } from './lib/operated.mjs';
import { run, test, test_on_stores } from './lib/test.mjs';

function argument(flag, otherwise) {
  const at = process.argv.indexOf(flag);
  return at < 0 ? otherwise : process.argv[at + 1];
}

const seed = Number(argument('--seed', Math.floor(Math.random() * 2 ** 30)));

async function one_campaign(t, kills, with_seed, how = campaign) {
  console.log(`seed ${with_seed}`);
  const counts = await how(t, { kills, seed: with_seed });
  console.log(JSON.stringify({ store: t.store_kind, ...counts }));
}

if (argument('--kills') !== undefined) {
  test('crash by hand', { store: argument('--store', 'sqlite'),
    seconds: 86_400 },
  (t) => one_campaign(t, Number(argument('--kills')), seed,
    process.argv.includes('--operated') ? operated_campaign : campaign));
} else {
  test_on_stores('g02 20 kills lose nothing', { seconds: 200 },
    (t) => one_campaign(t, 20, seed));
  test_on_stores('g02 10 kills among reloads, drains, splits, rejections, ' +
    'a full queue and the second door lose nothing', { seconds: 200 },
  (t) => one_campaign(t, 10, seed, operated_campaign));
  test_on_stores('g02 100 kills among reloads, drains, splits, rejections, ' +
    'a full queue and the second door lose nothing', { seconds: 3000, soak: true },
  (t) => one_campaign(t, 100, seed, operated_campaign));
  for (let part = 0; part < 20; part += 1) {
    test_on_stores(`g02 100 kills lose nothing, part ${part + 1} of 20`,
      { seconds: 3000, soak: true },
      (t) => one_campaign(t, 100, seed + part));
  }
}

await run();
