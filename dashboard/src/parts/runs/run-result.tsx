import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ResultValue, RunResult } from '../../../../contract/results.ts';
import { useTexts } from '../../language/texts.tsx';
import { resultTexts } from './result-texts.ts';

/** Shows the values of a run, one value per line, and the missing fields. */
export function RunResultCell({ result: { status, data, missing } }: { result: RunResult }): ReactNode {
  const say = useTexts(resultTexts);
  const inWords = (value: ResultValue): string =>
    typeof value === 'boolean' ? say(value ? 'yes' : 'no') : String(value);
  if (status === 'none') return <span aria-hidden="true">–</span>;
  return (
    <div>
      {Object.entries(data).map(([name, value]) => (
        <div key={name}>
          <Text span size="xs" c="dimmed">
            {name}
          </Text>{' '}
          <bdi>{inWords(value)}</bdi>
        </div>
      ))}
      {status === 'failed' && (
        <Text size="xs" c="var(--mantine-color-error)">
          {say('status_failed')}
        </Text>
      )}
      {missing.length > 0 && (
        <Text size="xs" c="dimmed">
          {say('missing', { names: missing.join(', ') })}
        </Text>
      )}
    </div>
  );
}
