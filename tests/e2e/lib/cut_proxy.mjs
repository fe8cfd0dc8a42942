/// A TCP proxy before a PostgreSQL server that can cut a connection at COMMIT,
/// so that the client cannot know whether it committed.
import net from 'node:net';

/// The simple-query message of a commit: 'Q', length, text, NUL.
const commit_message = /Q\0\0\0[\s\S](?:COMMIT|commit)/;

export class cut_proxy {
  constructor(target_port) {
    this.target_port = target_port;
    this.pairs = new Set();
    /// How many commits were cut so far, by kind.
    this.cuts = { committed: 0, lost: 0 };
    this.armed = undefined;
    this.refusing = false;
  }

  async start() {
    this.server = net.createServer((client) => this.#pair(client));
    await new Promise((done) => this.server.listen(0, '127.0.0.1', done));
    this.port = this.server.address().port;
    return this;
  }

  /// The next COMMIT is cut. `committed`: it reaches the server, whose answer
  /// is swallowed; `lost`: it never leaves the proxy.
  cut_next_commit(kind) {
    this.armed = kind;
  }

  /// Cuts everything and refuses new connections until `allow`.
  refuse() {
    this.refusing = true;
    for (const cut of this.pairs) cut();
  }

  allow() {
    this.refusing = false;
  }

  async stop() {
    this.refuse();
    await new Promise((done) => this.server.close(done));
  }

  #pair(client) {
    if (this.refusing) {
      client.destroy();
      return;
    }
    const server = net.connect(this.target_port, '127.0.0.1');
    client.setNoDelay(true);
    server.setNoDelay(true);
    let swallowing = false;
    const cut = () => {
      this.pairs.delete(cut);
      client.destroy();
      server.destroy();
    };
    this.pairs.add(cut);
    for (const one of [client, server]) {
      one.on('error', cut);
      one.on('close', cut);
    }
    client.on('data', (chunk) => {
      const is_commit = commit_message.test(chunk.toString('latin1'));
      if (!this.armed || !is_commit) {
        server.write(chunk);
        return;
      }
      const kind = this.armed;
      this.armed = undefined;
      this.cuts[kind] += 1;
      if (kind === 'lost') {
        cut();
        return;
      }
      swallowing = true;
      server.write(chunk);
    });
    server.on('data', (chunk) => {
      // The server answers a COMMIT once it is durable: that is the moment.
      if (swallowing) cut();
      else client.write(chunk);
    });
  }
}
