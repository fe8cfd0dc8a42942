/// Any program, run to its end.
import { spawn } from 'node:child_process';

/// Answers `{ code, signal, out, err }`; SIGKILL after `seconds`.
export function run_program(program, args, { env = {}, seconds = 30 } = {}) {
  return new Promise((done, reject) => {
    const child = spawn(program, args, {
      env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    let err = '';
    const timer = setTimeout(() => child.kill('SIGKILL'), seconds * 1000);
    child.stdout.on('data', (chunk) => { out += chunk; });
    child.stderr.on('data', (chunk) => { err += chunk; });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      done({ code, signal, out, err });
    });
  });
}
