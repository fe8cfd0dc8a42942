/// What is done to Synapse, Weir and the bridges, and what came of it. Each
/// scene answers `{ title, text, rows, held }`: rows of a table for the report,
/// and the violations of what Weir promises, in words.
import { answer, hang, slow } from '../../e2e/lib/behaviours.mjs';
import { pause, until } from '../../e2e/lib/wait.mjs';
import { slow_ms } from './world.mjs';

const tally_columns = ['', 'acknowledged to the senders', 'handed to Weir',
  'arrived', 'missing', 'under two ids', 'again', 'out of order'];

function tally_rows(tallies) {
  return [tally_columns, ...tallies.map((one) => [one.name, one.sent,
    one.weir_id ? one.handed : '', one.arrived, one.missing, one.other_id,
    one.repeated, one.reordered])];
}

/// What has to be so behind Weir. Synapse may have swapped something before Weir
/// was told of it, and have lost something when it was killed.
function weir_faults(tallies, { homeserver_killed = false } = {}) {
  const found = [];
  for (const one of tallies.filter((each) => each.weir_id)) {
    const say = (count, what) => {
      if (count > 0) found.push(`${one.name}: ${count} ${what}`);
    };
    say(one.lost_by_weir, 'taken by Weir did not arrive');
    say(one.other_id, 'came under two ids');
    say(one.swapped_by_weir, 'were swapped by Weir');
    if (!homeserver_killed) say(one.missing, 'are missing');
  }
  return found;
}

/// Synapse leaves behind what it stored for an appservice just as that one came
/// back, until its next failure: every appservice fails once, and Synapse looks.
async function wake_leftovers(world) {
  for (const bridge of [world.direct_quick, world.direct_slow]) {
    const usual = bridge.behaviour;
    bridge.behaviour = (record, reply) => {
      bridge.behaviour = usual;
      return answer(503)(record, reply);
    };
  }
  for (const { weir_id } of world.bridges()) {
    if (weir_id) world.tee.failing.add(weir_id);
  }
  await world.everywhere('one failure', 120);
  await world.quiet();
}

const messages_under_kills = 300;
const kills = 5;

/// Synapse stays; Weir, the library's process and a scripted bridge are killed
/// while users talk.
export async function deliver(world, random) {
  world.people.forget();
  let talking = true;
  let done = 0;
  const killing = (async () => {
    while (talking && done < kills) {
      await pause(random.between(500, 2500));
      await world.weir.kill();
      await pause(random.between(0, 1500));
      await world.weir.start();
      await pause(random.between(0, 1500));
      await world.library.kill();
      await world.weir_quick.stop();
      await pause(random.between(0, 800));
      await world.weir_quick.start();
      done += 1;
    }
  })();
  await world.people.chat(() => done >= kills
    && world.people.sent.length >= messages_under_kills);
  talking = false;
  await killing;
  await world.everywhere('the end of the talk', 120);
  await world.quiet();
  const stuck = world.tallies().filter((one) => one.weir_id)
    .reduce((sum, one) => sum + one.sent - one.handed, 0);
  await wake_leftovers(world);
  const tallies = world.tallies();
  return {
    title: 'Messages while Weir and the bridges are killed',
    text: `${rooms_of(world)} users send, each in a room of their own. Weir ` +
      `and the process of matrix-appservice got SIGKILL ${done} times each, ` +
      'the quick bridge was cut off and away as often. "Again" is what a ' +
      'bridge was sent once more under the same id, because it died or was ' +
      `cut off before its 200 was known. ${stuck} were still held back by ` +
      'Synapse at the end, until its next failure. Order is that of sending, by ' +
      'room; a swap that Weir made itself would be named below.',
    rows: tally_rows(tallies),
    faults: weir_faults(tallies),
  };
}

const rooms_of = (world) => world.people.all.length;

const to_device_messages = 20;

/// Encryption keys travel so; Synapse does not keep them for an appservice.
export async function to_device(world) {
  const { homeserver, people } = world;
  const registered = await homeserver.ask('POST',
    '/_matrix/client/v3/register', { token: world.direct_quick.as_token,
      body: { type: 'm.login.application_service', username: 'ghost' } });
  const bridges = [['through Weir', world.weir_quick],
    ['Synapse alone', world.direct_quick]];
  for (const [, bridge] of bridges) await bridge.stop();
  await people.say_all('while the bridges are down');
  for (let n = 1; n <= to_device_messages; n += 1) {
    await homeserver.ask('PUT',
      `/_matrix/client/v3/sendToDevice/m.room_key_request/key${n}`,
      { token: people.all[0].token, body: { messages: {
        [registered.user_id]: { [registered.device_id]: { n } } } } });
  }
  await pause(3000);
  for (const [, bridge] of bridges) await bridge.start();
  await world.everywhere('the bridges are back', 120);
  await world.quiet(3000);
  const got = (bridge) => [...new Set(bridge.acked
    .flatMap((one) => one.to_device).filter((n) => n !== undefined))];
  const rows = bridges.map(([name, bridge]) => [name, to_device_messages,
    got(bridge).length]);
  const behind = got(world.weir_quick);
  const in_order = behind.every((n, at) => n === at + 1);
  return {
    title: 'To-device messages sent while the bridge is down',
    text: 'To a device of a ghost, while both bridges refuse connections; ' +
      'then both come back and users talk on.',
    rows: [['', 'sent', 'arrived'], ...rows],
    faults: behind.length === to_device_messages && in_order ? []
      : [`to-device messages behind Weir: ${behind.join(' ')}`],
  };
}

