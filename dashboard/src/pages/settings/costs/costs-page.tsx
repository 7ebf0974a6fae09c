import type { ReactNode } from 'react';
import { useWords } from '../../../language/words.tsx';
import { PageHeader } from '../../../parts/page-header.tsx';
import { BudgetsCard } from './budgets-card.tsx';
import { PricesCard } from './prices-card.tsx';
import { UsageCard } from './usage-card.tsx';
import { words } from './words.ts';

/** The usage of models, their budgets and their cost. */
export function CostsPage(): ReactNode {
  const say = useWords(words);
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
