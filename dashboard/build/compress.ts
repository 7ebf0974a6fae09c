import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import type { Plugin } from 'vite';

const compressed = promisify(brotliCompress);

/** The chunks of most first loads, which are the chunks of vite.config.ts and of the page that members open first. */
const FIRST = new Set(['vendor', 'index', 'inputs', 'lists', 'front', 'conversations-page']);

/**
 * Compresses the files of every first load with brotli's best level, which takes too long for a request. The server
 * (src/http/dashboard/serve-dashboard.ts) compresses the other files on request.
 */
export function compressFirstFiles(): Plugin {
  /** The builds of the two languages share files. */
  const done = new Set<string>();
  return {
    name: 'compress-first-files',
    apply: 'build',
    async writeBundle({ dir }, bundle) {
      const first = Object.values(bundle).filter(
        (file) =>
          !done.has(file.fileName) && (file.type === 'chunk' ? FIRST.has(file.name) : file.fileName.endsWith('.css')),
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
