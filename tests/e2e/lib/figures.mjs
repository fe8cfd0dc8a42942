/// What /metrics tells, as values.
import { until } from './wait.mjs';
import { run_command } from './weir.mjs';

/// Every series of the page: `{ name, labels, value }`, in its order.
export function series_of(page) {
  return page.split('\n').filter((line) => line && line[0] !== '#')
    .map((line) => {
      const parts = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line);
      if (!parts) throw new Error(`no sample: ${line}`);
      const labels = [...(parts[2] ?? '').matchAll(/([a-z]+)="([^"]*)"/g)]
        .map(([, key, value]) => [key, value]);
      return { name: parts[1], labels: Object.fromEntries(labels),
        value: Number(parts[3]) };
    });
}

export async function scrape(weir) {
  const page = await weir.admin('/metrics');
  if (page.status !== 200) throw new Error(`${page.status}: ${page.body}`);
  return series_of(page.body);
}

/// The names of the families that have one series for each appservice, as
/// docs/metrics.md tells them.
export async function appservice_families() {
  const told = await run_command(['metrics-docs']);
  return [...told.out.matchAll(/^\| `([a-z_]+)` \| \w+ \| `appservice`/gm)]
    .map(([, name]) => name);
}

/// Waits until `name` of `labels` fits `wanted`, a value or a function of it.
export async function reads(weir, name, labels, wanted, seconds = 30) {
  let last;
  const fits = typeof wanted === 'function' ? wanted : (now) => now === wanted;
  await until(() => `${name} ${JSON.stringify(labels)} is ${last}`,
    async () => {
      last = await weir.metric(name, labels);
      return fits(last);
    }, seconds);
  return last;
}
