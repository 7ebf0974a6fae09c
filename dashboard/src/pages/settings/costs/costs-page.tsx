import type { ReactNode } from 'react';
import { useTexts } from '../../../language/texts.tsx';
import { PageHeader } from '../../../parts/page-header.tsx';
import { BudgetsCard } from './budgets-card.tsx';
import { PricesCard } from './prices-card.tsx';
import { UsageCard } from './usage-card.tsx';
import { texts } from './texts.ts';

/** The page shows the usage of models, their budgets and their cost. */
export function CostsPage(): ReactNode {
  const say = useTexts(texts);
  return (
    <>
      <PageHeader
        title={say('costs')}
        crumbs={[{ label: say('settings'), to: '/settings' }]}
        hint={say('costs_hint')}
      />
      <BudgetsCard />
      <UsageCard />
      <PricesCard />
    </>
  );
}
