import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkEdits, type Edit } from '../faults/edits.ts';
import type { createNode } from './node.ts';

/**
 * The parts that make the lease protocol safe. Each part of the protocol has the edits that remove it from the sources.
 * Each part also has the seed, and sometimes the position in the search, with which the model test quickly finds a
 * schedule that accepts a revoked key.
 */
type Remedy = { name: string; edits: Edit[]; seed: number; path?: string; hasTokens?: boolean };

const LEASE = 'src/access/nodes/lease.ts';
const BARRIER = 'src/access/nodes/barrier.ts';
const DIRECTORY = 'src/access/api-keys/directory.ts';
const FILL = 'src/access/api-keys/directory-fill.ts';
const ADMIT = 'src/access/admit.ts';
const NODE = 'test/protocol/node.ts';

const APPLY = '    for (const subject of reading.subjects) memory.drop(subject);\n';
const ROW_IS_GONE = '    if (renewed === null) return register(clock.monotonic(), clock.wall());\n';

export const remedies: Remedy[] = [
  {
    name: 'count from before the read',
    edits: [
      {
        file: LEASE,
        find: 'node.nodes = renewed.nodes;\n',
        replace: 'node.nodes = renewed.nodes;\n    return extend(clock.monotonic(), clock.wall());\n',
      },
    ],
    seed: 24,
  },
  {
    name: 'apply before renewing',
    edits: [
      { file: LEASE, find: APPLY, replace: '' },
      { file: LEASE, find: ROW_IS_GONE, replace: APPLY + ROW_IS_GONE },
    ],
    seed: 1,
  },
  {
    name: 'register again when the row is gone',
    edits: [
      { file: LEASE, find: ROW_IS_GONE, replace: '' },
      { file: LEASE, find: 'node.nodes = renewed.nodes;', replace: 'node.nodes = renewed?.nodes ?? 1;' },
    ],
    seed: 4,
  },
  {
    name: 'register again on another server',
    edits: [
      {
        file: LEASE,
        find: 'if (reading.server !== node.server) return register(start, wallStart);',
        replace: 'node.server = reading.server;',
      },
    ],
    seed: 1,
  },
  {
    name: 'notice a gap in the log',
    edits: [{ file: LEASE, find: 'if (!isWhole) return register(start, wallStart);', replace: '' }],
    seed: 29,
  },
  {
    name: 'compare wall and monotonic time',
    edits: [
      {
        file: LEASE,
        find: 'return wallElapsed < leaseMs - marginMs && wallElapsed >= now - from - MAX_LAG_MS;',
        replace: 'return true;',
      },
    ],
    seed: 14,
  },
  {
    name: 'wait for the position',
    edits: [
      {
        file: BARRIER,
        find: 'row.position < seq',
        replace: '[undefined, row.renewNo].includes(watched.get(row.nodeId)?.renewNo)',
      },
    ],
    seed: 21,
  },
  {
    name: 'wait the whole lease',
    edits: [{ file: BARRIER, find: 'stillMs = leaseMs + marginMs;', replace: 'stillMs = leaseMs / 4;' }],
    seed: 1,
  },
  {
    name: 'wait after a restart',
    edits: [
      { file: BARRIER, find: 'isSettled = askedAt - server.sinceMs() >= stillMs;', replace: 'isSettled = true;' },
    ],
    seed: 1,
    path: '1910',
  },
  {
    name: 'wait for the own row after a failover',
    edits: [{ file: LEASE, find: 'node?.server === server ? node.id : null', replace: 'node?.id ?? null' }],
    seed: 1086354448,
    path: '15',
  },
  {
    name: 'check the generation',
    edits: [
      {
        file: DIRECTORY,
        find: 'since >= floor && ids.every((id) => id === null || (changedAt.get(id) ?? 0) <= since),',
        replace: 'true,',
      },
    ],
    seed: 29,
  },
  {
    name: 'join only a flight of this generation',
    edits: [{ file: FILL, find: 'current?.generation === generation', replace: 'current' }],
    seed: 23,
  },
  {
    name: 'drop own changes immediately',
    edits: [{ file: NODE, find: "      directory.drop({ kind: 'key', id: keyId });\n", replace: '' }],
    seed: 7,
  },
  {
    name: 'flush on registration',
    edits: [
      { file: LEASE, find: '    memory.flush();\n    const registered', replace: '    const registered' },
      { file: LEASE, find: '    memory.flush();\n    server.observe', replace: '    server.observe' },
    ],
    seed: 7,
  },
  {
    name: 'check the key of a client token',
    edits: [
      {
        file: ADMIT,
        find: 'if (entry.isRevoked || entry.revokeAt <= clock.wall()) {',
        replace: 'if (client === null && (entry.isRevoked || entry.revokeAt <= clock.wall())) {',
      },
    ],
    seed: 1,
    hasTokens: true,
  },
  {
    name: 'drop the key of client tokens',
    edits: [{ file: DIRECTORY, find: '        keys.delete(id);\n', replace: '' }],
    seed: 1,
    hasTokens: true,
  },
  {
    name: 'keep the digest of a key when its entry for client tokens is replaced',
    edits: [{ file: DIRECTORY, find: 'if (name !== caller.keyId) digestOf', replace: 'digestOf' }],
    seed: 1,
    hasTokens: true,
  },
];

/** The model's node and the protocol modules that it imports are copied together. */
const COPIED = [NODE, LEASE, BARRIER, DIRECTORY, FILL, ADMIT];
const ROOT = path.resolve(import.meta.dirname, '../..');

/**
 * Creates `createNode` from copies of the sources with the edits applied. Imports of other modules use the original
 * files.
 */
export async function loadEditedNode(edits: readonly Edit[]): Promise<typeof createNode> {
  checkEdits(edits);
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-protocol-'));
  for (const file of COPIED) writeFileSync(path.join(folder, copyName(file)), editedSource(file, edits));
  try {
    const { createNode: edited } = (await import(/* @vite-ignore */ path.join(folder, copyName(NODE)))) as {
      createNode: typeof createNode;
    };
    return edited;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const copyName = (file: string): string => file.replaceAll('/', '-');

function editedSource(file: string, edits: readonly Edit[]): string {
  let source = readFileSync(path.join(ROOT, file), 'utf8');
  for (const { find, replace } of edits.filter((edit) => edit.file === file))
    source = source.replace(find, () => replace);
  return source.replaceAll(/from '(\.[^']+)'/g, (_import, relative: string) => {
    const imported = path.relative(ROOT, path.resolve(ROOT, path.dirname(file), relative));
    return `from '${COPIED.includes(imported) ? `./${copyName(imported)}` : path.join(ROOT, imported)}'`;
  });
}
