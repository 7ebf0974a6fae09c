import { ActionIcon } from '@mantine/core';
import { IconAdjustmentsHorizontal } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useWords } from '../language/words.tsx';
import { Menu, MenuCheck, MenuChoice, MenuLine, MenuPart } from '../parts/menu.tsx';
import { setPreferences, usePreferences } from '../preferences.ts';
import type { Column } from './data-list.tsx';
import { listWords } from './list-words.ts';

/** The first column is what a row is; one without a heading is what can be done with it. */
const canBeHidden = ({ hidden }: Column<never>, at: number): boolean => at > 0 && !hidden;

/** The columns that this person wants to see in the list. */
export function useShownColumns<C extends Column<never>>(list: string, columns: readonly C[]): C[] {
  const hidden = usePreferences().hidden_columns?.[list] ?? [];
  return columns.filter((column, at) => !canBeHidden(column, at) || !hidden.includes(column.id));
}

type Props = { list: string; columns: readonly Column<never>[] };

/** Which columns a list shows, and how high the rows of all lists are. */
export function ViewMenu({ list, columns }: Props): ReactNode {
  const say = useWords(listWords);
  const { dense, hidden_columns = {} } = usePreferences();
  const hidden = hidden_columns[list] ?? [];
  const toggle = (id: string): void => {
    const next = hidden.includes(id) ? hidden.filter((one) => one !== id) : [...hidden, id];
    setPreferences({ hidden_columns: { ...hidden_columns, [list]: next } });
  };
  return (
    <Menu
      label={say('view')}
      align="end"
      button={(opener) => (
        <ActionIcon {...opener} variant="subtle" color="gray" size="sm" aria-label={say('view')}>
          <IconAdjustmentsHorizontal size={16} />
        </ActionIcon>
      )}
    >
      {columns.filter(canBeHidden).map(({ id, label }) => (
        <MenuCheck key={id} checked={!hidden.includes(id)} onToggle={() => toggle(id)}>
          {label}
        </MenuCheck>
      ))}
      <MenuLine />
      <MenuPart>{say('rows')}</MenuPart>
      <MenuChoice
        label={say('rows')}
        value={dense ? 'dense' : 'wide'}
        options={[
          { value: 'wide', label: say('wide') },
          { value: 'dense', label: say('dense') },
        ]}
        onChoose={(value) => setPreferences({ dense: value === 'dense' })}
      />
    </Menu>
  );
}
