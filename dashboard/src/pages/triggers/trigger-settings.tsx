import { Button, Group, Select, Stack, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { TriggerRecord } from '../../../../contract/dashboard/triggers.ts';
import { MAX_LABEL_CHARACTERS, MAX_PAGE } from '../../../../contract/limits.ts';
import { useAct, useRead } from '../../api/queries.ts';
import { common } from '../../language/common.ts';
import { useTexts } from '../../language/texts.tsx';
import { Card } from '../../parts/card.tsx';
import { DeleteCard } from '../../parts/delete-card.tsx';
import { EnabledSwitch } from '../../parts/enabled-switch.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useCheckedForm } from '../../parts/use-checked-form.ts';
import { useMay, useOrganization } from '../../session/session.ts';
import { texts as agentTexts } from '../../parts/agents/agent-select-texts.ts';
import { texts } from './texts.ts';

const OWN = 'sandbox';
const LIVE = 'live';

export function TriggerSettings({ item }: { item: TriggerRecord }): ReactNode {
  const may = useMay('member');
  return (
    <>
      <General item={item} />
      {may && <DeleteTrigger item={item} />}
    </>
  );
}

function General({ item }: { item: TriggerRecord }): ReactNode {
  const say = useTexts(texts);
  const sayAgent = useTexts(agentTexts);
  const sayCommon = useTexts(common);
  const org_id = useOrganization().id;
  const may = useMay('member');
  const params = { org_id, trigger_id: item.id };
  const update = useAct('updateTrigger', { refresh: ['readTrigger', 'listTriggers'] });
  const toggle = useAct('updateTrigger', { refresh: ['readTrigger', 'listTriggers'] });
  const stored = {
    name: item.name,
    channel_id: item.channel_id ?? OWN,
    agent_version: item.agent_version === null ? LIVE : String(item.agent_version),
  };
  const form = useCheckedForm(stored, () => ({
    name: (value) => (value.trim() === '' ? sayAgent('name_missing') : null),
  }));
  const submit = form.submit((values) => {
    const { name, channel_id, agent_version: version } = values;
    update.mutate(
      {
        params: { org_id, trigger_id: item.id },
        // Another member may have changed the other fields.
        body: {
          ...(name !== stored.name && { name: name.trim() }),
          ...(channel_id !== stored.channel_id && { channel_id: channel_id === OWN ? null : channel_id }),
          ...(version !== stored.agent_version && { agent_version: version === LIVE ? null : Number(version) }),
        },
      },
      {
        onSuccess: () => {
          form.settled(values);
          notifyDone(say('saved'));
        },
        onError: form.place,
      },
    );
  });
  const problem = form.unplaced(update.error);
  return (
    <form onSubmit={submit} noValidate>
      <Card
        title={say('settings')}
        footer={
          may && (
            <Button type="submit" disabled={!form.edited} loading={update.isPending}>
              {sayCommon('save')}
            </Button>
          )
        }
      >
        <Stack gap="lg">
          <EnabledSwitch
            say={say}
            enabled={item.enabled}
            toggle={toggle}
            onToggle={(enabled) => toggle.mutateAsync({ params, body: { enabled } })}
          />
          <Group align="flex-start" gap="md">
            <TextInput
              label={say('name')}
              flex="1 1 240px"
              dir="auto"
              maxLength={MAX_LABEL_CHARACTERS}
              readOnly={!may}
              {...form.getInputProps('name')}
            />
            <ChannelField item={item} form={form} />
            <VersionField item={item} form={form} />
          </Group>
          {problem && <ProblemAlert problem={problem} />}
        </Stack>
      </Card>
    </form>
  );
}

type FieldProps = {
  item: TriggerRecord;
  form: ReturnType<typeof useCheckedForm<{ name: string; channel_id: string; agent_version: string }>>;
};

/** Selects one of the agent's channels, or the channel of the trigger. */
function ChannelField({ item, form }: FieldProps): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const query = { agent_id: item.agent_id, limit: MAX_PAGE };
  const channels = useRead('listChannels', { params: { org_id }, query }, {});
  const data = (channels.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const gone = item.channel_id !== null && channels.data && !data.some(({ value }) => value === item.channel_id);
  const { value, error } = form.getInputProps('channel_id');
  return (
    <Select
      label={say('channel')}
      description={gone ? say('channel_gone') : say('channel_hint')}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      flex="1 1 240px"
      allowDeselect={false}
      readOnly={!useMay('member')}
      data={[{ value: OWN, label: say('channel_own') }, ...data]}
      value={value}
      error={error}
      onChange={(id) => form.setFieldValue('channel_id', id ?? OWN)}
    />
  );
}

/** Selects one version of the agent, or the live version. */
function VersionField({ item, form }: FieldProps): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const params = { org_id, agent_id: item.agent_id };
  const versions = useRead('listAgentVersions', { params, query: { limit: MAX_PAGE } });
  const numbers = new Set((versions.data?.data ?? []).map(({ version }) => version));
  if (item.agent_version !== null) numbers.add(item.agent_version);
  const data = [...numbers].map((number) => ({ value: String(number), label: say('version_number', { number }) }));
  const { value, error } = form.getInputProps('agent_version');
  return (
    <Select
      label={say('version')}
      description={say('version_hint')}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      flex="1 1 240px"
      allowDeselect={false}
      readOnly={!useMay('member')}
      data={[{ value: LIVE, label: say('version_live') }, ...data]}
      value={value}
      error={error}
      onChange={(chosen) => form.setFieldValue('agent_version', chosen ?? LIVE)}
    />
  );
}

function DeleteTrigger({ item }: { item: TriggerRecord }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const remove = useAct('deleteTrigger', { refresh: ['listTriggers', 'readOverview'] });
  return (
    <DeleteCard
      name={item.name}
      say={say}
      remove={remove}
      onDelete={() => remove.mutateAsync({ params: { org_id, trigger_id: item.id } })}
      leadsTo="/triggers"
    />
  );
}
