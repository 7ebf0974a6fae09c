import { Alert } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useWords } from '../../../language/words.tsx';
import { words } from './words.ts';

/** Says which variables of the first message leave an empty place when a person has no value for them. */
export function EmptyPlaces({ names }: { names: readonly string[] }): ReactNode {
  const say = useWords(words);
  if (names.length === 0) return null;
  const tags = names.map((name) => `{{${name}}}`).join(' ');
  return (
    <Alert color="orange" variant="light" mt="sm" icon={<IconAlertTriangle size={18} />} data-empty-places>
      {say.rich('empty_places', {
        names: <code className="ltr">{tags}</code>,
        example: <code className="ltr">{`{{${names[0]!}|…}}`}</code>,
      })}
    </Alert>
  );
}
