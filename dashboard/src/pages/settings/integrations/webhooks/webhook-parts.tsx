import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import type { WebhookRecord } from '../../../../../../contract/dashboard/webhooks.ts';
import { useTexts } from '../../../../language/texts.tsx';
import { Tip } from '../../../../parts/tip.tsx';
import { texts } from './texts.ts';

/** Shows that the endpoint is enabled, or the reason why it is disabled. */
export function EndpointState({ item }: { item: WebhookRecord }): ReactNode {
  const say = useTexts(texts);
  if (item.enabled) return <Badge color="blue">{say('on')}</Badge>;
  return item.disabled_reason === 'gone' ? (
    <Badge color="red">{say('gone')}</Badge>
  ) : (
    <Badge color="gray">{say('off')}</Badge>
  );
}

/** Shows the number of types, with their names on hover and focus. */
export function EndpointTypes({ types }: { types: readonly string[] }): ReactNode {
  const say = useTexts(texts);
  if (types.length === 0) return say('all_events');
  return (
    <Tip label={<span className="ltr">{types.join(', ')}</span>}>
      {(anchor) => (
        <span tabIndex={0} {...anchor}>
          {say('some_events', { count: types.length })}
        </span>
      )}
    </Tip>
  );
}
