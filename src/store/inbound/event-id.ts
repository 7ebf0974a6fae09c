import { hash } from 'node:crypto';

/**
 * The ID under which a received event is stored. Providers put addresses into their IDs (WhatsApp a phone number, mail
 * a mailbox), so only a hash is stored. The hash stays after the person is erased, so that a late duplicate of their
 * message does not create the person again.
 */
export const rememberedId = (eventId: string): string => hash('sha256', eventId);
