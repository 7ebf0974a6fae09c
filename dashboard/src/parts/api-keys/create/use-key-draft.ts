import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useId, useState, type FormEvent } from 'react';
import type { NewKey } from '../../../../../contract/dashboard/keys.ts';
import { KEY_LIMITS } from '../../../../../contract/key-limits.ts';
import { PERMISSIONS, type Permission } from '../../../../../contract/permissions.ts';
import { call, type Problem } from '../../../api/client.ts';
import { refetch } from '../../../api/queries.ts';
import { useTexts } from '../../../language/texts.tsx';
import { unplaced } from '../../use-checked-form.ts';
import { useCreateSecret } from '../../use-create-secret.ts';
import { useFocus } from '../../use-focus.ts';
import { useOrganization } from '../../../session/session.ts';
import { isLimit, limitsOf } from '../limits-field.tsx';
import { networkFaults, networksOf } from '../networks-field.tsx';
import { texts, type KeyWord } from '../texts.ts';
import { dropDraft, emptyDraft, keepDraft, readDraft, type Draft } from './draft.ts';

const FIELDS = ['label', 'agent_id', 'permissions', 'allowed_networks', ...KEY_LIMITS] as const;
type Faults = Partial<Record<(typeof FIELDS)[number], string>>;
const fieldOf = ({ pointer }: { pointer: string }) =>
  FIELDS.find((name) => pointer.replace(/^\/limits/, '').split('/')[1] === name);

/** Holds the state of the form for a new key, with its draft, its faults, and the call that creates it. */
export function useKeyDraft(agentId: string | null, onMade: (made: NewKey) => void) {
  const say = useTexts(texts);
  const organization = useOrganization();
  const [draft, setDraft] = useState<Draft>(() => readDraft(organization.id) ?? emptyDraft(agentId));
  const [faults, setFaults] = useState<Faults>({});
  const [notice, setNotice] = useState('');
  const id = useId();
  const { busy, problem, send } = useCreate(onMade);
  useEffect(() => keepDraft(organization.id, draft), [organization.id, draft]);

  const change = (part: Partial<Draft>): void => {
    setDraft((before) => ({ ...before, ...part }));
    const mended = 'networks' in part ? ['allowed_networks'] : Object.keys(part);
    setFaults((before) => ({ ...before, ...Object.fromEntries(mended.map((name) => [name, undefined])) }));
  };
  const focusOn = useFocus();
  const show = (found: Faults): void => {
    setFaults(found);
    const first = FIELDS.find((name) => found[name]);
    if (first) focusOn(() => document.getElementById(`${id}-${first}`));
  };
  return {
    draft,
    change,
    chooseScope: (scope: Draft['scope']): void => {
      const loses = scope === 'agent' && draft.permissions.includes('end_users');
      setNotice(loses ? say('end_users_unticked') : '');
      change({ scope, ...(loses && { permissions: draft.permissions.filter((name) => name !== 'end_users') }) });
    },
    tick: (permission: Permission, on: boolean): void =>
      change({
        permissions: PERMISSIONS.filter((name) => (name === permission ? on : draft.permissions.includes(name))),
      }),
    /** The other fields that a choice changed, announced to a screen reader. */
    notice,
    faults,
    /** The ID of a field, to which a fault moves the focus. */
    idOf: (name: (typeof FIELDS)[number]): string => `${id}-${name}`,
    busy,
    /** The server's refusal, if it belongs to no field. */
    problem: unplaced(problem, (fault) => fieldOf(fault) !== undefined),
    submit: async (event: FormEvent): Promise<void> => {
      event.preventDefault();
      const found = faultsOf(draft, say);
      show(found);
      if (Object.values(found).some(Boolean)) return;
      const refusal = await send(organization.id, draft);
      if (refusal)
        show({
          ...Object.fromEntries(refusal.faults.filter(fieldOf).map((fault) => [fieldOf(fault), fault.detail])),
          allowed_networks: networkFaults(refusal, networksOf(draft.networks)) ?? undefined,
        });
    },
  };
}

function faultsOf(draft: Draft, say: (key: KeyWord) => string): Faults {
  return {
    ...(draft.label.trim() === '' && { label: say('label_missing') }),
    ...(draft.scope === 'agent' && !draft.agent_id && { agent_id: say('agent_missing') }),
    ...Object.fromEntries(
      KEY_LIMITS.filter((name) => !isLimit(draft[name])).map((name) => [name, say('limit_invalid')]),
    ),
    ...(draft.permissions.length === 0 && { permissions: say('permissions_missing') }),
  };
}

function useCreate(onMade: (made: NewKey) => void) {
  const client = useQueryClient();
  const { busy, problem, make } = useCreateSecret((org_id: string, draft: Draft) => {
    const networks = networksOf(draft.networks);
    const limits = limitsOf(draft);
    return call('createKey', {
      params: { org_id },
      body: {
        label: draft.label.trim(),
        scope: draft.scope,
        permissions: draft.permissions,
        ...(draft.scope === 'agent' && { agent_id: draft.agent_id! }),
        ...(networks.length > 0 && { allowed_networks: networks }),
        ...(Object.keys(limits).length > 0 && { limits }),
      },
    });
  });
  const send = async (org_id: string, draft: Draft): Promise<Problem | null> => {
    const outcome = await make(org_id, draft);
    if ('refused' in outcome) {
      // The plan or the user's role may have changed, or the key may have been created after all.
      void refetch(client, ['readSession', 'listKeys']);
      return outcome.refused;
    }
    dropDraft();
    onMade(outcome.made);
    return null;
  };
  return { busy, problem, send };
}
