import { Anchor, Skeleton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { CampaignRecord } from '../../../../contract/dashboard/campaigns.ts';
import { useRead } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { Card } from '../../parts/card.tsx';
import { CopyFact, Fact, Facts } from '../../parts/fact.tsx';
import { Moment } from '../../parts/moment.tsx';
import { useOrganization } from '../../session/session.ts';
import { texts as agentTexts } from '../../parts/agents/agent-select-texts.ts';
import { AgentLink } from '../../parts/agents/agent-select.tsx';
import { useAgentNames } from '../../parts/use-record-names.ts';
import { texts as repeatTexts } from './schedules/texts.ts';
import { texts } from './texts.ts';

export function AboutCard({ item }: { item: CampaignRecord }): ReactNode {
  const say = useTexts(texts);
  const sayAgent = useTexts(agentTexts);
  const sayRepeat = useTexts(repeatTexts);
  const org_id = useOrganization().id;
  const agentName = useAgentNames([item.agent_id]);
  const channel = useRead('readChannel', { params: { org_id, channel_id: item.channel_id } }, {});
  return (
    <Card title={say('about')}>
      <Facts>
        <CopyFact label={say('campaign_id')} value={item.id} copyLabel={say('copy_campaign_id')} />
        <Fact label={sayAgent('agent')}>
          <AgentLink id={item.agent_id} nameOf={agentName} />
        </Fact>
        <Fact label={say('channel')}>
          {channel.isPending ? (
            <Skeleton h={14} w={100} />
          ) : channel.data ? (
            <Anchor
              inherit
              renderRoot={(props) => (
                <Link to="/channels/$channel_id" params={{ channel_id: item.channel_id }} {...props} />
              )}
            >
              <bdi>{channel.data.name}</bdi>
            </Anchor>
          ) : (
            say('gone_channel')
          )}
        </Fact>
        {item.round_of !== null && (
          <Fact label={sayRepeat('started_by')}>
            <Anchor
              inherit
              renderRoot={(props) => (
                <Link to="/campaigns/$campaign_id" params={{ campaign_id: item.round_of! }} {...props} />
              )}
            >
              {sayRepeat('original')}
            </Anchor>
          </Fact>
        )}
        <Fact label={say('created')}>
          <Moment at={item.created_at} />
        </Fact>
      </Facts>
    </Card>
  );
}
