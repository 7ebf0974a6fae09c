import { hash } from 'node:crypto';

/**
 * Under what a told event is remembered. Providers put addresses into their ids (a phone number into those of WhatsApp,
 * a mailbox into those of mail), so only a hash is kept: it outlives the person, and a late repetition of what an erased
 * person wrote does not make them anew.
 */
export const rememberedId = (eventId: string): string => hash('sha256', eventId);
