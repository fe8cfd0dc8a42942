/// How a bridge can be reached (spec line 32).
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { certificate } from './lib/certificate.mjs';
import { must_hold } from './lib/checkers.mjs';
import { message, messages } from './lib/events.mjs';
import { run, test } from './lib/test.mjs';
import { until } from './lib/wait.mjs';
import { weir_binary } from './lib/weir.mjs';

async function delivers(t, bridge, over, binary) {
  const weir = await t.prepare({ bridges: [bridge], over });
  weir.binary = binary ?? weir.binary;
  await weir.start();
  const from = t.sender(weir, bridge);
  await from.send(messages('a', 3));
  await bridge.has(from.accepted);
  must_hold({ accepted: from.accepted, records: bridge.transactions });
  const asked = await weir.get('/_weir/as/bridge/_matrix/app/v1/users/x',
    { headers: { authorization: `Bearer ${bridge.hs_token}` } });
  assert.equal(asked.status, 200);
  return weir;
}

test('g32 a bridge at an IPv4 address', async (t) => {
  await delivers(t, await t.bridge());
});

test('g32 a bridge at an IPv6 literal', async (t) => {
  const bridge = await t.bridge({ host: '::1' });
  assert.match(bridge.url, /^http:\/\/\[::1\]:/);
  await delivers(t, bridge);
});

/// A program like Weir for which `localhost` has both addresses, whatever this
/// machine says: in a mount namespace of its own it has another /etc/hosts.
function with_both_addresses(t) {
  const folder = t.folder();
  const hosts = path.join(folder, 'hosts');
  fs.writeFileSync(hosts, '::1 localhost\n127.0.0.1 localhost\n');
  const program = path.join(folder, 'weir');
  fs.writeFileSync(program, `#!/bin/sh
exec unshare --mount sh -c 'mount --bind "$0" /etc/hosts && exec "$@"' \\
  '${hosts}' '${weir_binary()}' "$@"
`, { mode: 0o755 });
  return program;
}

for (const [family, host] of [['IPv4', '127.0.0.1'], ['IPv6', '::1']]) {
  test(`g32 a bridge at a name that listens on ${family} only`, async (t) => {
    const bridge = await t.bridge({ host });
    bridge.extra = { url: `http://localhost:${bridge.port}` };
    await delivers(t, bridge, {}, with_both_addresses(t));
  });
}

for (const form of ['unix://', 'unix:']) {
  test(`g32 a bridge at a socket written ${form}`, async (t) => {
    const socket = path.join(t.folder(), 'bridge.sock');
    const bridge = await t.bridge({ socket });
    bridge.extra = { url: `${form}${socket}` };
    await delivers(t, bridge);
  });
}


test('g32 https with an authority of its own', async (t) => {
  const { files, tls } = certificate(t.folder(), '127.0.0.1');
  const bridge = await t.bridge({ tls });
  await delivers(t, bridge, { appservices:
    { overrides: { bridge: { ca_file: files.cert } } } });
});

for (const [label, name, trusted] of [
  ['from an unknown authority', '127.0.0.1', false],
  ['for another name', 'other.example.org', true],
]) {
  test(`g32 https with a certificate ${label} is refused`, async (t) => {
    const { files, tls } = certificate(t.folder(), name);
    const bridge = await t.bridge({ tls });
    const weir = await t.weir({ bridges: [bridge], over: trusted
      ? { appservices: { overrides: { bridge: { ca_file: files.cert } } } }
      : {} });
    const from = t.sender(weir, bridge);
    await from.send([message('$a')]);
    await until('the refusal is told', async () =>
      (await weir.queue('bridge'))?.last_error === 'tls');
    assert.equal(bridge.requests.length, 0);
    assert.match(weir.log(), /certificate|tls/i);
  });
}

function store_bytes(weir) {
  return ['weir.db', 'weir.db-wal']
    .map((name) => path.join(weir.folder, name))
    .filter((file) => fs.existsSync(file))
    .reduce((sum, file) => sum + fs.statSync(file).size, 0);
}

test('g20 a bridge without url is answered and nothing is kept', async (t) => {
  const other = await t.bridge({ id: 'other' });
  const silent = { id: 'silent', url: null, as_token: 'as_silent',
    hs_token: 'hs_silent', extra: {} };
  const weir = await t.weir({ bridges: [other, silent] });
  const from = t.sender(weir, silent);
  for (let n = 0; n < 20; n += 1) await from.send(messages(`n${n}_`, 50));
  assert.equal((await weir.queue('silent'))?.depth_events ?? 0, 0);
  const asked = await weir.get('/_weir/as/silent/_matrix/app/v1/users/x',
    { headers: { authorization: 'Bearer hs_silent' } });
  assert.equal(asked.status, 404);
  const broken = await from.once('broken', '{"events":');
  assert.equal(broken.status, 400);
  await until('the broken body is told', () => /body is no transaction/
    .test(weir.log()));
  assert.match(weir.log(),
    /error listener body is no transaction appservice=silent .*kept=no:/);
  const before = store_bytes(weir);
  for (let n = 20; n < 120; n += 1) await from.send(messages(`n${n}_`, 50));
  // These were 5,000 events of more than 200 bytes each.
  const grown = store_bytes(weir) - before;
  assert.ok(grown < 500_000, `the store grew by ${grown} bytes`);
  assert.equal(other.requests.length, 0);
});

await run();
