import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import type { Plugin } from 'vite';

const compressed = promisify(brotliCompress);

/** Chunks of vite.config.ts that most first loads contain. */
const SHARED = new Set(['vendor', 'index', 'inputs', 'lists']);

/**
 * Compresses the files of every first load with brotli's best level, which takes too long for a request. The server
 * (src/http/dashboard/serve-dashboard.ts) compresses all other files itself.
 */
export function compressFirstFiles(): Plugin {
  /** The outputs of the languages share files. */
  const done = new Set<string>();
  return {
    name: 'compress-first-files',
    apply: 'build',
    async writeBundle({ dir }, bundle) {
      const first = Object.values(bundle).filter(
        (file) =>
          !done.has(file.fileName) && (file.type === 'chunk' ? SHARED.has(file.name) : file.fileName.endsWith('.css')),
      );
      await Promise.all(
        first.map(async (file) => {
          done.add(file.fileName);
          const plain = Buffer.from(file.type === 'chunk' ? file.code : file.source);
          const params = { [constants.BROTLI_PARAM_SIZE_HINT]: plain.length };
          await writeFile(path.join(dir!, `${file.fileName}.br`), await compressed(plain, { params }));
        }),
      );
    },
  };
}
