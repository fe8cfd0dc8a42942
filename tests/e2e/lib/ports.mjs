/// Ports for programs that must be told one. Below the kernel's range for
/// outgoing connections, so that no connection of another test can take a port
/// while the program that owns it is being restarted.
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

const first = 12000;
const last = 31999;
const given = new Set();

/// A port whose program is down for a while is free to look at, so what other
/// processes of the tests were given is kept in files: `PORT` holds the id of
/// the process that has it.
const reservations = path.join(os.tmpdir(), 'weir-test-ports');
process.on('exit', () => given.forEach((port) =>
  fs.rmSync(path.join(reservations, String(port)), { force: true })));

function is_alive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function reserve(port) {
  const file = path.join(reservations, String(port));
  fs.mkdirSync(reservations, { recursive: true });
  for (let tries = 0; tries < 2; tries += 1) {
    try {
      fs.writeFileSync(file, String(process.pid), { flag: 'wx' });
      return true;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      const owner = Number(fs.readFileSync(file, { encoding: 'utf8', flag: 'a+' }));
      if (owner > 0 && is_alive(owner)) return false;
      fs.rmSync(file, { force: true }); // It was killed.
    }
  }
  return false;
}

function is_free(port, host) {
  return new Promise((answer) => {
    const probe = net.createServer();
    probe.once('error', () => answer(false));
    probe.listen({ port, host, exclusive: true }, () => {
      probe.close(() => answer(true));
    });
  });
}

/// A port that nobody listens on now and that no process of the tests has.
export async function free_port(host = '127.0.0.1') {
  for (let tries = 0; tries < 200; tries += 1) {
    const port = first + Math.floor(Math.random() * (last - first + 1));
    if (given.has(port) || !reserve(port)) continue;
    given.add(port);
    if (await is_free(port, host)) return port;
  }
  throw new Error('no free port found');
}
