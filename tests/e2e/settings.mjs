/// Configuration and registrations: everything wrong is told at once, with file
/// and key, before anything starts (spec line 34 and part a).
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { configuration, registration_of, write_private }
  from './lib/files.mjs';
import { run, test } from './lib/test.mjs';
import { run_command } from './lib/weir.mjs';

/// A folder with a sound configuration and one registration per entry of
/// `registrations` (values or text). Answers `{ folder, file, check }`.
function house(t, { registrations = [{}], over = {} } = {}) {
  const folder = t.folder();
  registrations.forEach((what, n) => {
    const sound = registration_of({ id: `b${n}`, url: 'http://127.0.0.1:9',
      as_token: `as_secret_${n}`, hs_token: `hs_secret_${n}` });
    const made = typeof what === 'function' ? what(sound)
      : typeof what === 'string' ? what : { ...sound, ...what };
    write_private(path.join(folder, 'bridges', `file${n}.yaml`), made);
  });
  if (registrations.length === 0) {
    fs.mkdirSync(path.join(folder, 'bridges'));
  }
  const file = path.join(folder, 'weir.yaml');
  const settings = configuration({
    folder, port: 18009, admin_port: 18010, over,
    homeserver: { url: 'http://127.0.0.1:18008', as_token: 'own_secret' },
    store_url: `sqlite://${path.join(folder, 'weir.db')}`,
  });
  write_private(file, settings);
  const check = () => run_command(['check', '--config', file]);
  return { folder, file, check };
}

const said = (result) => result.out + result.err;

test('g34 a sound configuration passes the check', async (t) => {
  const result = await house(t).check();
  assert.equal(result.code, 0, said(result));
});

for (const [label, over, named] of [
  ['id', { id: 'b0' }, 'id'],
  ['as_token', { as_token: 'as_secret_0' }, 'as_token'],
]) {
  test(`g34 two bridges with one ${label} are refused by file names`,
    async (t) => {
      const { check, file } = house(t, { registrations: [{}, over] });
      for (const result of [await check(),
        await run_command(['serve', '--config', file])]) {
        assert.notEqual(result.code, 0);
        for (const name of ['file0.yaml', 'file1.yaml', named]) {
          assert.ok(said(result).includes(name), `${name}: ${said(result)}`);
        }
        assert.ok(!said(result).includes('as_secret_0'), 'a token is shown');
      }
    });
}

const without = (key) => (sound) => {
  const left = { ...sound };
  delete left[key];
  return left;
};

/// Each rule of part (a): what a bad file holds, and the key that is named.
const bad_registrations = [
  ['no id', without('id'), 'id'],
  ['an empty id', { id: '' }, 'id'],
  ['an id with a pipe', { id: 'a|b' }, 'id'],
  ['no url', without('url'), 'url'],
  ['an empty url', { url: '' }, 'url'],
  ['a url that is the word null', { url: 'null' }, 'url'],
  ['a url that is a list', { url: [] }, 'url'],
  ['a url of another scheme', { url: 'ftp://127.0.0.1' }, 'url'],
  ['a url with a query', { url: 'http://127.0.0.1/?a=1' }, 'url'],
  ['a url with a fragment', { url: 'http://127.0.0.1/#a' }, 'url'],
  ['a url with a user', { url: 'http://me:pass@127.0.0.1/' }, 'url'],
  ['no as_token', without('as_token'), 'as_token'],
  ['an as_token that is a number', { as_token: 1234 }, 'as_token'],
  ['an as_token that is nothing', { as_token: null }, 'as_token'],
  ['no hs_token', without('hs_token'), 'hs_token'],
  ['a hs_token that is a number', { hs_token: 1234 }, 'hs_token'],
  ['a hs_token outside ASCII', { hs_token: 't\u00f6ken' }, 'hs_token'],
  ['no sender_localpart', without('sender_localpart'), 'sender_localpart'],
  ['no namespaces', without('namespaces'), 'namespaces'],
  ['namespaces that are a list', { namespaces: [] }, 'namespaces'],
  ['a sender_localpart with a space', { sender_localpart: 'a b' },
    'sender_localpart'],
  ['a namespace without regex',
    { namespaces: { users: [{ exclusive: true }] } }, 'regex'],
  ...[7, true, null, ['@a'], { a: 1 }].map((regex) => [
    `a regex that is ${JSON.stringify(regex)}`,
    { namespaces: { rooms: [{ regex, exclusive: true }] } }, 'regex']),
  ['a namespace without exclusive',
    { namespaces: { aliases: [{ regex: '#a' }] } }, 'exclusive'],
  ...['yes', 'true', 1, null].map((exclusive) => [
    `an exclusive that is ${JSON.stringify(exclusive)}`,
    { namespaces: { users: [{ regex: '@a', exclusive }] } }, 'exclusive']),
  ['a namespace that is no object', { namespaces: { users: ['@a'] } },
    'namespaces.users'],
  ['protocols that are no list', { protocols: 'irc' }, 'protocols'],
  ['a protocol that is no name', { protocols: [{}] }, 'protocols'],
  ['an msc3202 flag that is no bool', { 'org.matrix.msc3202': 'yes' },
    'org.matrix.msc3202'],
  ['an msc4190 flag that is no bool', { 'io.element.msc4190': 1 },
    'io.element.msc4190'],
];

