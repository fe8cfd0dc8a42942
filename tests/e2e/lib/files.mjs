/// Writing the files a Weir reads: configuration and registrations. YAML is
/// written as JSON, which is YAML, except where a test hands in text.
import fs from 'node:fs';
import path from 'node:path';

/// The registration of a scripted bridge, as the bridge's author wrote it.
export function registration_of(bridge) {
  return {
    id: bridge.id,
    url: bridge.url,
    as_token: bridge.as_token,
    hs_token: bridge.hs_token,
    sender_localpart: `${bridge.id}bot`,
    namespaces: {
      users: [{ exclusive: true, regex: `@${bridge.id}_.*:example\\.org` }],
    },
    rate_limited: false,
    ...bridge.extra,
  };
}

/// Merges `over` into `under`, objects key by key.
export function merged(under, over) {
  const result = { ...under };
  for (const [key, value] of Object.entries(over ?? {})) {
    const both = value !== null && typeof value === 'object'
      && !Array.isArray(value) && result[key] !== null
      && typeof result[key] === 'object' && !Array.isArray(result[key]);
    result[key] = both ? merged(result[key], value) : value;
  }
  return result;
}

/// Quick enough for tests, and each still the real thing: the first pause is
/// 100 ms instead of 1 s and grows to 1 s.
const quick_appservice = {
  backoff_first: '100ms', backoff_max: '1s', request_timeout: '20s',
};

/// The configuration of one Weir. `over` is merged over it.
export function configuration({ folder, port, admin_port, homeserver, store_url,
  over }) {
  return merged({
    listen: `127.0.0.1:${port}`,
    admin: { listen: `127.0.0.1:${admin_port}` },
    public_url: `http://127.0.0.1:${port}`,
    homeserver: {
      name: 'example.org', url: homeserver.url, as_token: homeserver.as_token,
    },
    storage: { url: store_url, data_dir: path.join(folder, 'data') },
    appservices: {
      registrations: [path.join(folder, 'bridges', '*.yaml')],
      defaults: quick_appservice,
    },
    log: { level: 'debug' },
  }, over);
}

/// Writes `what` (a value or text) as a file that nobody else may read.
export function write_private(file, what) {
  const text = typeof what === 'string' ? what : JSON.stringify(what, null, 1);
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  fs.writeFileSync(file, text, { mode: 0o600 });
  fs.chmodSync(file, 0o600);
  return file;
}

/// Writes each bridge's registration into `folder`/bridges.
export function write_registrations(folder, bridges) {
  const where = path.join(folder, 'bridges');
  fs.rmSync(where, { recursive: true, force: true });
  fs.mkdirSync(where, { recursive: true, mode: 0o700 });
  for (const one of bridges) {
    write_private(path.join(where, `${one.id}.yaml`), registration_of(one));
  }
}
