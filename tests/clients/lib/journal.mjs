/// What a bridge process wrote down (lib/tap.mjs), read while it is written.
///
/// A life is one process: `{ began, requests, event, other }`, where `event`
/// and `other` are the ids that the bridge's own code was given, in order. A
/// request is a record as the checkers of tests/e2e want it, and besides
/// `fault`, `others` (ids of ephemeral and to-device elements the library
/// reads) and `life`.
import fs from 'node:fs';

export class journal {
  constructor(file) {
    this.file = file;
    this.lives = [];
    this.served = 0;
    this.at = 0;
    this.rest = '';
  }

  /// Takes what was added since the last call; answers this.
  read() {
    if (!fs.existsSync(this.file)) return this;
    const opened = fs.openSync(this.file, 'r');
    const piece = Buffer.alloc(1 << 16);
    let text = this.rest;
    for (;;) {
      const length = fs.readSync(opened, piece, 0, piece.length, this.at);
      if (length === 0) break;
      this.at += length;
      text += piece.toString('latin1', 0, length);
    }
    fs.closeSync(opened);
    const lines = text.split('\n');
    this.rest = lines.pop();
    for (const line of lines) this.#take(JSON.parse(line));
    return this;
  }

  #take(line) {
    const life = this.lives.at(-1);
    const request = life?.requests[(line.n ?? 0) - 1];
    switch (line.what) {
      case 'life':
        this.#begin_life(line.at);
        break;
      case 'serving':
        this.served += 1;
        break;
      case 'begin':
        life.requests.push({ txn: line.txn, fault: line.fault, began: line.at,
          ended: null, sha: '', events: null, others: null, acked: false,
          status: null, life: this.lives.length - 1 });
        break;
      case 'body':
        Object.assign(request, { sha: line.sha, events: line.events,
          others: line.others });
        break;
      case 'end':
        Object.assign(request, { status: line.status, ended: line.at,
          acked: line.status === 200 });
        break;
      case 'handled':
        life[line.kind].push(line.id);
        break;
      default:
        throw new Error(`a journal knows no ${line.what}`);
    }
  }

  /// A dead process holds no request open.
  #begin_life(at) {
    for (const one of this.lives.at(-1)?.requests ?? []) one.ended ??= at;
    this.lives.push({ began: at, requests: [], event: [], other: [] });
  }

  /// All requests of all lives, in order.
  get records() {
    return this.lives.flatMap((life) => life.requests);
  }

  /// How many different events the bridge's code was given.
  count_handled(kind) {
    return new Set(this.lives.flatMap((life) => life[kind])).size;
  }
}
