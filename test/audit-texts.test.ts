import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

/** Every action that the sources write into the audit log. */
function actions(): Set<string> {
  const found = new Set<string>();
  for (const file of readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue;
    const source = read(path.join('src', file));
    for (const [, action] of source.matchAll(/action: '([a-z_]+\.[a-z_]+)'/g)) found.add(action!);
    for (const [, action] of source.matchAll(/recordAuditOfPerson\([^']*'([a-z_]+\.[a-z_]+)'/g)) found.add(action!);
  }
  return found;
}

test('the dashboard has a text for every action of the audit log, in every language', () => {
  const words = read('dashboard/src/pages/activity/texts.ts');
  const times = (name: string): number => words.split(`    ${name}: '`).length - 1;
  const all = actions();
  expect(all.size).toBeGreaterThan(50);
  const missing = [...all].flatMap((action) => {
    const [noun, verb] = action.split('.');
    return [`noun_${noun}`, `action_${verb}`].filter((name) => times(name) !== 2);
  });
  expect([...new Set(missing)]).toEqual([]);
});
