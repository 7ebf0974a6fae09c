import { Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ChannelKindName } from '../../../../contract/channel-kinds.ts';
import type { ConnectedChannel } from '../../../../contract/dashboard/channels.ts';
import { useAct } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { useCheckedForm } from '../../parts/use-checked-form.ts';
import { useOrganization } from '../../session/session.ts';
import { NameAndAgent } from '../../parts/agents/name-and-agent.tsx';
import { originOf } from '../../parts/channels/site-origin.ts';
import { texts as agentTexts } from '../../parts/agents/agent-select-texts.ts';
import { ChannelProblem } from './channel-parts.tsx';
import { placeSettings, SettingsFields } from './settings-fields.tsx';
import { ChatFields } from './chat-fields.tsx';
import { type SettingsValues, shownFields, toSettings, toValues, valueName } from './settings-values.ts';
import { texts } from './texts.ts';

type Props = {
  kind: ChannelKindName;
  agentId: string | null;
  onBack: () => void;
  onMade: (made: ConnectedChannel) => void;
};

/**
 * The form has the name, the agent and the settings of the kind. The server checks the settings with the provider
 * before it stores anything.
 */
export function ConnectForm({ kind, agentId, onBack, onMade }: Props): ReactNode {
  const say = useTexts(texts);
  const sayAgent = useTexts(agentTexts);
  const org_id = useOrganization().id;
  const connect = useAct('connectChannel', { refresh: ['listChannels', 'readOverview'] });
  const named = { name: '', agent_id: agentId ?? '' };
  // The first field with a fault gets the focus. The form of the web chat begins with the site.
  const initial: SettingsValues =
    kind === 'web_chat' ? { ...toValues(kind), ...named } : { ...named, ...toValues(kind) };
  const form = useCheckedForm(initial, () => ({
    agent_id: (value) => (value === '' ? sayAgent('agent_missing') : null),
    name: (value) => (value.trim() === '' ? sayAgent('name_missing') : null),
    ...Object.fromEntries(
      shownFields(kind)
        .filter(({ required }) => required)
        .map(({ name }) => [valueName(name), (value: string) => (value.trim() === '' ? say('missing') : null)]),
    ),
    [valueName('allowed_origins')]: (value: string) =>
      value.trim() === '' || originOf(value) ? null : say('site_invalid'),
  }));
  const submit = form.submit((values) => {
    const { name = '', agent_id = '' } = values;
    connect.mutate(
      { params: { org_id }, body: { agent_id, kind, name: name.trim(), settings: toSettings(kind, values) } },
      {
        onSuccess: onMade,
        onError: (problem) => {
          form.place(problem);
          placeSettings(form, problem.faults);
        },
      },
    );
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {kind === 'web_chat' ? (
          <ChatFields agentId={agentId} form={form} />
        ) : (
          <>
            <NameAndAgent say={say} agentId={agentId} form={form} />
            <SettingsFields kind={kind} form={form} />
          </>
        )}
        <ChannelProblem problem={connect.error} />
        <Group data-actions justify="flex-end" gap="xs">
          <Button variant="default" onClick={onBack} disabled={connect.isPending}>
            {say('other_kind')}
          </Button>
          <Button type="submit" loading={connect.isPending}>
            {say('connect')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
