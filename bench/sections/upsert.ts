import { compare, type Plan, comparisonText } from '../compare.ts';
import { startBare, startProgram } from '../program.ts';

/** Measures upserts by external ID, which return the complete record after the commit. */
export async function upsert(plan: Plan): Promise<string[]> {
  await using bare = await startBare();
  await using program = await startProgram('api');
  const headers = { Authorization: `Bearer ${program.key}`, 'Content-Type': 'application/json' };
  const lines: string[] = [];
  const measure = async (name: string, path: string, body: string) => {
    const shot = { method: 'PUT' as const, path: `/api/end-users/external/${path}`, headers, body };
    lines.push(comparisonText(name, await compare(plan, bare.origin, program.origin, shot)));
  };
  await measure('new people', 'crm-{n}', '{"name":"Asha Khan","attributes":{"plan":"gold"}}');
  await measure('one known person, nothing new', 'crm-known', '{"name":"Asha Khan"}');
  await measure('one known person, always new', 'crm-busy', '{"attributes":{"seen":"{n}"}}');
  return lines;
}
