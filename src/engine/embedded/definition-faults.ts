import type { AgentDefinition } from '../../../contract/agents.ts';
import type { DefinitionFault } from '../provider.ts';
import { MAX_NAMES_CHARACTERS, namesOf } from './choice-names.ts';
import { rulesOf } from './compile-rules.ts';

/** Returns the parts of a definition that a turn skips, because their comparison with a message takes too long. */
export const definitionFaults = (definition: AgentDefinition): DefinitionFault[] => {
  const items = definition.steps?.items ?? [];
  const most = MAX_NAMES_CHARACTERS.toLocaleString('en');
  const choices = items.flatMap((step, place) => {
    if (!namesOf(step).tooMany) return [];
    const detail = `The labels of this step have more than ${most} characters together.`;
    return [{ pointer: `/steps/items/${place}/choices`, code: 'too_large', detail }];
  });
  return [...rulesOf(definition).faults, ...choices];
};
