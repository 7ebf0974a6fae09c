import { appendFileSync } from 'node:fs';
import pg from 'pg';
import { expect } from 'vitest';

/**
 * Writes every statement that the tests of these rooms run to the file RECORD_STATEMENTS, so that the tests of Citus
 * can plan each of them (`npm run test:citus`). Lists of parameters of different lengths count once.
 */
const FILE = process.env.RECORD_STATEMENTS;
const ROOMS = /\/src\/(?:store|features|access|worker)\//;
/** Test files of one process load this module again. */
const STATE = Symbol.for('parley.recorded-statements');
type State = { known: Set<string>; isOn: boolean };
const shared = globalThis as { [STATE]?: State };

if (FILE) {
  shared[STATE] ??= recordInto(FILE);
  shared[STATE].isOn = ROOMS.test(expect.getState().testPath ?? '');
}

function recordInto(file: string): State {
  const state: State = { known: new Set(), isOn: false };
  const { query } = pg.Client.prototype as unknown as { query(...args: unknown[]): unknown };
  Object.assign(pg.Client.prototype, {
    query(this: pg.Client, ...args: unknown[]): unknown {
      const text = typeof args[0] === 'string' ? args[0] : (args[0] as { text?: unknown } | null)?.text;
      if (state.isOn && typeof text === 'string') record(file, state.known, text);
      return query.apply(this, args);
    },
  });
  return state;
}

function record(file: string, known: Set<string>, text: string): void {
  const shape = text.replaceAll(/\$\d+(?:, \$\d+)+/g, '$…').replaceAll(/\(\$…\)(?:, \(\$…\))+/g, '($…)…');
  if (known.has(shape)) return;
  known.add(shape);
  appendFileSync(file, `${JSON.stringify({ shape, text })}\n`);
}
