import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ChatSession, OpenChatSession } from '../../../contract/chat.ts';
import { Refusal } from '../../../contract/problems.ts';
import { newVisitorAddress, secretMark, type Visitor } from '../../access/visitors/visitor-token.ts';
import { channelKinds } from '../../channels/kinds.ts';
import { timestamp } from '../../kernel/clock.ts';
import type { ChatChannel } from './find-chat-channel.ts';
import type { VisitorsDeps } from './deps.ts';

/**
 * Opens the chat for a new visitor, a returning visitor (who gets a new token), or a person whose identity the host's
 * backend confirms. Parley stores nothing before the first message.
 */
export async function openSession(
  { openSecrets, visitorTokens }: Pick<VisitorsDeps, 'openSecrets' | 'visitorTokens'>,
  channel: ChatChannel,
  { external_id: externalId, user_hash: hash, name, locale }: OpenChatSession,
  from: { origin: string; known: Visitor | null },
): Promise<ChatSession> {
  let address = from.known?.address;
  let provenBy: string | null = null;
  if (externalId !== undefined) {
    provenBy = secretMark(checkProof(await openSecrets(channel), externalId, hash));
    const endUser = { id: '', external_id: externalId, name: null, email: null, phone: null };
    address = channelKinds.get(channel.kind)!.addressOf!(endUser)!;
  } else if (from.known?.externalId !== null) {
    // A person who has signed out at the host starts as a new visitor.
    address = newVisitorAddress();
  }
  const visitor: Visitor = {
    channelId: channel.id,
    origin: from.origin,
    name: name ?? null,
    locale: locale ?? null,
    address: address!,
    externalId: externalId ?? null,
    provenBy,
  };
  const { token, expiresAt } = visitorTokens.issue(visitor);
  return { token, expires_at: timestamp(expiresAt), identified: visitor.externalId !== null };
}

/**
 * The value `user_hash` is the HMAC-SHA-256 of the ID under the channel's secret, which only the host's backend knows.
 * Returns the secret that matches.
 */
function checkProof({ secret }: Record<string, string>, externalId: string, hash: string | undefined): string {
  if (secret !== undefined && hash !== undefined) {
    const proof = createHmac('sha256', secret).update(externalId).digest();
    if (timingSafeEqual(proof, Buffer.from(hash, 'hex'))) return secret;
  }
  throw new Refusal(
    'signature_invalid',
    "user_hash must be the HMAC-SHA-256 of external_id under the channel's secret, in hexadecimal.",
  );
}
