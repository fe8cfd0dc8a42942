/// Listeners that speak TLS.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import https from 'node:https';
import tls from 'node:tls';
import { certificate } from './lib/certificate.mjs';
import { message } from './lib/events.mjs';
import { raw_connection, request_text } from './lib/raw_http.mjs';
import { run, test } from './lib/test.mjs';
import { until } from './lib/wait.mjs';

/// One request in TLS; answers `{ status, body }`.
function ask(port, ca, { method = 'GET', target, token, body, agent } = {}) {
  return new Promise((done, reject) => {
    const call = https.request({ host: '127.0.0.1', port, ca, method,
      path: target, agent: agent ?? false,
      headers: { ...(token ? { authorization: `Bearer ${token}` } : {}) },
    }, (response) => {
      let text = '';
      response.on('data', (chunk) => { text += chunk; });
      response.on('error', reject);
      response.on('end', () => done({ status: response.statusCode,
        body: text }));
    });
    call.setTimeout(20_000, () => call.destroy(new Error('no answer')));
    call.on('error', reject);
    call.end(body);
  });
}

/// The fingerprint of what the listener shows now.
function shown(port) {
  return new Promise((done, reject) => {
    const socket = tls.connect({ port, host: '127.0.0.1',
      rejectUnauthorized: false }, () => {
      done(socket.getPeerCertificate().fingerprint256);
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

function tls_of(files) {
  return { certificate_file: files.cert, key_file: files.key };
}

test('listener TLS: transactions come in on kept connections, and the command ' +
  'line asks in TLS too', async (t) => {
  const { files, tls: pair } = certificate(t.folder(), '127.0.0.1');
  const bridge = await t.bridge();
  const weir = await t.prepare({ bridges: [bridge], over: {
    listener: { tls: tls_of(files) }, admin: { tls: tls_of(files) } } });
  const checked = await weir.command('check');
  assert.equal(checked.code, 0, checked.out);
  weir.spawn();
  await until('weir is ready', async () =>
    (await weir.command('health', '--ready')).code === 0);
  const agent = new https.Agent({ keepAlive: true, maxSockets: 1,
    ca: pair.cert });
  t.at_end(() => agent.destroy());
  const ids = [];
  for (let n = 0; n < 20; n += 1) {
    const padding = 'x'.repeat(n * 20_000);
    const event = { ...message(`$e${n}`), content: { body: padding } };
    const answer = await ask(weir.port, pair.cert, { method: 'PUT', agent,
      target: `/_weir/as/bridge/_matrix/app/v1/transactions/${n}`,
      token: bridge.hs_token, body: JSON.stringify({ events: [event] }) });
    assert.equal(answer.status, 200, answer.body);
    ids.push(event.event_id);
  }
  await bridge.has(ids);
  const status = await weir.command('status');
  assert.equal(status.code, 0, JSON.stringify(status));
  assert.match(status.out, /^bridge /m);
  assert.equal((await weir.stop()).code, 0);
});

test('listener TLS: who speaks none, an old one or half of one is not served ' +
  'and keeps nobody out', async (t) => {
  const { files, tls: pair } = certificate(t.folder(), '127.0.0.1');
  const bridge = await t.bridge();
  const weir = await t.prepare({ bridges: [bridge],
    over: { listener: { tls: tls_of(files) } } });
  weir.spawn();
  await until('weir is ready', async () =>
    (await weir.command('health', '--ready')).code === 0);
  const plain = await new raw_connection(weir.port).open();
  t.at_end(() => plain.close());
  plain.write(request_text('GET', '/health', [], ''));
  const half = await new raw_connection(weir.port).open();
  t.at_end(() => half.close());
  half.write(Buffer.from([0x16, 0x03, 0x01]));
  await assert.rejects(new Promise((done, reject) => {
    const old = tls.connect({ port: weir.port, host: '127.0.0.1',
      rejectUnauthorized: false, minVersion: 'TLSv1', maxVersion: 'TLSv1.1',
      ciphers: 'ALL:@SECLEVEL=0' }, () => { old.destroy(); done(); });
    old.on('error', reject);
  }));
  const answer = await ask(weir.port, pair.cert, { target: '/health' });
  assert.equal(answer.status, 200);
});

test('listener TLS: a certificate that changes is taken up, one that is wrong ' +
  'is not', async (t) => {
  const folder = t.folder();
  const { files } = certificate(folder, '127.0.0.1');
  const bridge = await t.bridge();
  const weir = await t.prepare({ bridges: [bridge],
    over: { listener: { tls: tls_of(files) } } });
  weir.spawn();
  await until('weir is ready', async () =>
    (await weir.command('health', '--ready')).code === 0);
  const before = await shown(weir.port);
  const next = certificate(t.folder(), '127.0.0.1');
  // As a renewal does: one file after the other.
  fs.copyFileSync(next.files.cert, files.cert);
  assert.equal(await shown(weir.port), before);
  fs.copyFileSync(next.files.key, files.key);
  const after = await shown(weir.port);
  assert.notEqual(after, before);
  fs.writeFileSync(files.cert, 'no certificate');
  assert.equal(await shown(weir.port), after);
  assert.match(weir.log(), /certificate not taken up/);
  const side = { side: 'homeserver' };
  assert.equal(await weir.metric('weir_certificate_refused', side), 1);
  fs.copyFileSync(next.files.cert, files.cert);
  assert.equal(await shown(weir.port), after);
  assert.equal(await weir.metric('weir_certificate_refused', side), 0);
  const left = await weir.metric('weir_certificate_expires_seconds', side)
    - Date.now() / 1000;
  assert.ok(left > 86_400 && left < 3 * 86_400, `${left}`);
  assert.equal(await weir.metric('weir_certificate_expires_seconds',
    { side: 'admin' }), 0);
});

test('listener TLS: a pair that does not fit, or a key that others may read, is ' +
  'refused at the start', async (t) => {
  const one = certificate(t.folder(), '127.0.0.1').files;
  const other = certificate(t.folder(), '127.0.0.1').files;
  const bridge = await t.bridge();
  for (const [pair, mode, words] of [
    [{ cert: one.cert, key: other.key }, 0o600, /key of the certificate/],
    [one, 0o604, /others may read this key/],
  ]) {
    fs.chmodSync(pair.key, mode);
    const weir = await t.prepare({ bridges: [bridge],
      over: { listener: { tls: tls_of(pair) } } });
    const checked = await weir.command('check');
    assert.equal(checked.code, 1);
    assert.match(checked.out, words);
    const ended = await weir.spawn().exited;
    assert.equal(ended.code, 1);
    assert.match(weir.log(), words);
  }
});

await run();
