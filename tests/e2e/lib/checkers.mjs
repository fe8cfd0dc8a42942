/// What must hold of every run, judged from what the bridge recorded alone.
/// Each checker returns a list of violations in words; empty means it held.
/// selftest.mjs plants a violation for each and shows that it is found.
///
/// A record is what lib/bridge.mjs keeps of one transaction request: `txn` (the
/// id), `sha` (of the raw body), `events` (ids in order, null when the body did
/// not arrive whole), `acked` (answered 2xx, as far as the bridge knows),
/// `began` and `ended` (ms; `ended` null while it is open).

const whole = (records) => records.filter((one) => one.events !== null);

/// Every accepted event was in a request that the bridge answered 2xx.
export function missing(accepted, records) {
  const got = new Set(
    whole(records).filter((one) => one.acked).flatMap((one) => one.events),
  );
  return accepted
    .filter((id) => !got.has(id))
    .map((id) => `${id} was accepted and never acknowledged by the bridge`);
}

/// No event arrived that nobody sent.
export function invented(sent, records) {
  const known = new Set(sent);
  const strange = new Set(
    whole(records).flatMap((one) => one.events).filter((id) => !known.has(id)),
  );
  return [...strange].map((id) => `${id} arrived and was never sent`);
}

/// The events, at their first arrival each, came in the order `sent`. Events of
/// `sent` that never came are no business of this checker.
export function reordered(sent, records) {
  const place = new Map(sent.map((id, at) => [id, at]));
  const seen = new Set();
  const found = [];
  let highest = -1;
  let highest_id = '';
  for (const one of whole(records)) {
    for (const id of one.events) {
      if (seen.has(id) || !place.has(id)) continue;
      seen.add(id);
      const at = place.get(id);
      if (at < highest) found.push(`${id} came after ${highest_id}`);
      else [highest, highest_id] = [at, id];
    }
  }
  return found;
}

/// All requests under one id carry the same bytes.
export function altered(records) {
  const shas = new Map();
  const found = [];
  for (const one of whole(records)) {
    const before = shas.get(one.txn);
    if (before === undefined) shas.set(one.txn, one.sha);
    else if (before !== one.sha) found.push(`${one.txn} came with other bytes`);
  }
  return found;
}

/// No event is in requests of two ids. With `replanned`, an id that the bridge
/// never acknowledged may hand its events on (split and bisect).
export function duplicated(records, { replanned = false } = {}) {
  const acked_ids = new Set(
    records.filter((one) => one.acked).map((one) => one.txn),
  );
  const owners = new Map();
  const found = new Set();
  for (const one of whole(records)) {
    for (const id of one.events) {
      const owner = owners.get(id);
      owners.set(id, one.txn);
      if (owner === undefined || owner === one.txn) continue;
      if (replanned && !acked_ids.has(owner)) continue;
      found.add(`${id} came under ${owner} and under ${one.txn}`);
    }
  }
  return [...found];
}

/// No id comes back after another one was tried.
export function reused(records) {
  const left = new Set();
  let current;
  const found = [];
  for (const one of records) {
    if (one.txn === current) continue;
    if (left.has(one.txn)) found.push(`${one.txn} came back after ${current}`);
    if (current !== undefined) left.add(current);
    current = one.txn;
  }
  return found;
}

/// At most one request is open at any moment.
export function overlapping(records) {
  const found = [];
  let open_until = -Infinity;
  let open_txn = '';
  for (const one of records) {
    if (one.began < open_until) {
      found.push(`${one.txn} began while ${open_txn} was open`);
    }
    const end = one.ended ?? Infinity;
    if (end > open_until) [open_until, open_txn] = [end, one.txn];
  }
  return found;
}

/// Ids are short and need no escaping in a path (R12).
export function ill_formed_ids(records) {
  return [...new Set(records.map((one) => one.txn))]
    .filter((txn) => !/^[A-Za-z0-9._~-]{1,64}$/.test(txn))
    .map((txn) => `${txn} is no plain transaction id`);
}

/// All of the above for one appservice. `accepted`: what the homeserver side
/// got a 200 for; `sent`: everything it tried, in order.
export function judge({ accepted, sent = accepted, records, replanned }) {
  return [
    ...missing(accepted, records),
    ...invented(sent, records),
    ...reordered(sent, records),
    ...reordered(sent, records.filter((one) => one.acked)),
    ...altered(records),
    ...duplicated(records, { replanned }),
    ...reused(records),
    ...overlapping(records),
    ...ill_formed_ids(records),
  ];
}

/// Throws with the first violations when `judge` finds any.
export function must_hold(what) {
  const found = judge(what);
  if (found.length === 0) return;
  const shown = found.slice(0, 10).join('\n  ');
  throw new Error(`${found.length} violations:\n  ${shown}`);
}
