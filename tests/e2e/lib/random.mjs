/// A seeded source of randomness, so that a run can be repeated from its seed.
/// The generator is Mulberry32 by Tommy Ettinger (public domain).
export class random_source {
  constructor(seed) {
    this.seed = seed >>> 0;
    this.state = this.seed;
  }

  /// A number in [0, 1).
  next() {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  /// An integer in [low, high].
  between(low, high) {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  pick(list) {
    return list[this.between(0, list.length - 1)];
  }

  chance(share) {
    return this.next() < share;
  }
}
