import { Anchor, Button, Checkbox, Group, Input, Radio, Stack, Text, TextInput, VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useId, useState, type FormEvent, type ReactNode } from 'react';
import type { NewKey } from '../../../../../../../contract/dashboard/keys.ts';
import { MAX_LABEL_CHARACTERS } from '../../../../../../../contract/limits.ts';
import { PERMISSIONS, type Permission } from '../../../../../../../contract/permissions.ts';
import { call, Problem } from '../../../../../api/client.ts';
import { readAnew } from '../../../../../api/queries.ts';
import { common } from '../../../../../language/common.ts';
import { useWords } from '../../../../../language/words.tsx';
import { ProblemAlert } from '../../../../../parts/problem-alert.tsx';
import { unplaced } from '../../../../../parts/use-checked-form.ts';
import { useFocus } from '../../../../../parts/use-focus.ts';
import { useOrganization } from '../../../../../session/session.ts';
import { useAgentNames } from '../names.ts';
import { networkFaults, networksOf, OptionalNetworks } from '../networks-field.tsx';
import { words, type KeyWord } from '../words.ts';
import { AgentSelect } from './agent-select.tsx';
import { dropDraft, emptyDraft, keepDraft, readDraft, type Draft } from './draft.ts';
import { RightsPane } from './rights-pane.tsx';
import classes from '../api-keys.module.css';

type Props = { agentId: string | null; onCancel: () => void; onMade: (made: NewKey) => void };
const FIELDS = ['label', 'agent_id', 'permissions', 'allowed_networks'] as const;
type Faults = Partial<Record<(typeof FIELDS)[number], string>>;
const fieldOf = ({ pointer }: { pointer: string }) => FIELDS.find((name) => pointer.split('/')[1] === name);

