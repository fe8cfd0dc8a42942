/// Since when a queue is as it is, and why: whatever is killed, what an
/// operator is told stays true.
import assert from 'node:assert/strict';
import { answer, for_transactions } from './lib/behaviours.mjs';
import { message } from './lib/events.mjs';
import { run, test_on_stores } from './lib/test.mjs';
import { pause, until } from './lib/wait.mjs';

const quick = { appservices:
  { defaults: { backoff_first: '50ms', backoff_max: '100ms' } } };

/// What is told of the bridge's queue once `fits` holds of it.
function told(weir, what, fits) {
  return until(what, async () => {
    const one = await weir.queue('bridge');
    return one && fits(one) && one;
  });
}

/// A restart leaves all of it as it was. Times are told as ages, which are a
/// few milliseconds older when they are stored.
function goes_on(after, before) {
  for (const part of ['state', 'cause', 'last_error', 'last_error_text']) {
    assert.equal(after[part], before[part], part);
  }
  const apart = Math.abs(after.since_ms - before.since_ms);
  assert.ok(apart < 500, `since ${after.since_ms}, was ${before.since_ms}`);
}

/// The seconds in which a moment lies, as people are told them.
const told_as = (ms) => [-500, 500].map((more) =>
  `since ${new Date(ms + more).toISOString().slice(0, 19).replace('T', ' ')}`);

async function killed_and_started(weir) {
  await pause(1100); // A story that began anew would be told from others.
  await weir.kill();
  await weir.start();
}

test_on_stores('a bridge that is down is down since then, whatever is killed',
  async (t) => {
    const bridge = await t.bridge();
    const weir = await t.weir({ bridges: [bridge], over: quick });
    const from = t.sender(weir, bridge);
    const begun = Date.now();
    await bridge.stop();
    await from.send([message('$1')]);
    const before = await told(weir, 'the queue rests',
      (one) => one.state === 'resting' && one.attempts > 1);
    assert.equal(before.cause, 'connect_refused');
    assert.match(before.last_error_text, /refused/i);
    assert.ok(before.since_ms >= begun - 1000, `${before.since_ms} ${begun}`);
    for (let kills = 0; kills < 2; kills += 1) {
      const last = (await weir.queue('bridge')).last_error_at_ms;
      await killed_and_started(weir);
      const after = await told(weir, 'it was tried again',
        (one) => one.last_error_at_ms > last + 1000);
      goes_on(after, before);
    }
    const explained = await weir.command('explain', 'bridge');
    assert.ok(told_as(before.since_ms).some((since) =>
      explained.out.includes(since)), explained.out);
    assert.match(explained.out, /error +connect_refused[^]*Connection\s+refused/);
    assert.match((await weir.command('status')).out,
      /bridge +resting \(connect_refused\) +\d/);
    await bridge.start();
    await bridge.has(['$1']);
    const mended = await told(weir, 'the queue flows',
      (one) => one.state === 'flowing');
    assert.ok(mended.since_ms > before.since_ms);
    await killed_and_started(weir);
    goes_on(await weir.queue('bridge'), mended);
    await from.send([message('$2')]);
    await bridge.has(['$1', '$2']);
    await pause(1100);
    goes_on(await weir.queue('bridge'), mended);
  });

test_on_stores('a blocked queue is blocked since then, whatever is killed',
  async (t) => {
    const bridge = await t.bridge(
      { behaviour: for_transactions(answer(400)) });
    const weir = await t.weir({ bridges: [bridge], over: { appservices:
      { defaults: { ...quick.appservices.defaults, poison: 'block' } } } });
    await t.sender(weir, bridge).send([message('$1')]);
    const before = await told(weir, 'the queue is blocked',
      (one) => one.state === 'blocked');
    await killed_and_started(weir);
    const after = await told(weir, 'it was tried again', (one) =>
      one.last_error_at_ms > before.last_error_at_ms + 1000);
    goes_on(after, before);
    await weir.stop();
    await weir.start();
    goes_on(await weir.queue('bridge'), before);
  });

await run();
