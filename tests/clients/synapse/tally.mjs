/// Counts of what arrived, against what Synapse acknowledged to the senders.
///
/// `arrivals` is a list of `{ txn, id, acked }` in order of arrival, one for
/// each event in each request.

/// Those of a scripted bridge (tests/e2e/lib/bridge.mjs).
export function arrivals_at(bridge) {
  return bridge.transactions.flatMap((one) => (one.events ?? []).map(
    (id) => ({ txn: one.txn, id, acked: one.acked })));
}

/// Those that a library handed to the bridge's code. What came again after the
/// process had died is not counted as another transaction.
export function handled_by(client) {
  return client.journal.read().lives.flatMap((life) => life.event)
    .map((id) => ({ txn: '', id, acked: true }));
}

/// How many first arrivals came after one that was sent later in their room.
function count_reordered(ids, firsts) {
  const place = new Map(ids.map((id, at) => [id, at]));
  let highest = -1;
  let count = 0;
  for (const id of firsts) {
    const at = place.get(id);
    if (at === undefined) continue;
    if (at < highest) count += 1;
    else highest = at;
  }
  return count;
}

/// Answers `{ sent, arrived, missing, other_id, repeated, reordered }`:
/// `other_id` counts events that came under two transaction ids (a bridge can
/// not know them again), `repeated` those that came again otherwise.
export function tally(rooms, arrivals) {
  const sent = [...rooms.values()].flat();
  const known = new Set(sent);
  const acked = new Set(arrivals.filter((one) => one.acked)
    .map((one) => one.id));
  const txns = new Map();
  let repeated = 0;
  for (const { txn, id } of arrivals) {
    if (!known.has(id)) continue;
    if (!txns.has(id)) txns.set(id, new Set());
    else if (txns.get(id).has(txn)) repeated += 1;
    txns.get(id).add(txn);
  }
  const firsts = [...txns.keys()];
  const missing = sent.filter((id) => !acked.has(id));
  return {
    sent: sent.length,
    arrived: sent.length - missing.length,
    missing: missing.length,
    other_id: sent.filter((id) => txns.get(id)?.size > 1).length,
    repeated,
    reordered: [...rooms.values()].reduce(
      (sum, ids) => sum + count_reordered(ids, firsts), 0),
    missing_ids: missing,
  };
}
