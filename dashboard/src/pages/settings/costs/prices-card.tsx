import { ActionIcon, Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { ModelPrice } from '../../../../../contract/dashboard/costs.ts';
import { useAct, useRead } from '../../../api/queries.ts';
import { common } from '../../../language/common.ts';
import { money } from '../../../language/format.ts';
import { useWords } from '../../../language/words.tsx';
import { type Column, DataList } from '../../../list/data-list.tsx';
import { Card } from '../../../parts/card.tsx';
import { notifyDone } from '../../../parts/notify.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { useMay, useOrganization } from '../../../session/session.ts';
import { PriceDialog } from './price-dialog.tsx';
import { words } from './words.ts';

export function PricesCard(): ReactNode {
  const say = useWords(words);
  const sayCommon = useWords(common);
  const org_id = useOrganization().id;
  const may = useMay('admin');
  const read = useRead('listModelPrices', { params: { org_id } });
  const remove = useAct('setModelPrice', { refresh: ['listModelPrices', 'listAudit'] });
  const [adding, { open, close }] = useDisclosure(false);
  const amount = (id: 'price_input' | 'price_cached' | 'price_output', of: (price: ModelPrice) => number | null) => ({
    id,
    label: say(id),
    align: 'end' as const,
    cell: (price: ModelPrice) => {
      const value = of(price);
      return value === null ? say('as_input') : <bdi>{money(say.language, value, price.currency)}</bdi>;
    },
  });
  const actions: Column<ModelPrice> = {
    id: 'actions',
    label: sayCommon('actions'),
    hidden: true,
    align: 'end',
    width: '60px',
    cell: ({ provider, model }) => (
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`${say('remove')}: ${provider}/${model}`}
        onClick={() =>
          remove.mutate(
            { params: { org_id }, body: { provider, model, price: null } },
            { onSuccess: () => notifyDone(say('price_removed')) },
          )
        }
      >
        <IconTrash size={17} />
      </ActionIcon>
    ),
  };
  return (
    <Card
      title={say('prices')}
      description={say('prices_hint')}
      aside={
        may && (
          <Button size="sm" variant="default" onClick={open}>
            {say('add_price')}
          </Button>
        )
      }
    >
      <DataList
        label={say('prices')}
        read={read}
        keyOf={({ provider, model }) => `${provider}/${model}`}
        empty={
          <Text size="sm" c="dimmed">
            {say('no_prices')}
          </Text>
        }
        columns={[
          { id: 'model', label: say('model'), cell: ({ provider, model }) => <code>{`${provider}/${model}`}</code> },
          amount('price_input', ({ input }) => input),
          amount('price_cached', ({ cached }) => cached),
          amount('price_output', ({ output }) => output),
          ...(may ? [actions] : []),
        ]}
      />
      {remove.error && <ProblemAlert problem={remove.error} />}
      <PriceDialog opened={adding} onClose={close} />
    </Card>
  );
}
