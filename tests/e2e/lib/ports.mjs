/// Ports for programs that must be told one. Below the kernel's range for
/// outgoing connections, so that no connection of another test can take a port
/// while the program that owns it is being restarted.
import net from 'node:net';

const first = 12000;
const last = 31999;
const given = new Set();

function is_free(port, host) {
  return new Promise((answer) => {
    const probe = net.createServer();
    probe.once('error', () => answer(false));
    probe.listen({ port, host, exclusive: true }, () => {
      probe.close(() => answer(true));
    });
  });
}

/// A port that nobody listens on now and that this process never gave before.
export async function free_port(host = '127.0.0.1') {
  for (let tries = 0; tries < 200; tries += 1) {
    const port = first + Math.floor(Math.random() * (last - first + 1));
    if (given.has(port)) continue;
    given.add(port);
    if (await is_free(port, host)) return port;
  }
  throw new Error('no free port found');
}