export function CreateKeyForm({ agentId, onCancel, onMade }: Props): ReactNode {
  const say = useWords(words);
  const sayCommon = useWords(common);
  const organization = useOrganization();
  const [draft, setDraft] = useState<Draft>(() => readDraft(organization.id) ?? emptyDraft(agentId));
  const [faults, setFaults] = useState<Faults>({});
  const [told, setTold] = useState('');
  const id = useId();
  const agentName = useAgentNames(draft.agent_id ? [draft.agent_id] : [])(draft.agent_id ?? '') ?? null;
  const { busy, problem: refused, send } = useCreate(onMade);
  const problem = unplaced(refused, (fault) => fieldOf(fault) !== undefined);
  useEffect(() => keepDraft(organization.id, draft), [organization.id, draft]);

  const change = (part: Partial<Draft>): void => {
    setDraft((before) => ({ ...before, ...part }));
    setFaults((before) => ({ ...before, ...Object.fromEntries(Object.keys(part).map((name) => [name, undefined])) }));
  };
  const chooseScope = (scope: Draft['scope']): void => {
    const loses = scope === 'agent' && draft.permissions.includes('end_users');
    setTold(loses ? say('end_users_unticked') : '');
    change({ scope, ...(loses && { permissions: draft.permissions.filter((name) => name !== 'end_users') }) });
  };
  const tick = (permission: Permission, on: boolean): void =>
    change({
      permissions: PERMISSIONS.filter((name) => (name === permission ? on : draft.permissions.includes(name))),
    });
  const focusOn = useFocus();
  const show = (found: Faults): void => {
    setFaults(found);
    const first = FIELDS.find((name) => found[name]);
    if (first) focusOn(() => document.getElementById(`${id}-${first}`));
  };
  const submit = async (event: FormEvent): Promise<void> => {
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
  };
  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <div className={classes.form}>
        <Stack gap="lg">
          <TextInput
            id={`${id}-label`}
            label={say('label')}
            description={say('label_hint')}
            withAsterisk
            maxLength={MAX_LABEL_CHARACTERS}
            autoComplete="off"
            value={draft.label}
            onChange={(event) => change({ label: event.currentTarget.value })}
            error={faults.label}
            data-autofocus
          />
          <Radio.Group label={say('scope')} withAsterisk value={draft.scope} onChange={(scope) => chooseScope(scope)}>
            <div className={classes.choices}>
              {(['organization', 'agent'] as const).map((scope) => (
                <div key={scope} className={classes.choice}>
                  <Radio value={scope} label={say(`scope_${scope}`)} description={say(`scope_${scope}_hint`)} />
                </div>
              ))}
            </div>
          </Radio.Group>
          {draft.scope === 'agent' && (
            <AgentSelect
              id={`${id}-agent_id`}
              value={draft.agent_id}
              valueName={agentName}
              onChange={(agent_id) => change({ agent_id })}
              error={faults.agent_id ?? null}
            />
          )}
          <Input.Wrapper
            label={say('permissions')}
            description={say('permissions_hint')}
            error={faults.permissions}
            withAsterisk
            labelElement="div"
          >
            <div className={classes.choices} role="group" aria-label={say('permissions')}>
              {PERMISSIONS.map((permission, index) => (
                <PermissionChoice
                  key={permission}
                  id={index === 0 ? `${id}-permissions` : undefined}
                  permission={permission}
                  draft={draft}
                  onTick={tick}
                />
              ))}
            </div>
          </Input.Wrapper>
          <OptionalNetworks
            id={`${id}-allowed_networks`}
            value={draft.networks}
            onChange={(event) => {
              change({ networks: event.currentTarget.value });
              setFaults((before) => ({ ...before, allowed_networks: undefined }));
            }}
            error={faults.allowed_networks}
          />
          <VisuallyHidden role="status">{told}</VisuallyHidden>
        </Stack>
        <RightsPane
          scope={draft.scope}
          agent={agentName}
          permissions={draft.permissions}
          networks={networksOf(draft.networks).length}
        />
      </div>
      <Stack mt="lg" gap="md">
        {problem && (
          <>
            <ProblemAlert problem={problem} />
            {problem.status === 0 && (
              <Text size="sm" className={classes.reason}>
                {say('unknown_outcome')}
              </Text>
            )}
          </>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel} disabled={busy}>
            {sayCommon('cancel')}
          </Button>
          <Button type="submit" loading={busy}>
            {say('create')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type ChoiceProps = {
  id?: string;
  permission: Permission;
  draft: Draft;
  onTick: (permission: Permission, on: boolean) => void;
};

/** What cannot be ticked stays in sight, with its reason. */
function PermissionChoice({ id, permission, draft, onTick }: ChoiceProps): ReactNode {
  const say = useWords(words);
  const reason =
    permission === 'campaigns'
      ? say('campaigns_reason')
      : permission === 'end_users' && draft.scope === 'agent'
        ? say('end_users_reason')
        : null;
  return (
    <div className={classes.choice}>
      <Checkbox
        id={id}
        label={say(`permission_${permission}`)}
        checked={reason === null && draft.permissions.includes(permission)}
        disabled={reason !== null}
        onChange={(event) => onTick(permission, event.currentTarget.checked)}
        description={
          reason === null ? (
            say(`permission_${permission}_hint` as KeyWord)
          ) : (
            <span className={classes.reason}>
              {reason}{' '}
              {permission === 'campaigns' && (
                <Anchor inherit renderRoot={(props) => <Link to={'/campaigns'} {...props} />}>
                  {say('campaigns_link')}
                </Anchor>
              )}
            </span>
          )
        }
      />
    </div>
  );
}

function faultsOf(draft: Draft, say: (key: KeyWord) => string): Faults {
  return {
    ...(draft.label.trim() === '' && { label: say('label_missing') }),
    ...(draft.scope === 'agent' && !draft.agent_id && { agent_id: say('agent_missing') }),
    ...(draft.permissions.length === 0 && { permissions: say('permissions_missing') }),
  };
}

/** Not a mutation of TanStack Query: its cache would hold the answer, and with it the key, for minutes. */
function useCreate(onMade: (made: NewKey) => void) {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const send = async (org_id: string, draft: Draft): Promise<Problem | null> => {
    const networks = networksOf(draft.networks);
    setBusy(true);
    setProblem(null);
    try {
      const made = await call('createKey', {
        params: { org_id },
        body: {
          label: draft.label.trim(),
          scope: draft.scope,
          permissions: draft.permissions,
          ...(draft.scope === 'agent' && { agent_id: draft.agent_id! }),
          ...(networks.length > 0 && { allowed_networks: networks }),
        },
      });
      dropDraft();
      onMade(made);
      return null;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
      // The plan or one's role may be another by now, and the key may have been made after all.
      void readAnew(client, ['readSession', 'listKeys']);
      return error;
    } finally {
      setBusy(false);
    }
  };
  return { busy, problem, send };
}
