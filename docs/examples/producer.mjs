// Hands one event in for a realm and waits until each room has it. No packages:
//   WEIR=http://127.0.0.1:8009 TOKEN=… node producer.mjs
import { randomUUID } from 'node:crypto';

const base = `${process.env.WEIR}/_weir/v1`;
const realm = encodeURIComponent('https://realms.example/node/');
const headers = { authorization: `Bearer ${process.env.TOKEN}` };
const sleep = (ms) => new Promise((done) => { setTimeout(done, ms); });

// Asks again as long as Weir, or the way to it, has no answer: the key makes
// that safe, and 429 and 503 say when to come back.
async function ask(method, path, body) {
  for (;;) {
    let answer;
    try {
      answer = await fetch(`${base}/${path}`,
        { method, headers, body: body && JSON.stringify(body) });
    } catch {
      await sleep(1000);
      continue;
    }
    const told = await answer.json();
    if (answer.ok) return told;
    if (answer.status !== 429 && answer.status !== 503) {
      throw new Error(`${answer.status} ${told.errcode}: ${told.error}`);
    }
    await sleep(told.retry_after_ms ?? 1000);
  }
}

await ask('PUT', `realms/${realm}/rooms/${encodeURIComponent('!n:example.org')}`);
const taken = await ask('PUT', `realms/${realm}/events/${randomUUID()}`,
  { type: 'app.example', class: 'completion', content: { done: true } });
const event = `realms/${realm}/events/${taken.event_id}`;
const found = await ask('GET',
  `${event}?wait=settled&timeout_ms=500&after=${taken.token}`);
console.log(JSON.stringify({ complete: found.complete, rooms: found.targets }));
