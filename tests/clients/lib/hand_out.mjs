/// What a library must have handed to the bridge's code, given the requests
/// that came: each transaction once for as long as its process remembers it.
/// All three remember at least the last id in memory, and Weir never goes back
/// to an older one, so a repeated id is handed out again only by a new process.

const kinds = { event: 'events', other: 'others' };

/// Whether the library saw the whole request.
const reached = (request) =>
  request.events !== null && !request.fault.endsWith('_before');

/// The ids of `kind` that one life had to hand out, and how many of them lead
/// up to the last request that reached the library.
function owed_in(life, kind) {
  const known = new Set();
  const owed = [];
  let before_last = 0;
  for (const request of life.requests.filter(reached)) {
    before_last = owed.length;
    if (known.has(request.txn)) continue;
    known.add(request.txn);
    owed.push(...request[kinds[kind]]);
  }
  return { owed, before_last };
}

/// Violations in words. A process that was killed may be short of its last
/// request, and of nothing else; the one that still runs of nothing at all.
export function badly_handed_out(lives) {
  const found = [];
  for (const [n, life] of lives.entries()) {
    for (const kind of Object.keys(kinds)) {
      const { owed, before_last } = owed_in(life, kind);
      const given = life[kind];
      const differs = given.findIndex((id, at) => id !== owed[at]);
      if (differs >= 0) {
        found.push(`life ${n + 1}: ${given[differs]} was handled as ` +
          `${kind} ${differs + 1} in place of ${owed[differs]}`);
      }
      const least = n + 1 < lives.length ? before_last : owed.length;
      if (given.length < least) {
        found.push(`life ${n + 1}: ${given.length} of ${least} of ${kind} ` +
          'were handled');
      }
    }
  }
  return found;
}

/// Ids of `kind` that a bridge said 200 to and died before its code was given
/// them: what a library that answers too early loses.
export function lost_inside(lives, kind) {
  const handled = new Set(lives.flatMap((life) => life[kind]));
  const acked = lives.flatMap((life) => life.requests)
    .filter((request) => request.acked)
    .flatMap((request) => request[kinds[kind]]);
  return [...new Set(acked.filter((id) => !handled.has(id)))];
}
