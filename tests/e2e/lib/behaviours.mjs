/// What a scripted bridge does with a request. A behaviour is a function of
/// (record, reply): it waits for `record.arrived` when it wants the whole body,
/// then calls `reply.send(status, body, headers)`, `reply.reset()` or nothing.
import { pause } from './wait.mjs';

/// Answers every request alike.
export function answer(status, body = '{}', headers = {}) {
  return async (record, reply) => {
    await record.arrived;
    reply.send(status, body, headers);
  };
}

/// Applies `behaviour` to transactions only; all else is answered 200 `{}`.
export function for_transactions(behaviour, otherwise = answer(200)) {
  return (record, reply) =>
    (record.txn === undefined ? otherwise : behaviour)(record, reply);
}

/// Goes through `list` (statuses or behaviours), one a request; the last one
/// stays.
export function sequence(list) {
  const left = list.map((one) => (typeof one === 'number' ? answer(one) : one));
  return (record, reply) =>
    (left.length > 1 ? left.shift() : left[0])(record, reply);
}

/// Takes the request and never answers.
export function hang() {
  return async (record) => { await record.arrived; };
}

/// Cuts the connection when the head has come, before the body is read.
export function reset_before_reading() {
  return (record, reply) => { reply.reset(); };
}

/// Reads everything, handles it as far as anybody can know, and cuts.
export function reset_after_reading() {
  return async (record, reply) => {
    await record.arrived;
    reply.reset();
  };
}

/// Answers after `ms`.
export function slow(ms, then = answer(200)) {
  return async (record, reply) => {
    await record.arrived;
    await pause(ms);
    await then(record, reply);
  };
}

/// A 200 with an HTML page, as a misconfigured middlebox gives.
export const html_page = () =>
  answer(200, '<html><body>It works</body></html>',
    { 'content-type': 'text/html' });

/// A 200 with no body at all.
export const empty_page = () => answer(200, '');

/// 413 for bodies of more than `bytes`.
export function at_most(bytes, then = answer(200)) {
  return async (record, reply) => {
    await record.arrived;
    if (record.body.length > bytes) reply.send(413, '<h1>Too large</h1>');
    else await then(record, reply);
  };
}

/// `refusal` (a behaviour) when an event of `type` is inside, else `then`.
export function refuse_type(type, refusal, then = answer(200)) {
  const mark = `"type":"${type}"`;
  return async (record, reply) => {
    await record.arrived;
    const poisoned = record.txn !== undefined && record.body.includes(mark);
    await (poisoned ? refusal : then)(record, reply);
  };
}

/// The process dies on the request and a supervisor brings it back after `ms`:
/// every connection is cut and nobody listens meanwhile.
export function die(ms) {
  return async (record, reply) => {
    await record.arrived;
    record.ended = performance.now();
    await reply.bridge.stop();
    await pause(ms);
    await reply.bridge.start();
  };
}

/// Fails a share of the requests in one of `failures`, by seed.
export function fail_at_random(random, share, failures, then = answer(200)) {
  return (record, reply) => {
    const failing = random.chance(share);
    return (failing ? random.pick(failures) : then)(record, reply);
  };
}

/// The failures that tell nothing about the content of a transaction.
export const verdictless_failures = () => [
  answer(502, '<h1>Bad gateway</h1>', { 'content-type': 'text/html' }),
  answer(503, '{}'),
  answer(429, '{"errcode":"M_LIMIT_EXCEEDED"}', { 'retry-after': '0' }),
  reset_before_reading(),
  reset_after_reading(),
];
