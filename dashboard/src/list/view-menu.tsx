import { ActionIcon } from '@mantine/core';
import { IconAdjustmentsHorizontal } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTexts } from '../language/texts.tsx';
import { Menu, MenuCheck, MenuChoice, MenuLine, MenuPart } from '../parts/menu.tsx';
import { setPreferences, usePreferences } from '../preferences.ts';
import type { Column } from './data-list.tsx';
import { listTexts } from './list-texts.ts';

/**
 * The first column names the row, and a column without a heading contains its actions. Neither the first column nor the
 * column of actions can be hidden.
 */
const canBeHidden = ({ hidden }: Column<never>, at: number): boolean => at > 0 && !hidden;

/** The columns of the list that this user wants to see. */
export function useShownColumns<C extends Column<never>>(list: string, columns: readonly C[]): C[] {
  const hidden = usePreferences().hidden_columns?.[list] ?? [];
  return columns.filter((column, at) => !canBeHidden(column, at) || !hidden.includes(column.id));
}

type Props = { list: string; columns: readonly Column<never>[] };

/** A menu for the columns of a list, and for the row height of all lists. */
export function ViewMenu({ list, columns }: Props): ReactNode {
  const say = useTexts(listTexts);
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
