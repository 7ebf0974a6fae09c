import { useState, type ReactNode } from 'react';
import type { Overview } from '../../../../../contract/dashboard/activity.ts';
import type { AgentSummary } from '../../../../../contract/dashboard/agents.ts';
import type { TriggerRecord } from '../../../../../contract/dashboard/triggers.ts';
import { CallStep } from './call-step.tsx';
import { KeyStep } from './key-step.tsx';
import { TriggerStep } from './trigger-step.tsx';

type Props = {
  agent: AgentSummary | null;
  trigger: TriggerRecord | null | undefined;
  facts: Overview;
  conversations: number;
  done: readonly boolean[];
};

/** The steps lead from an agent to the first call of a backend, with a trigger, a key and the call. */
export function BackendSteps({ agent, trigger, facts, conversations, done }: Props): ReactNode {
  const [made, setMade] = useState<string | null>(null);
  return (
    <>
      <TriggerStep done={done[2]!} agent={agent} trigger={trigger} />
      <KeyStep done={done[3]!} agent={agent} active={facts.active_keys} onMade={setMade} />
      <CallStep
        done={done[4]!}
        trigger={trigger}
        value={made}
        called={facts.first_request}
        conversations={conversations}
      />
    </>
  );
}
