/// A port to which no connection is ever established, as behind a firewall that
/// drops: a stopped process whose queue of connections is full.
import { spawn } from 'node:child_process';
import net from 'node:net';
import { pause, within } from './wait.mjs';

const listener_text = `
const server = require('node:net').createServer();
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 },
  () => console.log(server.address().port));
// Ends by itself should the test be killed.
setTimeout(() => process.exit(), 300000);
`;

export class stalled_listener {
  async start() {
    this.child = spawn(process.execPath, ['-e', listener_text],
      { stdio: ['ignore', 'pipe', 'ignore'] });
    this.port = Number(await within('the listener tells its port',
      new Promise((done) => this.child.stdout.once('data', done)), 20));
    this.child.kill('SIGSTOP');
    this.sockets = [];
    // Fills the queue until a connection is no longer established.
    for (let more = true; more;) {
      const socket = net.connect(this.port, '127.0.0.1');
      socket.on('error', () => {});
      this.sockets.push(socket);
      more = await Promise.race([
        new Promise((done) => socket.once('connect', () => done(true))),
        pause(1000).then(() => false),
      ]);
    }
    return this;
  }

  stop() {
    for (const socket of this.sockets ?? []) socket.destroy();
    this.child.kill('SIGKILL');
  }
}
