import { Anchor, Button, Group, Stack, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AgentRecord } from '../../../../contract/dashboard/agents.ts';
import { MAX_NAME_CHARACTERS } from '../../../../contract/limits.ts';
import { useAct } from '../../api/queries.ts';
import { common } from '../../language/common.ts';
import { useTexts } from '../../language/texts.tsx';
import { Card } from '../../parts/card.tsx';
import { DeleteCard } from '../../parts/delete-card.tsx';
import { CopyFact, Facts } from '../../parts/fact.tsx';
import { EnabledSwitch } from '../../parts/enabled-switch.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useCheckedForm } from '../../parts/use-checked-form.ts';
import { useMay, useOrganization } from '../../session/session.ts';
import { texts } from './texts.ts';

export function SettingsTab({ agent }: { agent: AgentRecord }): ReactNode {
  const say = useTexts(texts);
  const may = useMay('member');
  const search = { agent_id: agent.id };
  return (
    <>
      <NameCard agent={agent} />
      <Card title={say('ids')}>
        <Facts>
          <CopyFact label={say('agent_id')} value={agent.id} copyLabel={say('copy_agent_id')} />
          {agent.sandbox_channel_id && (
            <CopyFact label={say('sandbox_id')} value={agent.sandbox_channel_id} copyLabel={say('copy_sandbox_id')} />
          )}
        </Facts>
      </Card>
      <Card title={say('belongs')}>
        <Group gap="lg">
          <Anchor renderRoot={(props) => <Link to="/triggers" search={search} {...props} />}>
            {say('its_triggers')}
          </Anchor>
          <Anchor renderRoot={(props) => <Link to="/channels" search={search} {...props} />}>
            {say('its_channels')}
          </Anchor>
          <Anchor renderRoot={(props) => <Link to="/conversations" search={search} {...props} />}>
            {say('its_conversations')}
          </Anchor>
        </Group>
      </Card>
      {may && <DeleteAgent agent={agent} />}
    </>
  );
}

function NameCard({ agent }: { agent: AgentRecord }): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const org_id = useOrganization().id;
  const may = useMay('member');
  const params = { org_id, agent_id: agent.id };
  const rename = useAct('updateAgent', { refresh: ['readAgent', 'listAgents'] });
  const toggle = useAct('updateAgent', { refresh: ['readAgent', 'listAgents'] });
  const form = useCheckedForm({ name: agent.name }, () => ({
    name: (value) => (value.trim() === '' ? say('name_missing') : null),
  }));
  const submit = form.submit((values) =>
    rename.mutate(
      { params, body: { name: values.name.trim() } },
      {
        onSuccess: () => {
          form.settled(values);
          notifyDone(say('renamed'));
        },
        onError: form.place,
      },
    ),
  );
  const problem = form.unplaced(rename.error);
  return (
    <Card>
      <Stack gap="lg">
        <form onSubmit={submit} noValidate>
          <Group align="flex-end" gap="xs">
            <TextInput
              label={say('settings_name')}
              description={say('settings_name_hint')}
              flex="1 1 240px"
              maw={460}
              dir="auto"
              maxLength={MAX_NAME_CHARACTERS}
              readOnly={!may}
              {...form.getInputProps('name')}
            />
            {may && (
              <Button type="submit" variant="default" disabled={!form.edited} loading={rename.isPending}>
                {sayCommon('save')}
              </Button>
            )}
          </Group>
        </form>
        <EnabledSwitch
          say={say}
          enabled={agent.enabled}
          toggle={toggle}
          onToggle={(enabled) => toggle.mutateAsync({ params, body: { enabled } })}
        />
        {problem && <ProblemAlert problem={problem} />}
      </Stack>
    </Card>
  );
}

function DeleteAgent({ agent }: { agent: AgentRecord }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const remove = useAct('deleteAgent', {
    refresh: ['listAgents', 'listTriggers', 'listChannels', 'listCampaigns', 'readOverview'],
  });
  return (
    <DeleteCard
      name={agent.name}
      say={say}
      remove={remove}
      onDelete={() => remove.mutateAsync({ params: { org_id, agent_id: agent.id } })}
      leadsTo="/agents"
    />
  );
}
