/// An appservice on matrix-bot-sdk: it remembers every transaction id (in
/// memory here), and gives to-device messages and ephemeral ones alike.
export async function serve({ load, registration, port, homeserver_url,
  on_event, on_other }) {
  const { Appservice, LogLevel, LogService } = load('matrix-bot-sdk');
  LogService.setLevel(LogLevel.ERROR);
  const appservice = new Appservice({
    port,
    bindAddress: '127.0.0.1',
    homeserverName: 'example.org',
    homeserverUrl: homeserver_url,
    registration,
  });
  appservice.on('room.event', (room_id, event) => on_event(event));
  appservice.on('ephemeral.event', on_other);
  await appservice.begin();
}
