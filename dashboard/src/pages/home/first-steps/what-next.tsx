import { Anchor, Text } from '@mantine/core';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AgentSummary } from '../../../../../contract/dashboard/agents.ts';
import { useTexts } from '../../../language/texts.tsx';
import { Card } from '../../../parts/card.tsx';
import { Facts } from '../../../parts/fact.tsx';
import type { StartPlace } from './start-place.ts';
import { texts } from './texts.ts';

/** The suggestions after the last step lead from a working agent to an agent that people use. */
export function WhatNext({ agent, way }: { agent: AgentSummary; way: StartPlace }): ReactNode {
  const say = useTexts(texts);
  const to = (
    word: 'next_website' | 'next_backend' | 'next_knowledge' | 'next_channel' | 'next_members' | 'next_webhooks',
    link: LinkProps,
  ): ReactNode => (
    <div>
      <Anchor size="sm" fw={550} renderRoot={(props) => <Link {...link} {...props} />}>
        {say(word)}
      </Anchor>
      <Text size="sm" c="dimmed">
        {say(`${word}_hint`)}
      </Text>
    </div>
  );
  return (
    <Card title={say('next')}>
      <Facts>
        {way === 'website'
          ? to('next_backend', { to: '/triggers', search: { agent_id: agent.id } })
          : to('next_website', { to: '/channels', search: { connect: 'web_chat', agent_id: agent.id } })}
        {to('next_knowledge', {
          to: '/agents/$agent_id',
          params: { agent_id: agent.id },
          search: { tab: 'knowledge' },
        })}
        {to('next_channel', { to: '/channels' })}
        {to('next_members', { to: '/settings/members' })}
        {to('next_webhooks', { to: '/settings/integrations/webhooks' })}
      </Facts>
    </Card>
  );
}
