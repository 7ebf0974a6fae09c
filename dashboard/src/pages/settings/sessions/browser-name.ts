/**
 * Returns a short name of the program that opened a session, such as "Chrome on Linux". The order of the list matters,
 * because many browsers also contain the names of others.
 */
const PROGRAMS: readonly (readonly [RegExp, string])[] = [
  [/parley-cli/i, 'Parley command line'],
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrom(?:e|ium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/node|undici/i, 'Node.js'],
  [/curl\//, 'curl'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Mac OS X|Darwin/, 'macOS'],
  [/Windows/, 'Windows'],
  [/Linux/, 'Linux'],
];

export function browserName(userAgent: string | null): string | null {
  if (!userAgent) return null;
  const nameIn = (list: typeof PROGRAMS): string | undefined => list.find(([mark]) => mark.test(userAgent))?.[1];
  const program = nameIn(PROGRAMS);
  const system = nameIn(SYSTEMS);
  if (!program) return null;
  return system ? `${program} · ${system}` : program;
}
