/// An HTTP client that sends exactly the bytes it is told, for requests that no
/// library would send.
import net from 'node:net';
import { until, within } from './wait.mjs';

/// Takes one response off the front of `bytes`. Answers undefined while it is
/// not whole. `{ status, headers, body, length }`; without Content-Length and
/// chunks the body goes to the end of the connection, so `ended` must be told.
function parse_response(bytes, ended) {
  const split = bytes.indexOf('\r\n\r\n');
  if (split < 0) return undefined;
  const lines = bytes.subarray(0, split).toString('latin1').split('\r\n');
  const status = Number(lines[0].split(' ')[1]);
  const headers = {};
  for (const line of lines.slice(1)) {
    const colon = line.indexOf(':');
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  const start = split + 4;
  if (status < 200 || status === 204 || status === 304) {
    return { status, headers, body: '', length: start };
  }
  if (headers['transfer-encoding'] === 'chunked') {
    return parse_chunks(bytes, start, status, headers);
  }
  const given = headers['content-length'];
  if (given === undefined && !ended) return undefined;
  const end = given === undefined ? bytes.length : start + Number(given);
  if (bytes.length < end) return undefined;
  const body = bytes.subarray(start, end).toString('utf8');
  return { status, headers, body, length: end };
}

function parse_chunks(bytes, start, status, headers) {
  const parts = [];
  let at = start;
  for (;;) {
    const line_end = bytes.indexOf('\r\n', at);
    if (line_end < 0) return undefined;
    const size = parseInt(bytes.subarray(at, line_end).toString('latin1'), 16);
    const data = line_end + 2;
    if (bytes.length < data + size + 2) return undefined;
    parts.push(bytes.subarray(data, data + size));
    at = data + size + 2;
    if (size === 0) break;
  }
  const body = Buffer.concat(parts).toString('utf8');
  return { status, headers, body, length: at };
}

export class raw_connection {
  constructor(port, host = '127.0.0.1') {
    this.port = port;
    this.host = host;
    this.bytes = Buffer.alloc(0);
    this.ended = false;
  }

  async open() {
    this.socket = net.connect({ port: this.port, host: this.host });
    this.socket.setNoDelay(true);
    this.socket.on('data', (chunk) => {
      this.bytes = Buffer.concat([this.bytes, chunk]);
    });
    this.socket.on('error', () => { this.ended = true; });
    this.socket.on('close', () => { this.ended = true; });
    this.socket.on('end', () => { this.ended = true; });
    await within('connecting', new Promise((done, reject) => {
      this.socket.once('connect', done);
      this.socket.once('error', reject);
    }), 10);
    return this;
  }

  /// Writes bytes or text (as Latin-1, so that a test can name any byte).
  write(bytes) {
    this.socket.write(typeof bytes === 'string'
      ? Buffer.from(bytes, 'latin1') : bytes);
  }

  /// The next whole response.
  async response(seconds = 20) {
    const found = await until(
      () => `a response; so far: ${this.bytes.subarray(0, 200)}`,
      () => {
        const parsed = parse_response(this.bytes, this.ended);
        if (!parsed && this.ended) {
          return { closed: true, status: 0, headers: {}, body: '', length: 0 };
        }
        return parsed;
      },
      seconds,
    );
    this.bytes = this.bytes.subarray(found.length);
    return found;
  }

  /// Waits until the peer has closed the connection.
  async closed(seconds = 20) {
    await until('the peer closes', () => this.ended, seconds);
  }

  /// Ends our side without waiting for anything.
  close() {
    this.socket.destroy();
  }
}

/// Opens a connection, writes `bytes`, answers the first response and closes.
export async function raw_request(port, bytes, seconds = 20) {
  const connection = await new raw_connection(port).open();
  try {
    connection.write(bytes);
    return await connection.response(seconds);
  } finally {
    connection.close();
  }
}

/// The text of a request with a Content-Length. `headers` is a list of lines.
export function request_text(method, target, headers, body = '') {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body, 'utf8');
  const length = bytes.length > 0 || method === 'PUT' || method === 'POST'
    ? [`Content-Length: ${bytes.length}`] : [];
  const lines = [`${method} ${target} HTTP/1.1`, 'Host: weir', ...headers,
    ...length];
  return Buffer.concat([
    Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), bytes,
  ]);
}
