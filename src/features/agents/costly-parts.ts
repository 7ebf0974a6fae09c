import type { Fault } from '../../../contract/problems.ts';
import { createBoundedMap } from '../../access/bounded-map.ts';
import { definitionFaults } from '../../engine/embedded/definition-faults.ts';
import type { AgentRow } from '../../store/agents/read.ts';

/** A version never changes, and the most expensive one takes 90 ms to check: pages that poll must not repeat that. */
const known = createBoundedMap<readonly Fault[]>(1_000, () => {});

/**
 * The parts of the published definition that turns leave out because they cost too much. Only a definition that an older
 * Parley stored has any: saving and publishing refuse them now (docs/adr/0205).
 */
export function costlyParts({ id, version, published }: Pick<AgentRow, 'id' | 'version' | 'published'>): Fault[] {
  const key = `${id} ${version}`;
  const found = known.get(key) ?? definitionFaults(published);
  known.set(key, found);
  return [...found];
}
