import { IconListCheck } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { addressOf } from '../../api/client.ts';
import { useRead } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { Empty } from '../../list/empty.tsx';
import { PagedList } from '../../list/paged-list.tsx';
import { useListState } from '../../list/use-list-state.ts';
import { Card } from '../../parts/card.tsx';
import { Moment } from '../../parts/moment.tsx';
import { useMay, useOrganization } from '../../session/session.ts';
import pageClasses from '../../parts/page.module.css';
import { ExportResults } from '../../parts/runs/export-results.tsx';
import { resultTexts } from '../../parts/runs/result-texts.ts';
import { RunResultCell } from '../../parts/runs/run-result.tsx';
import { RunStatusBadge } from '../../parts/runs/run-status.tsx';
import { LOOK_AGAIN_MS } from './search.ts';

const PAGE = 20;

/** The tab shows the results of the conversations of a campaign. */
export function ResultsTab({ campaignId }: { campaignId: string }): ReactNode {
  const say = useTexts(resultTexts);
  const org_id = useOrganization().id;
  const may = useMay('member');
  const list = useListState<object>([]);
  const params = { org_id, campaign_id: campaignId };
  const results = useRead(
    'listCampaignResults',
    { params, query: { cursor: list.cursor, limit: PAGE } },
    { every: LOOK_AGAIN_MS, live: `campaign:${campaignId}`, keep: true },
  );
  return (
    <Card
      title={say('results')}
      description={say('results_hint')}
      aside={may && <ExportResults href={addressOf('exportCampaignResults', { params })} />}
    >
      <PagedList
        name="results"
        label={say('results')}
        list={list}
        read={results}
        columns={[
          {
            id: 'person',
            label: say('person'),
            cell: ({ name, ref, end_user_id }) => (
              <Link to="/end-users/$end_user_id" params={{ end_user_id }} className={pageClasses.link}>
                <bdi>{name ?? ref ?? end_user_id}</bdi>
              </Link>
            ),
          },
          {
            id: 'state',
            label: say('state'),
            cell: ({ status }) => <RunStatusBadge status={status} />,
            width: '150px',
          },
          { id: 'result', label: say('result'), cell: ({ result }) => say(`status_${result.status}`), width: '140px' },
          { id: 'values', label: say('values'), cell: ({ result }) => <RunResultCell result={result} /> },
          { id: 'begun', label: say('begun'), cell: ({ created_at }) => <Moment at={created_at} />, width: '130px' },
          {
            id: 'conversation',
            label: say('conversation'),
            width: '120px',
            cell: ({ conversation_id }) => (
              <Link to="/conversations/$conversation_id" params={{ conversation_id }} className={pageClasses.link}>
                {say('open')}
              </Link>
            ),
          },
        ]}
        icon={<IconListCheck size={26} />}
        none={
          <Empty icon={<IconListCheck size={26} />} title={say('results')}>
            {say('results_empty')}
          </Empty>
        }
      />
    </Card>
  );
}
