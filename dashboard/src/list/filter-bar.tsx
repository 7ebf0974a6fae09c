import { Button, Group, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { common } from '../language/common.ts';
import { useTexts } from '../language/texts.tsx';
import { useTypedFilter } from './use-list-state.ts';
import classes from './filter-bar.module.css';

type Props = {
  text: string | undefined;
  onText: (text: string | undefined) => void;
  placeholder: string;
  filtered: boolean;
  onClear: () => void;
  children?: ReactNode;
};

/** The bar has a search field, the list's own filters as children, and a button that clears all filters. */
export function FilterBar({ text, onText, placeholder, filtered, onClear, children }: Props): ReactNode {
  const say = useTexts(common);
  const field = useTypedFilter(text, onText);
  return (
    <Group role="search" gap="xs" mb="md" align="center" className={classes.bar}>
      <TextInput
        type="search"
        aria-label={say('search')}
        placeholder={placeholder}
        leftSection={<IconSearch size={16} />}
        value={field.value}
        maxLength={100}
        onChange={(event) => field.onChange(event.currentTarget.value)}
        flex="1 1 220px"
        maw={{ sm: 360 }}
      />
      {children}
      {filtered && (
        <Button variant="subtle" color="gray" size="compact-sm" onClick={onClear}>
          {say('clear_filters')}
        </Button>
      )}
    </Group>
  );
}

type TypedProps = {
  label: string;
  placeholder?: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  w?: number | string;
};

/** A filter with a text field. */
export function TypedFilter({ label, placeholder, value, onChange, w = 170 }: TypedProps): ReactNode {
  const field = useTypedFilter(value, onChange);
  return (
    <TextInput
      aria-label={label}
      placeholder={placeholder === undefined ? label : `${label}: ${placeholder}`}
      w={w}
      maxLength={160}
      dir="auto"
      value={field.value}
      onChange={(event) => field.onChange(event.currentTarget.value)}
    />
  );
}
