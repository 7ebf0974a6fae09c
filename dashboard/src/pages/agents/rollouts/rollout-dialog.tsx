import { Checkbox, Group, Select, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { AgentRecord } from '../../../../../contract/dashboard/agents.ts';
import type { RolloutRecord, StopWhen } from '../../../../../contract/dashboard/rollouts.ts';
import { MAX_PAGE } from '../../../../../contract/limits.ts';
import { useAct, useRead } from '../../../api/queries.ts';
import { useTexts } from '../../../language/texts.tsx';
import { DialogForm } from '../../../parts/dialog-form.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { typedNumber } from '../../../parts/latin-digits.ts';
import { notifyDone } from '../../../parts/notify.tsx';
import { useCheckedForm } from '../../../parts/use-checked-form.ts';
import { useOrganization } from '../../../session/session.ts';
import { rolloutTexts } from './rollout-texts.ts';

export const READ_AFTER_ROLLOUT = [
  'compareVersions',
  'readAgent',
  'listAgents',
  'listAgentVersions',
  'listAudit',
] as const;

/** The choice of the draft, which becomes a version when its rollout starts. */
const DRAFT = 'draft';
const START: StopWhen = { worse_by: 0.05, confidence: 0.95 };

type Props = { agent: AgentRecord; active: RolloutRecord | null; opened: boolean; onClose: () => void };

/** Starts a rollout, or changes the rollout in progress. */
export function RolloutDialog({ agent, active, opened, onClose }: Props): ReactNode {
  const say = useTexts(rolloutTexts);
  const title = active ? say('change_title', { version: active.version }) : say('set_title');
  return (
    <Dialog opened={opened} onClose={onClose} title={title}>
      {opened && <RolloutForm agent={agent} active={active} onClose={onClose} />}
    </Dialog>
  );
}

const asPercent = (part: number): string => String(Math.round(part * 10_000) / 100);
const isWithin = (text: string, least: number, most: number): boolean =>
  typedNumber(text) >= least && typedNumber(text) <= most;
const isWholePercent = (text: string): boolean => Number.isInteger(typedNumber(text)) && isWithin(text, 0, 100);

function RolloutForm({ agent, active, onClose }: Omit<Props, 'opened'>): ReactNode {
  const say = useTexts(rolloutTexts);
  const org_id = useOrganization().id;
  const params = { org_id, agent_id: agent.id };
  const publish = useAct('publishAgent', { refresh: READ_AFTER_ROLLOUT });
  const set = useAct('setRollout', { refresh: READ_AFTER_ROLLOUT });
  const limit = active ? active.stop_when : START;
  const form = useCheckedForm(
    {
      version: String(active?.version ?? (agent.unpublished_changes ? DRAFT : agent.newest_version)),
      percent: String(active?.percent ?? 10),
      automatic: limit ? 'yes' : 'no',
      worse_by: asPercent((limit ?? START).worse_by),
      confidence: asPercent((limit ?? START).confidence),
    },
    () => ({
      percent: (value) => (isWholePercent(value) ? null : say('percent_fault')),
      // Without an automatic stop, the fields of the stop are hidden and not sent.
      worse_by: (value, { automatic }) =>
        automatic === 'no' || isWithin(value, 0, 100) ? null : say('worse_by_fault'),
      confidence: (value, { automatic }) =>
        automatic === 'no' || isWithin(value, 50, 99.99) ? null : say('confidence_fault'),
    }),
  );
  const submit = form.submit(({ version, percent, automatic, worse_by, confidence }) => {
    const limits = { worse_by: typedNumber(worse_by) / 100, confidence: typedNumber(confidence) / 100 };
    const start = (chosen: number): void =>
      set.mutate(
        {
          params,
          body: { version: chosen, percent: typedNumber(percent), stop_when: automatic === 'yes' ? limits : null },
        },
        {
          onSuccess: () => {
            onClose();
            notifyDone(say('saved'));
          },
          onError: form.place,
        },
      );
    if (version !== DRAFT) return start(Number(version));
    publish.mutate({ params, body: { live: false } }, { onSuccess: ({ newest_version: added }) => start(added) });
  });
  return (
    <DialogForm
      onSubmit={submit}
      act={say('save')}
      busy={publish.isPending || set.isPending}
      problem={publish.error ?? form.unplaced(set.error)}
      onCancel={onClose}
    >
      {!active && <VersionField agent={agent} form={form} />}
      <TextInput label={say('percent')} inputMode="numeric" data-autofocus {...form.getInputProps('percent')} />
      <Checkbox
        label={say('automatic')}
        checked={form.values.automatic === 'yes'}
        onChange={({ currentTarget: { checked } }) => form.setFieldValue('automatic', checked ? 'yes' : 'no')}
      />
      {form.values.automatic === 'yes' && (
        <Group align="flex-start" gap="md">
          <TextInput
            label={say('worse_by')}
            description={say('worse_by_hint')}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            inputMode="decimal"
            flex="1 1 180px"
            {...form.getInputProps('worse_by')}
          />
          <TextInput
            label={say('confidence')}
            description={say('confidence_hint')}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            inputMode="decimal"
            flex="1 1 180px"
            {...form.getInputProps('confidence')}
          />
        </Group>
      )}
    </DialogForm>
  );
}

type RolloutFields = { version: string; percent: string; automatic: string; worse_by: string; confidence: string };
type FieldProps = { agent: AgentRecord; form: ReturnType<typeof useCheckedForm<RolloutFields>> };

function VersionField({ agent, form }: FieldProps): ReactNode {
  const say = useTexts(rolloutTexts);
  const org_id = useOrganization().id;
  const query = { limit: MAX_PAGE };
  const versions = useRead('listAgentVersions', { params: { org_id, agent_id: agent.id }, query });
  const data = (versions.data?.data ?? []).map(({ version }) => ({
    value: String(version),
    label: say(version === agent.version ? 'version_live' : 'version_number', { number: version }),
  }));
  const { value, error } = form.getInputProps('version');
  const hint = value === DRAFT ? say('draft_hint') : value === String(agent.version) ? say('version_live_hint') : null;
  return (
    <Select
      label={say('version')}
      description={hint}
      allowDeselect={false}
      data={[...(agent.unpublished_changes ? [{ value: DRAFT, label: say('the_draft') }] : []), ...data]}
      value={value}
      error={error}
      onChange={(chosen) => form.setFieldValue('version', chosen ?? value)}
    />
  );
}
