/// Dead and hanging bridges delay nobody else (G6, spec line 11).
import assert from 'node:assert/strict';
import { hang } from './lib/behaviours.mjs';
import { must_hold, overlapping } from './lib/checkers.mjs';
import { message, messages } from './lib/events.mjs';
import { run, test } from './lib/test.mjs';
import { until } from './lib/wait.mjs';

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

/// The 99th percentile of the milliseconds from the PUT to the arrival.
async function p99(from, bridge, name) {
  const waits = [];
  for (let n = 0; n < 300; n += 1) {
    const id = `$${name}_${n}`;
    const began = performance.now();
    const sent = from.send([message(id)]);
    const arrived = () => bridge.transactions.findLast(
      (one) => one.events?.includes(id));
    await sent;
    const record = await until(`${id} arrives`, arrived);
    waits.push(record.began - began);
  }
  waits.sort((a, b) => a - b);
  return waits[Math.floor(waits.length * 0.99)];
}

test('g11 one hundred hanging bridges leave the p99 of a healthy one',
  { seconds: 1800, soak: true, serial: true }, async (t) => {
    const ratios = [];
    for (let pair = 0; pair < 7; pair += 1) {
      const { hanging, healthy, weir } = await hundred(t);
      const from = t.sender(weir, healthy);
      await p99(from, healthy, `warm${pair}`);
      const alone = await p99(from, healthy, `alone${pair}`);
      await make_them_hang(t, weir, hanging);
      const beside = await p99(from, healthy, `beside${pair}`);
      ratios.push(beside / alone);
      console.log(`p99 ${alone.toFixed(1)} ms alone, ` +
        `${beside.toFixed(1)} ms beside ${count} hanging bridges`);
      await weir.kill();
    }
    ratios.sort((a, b) => a - b);
    const median = ratios[3];
    console.log(`ratios ${ratios.map((one) => one.toFixed(2)).join(' ')}`);
    assert.ok(median <= 1.5, `the median ratio is ${median}`);
  });

await run();
