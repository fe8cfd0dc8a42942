/// The libraries load their encryption module when they are loaded themselves
/// and use it only where a bridge turns encryption on, which none here does.
/// The real one fetches a native binary from outside the registry.
'use strict';

const unusable = (name) => class {
  constructor() {
    throw new Error(`${name}: the client tests run without encryption`);
  }
};

const classes = {};
module.exports = new Proxy(classes, {
  get(target, name) {
    if (typeof name !== 'string' || name === '__esModule') return undefined;
    target[name] ??= unusable(name);
    return target[name];
  },
});
