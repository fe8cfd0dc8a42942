/// That the judgement of what a library handed out finds what is planted.
import assert from 'node:assert/strict';
import { run, test } from '../e2e/lib/test.mjs';
import { badly_handed_out, lost_inside } from './lib/hand_out.mjs';

const request = (txn, events, over = {}) => ({ txn, events, others: [],
  fault: 'none', acked: true, ...over });

const life = (requests, event) => ({ requests, event, other: [] });

/// Two lives: `b` was handled, its 200 was lost, and the next process gets it
/// again.
const sound = () => [
  life([request('t1', ['a']), request('t2', ['b'], { acked: false })],
    ['a', 'b']),
  life([request('t2', ['b'], { fault: '500_before', acked: false }),
    request('t2', ['b']), request('t2', ['b']), request('t3', ['c', 'd'])],
  ['b', 'c', 'd']),
];

test('hand out: a sound run has no violation', async () => {
  assert.deepEqual(badly_handed_out(sound()), []);
  assert.deepEqual(lost_inside(sound(), 'event'), []);
});

const planted = {
  'an event that a process handled twice': (lives) =>
    lives[1].event.splice(1, 0, 'b'),
  'an event that was never handled': (lives) => lives[1].event.pop(),
  'two events in the wrong order': (lives) => lives[1].event.reverse(),
  'an event that nobody sent': (lives) => lives[1].event.push('z'),
  'a repeat that a new process did not handle': (lives) =>
    lives[1].event.shift(),
  'a dead process that is short of an older request': (lives) => {
    lives[0].event.length = 0;
  },
  'an ephemeral element that was never handled': (lives) =>
    lives[1].requests[3].others.push('typing1'),
};
for (const [what, plant] of Object.entries(planted)) {
  test(`hand out: ${what} is found`, async () => {
    const lives = sound();
    plant(lives);
    assert.notDeepEqual(badly_handed_out(lives), []);
  });
}

test('hand out: a dead process may be short of its last request', async () => {
  const lives = sound();
  lives[0].event.pop();
  assert.deepEqual(badly_handed_out(lives), []);
});

test('hand out: what was acknowledged and died unhandled is lost', async () => {
  const lives = sound();
  lives[0].requests.push(request('t9', ['y']));
  assert.deepEqual(badly_handed_out(lives), []);
  assert.deepEqual(lost_inside(lives, 'event'), ['y']);
});

await run();
