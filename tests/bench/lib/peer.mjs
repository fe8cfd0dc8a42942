/// tests/bench/peer.cpp as seen from a script: the load and the bridge of a
/// measurement, neither of which may be slower than what is measured.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { within } from '../../e2e/lib/wait.mjs';

function peer_binary() {
  const binary = process.env.WEIR_BENCH_PEER;
  if (!binary) throw new Error('WEIR_BENCH_PEER must name weir_bench_peer');
  return path.resolve(binary);
}

/// Starts it. Answers `{ child, listening, result }`, two promises.
function start_peer(t, ...args) {
  const child = spawn(peer_binary(), args.map(String),
    { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  let listens;
  const listening = new Promise((done) => { listens = done; });
  const result = new Promise((done, reject) => {
    child.stdout.on('data', (chunk) => {
      said += chunk;
      if (said.startsWith('listening\n')) listens();
    });
    child.on('error', reject);
    child.on('close', (code) => {
      listens();
      if (code !== 0) reject(new Error(`weir_bench_peer ${args}: ${code}`));
      else done(JSON.parse(said.replace('listening\n', '')));
    });
  });
  result.catch(() => {}); // Told to whoever waits for it.
  t.at_end(() => child.kill('SIGKILL'));
  return { child, listening, result };
}

/// The appservice number `n`, under the names that the load knows it by.
export function appservice(n, port) {
  return { id: `bench${n}`, url: `http://127.0.0.1:${port}`,
    as_token: `as_token_of_bench${n}`, hs_token: `hs_token_of_bench${n}` };
}

/// Sends appservice `n` so many transactions of 100 events of 1 kB.
export function fill(t, weir, n, transactions, seconds = 300) {
  return within('the load is accepted',
    start_peer(t, 'fill', weir.port, n, transactions).result, seconds);
}

/// A bridge on `port` from now on. Answers a promise of
/// `{ messages, transactions, first_ms, last_ms }`, the times since it listened.
export async function drain(t, port, messages) {
  const { listening, result } = start_peer(t, 'drain', port, messages);
  await listening;
  return { drained: within('the backlog has come', result, 320) };
}
