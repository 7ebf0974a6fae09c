import { appendFileSync } from 'node:fs';
import pg from 'pg';
import { expect } from 'vitest';
import { type Transaction, watchTransactions } from './watch-transactions.ts';

/**
 * Writes every statement of the rooms' tests to the file RECORD_STATEMENTS, so that `npm run test:citus` can plan each
 * of them. Statements that differ only in the lengths of their parameter lists count once. The file also gets each
 * transaction that has written to the region and to other tables.
 */
const FILE = process.env.RECORD_STATEMENTS;
const ROOMS = /\/src\/(?:store|features|access|worker)\//;
/** Each test file of a process loads this module again. */
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
      if (state.isOn && typeof text === 'string') record(file, state.known, shapeOf(text), { text });
      return query.apply(this, args);
    },
  });
  watchTransactions((transaction) => {
    if (!state.isOn || transaction.region.length === 0 || transaction.others.length === 0) return;
    record(file, state.known, transaction.texts.map(shapeOf).toSorted().join('\n'), { transaction });
  });
  return state;
}

const shapeOf = (text: string): string =>
  text.replaceAll(/\$\d+(?:, \$\d+)+/g, '$…').replaceAll(/\(\$…\)(?:, \(\$…\))+/g, '($…)…');

export type Recorded = { shape: string; text?: string; transaction?: Transaction };

function record(file: string, known: Set<string>, shape: string, what: Omit<Recorded, 'shape'>): void {
  const key = what.transaction ? `transaction\n${shape}` : shape;
  if (known.has(key)) return;
  known.add(key);
  appendFileSync(file, `${JSON.stringify({ shape: key, ...what })}\n`);
}
