import { useState } from 'react';
import type { AgentDefinition } from '../../../../../contract/agents.ts';
import type { AgentRecord } from '../../../../../contract/dashboard/agents.ts';
import { queryClient, readOptions } from '../../../api/queries.ts';
import { useOrganization } from '../../../session/session.ts';
import { cleanDefinition, sameDefinition } from './clean-definition.ts';

/** `base`: the stored draft at the start of editing. `cleaned`: the edited draft. */
type Edited = { base: AgentDefinition; cleaned: AgentDefinition };

/** Finds out whether another person saved the draft since the start of editing. `edited` is null without an edit. */
export function useOvertaken(agent: AgentRecord, edited: Edited | null) {
  const params = { org_id: useOrganization().id, agent_id: agent.id };
  const [isChecking, setIsChecking] = useState(false);
  const isOvertakenBy = ({ definition }: AgentRecord): boolean => {
    const newest = cleanDefinition(definition);
    return (
      edited !== null &&
      !sameDefinition(cleanDefinition(edited.base), newest) &&
      !sameDefinition(edited.cleaned, newest)
    );
  };
  const overtaken = isOvertakenBy(agent);
  return {
    overtaken,
    isChecking,
    /**
     * The page may not know yet that another person saved. Then the page shows it first, and the next call acts.
     */
    unlessOvertaken: async (act: () => void): Promise<void> => {
      if (edited === null || overtaken) return act();
      setIsChecking(true);
      const options = { ...readOptions('readAgent', { params }), staleTime: 0 };
      const newest = await queryClient.fetchQuery(options).catch(() => null);
      setIsChecking(false);
      if (newest === null || !isOvertakenBy(newest)) act();
    },
  };
}