/// With pauses of 2, 4 and 8 s behind it, Synapse's next try of its own is some
/// 15 s away.
const down_s = 15.5;

const seconds_since = (moment) =>
  Math.max(0, (performance.now() - moment) / 1000);

/// Weir is away until Synapse has given it up for a while, and comes back.
async function come_back(world, over) {
  let ids = [];
  await world.restart_weir(over, async () => {
    ids = await world.people.say_all('while Weir is down');
    await pause(down_s * 1000);
  });
  const ready = performance.now();
  const times = {};
  await until('what was sent while Weir was down', async () => {
    const handled = new Set(world.library.journal.read().lives
      .flatMap((life) => life.event));
    if (ids.every((id) => handled.has(id))) {
      times.library ??= seconds_since(ready);
    }
    const queue = await world.weir.queue(world.weir_quick.id);
    if (queue?.depth_events >= ids.length) times.off ??= seconds_since(ready);
    return times.library !== undefined && times.off !== undefined;
  }, 120);
  return times;
}

/// Neither matrix-appservice, which has no ping, nor a bridge that is off could
/// make Synapse try again.
export async function pings(world) {
  await world.weir_quick.stop();
  const with_pings = await come_back(world, world.usual);
  await world.weir_quick.start();
  await world.everywhere('between two outages', 120);
  await world.weir_quick.stop();
  const without = await come_back(world, world.without_pings);
  await world.weir_quick.start();
  await world.restart_weir(world.usual);
  await world.everywhere('after the outages', 120);
  const row = (name, times) => [name, times.library.toFixed(2),
    times.off.toFixed(2)];
  const faults = [];
  if (Math.max(with_pings.library, with_pings.off) > 5) {
    faults.push('Synapse did not try again at once when Weir was back');
  }
  return {
    title: 'Weir comes back to a Synapse that has given it up',
    text: `Weir was away for ${down_s} s while users talked. Seconds from ` +
      'ready until all of it had come, to a bridge on matrix-appservice ' +
      '(which has no ping) and into the queue of a bridge that is off. ' +
      'For the second row Weir is told a wrong place of the homeserver, so ' +
      'that Synapse tries again in its own time only.',
    rows: [['', 'matrix-appservice', 'bridge that is off'],
      row('Weir asks for pings', with_pings),
      row('Weir cannot ask', without)],
    faults,
  };
}

const rounds = 5;

/// Synapse is killed while everybody talks, and started again.
export async function crash(world, random) {
  world.people.forget();
  for (let round = 0; round < rounds; round += 1) {
    let over = false;
    const talk = world.people.chat(() => over);
    await pause(random.between(2000, 5000));
    await world.homeserver.kill();
    over = true;
    await talk;
    await world.homeserver.start();
    await world.everywhere('Synapse is back', 120);
    await world.quiet();
  }
  await wake_leftovers(world);
  const tallies = world.tallies();
  return {
    title: 'SIGKILL of Synapse while users talk',
    text: `${rounds} times, after 2 to 5 s each; a slow bridge answers in ` +
      `${slow_ms} ms. What Synapse had not yet handed over when it died is ` +
      'lost before Weir could know of it. At the end every appservice failed ' +
      'once, so that Synapse sent what it had kept.',
    rows: tally_rows(tallies),
    faults: weir_faults(tallies, { homeserver_killed: true }),
  };
}

const messages_behind_a_hang = 56;

/// The bridge hangs on one transaction, more is sent, and Synapse is killed.
export async function hang_and_crash(world) {
  world.people.forget();
  const bridges = [world.weir_slow, world.direct_slow];
  for (const bridge of bridges) bridge.behaviour = hang();
  await world.people.say_all('the bridge hangs on this');
  await pause(1500);
  let left = messages_behind_a_hang;
  await world.people.chat(() => {
    left -= 1;
    return left < 0;
  });
  const owed = world.people.sent.length;
  await until('Weir has it all', async () =>
    (await world.weir.queue('weir_slow'))?.depth_events >= owed, 60);
  await world.homeserver.kill();
  for (const bridge of bridges) {
    await bridge.stop();
    bridge.behaviour = slow(slow_ms);
    await bridge.start();
  }
  await world.homeserver.start();
  await world.everywhere('Synapse and the bridges are back', 120);
  await wake_leftovers(world);
  const tallies = world.tallies()
    .filter((one) => one.name.startsWith('slow'));
  return {
    title: 'SIGKILL of Synapse while a bridge hangs',
    text: `The slow bridges hang on one transaction, ${owed} messages in ` +
      'all are sent, Synapse is killed, the bridges are restarted.',
    rows: tally_rows(tallies),
    faults: weir_faults(tallies),
  };
}
