import { NativeSelect, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { BUDGET_PERIODS, BUDGET_SUBJECTS, type SetBudgetBody } from '../../../../../contract/dashboard/costs.ts';
import { useAct, useRead } from '../../../api/queries.ts';
import { useTexts } from '../../../language/texts.tsx';
import { DialogForm } from '../../../parts/dialog-form.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { typedNumber } from '../../../parts/latin-digits.ts';
import { notifyDone } from '../../../parts/notify.tsx';
import { useCheckedForm } from '../../../parts/use-checked-form.ts';
import { useOrganization } from '../../../session/session.ts';
import { SubjectSelect } from './subject-select.tsx';
import { texts } from './texts.ts';

type Props = { opened: boolean; onClose: () => void };

/** An existing budget gets the new amount. */
export function BudgetDialog({ opened, onClose }: Props): ReactNode {
  const say = useTexts(texts);
  return (
    <Dialog opened={opened} onClose={onClose} title={say('add_budget')}>
      <Form onClose={onClose} />
    </Dialog>
  );
}

const TOKENS = 'tokens';
const UNITS = [TOKENS, 'calls', 'seconds'] as const;
const EMPTY: Record<'subject' | 'subject_id' | 'period' | 'unit' | 'amount', string> = {
  subject: 'organization',
  subject_id: '',
  period: 'month',
  unit: TOKENS,
  amount: '',
};

function Form({ onClose }: { onClose: () => void }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  // A budget in a currency counts only models with a price in that currency.
  const prices = useRead('listModelPrices', { params: { org_id } });
  const currencies = [...new Set([...(prices.data?.data ?? []).map(({ currency }) => currency), 'USD'])];
  const units = [
    ...UNITS.map((value) => ({ value, label: say(`unit_${value}`) })),
    ...currencies.map((value) => ({ value, label: value })),
  ];
  const set = useAct('setBudget', { refresh: ['listBudgets', 'listAudit'] });
  const form = useCheckedForm(EMPTY, (sayCommon) => ({
    subject_id: (value, { subject }) =>
      subject !== 'organization' && value.trim() === '' ? sayCommon('required') : null,
    amount: (value) => (typedNumber(value) >= 0 ? null : say('not_a_number')),
  }));
  const onSuccess = (): void => {
    onClose();
    notifyDone(say('budget_saved'));
  };
  const submit = form.submit(({ subject, subject_id: subjectId, period, unit, amount }) => {
    const body: SetBudgetBody = {
      subject: subject as SetBudgetBody['subject'],
      subject_id: subject === 'organization' ? null : subjectId.trim(),
      period: period as SetBudgetBody['period'],
      unit,
      amount: typedNumber(amount),
    };
    set.mutate({ params: { org_id }, body }, { onSuccess, onError: form.place });
  });
  return (
    <DialogForm
      onSubmit={submit}
      act={say('add_budget')}
      busy={set.isPending}
      problem={form.unplaced(set.error)}
      onCancel={onClose}
    >
      <NativeSelect
        data-autofocus
        label={say('subject')}
        data={BUDGET_SUBJECTS.map((value) => ({ value, label: say(`subject_${value}`) }))}
        {...form.getInputProps('subject')}
        onChange={({ currentTarget: { value } }) => {
          form.setFieldValue('subject', value);
          form.setFieldValue('subject_id', '');
        }}
      />
      {form.values.subject !== 'organization' && (
        <SubjectSelect
          key={form.values.subject}
          of={form.values.subject as Exclude<SetBudgetBody['subject'], 'organization'>}
          {...form.getInputProps('subject_id')}
          onChange={(id) => form.setFieldValue('subject_id', id)}
        />
      )}
      <NativeSelect
        label={say('period')}
        data={BUDGET_PERIODS.map((value) => ({ value, label: say(`period_${value}`) }))}
        {...form.getInputProps('period')}
      />
      <NativeSelect label={say('unit')} description={say('unit_hint')} data={units} {...form.getInputProps('unit')} />
      <TextInput label={say('amount')} dir="ltr" inputMode="decimal" withAsterisk {...form.getInputProps('amount')} />
    </DialogForm>
  );
}
