import { compare, type Plan, comparisonText } from '../compare.ts';
import { startBare, startProgram } from '../program.ts';

/** Measures the cost of verifying a key, in addition to bare HTTP. */
export async function me(plan: Plan): Promise<string[]> {
  await using bare = await startBare();
  await using program = await startProgram('api');
  const headers = { Authorization: `Bearer ${program.key}` };
  const shot = { method: 'GET', path: '/api/me', headers } as const;
  return [comparisonText('GET /api/me', await compare(plan, bare.origin, program.origin, shot))];
}
