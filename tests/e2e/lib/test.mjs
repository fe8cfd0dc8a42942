/// The smallest test runner that gives named tests, each runnable alone:
/// `node FILE --list` prints the cases, `node FILE --only NAME` runs one,
/// `--match TEXT` those whose name holds the text.
import { setting } from './setting.mjs';

const cases = [];

/// Adds a case. Options: `seconds` (its deadline), `soak` (too long for every
/// change), `serial` (must not share the machine).
export function test(name, options, body) {
  if (typeof options === 'function') {
    body = options;
    options = {};
  }
  if (/[;|"\\]/.test(name)) {
    throw new Error(`ctest cannot carry the name ${name}`);
  }
  if (cases.some((known) => known.name === name)) {
    throw new Error(`two cases are named ${name}`);
  }
  const usual = { seconds: 120, soak: false, serial: false };
  cases.push({ name, ...usual, ...options, body });
}

/// Adds one case for each store; the body gets the store's name as
/// `t.store_kind`.
export function test_on_stores(name, options, body) {
  if (typeof options === 'function') {
    body = options;
    options = {};
  }
  for (const store of ['sqlite', 'postgresql']) {
    test(`${name} (${store})`, { ...options, store }, body);
  }
}

function argument(flag) {
  const at = process.argv.indexOf(flag);
  return at < 0 ? undefined : process.argv[at + 1];
}

async function run_case(one) {
  const t = new setting(one);
  let timer;
  const deadline = new Promise((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`the case took longer than ${one.seconds} s`)),
      one.seconds * 1000,
    );
  });
  const began = Date.now();
  let failure;
  try {
    await Promise.race([one.body(t), deadline]);
  } catch (error) {
    failure = error;
  }
  clearTimeout(timer);
  const report = failure ? t.report() : '';
  try {
    await t.close(failure !== undefined);
  } catch (error) {
    failure ??= error;
  }
  const took = ((Date.now() - began) / 1000).toFixed(1);
  console.log(`${failure ? 'FAILED' : 'ok'} ${one.name} (${took} s)`);
  if (failure) console.log(`${failure.stack ?? failure}\n${report}`);
  return failure === undefined;
}

/// Runs what the command line asks for; the last line of every test file.
export async function run() {
  if (process.argv.includes('--list')) {
    for (const one of cases) {
      const labels = one.soak ? 'soak' : 'e2e';
      const cluster = one.store === 'postgresql' ? 1 : 0;
      console.log([one.name, one.seconds, labels, one.serial ? 1 : 0, cluster]
        .join(';'));
    }
    return;
  }
  const only = argument('--only');
  const match = argument('--match');
  const chosen = cases.filter((one) => {
    if (only !== undefined) return one.name === only;
    if (match !== undefined) return one.name.includes(match);
    return !one.soak;
  });
  if (chosen.length === 0) {
    console.log('FAILED: no such case');
    process.exit(1);
  }
  let failed = 0;
  for (const one of chosen) {
    if (!(await run_case(one))) failed += 1;
  }
  console.log(`${chosen.length - failed} of ${chosen.length} passed`);
  process.exit(failed === 0 ? 0 : 1);
}
