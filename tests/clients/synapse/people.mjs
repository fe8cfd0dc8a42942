/// Users in rooms of their own, each sending one message after the other: the
/// order of sending is the order in the room.
import { pause } from '../../e2e/lib/wait.mjs';

export class people {
  constructor(homeserver) {
    this.homeserver = homeserver;
    this.all = [];
    this.txn = 0;
    /// Ids of messages that Synapse answered 200 for, by room, in order.
    this.rooms = new Map();
  }

  async make(count) {
    for (let n = 0; n < count; n += 1) {
      const user = await this.homeserver.user(`person${n}`);
      const { room_id } = await this.homeserver.ask('POST',
        '/_matrix/client/v3/createRoom',
        { token: user.access_token, body: { preset: 'private_chat' } });
      this.all.push({ token: user.access_token, room_id });
      this.rooms.set(room_id, []);
    }
    return this;
  }

  /// One message of one user. Answers its id, or undefined when Synapse did not
  /// answer 200.
  async say(who, text = 'hello') {
    this.txn += 1;
    const { status, body } = await this.homeserver.call('PUT',
      `/_matrix/client/v3/rooms/${encodeURIComponent(who.room_id)}` +
        `/send/m.room.message/${this.txn}`,
      { token: who.token, body: { msgtype: 'm.text', body: text } });
    if (status !== 200) return undefined;
    this.rooms.get(who.room_id).push(body.event_id);
    return body.event_id;
  }

  /// A message in every room; answers the ids.
  async say_all(text) {
    return Promise.all(this.all.map((who) => this.say(who, text)));
  }

  /// All send at once until `enough()`, or until Synapse is gone.
  async chat(enough, rest_ms = 0) {
    await Promise.all(this.all.map(async (who) => {
      while (!enough()) {
        if (await this.say(who) === undefined) return;
        await pause(rest_ms);
      }
    }));
  }

  /// How many messages were acknowledged.
  get sent() {
    return [...this.rooms.values()].flat();
  }

  /// Keeps what was sent so far out of later counts.
  forget() {
    for (const ids of this.rooms.values()) ids.length = 0;
  }
}
