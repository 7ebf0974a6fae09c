import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { AdditionRecord } from '../../../../../contract/dashboard/additions.ts';
import { number } from '../../../language/format.ts';
import { useTexts } from '../../../language/texts.tsx';
import { texts } from './texts.ts';

type Sum = Pick<AdditionRecord, 'accepted' | 'duplicates' | 'opted_out' | 'blocked' | 'invalid'>;

type Props = { sum: Sum; done: boolean };

/** Shows the number of people who were added, and the reasons for all others. */
export function Result({ sum, done }: Props): ReactNode {
  const say = useTexts(texts);
  const many = (value: number) => ({ count: value, number: number(say.language, value) });
  return (
    <>
      <Text size="sm" fw={550}>
        {say('added', many(sum.accepted))}
        {!done && ' …'}
      </Text>
      {(['duplicates', 'opted_out', 'blocked', 'invalid'] as const).map(
        (reason) =>
          sum[reason] > 0 && (
            <Text key={reason} size="sm" c="dimmed">
              {say(`why_${reason}`, many(sum[reason]))}
            </Text>
          ),
      )}
    </>
  );
}