test('g34 every rule of a registration refuses a file that breaks it',
  async (t) => {
    const { check } = house(t,
      { registrations: bad_registrations.map(([, what]) => what) });
    const result = await check();
    assert.notEqual(result.code, 0, said(result));
    const lines = said(result).split('\n');
    for (const [n, [label, , key]] of bad_registrations.entries()) {
      const found = lines.filter((line) => line.includes(`file${n}.yaml:`)
        && !line.startsWith('warning'));
      assert.ok(found.some((line) => line.includes(key)),
        `${label}: ${found.join('; ')}`);
    }
  });

test('g34 a registration with a key written twice is refused', async (t) => {
  const text = ['id: b0', 'url: http://127.0.0.1:9', 'as_token: one',
    'hs_token: two', 'as_token: three', 'sender_localpart: bot',
    'namespaces: {}', ''].join('\n');
  const result = await house(t, { registrations: [text] }).check();
  assert.notEqual(result.code, 0);
  assert.match(said(result), /file0\.yaml.*as_token/s);
});

/// Registrations whose `line` stands for the key's own line.
const with_line = (key, line) => (sound) => Object.entries(sound)
  .map(([each, value]) =>
    (each === key ? line : `${each}: ${JSON.stringify(value)}`))
  .join('\n');

test('g34 YAML tags are refused, but for the one of a string', async (t) => {
  const tagged = [
    ['as_token', 'as_token: !!int "1234"'],
    ['hs_token', 'hs_token: !!python/object:os.system one'],
    ['hs_token', 'hs_token: !secret one'],
    ['url', 'url: !!null ""'],
    ['url', 'url: !<tag:example.org,2000:url> "http://127.0.0.1:9"'],
    ['namespaces', 'namespaces: !!set { users }'],
    ['namespaces', 'namespaces: !ordered {}'],
    ['namespaces',
      'namespaces: { users: [ { regex: "@a", exclusive: !!bool "yes" } ] }'],
    ['namespaces', 'namespaces: { users: [ !x { regex: "@a", exclusive: on } ] }'],
  ];
  const { check } = house(t, { registrations: tagged
    .map(([key, line]) => with_line(key, line)) });
  const result = await check();
  assert.notEqual(result.code, 0, said(result));
  for (const [n, [key, line]] of tagged.entries()) {
    const found = said(result).split('\n')
      .filter((one) => one.includes(`file${n}.yaml:`));
    assert.ok(found.some((one) => one.includes(key)), `${line}: ${found}`);
  }
  const strings = house(t, { registrations: [
    with_line('as_token', 'as_token: !!str 1234'),
    with_line('hs_token', 'hs_token: ! 1234')] });
  const fine = await strings.check();
  assert.equal(fine.code, 0, said(fine));
});

/// The label tells what each shows; none of them may be refused.
const good_registrations = [
  ['url null', { url: null }],
  ['a base path and slashes', { url: 'https://example.org/base///' }],
  ['an IPv6 literal', { url: 'http://[::1]:29318' }],
  ['a socket', { url: 'unix:///run/bridge.sock' }],
  ['a socket in the short form', { url: 'unix:/run/bridge.sock' }],
  ['a localpart with a slash', { sender_localpart: 'a/b' }],
  ['empty protocols', { protocols: null }],
  ['a group id', { namespaces: { users: [{ regex: '@a:.*', exclusive: false,
    group_id: '+x:y' }] } }],
  ['every flag there is', { receive_ephemeral: true,
    'de.sorunome.msc2409.push_ephemeral': true, 'org.matrix.msc3202': true,
    'io.element.msc4190': true, 'org.matrix.msc3905': true }],
  ['keys of its own', { 'com.example.own': { deep: [1, 2] },
    ip_range_whitelist: ['10.0.0.0/8'] }],
];

