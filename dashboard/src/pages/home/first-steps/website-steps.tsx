import { Anchor, Button, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState, type FormEvent, type ReactNode } from 'react';
import type { AgentSummary } from '../../../../../contract/dashboard/agents.ts';
import type { ChannelDetail } from '../../../../../contract/dashboard/channels.ts';
import { useAct } from '../../../api/queries.ts';
import { useTexts } from '../../../language/texts.tsx';
import { ChatSites, FirstVisitor, ScriptTag } from '../../../parts/channels/chat-sites.tsx';
import { nameOfSite, originOf } from '../../../parts/channels/site-origin.ts';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { useOrganization } from '../../../session/session.ts';
import { ForMembers, Step } from './step.tsx';
import { texts } from './texts.ts';
import classes from './first-steps.module.css';

type Props = {
  agent: AgentSummary | null;
  /**
   * The first web chat that the agent has. Null: the agent has no web chat. Undefined: the channel is not known yet.
   */
  chat: ChannelDetail | null | undefined;
  done: readonly boolean[];
};

/**
 * The steps lead from an agent to a visitor's first message, with a web chat, its script on the site, and the check
 * that it arrived.
 */
export function WebsiteSteps({ agent, chat, done }: Props): ReactNode {
  const say = useTexts(texts);
  const missing = (
    <Text size="sm" c="dimmed">
      {say(agent ? 'needs_chat' : 'needs_agent')}
    </Text>
  );
  return (
    <>
      <Step number={3} done={done[2]!} title={say('step_chat')} hint={say('step_chat_hint')}>
        {!agent ? missing : chat === undefined ? <Skeleton h={64} radius="md" /> : <Chat agent={agent} chat={chat} />}
      </Step>
      <Step number={4} done={done[3]!} title={say('step_site')} hint={say('step_site_hint')}>
        {chat ? (
          <Stack gap="md">
            <ScriptTag id={chat.id} />
            <ChatSites item={chat} />
          </Stack>
        ) : (
          missing
        )}
      </Step>
      <Step number={5} done={done[4]!} title={say('step_visitor')} hint={say('step_visitor_hint')}>
        {chat ? <FirstVisitor item={chat} /> : missing}
      </Step>
    </>
  );
}

function Chat({ agent, chat }: { agent: AgentSummary; chat: ChannelDetail | null }): ReactNode {
  const say = useTexts(texts);
  if (chat === null)
    return (
      <ForMembers>
        <SiteForm agent={agent} />
      </ForMembers>
    );
  return (
    <Text size="sm">
      {say.rich('chat_done', { chat: <b dir="auto">{chat.name}</b> })}{' '}
      <Anchor
        inherit
        renderRoot={(props) => <Link to="/channels/$channel_id" params={{ channel_id: chat.id }} {...props} />}
      >
        {say('chat_look')}
      </Anchor>
    </Text>
  );
}

/** The form asks only for the site, which gives the channel its name. */
function SiteForm({ agent }: { agent: AgentSummary }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const connect = useAct('connectChannel', { refresh: ['listChannels', 'readOverview'] });
  const [site, setSite] = useState('');
  const [isWrong, setWrong] = useState(false);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const origin = originOf(site);
    setWrong(origin === null && site.trim() !== '');
    if (origin === null && site.trim() !== '') return;
    const name = origin === null ? say('chat_name') : nameOfSite(origin);
    const settings = origin === null ? {} : { allowed_origins: [origin] };
    connect.mutate({ params: { org_id }, body: { agent_id: agent.id, kind: 'web_chat', name, settings } });
  };
  return (
    <form className={classes.form} onSubmit={submit} noValidate>
      <TextInput
        label={say('site')}
        placeholder="https://shop.example"
        value={site}
        dir="ltr"
        inputMode="url"
        maxLength={255}
        autoComplete="off"
        spellCheck={false}
        error={isWrong && say('site_invalid')}
        onChange={(event) => setSite(event.currentTarget.value)}
      />
      <Button type="submit" loading={connect.isPending}>
        {say('chat_create')}
      </Button>
      <Text size="xs" c="dimmed" w="100%">
        {say('site_none')}
      </Text>
      {connect.error && <ProblemAlert problem={connect.error} />}
    </form>
  );
}
