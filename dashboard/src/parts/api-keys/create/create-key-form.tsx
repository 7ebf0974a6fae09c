import { Anchor, Button, Checkbox, Group, Input, Radio, Stack, Text, TextInput, VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { NewKey } from '../../../../../contract/dashboard/keys.ts';
import { MAX_LABEL_CHARACTERS } from '../../../../../contract/limits.ts';
import { PERMISSIONS, type Permission } from '../../../../../contract/permissions.ts';
import type { Problem } from '../../../api/client.ts';
import { common } from '../../../language/common.ts';
import { useTexts } from '../../../language/texts.tsx';
import { ProblemAlert } from '../../problem-alert.tsx';
import { useAgentNames } from '../../use-record-names.ts';
import { OptionalLimits } from '../limits-field.tsx';
import { networksOf, OptionalNetworks } from '../networks-field.tsx';
import { texts, type KeyWord } from '../texts.ts';
import { AgentSelect } from './agent-select.tsx';
import type { Draft } from './draft.ts';
import { RightsPane } from './rights-pane.tsx';
import { useKeyDraft } from './use-key-draft.ts';
import classes from '../api-keys.module.css';

type Props = { agentId: string | null; onCancel: () => void; onMade: (made: NewKey) => void };

export function CreateKeyForm({ agentId, onCancel, onMade }: Props): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const { draft, change, faults, idOf, ...form } = useKeyDraft(agentId, onMade);
  const agentName = useAgentNames(draft.agent_id ? [draft.agent_id] : [])(draft.agent_id ?? '') ?? null;
  return (
    <form onSubmit={(event) => void form.submit(event)} noValidate>
      <div className={classes.form}>
        <Stack gap="lg">
          <TextInput
            id={idOf('label')}
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
          <ScopeChoice scope={draft.scope} onChoose={form.chooseScope} />
          {draft.scope === 'agent' && (
            <AgentSelect
              id={idOf('agent_id')}
              value={draft.agent_id}
              valueName={agentName}
              onChange={(agent_id) => change({ agent_id })}
              error={faults.agent_id ?? null}
            />
          )}
          <Permissions id={idOf('permissions')} draft={draft} error={faults.permissions} onTick={form.tick} />
          <OptionalNetworks
            id={idOf('allowed_networks')}
            value={draft.networks}
            onChange={(event) => change({ networks: event.currentTarget.value })}
            error={faults.allowed_networks}
          />
          <OptionalLimits
            inputOf={(name) => ({
              id: idOf(name),
              value: draft[name],
              onChange: (event) => change({ [name]: event.currentTarget.value }),
              error: faults[name],
            })}
          />
          <VisuallyHidden role="status">{form.notice}</VisuallyHidden>
        </Stack>
        <RightsPane
          scope={draft.scope}
          agent={agentName}
          permissions={draft.permissions}
          networks={networksOf(draft.networks).length}
        />
      </div>
      <Stack mt="lg" gap="md" data-actions>
        {form.problem && <Refused problem={form.problem} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel} disabled={form.busy}>
            {sayCommon('cancel')}
          </Button>
          <Button type="submit" loading={form.busy}>
            {say('create')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** If no response came, the key may exist. */
function Refused({ problem }: { problem: Problem }): ReactNode {
  const say = useTexts(texts);
  return (
    <>
      <ProblemAlert problem={problem} />
      {problem.status === 0 && (
        <Text size="sm" className={classes.reason}>
          {say('unknown_outcome')}
        </Text>
      )}
    </>
  );
}

type ScopeProps = { scope: Draft['scope']; onChoose: (scope: Draft['scope']) => void };

function ScopeChoice({ scope: chosen, onChoose }: ScopeProps): ReactNode {
  const say = useTexts(texts);
  return (
    <Radio.Group label={say('scope')} withAsterisk value={chosen} onChange={(scope) => onChoose(scope)}>
      <div className={classes.choices}>
        {(['organization', 'agent'] as const).map((scope) => (
          <div key={scope} className={classes.choice}>
            <Radio value={scope} label={say(`scope_${scope}`)} description={say(`scope_${scope}_hint`)} />
          </div>
        ))}
      </div>
    </Radio.Group>
  );
}

type PermissionsProps = {
  /** The ID of the first checkbox, which gets the focus if none is checked. */
  id: string;
  draft: Draft;
  error: string | undefined;
  onTick: (permission: Permission, on: boolean) => void;
};

function Permissions({ id, draft, error, onTick }: PermissionsProps): ReactNode {
  const say = useTexts(texts);
  return (
    <Input.Wrapper
      label={say('permissions')}
      description={say('permissions_hint')}
      error={error}
      withAsterisk
      labelElement="div"
    >
      <div className={classes.choices} role="group" aria-label={say('permissions')}>
        {PERMISSIONS.map((permission, index) => (
          <PermissionChoice
            key={permission}
            id={index === 0 ? id : undefined}
            permission={permission}
            draft={draft}
            onTick={onTick}
          />
        ))}
      </div>
    </Input.Wrapper>
  );
}

type ChoiceProps = {
  id?: string;
  permission: Permission;
  draft: Draft;
  onTick: (permission: Permission, on: boolean) => void;
};

/** Unavailable choices stay visible, with the reason. */
function PermissionChoice({ id, permission, draft, onTick }: ChoiceProps): ReactNode {
  const say = useTexts(texts);
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
