import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * A change of one source module that is made during loading (plant.ts). The module must contain `find` exactly once.
 */
export type Edit = { file: string; find: string; replace: string };

export type CrashPoint = { name: string; file: string };

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Marks a crash point in the sources. The mark of a crash point is a comment, so production has no code for it. */
const MARK = /^\s*(\/\/ crash point: ([a-z:-]+))$/gm;

/** Lists all places in the sources at which a process of the fault suite can kill itself on request. */
export function crashPoints(): CrashPoint[] {
  const found = readdirSync(`${ROOT}src`, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .flatMap((file) =>
      [...readFileSync(`${ROOT}src/${file}`, 'utf8').matchAll(MARK)].map(([, , name]) => ({
        name: name!,
        file: `src/${file}`,
      })),
    );
  const twice = found.find(({ name }, at) => found.findIndex((other) => other.name === name) !== at);
  if (twice) throw new Error(`Two crash points are called "${twice.name}".`);
  return found.toSorted((one, other) => one.name.localeCompare(other.name));
}

export const crashEdit = ({ name, file }: CrashPoint): Edit => ({
  file,
  find: `// crash point: ${name}\n`,
  replace: `globalThis.crashHere('${name}');\n`,
});

/** Throws when the sources have changed so that an edit no longer matches. */
export function checkEdits(edits: readonly Edit[]): void {
  for (const { file, find } of edits) {
    const count = readFileSync(ROOT + file, 'utf8').split(find).length - 1;
    if (count !== 1) {
      throw new Error(`"${find}" stands ${count} times in ${file}: adapt the edit of the fault suite (test/faults).`);
    }
  }
}
