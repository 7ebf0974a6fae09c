import { IconAlertCircle, IconCheck, IconChecks, IconClock } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { ConversationMessage } from '../../../../contract/dashboard/conversations.ts';
import { useTexts } from '../../language/texts.tsx';
import { Until } from '../moment.tsx';
import { texts } from './delivery-texts.ts';
import classes from './delivery-state.module.css';

type Delivery = Pick<ConversationMessage, 'status' | 'send_at' | 'attempts' | 'error' | 'possible_duplicate'>;
type Props = { message: Delivery };

const SIGNS = {
  queued: IconClock,
  sent: IconCheck,
  delivered: IconChecks,
  read: IconChecks,
  failed: IconAlertCircle,
  undelivered: IconAlertCircle,
  suppressed: IconAlertCircle,
} as const;
type Status = keyof typeof SIGNS;
const BAD: ReadonlySet<string> = new Set(['failed', 'undelivered', 'suppressed']);

/** Shows the delivery state of one message. */
export function DeliveryState({ message: { status, send_at } }: Props): ReactNode {
  const say = useTexts(texts);
  if (status === null) return null;
  const Sign = SIGNS[status as Status] ?? IconClock;
  const tone = BAD.has(status) ? 'bad' : status === 'read' ? 'good' : undefined;
  const isLater = status === 'queued' && send_at !== null && Date.parse(send_at) > Date.now();
  return (
    <span className={classes.delivery} data-tone={tone} data-delivery={status}>
      <Sign size={13} aria-hidden="true" />
      <span>
        {isLater
          ? say.rich('delivery_scheduled', { when: <Until at={send_at} /> })
          : status in SIGNS
            ? say(`delivery_${status as Status}`)
            : status}
      </span>
    </span>
  );
}

/** Shows the error or the possible problem of the delivery. */
export function DeliveryNotes({ message: { status, attempts, error, possible_duplicate } }: Props): ReactNode {
  const say = useTexts(texts);
  return (
    <>
      {error && (
        <details className={classes.deliveryNote}>
          <summary>
            {BAD.has(status ?? '') ? say('delivery_why') : say('delivery_retrying', { count: attempts })}
          </summary>
          <code>{error.code}</code> <bdi>{error.detail}</bdi>{' '}
          {error.provider_code !== null &&
            say.rich('delivery_provider_code', { code: <code>{error.provider_code}</code> })}{' '}
          {BAD.has(status ?? '') && attempts > 0 && say('delivery_attempts', { count: attempts })}
        </details>
      )}
      {possible_duplicate && <div className={classes.deliveryNote}>{say('delivery_twice')}</div>}
    </>
  );
}
