/// Makes the database cluster that the cases copy: `node make_template.mjs
/// FOLDER`. ctest runs it once before all that need it.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { postgresql_cluster } from './postgresql.mjs';

const target = process.argv[2];
if (!target) throw new Error('usage: make_template.mjs FOLDER');
// Not at once where it is wanted: PostgreSQL runs as another user, which may
// not be let into the build folder.
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'weir-cluster-'));
const cluster = new postgresql_cluster(folder);
try {
  await cluster.make_template(target);
} finally {
  await cluster.stop();
  fs.rmSync(folder, { recursive: true, force: true });
}
