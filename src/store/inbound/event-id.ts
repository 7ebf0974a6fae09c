import { hash } from 'node:crypto';

/**
 * The id under which a received event is remembered. Providers put addresses into their ids (a phone number in those of
 * WhatsApp, a mailbox in those of mail), so only a hash is stored. The hash outlives the person, so a late duplicate of
 * an erased person's message does not create them again.
 */
export const rememberedId = (eventId: string): string => hash('sha256', eventId);
