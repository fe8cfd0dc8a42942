/// The little of a homeserver's client API that the libraries ask for when they
/// start: supported versions, and that their bot exists already.
import http from 'node:http';

const answers = {
  'GET /_matrix/client/versions': [200, { versions: ['v1.1', 'v1.11'] }],
  'POST /_matrix/client/v3/register':
    [400, { errcode: 'M_USER_IN_USE', error: 'the bot exists' }],
};
const unknown = [404, { errcode: 'M_UNRECOGNIZED', error: 'not of this server' }];

/// Answers `{ url, stop }`.
export async function start_client_api() {
  const server = http.createServer((request, response) => {
    request.resume();
    const path = request.url.split('?', 1)[0];
    const [status, body] = answers[`${request.method} ${path}`] ?? unknown;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  await new Promise((done) => { server.listen(0, '127.0.0.1', done); });
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    stop: () => new Promise((done) => {
      server.close(done);
      server.closeAllConnections();
    }),
  };
}
