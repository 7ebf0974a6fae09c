import { Alert } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTexts } from '../../../language/texts.tsx';
import { texts } from './texts.ts';

/** Shows which variables of the first message are empty for a person without a value. */
export function EmptyPlaces({ names }: { names: readonly string[] }): ReactNode {
  const say = useTexts(texts);
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
