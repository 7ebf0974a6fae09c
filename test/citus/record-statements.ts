import { appendFileSync } from 'node:fs';
import pg from 'pg';

/**
 * Writes every statement that the tests run to a file, so that the tests of Citus can plan each of them
 * (`npm run test:citus`). Lists of parameters of different lengths count once.
 */
const FILE = process.env.RECORD_STATEMENTS;
/** Test files of one process load this module again. */
const KNOWN = Symbol.for('parley.recorded-statements');
const shared = globalThis as { [KNOWN]?: Set<string> };

if (FILE !== undefined && shared[KNOWN] === undefined) {
  shared[KNOWN] = new Set();
  const { query } = pg.Client.prototype as unknown as { query(...args: unknown[]): unknown };
  Object.assign(pg.Client.prototype, {
    query(this: pg.Client, ...args: unknown[]): unknown {
      const text = typeof args[0] === 'string' ? args[0] : (args[0] as { text?: unknown } | null)?.text;
      if (typeof text === 'string') record(FILE, shared[KNOWN]!, text);
      return query.apply(this, args);
    },
  });
}

function record(file: string, known: Set<string>, text: string): void {
  const shape = text.replaceAll(/\$\d+(?:, \$\d+)+/g, '$…').replaceAll(/\(\$…\)(?:, \(\$…\))+/g, '($…)…');
  if (known.has(shape)) return;
  known.add(shape);
  appendFileSync(file, `${JSON.stringify({ shape, text })}\n`);
}
