import type { Fault } from '../../../contract/problems.ts';
import { createBoundedMap } from '../../access/bounded-map.ts';
import { definitionFaults } from '../../engine/embedded/definition-faults.ts';
import type { AgentRow } from '../../store/agents/read.ts';

/** A version never changes, and its check takes up to 90 ms, so pages that poll must not repeat the check. */
const known = createBoundedMap<readonly Fault[]>(1_000, () => {});

/**
 * Returns the parts of the published definition that turns leave out because they would take too much time. Only a
 * definition that an older Parley stored has such parts, because saving and publishing refuse them (docs/adr/0205).
 */
export function slowParts({ id, version, published }: Pick<AgentRow, 'id' | 'version' | 'published'>): Fault[] {
  const key = `${id} ${version}`;
  const found = known.get(key) ?? definitionFaults(published);
  known.set(key, found);
  return [...found];
}
