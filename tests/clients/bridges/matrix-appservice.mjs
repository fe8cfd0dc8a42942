/// A bridge on matrix-appservice alone. It has no ping, reads no to-device
/// messages, and remembers the last transaction id only, in memory.
export async function serve({ load, registration, port, on_event, on_other }) {
  const { AppService } = load('matrix-appservice');
  const appservice = new AppService({
    homeserverToken: registration.hs_token,
  });
  appservice.on('event', on_event);
  appservice.on('ephemeral', on_other);
  appservice.onUserQuery = async () => {};
  await appservice.listen(port, '127.0.0.1', 10);
}
