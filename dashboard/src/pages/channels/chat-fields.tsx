import { Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { MAX_LABEL_CHARACTERS } from '../../../../contract/limits.ts';
import { useTexts } from '../../language/texts.tsx';
import { AgentSelect } from '../../parts/agents/agent-select.tsx';
import { texts as agentTexts } from '../../parts/agents/agent-select-texts.ts';
import { useLateAgent, useOnlyAgent } from '../../parts/agents/use-only-agent.ts';
import { nameOfSite, originOf } from '../../parts/channels/site-origin.ts';
import type { useCheckedForm } from '../../parts/use-checked-form.ts';
import { ChatPreview } from './chat-preview.tsx';
import { type SettingsValues, valueName } from './settings-values.ts';
import { texts } from './texts.ts';
import classes from './channels.module.css';

const SITE = valueName('allowed_origins');

type Props = {
  /** The preselected agent. */
  agentId: string | null;
  form: ReturnType<typeof useCheckedForm<SettingsValues>>;
};

/** A new web chat needs a site and a name. The appearance has a default, which the page of the channel can change. */
export function ChatFields({ agentId, form }: Props): ReactNode {
  const say = useTexts(texts);
  const sayAgent = useTexts(agentTexts);
  const agent = form.getInputProps('agent_id');
  const only = useOnlyAgent();
  useLateAgent(agentId, form);
  /** The name follows the site until the member types a name. */
  const leave = (): void => {
    const origin = originOf(form.getValues()[SITE] ?? '');
    if (origin && form.getValues()['name']?.trim() === '') form.setFieldValue('name', nameOfSite(origin));
  };
  return (
    <div className={classes.look}>
      <Stack gap="md">
        <TextInput
          label={say('site')}
          description={say('site_hint')}
          dir="ltr"
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          {...form.getInputProps(SITE)}
          onBlur={leave}
        />
        <TextInput
          label={say('name')}
          description={say('chat_name_hint')}
          withAsterisk
          maxLength={MAX_LABEL_CHARACTERS}
          dir="auto"
          autoComplete="off"
          {...form.getInputProps('name')}
        />
        {only === null && (
          <AgentSelect
            label={sayAgent('agent')}
            withAsterisk
            id={agent.id}
            value={agent.value || null}
            error={agent.error}
            onChange={(chosen) => form.setFieldValue('agent_id', chosen ?? '')}
          />
        )}
        <Text size="sm" c="dimmed">
          {say('look_later')}
        </Text>
      </Stack>
      <ChatPreview values={form.values} />
    </div>
  );
}
