/// The commands that the documents show do what the documents say.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { answer, for_transactions, refuse_type } from './lib/behaviours.mjs';
import { message } from './lib/events.mjs';
import { differences, examples_in, run_examples } from './lib/examples.mjs';
import { producer } from './lib/realms.mjs';
import { run, test } from './lib/test.mjs';
import { until } from './lib/wait.mjs';
import { weir_binary } from './lib/weir.mjs';

const read = (name) => examples_in(fs.readFileSync(
  new URL(`../../docs/${name}`, import.meta.url), 'utf8'));

const bad = (id) => message(id, { type: 'org.example.bad' });

/// A bridge that has delivered, rejected and is owed something.
async function a_weir_with_a_past(t) {
  const rejects = refuse_type('org.example.bad',
    answer(400, '{"errcode":"M_BAD_JSON"}'));
  const bridge = await t.bridge({ id: 'whatsapp', behaviour: rejects });
  const weir = await t.weir({ bridges: [bridge], over: { ...producer.options(), appservices:
    { defaults: { backoff_first: '50ms', backoff_max: '100ms' } } } });
  const from = t.sender(weir, bridge);
  await from.send([message('$good')]);
  await from.send([bad('$bad1'), bad('$bad2')]);
  await from.send([bad('$bad3')]);
  await until('three dead letters', async () =>
    (await weir.dead_letters()).length === 3);
  await from.once('17', '{"events":"none"}');
  bridge.behaviour = for_transactions(answer(503));
  await from.send([message('$owed')]);
  await until('a refusal', async () =>
    (await weir.queue('whatsapp')).last_error === 'http_503');
  return weir;
}

test('the commands of docs/api.md do what it shows', async (t) => {
  const examples = read('api.md');
  assert.ok(examples.length >= 7, `${examples.length} examples`);
  const weir = await a_weir_with_a_past(t);
  const wrong = await run_examples(examples, [
    ['/etc/weir/weir.yaml', weir.config_file],
    ['/var/lib/weir/', `${path.join(weir.folder, 'data')}/`],
    ['127.0.0.1:8010', `127.0.0.1:${weir.admin_port}`],
    ['127.0.0.1:8009', `127.0.0.1:${weir.port}`],
    ['HS_TOKEN', weir.bridges[0].hs_token],
    ['PRODUCER_TOKEN', 'producer_secret_of_tests'],
    ['docs/examples/', new URL('../../docs/examples/', import.meta.url).pathname],
    ['weir ', `${weir_binary()} `],
  ]);
  assert.deepEqual(wrong, []);
});

test('an example that shows too much or too little is told', () => {
  const shown = { a: 1, list: [{ id: 1 }], none: [], maybe: null };
  assert.deepEqual(differences(shown,
    { a: 2, list: [{ id: 7 }], none: [], maybe: 'x' }), []);
  assert.deepEqual(differences(shown,
    { a: '2', list: [{ name: 7 }], more: 1, maybe: 1 }), [
    'a: string, not number',
    'list[0].id: is shown and does not come',
    'list[0].name: comes and is not shown',
    'none: is shown and does not come',
    'more: comes and is not shown',
  ]);
  assert.deepEqual(differences(shown, { ...shown, list: [] }),
    ['list: an empty list']);
});

await run();
