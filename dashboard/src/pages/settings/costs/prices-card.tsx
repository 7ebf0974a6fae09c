import { ActionIcon, Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconTrash } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import type { ModelPrice } from '../../../../../contract/dashboard/costs.ts';
import { useAct, useRead } from '../../../api/queries.ts';
import { common } from '../../../language/common.ts';
import { money } from '../../../language/format.ts';
import { useTexts } from '../../../language/texts.tsx';
import { type Column, DataList } from '../../../list/data-list.tsx';
import { Card } from '../../../parts/card.tsx';
import { RemoveDialog } from '../../../parts/remove-dialog.tsx';
import { useMay, useOrganization } from '../../../session/session.ts';
import { PriceDialog } from './price-dialog.tsx';
import { texts } from './texts.ts';

export function PricesCard(): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const org_id = useOrganization().id;
  const may = useMay('admin');
  const read = useRead('listModelPrices', { params: { org_id } });
  const [adding, { open, close }] = useDisclosure(false);
  const [removing, setRemoving] = useState<ModelPrice | null>(null);
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
    cell: (price) => (
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`${say('remove')}: ${nameOf(price)}`}
        onClick={() => setRemoving(price)}
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
        keyOf={nameOf}
        empty={
          <Text size="sm" c="dimmed">
            {say('no_prices')}
          </Text>
        }
        columns={[
          { id: 'model', label: say('model'), cell: (price) => <code>{nameOf(price)}</code> },
          amount('price_input', ({ input }) => input),
          amount('price_cached', ({ cached }) => cached),
          amount('price_output', ({ output }) => output),
          ...(may ? [actions] : []),
        ]}
      />
      <PriceDialog opened={adding} onClose={close} />
      <RemovePrice price={removing} onClose={() => setRemoving(null)} />
    </Card>
  );
}

const nameOf = ({ provider, model }: ModelPrice): string => `${provider}/${model}`;

function RemovePrice({ price, onClose }: { price: ModelPrice | null; onClose: () => void }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  return (
    <RemoveDialog
      input={price && { params: { org_id }, body: { provider: price.provider, model: price.model, price: null } }}
      remove={useAct('setModelPrice', { refresh: ['listModelPrices', 'listAudit'] })}
      title={say('remove_price')}
      act={say('remove')}
      removed={say('price_removed')}
      onClose={onClose}
    >
      <Text size="sm">{say.rich('remove_price_words', { model: <code>{price && nameOf(price)}</code> })}</Text>
    </RemoveDialog>
  );
}
