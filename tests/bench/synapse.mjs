/// A backlog, drained by Synapse itself and by Weir, in turn on one machine. A
/// bridge is away while messages come in, comes back and is drained; what counts
/// is messages a second from the first that arrives to the last, so that nobody
/// is charged for its back-off. Run by `scripts/bench --synapse`, which sets what
/// the environment must hold. Exit status 1 when the bound is missed.
import path from 'node:path';
import { registration_of, write_private } from '../e2e/lib/files.mjs';
import { free_port } from '../e2e/lib/ports.mjs';
import { setting } from '../e2e/lib/setting.mjs';
import { until } from '../e2e/lib/wait.mjs';
import { people } from '../clients/synapse/people.mjs';
import { synapse } from '../clients/synapse/synapse.mjs';
import { appservice, drain, fill } from './lib/peer.mjs';

/// Synapse takes some 40 messages a second in; it drains at a steady rate.
const synapse_messages = 1000;
const weir_transactions = 1000; // 100,000 events.
const rounds = 3;
const rooms = 8;
const times_asked = 20;

const rate = ({ messages, transactions, first_ms, last_ms }) => ({
  transactions, messages,
  seconds: (last_ms - first_ms) / 1000,
  per_second: messages * 1000 / (last_ms - first_ms),
});

/// Synapse takes up a bridge it has given up when that bridge asks for a ping.
async function of_synapse(t) {
  const port = await free_port();
  const one = appservice(0, port);
  one.extra = { namespaces:
    { users: [{ exclusive: false, regex: '@.*:example\\.org' }] } };
  const homeserver = new synapse(process.env.WEIR_SYNAPSE_ROOT, t.folder());
  t.at_end(() => homeserver.kill());
  await homeserver.configure([write_private(
    path.join(t.folder(), 'bench.yaml'), registration_of(one))]);
  await homeserver.start();
  const talking = await new people(homeserver).make(rooms);
  await talking.chat(() => talking.sent.length >= synapse_messages);
  const messages = talking.sent.length;
  const { drained } = await drain(t, port, messages);
  await until('Synapse pings', async () => (await homeserver.call('POST',
    `/_matrix/client/v1/appservice/${one.id}/ping`,
    { token: one.as_token, body: {} })).status === 200);
  const made = rate(await drained);
  made.version = await homeserver.version();
  await homeserver.kill();
  return made;
}

async function of_weir(t) {
  const port = await free_port();
  const one = appservice(0, port);
  const weir = await t.weir({ bridges: [one],
    over: { log: { level: 'info' } } });
  await fill(t, weir, 0, weir_transactions);
  const { drained } = await drain(t, port, weir_transactions * 100);
  const made = rate(await drained);
  await weir.kill();
  return made;
}

const median = (values) => [...values].sort((one, other) => one - other)[
  Math.floor(values.length / 2)];

const show = (who, made) => `${who} ${made.messages} messages in ` +
  `${made.transactions} transactions, ${made.seconds.toFixed(2)} s, ` +
  `${made.per_second.toFixed(0)}/s`;

const t = new setting();
let reached = false;
try {
  const ratios = [];
  for (let round = 1; round <= rounds; round += 1) {
    const theirs = await of_synapse(t);
    const ours = await of_weir(t);
    ratios.push(ours.per_second / theirs.per_second);
    console.log(`${round}: ${show(`Synapse ${theirs.version}:`, theirs)}; ` +
      `${show('Weir:', ours)}; ratio ${ratios.at(-1).toFixed(1)}`);
  }
  reached = median(ratios) >= times_asked;
  console.log(`drain of a backlog: ${median(ratios).toFixed(1)} times ` +
    `Synapse's own (${Math.min(...ratios).toFixed(1)} to ` +
    `${Math.max(...ratios).toFixed(1)}), at least ${times_asked}: ` +
    `${reached ? 'reached' : 'MISSED'}`);
} catch (error) {
  console.error(error.stack);
  console.error(t.report());
}
await t.close(!reached);
process.exit(reached ? 0 : 1);
