import type { ReactNode } from 'react';
import type { CampaignRecord } from '../../../../contract/dashboard/campaigns.ts';
import { useTexts } from '../../language/texts.tsx';
import { Card } from '../../parts/card.tsx';
import { AdditionCode } from './addition-guide.tsx';
import { CampaignKeys } from './campaign-keys.tsx';
import { texts } from './texts.ts';
import classes from './campaigns.module.css';

/** The tab has the developer's part, which is the campaign's keys and the call that adds recipients. */
export function ApiTab({ item }: { item: CampaignRecord }): ReactNode {
  const say = useTexts(texts);
  return (
    <>
      <CampaignKeys campaign={item} />
      {item.state !== 'ended' && (
        <div className={classes.section}>
          <Card title={say('push_code')} description={say(item.state === 'live' ? 'push_live' : 'push_not_live')}>
            <AdditionCode item={item} />
          </Card>
        </div>
      )}
    </>
  );
}
