/// A bridge on matrix-appservice-bridge, as IRC, Slack and others are: the
/// library below it answers before the bridge's own code has run.
export async function serve({ load, registration, port, homeserver_url,
  on_event, on_other }) {
  const { AppServiceRegistration, Bridge } = load('matrix-appservice-bridge');
  const bridge = new Bridge({
    homeserverUrl: homeserver_url,
    domain: 'example.org',
    registration: AppServiceRegistration.fromObject(registration),
    disableStores: true,
    suppressEcho: false,
    controller: {
      onUserQuery: async () => ({}),
      onEvent: (request) => {
        on_event(request.getData());
        request.resolve();
      },
      onEphemeralEvent: (request) => {
        on_other(request.getData());
        request.resolve();
      },
    },
  });
  await bridge.run(port, undefined, '127.0.0.1');
}
