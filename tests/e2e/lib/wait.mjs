/// Waiting for conditions. No test sleeps and hopes: it polls until the
/// condition holds, or fails at a deadline that says what never happened.

export const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/// Polls `condition` (may be async) until it is truthy and returns its value.
/// Throws after `seconds` with `what` in the message.
export async function until(what, condition, seconds = 20) {
  const deadline = performance.now() + seconds * 1000;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (performance.now() > deadline) {
      const text = typeof what === 'function' ? what() : what;
      throw new Error(`not within ${seconds} s: ${text}`);
    }
    await pause(10);
  }
}

/// Watches that `condition` stays true for `ms`. The one place where time
/// itself is what is tested: "nothing happens" has no event to wait for.
export async function stays(what, condition, ms) {
  const end = performance.now() + ms;
  while (performance.now() < end) {
    if (!(await condition())) throw new Error(`did not stay true: ${what}`);
    await pause(20);
  }
}

/// Rejects when `promise` takes longer than `seconds`.
export function within(what, promise, seconds) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`not within ${seconds} s: ${what}`)),
      seconds * 1000,
    );
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
