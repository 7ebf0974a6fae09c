import { ActionIcon, Badge, Button, Group, Progress, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconTrash } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import type { BudgetRecord } from '../../../../../contract/dashboard/costs.ts';
import { useAct, useRead } from '../../../api/queries.ts';
import { common } from '../../../language/common.ts';
import { money, number } from '../../../language/format.ts';
import { type Say, useTexts } from '../../../language/texts.tsx';
import { type Column, DataList } from '../../../list/data-list.tsx';
import { Card } from '../../../parts/card.tsx';
import { RemoveDialog } from '../../../parts/remove-dialog.tsx';
import { useMay, useOrganization } from '../../../session/session.ts';
import { BudgetDialog } from './budget-dialog.tsx';
import { texts } from './texts.ts';

export function BudgetsCard(): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const org_id = useOrganization().id;
  const may = useMay('admin');
  const read = useRead('listBudgets', { params: { org_id } }, { every: 15_000 });
  const [adding, { open, close }] = useDisclosure(false);
  const [leaving, setLeaving] = useState<BudgetRecord | null>(null);
  const actions: Column<BudgetRecord> = {
    id: 'actions',
    label: sayCommon('actions'),
    hidden: true,
    align: 'end',
    width: '60px',
    cell: (budget) => (
      <ActionIcon variant="subtle" color="gray" aria-label={say('remove')} onClick={() => setLeaving(budget)}>
        <IconTrash size={17} />
      </ActionIcon>
    ),
  };
  return (
    <Card
      title={say('budgets')}
      description={say('budgets_hint')}
      aside={
        may && (
          <Button size="sm" onClick={open}>
            {say('add_budget')}
          </Button>
        )
      }
    >
      <DataList
        label={say('budgets')}
        read={read}
        keyOf={({ id }) => id}
        empty={
          <Text size="sm" c="dimmed">
            {say('no_budgets')}
          </Text>
        }
        columns={[
          { id: 'subject', label: say('subject'), cell: (budget) => <Subject of={budget} /> },
          { id: 'period', label: say('period'), cell: ({ period }) => say(`period_${period}`), width: '130px' },
          { id: 'spent', label: say('spent'), cell: (budget) => <Spent of={budget} />, width: '320px' },
          ...(may ? [actions] : []),
        ]}
      />
      <BudgetDialog opened={adding} onClose={close} />
      <RemoveBudget budget={leaving} onClose={() => setLeaving(null)} />
    </Card>
  );
}

function Subject({ of: { subject, subject_id, subject_name } }: { of: BudgetRecord }): ReactNode {
  const say = useTexts(texts);
  return (
    <div>
      {say(`subject_${subject}`)}
      {subject_id && (
        <Text size="xs" c="dimmed">
          {subject_name === null ? <code>{subject_id}</code> : <bdi>{subject_name}</bdi>}
        </Text>
      )}
    </div>
  );
}

const UNITS: Record<string, 'unit_calls' | 'unit_seconds' | 'unit_tokens'> = {
  calls: 'unit_calls',
  seconds: 'unit_seconds',
  tokens: 'unit_tokens',
};
const spentOf = (say: Say<keyof (typeof texts)['en']>, { spent, amount, unit }: BudgetRecord): string => {
  const counted = UNITS[unit];
  const show = (value: number): string => (counted ? number(say.language, value) : money(say.language, value, unit));
  const text = say('spent_of', { spent: show(spent), amount: show(amount) });
  return counted ? `${say(counted)}: ${text}` : text;
};

const WARNING_PERCENT = 80;

function Spent({ of }: { of: BudgetRecord }): ReactNode {
  const { spent, reserved, amount, told_percent } = of;
  const say = useTexts(texts);
  const many = (value: number): string => number(say.language, value);
  const percent = amount === 0 ? 100 : Math.min(100, (spent / amount) * 100);
  return (
    <>
      <Group gap="xs" justify="space-between" mb={4}>
        <Text size="sm">{spentOf(say, of)}</Text>
        {told_percent > 0 && (
          <Badge size="sm" variant="light" color={told_percent >= 100 ? 'red' : 'orange'}>
            {say(told_percent >= 100 ? 'is_spent' : 'is_nearly_spent')}
          </Badge>
        )}
      </Group>
      <Progress
        value={percent}
        color={percent >= 100 || told_percent >= 100 ? 'red' : percent >= WARNING_PERCENT ? 'orange' : 'blue'}
        aria-label={say('spent')}
      />
      {reserved > 0 && (
        <Text size="xs" c="dimmed">
          {say('reserved', { many: many(reserved) })}
        </Text>
      )}
    </>
  );
}

function RemoveBudget({ budget, onClose }: { budget: BudgetRecord | null; onClose: () => void }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  return (
    <RemoveDialog
      input={budget && { params: { org_id, budget_id: budget.id } }}
      remove={useAct('removeBudget', { refresh: ['listBudgets', 'listAudit'] })}
      title={say('remove_budget')}
      act={say('remove')}
      removed={say('budget_removed')}
      onClose={onClose}
    >
      <Text size="sm">{say('remove_budget_words')}</Text>
    </RemoveDialog>
  );
}
