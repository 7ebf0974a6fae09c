import type { ReactNode } from 'react';
import { getRouteApi } from '@tanstack/react-router';
import type { CampaignRecord } from '../../../../contract/dashboard/campaigns.ts';
import { useTexts } from '../../language/texts.tsx';
import { Card } from '../../parts/card.tsx';
import { AboutCard } from './about-card.tsx';
import { Additions } from './additions/additions.tsx';
import { Funnel } from './funnel.tsx';
import { FirstAddition } from './addition-guide.tsx';
import { Report } from './report.tsx';
import { RecipientsList } from './recipients-list.tsx';
import { texts } from './texts.ts';
import classes from './campaigns.module.css';

const route = getRouteApi('/inside/campaigns/$campaign_id');

/**
 * The tab shows the progress of the campaign's recipients. If the campaign has no recipients yet, the tab explains how
 * to add them.
 */
export function ProgressTab({ item, failed }: { item: CampaignRecord; failed: boolean }): ReactNode {
  const say = useTexts(texts);
  const { status } = route.useSearch();
  const { counts, total = 0 } = item;
  const hasPeople = counts !== undefined && total > 0;
  return (
    <>
      <AboutCard item={item} />
      <div className={classes.section}>
        {hasPeople ? (
          <Card title={say('funnel')} description={say('funnel_hint')}>
            <Funnel counts={counts} total={total} chosen={status} />
          </Card>
        ) : (
          <FirstAddition item={item} />
        )}
      </div>
      <Report item={item} />
      {hasPeople && <RecipientsList campaignId={item.id} failed={failed} />}
      <Additions item={item} />
    </>
  );
}
