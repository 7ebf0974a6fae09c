import type { Environment } from './environment.ts';

/** Every PARLEY_ variable that the server or the command line reads. */
const KNOWN = [
  'PARLEY_REGION',
  'PARLEY_SECRET',
  'PARLEY_SECRET_PREVIOUS',
  'PARLEY_OWNER_EMAIL',
  'PARLEY_OWNER_PASSWORD',
  'PARLEY_DEMO',
  'PARLEY_LIMITS',
  'PARLEY_CELLS',
  'PARLEY_EGRESS_ALLOW',
  'PARLEY_LEAK_REPORT_KEYS',
  // The variables of the command line.
  'PARLEY_URL',
  'PARLEY_EMAIL',
  'PARLEY_PASSWORD',
  'PARLEY_TOKEN',
  'PARLEY_ORG',
  'PARLEY_API_KEY',
  'PARLEY_CONFIG_DIR',
];

/**
 * A misspelt variable would be ignored silently, so each unknown variable gets a warning with the nearest known name.
 */
export const unknownVariables = (env: Environment): string[] =>
  Object.keys(env)
    .filter((name) => name.startsWith('PARLEY_') && !KNOWN.includes(name))
    .map((name) => `${name} has no effect: Parley does not know it. Did you mean ${nearest(name)}?`);

const nearest = (name: string): string =>
  KNOWN.toSorted((one, other) => distance(name, one) - distance(name, other))[0]!;

/** Computes the Levenshtein distance, which is the number of letters to add, remove or change. */
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
