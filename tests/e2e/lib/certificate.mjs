/// Certificates that sign themselves.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/// A key and a certificate for `name`, signed by nobody but itself.
export function certificate(folder, name) {
  const key = path.join(folder, 'key.pem');
  const cert = path.join(folder, 'cert.pem');
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt',
    'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-keyout', key,
    '-out', cert, '-subj', `/CN=${name}`, '-addext',
    name === '127.0.0.1' ? `subjectAltName=IP:${name}`
      : `subjectAltName=DNS:${name}`], { stdio: 'ignore' });
  return { files: { key, cert },
    tls: { key: fs.readFileSync(key), cert: fs.readFileSync(cert) } };
}
