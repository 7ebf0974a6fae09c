import { useState } from 'react';
import type { AgentDefinition } from '../../../../../contract/agents.ts';
import type { AgentRecord } from '../../../../../contract/dashboard/agents.ts';
import type { Fault } from '../../../../../contract/problems.ts';
import { useAct } from '../../../api/queries.ts';
import { useNewerDraft } from '../../../parts/use-newer-draft.ts';
import { useStoredDraft } from '../../../parts/use-stored-draft.ts';
import { useOrganization } from '../../../session/session.ts';
import type { Editor } from '../../../parts/editor/editor.ts';
import { cleanDefinition, sameDefinition } from './clean-definition.ts';
import { useOvertaken } from './use-overtaken.ts';

/**
 * `reason`: the reason why the member publishes although required tests have not passed. `live`: false adds a version
 * that is not live. Absent fields have the values of the last attempt.
 */
type Publishing = { reason?: string; live?: boolean };
type Kept = { base: AgentDefinition; definition: AgentDefinition };
const READ_AGAIN = ['readAgent', 'listAgents', 'listAgentVersions', 'readSuite', 'listAudit'] as const;

/**
 * Holds the definition during editing. Other changes of the agent, such as a new document, do not conflict with the
 * edited draft.
 */
export function useDraft(agent: AgentRecord, readOnly: boolean) {
  const org_id = useOrganization().id;
  const [stored, keep] = useStoredDraft<Kept>(`parley.agent-draft.${agent.id}`, readOnly);
  const [asked, setAsked] = useState(true);
  const [faults, setFaults] = useState<readonly Fault[]>([]);
  const update = useAct('updateAgent', { refresh: READ_AGAIN });
  const publish = useAct('publishAgent', { refresh: READ_AGAIN });

  const definition = stored?.definition ?? agent.definition;
  const cleaned = cleanDefinition(definition);
  const dirty = stored !== null && !sameDefinition(cleaned, cleanDefinition(agent.definition));
  const check = useOvertaken(agent, dirty ? { base: stored.base, cleaned } : null);
  const editor: Editor = {
    definition,
    readOnly,
    change: (part) => {
      setFaults([]);
      keep({ base: dirty ? stored.base : agent.definition, definition: { ...definition, ...part } });
    },
    fault: (pointer) => faults.find((one) => one.pointer === `/definition${pointer}`)?.detail ?? null,
    faulty: (pointer) => faults.some((one) => `${one.pointer}/`.startsWith(`/definition${pointer}/`)),
  };
  const params = { org_id, agent_id: agent.id };
  const editedSince = useNewerDraft(stored);
  const done = (after: (saved: AgentRecord) => void) => ({
    onSuccess: (saved: AgentRecord) => {
      const later = editedSince();
      keep(later ? { ...later, base: saved.definition } : null);
      setFaults([]);
      after(saved);
    },
    onError: (problem: { faults: readonly Fault[] }) => setFaults(problem.faults),
  });
  const reset = (): void => {
    update.reset();
    publish.reset();
  };
  return {
    editor,
    definition: cleaned,
    dirty,
    overtaken: check.overtaken,
    faults,
    /** Fields show the faults that the test chat finds, like faults of publishing. */
    showFaults: setFaults,
    busy: update.isPending || check.isChecking ? ('save' as const) : publish.isPending ? ('publish' as const) : null,
    publishing: update.isPending && update.variables?.body?.publish !== false,
    problem: update.error ?? publish.error,
    discard: () => {
      reset();
      keep(null);
      setFaults([]);
    },
    save: (after: (saved: AgentRecord) => void) => {
      reset();
      const body = { definition: cleaned, publish: false };
      void check.unlessOvertaken(() => update.mutate({ params, body }, done(after)));
    },
    publish: (after: (saved: AgentRecord) => void, { reason, live = asked }: Publishing) => {
      reset();
      setAsked(live);
      const without = reason === undefined ? {} : { without_tests: reason };
      const add = (): void => publish.mutate({ params, body: { ...without, ...(!live && { live }) } }, done(after));
      void check.unlessOvertaken(() => {
        if (!dirty) add();
        else if (live) update.mutate({ params, body: { definition: cleaned, ...without } }, done(after));
        else update.mutate({ params, body: { definition: cleaned, publish: false } }, done(add));
      });
    },
  };
}
