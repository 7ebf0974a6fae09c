import type { Environment } from './config.ts';

/** Every variable that begins with PARLEY_ and means something to the server or the command line. */
const KNOWN = [
  'PARLEY_REGION',
  'PARLEY_SECRET',
  'PARLEY_OWNER_EMAIL',
  'PARLEY_OWNER_PASSWORD',
  'PARLEY_DEMO',
  'PARLEY_LIMITS',
  'PARLEY_EGRESS_ALLOW',
  'PARLEY_LEAK_REPORT_KEYS',
  // The command line's.
  'PARLEY_URL',
  'PARLEY_EMAIL',
  'PARLEY_PASSWORD',
  'PARLEY_ORG',
  'PARLEY_API_KEY',
  'PARLEY_CONFIG_DIR',
];

/** A misspelt variable is silently without effect; so each unknown one gets a sentence with the nearest known name. */
export const unknownVariables = (env: Environment): string[] =>
  Object.keys(env)
    .filter((name) => name.startsWith('PARLEY_') && !KNOWN.includes(name))
    .map((name) => `${name} has no effect: Parley does not know it. Did you mean ${nearest(name)}?`);

const nearest = (name: string): string =>
  KNOWN.toSorted((one, other) => distance(name, one) - distance(name, other))[0]!;

/** Levenshtein's: how many letters to add, drop or change. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length]!;
}
