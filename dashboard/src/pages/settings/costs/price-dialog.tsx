import { NativeSelect, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { MODEL_PROVIDERS, type ModelProviderName } from '../../../../../contract/dashboard/models.ts';
import { useAct } from '../../../api/queries.ts';
import { useTexts } from '../../../language/texts.tsx';
import { DialogForm } from '../../../parts/dialog-form.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { typedNumber } from '../../../parts/latin-digits.ts';
import { notifyDone } from '../../../parts/notify.tsx';
import { useCheckedForm } from '../../../parts/use-checked-form.ts';
import { useOrganization } from '../../../session/session.ts';
import { texts } from './texts.ts';

type Props = { opened: boolean; onClose: () => void };

/** If the model already has a price, the new price replaces it. */
export function PriceDialog({ opened, onClose }: Props): ReactNode {
  const say = useTexts(texts);
  return (
    <Dialog opened={opened} onClose={onClose} title={say('add_price')}>
      <Form onClose={onClose} />
    </Dialog>
  );
}

const CURRENCIES = Intl.supportedValuesOf('currency');
const EMPTY = { provider: 'openai', model: '', currency: 'USD', input: '', cached: '', output: '' };

function Form({ onClose }: { onClose: () => void }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const set = useAct('setModelPrice', { refresh: ['listModelPrices', 'listAudit'] });
  const isAmount = (value: string): string | null => (typedNumber(value) >= 0 ? null : say('not_a_number'));
  const form = useCheckedForm(EMPTY, (sayCommon) => ({
    model: (value) => (value.trim() === '' ? sayCommon('required') : null),
    currency: (value) => (value.trim() === '' ? sayCommon('required') : null),
    input: isAmount,
    output: isAmount,
    cached: (value) => (value.trim() === '' ? null : isAmount(value)),
  }));
  const onSuccess = (): void => {
    onClose();
    notifyDone(say('price_saved'));
  };
  const submit = form.submit(({ provider, model, currency, input, cached, output }) => {
    const price = {
      currency: currency.trim(),
      input: typedNumber(input),
      output: typedNumber(output),
      cached: cached.trim() === '' ? null : typedNumber(cached),
    };
    const body = { provider: provider as ModelProviderName, model: model.trim(), price };
    set.mutate({ params: { org_id }, body }, { onSuccess, onError: form.place });
  });
  const number = { dir: 'ltr', inputMode: 'decimal', autoComplete: 'off' } as const;
  return (
    <DialogForm
      onSubmit={submit}
      act={say('add_price')}
      busy={set.isPending}
      problem={form.unplaced(set.error)}
      onCancel={onClose}
    >
      <NativeSelect
        data-autofocus
        label={say('provider')}
        data={MODEL_PROVIDERS.map((value) => ({ value, label: say(`provider_${value}`) }))}
        {...form.getInputProps('provider')}
      />
      <TextInput label={say('model')} dir="ltr" autoComplete="off" withAsterisk {...form.getInputProps('model')} />
      <NativeSelect label={say('currency')} dir="ltr" data={CURRENCIES} {...form.getInputProps('currency')} />
      <TextInput label={say('price_input')} withAsterisk {...number} {...form.getInputProps('input')} />
      <TextInput
        label={say('price_cached')}
        placeholder={say('as_input')}
        {...number}
        {...form.getInputProps('cached')}
      />
      <TextInput label={say('price_output')} withAsterisk {...number} {...form.getInputProps('output')} />
    </DialogForm>
  );
}
