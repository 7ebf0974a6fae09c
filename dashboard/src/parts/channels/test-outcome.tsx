import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AcceptedMessage } from '../../../../contract/channels.ts';
import { useRead } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { useOrganization } from '../../session/session.ts';
import { DeliveryNotes, DeliveryState } from '../messages/delivery-state.tsx';
import { texts } from './test-texts.ts';
import classes from './test-outcome.module.css';

const LOOK_AGAIN_MS = 1_000;

/** Shows the progress of a test message live. */
export function TestOutcome({ channelId, sent }: { channelId: string; sent: AcceptedMessage }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const params = { org_id, channel_id: channelId, message_id: sent.id };
  const read = useRead('readTest', { params }, { every: LOOK_AGAIN_MS });
  const message = read.data;
  return (
    <div className={classes.seen} role="status">
      {message && <DeliveryState message={message} />}
      {message && <DeliveryNotes message={message} />}
      <Anchor
        size="sm"
        renderRoot={(props) => (
          <Link to="/conversations/$conversation_id" params={{ conversation_id: sent.conversation_id }} {...props} />
        )}
      >
        {say('see_conversation')}
      </Anchor>
    </div>
  );
}
