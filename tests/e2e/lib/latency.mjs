/// How long events take through Weir, for comparisons within one run: the
/// milliseconds of two machines, or of two hours, cannot be compared.
import { message } from './events.mjs';
import { until } from './wait.mjs';

/// The 99th percentile of the milliseconds from the PUT to the arrival, of 300
/// events that are sent one after another. `name` makes their ids.
export async function p99_ms(from, bridge, name) {
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

/// The middle one of the ratios, which are all printed.
export function told_median(ratios) {
  const sorted = [...ratios].sort((a, b) => a - b);
  console.log(`ratios ${sorted.map((one) => one.toFixed(2)).join(' ')}`);
  return sorted[Math.floor(sorted.length / 2)];
}
