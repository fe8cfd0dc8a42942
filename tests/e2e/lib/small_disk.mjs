/// A file system of a fixed size that a test can fill and free. Needs the right
/// to mount; a machine without it cannot run the test, which then fails.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

export class small_disk {
  constructor(folder, megabytes) {
    this.folder = folder;
    this.megabytes = megabytes;
    this.filler = path.join(folder, 'filler');
    this.mounted = false;
  }

  mount() {
    fs.mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    execFileSync('mount', ['-t', 'tmpfs', '-o',
      `size=${this.megabytes}m,mode=700`, 'weir-test', this.folder]);
    this.mounted = true;
    return this;
  }

  /// Takes all the space that is left.
  fill() {
    const file = fs.openSync(this.filler, 'a', 0o600);
    let piece = 1 << 20;
    while (piece >= 512) {
      try {
        if (fs.writeSync(file, Buffer.alloc(piece, 'x')) < piece) piece /= 2;
      } catch (error) {
        if (error.code !== 'ENOSPC') throw error;
        piece /= 2;
      }
    }
    fs.closeSync(file);
  }

  free() {
    fs.rmSync(this.filler, { force: true });
  }

  unmount() {
    if (!this.mounted) return;
    execFileSync('umount', ['-l', this.folder]);
    this.mounted = false;
  }
}
