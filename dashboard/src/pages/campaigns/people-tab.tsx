import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { CampaignRecord } from '../../../../contract/dashboard/campaigns.ts';
import { number } from '../../language/format.ts';
import { useTexts } from '../../language/texts.tsx';
import { Card } from '../../parts/card.tsx';
import { useMay } from '../../session/session.ts';
import { AddCard } from './additions/add-card.tsx';
import { Additions } from './additions/additions.tsx';
import { ScheduleCard } from './schedules/schedule-card.tsx';
import { texts } from './texts.ts';

/** The tab decides to whom the campaign writes, with a choice, its review, the additions so far, and the repetition. */
export function PeopleTab({ item }: { item: CampaignRecord }): ReactNode {
  const say = useTexts(texts);
  const may = useMay('member');
  const isOpen = item.state === 'draft' || item.state === 'live';
  return (
    <>
      {may && isOpen && <AddCard item={item} />}
      {!isOpen && (
        <Card
          title={say('people_closed')}
          description={say(`people_${item.state === 'paused' ? 'paused' : 'ended'}`)}
        />
      )}
      <Additions item={item} />
      {item.state === 'draft' && (item.total ?? 0) > 0 && <NextStep item={item} />}
      {item.round_of === null && <ScheduleCard item={item} />}
    </>
  );
}

function NextStep({ item: { total = 0 } }: { item: CampaignRecord }): ReactNode {
  const say = useTexts(texts);
  return (
    <Text size="sm" mt="md" role="status">
      {say('draft_waits', { count: total, number: number(say.language, total) })}{' '}
      {say.rich('draft_next', {
        message: (
          <Anchor inherit renderRoot={(props) => <Link to="." search={{ tab: 'settings' }} {...props} />}>
            {say('draft_message')}
          </Anchor>
        ),
      })}
    </Text>
  );
}
