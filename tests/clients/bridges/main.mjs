/// A bridge on one of the libraries, as a process of its own:
/// `node main.mjs LIBRARY SETTINGS`, with a file of JSON settings
/// (lib/client_process.mjs writes it). The libraries are taken from
/// `settings.modules`, since they are installed in the build folder.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { tap } from '../lib/tap.mjs';

const [library, settings_file] = process.argv.slice(2);
const settings = JSON.parse(fs.readFileSync(settings_file, 'utf8'));
const tapped = tap(settings);

const load = createRequire(path.join(settings.modules, 'from_here.cjs'));
const { serve } = await import(`./${library}.mjs`);

await serve({
  load,
  ...settings,
  on_event: (event) => tapped.handled('event', event.event_id),
  on_other: (event) => tapped.handled('other', event.content.n),
});
tapped.write({ what: 'serving' });
