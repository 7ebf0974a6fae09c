import { Alert, Button, Checkbox, Group, Input, NativeSelect, Radio, Stack, TextInput } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useId, useState, type FormEvent, type ReactNode } from 'react';
import type { NewAccessToken } from '../../../../../contract/dashboard/access-tokens.ts';
import { MAX_LABEL_CHARACTERS } from '../../../../../contract/limits.ts';
import { TOKEN_KINDS, TOKEN_ROLES, TOKEN_VERBS, type TokenRole } from '../../../../../contract/permissions.ts';
import { call } from '../../../api/client.ts';
import { common } from '../../../language/common.ts';
import { useTexts } from '../../../language/texts.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { useFocus } from '../../../parts/use-focus.ts';
import { useCreateSecret } from '../../../parts/use-create-secret.ts';
import { useMay, useOrganization } from '../../../session/session.ts';
import { AgentSelect } from '../../../parts/agents/agent-select.tsx';
import classes from '../../../parts/api-keys/api-keys.module.css';
import { bodyOf, EMPTY_DRAFT, type Draft } from './draft.ts';
import { RightsPane } from './rights-pane.tsx';
import { texts } from './texts.ts';

type Props = { onCancel: () => void; onMade: (made: NewAccessToken) => void };
type Faults = { label?: string; verbs?: string; agent_id?: string };
type Part = { draft: Draft; change: (part: Partial<Draft>) => void; faults: Faults; id: string };

export function CreateTokenForm({ onCancel, onMade }: Props): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const org_id = useOrganization().id;
  const id = useId();
  const focusOn = useFocus();
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const [faults, setFaults] = useState<Faults>({});
  const { busy, problem, make } = useCreateSecret(() =>
    call('createAccessToken', { params: { org_id }, body: bodyOf(draft) }),
  );
  const change = (part: Partial<Draft>): void => {
    setDraft((before) => ({ ...before, ...part }));
    setFaults({});
  };
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const found: Faults = {
      ...(draft.label.trim() === '' && { label: say('label_missing') }),
      ...(draft.verbs.length === 0 && { verbs: say('verbs_missing') }),
      ...(draft.isNarrow && !draft.agent_id && { agent_id: say('agent_missing') }),
    };
    setFaults(found);
    const [first] = Object.keys(found);
    if (first !== undefined) return focusOn(() => document.getElementById(`${id}-${first}`));
    const outcome = await make();
    if ('made' in outcome) onMade(outcome.made);
  };
  const part = { draft, change, faults, id };
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
          <WhoseToken {...part} />
          <Verbs {...part} />
          <WhichAgents {...part} />
          <Expiry {...part} />
        </Stack>
        <RightsPane draft={draft} />
      </div>
      <Stack data-actions mt="lg" gap="md">
        {problem && <ProblemAlert problem={problem} />}
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

/** Only owners and admins can choose the owner of the token. */
function WhoseToken({ draft, change }: Part): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  if (!useMay('admin')) return null;
  return (
    <>
      <Radio.Group
        label={say('kind')}
        value={draft.kind}
        onChange={(value) => change({ kind: TOKEN_KINDS.find((kind) => kind === value)! })}
      >
        <div className={classes.choices}>
          {TOKEN_KINDS.map((kind) => (
            <div key={kind} className={classes.choice}>
              <Radio value={kind} label={say(`kind_${kind}`)} description={say(`kind_${kind}_hint`)} />
            </div>
          ))}
        </div>
      </Radio.Group>
      {draft.kind === 'organization' && (
        <NativeSelect
          label={say('role')}
          value={draft.role}
          data={TOKEN_ROLES.map((role) => ({ value: role, label: sayCommon(`role_${role}`) }))}
          onChange={(event) => change({ role: event.currentTarget.value as TokenRole })}
        />
      )}
    </>
  );
}

function Verbs({ draft, change, faults, id }: Part): ReactNode {
  const say = useTexts(texts);
  return (
    <Input.Wrapper
      label={say('verbs')}
      description={say('verbs_hint')}
      error={faults.verbs}
      withAsterisk
      labelElement="div"
    >
      <div className={classes.choices} role="group" aria-label={say('verbs')}>
        {TOKEN_VERBS.map((verb, index) => (
          <div key={verb} className={classes.choice}>
            <Checkbox
              id={index === 0 ? `${id}-verbs` : undefined}
              label={say(`verb_${verb}`)}
              description={say(`verb_${verb}_hint`)}
              checked={draft.verbs.includes(verb)}
              onChange={(event) => {
                const on = event.currentTarget.checked;
                change({ verbs: TOKEN_VERBS.filter((one) => (one === verb ? on : draft.verbs.includes(one))) });
              }}
            />
          </div>
        ))}
      </div>
    </Input.Wrapper>
  );
}

function WhichAgents({ draft, change, faults, id }: Part): ReactNode {
  const say = useTexts(texts);
  return (
    <>
      <Radio.Group
        label={say('agents')}
        value={draft.isNarrow ? 'one' : 'all'}
        onChange={(value) => change({ isNarrow: value === 'one' })}
      >
        <Group gap="lg" mt={4}>
          <Radio value="all" label={say('all_agents')} />
          <Radio value="one" label={say('one_agent')} />
        </Group>
      </Radio.Group>
      {draft.isNarrow && (
        <AgentSelect
          id={`${id}-agent_id`}
          label={say('agent')}
          withAsterisk
          value={draft.agent_id}
          onChange={(agent_id) => change({ agent_id })}
          error={faults.agent_id}
        />
      )}
    </>
  );
}

function Expiry({ draft, change }: Part): ReactNode {
  const say = useTexts(texts);
  return (
    <>
      <NativeSelect
        label={say('expires')}
        value={draft.days}
        data={(['30', '90', '365', 'none'] as const).map((days) => ({ value: days, label: say(`days_${days}`) }))}
        onChange={(event) => change({ days: event.currentTarget.value as Draft['days'] })}
      />
      {draft.days === 'none' && (
        <Alert color="orange" icon={<IconAlertTriangle size={18} />} role="status">
          {say('never_warning')}
        </Alert>
      )}
    </>
  );
}
