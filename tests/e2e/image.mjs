/// The root file system for containers, run as a container engine would: a root
/// that nothing can write to, a user without rights, one folder of its own.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { must_hold } from './lib/checkers.mjs';
import { message, messages } from './lib/events.mjs';
import { run, test } from './lib/test.mjs';

const image_script = fileURLToPath(
  new URL('../../scripts/image', import.meta.url));
const user_id = 10001;

/// Unpacks the image and answers a program that runs Weir in it. `folder` is
/// what the container is given: at the same path inside.
function contained(image, folder) {
  execFileSync(image_script, ['--out', image], { stdio: 'pipe' });
  const root = path.join(image, 'root');
  fs.mkdirSync(root);
  execFileSync('tar', ['-xzf', path.join(image, 'weir-root.tar.gz'), '-C',
    root]);
  fs.mkdirSync(path.join(root, folder), { recursive: true });
  const program = path.join(image, 'weir');
  fs.writeFileSync(program, `#!/bin/sh
exec unshare --mount sh -c '
  mount --bind "${root}" "${root}" &&
  mount --bind "${folder}" "${root}${folder}" &&
  mount -o remount,bind,ro "${root}" &&
  exec chroot --userspec=${user_id}:${user_id} --groups= "${root}" \\
    /usr/bin/weir "$@"' sh "$@"
`, { mode: 0o755 });
  return program;
}

test('image: Weir delivers from a read-only root without rights, and its probe ' +
  'tells whether it does', { seconds: 180 }, async (t) => {
  const folder = t.folder();
  const image = t.folder();
  const bridge = await t.bridge();
  const weir = await t.prepare({ bridges: [bridge], folder });
  execFileSync('chown', ['-R', `${user_id}:${user_id}`, folder]);
  weir.binary = contained(image, folder);
  assert.equal((await weir.command('health')).code, 1);
  await weir.start();
  const status = fs.readFileSync(`/proc/${weir.child.pid}/status`, 'utf8');
  assert.match(status, new RegExp(`^Uid:\t${user_id}\t${user_id}\t`, 'm'));
  assert.match(status, /^CapEff:\t0+$/m);
  const mounts = fs.readFileSync(`/proc/${weir.child.pid}/mountinfo`, 'utf8');
  assert.match(mounts, / \/ ro[,\s]/);
  for (const probe of [['health'], ['health', '--ready']]) {
    const asked = await weir.command(...probe);
    assert.equal(asked.code, 0, JSON.stringify(asked));
  }
  const from = t.sender(weir, bridge);
  for (const one of messages('$e', 10)) await from.send([one]);
  await weir.kill();
  await weir.start();
  await from.send([message('$last')]);
  await bridge.has(from.accepted);
  must_hold({ accepted: from.accepted, records: bridge.transactions });
  assert.equal((await weir.stop()).code, 0);
});

test('image: it holds nothing that a stranger could use', async (t) => {
  const image = t.folder();
  contained(image, t.folder());
  const names = execFileSync('tar',
    ['-tzf', path.join(image, 'weir-root.tar.gz')], { encoding: 'utf8' })
    .split('\n');
  const programs = names.filter((one) => /\/s?bin\/./.test(one));
  assert.deepEqual(programs, ['./usr/bin/weir']);
  const listed = execFileSync('tar',
    ['-tvzf', path.join(image, 'weir-root.tar.gz')], { encoding: 'utf8' })
    .split('\n');
  // No program that gives rights, nothing that anybody may write to but /tmp.
  const loose = listed.filter((one) =>
    /^-..[sS]|^-.....[sS]|^[d-].......w/.test(one) && !one.endsWith(' ./tmp/'));
  assert.deepEqual(loose, []);
  assert.ok(fs.existsSync(path.join(image, 'Containerfile')));
});

await run();
