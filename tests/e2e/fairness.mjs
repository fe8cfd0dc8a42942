/// Dead and hanging bridges delay nobody else (G6, spec line 11).
import assert from 'node:assert/strict';
import { hang } from './lib/behaviours.mjs';
import { must_hold, overlapping } from './lib/checkers.mjs';
import { message, messages } from './lib/events.mjs';
import { p99_ms, told_median } from './lib/latency.mjs';
import { run, test } from './lib/test.mjs';

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

await run();
