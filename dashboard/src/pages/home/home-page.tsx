import { Button } from '@mantine/core';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import type { Overview } from '../../../../contract/dashboard/activity.ts';
import { useRead } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { PagePending } from '../../parts/page-pending.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { usePartsInOrder } from '../../parts/use-parts-in-order.ts';
import { setPreferences, usePreferences } from '../../preferences.ts';
import { useOrganization } from '../../session/session.ts';
import { texts } from './texts.ts';

// Newcomers need the first steps, and other users need the numbers, so each part loads separately.
const FirstSteps = lazy(async () => ({ default: (await import('./first-steps/first-steps.tsx')).FirstSteps }));
const StatisticsPart = lazy(async () => ({ default: (await import('./statistics-part.tsx')).StatisticsPart }));
const MissedQuestions = lazy(async () => ({
  default: (await import('../../parts/questions/missed-questions.tsx')).AllMissedQuestions,
}));

const MOST_QUESTIONS = 5;

/** The page shows the recent activity. An organization without activity sees the first steps. */
export function HomePage(): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const overview = useRead('readOverview', { params: { org_id } });
  return (
    <>
      <PageHeader title={say('home')} hint={say('home_hint')} />
      {overview.data ? (
        <Parts key={org_id} orgId={org_id} facts={overview.data} />
      ) : overview.error ? (
        <ProblemAlert problem={overview.error} onRetry={() => void overview.refetch()} />
      ) : (
        <PagePending />
      )}
    </>
  );
}

function Parts({ orgId, facts }: { orgId: string; facts: Overview }): ReactNode {
  const say = useTexts(texts);
  const { hidden_steps: hidden = [] } = usePreferences();
  const inOrder = usePartsInOrder();
  // The steps stay visible if they are completed while the user looks at them.
  const [wasDone] = useState(() => isDone(facts));
  const [asked, setAsked] = useState(false);
  const [put, setPut] = useState(false);
  const steps = asked || !(wasDone || hidden.includes(orgId));
  const hide = (): void => {
    setAsked(false);
    setPut(true);
    setPreferences({ hidden_steps: [...new Set([...hidden, orgId])].slice(-MAX_HIDDEN) });
  };
  const show = (): void => {
    setAsked(true);
    setPreferences({ hidden_steps: hidden.filter((one) => one !== orgId) });
  };
  return (
    <Suspense fallback={<PagePending />}>
      <div {...inOrder}>
        {steps && <FirstSteps asked={asked} onHide={hide} />}
        {(!steps || hasBegun(facts)) && <StatisticsPart />}
        {hasBegun(facts) && <MissedQuestions most={MOST_QUESTIONS} />}
      </div>
      {!steps && (
        <Button mt="md" size="compact-sm" variant="subtle" color="gray" onClick={show} autoFocus={put}>
          {say('show_steps')}
        </Button>
      )}
    </Suspense>
  );
}

const MAX_HIDDEN = 50;

const begun = ({ conversations: { open, handed_off, resolved } }: Overview): number => open + handed_off + resolved;
const hasBegun = (facts: Overview): boolean => begun(facts) > 0;
const isDone = (facts: Overview): boolean =>
  facts.agents > 0 &&
  hasBegun(facts) &&
  (facts.first_visitor || (facts.first_request && facts.triggers > 0 && facts.active_keys > 0));
