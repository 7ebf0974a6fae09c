import { Tabs, VisuallyHidden } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { CampaignRecord } from '../../../../contract/dashboard/campaigns.ts';
import { useRead } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { RecordPage } from '../../parts/record-page.tsx';
import { useMay, useOrganization } from '../../session/session.ts';
import { texts as editorTexts } from '../../parts/editor/texts.ts';
import editorClasses from '../../parts/editor/editor-page.module.css';
import { ApiTab } from './api-tab.tsx';
import { CampaignMoves } from './campaign-moves.tsx';
import { CampaignStateBadge } from './campaign-state.tsx';
import { PeopleTab } from './people-tab.tsx';
import { isReadyToStart } from './is-ready-to-start.ts';
import { ProgressTab } from './progress-tab.tsx';
import { RehearsalTab } from './rehearsal/rehearsal-tab.tsx';
import { CAMPAIGN_TABS, firstTab, LOOK_AGAIN_MS, type CampaignTab } from './search.ts';
import { ResultsTab } from './results-tab.tsx';
import { SettingsTab } from './settings/settings-tab.tsx';
import { useSettingsDraft } from './settings/use-settings-draft.ts';
import { texts } from './texts.ts';
import { KeptInput } from './use-kept.ts';

const route = getRouteApi('/inside/campaigns/$campaign_id');

export function CampaignPage(): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const { campaign_id } = route.useParams();
  const campaign = useRead(
    'readCampaign',
    { params: { org_id, campaign_id } },
    { every: LOOK_AGAIN_MS, live: `campaign:${campaign_id}` },
  );
  const crumbs = [{ label: say('campaigns'), to: '/campaigns' as const }];
  return (
    <RecordPage read={campaign} title={say('campaigns')} crumbs={crumbs}>
      {(item) => <Desk item={item} failed={campaign.isError} />}
    </RecordPage>
  );
}

function Desk({ item, failed }: { item: CampaignRecord; failed: boolean }): ReactNode {
  const say = useTexts(texts);
  const sayEditor = useTexts(editorTexts);
  const may = useMay('member');
  const first = firstTab(item.state);
  const { tab = first } = route.useSearch();
  const navigate = route.useNavigate();
  // The draft and the input belong to the page, so that opening another tab loses nothing.
  const draft = useSettingsDraft(item, !may || item.state === 'ended');
  const [kept] = useState(() => new Map<string, unknown>());
  return (
    <KeptInput value={kept}>
      <PageHeader
        title={item.name}
        crumbs={[{ label: say('campaigns'), to: '/campaigns' }]}
        badge={<CampaignStateBadge state={item.state} />}
        actions={
          may && <CampaignMoves item={item} secondary={draft.dirty || (tab === 'people' && !isReadyToStart(item))} />
        }
      />
      <Tabs
        value={tab}
        onChange={(value) =>
          void navigate({
            to: '.',
            search: { tab: value === first ? undefined : (value as CampaignTab) },
            replace: true,
            resetScroll: false,
          })
        }
        keepMounted={false}
      >
        <Tabs.List className={editorClasses.tabs}>
          {CAMPAIGN_TABS.filter((one) => may || one !== 'rehearsal').map((one) => {
            const isFaulty = one === 'settings' && draft.editor.faulty('');
            return (
              <Tabs.Tab key={one} value={one} className={editorClasses.tab} data-fault={isFaulty || undefined}>
                {say(`tab_${one}`)}
                {isFaulty && <VisuallyHidden> ({sayEditor('has_fault')})</VisuallyHidden>}
              </Tabs.Tab>
            );
          })}
        </Tabs.List>
        <Tabs.Panel value="people">
          <PeopleTab item={item} />
        </Tabs.Panel>
        <Tabs.Panel value="progress">
          <ProgressTab item={item} failed={failed} />
        </Tabs.Panel>
        <Tabs.Panel value="results">
          <ResultsTab campaignId={item.id} />
        </Tabs.Panel>
        <Tabs.Panel value="settings">
          <SettingsTab item={item} draft={draft} />
        </Tabs.Panel>
        {may && (
          <Tabs.Panel value="rehearsal">
            <RehearsalTab item={item} draft={draft} />
          </Tabs.Panel>
        )}
        <Tabs.Panel value="keys">
          <ApiTab item={item} />
        </Tabs.Panel>
      </Tabs>
    </KeptInput>
  );
}
