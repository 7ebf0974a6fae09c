import { Tabs } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTexts } from '../../language/texts.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { useScrollToTab } from '../../parts/use-scroll-to-tab.ts';
import { AuditTab } from './audit-tab.tsx';
import { DeliveriesTab } from './deliveries-tab.tsx';
import { RequestsTab } from './requests-tab.tsx';
import { ACTIVITY_TABS, type ActivityTab } from './search.ts';
import { texts } from './texts.ts';
import classes from './activity.module.css';

const route = getRouteApi('/inside/activity');

/** Each tab has its own file and its own filters, so another tab starts without filters. */
const TABS: Record<ActivityTab, () => ReactNode> = {
  requests: RequestsTab,
  deliveries: DeliveriesTab,
  audit: AuditTab,
};

export function ActivityPage(): ReactNode {
  const say = useTexts(texts);
  const { tab = 'requests' } = route.useSearch();
  const navigate = route.useNavigate();
  const row = useScrollToTab(tab);
  return (
    <>
      <PageHeader title={say('activity')} hint={say('hint')} />
      <Tabs
        value={tab}
        onChange={(value) => void navigate({ to: '.', search: { tab: value as ActivityTab }, resetScroll: false })}
        keepMounted={false}
      >
        <Tabs.List ref={row} className={classes.tabs}>
          {ACTIVITY_TABS.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {say(`tab_${one}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {ACTIVITY_TABS.map((one) => {
          const Panel = TABS[one];
          return (
            <Tabs.Panel key={one} value={one}>
              <Panel />
            </Tabs.Panel>
          );
        })}
      </Tabs>
    </>
  );
}