test('g34 every rule of a registration passes a file that keeps it',
  async (t) => {
    const { check } = house(t,
      { registrations: good_registrations.map(([, what]) => what) });
    const result = await check();
    assert.equal(result.code, 0, said(result));
    assert.ok(said(result).includes(`${good_registrations.length} appserv`));
  });

test('check prints every problem at once', async (t) => {
  const { check, file } = house(t, {
    registrations: [{ hs_token: 1234 }, { url: 'ftp://x' }],
    over: {
      listenn: '127.0.0.1:1', homeserver: { url: 'nonsense' },
      appservices: { defaults: { request_timeout: 'soon', poison: 'eat' } },
      actors: { threads: 100000 },
    },
  });
  const result = await check();
  assert.notEqual(result.code, 0);
  for (const word of [path.basename(file), 'listenn', 'homeserver.url',
    'request_timeout', 'poison', 'threads', 'file0.yaml', 'hs_token',
    'file1.yaml', 'url']) {
    assert.ok(said(result).includes(word), `${word} in: ${said(result)}`);
  }
  // The nearest known key is offered for the one that is unknown.
  assert.match(said(result), /listenn.*\blisten\b/);
  assert.match(said(result), /weir\.yaml:\d+/);
});

test('check and serve refuse files that are not there', async (t) => {
  const missing = path.join(t.folder(), 'none.yaml');
  for (const verb of ['check', 'serve']) {
    const result = await run_command([verb, '--config', missing]);
    assert.notEqual(result.code, 0);
    assert.ok(said(result).includes('none.yaml'));
  }
});

test('a token file that others can read is refused', async (t) => {
  const folder = t.folder();
  const token = write_private(path.join(folder, 'token'), 'own_secret\n');
  const over = { homeserver: { as_token: undefined, as_token_file: token } };
  const { check, file } = house(t, { over });
  assert.equal((await check()).code, 0);
  fs.chmodSync(token, 0o644);
  for (const verb of ['check', 'serve']) {
    const result = await run_command([verb, '--config', file]);
    assert.notEqual(result.code, 0, verb);
    assert.ok(said(result).includes(token), said(result));
    assert.ok(!said(result).includes('own_secret'));
  }
});

test('an admin token file that others can read is refused', async (t) => {
  const { folder, file } = house(t);
  const data = path.join(folder, 'data');
  write_private(path.join(data, 'admin.token'), 'x'.repeat(43));
  fs.chmodSync(path.join(data, 'admin.token'), 0o644);
  const result = await run_command(['serve', '--config', file]);
  assert.notEqual(result.code, 0);
  assert.ok(said(result).includes('admin.token'), said(result));
});

test('a store that others can read is refused', async (t) => {
  const { folder, file } = house(t);
  fs.writeFileSync(path.join(folder, 'weir.db'), '');
  fs.chmodSync(path.join(folder, 'weir.db'), 0o644);
  const result = await run_command(['serve', '--config', file]);
  assert.notEqual(result.code, 0);
  assert.match(said(result), /database file is open to others/);
});

test('registration writes copies that point to weir', async (t) => {
  const { folder, file } = house(t, { registrations: [
    { receive_ephemeral: true, 'com.example.own': { deep: [1, 'x'] } },
  ] });
  const out = path.join(folder, 'out');
  const result = await run_command(
    ['registration', '--config', file, '--out', out]);
  assert.equal(result.code, 0, said(result));
  const written = fs.readdirSync(out).sort();
  assert.equal(written.length, 2, written.join(' '));
  const texts = written.map((name) =>
    fs.readFileSync(path.join(out, name), 'utf8'));
  const copy = texts.find((text) => text.includes('hs_secret_0'));
  assert.ok(copy, texts.join('\n'));
  for (const part of ['http://127.0.0.1:18009/_weir/as/b0', 'as_secret_0',
    'com.example.own', 'receive_ephemeral']) {
    assert.ok(copy.includes(part), `${part} in ${copy}`);
  }
  assert.ok(!copy.includes('127.0.0.1:9\n'));
  const own = texts.find((text) => text.includes('own_secret'));
  assert.ok(own, 'weir has a registration of its own');
  assert.match(own, /rate_limited"?: *false/);
  for (const name of written) {
    assert.equal(fs.statSync(path.join(out, name)).mode & 0o077, 0,
      `${name} can be read by others`);
  }
});

await run();
