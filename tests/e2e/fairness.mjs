/// Dead and hanging bridges delay nobody else (G6, spec line 11).
import assert from 'node:assert/strict';
import { answer, hang } from './lib/behaviours.mjs';
import { must_hold, overlapping } from './lib/checkers.mjs';
import { message, messages } from './lib/events.mjs';
import { p99_ms, told_median } from './lib/latency.mjs';
import { run, test } from './lib/test.mjs';
import { until, within } from './lib/wait.mjs';
import { fetch_text } from './lib/weir.mjs';

const count = 100;

async function hundred(t) {
  const hanging = [];
  for (let n = 0; n < count; n += 1) {
    hanging.push(await t.bridge({ id: `hang${n}`, behaviour: hang() }));
  }
  const healthy = await t.bridge({ id: 'healthy' });
  const weir = await t.weir({ bridges: [...hanging, healthy],
    over: { appservices: { defaults: { request_timeout: '600s' } } } });
  return { hanging, healthy, weir };
}

async function make_them_hang(t, weir, hanging) {
  await Promise.all(hanging.map(async (bridge) => {
    await t.sender(weir, bridge).send(messages('a', 2));
    await bridge.sees(1);
  }));
}

test('g11 one hundred hanging bridges do not stop a healthy one',
  { seconds: 120 }, async (t) => {
    const { hanging, healthy, weir } = await hundred(t);
    await make_them_hang(t, weir, hanging);
    const from = t.sender(weir, healthy);
    for (let n = 0; n < 50; n += 1) {
      await from.send([message(`$n${n}`)]);
      await healthy.has([`$n${n}`], 10);
    }
    for (const bridge of hanging) {
      assert.equal(bridge.transactions.length, 1);
      assert.deepEqual(overlapping(bridge.transactions), []);
    }
    must_hold({ accepted: from.accepted, records: healthy.transactions });
  });

test('g11 one hundred hanging bridges leave the p99 of a healthy one',
  { seconds: 1800, soak: true, serial: true }, async (t) => {
    const ratios = [];
    for (let pair = 0; pair < 7; pair += 1) {
      const { hanging, healthy, weir } = await hundred(t);
      const from = t.sender(weir, healthy);
      await p99_ms(from, healthy, `warm${pair}`);
      const alone = await p99_ms(from, healthy, `alone${pair}`);
      await make_them_hang(t, weir, hanging);
      const beside = await p99_ms(from, healthy, `beside${pair}`);
      ratios.push(beside / alone);
      console.log(`p99 ${alone.toFixed(1)} ms alone, ` +
        `${beside.toFixed(1)} ms beside ${count} hanging bridges`);
      await weir.kill();
    }
    const median = told_median(ratios);
    assert.ok(median <= 1.5, `the median ratio is ${median}`);
  });

/// A query of the homeserver about one user of `bridge`; `took` in ms.
async function ask(weir, bridge, n) {
  const began = performance.now();
  const answered = await fetch_text(weir.port,
    `/_weir/as/${bridge.id}/_matrix/app/v1/users/%40u${n}%3Aexample.org`,
    { headers: { authorization: `Bearer ${bridge.hs_token}` }, seconds: 60 });
  return { ...answered, took: performance.now() - began };
}

test('d6 what is asked of a hanging bridge keeps no connection from another',
  { seconds: 90 }, async (t) => {
    const hanging = await t.bridge({ id: 'hanging', behaviour: hang() });
    const healthy = await t.bridge({ id: 'healthy' });
    const weir = await t.weir({ bridges: [hanging, healthy],
      over: { listener: { connections_max: 200 } } });
    // A quarter of the connections waits for it, the others are told at once.
    const waiting = 50;
    const answers = [];
    const all = [];
    // Not all at once: a connection whose request is not read yet gives way.
    while (all.length < 210) {
      for (let n = 0; n < 70; n += 1) {
        all.push(ask(weir, hanging, n).then((one) => answers.push(one)));
      }
      await until(() => `the others are told, ${answers.length} were`,
        () => answers.length === all.length - waiting, 10);
    }
    const asked = all.length;
    for (const one of answers) {
      assert.equal(one.status, 502, one.body);
      assert.equal(JSON.parse(one.body).errcode, 'ORG.WEIR.BRIDGE_UNREACHABLE');
    }
    await until('the bridge has the others',
      () => hanging.requests.length === waiting);
    assert.equal(await weir.metric('weir_requests_refused_total',
      { side: 'homeserver', reason: 'bridge_busy' }), asked - waiting);
    const from = t.sender(weir, healthy);
    for (let n = 0; n < 20; n += 1) {
      await within('a transaction is taken', from.send([message(`$n${n}`)]), 3);
      await healthy.has([`$n${n}`], 3);
    }
    assert.equal((await ask(weir, healthy, 0)).status, 200);
    assert.equal(answers.length, asked - waiting); // They still wait.
    await Promise.all(all);
    assert.ok(answers.slice(asked - waiting)
      .every((one) => one.status === 504));
    // Known to hang now: whoever asks is not kept for so long.
    const late = await ask(weir, hanging, 0);
    assert.equal(late.status, 504);
    assert.ok(late.took < 8_000, `it took ${late.took} ms`);
    // And known to be well as soon as it answers.
    hanging.behaviour = answer(200);
    assert.equal((await ask(weir, hanging, 0)).status, 200);
    must_hold({ accepted: from.accepted, records: healthy.transactions });
  });

await run();
